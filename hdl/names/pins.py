"""Pins names without waiting for the documents, if they are pinned already."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.names import NameOp, NameRequest, NameResponse
from hdl.shapes.widths import ByteCount

__all__ = ["PinPort"]

_PLACES = 4
"""Names under way, a power of two."""


class PinPort(wiring.Component):
    """Stands before the name table: each name that is to be pinned is looked up first, and only a new one is pinned.

    A look-up goes among the names of documents; a pin waits until they have left. Four names are under way, so that a name that is there
    costs a quarter of a look-up's 28 clocks. A name is taken in whole before it is asked for.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(NameRequest(config)))``
        PIN and UNPIN. An UNPIN waits for the answers of the names before it.
    o_response : ``Out(stream.Signature(NameResponse(config)))``
        One for each PIN, in order; a name longer than the limit is not there.
    o, i_response : ``Out(stream.Signature(NameRequest(config)))``, ``In(stream.Signature(NameResponse(config)))``
        The name table; an answer waits for a clock at most.
    """

    def __init__(self, config):
        self._config = config
        request, response = stream.Signature(NameRequest(config)), stream.Signature(NameResponse(config))
        super().__init__({"i": In(request), "o_response": Out(response), "o": Out(request), "i_response": In(response)})

    def elaborate(self, platform):
        m = Module()
        config = self._config
        given, asked = self.i.payload, self.o.payload
        limit = config.name_bytes // 4
        index_bits = max(1, ceil_log2(limit))
        # Places of a name each, which are filled, asked about, answered and left in turn.
        word = data.StructLayout({"data": 32, "count": ByteCount, "last": 1})
        m.submodules.words = words = memory.Memory(shape=word, depth=_PLACES << index_bits, init=[])
        write, read = words.write_port(), words.read_port(domain="comb")
        filling, asking, answering, leaving = (Signal(range(_PLACES), name=name) for name in ("filling", "asking", "answering", "leaving"))
        filled, told, known = Signal(_PLACES), Signal(_PLACES), Signal(_PLACES)  # complete, asked about, answered
        longs = Signal(_PLACES)
        answers = Array(Signal(NameResponse(config), name=f"answer{n}") for n in range(_PLACES))
        pinning = Signal()

        # Filling: beyond the limit words are lost, and the name with them.
        count = Signal(range(limit + 1))
        pins, taken = Signal(), Signal()
        m.d.comb += [
            pins.eq(self.i.valid & (given.op == NameOp.PIN)),
            taken.eq(pins & ~filled.bit_select(filling, 1)),
            write.addr.eq(Cat(count[:index_bits], filling)),
            *(write.data[name].eq(given[name]) for name in word.members),
            write.en.eq(taken & (count != limit)),
        ]
        with m.If(taken):
            m.d.sync += count.eq(Mux(given.last, 0, count + (count != limit)))
            with m.If(given.last):
                m.d.sync += [
                    filling.eq(filling + 1),
                    filled.bit_select(filling, 1).eq(1),
                    longs.bit_select(filling, 1).eq(count == limit),
                ]

        # Asking: a look-up for each place in turn, a pin for the place that leaves next.
        index, place, finds = Signal(index_bits), Signal(range(_PLACES)), Signal()
        released = Signal()
        m.d.comb += [
            place.eq(Mux(pinning, leaving, asking)),
            read.addr.eq(Cat(index, place)),
            *(asked[name].eq(read.data[name]) for name in word.members),
            asked.name.eq(given.name),
            asked.op.eq(Mux(finds, NameOp.FIND, NameOp.PIN)),
        ]
        sent = self.o.valid & self.o.ready

        def forget(place):
            m.d.sync += [one.bit_select(place, 1).eq(0) for one in (filled, told, known)]

        with m.FSM():
            with m.State("LOOK-UP"):
                # Asks about the next name; a new one is pinned when the others have been answered; what is given back goes between names.
                m.d.comb += finds.eq(1)
                with m.If(filled.bit_select(asking, 1) & ~told.bit_select(asking, 1)):
                    m.d.comb += self.o.valid.eq(~longs.bit_select(asking, 1))
                    with m.If(sent):
                        m.d.sync += index.eq(Mux(read.data.last, 0, index + 1))
                    with m.If((sent & read.data.last) | longs.bit_select(asking, 1)):
                        m.d.sync += [told.bit_select(asking, 1).eq(1), asking.eq(asking + 1)]
                with m.Elif(known.bit_select(leaving, 1) & ~answers[leaving].ok & ~longs.bit_select(leaving, 1) & (told == known)):
                    m.d.sync += pinning.eq(1)
                    m.next = "PIN"
                with m.Elif((filled == 0) & self.i.valid & (given.op == NameOp.UNPIN)):
                    m.d.comb += [self.o.valid.eq(1), asked.op.eq(NameOp.UNPIN), asked.last.eq(1), released.eq(self.o.ready)]
            with m.State("PIN"):
                # Has the name pinned.
                m.d.comb += self.o.valid.eq(1)
                with m.If(sent):
                    m.d.sync += index.eq(Mux(read.data.last, 0, index + 1))
                    with m.If(read.data.last):
                        m.next = "PINNED"
            with m.State("PINNED"):
                # Waits for the answer, and until it has been handed on.
                with m.If(self.o_response.valid & self.o_response.ready):
                    m.d.sync += pinning.eq(0)
                    m.next = "LOOK-UP"

        # Answers come in the order of the questions; that of a pin is handed on as it comes.
        long = longs.bit_select(leaving, 1)
        pinned = Signal()
        m.d.comb += self.i.ready.eq(taken | released)
        # a name that is too long is answered here, in its turn
        unasked = longs.bit_select(answering, 1) & told.bit_select(answering, 1) & ~known.bit_select(answering, 1)
        m.d.comb += self.i_response.ready.eq(~unasked)
        with m.If(pinning):
            with m.If(self.i_response.valid):
                m.d.sync += [answers[leaving].eq(self.i_response.payload), pinned.eq(1)]
        with m.Elif(self.i_response.valid | unasked):
            m.d.sync += [answers[answering].eq(self.i_response.payload), known.bit_select(answering, 1).eq(1), answering.eq(answering + 1)]
            with m.If(unasked):
                m.d.sync += answers[answering].ok.eq(0)
        m.d.comb += [
            self.o_response.payload.eq(answers[leaving]),
            self.o_response.valid.eq(Mux(pinning, pinned, known.bit_select(leaving, 1) & (answers[leaving].ok | long))),
        ]
        with m.If(self.o_response.valid & self.o_response.ready):
            forget(leaving)
            m.d.sync += [leaving.eq(leaving + 1), pinned.eq(0)]
        return m
