"""The manager of the links to neighbours [T 5.4.5]: their state, keep-alive, marks for frames that are cut, and fair sharing."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Header, Kind
from hdl.shapes.routing import LinkWord
from hdl.shapes.widths import ShortCount
from hdl.stream import Register

__all__ = ["FrameMux", "LinkReceiver", "LinkSender"]

_MARK = Const({"last": 1, "cut": 1}, LinkWord)
_WORDS = Header.BYTES // 4


class LinkReceiver(wiring.Component):
    """What comes from a neighbour. A frame that has begun always ends: in its last word, or in a mark if the link goes down before.

    The link is down while there is no ``carrier``. With a ``patience`` other than 0 it is also down until a word comes, and from the
    moment on in which none has come for as many clocks, not counting those in which this broker does not take words. The rest of a frame
    that came too late is dropped. When the carrier comes back, the next word begins a frame.

    Words pass in a clock each, one clock later.

    Members
    -------
    i : In(stream.Signature(LinkWord))
        From the link; while there is no carrier nothing is taken, and what was offered may be withdrawn.
    carrier : In(1)
    patience : In(32)
    o : Out(stream.Signature(LinkWord))
    up : Out(1)
    """

    i: In(stream.Signature(LinkWord))
    carrier: In(1)
    patience: In(32)
    o: Out(stream.Signature(LinkWord))
    up: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.outlet = outlet = Register(LinkWord)
        wiring.connect(m, outlet.o, wiring.flipped(self.o))
        word = self.i.payload
        inside, marks, skips, alive = Signal(), Signal(), Signal(), Signal()
        silence = Signal(32)
        late, taken = Signal(), Signal()
        m.d.comb += [
            late.eq((self.patience != 0) & (silence >= self.patience)),
            self.up.eq(self.carrier & (alive | (self.patience == 0))),
            self.i.ready.eq(self.carrier & ~marks & (outlet.i.ready | skips)),
            taken.eq(self.i.valid & self.i.ready),
            outlet.i.valid.eq(marks | (self.i.valid & self.carrier & ~skips)),
            outlet.i.payload.eq(Mux(marks, _MARK, word)),
        ]
        with m.If(taken):
            m.d.sync += [silence.eq(0), alive.eq(1), skips.eq(skips & ~word.last)]
            with m.If(~skips):
                m.d.sync += inside.eq(~word.last)
        with m.Elif(self.i.ready & ~late):
            m.d.sync += silence.eq(silence + 1)
        with m.If(marks & outlet.i.ready):
            m.d.sync += marks.eq(0)
        with m.If(~self.carrier | (late & ~taken)):
            m.d.sync += [alive.eq(0), inside.eq(0)]
            with m.If(inside):
                m.d.sync += [marks.eq(1), skips.eq(1)]
        with m.If(~self.carrier):
            m.d.sync += [skips.eq(0), silence.eq(0)]
        return m


class LinkSender(wiring.Component):
    """What goes to a neighbour: frames, and between two of them HELLO when it is due.

    A frame is lost and counted when the link is down, or goes down before the last word has been taken, or when a word is not taken for
    ``patience`` clocks, if that is not 0; what waits behind it is lost too until the word is taken. Lost frames are drained, so that nobody
    waits for a link that is down. A frame that was begun ends in a mark, unless the carrier was gone: then the next word begins a frame.

    Words pass in a clock each, one clock later; a frame takes a clock more than it has words.

    Members
    -------
    i : In(stream.Signature(LinkWord))
    o : Out(stream.Signature(LinkWord))
        To the link; while there is no carrier nothing is offered.
    carrier, up : In(1)
        The receiver's state of the link.
    bid, neighbour : In(8)
        This broker's identity and the neighbour's, for HELLO.
    settled : In(1)
        Every interest has been sent since the link came up. HELLO says so, and is due at once when this rises.
    period, patience : In(32)
        Clocks between two HELLO, 0 for none but that; clocks that a word may wait.
    lost : Out(ShortCount)
        Frames lost since the reset, HELLO not counted.
    """

    i: In(stream.Signature(LinkWord))
    o: Out(stream.Signature(LinkWord))
    carrier: In(1)
    up: In(1)
    bid: In(8)
    neighbour: In(8)
    settled: In(1)
    period: In(32)
    patience: In(32)
    lost: Out(ShortCount)

    def elaborate(self, platform):
        m = Module()
        valid, word, ours = Signal(), Signal(LinkWord), Signal()
        free, stalls, usable = Signal(), Signal(), Signal()
        waited, clock = Signal(32), Signal(32)
        due, settled, owes = Signal(), Signal(), Signal()
        index = Signal(range(_WORDS))
        m.d.comb += [
            self.o.valid.eq(valid & self.carrier),
            self.o.payload.eq(word),
            free.eq(~valid | (self.o.ready & self.carrier)),
            usable.eq(self.up & self.carrier & ~stalls),
        ]
        put, new, hello = Signal(), Signal(LinkWord), Signal()
        # A frame is lost before its last word is put, or with that word.
        drops, vanishes = Signal(), Signal()
        m.d.comb += vanishes.eq(valid & word.last & ~word.cut & ~ours & ~self.carrier)
        m.d.sync += self.lost.eq(self.lost + drops + vanishes)
        with m.If(free | ~self.carrier):
            m.d.sync += valid.eq(put & self.carrier)
        with m.If(put):
            m.d.sync += [word.eq(new), ours.eq(hello)]

        with m.If(free | ~self.carrier):
            m.d.sync += [waited.eq(0), stalls.eq(0)]
        with m.Elif((self.patience != 0) & ~stalls):
            m.d.sync += [waited.eq(waited + 1), stalls.eq(waited + 1 >= self.patience)]

        m.d.sync += [clock.eq(clock + 1), settled.eq(self.settled)]
        with m.If((self.period != 0) & (clock >= self.period)):
            m.d.sync += [clock.eq(0), due.eq(1)]
        with m.If(self.settled & ~settled):
            m.d.sync += due.eq(1)
        greeting = [
            Cat(Const(Kind.HELLO, 8), settled, Const(0, 7), self.neighbour, Const(0, 8)),
            Cat(Const(0, 8), self.bid, Const(0, 16)),
            Const(0, 32),
            Const(0, 32),
            Const(0, 32),
        ]

        with m.FSM():
            # Waits for what is due: a mark, HELLO, or a frame.
            with m.State("IDLE"):
                m.d.sync += index.eq(0)
                with m.If(owes & free & self.carrier):
                    m.d.comb += [put.eq(1), new.eq(_MARK)]
                    m.d.sync += owes.eq(0)
                with m.Elif(due & free & self.carrier):
                    m.next = "HELLO"
                with m.Elif(self.i.valid & usable & ~owes):
                    m.next = "PASS"
                with m.Elif(self.i.valid & ~usable):
                    m.d.comb += drops.eq(1)
                    m.next = "DRAIN"

            # The words of HELLO.
            with m.State("HELLO"):
                m.d.comb += [put.eq(free & self.carrier), hello.eq(1), new.count.eq(4), new.last.eq(index == _WORDS - 1)]
                with m.Switch(index):
                    for number, value in enumerate(greeting):
                        with m.Case(number):
                            m.d.comb += new.data.eq(value)
                with m.If(~self.carrier):
                    m.next = "IDLE"
                with m.Elif(free):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == _WORDS - 1):
                        m.d.sync += [due.eq(0), clock.eq(0)]
                        m.next = "IDLE"

            # The words of a frame.
            with m.State("PASS"):
                m.d.comb += [self.i.ready.eq(usable & free), put.eq(self.i.valid & usable & free), new.eq(self.i.payload)]
                with m.If(~usable):
                    m.d.comb += drops.eq(1)
                    m.d.sync += owes.eq(1)
                    m.next = "DRAIN"
                with m.Elif(put & self.i.payload.last):
                    m.next = "IDLE"

            # Takes what is left of a lost frame.
            with m.State("DRAIN"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid & self.i.payload.last):
                    m.next = "IDLE"
        with m.If(~self.carrier):
            m.d.sync += owes.eq(0)
        return m


class FrameMux(wiring.Component):
    """Several streams of frames share one, in turn: a stream with a frame waits for one frame of each of the others at most. A frame
    takes a clock more than it has words.

    Parameters
    ----------
    streams : int

    Members
    -------
    i : In(stream.Signature(LinkWord)).array(streams)
    o : Out(stream.Signature(LinkWord))
    """

    def __init__(self, *, streams: int):
        if not isinstance(streams, int) or streams < 1:
            raise ValueError(f"streams must be an integer of at least 1, not {streams!r}")
        self._streams = streams
        super().__init__({"i": In(stream.Signature(LinkWord)).array(streams), "o": Out(stream.Signature(LinkWord))})

    def elaborate(self, platform):
        m = Module()
        turn, busy = Signal(range(self._streams)), Signal()
        with m.Switch(turn):
            for number, port in enumerate(self.i):
                with m.Case(number):
                    m.d.comb += [self.o.valid.eq(busy & port.valid), self.o.payload.eq(port.payload), port.ready.eq(busy & self.o.ready)]
                    with m.If(busy & port.valid & self.o.ready & port.payload.last):
                        m.d.sync += busy.eq(0)
                    # The nearest one behind the last is next.
                    for behind in range(self._streams, 0, -1):
                        other = (number + behind) % self._streams
                        with m.If(~busy & self.i[other].valid):
                            m.d.sync += [busy.eq(1), turn.eq(other)]
        return m
