"""The one table of where an outside judge departs from the language that it judges; each with a witness that shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sim.golden.languages import Value

__all__ = ["DEPARTURES", "Departure", "of"]


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

DEPARTURES = (
    Departure("mqtt", "paho-mqtt", "MQTT 4.7.3", "an empty topic is no topic name", "#", MATCH, NONE, topic=""),
    Departure("mqtt", "paho-mqtt", "MQTT 4.7.1", "a topic name has no wildcard in it", "a/+", MATCH, NONE, topic="a/+"),
    Departure("mqtt", "libmosquitto", "MQTT 4.7.3", "an empty filter is no filter", "", NONE, REFUSED, topic="a"),
)


def of(judge: str) -> list[Departure]:
    found = [one for one in DEPARTURES if one.judge == judge]
    assert found, judge
    return found
