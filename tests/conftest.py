"""Settings of every test: property tests repeat themselves exactly unless X2CBBR_EXPLORE asks for new examples. Spark is started once."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

settings.register_profile("repeat", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("explore" if os.environ.get("X2CBBR_EXPLORE") else "repeat")


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    from spark_vectors.session import open_session

    with open_session("local[2]", name="x2cbbr tests") as session:
        yield session
