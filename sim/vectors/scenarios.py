"""Interleaved streams of subscriptions, cancellations, publications and messages between brokers."""

import enum
from dataclasses import dataclass

from hdl.config import BrokerConfig
from hdl.contract import Frame, Header, Kind, OSid, Semantics
from sim.vectors.documents import document
from sim.vectors.queries import PathParameters, subscription_set
from sim.vectors.seeds import Draw

__all__ = ["Action", "Event", "scenario"]

_WEIGHTS = ((0, 24), (1, 8), (2, 20), (3, 2), (4, 1), (5, 1), (6, 1))
_DOCUMENT_TABLE = 1 << 20


class Action(enum.IntEnum):
    """What an event does."""

    SUBSCRIBE = 0
    UNSUBSCRIBE = 1
    PUBLISH = 2
    TOPOLOGY = 3
    FORWARD = 4
    ROUTE = 5
    SOLICIT = 6


_KINDS = (Kind.SUBSCRIBE, Kind.UNSUBSCRIBE, Kind.PUBLISH, Kind.TOPOLOGY, Kind.FORWARD, Kind.ROUTE, Kind.SOLICIT)


@dataclass(frozen=True)
class Event:
    """One event of a stream.

    A subscription is known by its o-SID; ``body`` is the XPath text, the document, the selected content or the topic of a topology
    message, and ``aux`` the broker that a topology message names.
    """

    step: int
    action: Action
    osid: OSid
    body: bytes = b""
    semantics: Semantics = Semantics.EXACT
    aux: int = 0
    remove: bool = False

    def frame(self) -> bytes:
        """The event as it goes over a link."""
        header = Header(
            kind=_KINDS[self.action], osid=self.osid, reference=self.osid.sid, semantics=self.semantics, aux=self.aux, remove=self.remove
        )
        return Frame(header, self.body).pack()


def scenario(
    *,
    seed: int,
    row: int,
    events: int,
    parameters: PathParameters | None = None,
    config: BrokerConfig | None = None,
    largest: int = 8192,
) -> tuple[Event, ...]:
    """Stream ``row`` of that many events.

    Now and then a subscription is sent twice, an unknown one cancelled, or one comes with brokers on its path. About a twelfth of the
    events come from other brokers: topology, notifications on their way back, publications routed to the origin of a sample, and
    solicitations.
    """
    if events < 1:
        raise ValueError(f"events must be at least 1, not {events!r}")
    limits = config or BrokerConfig()
    draw = Draw(seed, "scenario", row)
    pool = subscription_set(seed=seed, number=row, count=min(limits.subscriptions, 64), parameters=parameters, config=limits)
    paths = {entry.sid: tuple(draw.between(1, 9) for _ in range(draw.below(4) if draw.chance(0.2) else 0)) for entry in pool}
    live: set[int] = set()
    result: list[Event] = []
    while len(result) < events:
        step = len(result)
        action = Action(draw.weighted(_WEIGHTS))
        entry = draw.choice(pool)
        osid = OSid(entry.sid, paths[entry.sid])
        if action is Action.SUBSCRIBE:
            if entry.sid in live and not draw.chance(0.1):
                continue
            live.add(entry.sid)
            result.append(Event(step, action, osid, entry.text.encode(), entry.semantics))
        elif action is Action.UNSUBSCRIBE:
            if entry.sid not in live and not draw.chance(0.1):
                continue
            live.discard(entry.sid)
            result.append(Event(step, action, osid))
        elif action is Action.PUBLISH:
            made = document(seed=seed, row=draw.below(_DOCUMENT_TABLE), config=limits, largest=largest)
            result.append(Event(step, action, OSid(0), made.data))
        elif action is Action.FORWARD:
            crossed = tuple(draw.between(1, 9) for _ in range(draw.between(1, limits.brokers)))
            result.append(Event(step, action, OSid(entry.sid, crossed), b"<price>%d</price>" % draw.below(1000)))
        elif action is Action.ROUTE:
            made = document(seed=seed, row=draw.below(_DOCUMENT_TABLE), config=limits, largest=largest)
            result.append(Event(step, action, OSid(0, (draw.between(1, 9),)), made.data))
        elif action is Action.SOLICIT:
            if entry.aim is None:
                result.append(Event(step, action, OSid(0, (draw.between(1, 9),)), entry.text.encode(), entry.semantics))
        else:
            topic = draw.choice(("stock", "presence", "nitf", "station", "TVAMain"))
            result.append(Event(step, action, OSid(0), topic.encode(), aux=draw.between(1, 9), remove=draw.chance(0.3)))
    return tuple(result)
