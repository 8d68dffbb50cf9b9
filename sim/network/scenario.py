"""Scenario files: one event a line, as JSON."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hdl.contract import Semantics
from sim.golden.network.settings import Steady
from sim.golden.network.vrt import ALL, is_criterion
from sim.topology.description import NetworkDescription

__all__ = [
    "BrokerState",
    "Event",
    "LinkState",
    "Publish",
    "ScenarioError",
    "Settle",
    "Subscribe",
    "Topology",
    "Unsubscribe",
    "read_scenario",
]


class ScenarioError(Exception):
    """A scenario that cannot be played; ``hint`` says how to mend it."""

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Subscribe:
    at: str
    sid: int
    text: str
    semantics: Semantics = Semantics.EXACT


@dataclass(frozen=True)
class Unsubscribe:
    at: str
    sid: int


@dataclass(frozen=True)
class Publish:
    at: str
    document: bytes


@dataclass(frozen=True)
class LinkState:
    one: str
    other: str
    up: bool


@dataclass(frozen=True)
class BrokerState:
    name: str
    up: bool


@dataclass(frozen=True)
class Topology:
    """top(X, BID) to a broker; with ``solicit`` what matches is asked for there too, with ``remove`` the entry is taken out."""

    at: str
    x: str
    bid: int
    solicit: bool = False
    remove: bool = False


@dataclass(frozen=True)
class Settle:
    """Go on when nothing is under way."""


Event: TypeAlias = Subscribe | Unsubscribe | Publish | LinkState | BrokerState | Topology | Settle

_EVENTS = "subscribe, unsubscribe, publish, xml, link, broker, topology, settle"


def read_scenario(text: str, *, name: str, network: NetworkDescription, load: Callable[[str], bytes]) -> list[Event]:
    """The events of a file's text, checked against the network; raises :class:`ScenarioError`.

    ``load`` reads the document that a ``publish`` names. Blank lines are passed over.
    """
    reader = _Reader(network, load)
    events = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            events.append(reader.event(_object(line)))
        except ScenarioError as error:
            raise ScenarioError(f"{name} line {number}: {error}", hint=error.hint) from None
    return events


def _object(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise ScenarioError(f"this is not JSON (column {error.colno}: {error.msg})", hint="write one JSON object a line") from None
    if not isinstance(found, dict):
        raise ScenarioError(f"an event must be a JSON object, not {line.strip()[:40]}", hint='for example {"at": "A", "xml": "<x/>"}')
    return found


def _keys(event: Mapping[str, Any], what: str, needed: Sequence[str], optional: Sequence[str] = ()) -> None:
    for key in needed:
        if key not in event:
            raise ScenarioError(f"{what} has no {key!r}", hint=f"it needs {', '.join(needed)}")
    for key in event:
        if key not in (*needed, *optional):
            raise ScenarioError(f"{what} has the unknown key {key!r}", hint=f"its keys are {', '.join((*needed, *optional))}")


class _Reader:
    def __init__(self, network: NetworkDescription, load: Callable[[str], bytes]) -> None:
        self._network = network
        self._load = load
        self._brokers = {broker.name for broker in network.brokers}
        self._links = {link.ends for link in network.links}

    def event(self, event: dict[str, Any]) -> Event:
        readers: dict[str, Callable[[dict[str, Any]], Event]] = {
            "subscribe": self._subscribe,
            "unsubscribe": self._unsubscribe,
            "publish": self._publish,
            "xml": self._xml,
            "message": self._message,
            "link": self._link,
            "broker": self._broker,
            "topology": self._topology,
            "settle": self._settle,
        }
        kinds = [kind for kind in readers if kind in event]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none"
            raise ScenarioError(f"an event must do exactly one thing, and this does {found}", hint=f"the things are {_EVENTS}")
        return readers[kinds[0]](event)

    def _at(self, name: object) -> str:
        if not isinstance(name, str) or name not in self._brokers:
            raise ScenarioError(f"there is no broker {name!r}", hint=f"the brokers are {', '.join(sorted(self._brokers))}")
        return name

    def _sid(self, value: object) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 255:
            raise ScenarioError(f"a SID must be a number from 1 to 255, not {value!r}", hint="an o-SID has 8 bits for it")
        return value

    def _text(self, value: object, what: str) -> str:
        if not isinstance(value, str):
            raise ScenarioError(f"{what} must be text, not {value!r}", hint="put it into quotes")
        return value

    def _subscribe(self, event: dict[str, Any]) -> Event:
        _keys(event, "a subscription", ("at", "subscribe", "sid"), ("language", "semantics"))
        if event.get("language", "xpath") != "xpath":
            raise ScenarioError(f"the language {event['language']!r} cannot be played in a network yet", hint="the one that can is xpath")
        names = {semantics.name.lower(): semantics for semantics in Semantics}
        meaning = event.get("semantics", "exact")
        if meaning not in names:
            raise ScenarioError(f"the semantics must be one of {', '.join(names)}, not {meaning!r}", hint="leave it out for exact")
        return Subscribe(self._at(event["at"]), self._sid(event["sid"]), self._text(event["subscribe"], "a subscription"), names[meaning])

    def _unsubscribe(self, event: dict[str, Any]) -> Event:
        _keys(event, "a cancellation", ("at", "unsubscribe"))
        return Unsubscribe(self._at(event["at"]), self._sid(event["unsubscribe"]))

    def _publish(self, event: dict[str, Any]) -> Event:
        _keys(event, "a publication", ("at", "publish"))
        path = self._text(event["publish"], "the file to publish")
        try:
            return Publish(self._at(event["at"]), self._load(path))
        except OSError as error:
            raise ScenarioError(
                f"the file {path!r} cannot be read ({error.strerror})", hint="paths begin at the scenario's folder"
            ) from None

    def _xml(self, event: dict[str, Any]) -> Event:
        _keys(event, "a publication", ("at", "xml"))
        return Publish(self._at(event["at"]), self._text(event["xml"], "a document").encode("utf-8", "surrogatepass"))

    def _message(self, event: dict[str, Any]) -> Event:
        raise ScenarioError("messages cannot be played in a network yet", hint="publish XML with 'publish' or 'xml'")

    def _state(self, event: dict[str, Any]) -> bool:
        if event["state"] not in ("up", "down"):
            raise ScenarioError(f"the state must be up or down, not {event['state']!r}", hint='write "state": "down"')
        return bool(event["state"] == "up")

    def _link(self, event: dict[str, Any]) -> Event:
        _keys(event, "the change of a link", ("link", "state"))
        ends = event["link"]
        if not isinstance(ends, list) or len(ends) != 2:
            raise ScenarioError(f"a link must be two brokers' names, not {ends!r}", hint='for example "link": ["A", "B"]')
        one, other = self._at(ends[0]), self._at(ends[1])
        if frozenset((one, other)) not in self._links:
            raise ScenarioError(f"there is no link between {one!r} and {other!r}", hint="add it to the topology")
        return LinkState(one, other, self._state(event))

    def _broker(self, event: dict[str, Any]) -> Event:
        _keys(event, "the change of a broker", ("broker", "state"))
        return BrokerState(self._at(event["broker"]), self._state(event))

    def _topology(self, event: dict[str, Any]) -> Event:
        _keys(event, "a topology event", ("topology",))
        entry = event["topology"]
        if not isinstance(entry, dict):
            raise ScenarioError(f"topology must be an object, not {entry!r}", hint='for example {"at": "A", "x": "price", "bid": 2}')
        _keys(entry, "topology", ("at", "x", "bid"), ("solicit", "remove"))
        x = self._text(entry["x"], "x")
        if not is_criterion(x.encode("utf-8", "surrogatepass")):
            raise ScenarioError(f"x must be a name, @name=value or *, not {x!r}", hint="see docs/network.md")
        if x.encode() == ALL and isinstance(self._network.policy, Steady):
            raise ScenarioError("with the policy steady the topology entity alone writes *", hint="name what is to be had there instead")
        for key in ("solicit", "remove"):
            if not isinstance(entry.get(key, False), bool):
                raise ScenarioError(f"{key} must be true or false, not {entry[key]!r}", hint="leave it out for false")
        if not isinstance(entry["bid"], int) or isinstance(entry["bid"], bool) or not 1 <= entry["bid"] <= 255:
            raise ScenarioError(
                f"a bid must be a number from 1 to 255, not {entry['bid']!r}", hint="name a neighbour of the broker by its bid"
            )
        return Topology(self._at(entry["at"]), x, entry["bid"], entry.get("solicit", False), entry.get("remove", False))

    def _settle(self, event: dict[str, Any]) -> Event:
        _keys(event, "a settle", ("settle",))
        if event["settle"] is not True:
            raise ScenarioError(f"settle must be true, not {event['settle']!r}", hint='write {"settle": true}')
        return Settle()
