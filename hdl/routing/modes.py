"""The operation modes of the cyclic policy [T 5.4.3.2, 5.4.3.3, T-Fig 5.18]."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import contract
from hdl.shapes.widths import ShortCount

__all__ = ["HISTORY", "CycleSettings", "Mode", "OperationModes"]

HISTORY = 16
"""Modes that the ring of the latest ones holds."""

_COUNT = 16
"""Bits of a number of publications, and of subscriptions that wait."""


class Mode(enum.Enum, shape=unsigned(3)):
    """:class:`hdl.contract.Mode` as a shape."""

    NOP = contract.Mode.NOP.value
    NPNS = contract.Mode.NPNS.value
    NPOS = contract.Mode.NPOS.value
    OPOS = contract.Mode.OPOS.value
    OPNS = contract.Mode.OPNS.value


class CycleSettings(wiring.Signature):
    """The settings of a cycle, as the registers of the same meaning have them: ``gather``, ``cycle_timeout``, ``link_patience``,
    ``publications_most``."""

    def __init__(self):
        super().__init__({"gather": Out(32), "timeout": Out(32), "patience": Out(32), "publications": Out(_COUNT)})


class OperationModes(wiring.Component):
    """The mode and what its edges look at. An event counts from the clock after it; one edge is taken in a clock at most, by the counts and
    inputs of that clock.

    ======  ===========================================================  ======
    mode    goes on when                                                 to
    ======  ===========================================================  ======
    NOP     Sa is not 0                                                  nPnS
    nPnS    S is not 0, and S = Smax or Sa has been 0 for ``gather``     nPoS
    nPoS    the timeout has come and Sa is not 0                         oPnS
    nPoS    P = Pmax                                                     oPoS
    oPoS    P is not Pmax                                                nPoS
    oPoS    Sa is not 0                                                  oPnS
    oPnS    ``cleared``                                                  nPnS
    ======  ===========================================================  ======

    The first row of a mode that holds is taken. Smax is the number of subscriptions that the configuration has, and S while ``full``
    [T-Fig 5.17]. The timeout counts the clocks since nPnS was left; it stays until the cycle ends. In oPnS ``clears`` rises when SRoA and
    the look-ups are over. SRoA has ``patience`` clocks for that, if that is not 0; then ``abandons`` is 1 until it is over.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    buffered, registered, refused, cancelled : In(1)
        For one clock: a subscription is buffered whole; one that waited is registered, or is not; a registered one is gone.
    processed : In(1)
        For one clock: a publication has been matched.
    available : In(16)
        Publications that are buffered or signalled, those that are processed and kept included.
    full : In(1)
        A table of the CRT has no room for the next subscription.
    route_end, looked_up : In(1)
        No mismatched subscription is being sent; the SMT's entries of all that matched have been read.
    clears, cleared, abandons : Out(1), In(1), Out(1)
        All subscriptions are to go, until, for one clock, they are gone; what is being sent is to be given up.
    settings : In(CycleSettings())
    mode : Out(Mode)
    s, smax, sa, p, pmax : Out
    timeout, clear_end : Out(1)
    place, past_mode, past_clock : In(4), Out(Mode), Out(32)
        The history, in the same clock: the mode before as many others, 0 for the latest, and the clock since the reset in which it began;
        NOP and 0 where there was none.
    abandoned : Out(ShortCount)
        Cycles whose end gave SRoA up.
    """

    def __init__(self, config):
        self._config = config
        subscriptions = range(config.subscriptions + 1)
        super().__init__(
            {
                **dict.fromkeys(("buffered", "registered", "refused", "cancelled", "processed", "full", "route_end", "looked_up"), In(1)),
                "available": In(_COUNT),
                "clears": Out(1),
                "cleared": In(1),
                "abandons": Out(1),
                "settings": In(CycleSettings()),
                "mode": Out(Mode),
                "s": Out(subscriptions),
                "smax": Out(subscriptions),
                "sa": Out(_COUNT),
                "p": Out(_COUNT),
                "pmax": Out(_COUNT),
                "timeout": Out(1),
                "clear_end": Out(1),
                "place": In(range(HISTORY)),
                "past_mode": Out(Mode),
                "past_clock": Out(32),
                "abandoned": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        settings = self.settings
        quiet, matching, waited, clock = (Signal(32, name=name) for name in ("quiet", "matching", "waited", "clock"))
        capped = (settings.publications != 0) & (self.available > settings.publications)
        gathered, waiting, done = Signal(), Signal(), Signal()
        following = Signal(Mode)
        m.d.comb += [
            self.smax.eq(Mux(self.full, self.s, self._config.subscriptions)),
            self.pmax.eq(Mux(capped, settings.publications, self.available)),
            gathered.eq(quiet >= settings.gather),
            waiting.eq(self.sa != 0),
            done.eq(self.p == self.pmax),
            following.eq(self.mode),
        ]
        m.d.sync += [
            clock.eq(clock + 1),
            self.s.eq(self.s + self.registered - self.cancelled),
            self.sa.eq(self.sa + self.buffered - (self.registered | self.refused)),
            self.p.eq(self.p + self.processed),
            self.mode.eq(following),
        ]

        # Clocks without a subscription that waits, in nPnS; those since nPnS was left.
        m.d.sync += quiet.eq(Mux((self.mode == Mode.NPNS) & ~waiting & ~self.buffered & ~gathered, quiet + 1, quiet))
        with m.If((self.mode != Mode.NPNS) | waiting | self.buffered):
            m.d.sync += quiet.eq(0)
        with m.If((settings.timeout != 0) & (matching >= settings.timeout)):
            m.d.sync += self.timeout.eq(1)
        with m.If((self.mode == Mode.NPOS) | (self.mode == Mode.OPOS)):
            m.d.sync += matching.eq(matching + ~self.timeout)

        with m.Switch(self.mode):
            with m.Case(Mode.NOP):
                with m.If(waiting):
                    m.d.comb += following.eq(Mode.NPNS)
            with m.Case(Mode.NPNS):
                m.d.sync += [self.clear_end.eq(0), matching.eq(0)]
                with m.If((self.s != 0) & ((self.s == self.smax) | (~waiting & gathered))):
                    m.d.comb += following.eq(Mode.NPOS)
            with m.Case(Mode.NPOS):
                with m.If(self.timeout & waiting):
                    m.d.comb += following.eq(Mode.OPNS)
                with m.Elif(done):
                    m.d.comb += following.eq(Mode.OPOS)
            with m.Case(Mode.OPOS):
                with m.If(~done):
                    m.d.comb += following.eq(Mode.NPOS)
                with m.Elif(waiting):
                    m.d.comb += following.eq(Mode.OPNS)
            with m.Case(Mode.OPNS):
                impatient = (settings.patience != 0) & (waited == settings.patience)
                m.d.comb += [
                    self.clears.eq(self.route_end & self.looked_up & ~self.clear_end),
                    self.abandons.eq(impatient & ~self.route_end),
                ]
                with m.If(~self.route_end & ~impatient):
                    m.d.sync += waited.eq(waited + 1)
                    m.d.sync += self.abandoned.eq(self.abandoned + (waited + 1 == settings.patience))
                with m.If(self.cleared):
                    m.d.sync += [self.s.eq(0), self.p.eq(0), self.timeout.eq(0), self.clear_end.eq(1), waited.eq(0)]
                with m.If(self.clear_end):
                    m.d.comb += following.eq(Mode.NPNS)

        # The ring of the latest modes.
        entry = data.StructLayout({"mode": Mode, "clock": 32})
        m.submodules.history = history = memory.Memory(shape=entry, depth=HISTORY, init=[], attrs={"ram_style": "distributed"})
        write, read = history.write_port(), history.read_port(domain="comb")
        newest, held = Signal(range(HISTORY)), Signal(range(HISTORY + 1))
        m.d.comb += [
            write.addr.eq(newest + 1),
            write.data.mode.eq(following),
            write.data.clock.eq(clock + 1),
            write.en.eq(following != self.mode),
            read.addr.eq(newest - self.place),
        ]
        with m.If(self.place < held):
            m.d.comb += [self.past_mode.eq(read.data.mode), self.past_clock.eq(read.data.clock)]
        with m.If(write.en):
            m.d.sync += [newest.eq(newest + 1), held.eq(Mux(held == HISTORY, held, held + 1))]
        return m
