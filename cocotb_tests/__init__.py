"""Benches of the hardware units: coroutines in ``*_tests.py``, the pytest runners that build and start them in ``test_*.py``."""
