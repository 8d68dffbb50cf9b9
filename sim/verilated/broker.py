"""The Verilated broker as a function: subscription frames and publications in, results and matched references out."""

import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Refusal
from sim.interface import EngineError
from sim.verilated.builder import program

__all__ = ["Answered", "Clear", "Frame", "Item", "Matched", "Name", "Publication", "Reset", "packed", "run"]

_RESULT = struct.Struct("<IBIHBBQQ")
Body: TypeAlias = bytes
"""The bytes of selected nodes."""

_NOTIFICATION = struct.Struct("<IBI")
_OUTCOME = struct.Struct("<IBBIIQQQQI")
_FAULT = "this is a fault of the hardware description"


@dataclass(frozen=True)
class Frame:
    """A packed SUBSCRIBE or UNSUBSCRIBE frame, or bytes that are to be refused as one."""

    data: bytes


@dataclass(frozen=True)
class Publication:
    """An XML document."""

    data: bytes


@dataclass(frozen=True)
class Clear:
    """All subscriptions are removed, when the frames before have been answered; with ``after`` so many clocks after the first word of the
    frame before, answered or not."""

    after: int | None = None

    @property
    def data(self) -> bytes:
        return b"" if self.after is None else struct.pack("<I", self.after)


@dataclass(frozen=True)
class Name:
    """A name of the skeleton."""

    data: bytes


@dataclass(frozen=True)
class Reset:
    """The items before it run for so many clocks and are cut short by a reset."""

    clocks: int

    @property
    def data(self) -> bytes:
        return struct.pack("<I", self.clocks)


Item = Frame | Clear | Name | Publication | Reset
"""What goes in; each gets one answer, but for a :class:`Reset` and what is before it."""

_KINDS: dict[type[Item], bytes] = {Frame: b"S", Clear: b"C", Name: b"K", Publication: b"P", Reset: b"Z"}


@dataclass(frozen=True)
class Answered:
    """The result of a frame, and the clocks of its first word and of the result; of a :class:`Clear` how long it was held, of a
    :class:`Name` when it was taken. ``tsid``, ``cancel`` and ``link`` are those of the broker's result."""

    refusal: Refusal
    reference: int
    first_word: int
    clock: int
    tsid: int = 0
    cancel: bool = False
    link: int = 0


@dataclass(frozen=True)
class Matched:
    """How a publication ended and the references of its notifications, in rising order; beside them what each one carried and, if
    that was selected nodes, their bytes.

    The clocks are those of its first and last word, of its matched set with the verdict, and of the last word of its last notification.
    """

    code: Code
    offset: int
    bytes: int
    first_word: int
    last_word: int
    clock: int
    notified: int
    references: tuple[int, ...]
    contents: tuple[Content, ...]
    bodies: tuple[Body, ...]

    @property
    def cycles(self) -> int:
        return self.clock - self.first_word


def packed(items: Sequence[Item]) -> bytes:
    """The items as the file that the simulated broker reads."""
    return b"".join(_KINDS[type(item)] + struct.pack("<I", len(item.data)) + item.data for item in items)


def _read(raw: bytes, wanted: Sequence[int]) -> list[Answered | Matched]:
    found: dict[int, Answered | Matched] = {}
    at = 0
    while at < len(raw):
        kind, at = raw[at], at + 1
        if kind == ord("R"):
            item, refusal, reference, tsid, cancel, link, first, clock = _RESULT.unpack_from(raw, at)
            at += _RESULT.size
            found[item] = Answered(Refusal(refusal), reference, first, clock, tsid, bool(cancel), link)
            continue
        item, verdict, code, offset, size, first, last, clock, notified, matches = _OUTCOME.unpack_from(raw, at)
        at += _OUTCOME.size
        references, contents, bodies = [], [], []
        for _ in range(matches):
            reference, content, length = _NOTIFICATION.unpack_from(raw, at)
            at += _NOTIFICATION.size
            length = length if content == Content.SELECTED else 0
            references.append(reference)
            contents.append(Content(content))
            bodies.append(raw[at : at + length])
            at += length
        if Code(code).verdict != verdict:
            raise EngineError(f"the broker gave verdict {verdict} with code {code}", hint=_FAULT)
        found[item] = Matched(Code(code), offset, size, first, last, clock, notified, tuple(references), tuple(contents), tuple(bodies))
    if found.keys() != set(wanted):
        raise EngineError(f"{len(wanted)} frames and publications got {len(found)} answers", hint=_FAULT)
    return [found[item] for item in wanted]


def run(
    items: Sequence[Item],
    config: BrokerConfig,
    *,
    apart: bool = False,
    together: bool = False,
    copies: int = 1,
    stalls: int | None = None,
    executable: Path | None = None,
    waves: Path | None = None,
    options: Sequence[str] = (),
) -> list[Answered | Matched]:
    """Run the broker from its start over the items; one answer for each, in order.

    Frames and publications take turns in the order of the items, each kind waiting until those of the other kind before it have been
    answered; publications between two frames follow back to back, or with ``apart`` one at a time. With ``together`` nothing waits.
    With ``copies`` the publications, which must be behind all frames, are divided between so many brokers: a row of neighbours goes to
    each, which has the state that the frames left. They run in step, which is faster; clocks are given as if they ran in turns.
    ``stalls`` is the seed of random idle clocks and waits. ``executable`` is a program that was built before, with traces where a VCD
    file of ``waves`` is wanted; ``options`` are handed to it as they are.
    """
    executable = executable or program(top="x2cbbr", main="filter_main.cpp", config=config, trace=waves is not None)
    with tempfile.TemporaryDirectory(prefix="x2cbbr-") as name:
        source, results = Path(name) / "items", Path(name) / "results"
        source.write_bytes(packed(items))
        command = [str(executable), str(source), str(results), *["--apart"] * apart, *["--together"] * together]
        if copies > 1:
            command += ["--copies", str(copies)]
        if stalls is not None:
            command += ["--stalls", str(stalls)]
        if waves is not None:
            command += ["--vcd", str(waves)]
        command += options
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = done.stderr.strip() or f"status {done.returncode}"
            raise EngineError(f"the simulated broker stopped ({reason})", hint=_FAULT)
        cut = max((place + 1 for place, item in enumerate(items) if isinstance(item, Reset)), default=0)
        return _read(results.read_bytes(), range(cut, len(items)))
