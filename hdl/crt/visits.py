"""The names that subscriptions visit: reference counts and marks in one place [T-Fig 5.14]."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.crt.entries import NameRecord
from hdl.shapes.tables import NameMarks, NameView
from hdl.stream import BlockRam

__all__ = ["HCD_VISITS", "NameVisits", "VisitOp", "VisitRequest"]

HCD_VISITS = 31
"""Visits to one name beyond which commonality is high [T 5.3.3.4]."""


class VisitOp(enum.Enum, shape=unsigned(2)):
    """Requests about names."""

    ENTER = 0
    """One visit more, and the marks of the request."""
    MARK = 1
    """The marks of the request; the name is visited."""
    LEAVE = 2
    """One visit less; the last one takes the marks with it and gives the name back."""
    CLEAR = 3
    """No visit is left to any name; names that had some are given back."""


class VisitRequest(data.StructLayout):
    """A request about ``name``; ``marks`` count for ENTER and MARK and are added to those that the name has."""

    def __init__(self, config):
        super().__init__({"op": VisitOp, "name": ceil_log2(config.names), "marks": NameMarks(config)})


class NameVisits(wiring.Component):
    """Counts the visits of subscriptions to each name and keeps its marks, for registration and, in a second copy, for the engine.

    ENTER, MARK and LEAVE take 4 clocks each, CLEAR one for each name and 3 for each that has visits. LEAVE and CLEAR wait until a
    name that is given back has been taken. After a reset all names are forgotten, which is ``request``'s first wait; none is given back.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    request : ``In(stream.Signature(VisitRequest(config)))``
        Taken when nothing is under way: when ``ready`` is 1 again the request has been worked out and its name has been given back.
    released : ``Out(stream.Signature(name))``
        Names without visits, each once.
    high : ``Out(1)``
        Some name has more than 31 visits [T 5.3.3.4].
    view : ``Out(NameView(config))``
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "request": In(stream.Signature(VisitRequest(config))),
                "released": Out(stream.Signature(ceil_log2(config.names))),
                "high": Out(1),
                "view": Out(NameView(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.view
        m.submodules.names = names = BlockRam(shape=NameRecord(config), depth=config.names, output_register=True)
        m.submodules.marks = marks = BlockRam(shape=NameMarks(config), depth=config.names)
        read, write = names.read[0], names.write
        record = read.data
        m.d.comb += [
            read.en.eq(1),
            marks.write.addr.eq(write.addr),
            marks.write.data.eq(write.data.marks),
            marks.write.en.eq(write.en),
            marks.read[0].addr.eq(view.name),
            marks.read[0].en.eq(view.en),
            view.marks.eq(marks.read[0].data),
            view.hold.eq(write.en),
        ]
        m.d.sync += write.en.eq(0)

        request = Signal(VisitRequest(config))
        given = self.request.payload
        highs = Signal(range(config.names + 1))
        m.d.comb += [self.high.eq(highs != 0), self.released.payload.eq(request.name)]

        # The sweep reads a name a clock and has each two clocks later; it goes on behind one that was given back.
        swept, age = Signal(range(config.names + 1)), Signal(2)
        behind = [Signal(ceil_log2(config.names), name=f"behind{n}") for n in range(2)]
        silent = Signal(init=1)  # there was a reset: what is counted is void
        m.d.sync += [behind[0].eq(swept), behind[1].eq(behind[0])]

        with m.FSM(init="CLEAR"):
            with m.State("IDLE"):
                # Waits for a request; its name is read at once.
                m.d.comb += [self.request.ready.eq(1), read.addr.eq(given.name)]
                m.d.sync += request.eq(given)
                with m.If(self.request.valid):
                    m.next = "READ"
                    with m.If(given.op == VisitOp.CLEAR):
                        m.next = "CLEAR"
            with m.State("READ"):
                # The record is on its way.
                m.d.comb += read.addr.eq(request.name)
                m.next = "CHANGE"
            with m.State("CHANGE"):
                # Counts and marks; the last visit gives the name back.
                m.d.sync += [write.addr.eq(request.name), write.en.eq(1)]
                m.next = "WRITTEN"
                with m.If(request.op == VisitOp.LEAVE):
                    m.d.sync += [
                        write.data.visits.eq(record.visits - 1),
                        write.data.marks.eq(Mux(record.visits == 1, 0, record.marks)),
                        highs.eq(highs - (record.visits == HCD_VISITS + 1)),
                    ]
                    with m.If(record.visits == 1):
                        m.next = "RELEASE"
                with m.Else():
                    enters = request.op == VisitOp.ENTER
                    m.d.sync += [
                        write.data.visits.eq(record.visits + enters),
                        write.data.marks.eq(record.marks.as_value() | request.marks.as_value()),
                        highs.eq(highs + (enters & (record.visits == HCD_VISITS))),
                    ]
            with m.State("WRITTEN"):
                # The memory takes the word: it must not be read in this clock.
                m.next = "IDLE"
            with m.State("RELEASE"):
                # Until the name is taken.
                m.d.comb += self.released.valid.eq(1)
                with m.If(self.released.ready):
                    m.next = "IDLE"

            with m.State("CLEAR"):
                # The sweep begins.
                m.d.sync += [swept.eq(0), age.eq(0), highs.eq(0)]
                m.next = "SWEEP"
            with m.State("SWEEP"):
                # Forgets a name a clock, and gives back the first one with visits.
                m.d.comb += read.addr.eq(swept)
                m.d.sync += [swept.eq(swept + 1), age.eq(Mux(age == 2, age, age + 1))]
                with m.If(age == 2):
                    m.d.sync += [write.addr.eq(behind[1]), write.data.eq(0), write.en.eq(1), request.name.eq(behind[1])]
                    with m.If((record.visits != 0) & ~silent):
                        m.next = "GIVE-BACK"
                    with m.Elif(behind[1] == config.names - 1):
                        m.d.sync += silent.eq(0)
                        m.next = "WRITTEN"
            with m.State("GIVE-BACK"):
                # Until the name is taken; then the sweep goes on behind it.
                m.d.comb += self.released.valid.eq(1)
                m.d.sync += [swept.eq(request.name + 1), age.eq(0)]
                with m.If(self.released.ready):
                    m.next = "SWEEP"
                    with m.If(request.name == config.names - 1):
                        m.next = "IDLE"
        return m
