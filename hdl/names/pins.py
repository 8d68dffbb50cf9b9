"""Asks the name table for names ahead, because most are there already."""

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

    A look-up goes among the names of documents and takes some 20 clocks; a pin begins when all before it are answered. Four names are
    under way at once. A name that is one of the latest four, word for word, is answered without the table; it is not forgotten before
    something is given back. A name is taken in whole before it is asked for.

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
        # Places of a name each, which are filled, asked about, answered and left in turn. What was answered stays in its place.
        word = data.StructLayout({"data": 32, "count": ByteCount, "last": 1})
        filling, asking, answering, leaving = (Signal(range(_PLACES), name=name) for name in ("filling", "asking", "answering", "leaving"))
        filled, told, known = Signal(_PLACES), Signal(_PLACES), Signal(_PLACES)  # complete, asked about, answered
        longs, kept = Signal(_PLACES), Signal(_PLACES)
        direct = Signal(_PLACES)  # answered without the table
        answers = Array(Signal(NameResponse(config), name=f"answer{n}") for n in range(_PLACES))
        pinning = Signal()

        # Filling: beyond the limit words are lost, and the name with them. Each word is compared with those of names that were answered.
        count = Signal(range(limit + 1))
        pins, taken, like = Signal(), Signal(), Signal(_PLACES, init=(1 << _PLACES) - 1)
        index, place = Signal(index_bits), Signal(range(_PLACES))
        same, words = [], []
        m.d.comb += [pins.eq(self.i.valid & (given.op == NameOp.PIN)), taken.eq(pins & ~filled.bit_select(filling, 1))]
        for number in range(_PLACES):
            m.submodules[f"words{number}"] = store = memory.Memory(shape=word, depth=max(2, 1 << index_bits), init=[])
            write, own, read = store.write_port(), store.read_port(domain="comb"), store.read_port(domain="comb")
            m.d.comb += [
                write.addr.eq(count),
                *(write.data[name].eq(given[name]) for name in word.members),
                write.en.eq(taken & (count != limit) & (filling == number)),
                own.addr.eq(count),
                read.addr.eq(index),
            ]
            same.append(Cat(own.data[name] == given[name] for name in word.members).all())
            words.append(read.data)
        alike = like & Cat(same) & kept & (count != limit).replicate(_PLACES)
        hit = Signal(NameResponse(config))
        for number in range(_PLACES):
            with m.If(alike[number]):
                m.d.comb += hit.eq(answers[number])
        with m.If(taken):
            m.d.sync += [count.eq(Mux(given.last, 0, count + (count != limit))), like.eq(Mux(given.last, ~0, alike))]
            with m.If(count == 0):
                m.d.sync += kept.bit_select(filling, 1).eq(0)
            with m.If(given.last):
                m.d.sync += [
                    filling.eq(filling + 1),
                    filled.bit_select(filling, 1).eq(1),
                    longs.bit_select(filling, 1).eq(count == limit),
                ]
                m.d.sync += direct.bit_select(filling, 1).eq(alike.any() | (count == limit))
                m.d.sync += [answers[filling].eq(hit), answers[filling].ok.eq(alike.any())]

        # Asking: a look-up for each place in turn, a pin for the place that leaves next.
        finds, released = Signal(), Signal()
        asked_word = Array(words)[place]
        m.d.comb += [
            place.eq(Mux(pinning, leaving, asking)),
            *(asked[name].eq(asked_word[name]) for name in word.members),
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
                    m.d.comb += self.o.valid.eq(~direct.bit_select(asking, 1))
                    with m.If(sent):
                        m.d.sync += index.eq(Mux(asked_word.last, 0, index + 1))
                    with m.If((sent & asked_word.last) | direct.bit_select(asking, 1)):
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
                    m.d.sync += index.eq(Mux(asked_word.last, 0, index + 1))
                    with m.If(asked_word.last):
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
        # a name that was not asked about has its answer already, in its turn
        unasked = Signal()
        m.d.comb += unasked.eq((direct & told & ~known).bit_select(answering, 1))
        m.d.comb += self.i_response.ready.eq(~unasked)
        with m.If(pinning):
            with m.If(self.i_response.valid):
                m.d.sync += [answers[leaving].eq(self.i_response.payload), pinned.eq(1)]
        with m.Elif(self.i_response.valid | unasked):
            m.d.sync += [known.bit_select(answering, 1).eq(1), answering.eq(answering + 1)]
            with m.If(~unasked):
                m.d.sync += answers[answering].eq(self.i_response.payload)
        m.d.comb += [
            self.o_response.payload.eq(answers[leaving]),
            self.o_response.valid.eq(Mux(pinning, pinned, known.bit_select(leaving, 1) & (answers[leaving].ok | long))),
        ]
        with m.If(self.o_response.valid & self.o_response.ready):
            forget(leaving)
            m.d.sync += [leaving.eq(leaving + 1), pinned.eq(0), kept.bit_select(leaving, 1).eq(answers[leaving].ok)]
        with m.If(released):
            m.d.sync += kept.eq(0)
        return m
