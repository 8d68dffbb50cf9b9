"""Segments of the host link, to and from bytes on the wire: :class:`hdl.contract.Segment`."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import crc, data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Segment

__all__ = ["SegmentHead", "SegmentReceiver", "SegmentSender"]

_CRC = crc.catalog.CRC32_ISO_HDLC


class SegmentHead(data.Struct):
    """The five bytes before a payload."""

    kind: unsigned(8)
    session: unsigned(8)
    a: unsigned(8)
    b: unsigned(8)
    length: unsigned(8)


class SegmentReceiver(wiring.Component):
    """Takes segments out of bytes, one a clock, whatever came before a flag.

    Payload bytes are shown as they come, before it is known whether the segment is good. One clock after the flag that ends it either
    ``good`` or
    ``damaged`` is 1; nothing else than a wrong check sum, a wrong length or an escape at its end makes a segment damaged. Fewer bytes
    than a header between two flags count as damaged too, none at all as nothing.

    Members
    -------
    i : In(stream.Signature(8))
        Always ready.
    head : Out(SegmentHead)
        Complete before the first byte of the payload; stays until the next segment's first byte.
    byte_valid, byte_index, byte : Out(1), Out(8), Out(8)
        A byte of the payload and its place.
    good, damaged : Out(1)
    """

    i: In(stream.Signature(8))
    head: Out(SegmentHead)
    byte_valid: Out(1)
    byte_index: Out(8)
    byte: Out(8)
    good: Out(1)
    damaged: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = check = _CRC(data_width=8).create()
        escaped = Signal()
        flag, escape = self.i.payload == Segment.FLAG, self.i.payload == Segment.ESCAPE
        plain = Signal()
        byte = Signal(8)
        m.d.comb += [
            plain.eq(self.i.valid & ~flag & ~escape),
            byte.eq(Mux(escaped, self.i.payload ^ Segment.INVERTED, self.i.payload)),
            self.i.ready.eq(1),
            check.start.eq(self.i.valid & flag),
            check.valid.eq(plain),
            check.data.eq(byte),
        ]
        # Bytes since the flag, counted no further than a segment can be long.
        longest = Segment.HEADER_BYTES + Segment.MAX_PAYLOAD + Segment.CHECK_BYTES
        count = Signal(range(longest + 2))
        head = Signal(8 * Segment.HEADER_BYTES)
        m.d.comb += self.head.eq(head)
        m.d.sync += [self.byte_valid.eq(0), self.good.eq(0), self.damaged.eq(0)]
        with m.If(plain):
            m.d.sync += [escaped.eq(0), self.byte.eq(byte)]
            with m.If(count <= longest):
                m.d.sync += count.eq(count + 1)
            with m.If(count < Segment.HEADER_BYTES):
                m.d.sync += head.eq(Cat(head[8:], byte))
            with m.Elif(count - Segment.HEADER_BYTES < head[-8:]):
                m.d.sync += [self.byte_valid.eq(1), self.byte_index.eq(count - Segment.HEADER_BYTES)]
        with m.Elif(self.i.valid & escape):
            m.d.sync += escaped.eq(1)
        with m.Elif(self.i.valid):
            whole = count == head[-8:] + (Segment.HEADER_BYTES + Segment.CHECK_BYTES)
            proper = Signal()
            m.d.comb += proper.eq((count >= Segment.HEADER_BYTES + Segment.CHECK_BYTES) & whole & check.match_detected & ~escaped)
            m.d.sync += [count.eq(0), escaped.eq(0), self.good.eq(proper), self.damaged.eq(~proper & ((count != 0) | escaped))]
        return m


class SegmentSender(wiring.Component):
    """Sends a segment as bytes: one every third clock at most.

    Members
    -------
    i : In(stream.Signature(SegmentHead))
        Taken with the segment's last byte.
    index, byte : Out(8), In(8)
        Place in the payload, and the byte there one clock later.
    o : Out(stream.Signature(8))
    """

    i: In(stream.Signature(SegmentHead))
    index: Out(8)
    byte: In(8)
    o: Out(stream.Signature(8))

    def elaborate(self, platform):
        m = Module()
        m.submodules.crc = check = _CRC(data_width=8).create()
        head = self.i.payload.as_value()
        held = Signal(8)
        escaping = Signal()
        place = Signal(range(Segment.HEADER_BYTES))
        in_head, in_payload, in_check, last = Signal(), Signal(), Signal(), Signal()
        special = (held == Segment.FLAG) | (held == Segment.ESCAPE)
        m.d.comb += check.data.eq(held)
        with m.FSM():
            with m.State("BEGIN"):
                m.d.comb += [self.o.valid.eq(self.i.valid), self.o.payload.eq(Segment.FLAG), check.start.eq(1)]
                m.d.sync += [place.eq(0), self.index.eq(0), in_head.eq(1), in_payload.eq(0), in_check.eq(0)]
                with m.If(self.i.valid & self.o.ready):
                    m.next = "WAIT"
            # The byte at ``index`` comes with the next clock, late in it.
            with m.State("WAIT"):
                m.next = "HOLD"
            with m.State("HOLD"):
                of_head, of_check = head.word_select(place, 8), check.crc.word_select(place[:2], 8)
                m.d.sync += [
                    held.eq(Mux(in_head, of_head, Mux(in_payload, self.byte, of_check))),
                    last.eq(
                        (in_head & (place == Segment.HEADER_BYTES - 1))
                        | (in_payload & (self.index == self.i.payload.length - 1))
                        | (in_check & (place == Segment.CHECK_BYTES - 1))
                    ),
                ]
                m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += [
                    self.o.valid.eq(1),
                    self.o.payload.eq(Mux(escaping, held ^ Segment.INVERTED, Mux(special, Segment.ESCAPE, held))),
                ]
                with m.If(self.o.ready):
                    m.d.sync += escaping.eq(special & ~escaping)
                    with m.If(escaping | ~special):
                        m.d.comb += check.valid.eq(~in_check)
                        m.d.sync += [place.eq(Mux(last, 0, place + 1)), self.index.eq(self.index + in_payload)]
                        m.next = "WAIT"
                        with m.If(last):
                            empty = self.i.payload.length == 0
                            m.d.sync += [in_head.eq(0), in_payload.eq(in_head & ~empty), in_check.eq(in_payload | (in_head & empty))]
                            with m.If(in_check):
                                m.next = "END"
            with m.State("END"):
                m.d.comb += [self.o.valid.eq(1), self.o.payload.eq(Segment.FLAG), self.i.ready.eq(self.o.ready)]
                with m.If(self.o.ready):
                    m.next = "BEGIN"
        return m
