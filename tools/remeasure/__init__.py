"""All figures of docs/results measured anew, one command after the other."""
