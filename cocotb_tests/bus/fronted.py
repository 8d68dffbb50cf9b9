"""A front and the register file, with the broker's edge as ports: what unit tests drive in the broker's place."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hdl.bus.avalon import Xavi
from hdl.bus.axi_lite import AxiLiteFront
from hdl.bus.registers import RegisterFile
from hdl.bus.wishbone import WishboneFront
from hdl.config import BrokerConfig

__all__ = ["CONFIG", "FRONTS", "Fronted"]

FRONTS = {"avalon": Xavi, "wishbone": WishboneFront, "axi": AxiLiteFront}
CONFIG = BrokerConfig(subscriptions=31, steps=64, slices=4, names=32, learned=64, links=2)


class Fronted(wiring.Component):
    """The bus's ports and those of the register file's far side under their own names."""

    def __init__(self, front: str):
        self._front, self._registers = FRONTS[front](), RegisterFile(CONFIG)
        bus = {name: member for name, member in self._front.signature.members.items() if name not in ("i", "o", "interrupt")}
        far = {name: member for name, member in self._registers.signature.members.items() if name not in ("i", "o", "interrupt")}
        self._bus, self._far = bus, far
        super().__init__(bus | far)

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = front = self._front
        m.submodules.registers = registers = self._registers
        wiring.connect(m, front.o, registers.i)
        wiring.connect(m, registers.o, front.i)
        m.d.comb += front.interrupt.eq(registers.interrupt)
        for unit, members in ((front, self._bus), (registers, self._far)):
            for name, member in members.items():
                inner, outer = getattr(unit, name), getattr(self, name)
                if member.is_signature:
                    wiring.connect(m, inner, wiring.flipped(outer))
                elif member.dimensions:
                    m.d.comb += [one.eq(other) for one, other in zip(inner, outer, strict=True)]
                else:
                    m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
        return m
