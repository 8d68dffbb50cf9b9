"""From the words of a value to its answer: the number of a stored string, or its place among the stored numbers."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.match.ops import NumberWord, ValueWord
from hdl.shapes.tables import StringPort
from hdl.shapes.tests import NumberKey, StringAnswer
from hdl.values import DecimalReader

__all__ = ["NumberFeeder", "StringFeeder"]


class StringFeeder(wiring.Component):
    """Hands the words of values to the string store, and its answers on.

    A word a clock; after the last one those of the store's search, and two more.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(ValueWord))``
    o : ``Out(stream.Signature(StringAnswer(config)))``
        One for each value that is not silent, and for each word ``again``, in order.
    port : ``In(StringPort(config))``
    idle : ``Out(1)``
        No value is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(ValueWord)),
                "o": Out(stream.Signature(StringAnswer(config))),
                "port": In(StringPort(config)),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        word, port = self.i.payload, self.port
        void, begun, kept, sought = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            port.data.eq(word.data),
            port.count.eq(word.count),
            self.o.payload.found.eq(port.found & ~void),
            self.o.payload.value.eq(port.value),
        ]
        with m.FSM() as fsm:
            with m.State("WORDS"):
                # Takes the words of a value; before the first one the store forgets the value that it has.
                m.d.comb += [self.i.ready.eq(word.again | ~kept), port.push.eq(self.i.valid & ~word.again & ~kept)]
                m.d.comb += port.clear.eq(self.i.valid & ~word.again & kept)
                with m.If(port.clear):
                    m.d.sync += kept.eq(0)
                with m.If(port.push):
                    m.d.sync += [void.eq(word.void), sought.eq(0), kept.eq(word.last), begun.eq(~word.last)]
                with m.If(self.i.valid & self.i.ready & word.last & ~word.silent):
                    m.next = "SEARCH"
                    with m.If(Mux(word.again, void | sought, word.void)):
                        m.next = "ANSWER"
                    with m.Else():
                        m.d.comb += port.search.eq(1)
            with m.State("SEARCH"):
                # Waits for the store.
                m.d.sync += sought.eq(1)
                with m.If(port.done):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                # Until the answer is taken.
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.next = "WORDS"
        m.d.comb += self.idle.eq(fsm.ongoing("WORDS") & ~begun)
        return m


class NumberFeeder(wiring.Component):
    """Reads the words of values as numbers.

    A byte a clock while the value may be a number, and of a word that is all white space one; a word a clock after one that shows that
    it is none. The
    number comes 3 clocks after its last byte.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(NumberWord))``
    o : ``Out(stream.Signature(NumberKey(config)))``
        One for each value that is not silent, and for each word ``again``, in order.
    idle : ``Out(1)``
        No value is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__({"i": In(stream.Signature(NumberWord)), "o": Out(stream.Signature(NumberKey(config))), "idle": Out(1)})

    def elaborate(self, platform):
        m = Module()
        word = self.i.payload
        m.submodules.decimal = decimal = DecimalReader(self.config)

        # Whether the word at hand has a byte that no number has, and whether it is all white space.
        foreign, solid = Signal(4), Signal(4)
        for n in range(4):
            byte = word.data.word_select(n, 8)
            is_space = (byte == 0x20) | (byte == 0x09) | (byte == 0x0D) | (byte == 0x0A)
            is_number = ((byte[4:] == 3) & (byte[:4] <= 9)) | (byte == ord(".")) | (byte == ord("-"))
            m.d.comb += [solid[n].eq(~is_space & (n < word.count)), foreign[n].eq(solid[n] & ~is_number)]
        alien = foreign.any() | word.void

        letters, left = Signal(32), Signal(3)
        unlike, many, begun = Signal(), Signal(), Signal()
        closing, settled = Signal(), Signal(2)
        m.d.comb += [
            self.i.ready.eq(~closing & (left <= 1)),
            decimal.byte.eq(letters[:8]),
            decimal.push.eq(left != 0),
            self.o.valid.eq(closing & settled[1]),
            self.o.payload.key.eq(decimal.key),
            self.o.payload.key.nan.eq(decimal.key.nan | unlike),
            self.o.payload.excess.eq((decimal.over | many) & ~unlike),
            decimal.clear.eq(self.i.valid & self.i.ready & ~begun & ~word.again),
            self.idle.eq(~begun & ~closing & (left == 0)),
        ]
        m.d.sync += [letters.eq(letters >> 8), settled.eq(Cat(closing & (left == 0), settled))]
        with m.If(left != 0):
            m.d.sync += left.eq(left - 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [letters.eq(word.data), begun.eq(~word.last), closing.eq(word.last & ~word.silent)]
            with m.If(~word.again):
                none = alien | (unlike & begun)
                m.d.sync += [unlike.eq(none), many.eq(word.many | (many & begun))]
                m.d.sync += left.eq(Mux(none, 0, Mux(solid.any(), word.count, word.count != 0)))
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += [closing.eq(0), settled.eq(0)]
        return m
