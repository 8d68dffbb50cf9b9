"""Judge of selectors: Apache ActiveMQ's selector engine, run once for a batch of selectors and messages."""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib import resources
from pathlib import Path

from sim.cache import cached, digest
from sim.golden.languages import Value
from sim.interface import EngineError
from sim.tools import jdk_home

__all__ = ["evaluate", "seconds_a_message"]

JARS = ("activemq-client", "geronimo-jms_1.1_spec", "hawtbuf", "slf4j-api")
_NAME = "SelectorJudge"
_ANSWERS: Mapping[str, bool | None] = {"T": True, "F": False, "N": None}


@cache
def _java() -> list[str]:
    """The command that runs the judge, which is compiled once a machine."""
    home, places = jdk_home(), [f"/usr/share/java/{jar}.jar" for jar in JARS]
    if home is None or not all(Path(place).exists() for place in places):
        raise EngineError("there is no JDK of 17 or later with ActiveMQ", hint="run make setup, or apt-get install libactivemq-java")
    program, path = resources.files("sim.judges").joinpath(f"{_NAME}.java").read_text(encoding="utf-8"), os.pathsep.join(places)

    def make(folder: Path) -> None:
        source = folder / f"{_NAME}.java"
        source.write_text(program, encoding="utf-8")
        subprocess.run([str(home / "bin" / "javac"), "-cp", path, "-d", str(folder), str(source)], check=True)

    folder = cached(Path(tempfile.gettempdir()) / "x2cbbr-judges" / digest([program, str(home)]), make)
    return [str(home / "bin" / "java"), "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", os.pathsep.join([str(folder), path]), _NAME]


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


def _run(command: Sequence[str], selectors: Sequence[str], messages: Iterable[Mapping[str, Value]], *end: str) -> list[str]:
    lines = [f"S {_hexadecimal(text)}" for text in selectors]
    for properties in messages:
        lines.append(" ".join(["M", *(f"{_hexadecimal(name)} {_typed(value)}" for name, value in properties.items())]))
    given = "".join(f"{line}\n" for line in (*lines, *end))
    done = subprocess.run(command, input=given, capture_output=True, text=True, timeout=500, check=True)
    assert done.stderr == ""
    return done.stdout.split()


def evaluate(selectors: Sequence[str], messages: Iterable[Mapping[str, Value]]) -> list[list[bool | None] | None]:
    """For each selector what it is for each message: true, false or None for unknown; None for a selector that is refused."""
    answers = _run(_java(), selectors, messages)
    accepted = [answer == "ok" for answer in answers[: len(selectors)]]
    rows = answers[len(selectors) :]
    columns = iter([[_ANSWERS[row[place]] for row in rows] for place in range(sum(accepted))])
    return [next(columns) if fine else None for fine in accepted]


def seconds_a_message(selectors: Sequence[str], messages: Sequence[Mapping[str, Value]], *, rounds: int) -> float:
    """Processor time of one message past all selectors, in the fastest of so many rounds, with all of Java's compilers."""
    command = [part for part in _java() if not part.startswith("-XX:TieredStopAtLevel")]
    return int(_run(command, selectors, messages, f"R {rounds}")[-1]) / 1e9 / max(len(messages), 1)
