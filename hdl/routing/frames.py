"""Frames on a link, taken apart and put together."""

from amaranth.hdl import Cat, Const, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import VERSION_BITS, Header
from hdl.framers import swapped
from hdl.shapes.routing import PORTS, Frames, LinkWord
from hdl.shapes.widths import ShortCount

__all__ = ["FrameReader", "FrameWriter", "FramesMux"]

_WORDS = Header.BYTES // 4
_RAW = Header.BYTES * 8


class FrameReader(wiring.Component):
    """Takes the frames of one neighbour apart.

    A frame of n words takes n + 1 clocks if nothing stalls: the header is offered in the clock after its last word, the words of the body
    pass in the clock in which they come. A frame that is shorter than a header, of another version, or cut in its header is dropped and
    counted. So is one with words behind a header that says that there are none, or without words behind one that says that there are
    some. A body of another length than the header says ends in a mark, and what follows in the same frame is dropped; it is counted too.

    Parameters
    ----------
    port : int
        The neighbour's port, which is written into each header.

    Members
    -------
    i : In(stream.Signature(LinkWord))
    o : Out(Frames())
    broken : Out(ShortCount)
        Frames that were not proper or cut, since the reset.
    """

    def __init__(self, *, port: int = 0):
        if not isinstance(port, int) or not 0 <= port < PORTS:
            raise ValueError(f"port must be 0 to {PORTS - 1}, not {port!r}")
        self._port = port
        super().__init__({"i": In(stream.Signature(LinkWord)), "o": Out(Frames()), "broken": Out(ShortCount)})

    def elaborate(self, platform):
        m = Module()
        word, body = self.i.payload, self.o.body
        raw, index = Signal(_RAW), Signal(range(_WORDS))
        m.d.comb += self.o.header.payload.eq(Cat(raw, Const(self._port, range(PORTS))))
        left = Signal(32)
        length = swapped(word.data)
        final = index == _WORDS - 1

        def breaks():
            m.d.sync += [self.broken.eq(self.broken + 1), index.eq(0)]
            m.next = "HEADER"
            with m.If(~word.last):
                m.next = "DRAIN"

        # What the next word of a proper body is: four bytes and not the last, or all that is left and the last.
        proper = Signal()
        with m.If(~word.last):
            m.d.comb += proper.eq(~word.cut & (left > 4) & (word.count == 4))
        with m.Else():
            m.d.comb += proper.eq(~word.cut & (left == word.count))

        with m.FSM():
            # Takes the words of a header.
            with m.State("HEADER"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += left.eq(length)
                with m.If(self.i.valid):
                    m.d.sync += [raw.eq(Cat(raw[32:], word.data)), index.eq(index + 1)]
                    with m.If(word.cut | (word.count != 4) | ((index == 0) & (word.data[5:8] != VERSION_BITS))):
                        breaks()
                    with m.Elif(final & (word.last == (length == 0))):
                        m.d.sync += index.eq(0)
                        m.next = "GIVE"
                    with m.Elif(final | word.last):
                        breaks()

            # Offers the header.
            with m.State("GIVE"):
                m.d.comb += self.o.header.valid.eq(1)
                with m.If(self.o.header.ready):
                    m.next = "HEADER"
                    with m.If(left != 0):
                        m.next = "BODY"

            # Passes the words of the body, and a mark for the first one that does not fit.
            with m.State("BODY"):
                m.d.comb += [body.valid.eq(self.i.valid), self.i.ready.eq(body.ready), body.payload.eq(word)]
                with m.If(~proper):
                    m.d.comb += body.payload.eq(Const({"last": 1, "cut": 1}, LinkWord))
                with m.If(self.i.valid & body.ready):
                    m.d.sync += left.eq(left - 4)
                    with m.If(~proper):
                        breaks()
                    with m.Elif(word.last):
                        m.next = "HEADER"

            # Drops the rest of the frame.
            with m.State("DRAIN"):
                m.d.comb += self.i.ready.eq(1)
                with m.If(self.i.valid & word.last):
                    m.next = "HEADER"
        return m


class FrameWriter(wiring.Component):
    """Puts frames together. A frame of n words takes n clocks if nothing stalls; its first word is offered in the clock in which the header
    is, and the header is taken with its last word.

    Members
    -------
    i : In(Frames())
    o : Out(stream.Signature(LinkWord))
    port : Out(range(PORTS))
        The port of the frame whose words are offered.
    """

    def __init__(self):
        super().__init__({"i": In(Frames()), "o": Out(stream.Signature(LinkWord)), "port": Out(range(PORTS))})

    def elaborate(self, platform):
        m = Module()
        header, word = self.i.header, self.o.payload
        index, port = Signal(range(_WORDS)), Signal(range(PORTS))
        bare = header.payload.length == 0
        with m.FSM():
            # Writes the words of the header.
            with m.State("HEADER"):
                m.d.comb += [
                    self.o.valid.eq(header.valid),
                    word.data.eq(header.payload.as_value()[:_RAW].word_select(index, 32)),
                    word.count.eq(4),
                    word.last.eq((index == _WORDS - 1) & bare),
                    self.port.eq(header.payload.port),
                ]
                m.d.sync += port.eq(header.payload.port)
                with m.If(header.valid & self.o.ready):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == _WORDS - 1):
                        m.d.comb += header.ready.eq(1)
                        m.d.sync += index.eq(0)
                        with m.If(~bare):
                            m.next = "BODY"

            # Passes the body.
            with m.State("BODY"):
                m.d.comb += [
                    self.o.valid.eq(self.i.body.valid),
                    self.i.body.ready.eq(self.o.ready),
                    word.eq(self.i.body.payload),
                    self.port.eq(port),
                ]
                with m.If(self.i.body.valid & self.o.ready & self.i.body.payload.last):
                    m.next = "HEADER"
        return m


class FramesMux(wiring.Component):
    """Frames of several units, taken apart, one after the other: the units that may begin take turns. A frame takes a clock more than it
    would alone.

    Parameters
    ----------
    streams : int

    Members
    -------
    i : In(Frames()).array(streams)
    o : Out(Frames())
    begins : In(streams)
        Which units may begin a frame in this clock, by default all: its header is offered from the next one on.
    """

    def __init__(self, *, streams: int):
        if not isinstance(streams, int) or streams < 1:
            raise ValueError(f"streams must be an integer of at least 1, not {streams!r}")
        self._streams = streams
        super().__init__({"i": In(Frames()).array(streams), "o": Out(Frames()), "begins": In(streams, init=(1 << streams) - 1)})

    def elaborate(self, platform):
        m = Module()
        turn, heads, follows = Signal(range(self._streams)), Signal(), Signal()
        header, body = self.o.header, self.o.body
        with m.Switch(turn):
            for number, unit in enumerate(self.i):
                with m.Case(number):
                    m.d.comb += [
                        header.valid.eq(heads & unit.header.valid),
                        header.payload.eq(unit.header.payload),
                        unit.header.ready.eq(heads & header.ready),
                        body.valid.eq(follows & unit.body.valid),
                        body.payload.eq(unit.body.payload),
                        unit.body.ready.eq(follows & body.ready),
                    ]
                    for behind in range(self._streams, 0, -1):
                        other = (number + behind) % self._streams
                        with m.If(~heads & ~follows & self.i[other].header.valid & self.begins[other]):
                            m.d.sync += [heads.eq(1), turn.eq(other)]
        with m.If(header.valid & header.ready):
            m.d.sync += [heads.eq(0), follows.eq(header.payload.length != 0)]
        with m.If(body.valid & body.ready & body.payload.last):
            m.d.sync += follows.eq(0)
        return m
