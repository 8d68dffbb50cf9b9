"""The counters of open elements, of declarations in scope and of a tag's attributes stay in their range."""

from types import SimpleNamespace

from amaranth.hdl import Assert, Assume, Cat, Elaboratable, Fragment, Module, Mux, Signal, Value

from formal.claims import obeys_rules
from formal.prover import Checked, Property
from hdl.scbxp.facts import CarriedMark, mark_facts
from hdl.scbxp.nesting import Nesting
from hdl.shapes.publication import WordType

__all__ = ["PROPERTIES"]

_CONFIG = SimpleNamespace(names=1, learned=2, name_bytes=8, attributes=1, prefixes=2, depth=2)


class _Opened(Elaboratable):
    """A component whose registers can be claimed about."""

    def __init__(self, component: Elaboratable):
        self._fragment = Fragment.get(component, None)
        self._registers = {signal.name: signal for signal in self._fragment.statements["sync"]._lhs_signals()}

    def __getitem__(self, name: str) -> Signal:
        return self._registers[name]

    def elaborate(self, platform):
        return self._fragment


class _Ranges(Checked):
    """Any stream of tokens that is nested as the tag checker leaves it: tags closed, no end without a start, no more than ``depth`` open;
    names of up to two words, any number of attributes in a tag, and the end of the document anywhere between tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.dut = dut = Nesting(_CONFIG)
        self.starts = Signal(4)
        self.type = Signal(WordType, name="token_type")
        self.free = [dut.i.valid, dut.i.payload, dut.o.ready, self.starts, self.type]

    def check(self, m: Module) -> None:
        dut = self.dut
        m.submodules.dut = inner = _Opened(dut)
        obeys_rules(m, dut.i, "i")
        mark = dut.i.p.mark

        depth = Signal(range(_CONFIG.depth + 2))
        in_tag, wants_value, inside = Signal(), Signal(), Signal()
        kind = Signal(WordType)
        index = Signal(range(3))
        element, attribute, value, end = (self.type == getattr(WordType, name) for name in ("ELEMENT", "ATTRIBUTE", "VALUE", "END"))
        starts = (
            (element & ~in_tag & (depth < _CONFIG.depth))
            | (attribute & in_tag & ~wants_value)
            | (value & wants_value)
            | (end & ~in_tag & (depth != 0))
        )
        colons = Cat(*((mark.data.word_select(k, 8) == ord(":")) & (mark.count > k) for k in range(4)))
        word = (
            (mark.index == index)
            & (~inside | (self.type == kind))
            & (inside | starts)
            & (mark.last | ((mark.count == 4) & (index == 0)))
            & (mark.count <= 4)
            & (value | end | (mark.count != 0))
            & (mark.last | ~mark.close)
            & (element | value | ~mark.close)
            & (mark.close | ~mark.empty)
            & ~mark.cut
        )
        ends = mark.end & ~inside & mark.last & ~mark.close & ~mark.empty
        m.d.comb += Assume(~dut.i.valid | ends | (~mark.end & word))
        # The facts say what is so; which bytes can start a name is up to the prover.
        packed = SimpleNamespace(**{name: mark[name] for name in CarriedMark.members}, type=self.type, colons=colons, starts=self.starts)
        for name, value in mark_facts(packed, _CONFIG.name_bytes // 4).items():
            m.d.comb += Assume(getattr(dut.i.p.facts, name) == value)

        said = dut.i.p.ends
        m.d.comb += Assume(said.as_value() == Mux(mark.end | ~mark.last, 0, Cat(element, attribute, end)))

        with m.If(dut.i.valid & dut.i.ready):
            # Between tokens both sides agree on what is open.
            with m.If(~mark.end & ~inside):
                m.d.comb += Assert(inner["depth"] == depth)
            m.d.sync += [inside.eq(~mark.last), kind.eq(self.type), index.eq(0)]
            with m.If(mark.end):
                m.d.sync += [depth.eq(0), in_tag.eq(0), wants_value.eq(0), inside.eq(0)]
            with m.Elif(~mark.last):
                m.d.sync += index.eq(index + 1)
            with m.Else():
                m.d.sync += [
                    depth.eq(depth + element - end - (mark.close & mark.empty)),
                    in_tag.eq((in_tag | element) & ~mark.close),
                    wants_value.eq(attribute),
                ]
        for name, limit in (
            ("depth", _CONFIG.depth),
            ("declarations", _CONFIG.prefixes),
            ("attributes", _CONFIG.attributes + 1),
            ("waiting", _CONFIG.attributes),
        ):
            m.d.comb += Assert(Value.cast(inner[name]) <= limit)


PROPERTIES = [Property(name="scbxp-nesting-ranges", make=_Ranges, depth=22)]
