"""The parser's stages with back pressure: the rules of a stream on every output, from any state and for any input."""

from types import SimpleNamespace

from amaranth.hdl import Assume, Module

from formal.claims import keeps_rules, obeys_rules
from formal.prover import Checked, Property
from hdl.scbxp.merge import Merge
from hdl.scbxp.nesting import Nesting
from hdl.scbxp.packers import MarkPacker
from hdl.scbxp.segments import OF_WORD, MarkSegment, SegmentQueue

__all__ = ["PROPERTIES"]

_CONFIG = SimpleNamespace(names=1, learned=2, name_bytes=8, attributes=1, prefixes=1, depth=2)


class _Rules(Checked):
    """What ``sources`` and ``others`` bring is arbitrary, or keeps the rules of a stream if they are ``orderly``; ``sinks`` keep them."""

    def __init__(
        self,
        dut,
        *,
        sources: tuple[str, ...] = ("i",),
        sinks: tuple[str, ...] = ("o",),
        others: tuple[str, ...] = (),
        orderly: bool = False,
    ):
        super().__init__()
        self.dut, self.sinks = dut, sinks
        self.orderly = sources if orderly else ()
        self.free = [member for name in sources for member in (getattr(dut, name).valid, getattr(dut, name).payload)]
        self.free += [getattr(dut, name).ready for name in sinks] + [getattr(dut, name) for name in others]

    def check(self, m: Module) -> None:
        m.submodules.dut = self.dut
        for name in self.orderly:
            obeys_rules(m, getattr(self.dut, name), name)
        for name in self.sinks:
            keeps_rules(m, getattr(self.dut, name), name)


class _NestingRules(_Rules):
    """The marks come in a stream, the end of a document is no word of a token, and a first word is no second."""

    def __init__(self) -> None:
        super().__init__(Nesting(_CONFIG), orderly=True)

    def check(self, m: Module) -> None:
        super().check(m)
        mark, facts = self.dut.i.p.mark, self.dut.i.p.facts
        token = facts.element | facts.attribute | facts.end | facts.value | mark.close | mark.empty | self.dut.i.p.ends.as_value().any()
        m.d.comb += Assume(~self.dut.i.valid | ((~mark.end | ~token) & ~(facts.first & facts.second)))


def _merge() -> Checked:
    return _Rules(Merge(_CONFIG), sources=("text", "mark"), sinks=("o", "verdict"))


def _queue() -> Checked:
    return _Rules(SegmentQueue(shape=MarkSegment, depth=16, same=OF_WORD), sources=(), others=("i", "i_valid"))


PROPERTIES = [
    Property(name="scbxp-queue-rules", make=_queue, mode="prove"),
    Property(name="scbxp-packer-rules", make=lambda: _Rules(MarkPacker()), mode="prove"),
    Property(name="scbxp-nesting-rules", make=_NestingRules, depth=14),
    Property(name="scbxp-merge-rules", make=_merge, mode="prove"),
]
