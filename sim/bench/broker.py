"""The broker's rows: T-Tab 7.1 to 7.4, from clocks of the RTL.

Subscriptions of the thesis's sets have containment semantics and are told apart by their references; they take turns on the four links.
Registration is from the first word of the first frame to the last result, when nothing else is under way; a publication's latency is
from its first word to the end of its matched set, for one that has the broker for itself; back to back is the distance of the
matched sets' ends.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Refusal
from sim.bench.rows import Group, Row
from sim.engines.simulated_filter import cancel, subscribe
from sim.interface import Subscription
from sim.vectors.documents import thesis_document
from sim.vectors.queries import thesis_set
from sim.verilated.broker import Answered, Clear, Item, Matched, Publication, run

__all__ = ["MATCHING", "SET_SERIES", "Measured", "back_to_back", "groups", "measure", "series_rows", "task_rows", "thesis_subscriptions"]

_SET1 = (35.94, 62.68, 91.96, 121.24, 147.92, 177.20, 206.48, 235.76, 262.44, 291.72)
_SET2 = (45.74, 63.10, 83.58, 101.04, 118.50, 138.98)
SET_SERIES = {1: _SET1, 2: _SET2}
_STRATIX_MHZ = 50
"""Microseconds for one to ten series of Set 1 and one to six of Set 2, at this clock [T-Tab 7.1]."""

_BUFFERING = (46.10, 92.20, 138.30, 184.40, 230.50, 276.60)
_MAPPING = (16.08, 19.50, 22.74, 26.16, 29.58, 32.10)
MATCHING = (20.96, 21.88, 22.79, 23.71, 25.54, 28.47)
_CYCLONE_MHZ, _PARSER_MHZ = 150, 50
_LOADING_AND_PARSING = 56.32 + 10.54
"""Microseconds for one to six series of Set 2, and for the publication at the parser's clock [T-Tab 7.2]."""

_COPIES, _WARM = 16, 4
_SIZES = (224, 1008, 2904, 15228)


@dataclass(frozen=True)
class Measured:
    """Clocks: all frames, one publication alone with names to learn and with names known, between publications that follow each other,
    all cancellations, and clearing the same subscriptions."""

    registration: int
    latency: int
    again: int
    notified: int
    apart: float
    cancellation: int
    clearing: int
    matches: int


