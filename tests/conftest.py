"""Settings of every test: property tests repeat themselves exactly unless X2CBBR_EXPLORE asks for new examples."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("repeat", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("explore" if os.environ.get("X2CBBR_EXPLORE") else "repeat")
