"""The broker on Icarus as a function: subscription frames and publications in, results and matched references out."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Frame, Kind, Refusal
from sim.icarus.builder import bench, simulate
from sim.interface import EngineError
from sim.verilated.broker import Answered, Clear, Item, Matched, Publication, packed

__all__ = ["run"]

_FAULT = "this is a fault of the hardware description"


def _matched(values: Sequence[int], frames: Sequence[tuple[bytes, int]]) -> Matched:
    """The outcome of a publication from its V line and the frames, with the clocks of their last words, that came for it."""
    verdict, code, offset, size, _, first, last, clock = values
    if Code(code).verdict != verdict:
        raise EngineError(f"the broker gave verdict {verdict} with code {code}", hint=_FAULT)
    found = sorted((Frame.unpack(raw) for raw, _ in frames), key=lambda frame: frame.header.reference)
    if any(frame.header.kind is not Kind.NOTIFY for frame in found):
        raise EngineError("a frame of another kind than NOTIFY came on a link", hint=_FAULT)
    return Matched(
        Code(code),
        offset,
        size,
        first,
        last,
        clock,
        notified=max([clock, *(end for _, end in frames)]),
        references=tuple(frame.header.reference for frame in found),
        contents=tuple(frame.header.content for frame in found),
        bodies=tuple(frame.body if frame.header.content is Content.SELECTED else b"" for frame in found),
    )


def _read(lines: Sequence[str]) -> tuple[list[Answered], list[Matched]]:
    """Results and outcomes, each kind in order. A publication's notifications all come before the next one begins."""
    answered: list[Answered] = []
    matched: list[Matched] = []
    judged: list[int] | None = None
    arriving: dict[int, bytes] = {}
    frames: list[tuple[bytes, int]] = []
    for line in lines:
        kind, *numbers = line.split()
        values = [int(number, 16) for number in numbers]
        if kind == "R":
            refusal, reference, first, clock = values
            answered.append(Answered(Refusal(refusal), int.from_bytes(reference.to_bytes(4, "little"), "big"), first, clock))
        elif kind == "N":
            link, count, last, data, clock = values
            arriving[link] = arriving.get(link, b"") + data.to_bytes(4, "little")[:count]
            if last:
                frames.append((arriving.pop(link), clock))
        else:
            judged = values
        if judged is not None and len(frames) == judged[4]:
            matched.append(_matched(judged, frames))
            judged, frames = None, []
    if arriving or frames or judged is not None:
        raise EngineError("notifications came that no verdict counts, or fewer than one counts", hint=_FAULT)
    return answered, matched


def run(items: Sequence[Item], config: BrokerConfig, *, stalls: int | None = None) -> list[Answered | Matched]:
    """Run the broker from reset over the items; as :func:`sim.verilated.broker.run` with publications apart, and other stalls for the
    same seed. The subscriptions cannot be cleared."""
    if any(isinstance(item, Clear) for item in items):
        raise ValueError("items must be frames and publications")
    model = bench(top="x2cbbr", main="filter_bench.v", config=config)
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        lines, failure = simulate(model, packed(items), Path(name), [] if stalls is None else [f"+stalls={stalls}"])
    if failure:
        raise EngineError(f"the simulated broker stopped ({failure})", hint=_FAULT)
    answered, matched = _read(lines)
    if len(answered) + len(matched) != len(items):
        raise EngineError(f"{len(items)} frames and publications got {len(answered) + len(matched)} answers", hint=_FAULT)
    results, outcomes = iter(answered), iter(matched)
    return [next(outcomes) if isinstance(item, Publication) else next(results) for item in items]
