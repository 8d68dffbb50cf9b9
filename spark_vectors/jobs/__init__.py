"""The entry points, each for ``python -m`` and ``spark-submit``."""
