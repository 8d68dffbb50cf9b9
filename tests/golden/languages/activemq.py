"""Judge of selectors: Apache ActiveMQ's selector engine, run once for a batch of selectors and messages."""

import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path

from sim.golden.languages import Value
from sim.tools import jdk_home

__all__ = ["evaluate"]

SOURCE = Path(__file__).with_name("SelectorJudge.java")
JARS = ("activemq-client", "geronimo-jms_1.1_spec", "hawtbuf", "slf4j-api")
_ANSWERS: Mapping[str, bool | None] = {"T": True, "F": False, "N": None}


@cache
def _java() -> list[str]:
    """The command that runs the judge; a JDK compiles the source as it starts it."""
    home = jdk_home()
    assert home is not None, "a JDK must be installed: make setup"
    path = os.pathsep.join(f"/usr/share/java/{jar}.jar" for jar in JARS)
    return [str(home / "bin" / "java"), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", path, str(SOURCE)]


def _hexadecimal(text: str) -> str:
    return "x" + text.encode().hex()


def _typed(value: Value) -> str:
    """A type and a value; a number is a long where it can be one."""
    if isinstance(value, bool):
        return f"b {_hexadecimal(str(value).lower())}"
    if isinstance(value, Decimal):
        whole = value == value.to_integral_value() and abs(value) < 2**63
        return f"l {_hexadecimal(str(int(value)))}" if whole else f"d {_hexadecimal(str(value))}"
    return f"s {_hexadecimal(value)}"


def evaluate(selectors: Sequence[str], messages: Iterable[Mapping[str, Value]]) -> list[list[bool | None] | None]:
    """For each selector what it is for each message: true, false or None for unknown; None for a selector that is refused."""
    lines = [f"S {_hexadecimal(text)}" for text in selectors]
    for properties in messages:
        lines.append(" ".join(["M", *(f"{_hexadecimal(name)} {_typed(value)}" for name, value in properties.items())]))
    given = "".join(f"{line}\n" for line in lines)
    done = subprocess.run(_java(), input=given, capture_output=True, text=True, timeout=500, check=True)
    assert done.stderr == ""
    answers = done.stdout.split()
    accepted = [answer == "ok" for answer in answers[: len(selectors)]]
    rows = answers[len(selectors) :]
    columns = iter([[_ANSWERS[row[place]] for row in rows] for place in range(sum(accepted))])
    return [next(columns) if fine else None for fine in accepted]
