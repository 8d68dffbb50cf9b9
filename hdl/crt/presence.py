"""Whether an attribute matters by its name alone."""

from amaranth.hdl import Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

__all__ = ["PresenceFlags"]

_LANE = 4


class PresenceFlags(wiring.Component):
    """A flag per name, in look-up tables.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    read_name, read_en, read_data :
        The flag of a name, one clock after a clock with ``read_en``.
    write, name, value :
        Sets a flag; reads see it from the second clock after this one on.
    """

    def __init__(self, config):
        self.config = config
        names = ceil_log2(config.names)
        super().__init__({"read_name": In(names), "read_en": In(1), "read_data": Out(1), "write": In(1), "name": In(names), "value": In(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.flags = flags = memory.Memory(shape=_LANE, depth=max(self.config.names // _LANE, 2), init=[])
        read, old, write = flags.read_port(domain="comb"), flags.read_port(domain="comb"), flags.write_port()
        name, enable, value = Signal.like(self.name), Signal(), Signal()
        word = Signal(_LANE)
        m.d.sync += [name.eq(self.name), enable.eq(self.write), value.eq(self.value)]
        m.d.comb += [
            read.addr.eq(self.read_name[2:]),
            old.addr.eq(name[2:]),
            word.eq(old.data),
            word.bit_select(name[:2], 1).eq(value),
            write.addr.eq(name[2:]),
            write.data.eq(word),
            write.en.eq(enable),
        ]
        with m.If(self.read_en):
            m.d.sync += self.read_data.eq(read.data.bit_select(self.read_name[:2], 1))
        return m
