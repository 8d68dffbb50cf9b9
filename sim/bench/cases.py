"""The broker's cases of T-Tab 7.2 to 7.4 as the thesis adds them up, its extrapolations to a million, and software on the same work.

Clocks come from the RTL; seconds from the clock that nextpnr gave the broker. The thesis's figures are its own microseconds, with its bus
in front of parser and broker; ours are those of the broker's streams, fed without a pause.
"""

from collections.abc import Sequence

from hdl.config import BrokerConfig
from hdl.contract import Semantics
from sim.bench.broker import measure, thesis_subscriptions
from sim.bench.clock import clock
from sim.bench.peers import PEERS
from sim.bench.rows import Group, Row
from sim.bench.samples import renamed
from sim.engines.simulated_filter import items_of
from sim.interface import EngineError, Subscription
from sim.vectors.documents import thesis_document
from sim.verilated.broker import Matched, run

__all__ = ["groups"]

_BATCH = 252
_MILLION = 1_000_000
_WORST, _REGULAR, _BEST = 460.37, 151.67, 95.35
"""Microseconds of everything, one after the other [T-Tab 7.2, 7.3, 7.4]."""

_MILLION_SUBSCRIPTIONS = (1.12, 1.34)
_MILLION_PUBLICATIONS = (39.01, 151.67)
"""Seconds at best and at worst [T 7.8.1]."""

_COPIES, _WARM = 24, 6
_DOCUMENTS = 50


def _exact(count: int) -> list[Subscription]:
    """Exact subscriptions for the thesis's stock document, each on its own; some match and some do not."""
    forms = (
        "/stock/stockitem[@stockid='{n}']/price",
        "//share[@val='{n}']",
        "//stockitem[@stockid='{n}']//name",
        "//price[. > {n}]",
        "//qty[text() < {n}]",
        "/stock/*/price[@type != 'C{n}']",
    )
    return [Subscription(number, forms[number % len(forms)].format(n=number), Semantics.EXACT) for number in range(1, count + 1)]


def _learning(document: bytes, subscriptions: Sequence[Subscription]) -> float:
    """Clocks between publications that each bring names never seen before."""
    copies = [renamed(document, copy) for copy in range(_WARM + _COPIES)]
    found = _published(subscriptions, copies)
    return (found[-1].clock - found[_WARM - 1].clock) / _COPIES


def _published(subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> list[Matched]:
    """The outcomes of documents that come back to back once everything is registered."""
    config = BrokerConfig()
    return [one for one in run(items_of(subscriptions, documents, config), config) if isinstance(one, Matched)]


def groups(seed: int) -> Sequence[Group]:
    """All groups of the cases."""
    rate = clock("Broker", device="LFE5U-25F-6", assumed=100.0)
    document = thesis_document(seed=seed, size=1008)
    subscriptions = thesis_subscriptions(2, 6)
    found = measure(subscriptions, document)
    learning = _learning(document, subscriptions)

    def row(name: str, clocks: float, thesis: float, scale: float = 1.0) -> Row:
        return Row(name, clocks / rate.mhz * scale, thesis, {"clocks": clocks})

    cases = (
        row("worst: register 252, then a publication with names to learn", found.registration + found.latency, _WORST),
        row("regular: a publication with names to learn", found.latency, _REGULAR),
        row("best: a publication whose names are known", found.again, _BEST),
        row("back to back, names known", found.apart, _BEST),
    )
    batches = _MILLION / _BATCH
    batch = found.registration + found.latency + found.clearing
    millions = (
        row(
            "a publication, 10^6 subscriptions: 252 at a time, registered, matched, cleared",
            batches * batch,
            _MILLION_SUBSCRIPTIONS[0],
            1e-6,
        ),
        row("10^6 publications that match all of 252", found.registration + _MILLION * found.apart, _MILLION_PUBLICATIONS[0], 1e-6),
        row(
            "10^6 publications with names of their own, 252 registered",
            found.registration + _MILLION * learning,
            _MILLION_PUBLICATIONS[1],
            1e-6,
        ),
    )
    return [
        Group(
            "broker-cases",
            f"T-Tab 7.2 to 7.4 at {rate.mhz:g} MHz ({rate.origin})",
            "us",
            "1008 bytes, 252 subscriptions of Set 2 that all match",
            cases,
        ),
        Group(
            "broker-millions",
            f"a million, extrapolated as in T 7.8.1, at {rate.mhz:g} MHz ({rate.origin})",
            "s",
            "the thesis's fastest figure for each",
            millions,
        ),
        _peers(seed, rate.mhz, rate.origin),
    ]


def _peers(seed: int, mhz: float, origin: str) -> Group:
    documents = [thesis_document(seed=seed + number, size=1008) for number in range(_DOCUMENTS)]
    subscriptions = _exact(_BATCH)
    found = _published(subscriptions, documents)
    matches = sum(len(one.references) for one in found)
    apart = (found[-1].clock - found[0].clock) / (len(found) - 1)
    ours = mhz * 1e6 / apart
    rows = [Row(f"broker at {mhz:g} MHz ({origin})", ours, None, {"matches": float(matches), "clocks": apart})]
    left_out = {}
    for name, peer in PEERS.items():
        try:
            theirs, seconds = peer(documents, [one.text for one in subscriptions])
        except EngineError as error:
            left_out[f"{name}, one core"] = f"{error} ({error.hint})"
            continue
        if theirs != matches:
            raise ValueError(f"{name} must find the broker's {matches} matches, not {theirs}")
        speed = len(documents) / seconds
        rows.append(Row(f"{name}, one core", speed, None, {"matches": float(theirs), "broker is faster by": ours / speed}))
    return Group(
        "broker-peers",
        "parse and match 1008 bytes against 252 exact subscriptions",
        "publications/s",
        "same documents, same run, processor time",
        tuple(rows),
        left_out,
    )
