"""The comparisons with literals: what each test asks, and the rows by which the engine decides them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.crt.compared import NumberTests, StringTests
from hdl.crt.entries import Entry, Kind, compared_width
from hdl.crt.numbers import NumberOp, NumberReply, NumberRequest
from hdl.crt.strings import StringStore
from hdl.shapes.program import ProgramOperator
from hdl.shapes.tables import NameMarks, StringPort
from hdl.shapes.tests import SUBJECTS, BoundKind, NumberAnswer, NumberPort, StringAnswer, TestKey, TestRowView, TestSubject
from hdl.shapes.widths import row_width, step_width
from hdl.stream import BlockRam

__all__ = ["ComparedTests", "TestOp", "TestRequest"]


class TestOp(enum.Enum, shape=unsigned(3)):
    """Requests about compared tests."""

    COMPARE = 0
    """Whether the test ``step`` compares with what the entry compares with; the answer is 1 if it does."""
    PLACE = 1
    """The bit ``step`` gets what the entry asks; it is no test yet."""
    ADD = 2
    """The bit ``step``, which was placed, is a test from now on."""
    DROP = 3
    """The test ``step`` is none any more, and its string or number has one use less. Of the entry, kind, name and ``anyone`` count."""
    PART = 4
    """The test ``step`` stays, for one subscription less: its string or number has one use less."""
    FORGET = 5
    """The entry does not become a test: its string or number has one use less, if it is ``stored``."""


class TestRequest(data.StructLayout):
    """A request about the test of the bit ``step``."""

    def __init__(self, config):
        super().__init__({"op": TestOp, "step": step_width(config), "entry": Entry(config)})


class _Term(data.StructLayout):
    """What a test compares with, as the members of :class:`hdl.crt.entries.Entry`."""

    def __init__(self, config):
        super().__init__({"operator": ProgramOperator, "number": 1, "sound": 1, "value": compared_width(config)})


class ComparedTests(wiring.Component):
    """Keeps what tests compare with, and the rows by which the engine decides a slice of them in a clock.

    A comparison with what is no number never holds and is in no row. Each request is answered when it has been worked out: COMPARE after 5
    clocks; ADD after 2, and its row counts when ``request.ready`` is 1 again; PLACE after 3, or of a number when its rank is known; the
    others after 5 and
    what the string store or the number store takes. ADD and DROP are made while the engine leaves the tests alone.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    request : ``In(stream.Signature(TestRequest(config)))``
        Taken when nothing is under way. The entry and ``step`` must stay until the answer.
    answer : ``Out(stream.Signature(1, always_ready=True))``
    literal : ``Out(StringPort(config))``
        Searches for the string of a literal and adds it, see :class:`hdl.crt.strings.StringStore`.
    number, number_reply :
        The same for the number of a literal, see :class:`hdl.crt.numbers.NumberStore`: only ENTER.
    strings, numbers : ``Out(StringPort(config))``, ``Out(NumberPort(config))``
        Searches for the values of documents.
    string_tests, number_tests : ``Out(TestRowView(config, ...))``
        What the engine reads.
    marks : ``Out(NameMarks(config))``, ``texts`` : ``Out(1)``
        Of tests on any name, and whether there may be tests on string-values or text nodes, see :class:`hdl.shapes.tables.TableSummary`.
    empty : ``In(1)``
        There is no test: marks and texts are forgotten.
    clear, clear_address : ``In``
        Forgets rows, strings and numbers: every address from 0 up to :attr:`clear_depth`, while nothing is under way; a clock later it
        is done.
    """

    def __init__(self, config):
        self.config = config
        self._strings, self._numbers = StringTests(config), NumberTests(config)
        self.clear_depth = max(self._strings.clear_depth, self._numbers.clear_depth, config.values)
        super().__init__(
            {
                "request": In(stream.Signature(TestRequest(config))),
                "answer": Out(stream.Signature(1, always_ready=True)),
                "literal": Out(StringPort(config)),
                "number": In(stream.Signature(NumberRequest(config))),
                "number_reply": Out(stream.Signature(NumberReply(config), always_ready=True)),
                "strings": Out(StringPort(config)),
                "numbers": Out(NumberPort(config)),
                "string_tests": Out(TestRowView(config, StringAnswer(config))),
                "number_tests": Out(TestRowView(config, NumberAnswer(config))),
                "marks": Out(NameMarks(config)),
                "texts": Out(1),
                "empty": In(1),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.store = store = StringStore(config)
        m.submodules.strings, m.submodules.numbers = strings, numbers = self._strings, self._numbers
        m.submodules.terms = terms = BlockRam(shape=_Term(config), depth=1 << step_width(config), output_register=True)
        wiring.connect(m, store.document, wiring.flipped(self.strings))
        wiring.connect(m, store.literal, wiring.flipped(self.literal))
        wiring.connect(m, numbers.port, wiring.flipped(self.numbers))
        wiring.connect(m, strings.view, wiring.flipped(self.string_tests))
        wiring.connect(m, numbers.view, wiring.flipped(self.number_tests))

        request = self.request.payload
        entry, step = request.entry, request.step
        op = Signal(TestOp)
        term, found = terms.read[0].data, Signal(_Term(config))
        asked = _Term(config)(terms.write.data)
        age = Signal(range(4))
        own = Signal()  # a request of ours to the number store
        drops, places = op == TestOp.DROP, op == TestOp.PLACE
        m.d.sync += age.eq(age + (age != 3))

        # A clock behind the entry: what it is about.
        key, subject = Signal(TestKey(config)), Signal(TestSubject)
        with m.Switch(entry.kind):
            with m.Case(Kind.ATTRIBUTE):
                m.d.comb += subject.eq(TestSubject.ATTRIBUTE)
            with m.Case(Kind.SELF):
                m.d.comb += subject.eq(TestSubject.SELF)
            with m.Default():
                m.d.comb += subject.eq(TestSubject.TEXT)
        m.d.sync += [
            key.name.eq(Mux(entry.anyone, subject.as_value(), entry.name)),
            key.subject.eq(Mux(entry.anyone, TestSubject.ANYONE, subject)),
        ]

        # What the entry asks of a number of this rank.
        rank = numbers.reply.payload.rank
        kinds = {
            BoundKind.ABOVE: (ProgramOperator.GT, ProgramOperator.GE),
            BoundKind.BELOW: (ProgramOperator.LT, ProgramOperator.LE),
            BoundKind.EQUAL: (ProgramOperator.EQ,),
            BoundKind.UNLIKE: (ProgramOperator.NE,),
        }
        bound = numbers.bound.payload.bound
        operator = entry.operator
        past = (operator == ProgramOperator.GT) | (operator == ProgramOperator.LE)
        for kind, operators in kinds.items():
            with m.If(Cat(operator == one for one in operators).any()):
                m.d.comb += bound.kind.eq(kind)
        m.d.comb += [
            bound.bound.eq(Mux(past, Cat(Const(0, 1), (rank + 1)[: len(rank) + 1]), Cat(Const(1, 1), rank))),
            numbers.bound.payload.step.eq(step),
            numbers.bound.valid.eq(places & own & numbers.reply.valid),
        ]

        of_number = Signal()  # the test is on a number, and the rows have it
        changes, changed = Signal(), Signal()
        m.d.comb += [
            *(asked[name].eq(entry[name]) for name in ("operator", "number", "sound", "value")),
            terms.write.addr.eq(step),
            terms.read[0].addr.eq(step),
            terms.read[0].en.eq(1),
            changed.eq(Mux(of_number, numbers.named.ready, strings.named.ready)),
            strings.named.valid.eq(changes & ~of_number),
            numbers.named.valid.eq(changes & of_number),
            *(part.named.payload.name.eq(key) for part in (strings, numbers)),
            *(part.named.payload.step.eq(step) for part in (strings, numbers)),
            *(part.named.payload.value.eq(~drops) for part in (strings, numbers)),
            strings.valued.payload.row.name.eq(found.value),
            strings.valued.payload.row.step.eq(step),
            strings.valued.payload.row.value.eq(places),
            strings.valued.payload.unlike.eq(places & (operator == ProgramOperator.NE)),
            store.value.eq(found.value),
            *(part.clear.eq(self.clear) for part in (store, strings, numbers)),
            *(part.clear_address.eq(self.clear_address) for part in (store, strings, numbers)),
        ]

        # The number store has two users, of which one makes a request at a time.
        ours = numbers.request.payload
        leaves, ranks = Signal(), Signal()
        m.d.comb += [
            numbers.request.valid.eq(self.number.valid | leaves | ranks),
            ours.eq(self.number.payload),
            self.number.ready.eq(numbers.request.ready & ~own),
            self.number_reply.valid.eq(numbers.reply.valid & ~own),
            self.number_reply.payload.eq(numbers.reply.payload),
        ]
        with m.If(own):
            m.d.comb += [ours.op.eq(Mux(ranks, NumberOp.RANK, NumberOp.LEAVE)), ours.identity.eq(found.value)]
        m.d.sync += self.answer.valid.eq(0)

        def answer(alike=0):
            m.d.sync += [self.answer.valid.eq(1), self.answer.payload.eq(alike), own.eq(0)]
            m.next = "IDLE"

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a request, until the rows of the one before are written.
                m.d.comb += self.request.ready.eq(~self.answer.valid & strings.named.ready & strings.valued.ready & numbers.named.ready)
                m.d.sync += [op.eq(request.op), age.eq(0), *(found[name].eq(entry[name]) for name in ("number", "sound", "value"))]
                m.d.sync += of_number.eq(entry.number)
                with m.If(self.request.valid & self.request.ready):
                    m.next = "TERM"
                    with m.If(request.op == TestOp.PLACE):
                        m.next = "PLACE"
                    with m.If(request.op == TestOp.ADD):
                        m.next = "ADD"
                    with m.If(request.op == TestOp.FORGET):
                        m.d.sync += own.eq(entry.number)
                        m.next = "RELEASE"
                        with m.If(~entry.stored):
                            answer()
            with m.State("PLACE"):
                # What the entry asks is written down; a string has its row, a number its rank.
                m.d.comb += [terms.write.en.eq(1), strings.valued.valid.eq(~entry.number)]
                m.d.sync += own.eq(entry.number)
                m.next = "RANK"
                with m.If(~entry.number | ~entry.sound):
                    answer()
            with m.State("RANK"):
                # The rank of the number is asked for; its bound is written as it comes.
                m.d.comb += ranks.eq(1)
                with m.If(numbers.request.ready):
                    m.next = "RANKED"
            with m.State("RANKED"):
                # Waits for the rank.
                with m.If(numbers.reply.valid):
                    answer()
            with m.State("ADD"):
                # The test goes into the row of its name; before that its key is there.
                for name, mine in zip(SUBJECTS, TestSubject, strict=False):
                    with m.If(subject == mine):
                        m.d.sync += [
                            self.marks.strings[name].eq(self.marks.strings[name] | (entry.anyone & ~entry.number)),
                            self.marks.numbers[name].eq(self.marks.numbers[name] | (entry.anyone & entry.number & entry.sound)),
                        ]
                with m.If(entry.anyone):
                    m.d.sync += self.marks.slices.eq(self.marks.slices | (Const(1, config.slices) << step[ceil_log2(row_width(config)) :]))
                m.d.sync += self.texts.eq(self.texts | (subject != TestSubject.ATTRIBUTE))
                m.d.comb += changes.eq(entry.sound)
                answer()
            with m.State("TERM"):
                # Waits for what the test compares with.
                m.d.sync += [found.eq(term), of_number.eq(term.number), own.eq(term.number & (op != TestOp.COMPARE))]
                with m.If(age == 2):
                    m.next = "RELEASE"
                    with m.If(drops):
                        m.next = "DROP"
                    with m.If(op == TestOp.COMPARE):
                        m.next = "JUDGE"
            with m.State("JUDGE"):
                # The same operator and the same operand.
                answer(Cat(found[name] == entry[name] for name in ("operator", "number", "sound", "value")).all())
            with m.State("DROP"):
                # The test goes from the row of its name and of its string.
                m.d.comb += [changes.eq(found.sound), strings.valued.valid.eq(~found.number)]
                m.next = "RELEASE"
            with m.State("RELEASE"):
                # Until the store has time to take the use back.
                m.d.comb += [store.release.eq(~found.number & store.idle), leaves.eq(found.number & found.sound)]
                with m.If(Mux(found.number, ~found.sound, store.idle)):
                    answer()
                with m.Elif(found.number & numbers.request.ready):
                    m.next = "LEFT"
            with m.State("LEFT"):
                # Waits for the number store.
                with m.If(numbers.reply.valid):
                    answer()

        with m.If(self.empty):
            m.d.sync += [self.marks.eq(0), self.texts.eq(0)]
        return m
