"""The parser by itself, as the thesis measures it [T 4.4, T ch. 6]: loaded through an X-RAM, read from the P-RAM."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hdl.publication.ring import Xram
from hdl.scbxp.parser import Scbxp

__all__ = ["ParsingSystem"]


class ParsingSystem(wiring.Component):
    """:class:`hdl.scbxp.parser.Scbxp` behind an X-RAM, in which nothing is held.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    Those of the parser but ``nodes`` and ``held``; ``i`` waits while the X-RAM is full.
    """

    def __init__(self, config):
        self._config = config
        self._scbxp = Scbxp(config)
        members = self._scbxp.signature.members
        self._ports = [name for name in members if name not in ("i", "nodes", "held")]
        super().__init__({name: members[name] for name in ("i", *self._ports)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.xram = xram = Xram(self._config)
        m.submodules.scbxp = scbxp = self._scbxp
        wiring.connect(m, wiring.flipped(self.i), xram.i)
        wiring.connect(m, xram.o, scbxp.i)
        for name in self._ports:
            inner, outer, member = getattr(scbxp, name), getattr(wiring.flipped(self), name), self.signature.members[name]
            if member.is_signature:
                wiring.connect(m, inner, outer)
            else:
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
        return m
