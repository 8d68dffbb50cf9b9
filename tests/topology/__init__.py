"""The topology entity, the broker network map and topology files."""
