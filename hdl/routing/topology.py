"""TOPOLOGY frames: what the topology entity writes into the VRT [T 5.4.3.6.1]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Kind, Refusal
from hdl.routing.path import Identity
from hdl.routing.relay import port_of
from hdl.shapes.routing import FrameHeader, Frames, RoutePart, RouteWord
from hdl.shapes.widths import RefusalCode, ShortCount

__all__ = ["ByteClass", "ByteQuery", "TopologyReader"]


class ByteClass(data.Struct):
    """What a byte of UTF-8 is to a name of XML: the ``part`` of a character that is not complete; the end of a character that may ``start``
    a name, or go on with one (``name``); ``bad`` when it is not UTF-8 here."""

    part: 1
    start: 1
    name: 1
    bad: 1


class ByteQuery(wiring.Signature):
    """Asks what bytes are, one after the other: for one clock ``asks`` with the ``byte``, ``last`` with the final one of a text; some
    clocks later, for one clock, ``answered`` with its ``answer``."""

    def __init__(self):
        super().__init__({"asks": Out(1), "byte": Out(8), "last": Out(1), "answered": In(1), "answer": In(ByteClass)})


class _Place(enum.Enum, shape=3):
    """Where in X the next byte is."""

    BEGIN = 0
    """The first character of a name, of ``@`` or of ``*``."""
    NAME_BEGIN = 1
    """The first character of the name of an attribute."""
    NAME = 2
    VALUE = 3
    STAR = 4
    FAULT = 5


class TopologyReader(wiring.Component):
    """Turns TOPOLOGY frames into changes of the VRT, and gives a RESULT for each, in order.

    The code is BAD_HEADER for a bit that TOPOLOGY does not use, UNKNOWN_NEIGHBOUR for a BID of no neighbour, BAD_CRITERION for an X that is
    none [:class:`hdl.contract.Criterion`], NAME_LENGTH and LITERAL_LENGTH for one that no subscription can have, or the VRT's. A frame
    that is cut changes nothing and has no RESULT.

    X is read byte by byte, in as many clocks each as ``bytes`` takes to answer, and three more.

    Parameters
    ----------
    config : BrokerConfig
    ports : int

    Members
    -------
    i : In(Frames())
        TOPOLOGY frames.
    o_change, i_answer : Out(stream), In(stream)
        Those of the VRT.
    o_result : Out(stream.Signature(FrameHeader))
        RESULT frames, with the port that the frame came from.
    bytes : Out(ByteQuery())
    identity : In(Identity(ports))
    more : Out(1)
        The frame before belongs to a change that goes on.
    refused : Out(ShortCount)
    """

    def __init__(self, config, *, ports: int):
        self._config = config
        super().__init__(
            {
                "i": In(Frames()),
                "o_change": Out(stream.Signature(RouteWord)),
                "i_answer": In(stream.Signature(RefusalCode)),
                "o_result": Out(stream.Signature(FrameHeader)),
                "bytes": Out(ByteQuery()),
                "identity": In(Identity(ports)),
                "more": Out(1),
                "refused": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, header, body = self._config, self.i.header.payload, self.i.body
        frame = Signal(FrameHeader)
        code, silent = Signal(RefusalCode), Signal()
        place, attribute = Signal(_Place), Signal()
        size = Signal(range(max(config.name_bytes, config.value_bytes) + 2))
        # The word that is being filled; it leaves when it is known what follows it.
        word, part = Signal(32), Signal(RoutePart)
        count = Signal(3)
        lane = Signal(2)
        byte, ended = Signal(8), Signal()
        answer = Signal(ByteClass)
        change = self.o_change.payload
        last, void = Signal(), Signal(RefusalCode)
        m.d.comb += [
            # Whole, because the last bit is of no use here.
            change.eq(Cat(part, word, count, last, frame.options[0], frame.high[0], frame.low, void, Const(0, 1))),
            byte.eq(body.payload.data.word_select(lane, 8)),
            ended.eq(lane + 1 == body.payload.count),
            self.bytes.byte.eq(byte),
            self.bytes.last.eq((ended & body.payload.last) | body.payload.cut),
            self.o_result.payload.eq(frame),
            self.o_result.payload.kind.eq(Kind.RESULT),
            self.o_result.payload.options.eq(0),
            self.o_result.payload.high.eq(0),
            self.o_result.payload.low.eq(code),
            self.o_result.payload.length.eq(0),
        ]

        def fault(refusal):
            m.d.sync += [place.eq(_Place.FAULT), code.eq(refusal)]

        def put():
            """One byte more of the part; its word has room."""
            m.d.sync += [word.word_select(count[:2], 8).eq(byte), count.eq(count + 1), size.eq(size + 1)]

        is_value = place == _Place.VALUE
        most = Mux(is_value, config.value_bytes, config.name_bytes)
        closes = Signal()
        m.d.comb += closes.eq(attribute & (place == _Place.NAME) & (byte == ord("=")) & ~answer.part & ~answer.bad)
        begins = (place == _Place.BEGIN) | (place == _Place.NAME_BEGIN)

        with m.FSM():
            # Waits for a frame.
            with m.State("HEADER"):
                m.d.comb += self.i.header.ready.eq(1)
                m.d.sync += [frame.eq(header), code.eq(Refusal.NONE), silent.eq(0), lane.eq(0)]
                m.d.sync += [place.eq(_Place.BEGIN), attribute.eq(0), size.eq(0), word.eq(0), count.eq(0), part.eq(RoutePart.NAME)]
                with m.If(self.i.header.valid):
                    m.next = "CHECK"

            with m.State("CHECK"):
                with m.If(frame.options[1:].any() | frame.high[2:].any()):
                    m.d.sync += code.eq(Refusal.BAD_HEADER)
                    m.next = "DROP"
                with m.Elif(~port_of(self.identity, frame.low).any()):
                    m.d.sync += code.eq(Refusal.UNKNOWN_NEIGHBOUR)
                    m.next = "DROP"
                with m.Elif(frame.length == 0):
                    m.d.sync += code.eq(Refusal.BAD_CRITERION)
                    m.next = "RESULT"
                with m.Else():
                    m.next = "BYTE"

            # Asks what the next byte is. A mark asks too, so that the next text is not taken for the rest of this one.
            with m.State("BYTE"):
                m.d.comb += self.bytes.asks.eq(body.valid)
                with m.If(body.valid & body.payload.cut):
                    fault(Refusal.BAD_CRITERION)
                    m.d.comb += body.ready.eq(1)
                    m.d.sync += silent.eq(1)
                    m.next = "LAST"
                with m.Elif(body.valid):
                    m.next = "CLASS"
            with m.State("CLASS"):
                m.d.sync += answer.eq(self.bytes.answer)
                with m.If(self.bytes.answered):
                    m.next = "ROOM"

            # A full word leaves before the next byte, and the last of a name before the value.
            with m.State("ROOM"):
                leaves = Signal()
                m.d.comb += [leaves.eq((place != _Place.FAULT) & ((count == 4) | closes)), self.o_change.valid.eq(leaves)]
                with m.If(self.o_change.ready | ~leaves):
                    with m.If(leaves):
                        m.d.sync += [word.eq(0), count.eq(0)]
                    m.next = "TAKE"

            # Takes the byte.
            with m.State("TAKE"):
                m.d.sync += lane.eq(lane + 1)
                m.next = "BYTE"
                with m.If(ended):
                    m.d.comb += body.ready.eq(1)
                    m.d.sync += lane.eq(0)
                    with m.If(body.payload.last):
                        m.next = "END"
                with m.If(place == _Place.FAULT):
                    pass
                with m.Elif(answer.bad | (place == _Place.STAR)):
                    fault(Refusal.BAD_CRITERION)
                with m.Elif(closes):
                    m.d.sync += [place.eq(_Place.VALUE), part.eq(RoutePart.VALUE), size.eq(0)]
                with m.Elif((place == _Place.BEGIN) & (size == 0) & (byte == ord("@"))):
                    m.d.sync += [place.eq(_Place.NAME_BEGIN), attribute.eq(1)]
                with m.Elif((place == _Place.BEGIN) & (size == 0) & (byte == ord("*"))):
                    m.d.sync += [place.eq(_Place.STAR), part.eq(RoutePart.ALL)]
                with m.Elif(~is_value & ~answer.part & ~answer.start & (begins | ~answer.name)):
                    fault(Refusal.BAD_CRITERION)
                with m.Elif(size == most):
                    fault(Mux(is_value, Refusal.LITERAL_LENGTH, Refusal.NAME_LENGTH))
                with m.Else():
                    put()
                    with m.If(begins & ~answer.part):
                        m.d.sync += place.eq(_Place.NAME)

            # X must not end in the middle of something.
            with m.State("END"):
                with m.If((place != _Place.FAULT) & (begins | answer.part | ((place == _Place.NAME) & attribute))):
                    fault(Refusal.BAD_CRITERION)
                m.next = "LAST"

            # The last word of the change, or that it is void.
            with m.State("LAST"):
                m.d.comb += [self.o_change.valid.eq(1), last.eq(1), void.eq(Mux(place == _Place.FAULT, code, Refusal.NONE))]
                with m.If(self.o_change.ready):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += self.i_answer.ready.eq(1)
                m.d.sync += code.eq(self.i_answer.payload)
                with m.If(self.i_answer.valid):
                    m.next = "RESULT"

            # A frame that is refused for its header: X is not looked at.
            with m.State("DROP"):
                m.d.comb += body.ready.eq(frame.length != 0)
                m.d.sync += silent.eq(body.payload.cut)
                with m.If((frame.length == 0) | (body.valid & body.payload.last)):
                    m.next = "RESULT"

            with m.State("RESULT"):
                m.d.comb += self.o_result.valid.eq(~silent)
                with m.If(self.o_result.ready | silent):
                    with m.If(code != 0):
                        m.d.sync += self.refused.eq(self.refused + 1)
                    with m.Else():
                        m.d.sync += self.more.eq(frame.high[1])
                    m.next = "HEADER"
        return m
