"""The vectors that mutants meet: what goes into a bench's program in one run, in the order in which they are tried."""

import itertools
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hdl.config import BrokerConfig
from sim.cache import digest
from sim.corners.documents import documents
from sim.corners.fronts import scripts
from sim.corners.streams import streams
from sim.engines.simulated_filter import items_of
from sim.interface import Subscription
from sim.mutants.benches import BENCHES
from sim.vectors.queries import PathParameters, subscription_set
from sim.verilated.broker import Item, Publication, packed
from sim.volume_filter import publications_of

__all__ = ["Vector", "vectors"]

_BATCH = 24_000
"""Bytes of documents in a vector of the parser."""

_TIMED = ("late",)
"""Kinds of streams whose right answers depend on clocks. They are judged, but not compared byte by byte with a run that may take longer."""

_SHARE = {"faults": 12, "bytes": 4, "limits": 3, "characters": 2}
"""Of these kinds one document of so many is taken: they are the same few places with many values."""


@dataclass(frozen=True)
class Vector:
    """One run of a bench's program. ``name`` says which one it is of its kind."""

    name: str
    kind: str
    bench: str
    data: bytes
    options: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        return digest([self.bench, *self.options, self.data])


def _batches(found: Sequence[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    for data in found:
        batch.append(data)
        if sum(map(len, batch)) + 8 * len(batch) >= _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _parser(config: BrokerConfig) -> Iterator[Vector]:
    """Documents at the corners, back to back; of four batches of a kind one has stalls at random and one has them in bursts."""
    kinds = itertools.groupby(documents(config), key=lambda one: one.kind)
    counts: dict[str, int] = {}
    for kind, group in kinds:
        step = _SHARE.get(kind, 1)
        for batch in _batches([one.data for one in itertools.islice(group, 0, None, step)]):
            number = counts.get(kind, 0)
            counts[kind] = number + 1
            data = b"".join(struct.pack("<I", len(one)) + one for one in batch)
            stalls = {1: ("--stalls", str(number)), 3: ("--bursts", str(number))}.get(number % 4, ())
            yield Vector(f"{kind}-{number}", kind, "parser", data, ("--words", *stalls))


def _random(config: BrokerConfig, *, number: int, subscriptions: int, count: int, largest: int) -> list[Item]:
    """Subscriptions and documents as volume runs have them, a fifth of the subscriptions wanting the nodes that they select."""
    wanted = subscription_set(seed=18, number=number, count=subscriptions, parameters=PathParameters(containment=0.1), config=config)
    found = [Subscription(one.sid, one.text, one.semantics) for one in wanted]
    selecting = {one.sid for one in found if one.sid % 5 == 0}
    return items_of(found, publications_of(18, number, count, largest, config), config, selecting=selecting)


def _broker(config: BrokerConfig) -> Iterator[Vector]:
    yield Vector("first-0", "first", "broker", packed(_random(config, number=0, subscriptions=40, count=12, largest=600)))
    for number in range(1, 4):
        items = _random(config, number=number, subscriptions=200, count=40, largest=1024)
        stalls = ("--stalls", str(number)) if number % 2 else ()
        yield Vector(f"random-{number}", "random", "broker", packed(items), stalls)
    wanted = _random(config, number=7, subscriptions=80, count=0, largest=100)
    share = [one.data for one in itertools.islice(documents(config), 0, None, 29)]
    for number, batch in enumerate(_batches(share)):
        yield Vector(f"published-{number}", "published", "broker", packed([*wanted, *map(Publication, batch)]))
    yield from _streams(config)


def _streams(config: BrokerConfig) -> Iterator[Vector]:
    """The broker's corner streams: of four of a kind two run freely, one has stalls at random and one has them in bursts."""
    counts: dict[str, int] = {}
    for stream in streams(config):
        if stream.kind in _TIMED:
            continue
        number = counts.get(stream.kind, 0)
        counts[stream.kind] = number + 1
        stalls = {1: ("--stalls", str(number)), 3: ("--bursts", str(number))}.get(number % 4, ())
        options = ("--beside",) * stream.beside + stalls
        yield Vector(f"{stream.kind}-{number}", stream.kind, "broker", packed(stream.items), options)


def vectors() -> Iterator[Vector]:
    """All of them."""
    yield from _parser(BENCHES["parser"].config)
    yield from _broker(BENCHES["broker"].config)
    yield from (Vector(name, name.partition("-")[0], "fronts", data) for name, data in scripts())
