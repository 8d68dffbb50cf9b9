"""The parser's stages with back pressure: the rules of a stream on every output, from any state and for any input."""

from types import SimpleNamespace

from amaranth.hdl import Module

from formal.claims import keeps_rules
from formal.prover import Checked, Property
from hdl.scbxp.merge import Merge
from hdl.scbxp.nesting import Nesting
from hdl.scbxp.packers import MarkPacker
from hdl.scbxp.segments import MarkSegment, SegmentQueue

__all__ = ["PROPERTIES"]

_CONFIG = SimpleNamespace(names=1, learned=2, name_bytes=8, attributes=1, prefixes=1, depth=2)


class _Rules(Checked):
    """What ``sources`` and ``others`` bring is arbitrary; ``sinks`` keep the rules."""

    def __init__(self, dut, *, sources: tuple[str, ...] = ("i",), sinks: tuple[str, ...] = ("o",), others: tuple[str, ...] = ()):
        super().__init__()
        self.dut, self.sinks = dut, sinks
        self.free = [member for name in sources for member in (getattr(dut, name).valid, getattr(dut, name).payload)]
        self.free += [getattr(dut, name).ready for name in sinks] + [getattr(dut, name) for name in others]

    def check(self, m: Module) -> None:
        m.submodules.dut = self.dut
        for name in self.sinks:
            keeps_rules(m, getattr(self.dut, name), name)


def _merge() -> Checked:
    return _Rules(Merge(_CONFIG), sources=("text", "mark"), sinks=("o", "verdict"))


def _queue() -> Checked:
    return _Rules(SegmentQueue(shape=MarkSegment, depth=32), sources=(), others=("i", "i_valid"))


PROPERTIES = [
    Property(name="scbxp-queue-rules", make=_queue, mode="prove"),
    Property(name="scbxp-packer-rules", make=lambda: _Rules(MarkPacker()), mode="prove"),
    Property(name="scbxp-nesting-rules", make=lambda: _Rules(Nesting(_CONFIG)), mode="prove"),
    Property(name="scbxp-merge-rules", make=_merge, mode="prove"),
]
