"""Frames on the host link: to the unit that each is for, and from all of them back."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import VERSION_BITS, Header, Kind, Refusal
from hdl.framers import swapped
from hdl.shapes.edge import BusRequest, BusResponse
from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import RefusalCode
from hdl.stream import StreamFifo

__all__ = ["FrameJoiner", "FrameSplitter"]

_HEADER_WORDS = Header.BYTES // 4
_PUBLICATIONS = 32
"""Publications whose verdicts have not come yet."""

_FORMAT, _ATTACHED = 0, 3
"""Bits of a frame's options."""


class FrameSplitter(wiring.Component):
    """Takes frames byte by byte and hands each to the unit that it is for, in order.

    SUBSCRIBE and UNSUBSCRIBE go on whole, of PUBLISH and SKELETON the body. ACCESS becomes a request to the register file, and its
    answer an ACCESS frame. What no unit takes becomes a RESULT frame that says why: frames of another version or of any other kind,
    messages, attachments, and, as BAD_HEADER, bits that the kind does not use and an ACCESS of the wrong length. The bodies of such frames
    are dropped, and they are counted.

    Members
    -------
    i : In(stream.Signature(8))
    subscription, publication, skeleton : Out(stream.Signature(DocumentWord))
    reference : Out(stream.Signature(32))
        Those of publications, in order, for their verdicts.
    request, response : Out(stream.Signature(BusRequest)), In(stream.Signature(BusResponse))
    answer : Out(stream.Signature(DocumentWord))
        Frames that this unit answers with.
    misfits : Out(32)
    """

    i: In(stream.Signature(8))
    subscription: Out(stream.Signature(DocumentWord))
    publication: Out(stream.Signature(DocumentWord))
    skeleton: Out(stream.Signature(DocumentWord))
    reference: Out(stream.Signature(32))
    request: Out(stream.Signature(BusRequest))
    response: In(stream.Signature(BusResponse))
    answer: Out(stream.Signature(DocumentWord))
    misfits: Out(32)

    def elaborate(self, platform):
        m = Module()
        m.submodules.references = references = StreamFifo(32, _PUBLICATIONS)
        wiring.connect(m, references.o, wiring.flipped(self.reference))
        header = Signal(data.ArrayLayout(32, _HEADER_WORDS))
        index = Signal(range(_HEADER_WORDS + 1))
        left = Signal(32)
        kind, options, aux = header[0][:8], header[0][8:16], Signal(16)
        words = {"subscription": self.subscription, "publication": self.publication, "skeleton": self.skeleton}
        target = {name: Signal(name=f"to_{name}") for name in (*words, "access", "nowhere")}

        # Bytes become words; a body that is empty is one word without bytes.
        word = Signal(DocumentWord)
        whole = Signal()
        taken = Signal()
        m.d.comb += [aux.eq(swapped(header[0][16:]))]
        forwards = Signal()
        for name, port in words.items():
            m.d.comb += [port.payload.eq(word), port.valid.eq(forwards & whole & target[name])]
        m.d.comb += taken.eq(Cat(port.ready & target[name] for name, port in words.items()).any() | target["access"] | target["nowhere"])

        data_word = Signal(32)
        failed = Signal()
        refuses, code = Signal(), Signal(RefusalCode)
        back = Signal(range(_HEADER_WORDS + 1))
        access = Cat(Const(Kind.ACCESS, 8), Const(0, 8), swapped(aux | failed << 14))
        refusal = Cat(Const(Kind.RESULT, 8), Const(0, 16), code)
        answers = [
            Mux(refuses, refusal, access),
            Mux(refuses, header[1], 0),
            Mux(refuses, header[2], 0),
            header[3],
            Mux(refuses, 0, swapped(Const(4, 32))),
            data_word,
        ]
        writes = aux[15]
        m.d.comb += [
            self.request.payload.address.eq(aux[:13]),
            self.request.payload.data.eq(data_word),
            self.request.payload.write.eq(writes),
            references.i.payload.eq(swapped(header[3])),
            self.answer.payload.last.eq(back == Mux(refuses, _HEADER_WORDS - 1, _HEADER_WORDS)),
        ]
        with m.Switch(back):
            for number, value in enumerate(answers):
                with m.Case(number):
                    m.d.comb += [self.answer.payload.data.eq(value), self.answer.payload.count.eq(4)]

        with m.FSM():
            with m.State("HEADER"):
                m.d.comb += self.i.ready.eq(~whole)
                m.d.sync += [back.eq(0), failed.eq(0), refuses.eq(0)]
                with m.If(self.i.valid & ~whole):
                    m.d.sync += [word.data.eq(Cat(word.data[8:], self.i.payload)), word.count.eq(word.count + 1)]
                    with m.If(word.count == 3):
                        m.d.sync += whole.eq(1)
                with m.If(whole):
                    m.d.sync += [header[index].eq(word.data), index.eq(index + 1), whole.eq(0), word.count.eq(0)]
                    with m.If(index == _HEADER_WORDS - 1):
                        m.d.sync += index.eq(0)
                        m.next = "KIND"
            with m.State("KIND"):
                m.d.sync += [left.eq(swapped(header[4])), word.last.eq(0)]
                m.d.sync += [signal.eq(0) for signal in target.values()]
                m.next = "BODY"

                def hand(name, good):
                    """The body goes to a unit if the frame is ``good``, and nowhere if not."""
                    m.d.sync += [target[name].eq(good), target["nowhere"].eq(~good), refuses.eq(~good)]

                odd = options.any() | aux.any()
                m.d.sync += code.eq(Refusal.BAD_HEADER)
                with m.Switch(kind):
                    with m.Case(Kind.SUBSCRIBE, Kind.UNSUBSCRIBE):
                        m.d.sync += target["subscription"].eq(1)
                        m.next = "FORWARD"
                    with m.Case(Kind.SKELETON):
                        hand("skeleton", ~odd)
                    with m.Case(Kind.PUBLISH):
                        hand("publication", ~odd)
                        m.d.comb += references.i.valid.eq(~odd)
                        with m.If(~references.i.ready & ~odd):
                            m.next = "KIND"
                        with m.If(~Cat(options[1:_ATTACHED], options[_ATTACHED + 1 :], aux).any()):
                            m.d.sync += code.eq(Refusal.UNSUPPORTED_ATTACHMENT)
                            with m.If(options[_FORMAT]):
                                m.d.sync += code.eq(Refusal.UNSUPPORTED_FORMAT)
                    with m.Case(Kind.ACCESS):
                        hand("access", (swapped(header[4]) == Mux(writes, 4, 0)) & ~options.any())
                    with m.Default():
                        m.d.sync += [target["nowhere"].eq(1), refuses.eq(1)]
                        m.d.sync += code.eq(Refusal.UNSUPPORTED_KIND)
                        with m.If(kind[5:] != VERSION_BITS):
                            m.d.sync += code.eq(Refusal.UNSUPPORTED_VERSION)

            # The header goes before the body.
            with m.State("FORWARD"):
                m.d.comb += [
                    self.subscription.valid.eq(1),
                    self.subscription.payload.data.eq(header[index]),
                    self.subscription.payload.count.eq(4),
                    self.subscription.payload.last.eq((index == _HEADER_WORDS - 1) & (left == 0)),
                ]
                with m.If(self.subscription.ready):
                    m.d.sync += index.eq(index + 1)
                    with m.If(index == _HEADER_WORDS - 1):
                        m.d.sync += index.eq(0)
                        m.next = "BODY"
                        with m.If(left == 0):
                            m.next = "HEADER"
            with m.State("BODY"):
                m.d.comb += [self.i.ready.eq(~whole & (left != 0)), forwards.eq(1)]
                with m.If(self.i.valid & self.i.ready):
                    m.d.sync += [
                        word.data.word_select(word.count[:2], 8).eq(self.i.payload),
                        word.count.eq(word.count + 1),
                        left.eq(left - 1),
                        word.last.eq(left == 1),
                        whole.eq((word.count == 3) | (left == 1)),
                    ]
                    with m.If(word.count == 0):
                        m.d.sync += word.data.eq(self.i.payload)
                with m.Elif(~whole & (left == 0)):
                    m.d.sync += [whole.eq(1), word.last.eq(1), word.data.eq(0)]
                with m.If(whole & taken):
                    m.d.sync += [whole.eq(0), word.count.eq(0), data_word.eq(swapped(word.data))]
                    with m.If(word.last):
                        m.next = "HEADER"
                        with m.If(target["access"]):
                            m.next = "REQUEST"
                        with m.Elif(target["nowhere"]):
                            m.d.sync += self.misfits.eq(self.misfits + 1)
                            m.next = "ANSWER"
            with m.State("REQUEST"):
                m.d.comb += self.request.valid.eq(1)
                with m.If(self.request.ready):
                    m.next = "RESPONSE"
            with m.State("RESPONSE"):
                m.d.comb += self.response.ready.eq(1)
                with m.If(self.response.valid):
                    m.d.sync += [data_word.eq(swapped(self.response.payload.data)), failed.eq(self.response.payload.error)]
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += self.answer.valid.eq(1)
                with m.If(self.answer.ready):
                    m.d.sync += back.eq(back + 1)
                    with m.If(self.answer.payload.last):
                        m.d.sync += back.eq(0)
                        m.next = "HEADER"
        return m


