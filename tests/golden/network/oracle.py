"""What a network under the steady policy owes its users, said by a graph, the live subscriptions and libxml2 alone.

It reads the same files as ``x2cbbr network run`` and judges what came out, without a broker in it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import networkx as nx
from lxml import etree

__all__ = ["Outcome", "Oracle", "Subscriber", "selects"]

Subscriber = tuple[str, int]
"""A broker and a SID."""


@lru_cache(maxsize=4096)
def _compiled(text: str) -> Callable[[Any], Any] | None:
    try:
        path: Callable[[Any], Any] = etree.XPath(text if text.startswith("/") else "/" + text)
    except etree.XPathSyntaxError:
        return None
    return None if "[2]" in text or "count" in text or not text else path


@lru_cache(maxsize=4096)
def _tree(document: str) -> Any:
    try:
        return etree.fromstring(document).getroottree()
    except etree.XMLSyntaxError:
        return None


@lru_cache(maxsize=1 << 16)
def selects(text: str, document: str) -> bool:
    """Whether libxml2 selects a node; False for a document or an expression that it does not take."""
    path, tree = _compiled(text), _tree(document)
    return path is not None and tree is not None and bool(path(tree))


@dataclass
class Outcome:
    """What came out of a network: in order who was notified of which publication, and the publications of counted losses."""

    notified: list[tuple[Subscriber, int]]
    lost: set[int]


@dataclass
class _Publication:
    at: str
    text: str
    up: bool
    """Whether its broker was up."""
    reach: frozenset[str]
    """Where it could get over links that were up."""


@dataclass
class _Round:
    """What happens between two settles."""

    before: dict[Subscriber, str]
    """Subscriptions that were there when it began."""
    reach: dict[str, frozenset[str]]
    """From where to where there was a way from its beginning on, without a break."""
    ever: dict[Subscriber, str] = field(default_factory=dict)
    gone: set[Subscriber] = field(default_factory=set)
    publications: dict[int, _Publication] = field(default_factory=dict)
    changed: bool = False
    broke: bool = False
    """A link or a broker changed."""


class Oracle:
    """Follows the events of a scenario; :meth:`judge` says what is wrong with an outcome."""

    def __init__(self, topology: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> None:
        self._graph = nx.Graph()
        self._graph.add_nodes_from(topology["brokers"])
        self._graph.add_edges_from(link[:2] for link in topology["links"])
        self._cut: set[frozenset[str]] = set()
        self._dead: set[str] = set()
        self.live: dict[Subscriber, str] = {}
        self._number = 0
        self.rounds: list[_Round] = []
        self._begin()
        for event in events:
            self._follow(event)

    def _reach(self) -> dict[str, frozenset[str]]:
        up = nx.Graph()
        up.add_nodes_from(set(self._graph) - self._dead)
        up.add_edges_from(pair for pair in self._graph.edges if frozenset(pair) not in self._cut and not self._dead & set(pair))
        return {broker: frozenset(part) for part in nx.connected_components(up) for broker in part}

    def _begin(self) -> None:
        self.rounds.append(_Round(dict(self.live), self._reach(), dict(self.live)))

    def _follow(self, event: Mapping[str, Any]) -> None:
        now = self.rounds[-1]
        if "settle" in event:
            self._begin()
        elif "xml" in event:
            at = event["at"]
            now.publications[self._number] = _Publication(at, event["xml"], at not in self._dead, self._reach().get(at, frozenset()))
            self._number += 1
        elif "subscribe" in event:
            now.changed = True
            if event["at"] not in self._dead and _compiled(event["subscribe"]) is not None:
                self.live[event["at"], event["sid"]] = now.ever[event["at"], event["sid"]] = event["subscribe"]
        elif "unsubscribe" in event:
            now.changed = True
            self._forget([(event["at"], event["unsubscribe"])])
        else:
            now.changed = now.broke = True
            self._break(event)

    def _break(self, event: Mapping[str, Any]) -> None:
        up = event["state"] == "up"
        if "link" in event:
            (self._cut.discard if up else self._cut.add)(frozenset(event["link"]))
        else:
            (self._dead.discard if up else self._dead.add)(event["broker"])
            self._forget([subscriber for subscriber in self.live if subscriber[0] == event["broker"]])
        now, reach = self.rounds[-1], self._reach()
        now.reach = {at: there & reach.get(at, frozenset()) for at, there in now.reach.items()}

    def _forget(self, subscribers: Iterable[Subscriber]) -> None:
        for subscriber in list(subscribers):
            if self.live.pop(subscriber, None) is not None:
                self.rounds[-1].gone.add(subscriber)

    def judge(self, outcome: Outcome) -> list[str]:
        """Everything that is wrong, in sentences."""
        times: dict[tuple[Subscriber, int], int] = defaultdict(int)
        for pair in outcome.notified:
            times[pair] += 1
        wrong = [f"{subscriber} got publication {number} {count} times" for (subscriber, number), count in times.items() if count > 1]
        for now in self.rounds:
            for number, publication in now.publications.items():
                got = {subscriber for subscriber, other in times if other == number}
                wrong += self._judge(now, number, publication, got, number in outcome.lost)
        return [*wrong, *self._order(outcome)]

    def _judge(self, now: _Round, number: int, publication: _Publication, got: set[Subscriber], lost: bool) -> Iterable[str]:
        asked = {subscriber for subscriber, text in now.ever.items() if selects(text, publication.text)}
        yield from (f"{subscriber} got publication {number} and did not ask for it" for subscriber in got - asked)
        due = {one for one in asked & now.before.keys() - now.gone if one[0] in publication.reach}
        if not now.broke:
            yield from (f"{subscriber} did not get publication {number}" for subscriber in due - got)
            beyond = {one for one in got if one[0] not in publication.reach}
            yield from (f"{subscriber} got publication {number} from beyond a gap" for subscriber in beyond)
            if lost and publication.up:
                yield f"publication {number} was counted as lost and nothing broke"
        elif not lost:
            before = now.reach.get(publication.at, frozenset())
            missing = {one for one in due - got if one[0] in before}
            yield from (f"{subscriber} missed publication {number} and no loss was counted" for subscriber in missing)
        if not publication.up and not lost:
            yield f"publication {number} found its broker down and was not counted as lost"

    def _order(self, outcome: Outcome) -> Iterable[str]:
        """Those of one publisher's broker come in their order, but for those of a round in which something broke."""
        latest: dict[tuple[Subscriber, str], int] = defaultdict(lambda: -1)
        where = {number: (publication.at, now.broke) for now in self.rounds for number, publication in now.publications.items()}
        for subscriber, number in outcome.notified:
            at, broke = where[number]
            if not broke and number < latest[subscriber, at]:
                yield f"{subscriber} got publication {number} after {latest[subscriber, at]} of the same broker"
            latest[subscriber, at] = max(number, latest[subscriber, at])
