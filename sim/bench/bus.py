"""The rows of what stands before the broker: T-Tab 7.2 through XAVI, and T-Tab 7.5 to 7.7 through the host driver.

A row through XAVI counts clocks from the first write to the moment at which the broker has done it, as the bus sees it; clocks a word
are those of the writes alone, when nothing holds them.
"""

from collections.abc import Sequence
from itertools import pairwise

from fpga.host.broker import Broker
from hdl.config import BrokerConfig
from hdl.contract import Header, Semantics
from sim.bench.rows import Group, Row
from sim.bench.samples import names_of
from sim.engines.simulated_filter import subscribe
from sim.interface import Subscription
from sim.vectors.documents import thesis_document
from sim.vectors.queries import thesis_set
from sim.verilated.avalon import Done, Transfer, mark, packet, poll, read, run
from sim.verilated.board import SimulationTransport

__all__ = ["groups"]

_SERIES = 6
_CLOCKS_A_WORD = 27.44
"""41490 clocks for the 1512 words of 252 subscriptions [T-Tab 7.2]."""

_XAVI = {"configuration": 2817, "loading": 2816, "parsing": 527, "buffering": 41490, "registering": 4815, "matching": 4270}
"""Clocks of T-Tab 7.2 at its own frequencies."""

_RESULT_BEGINS = 0b100_0_1
"""``result_state`` with four bytes of a frame that has more."""

_CASE_II_MS = {"worst": 10.50, "regular": 1.90, "best": 1.20}
_NIOS_MHZ = 100
"""Milliseconds of T-Tab 7.5 to 7.7, and the clock that the software interface ran at [T 7.6.3]."""


def _subscriptions() -> list[Subscription]:
    return [Subscription(one.sid, one.text, one.semantics) for one in thesis_set(2, series=_SERIES)]


def _frames() -> list[bytes]:
    return [subscribe(one, link=place % 4).data for place, one in enumerate(_subscriptions())]


def _spans(transfers: Sequence[Transfer], config: BrokerConfig) -> list[int]:
    """Clocks between marks."""
    found: list[Done] = run(transfers, config)
    marks = [one.clock for one, transfer in zip(found, [t for t in transfers if t.kind != "W"], strict=True) if transfer.kind == "M"]
    return [later - earlier for earlier, later in pairwise(marks)]


def _xavi(seed: int) -> tuple[Row, ...]:
    config = BrokerConfig()
    document, frames = thesis_document(seed=seed, size=1008), _frames()
    names = list(dict.fromkeys(names_of(document)))
    skeleton = [one for name in names for one in packet("skeleton", name)]
    loading, buffering = packet("publication", document), [packet("subscription", frame) for frame in frames]
    # A result that nobody reads holds up the next: the master reads each one when the frame after it has been written.
    answer = [poll("result_state", _RESULT_BEGINS), *[read("result_data")] * (Header.BYTES // 4)]
    transfers = [mark(), *skeleton, mark(), poll("pinned", len(names)), mark()]
    for place, frame in enumerate(buffering):
        transfers += [*frame, mark(), *(answer if place else []), mark()]
    transfers += [*answer, mark(), *loading, mark(), poll("verdicts", 1), mark()]
    spans = _spans(transfers, config)
    sent_skeleton, pinned, loaded, judged = *spans[:2], *spans[-2:]
    buffered, registered = sum(spans[2:-3:2]), sum(spans[2:-2])
    words = sum(len(frame) for frame in buffering)
    return (
        Row("load a publication of 1008 B", float(loaded), float(_XAVI["loading"]), {"clocks a word": loaded / len(loading)}),
        Row(
            "load it and see its verdict",
            float(loaded + judged),
            float(_XAVI["loading"] + _XAVI["parsing"]),
            {"clocks a word": (loaded + judged) / len(loading)},
        ),
        Row(
            "configure the skeleton of it",
            float(sent_skeleton + pinned),
            float(_XAVI["configuration"]),
            {"clocks a word": (sent_skeleton + pinned) / len(skeleton), "names": float(len(names))},
        ),
        Row("buffer 252 subscriptions", float(buffered), float(_XAVI["buffering"]), {"clocks a word": buffered / words}),
        Row(
            "buffer and register 252 subscriptions and read their results",
            float(registered),
            float(_XAVI["buffering"] + _XAVI["registering"]),
            {"clocks a word": registered / words},
        ),
        Row("a word of a publication", loaded / len(loading), _CLOCKS_A_WORD),
    )


def _driver(seed: int) -> tuple[Row, ...]:
    """The worst, the regular and the best case of T 7.9: everything; a publication with its skeleton; a publication."""
    line = SimulationTransport(BrokerConfig())
    document = thesis_document(seed=seed, size=1008)
    names = [name.decode() for name in dict.fromkeys(names_of(document))]
    texts = _subscriptions()
    clocks = {}
    with Broker(line) as broker:
        start = line.clock
        broker.configure_skeleton(names)
        found = broker.subscribe_all([one.text for one in texts], references=[one.sid for one in texts], semantics=Semantics.CONTAINMENT)
        if any(isinstance(one, Exception) for one in found):
            raise ValueError("the bench's subscriptions must be accepted")
        matches = broker.publish(document).matches
        list(broker.notifications(count=matches))
        clocks["worst"] = line.clock - start
        start = line.clock
        broker.configure_skeleton(names)
        list(broker.notifications(count=broker.publish(document).matches))
        clocks["regular"] = line.clock - start
        start = line.clock
        list(broker.notifications(count=broker.publish(document).matches))
        clocks["best"] = line.clock - start
    return tuple(
        Row(f"{name} case", float(clocks[name]), _CASE_II_MS[name] * 1000 * _NIOS_MHZ, {"matches": float(matches)}) for name in clocks
    )


def groups(seed: int) -> Sequence[Group]:
    """All groups of the bus."""
    return [
        Group(
            "bus-xavi",
            "T-Tab 7.2 through XAVI",
            "clocks",
            "the thesis's tasks at 50 MHz and 150 MHz in clocks; ours by an Avalon master that never pauses",
            _xavi(seed),
        ),
        Group(
            "bus-driver",
            "Case II of T 7.9 through the host driver, in simulation",
            "clocks",
            "252 subscriptions of Set 2 and 1008 B, all notified; the thesis's milliseconds at its 100 MHz; ours with the host link "
            "at a byte a clock and no time for the host",
            _driver(seed),
        ),
    ]