class FrameJoiner(wiring.Component):
    """Sends frames of several streams byte by byte, each one whole; the streams take turns.

    Parameters
    ----------
    streams : int

    Members
    -------
    i : In(stream.Signature(DocumentWord)), one per stream
        Frames, a packet each.
    o : Out(stream.Signature(8))
    """

    def __init__(self, *, streams: int):
        self._streams = streams
        super().__init__({"i": In(stream.Signature(DocumentWord)).array(streams), "o": Out(stream.Signature(8))})

    def elaborate(self, platform):
        m = Module()
        turn = Signal(range(self._streams))
        chosen = Signal()
        word = Signal(DocumentWord)
        place = Signal(2)
        busy = Signal()
        takes = Signal()
        last = place + 1 == word.count
        m.d.comb += [
            self.o.valid.eq(busy),
            self.o.payload.eq(word.data.word_select(place, 8)),
            takes.eq(chosen & ~busy),
        ]
        with m.If(busy & self.o.ready):
            m.d.sync += place.eq(place + 1)
            with m.If(last):
                m.d.sync += [busy.eq(0), place.eq(0), chosen.eq(~word.last)]
        offers = Signal()
        with m.Switch(turn):
            for number, port in enumerate(self.i):
                with m.Case(number):
                    m.d.comb += [offers.eq(port.valid), port.ready.eq(takes)]
                    with m.If(takes & port.valid):
                        m.d.sync += [word.eq(port.payload), busy.eq(port.payload.count != 0)]
        with m.If(~chosen):
            with m.If(offers):
                m.d.sync += chosen.eq(1)
            with m.Else():
                m.d.sync += turn.eq(Mux(turn == self._streams - 1, 0, turn + 1))
        return m