def measure(texts: Sequence[Subscription], document: bytes, *, copies: int = _COPIES, config: BrokerConfig | None = None) -> Measured:
    """Register, then publish one document alone and some back to back, then cancel; register again and clear."""
    config = config or BrokerConfig()
    warm = Subscription(2**31, "/warm")
    frames = [subscribe(one, link=number // 2 % config.links) for number, one in enumerate(texts)]
    before: list[Item] = [subscribe(warm), Publication(b"<a/>")]
    cancels = [cancel(one) for one in texts]
    published: list[Item] = [Publication(document), subscribe(warm), *[Publication(document)] * copies]
    answers = run([*before, *frames, *published, *cancels, *frames, Clear()], config)
    *answered, cleared = [one for one in answers[2:] if isinstance(one, Answered)]
    results, cancelled = answered[: len(frames)], answered[len(frames) + 1 : 2 * len(frames) + 1]
    matched = [one for one in answers[2:] if isinstance(one, Matched)]
    if any(one.refusal is not Refusal.NONE for one in results + cancelled) or any(one.code is not Code.OK for one in matched):
        raise ValueError("the bench's subscriptions and documents must be accepted")
    alone, *others = matched
    counted = others[_WARM:]
    return Measured(
        registration=results[-1].clock - results[0].first_word if results else 0,
        latency=alone.cycles,
        again=others[0].cycles if others else 0,
        notified=alone.notified - alone.first_word,
        apart=(counted[-1].clock - others[_WARM - 1].clock) / len(counted) if counted else 0.0,
        cancellation=cancelled[-1].clock - cancelled[0].first_word if cancelled else 0,
        clearing=cleared.clock - cleared.first_word,
        matches=len(alone.references),
    )


def thesis_subscriptions(number: int, series: int) -> list[Subscription]:
    return [Subscription(one.sid, one.text, one.semantics) for one in thesis_set(number, series=series)]


def series_rows(seed: int, number: int) -> tuple[Row, ...]:
    """T-Tab 7.1 for a set, in clocks: a row for each series, the first one of a single load."""
    document = thesis_document(seed=seed, size=980)
    rows = []
    for series, figure in enumerate(SET_SERIES[number], start=1):
        subscriptions = thesis_subscriptions(number, series)
        found = measure(subscriptions, document, copies=0)
        more = {"registration": float(found.registration), "matched set": float(found.latency), "matches": float(found.matches)}
        ours = found.registration + found.latency
        rows.append(Row(f"Set {number}, {len(subscriptions)}", float(ours), figure * _STRATIX_MHZ, more))
    return tuple(rows)


def task_rows(seed: int) -> tuple[Row, ...]:
    """T-Tab 7.2 in clocks: three rows for each of six series, registration, one publication alone, and publications back to back."""
    document = thesis_document(seed=seed, size=1008)
    rows = []
    for series in range(1, 7):
        subscriptions = thesis_subscriptions(2, series)
        found = measure(subscriptions, document)
        count = f"{len(subscriptions)} subscriptions"
        taking = (_BUFFERING[series - 1] + _MAPPING[series - 1]) * _CYCLONE_MHZ
        matching = MATCHING[series - 1] * _CYCLONE_MHZ
        path = _LOADING_AND_PARSING * _PARSER_MHZ + matching
        rows += [
            Row(f"{count}: buffer, map, register", float(found.registration), taking),
            Row(f"{count}: load, parse and match", float(found.latency), path, {"last notification": float(found.notified)}),
            Row(f"{count}: back to back", found.apart, path),
        ]
    return tuple(rows)


def _strangers(count: int = 252) -> list[Subscription]:
    return [Subscription(number, f"//stranger{number}[@id='{number}']") for number in range(1, count + 1)]


def back_to_back(seed: int, size: int) -> float:
    """Bytes per clock of the thesis's documents of that size, one after the other, past 252 subscriptions of which one matches."""
    subscriptions = [*_strangers()[1:], Subscription(300, "//share")]
    return size / measure(subscriptions, thesis_document(seed=seed, size=size)).apart


def _pace(seed: int) -> tuple[Row, ...]:
    """Bytes per clock with no subscription that matches, with one that does, and with 252 that do."""
    rows = []
    strangers = _strangers()
    for size in _SIZES:
        document = thesis_document(seed=seed, size=size)
        for name, subscriptions in (
            ("none registered", []),
            ("252 registered, none matches", strangers),
            ("252 registered, one matches", [*strangers[1:], Subscription(300, "//share")]),
            ("252 registered, all match", thesis_subscriptions(2, 6)),
        ):
            found = measure(subscriptions, document)
            more = {"clocks": found.apart, "latency": float(found.latency), "matches": float(found.matches)}
            rows.append(Row(f"{size} B, {name}", size / found.apart, None, more))
    return tuple(rows)


def _presets(seed: int) -> tuple[Row, ...]:
    """Bytes per clock of each preset past so many subscriptions that none matches."""
    rows = []
    document = thesis_document(seed=seed, size=1008)
    for name, config in PRESETS.items():
        # Each stranger takes a name, and the document's names are learned beside them.
        registered = min(252, config.subscriptions - 3)
        found = measure(_strangers(registered), document, config=config)
        more = {"registered": float(registered), "clocks": found.apart, "latency": float(found.latency)}
        rows.append(Row(name, len(document) / found.apart, None, more))
    return tuple(rows)


def groups(seed: int) -> Sequence[Group]:
    """All groups of the broker."""
    return [
        Group(
            "broker-sets",
            "T-Tab 7.1: subscriptions of Set 1 and Set 2 and one publication of 980 bytes",
            "clocks",
            "registration and then the publication to its matched set, one after the other; the thesis's microseconds at its 50 MHz",
            series_rows(seed, 1) + series_rows(seed, 2),
        ),
        Group(
            "broker-tasks",
            "T-Tab 7.2: series of Set 2 and a publication of 1008 bytes",
            "clocks",
            "the thesis's tasks at 150 MHz and 50 MHz in clocks; ours without a bus in front; matched sets of all subscriptions",
            task_rows(seed),
        ),
        Group(
            "broker-presets",
            "presets: publications of 1008 bytes back to back past subscriptions of which none matches",
            "bytes/clock",
            "as many subscriptions as the preset holds, 252 at most",
            _presets(seed),
        ),
        Group(
            "broker-pace",
            "matching beside parsing",
            "bytes/clock",
            "publications back to back; 252 notifications of 20 bytes take 315 clocks on four links of 32 bits",
            _pace(seed),
        ),
    ]
