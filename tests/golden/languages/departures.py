"""The one table of where an outside judge and the golden model differ; each with a witness that shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from sim.golden.languages import Value

__all__ = ["DEPARTURES", "Departure", "cells", "of"]


@dataclass(frozen=True)
class Departure:
    """A judge gives ``theirs`` on the witness and we give ``ours``: matches, no match, or refused.

    ``section`` is the place in the language's definition that decides.
    """

    language: str
    judge: str
    section: str
    name: str
    text: str
    theirs: str
    ours: str
    topic: str = ""
    properties: Mapping[str, Value] = field(default_factory=dict)


MATCH, NONE, REFUSED = "match", "no match", "refused"


def _selector(section: str, name: str, condition: str, theirs: str, ours: str, **properties: int | str) -> Departure:
    """One of ActiveMQ; a property is a number, or a string in quotes."""
    values: dict[str, Value] = {}
    for key, value in properties.items():
        values[key] = value.strip("'") if isinstance(value, str) and value.startswith("'") else Decimal(value)
    return Departure("selector", "ActiveMQ", section, name, f"home {condition}", theirs, ours, "home", values)


DEPARTURES = (
    Departure("mqtt", "paho-mqtt", "MQTT 4.7.3", "an empty topic is no topic name", "#", MATCH, NONE, topic=""),
    Departure("mqtt", "paho-mqtt", "MQTT 4.7.1", "a topic name has no wildcard in it", "a/+", MATCH, NONE, topic="a/+"),
    Departure("mqtt", "libmosquitto", "MQTT 4.7.3", "an empty filter is no filter", "", NONE, REFUSED, topic="a"),
    _selector("JMS 3.8.1.1", "NOT goes round a comparison; ActiveMQ applies it to the first operand", "NOT a = 1", NONE, MATCH, a=2),
    _selector("JMS 3.8.1.1", "values of unlike types compare as false, by <> too", "a <> 'x'", MATCH, NONE, a=1),
    _selector("JMS 3.8.1.1", "a comparison with a missing property is unknown, also behind a constant", "NOT (1 = a)", MATCH, NONE),
    _selector("JMS 3.8.1.1", "NOT IN is NOT round equalities, which are false for a number", "a NOT IN ('x')", NONE, MATCH, a=1),
    _selector("JMS 3.8.1.1", "identifiers are Java's, letters beyond ASCII included", "é = 1", REFUSED, MATCH, é=1),
    _selector("JMS 3.8.1.1", "exact numbers are spelled as Java's integers, suffix included", "a = 0L", REFUSED, MATCH, a=0),
    _selector("JMS 3.8.1.1", "-0.0 is 0", "a = -0.0", NONE, MATCH, a=0),
    _selector("JMS 3.8.1.1", "constants are exact here; JMS has Java's doubles", "a = 0.1 + 0.2", NONE, MATCH, a="0.3"),
    _selector("JMS 3.8.1.1", "integers are exact here; JMS has Java's, which run over", "a = 2147483647 + 1", NONE, MATCH, a=2147483648),
    _selector("JMS 3.8.1.1", "arithmetic is +, -, * and /", "a = 7 % 4", MATCH, REFUSED, a=3),
    _selector("JMS 3.8.1.1", "a comparison is no operand", "a = 1 = TRUE", MATCH, REFUSED, a=1),
    _selector("JMS 3.8.1.1", "NULL is asked for by IS NULL", "a = 1 OR NULL", MATCH, REFUSED, a=1),
    _selector("JMS 3.8.1.1", "integers divide to integers, as Java's do", "a = 7 / 2", NONE, MATCH, a=3),
    _selector("SQL-92 8.5", "an escape character stands before '%', '_' or itself", "a LIKE 'x!y' ESCAPE '!'", MATCH, REFUSED, a="'x!y'"),
    Departure("selector", "SQLite", "JMS 3.8.1.1", "017 is octal", "home a = 017", NONE, MATCH, "home", {"a": Decimal(15)}),
)


def cells(departure: Departure) -> list[str]:
    """The row of the documentation's table."""
    given = [f"topic `{departure.topic}`" if departure.topic else "the empty topic"] if departure.language != "selector" else []
    given += [f"{name} = {_shown(value)}" for name, value in departure.properties.items()]
    text = f"`{departure.text}`" if departure.text else "the empty text"
    witness = f"{text} on {', '.join(given) or 'no properties'}"
    return [f"`{departure.language}`", departure.judge, departure.section, departure.name, witness, departure.theirs, departure.ours]


def _shown(value: Value) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


def of(judge: str) -> list[Departure]:
    found = [one for one in DEPARTURES if one.judge == judge]
    assert found, judge
    return found
