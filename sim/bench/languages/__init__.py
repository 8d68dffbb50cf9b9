"""The languages for messages in software beside the papers' figures: ``make bench ARGS="--only languages"``."""
