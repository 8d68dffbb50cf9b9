"""A Spark session says nothing of its own at its start."""

import subprocess
import time

import pytest

from spark_vectors.session import java_quiet


def test_what_java_says_at_every_start_is_left_out_and_the_rest_comes_through(capfd: pytest.CaptureFixture[str]) -> None:
    said = "WARNING: Using incubator modules: jdk.incubator.vector\nsomething is wrong\nSetting default log level to 'WARN'.\n"
    with java_quiet():
        started = subprocess.Popen(["sh", "-c", 'sleep 0.2; printf %s "$0" >&2', said])
    assert started.wait(timeout=10) == 0
    shown = ""
    for _ in range(50):
        shown += capfd.readouterr().err
        if shown:
            break
        time.sleep(0.1)
    assert shown == "something is wrong\n"
