"""The broker with faults that a test can switch on: each one sits between two units and changes what passes."""

from unittest.mock import patch

from amaranth.hdl import Fragment, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hdl.broker import Broker
from hdl.scbxp.nesting import Nesting
from hdl.shapes.program import ProgramOperator
from hdl.xpath import XPathProcessor


class _Altered(wiring.Component):
    """A unit with the same ports, all of which pass straight through."""

    def __init__(self, unit, fault):
        self._unit, self._fault = unit, fault
        super().__init__(unit.signature)

    def elaborate(self, platform):
        m = Module()
        m.submodules.unit = unit = self._unit
        outer = [value for _, _, value in self.signature.flatten(self)]
        for (_, member, inside), outside in zip(unit.signature.flatten(unit), outer, strict=True):
            target, source = (inside, outside) if member.flow is In else (outside, inside)
            m.d.comb += Value.cast(target).eq(Value.cast(source))
        return m


class _Inverted(_Altered):
    """An XPath processor that says ``>=`` for ``<``."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        said = self._unit.o.payload.operator
        m.d.comb += self.o.payload.operator.eq(Mux(self._fault & (said == ProgramOperator.LT), ProgramOperator.GE, said))
        return m


class _Trusting(_Altered):
    """A nesting stage that is told that every end tag names its element."""

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.comb += self._unit.i.payload.differs.eq(self.i.payload.differs & ~self._fault)
        return m


class FaultyBroker(wiring.Component):
    """The broker with an input ``fault``: bit 0 inverts the comparison ``<``, bit 1 drops the check of end tags; 0 is the broker itself."""

    def __init__(self, config):
        self._broker = Broker(config)
        super().__init__({**dict(self._broker.signature.members.items()), "fault": In(2)})

    def elaborate(self, platform):
        m = Module()
        fault = Signal(2)
        m.d.comb += fault.eq(self.fault)
        with (
            patch("hdl.broker.XPathProcessor", lambda config: _Inverted(XPathProcessor(config), fault[0])),
            patch("hdl.scbxp.parser.Nesting", lambda config: _Trusting(Nesting(config), fault[1])),
        ):
            m.submodules.broker = Fragment.get(self._broker, platform)
        inner = self._broker.signature.flatten(self._broker)
        for path, member, inside in inner:
            outside = self
            for part in path:
                outside = outside[part] if isinstance(part, int) else getattr(outside, part)
            target, source = (inside, outside) if member.flow is In else (outside, inside)
            m.d.comb += Value.cast(target).eq(Value.cast(source))
        return m
