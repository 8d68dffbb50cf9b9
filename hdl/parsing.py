"""The parser and its names, as the thesis measures them [T 4.4, T ch. 6]: loaded through an X-RAM, read from the P-RAM."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from hdl.names import NameTable
from hdl.publication.ring import Xram
from hdl.scbxp.parser import Scbxp

__all__ = ["ParsingSystem"]


class ParsingSystem(wiring.Component):
    """:class:`hdl.scbxp.parser.Scbxp` with a name table, behind an X-RAM in which nothing is held.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    Those of the parser but ``nodes``, ``held`` and ``lookup``, and ``request`` and ``response`` of the name table; ``i`` waits while the
    X-RAM is full.
    """

    def __init__(self, config):
        self._config = config
        self._scbxp, self._names = Scbxp(config), NameTable(config)
        members = self._scbxp.signature.members
        self._ports = [name for name in members if name not in ("i", "nodes", "held", "lookup")]
        names = self._names.signature.members
        super().__init__({name: members[name] for name in ("i", *self._ports)} | {name: names[name] for name in ("request", "response")})

    def elaborate(self, platform):
        m = Module()
        m.submodules.xram = xram = Xram(self._config)
        m.submodules.scbxp = scbxp = self._scbxp
        m.submodules.names = names = self._names
        wiring.connect(m, wiring.flipped(self.i), xram.i)
        wiring.connect(m, xram.o, scbxp.i)
        wiring.connect(m, scbxp.lookup, names.lookup)
        wiring.connect(m, wiring.flipped(self.request), names.request)
        wiring.connect(m, names.response, wiring.flipped(self.response))
        for name in self._ports:
            inner, outer, member = getattr(scbxp, name), getattr(wiring.flipped(self), name), self.signature.members[name]
            if member.is_signature:
                wiring.connect(m, inner, outer)
            else:
                m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
        return m
