"""The pages of ``docs/results`` and the figures in the README, made from the JSON files in ``docs/results``, a subject a file."""
