"""AXI4-Stream in and out again."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.bus.axi_stream import AxisInput, AxisOutput, AxisSignature

__all__ = ["AxisLoop"]


class AxisLoop(wiring.Component):
    """An :class:`AxisInput` and an :class:`AxisOutput`, with the ports that the field's models look for."""

    def __init__(self):
        members = {"error": Out(1)}
        for part, member in AxisSignature().members.items():
            members[f"m_axis_{part}"] = member
            members[f"s_axis_{part}"] = (In if member.flow == Out else Out)(member.shape)
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.input = i = AxisInput()
        m.submodules.output = o = AxisOutput()
        wiring.connect(m, i.o, o.i)
        m.d.comb += self.error.eq(i.error)
        for part, member in AxisSignature().members.items():
            given, taken = getattr(self, f"s_axis_{part}"), getattr(self, f"m_axis_{part}")
            forward = member.flow == Out
            m.d.comb += getattr(i.axis, part).eq(given) if forward else given.eq(getattr(i.axis, part))
            m.d.comb += taken.eq(getattr(o.axis, part)) if forward else getattr(o.axis, part).eq(taken)
        return m
