"""Networks and what is done on them: topologies and scenarios as ``x2cbbr network run`` reads them, each a pure function of (seed, row).

A scenario is cut into rounds by settles. It subscribes, cancels and publishes anywhere, cuts and mends links, and stops and starts
brokers; with ``failures`` false the network stays whole. At its end everything is up again, and every broker publishes once more. Under
the cyclic policy it also writes VRTs, and sometimes a crowd subscribes to the same thing.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sim.vectors.seeds import Draw

__all__ = ["NetworkScenario", "network_scenario"]

_NAMES = ("a", "b", "c", "d")
_COUNTED, _SPELLED = ("p", "q"), ("s",)
_WORDS = ("x", "y", "zz", "")
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_REFUSED = ("//a[2]", "//a[", "count(//a)", "")
_SIDS = 255
_UNITS = ("east", "west")
_BROKEN = ("<a><b></a>", "<a", "<a p='1' p='2'/>")


@dataclass(frozen=True)
class NetworkScenario:
    """The content of a topology file, and the events of a scenario."""

    topology: dict[str, Any]
    events: tuple[dict[str, Any], ...]


def _topology(draw: Draw, policy: str, brokers: int, settings: dict[str, Any]) -> dict[str, Any]:
    names = [f"B{number}" for number in range(1, brokers + 1)]
    bids = list(range(1, brokers + 1))
    draw.shuffle(bids)
    links = [[names[draw.below(place)], names[place]] for place in range(1, brokers)]
    spare = [[one, other] for at, one in enumerate(names) for other in names[at + 1 :] if [one, other] not in links]
    more = draw.weighted(((0.0, 2), (0.2, 3), (0.6, 1)))
    links += [pair for pair in spare if draw.chance(more)]
    draw.shuffle(links)
    found: dict[str, dict[str, Any]] = {name: {"bid": bid} for name, bid in zip(names, bids, strict=True)}
    if draw.chance(0.3):
        for broker in found.values():
            broker["unit"] = draw.choice(_UNITS)
    return {
        "brokers": found,
        "links": [[*link, draw.between(1, 3)] for link in links],
        "policy": policy,
        "preset": "small",
        policy: settings,
    }


def _expression(draw: Draw) -> str:
    steps = []
    for place in range(draw.weighted(((1, 7), (2, 3), (3, 1)))):
        axis = draw.weighted((("//", 5), ("/", 1))) if not place else draw.weighted((("/", 3), ("//", 1)))
        tests = "".join(f"[{_test(draw)}]" for _ in range(draw.weighted(((0, 4), (1, 3), (2, 1)))))
        steps.append(axis + draw.weighted(((draw.choice(_NAMES), 6), ("*", 1))) + tests)
    return "".join(steps) + (f"/@{draw.choice(_COUNTED)}" if draw.chance(0.1) else "")


def _test(draw: Draw) -> str:
    if draw.chance(0.3):
        return f"@{draw.choice(_COUNTED + _SPELLED)}"
    if draw.chance(0.7):
        return f"@{draw.choice(_COUNTED)} {draw.choice(_OPERATORS)} {draw.below(6)}"
    return f"@{draw.choice(_SPELLED)}{draw.choice(_OPERATORS[:2])}'{draw.choice(_WORDS)}'"


def _element(draw: Draw, depth: int) -> str:
    attributes = [f' {name}="{draw.below(6)}"' for name in _COUNTED if draw.chance(0.5)]
    attributes += [f' {name}="{draw.choice(_WORDS)}"' for name in _SPELLED if draw.chance(0.5)]
    name, children = draw.choice(_NAMES), draw.between(1, 3) if depth else 0
    inside = "".join(_element(draw, depth - 1) for _ in range(children))
    return f"<{name}{''.join(attributes)}>{inside}</{name}>" if inside else f"<{name}{''.join(attributes)}/>"


class _Story:
    """What is the case while events are drawn."""

    def __init__(self, draw: Draw, topology: dict[str, Any]) -> None:
        self.draw = draw
        self.events: list[dict[str, Any]] = []
        self.brokers = list(topology["brokers"])
        self.links = [link[:2] for link in topology["links"]]
        self._bids = {name: broker["bid"] for name, broker in topology["brokers"].items()}
        self._pool = [_expression(draw) for _ in range(draw.between(3, 12))]
        self._live: dict[str, list[int]] = {name: [] for name in self.brokers}
        self._down: list[dict[str, Any]] = []
        self._sids = 0

    def subscribe(self, at: str = "", text: str = "") -> None:
        if self._sids == _SIDS:
            return
        at = at or self.draw.choice(self.brokers)
        self._sids += 1
        self._live[at].append(self._sids)
        text = text or (self.draw.choice(_REFUSED) if self.draw.chance(0.02) else self.draw.choice(self._pool))
        self.events.append({"at": at, "subscribe": text, "sid": self._sids})

    def crowd(self) -> None:
        at, text = self.draw.choice(self.brokers), self.draw.choice(self._pool)
        for _ in range(self.draw.between(30, 40)):
            self.subscribe(at, text)

    def topology(self) -> None:
        """top(X, BID) at one end of a link."""
        if not self.links:
            return
        link = self.draw.choice(self.links)
        at, to = link if self.draw.chance(0.5) else link[::-1]
        x = self.draw.weighted(((self.draw.choice(_NAMES), 3), ("*", 2), (f"@{self.draw.choice(_SPELLED)}={self.draw.choice(_WORDS)}", 1)))
        entry = {"at": at, "x": x, "bid": self._bids[to]}
        flag = self.draw.weighted((("", 6), ("solicit", 2), ("remove", 1)))
        self.events.append({"topology": entry | ({flag: True} if flag else {})})

    def unsubscribe(self) -> None:
        at = self.draw.choice(self.brokers)
        if self._live[at]:
            sid = self.draw.choice(self._live[at])
            self._live[at].remove(sid)
            self.events.append({"at": at, "unsubscribe": sid})

    def publish(self, at: str = "") -> None:
        broken = self.draw.chance(0.03)
        text = self.draw.choice(_BROKEN) if broken else _element(self.draw, 2)
        self.events.append({"at": at or self.draw.choice(self.brokers), "xml": text})

    def settle(self) -> None:
        self.events.append({"settle": True})

    def fail(self) -> None:
        """Something breaks, or comes back."""
        if self._down and self.draw.chance(0.5):
            self._mend(self._down.pop(self.draw.below(len(self._down))))
            return
        if self.draw.chance(0.3):
            what: dict[str, Any] = {"broker": self.draw.choice(self.brokers)}
        elif self.links:
            what = {"link": self.draw.choice(self.links)}
        else:
            return
        if what not in self._down:
            self._down.append(what)
            self.events.append({**what, "state": "down"})
            if "broker" in what:
                self._live[what["broker"]].clear()

    def _mend(self, what: dict[str, Any]) -> None:
        self.events.append({**what, "state": "up"})

    def finish(self) -> None:
        self.settle()
        for what in self._down:
            self._mend(what)
        self.settle()
        for at in self.brokers:
            self.publish(at)


def _settings(draw: Draw, policy: str) -> dict[str, Any]:
    if policy == "steady":
        return {"covering": draw.chance(0.5)}
    return {
        "gather": draw.choice((0, 4, 16)),
        "timeout": draw.choice((0, 0, 12)),
        "retained": draw.choice((0, 2, 16)),
        "sampling": draw.choice(("sound", "literal")),
        "threshold": draw.choice((2, 31)),
        "lifetime": draw.choice((0, 40)),
    }


def network_scenario(
    *,
    seed: int,
    row: int,
    policy: str = "steady",
    rounds: int = 8,
    brokers: int = 0,
    failures: bool = True,
    settings: dict[str, Any] | None = None,
) -> NetworkScenario:
    """Scenario ``row`` of a policy; the number of brokers, 2 to 8, and the settings of the policy are drawn unless they are given."""
    if policy not in ("steady", "cyclic"):
        raise ValueError(f"policy must be steady or cyclic, not {policy!r}")
    if rounds < 1:
        raise ValueError(f"rounds must be at least 1, not {rounds!r}")
    if brokers and not 2 <= brokers <= 255:
        raise ValueError(f"brokers must be 2 to 255, not {brokers!r}")
    draw = Draw(seed, "network", policy, row)
    chosen = _settings(draw.child("settings"), policy) if settings is None else settings
    topology = _topology(draw.child("topology"), policy, brokers or draw.between(2, 8), chosen)
    story = _Story(draw.child("events"), topology)
    for _ in range(rounds):
        story.settle()
        quiet = draw.chance(0.5)
        for _ in range(draw.between(1, 4 if quiet else 10)):
            actions: list[tuple[Callable[[], None], int]] = [(story.publish, 5)]
            if not quiet:
                actions += [(story.subscribe, 5), (story.unsubscribe, 2), (story.fail, 3 * failures)]
            if policy == "cyclic":
                actions += [(story.topology, 4), (story.crowd, 1)]
            draw.weighted(actions)()
    story.finish()
    return NetworkScenario(topology, tuple(story.events))
