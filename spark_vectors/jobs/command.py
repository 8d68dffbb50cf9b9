"""What the entry points share: arguments, errors in one sentence, exit status."""

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator

from py4j.protocol import Py4JJavaError  # type: ignore[import-untyped]
from pyspark.errors import PySparkException

from spark_vectors.errors import JobError

__all__ = ["DIFFERENT", "USAGE", "arguments", "plain_errors", "run"]

DIFFERENT = 1
"""Exit status when results differ."""
USAGE = 2
"""Exit status when the job could not be run."""


def arguments(description: str) -> argparse.ArgumentParser:
    """A parser with the arguments that every job has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--master", help="Spark master, such as local[2] or spark://host:7077 (default: local[*], or spark-submit's)")
    parser.add_argument("--partitions", type=int, help="Spark partitions (default: by the number of documents)")
    parser.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def run(job: Callable[[], int]) -> int:
    """Runs a job; a :class:`JobError` becomes one sentence with a hint on standard error, and exit status 2."""
    try:
        with plain_errors():
            return job()
    except JobError as error:
        print(f"error: {error}\nhint: {error.hint}", file=sys.stderr)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
    return USAGE


@contextlib.contextmanager
def plain_errors() -> Iterator[None]:
    """Makes a :class:`JobError` of whatever Spark raises."""
    try:
        yield
    except (PySparkException, Py4JJavaError) as error:
        said = str(getattr(error, "java_exception", None) or error).strip().splitlines()[0]
        raise JobError(f"Spark gave up: {said}", hint="run again with --master 'local[1]' to see more") from None
