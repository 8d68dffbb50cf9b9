"""The vicinity routing table [T 5.4.3.6.1, 8.1]: where subscriptions about something go."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.contract import Refusal
from hdl.shapes.routing import RouteHit, RoutePart, RouteWord
from hdl.shapes.widths import ByteCount, RefusalCode
from hdl.stream import BlockRam

__all__ = ["VicinityRoutingTable"]


class _KeyWord(data.Struct):
    """A word of a criterion as it is kept and compared."""

    value: 1
    data: 32
    count: ByteCount


class _Head(data.StructLayout):
    """What is known of an entry beside its criterion; ``words`` is one less than the criterion has."""

    def __init__(self, words):
        super().__init__({"hash": 32, "words": range(words), "bid": 8, "solicit": 1})


class VicinityRoutingTable(wiring.Component):
    """Entries X to BID, in the order in which they were first written; the pair (X, BID) is unique.

    A change writes an entry, alters its flag, or takes it out. A look-up is the criteria of one subscription, one after the other: for
    each of them every entry with the same X comes, in the order of writing. Changes and look-ups do not mix: a change waits for the end
    of a look-up, and goes first when both wait.

    A criterion is compared by a hash first and then word by word. With n entries a criterion of w words takes w + n + 3 clocks, and w + 3
    more for each entry that has its hash. A change takes w + n + 4, and w more to write. After a reset the table is empty, and takes a
    clock for each place before anything else.

    Parameters
    ----------
    routes : int
        Entries, a power of two.
    words : int
        Words of the longest criterion, a power of two. Nobody may send more.

    Members
    -------
    i_change : In(stream.Signature(RouteWord))
        A criterion with what is to be done.
    o_answer : Out(stream.Signature(RefusalCode))
        One for each change: the reason in its last word if that has one, FULL_ROUTES for a new entry without a place, UNKNOWN_ROUTE when
        the entry to be removed is not there.
    i_query : In(stream.Signature(RouteWord))
        The criteria of a subscription, the last one ``final``; with a refusal in that word nothing is looked up any more.
    o_hit : Out(stream.Signature(RouteHit))
        The entries, then ``end`` with that refusal.
    entries : Out(range(routes + 1))
    """

    def __init__(self, *, routes: int = 64, words: int = 32):
        for name, value in (("routes", routes), ("words", words)):
            if not isinstance(value, int) or value < 2 or value & (value - 1):
                raise ValueError(f"{name} must be a power of two of at least 2, not {value!r}")
        self._routes = routes
        self._words = words
        super().__init__(
            {
                "i_change": In(stream.Signature(RouteWord)),
                "o_answer": Out(stream.Signature(RefusalCode)),
                "i_query": In(stream.Signature(RouteWord)),
                "o_hit": Out(stream.Signature(RouteHit)),
                "entries": Out(range(routes + 1)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        routes, words = self._routes, self._words
        place_bits, word_bits = exact_log2(routes), exact_log2(words)
        head_shape = _Head(words)
        m.submodules.texts = texts = BlockRam(shape=_KeyWord, depth=routes * words)
        m.submodules.heads = heads = BlockRam(shape=head_shape, depth=routes)
        # The criterion at hand, and the places of the entries in the order of writing, those that are free behind them.
        m.submodules.key = key = memory.Memory(shape=_KeyWord, depth=words, init=[], attrs={"ram_style": "distributed"})
        m.submodules.order = order = memory.Memory(shape=place_bits, depth=routes, init=[], attrs={"ram_style": "distributed"})
        key_write, key_read = key.write_port(), key.read_port(domain="comb")
        order_write, order_read = order.write_port(), order.read_port(domain="comb")
        text, head = texts.read[0], heads.read[0]
        m.d.comb += [text.en.eq(1), head.en.eq(1)]

        changes, locked = Signal(), Signal()
        what = Signal(RouteWord)
        incoming = Mux(changes, self.i_change.payload, self.i_query.payload)
        coming = Signal(RouteWord)
        arrives = Signal()
        m.d.comb += [coming.eq(incoming), arrives.eq(Mux(changes, self.i_change.valid, self.i_query.valid))]
        index, final = Signal(word_bits), Signal(word_bits)
        hashed = Signal(32)
        position, at = Signal(range(routes + 1)), Signal(range(routes + 1))
        place, live = Signal(place_bits), Signal()
        count = self.entries
        answer = Signal(RefusalCode)
        found = Signal(head_shape)

        stored = Signal(_KeyWord)
        m.d.comb += [
            stored.value.eq(coming.part == RoutePart.VALUE),
            stored.data.eq(coming.data),
            stored.count.eq(coming.count),
            key_write.addr.eq(index),
            key_write.data.eq(stored),
            key_read.addr.eq(index),
            order_read.addr.eq(position),
            order_write.addr.eq(at),
            order_write.data.eq(order_read.data),
            head.addr.eq(order_read.data),
            text.addr.eq(Cat(index, place)),
            texts.write.addr.eq(Cat(index, place)),
            texts.write.data.eq(key_read.data),
            heads.write.addr.eq(place),
            heads.write.data.hash.eq(hashed),
            heads.write.data.words.eq(final),
            heads.write.data.bid.eq(what.bid),
            heads.write.data.solicit.eq(what.solicit),
            self.o_answer.payload.eq(answer),
            self.o_hit.payload.bid.eq(found.bid),
            self.o_hit.payload.solicit.eq(found.solicit),
            self.o_hit.payload.all.eq(what.part == RoutePart.ALL),
        ]
        # The word of the criterion that was read a clock ago, beside that of the entry.
        expected, compared = Signal(_KeyWord), Signal(word_bits)
        comparing = Signal()
        m.d.sync += [expected.eq(key_read.data), compared.eq(index)]

        def begin_scan():
            m.d.sync += [position.eq(0), live.eq(0)]
            m.next = "SCAN"

        def go_on():
            """With the entry behind the one that was looked at."""
            m.d.sync += [position.eq(at + 1), live.eq(0)]
            m.next = "SCAN"

        with m.FSM(init="ORDER"):
            # Writes the order of the places, one a clock.
            with m.State("ORDER"):
                m.d.comb += [order_write.en.eq(1), order_write.data.eq(at)]
                m.d.sync += at.eq(at + 1)
                with m.If(at == routes - 1):
                    m.next = "IDLE"

            # Waits for a change or for a criterion.
            with m.State("IDLE"):
                m.d.sync += [index.eq(0), hashed.eq(0), changes.eq(self.i_change.valid & ~locked)]
                with m.If((self.i_change.valid & ~locked) | self.i_query.valid):
                    m.next = "STAGE"

            # Takes the words of the criterion.
            with m.State("STAGE"):
                m.d.comb += [self.i_change.ready.eq(changes), self.i_query.ready.eq(~changes), key_write.en.eq(arrives)]
                with m.If(arrives):
                    m.d.sync += [
                        what.eq(coming),
                        index.eq(index + 1),
                        final.eq(index),
                        hashed.eq(Cat(hashed[27:], hashed[:27]) ^ coming.data ^ Cat(coming.count, stored.value)),
                    ]
                    with m.If(coming.last):
                        m.d.sync += locked.eq(~changes)
                        begin_scan()
                        with m.If(coming.refusal != 0):
                            m.d.sync += answer.eq(coming.refusal)
                            m.next = "ANSWER"

            # Compares the hash of an entry a clock.
            with m.State("SCAN"):
                m.d.sync += [at.eq(position), place.eq(order_read.data), live.eq(position != count)]
                m.d.sync += [found.eq(head.data), index.eq(0), comparing.eq(0)]
                with m.If(position != count):
                    m.d.sync += position.eq(position + 1)
                with m.If(live & (head.data.hash == hashed) & (head.data.words == final) & (~changes | (head.data.bid == what.bid))):
                    m.d.sync += [at.eq(at), place.eq(place)]
                    m.next = "COMPARE"
                with m.Elif(~live & (position == count)):
                    m.next = "SCANNED"

            # Compares a word a clock.
            with m.State("COMPARE"):
                m.d.sync += [index.eq(index + 1), comparing.eq(1)]
                with m.If(comparing & (text.data.as_value() != expected.as_value())):
                    go_on()
                with m.Elif(comparing & (compared == final)):
                    m.next = "FOUND"

            # The entry is the one: it is given, altered, or goes.
            with m.State("FOUND"):
                m.d.sync += [index.eq(0), answer.eq(Refusal.NONE)]
                with m.If(changes):
                    with m.If(what.remove):
                        m.d.sync += position.eq(at + 1)
                        m.next = "CLOSE"
                    with m.Else():
                        m.d.comb += heads.write.en.eq(1)
                        m.next = "ANSWER"
                with m.Else():
                    m.d.comb += self.o_hit.valid.eq(1)
                    with m.If(self.o_hit.ready):
                        go_on()

            # The places behind it move up, its own goes behind them.
            with m.State("CLOSE"):
                m.d.comb += order_write.en.eq(1)
                m.d.sync += [at.eq(at + 1), position.eq(position + 1)]
                with m.If(position == count):
                    m.d.comb += order_write.data.eq(place)
                    m.d.sync += count.eq(count - 1)
                    m.next = "ANSWER"

            # No further entry is the one.
            with m.State("SCANNED"):
                m.d.sync += [index.eq(0), place.eq(order_read.data), answer.eq(Refusal.NONE)]
                with m.If(~changes):
                    m.next = "IDLE"
                    with m.If(what.final):
                        m.next = "END"
                with m.Elif(what.remove):
                    m.d.sync += answer.eq(Refusal.UNKNOWN_ROUTE)
                    m.next = "ANSWER"
                with m.Elif(count == routes):
                    m.d.sync += answer.eq(Refusal.FULL_ROUTES)
                    m.next = "ANSWER"
                with m.Else():
                    m.next = "WRITE"

            # A new entry gets the first free place.
            with m.State("WRITE"):
                m.d.comb += [texts.write.en.eq(1), heads.write.en.eq(1)]
                m.d.sync += index.eq(index + 1)
                with m.If(index == final):
                    m.d.sync += count.eq(count + 1)
                    m.next = "ANSWER"

            # Says what became of a change, or of a look-up that is void.
            with m.State("ANSWER"):
                m.d.comb += self.o_answer.valid.eq(changes)
                with m.If(~changes):
                    m.next = "END"
                with m.Elif(self.o_answer.ready):
                    m.next = "IDLE"

            # The look-up is over.
            with m.State("END"):
                m.d.comb += [
                    self.o_hit.valid.eq(1),
                    self.o_hit.payload.eq(0),
                    self.o_hit.payload.end.eq(1),
                    self.o_hit.payload.refusal.eq(what.refusal),
                ]
                with m.If(self.o_hit.ready):
                    m.d.sync += locked.eq(0)
                    m.next = "IDLE"
        return m
