"""The comparisons with literals: which there are on each name, and what each of them asks."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.crt.entries import Entry, Kind
from hdl.crt.strings import StringStore
from hdl.shapes.program import ProgramOperator
from hdl.shapes.tables import ListView, NameMarks, StringPort, TestLink, TestLists, TestNode, TestSubject, TestTerm, TestView
from hdl.shapes.widths import number_shape, step_width
from hdl.stream import BlockRam

__all__ = ["ComparedTests", "TestOp", "TestRequest"]


class TestOp(enum.Enum, shape=unsigned(3)):
    """Requests about compared tests."""

    COMPARE = 0
    """Whether the test ``step`` compares with what the entry compares with; the answer is 1 if it does."""
    ADD = 1
    """The entry is the test ``step`` from now on."""
    DROP = 2
    """The test ``step`` is none any more, its string has one use less. Of the entry, kind, name and ``anyone`` count."""
    PART = 3
    """The test ``step`` stays, for one subscription less: its string has one use less."""
    FORGET = 4
    """The entry does not become a test: its string has one use less, if it is ``stored``."""


class TestRequest(data.StructLayout):
    """A request about the test of the bit ``step``, of a subscription with containment semantics if ``contains``."""

    def __init__(self, config):
        super().__init__({"op": TestOp, "step": step_width(config), "entry": Entry(config), "contains": 1})


class ComparedTests(wiring.Component):
    """Keeps the compared tests so that the engine finds those that a value may meet.

    Tests for an equal string hang from the string; the others are in a list for each name and subject, and for elements whatever their
    name. A comparison with what is no number never holds and is in no list. Each request is answered when it has been worked out: COMPARE
    after 6 clocks and those in which the engine reads tests, FORGET after 2, PART after 7, ADD after 8, DROP after 8 and 4 for each test
    that was added to its list after it. ADD, DROP and PART take longer while strings are searched for. ADD and DROP are made while the
    engine leaves the tests alone.

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
    lists, tests, strings : ``Out(ListView(config))``, ``Out(TestView(config))``, ``Out(StringPort(config))``
        What the engine reads.
    marks : ``Out(NameMarks(config))``, ``texts`` : ``Out(1)``
        Of tests on any name, and whether there may be tests on string-values or text nodes, see :class:`hdl.shapes.tables.TableSummary`.
    empty : ``In(1)``
        There is no test: marks and texts are forgotten.
    clear, clear_address : ``In``
        Forgets the lists of the name and the strings of the bucket of this number, while nothing is under way; a clock later it is done.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "request": In(stream.Signature(TestRequest(config))),
                "answer": Out(stream.Signature(1, always_ready=True)),
                "literal": Out(StringPort(config)),
                "lists": Out(ListView(config)),
                "tests": Out(TestView(config)),
                "strings": Out(StringPort(config)),
                "marks": Out(NameMarks(config)),
                "texts": Out(1),
                "empty": In(1),
                "clear": In(1),
                "clear_address": In(range(max(config.names, config.values))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.tests
        steps = 1 << step_width(config)
        names = ceil_log2(config.names)
        m.submodules.strings = strings = StringStore(config)
        wiring.connect(m, strings.document, wiring.flipped(self.strings))
        wiring.connect(m, strings.literal, wiring.flipped(self.literal))
        m.submodules.lists = lists = BlockRam(shape=TestLists(config), depth=config.names, output_register=True)
        # Tests, and a clock behind each the rest of it, so that the way along a list is short.
        m.submodules.nodes = nodes = BlockRam(shape=TestNode(config), depth=steps, output_register=True)
        m.submodules.terms = terms = BlockRam(shape=TestTerm(config), depth=steps, output_register=True)
        m.submodules.numbers = numbers = BlockRam(shape=number_shape(config), depth=steps, output_register=True)
        node, term, number = (table.read[0].data for table in (nodes, terms, numbers))
        for table in (lists, nodes, terms, numbers):
            m.d.comb += table.read[0].en.eq(1)

        request = self.request.payload
        entry, step = request.entry, request.step
        op = Signal(TestOp)
        # A clock behind the entry: what it is about, by which list it is found, and whether it may hold at all.
        subject = Signal(TestSubject)
        by_value, sound = Signal(), Signal()
        with m.Switch(entry.kind):
            with m.Case(Kind.ATTRIBUTE):
                m.d.sync += subject.eq(TestSubject.ATTRIBUTE)
            with m.Case(Kind.SELF):
                m.d.sync += subject.eq(TestSubject.SELF)
            with m.Default():
                m.d.sync += subject.eq(TestSubject.TEXT)
        subjects = dict(zip(TestLists.subjects, TestSubject, strict=True))

        # The engine's reads, and ours in between: of the request's test, then along its list.
        target = Signal(step_width(config))
        follows, idle, changing = Signal(), Signal(), Signal()
        asked_op = Mux(idle, request.op, op)
        m.d.comb += [
            changing.eq((self.request.valid | ~idle) & ((asked_op == TestOp.ADD) | (asked_op == TestOp.DROP))),
            lists.read[0].addr.eq(Mux(changing, entry.name, self.lists.name)),
            self.lists.lists.eq(lists.read[0].data),
            follows.eq(view.follow & node.next.valid),
            nodes.read[0].addr.eq(Mux(follows, node.next.step, Mux(view.en, view.step, target))),
            terms.read[0].addr.eq(numbers.read[0].addr),
            view.node.eq(node),
            view.term.eq(term),
            view.number.eq(number),
        ]
        m.d.sync += numbers.read[0].addr.eq(nodes.read[0].addr)
        asked = Signal(4)  # a read of one to four clocks ago
        m.d.sync += asked.eq(asked << 1)

        # The first test of the entry's list.
        of_name = Signal(TestLists(config))
        head, heads_list = Signal(TestLink(config)), Signal()
        own = Signal(TestNode(config))
        value = Signal.like(entry.value)
        m.d.comb += of_name.eq(Mux(entry.anyone, self.lists.anyone, lists.read[0].data))
        m.d.sync += heads_list.eq(head.step == step)
        for name, mine in subjects.items():
            with m.If(subject == mine):
                m.d.sync += head.eq(of_name[name])

        # It becomes another one. Lists are written a clock later.
        relisted, new_head = Signal(), Signal(TestLink(config))
        relist = Signal(data.StructLayout({"en": 1, "addr": names, "data": TestLists(config)}))
        m.d.sync += relist.en.eq(0)
        m.d.comb += [lists.write.en.eq(relist.en), lists.write.addr.eq(relist.addr), lists.write.data.eq(relist.data)]
        with m.If(relisted):
            m.d.sync += [relist.en.eq(~entry.anyone), relist.addr.eq(entry.name), relist.data.eq(of_name)]
            for name, mine in subjects.items():
                with m.If(subject == mine):
                    m.d.sync += relist.data[name].eq(new_head)
                    with m.If(entry.anyone):
                        m.d.sync += self.lists.anyone[name].eq(new_head)

        m.d.comb += [
            strings.value.eq(value),
            strings.link.eq(Mux(op == TestOp.DROP, own.next, Cat(step, 1))),
            nodes.write.addr.eq(step),
            nodes.write.data.operator.eq(entry.operator),
            nodes.write.data.number.eq(entry.number),
            nodes.write.data.contains.eq(request.contains),
            nodes.write.data.subject.eq(subject),
            terms.write.addr.eq(step),
            terms.write.data.value.eq(entry.value),
            terms.write.data.anyone.eq(entry.anyone),
            terms.write.data.name.eq(entry.name),
            numbers.write.addr.eq(step),
            numbers.write.data.eq(entry.key),
        ]

        # Whether a test is the entry: a clock after its node, then a clock after the rest of it.
        node_alike, node_was_alike = Signal(), Signal()
        value_half, shares = len(entry.value) // 2, 6
        given_key, key = entry.key.as_value(), number.as_value()
        parts = Signal(2 + shares)
        m.d.sync += [
            node_alike.eq((node.operator == Value.cast(entry.operator)) & (node.number == entry.number)),
            node_was_alike.eq(node_alike),
            parts.eq(
                Cat(
                    entry.number | (term.value[:value_half] == entry.value[:value_half]),
                    entry.number | (term.value[value_half:] == entry.value[value_half:]),
                    *(~entry.number | (key[at::shares] == given_key[at::shares]) for at in range(shares)),
                )
            ),
        ]
        meets = Signal()
        m.d.sync += self.answer.valid.eq(0)

        def answer(alike=0):
            m.d.sync += [self.answer.valid.eq(1), self.answer.payload.eq(alike)]
            m.next = "IDLE"

        def add_node(following):
            """The entry becomes a test, in front of another one."""
            m.d.comb += [nodes.write.data.next.eq(following), nodes.write.en.eq(1), terms.write.en.eq(1), numbers.write.en.eq(1)]

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a request. Of a test that is to be, the lists of its name are read; of another one, the test.
                m.d.comb += [idle.eq(1), self.request.ready.eq(~self.answer.valid)]
                m.d.sync += [
                    op.eq(request.op),
                    target.eq(step),
                    value.eq(entry.value),
                    by_value.eq(~entry.number & (entry.operator == ProgramOperator.EQ)),
                ]
                m.d.sync += sound.eq(~entry.number | ~entry.key.nan)
                with m.If(self.request.valid & self.request.ready):
                    m.d.sync += asked.eq(1)
                    m.next = "READ"
                    with m.If(request.op == TestOp.ADD):
                        m.next = "LIST"
                    with m.If(request.op == TestOp.FORGET):
                        m.next = "RELEASE"
                        with m.If(~entry.stored):
                            answer()

            with m.State("READ"):
                # Asks for the test, in a clock in which the engine does not.
                with m.If(~view.en):
                    m.d.sync += asked.eq(1)
                    m.next = "TERM"
            with m.State("TERM"):
                # Waits for the test and then for the rest of it.
                with m.If(asked[1]):
                    m.d.sync += own.eq(node)
                with m.If(asked[2]):
                    m.d.sync += [
                        value.eq(term.value),
                        sound.eq(~own.number | ~number.nan),
                        by_value.eq(~own.number & (own.operator == ProgramOperator.EQ)),
                    ]
                with m.If(asked[3]):
                    with m.Switch(op):
                        with m.Case(TestOp.COMPARE):
                            answer(node_was_alike & parts.all())
                        with m.Case(TestOp.PART):
                            m.next = "RELEASE"
                            with m.If(own.number):
                                answer()
                        with m.Default():
                            m.next = "FIND"
            with m.State("RELEASE"):
                # Until the store has time to take the string's use back.
                m.d.comb += strings.release.eq(strings.idle)
                with m.If(strings.idle):
                    answer()

            with m.State("LIST"):
                # Waits for the first test of the list.
                for name, mine in subjects.items():
                    with m.If(subject == mine):
                        m.d.sync += [
                            self.marks.strings[name].eq(self.marks.strings[name] | (entry.anyone & ~entry.number)),
                            self.marks.numbers[name].eq(self.marks.numbers[name] | (entry.anyone & entry.number & sound)),
                        ]
                m.d.sync += self.texts.eq(self.texts | (subject != TestSubject.ATTRIBUTE))
                with m.If(asked[2]):
                    m.next = "FIRST"
                    with m.If(by_value):
                        m.next = "HANG"
            with m.State("FIRST"):
                # The test goes to the front of its list.
                add_node(head)
                m.d.comb += [relisted.eq(sound), new_head.eq(Cat(step, 1))]
                answer()
            with m.State("HANG"):
                # The test goes to the front of those for its string, when the store has time.
                m.d.comb += [strings.relink.eq(1), strings.store.eq(1)]
                with m.If(strings.idle):
                    m.next = "HUNG"
            with m.State("HUNG"):
                # Waits for the test that was the first.
                m.d.comb += strings.store.eq(1)
                with m.If(strings.relinked):
                    add_node(strings.head)
                    answer()

            with m.State("FIND"):
                # Out of its list, if it is in one: as the first, or behind another one.
                m.d.sync += target.eq(head.step)
                m.next = "WALK"
                with m.If(by_value):
                    m.next = "UNHANG"
                with m.Elif(heads_list):
                    m.d.comb += [relisted.eq(1), new_head.eq(own.next)]
                    m.next = "DROPPED"
                with m.If(~sound):
                    m.d.comb += relisted.eq(0)
                    m.next = "DROPPED"
            with m.State("UNHANG"):
                # The first test for its string is asked for, when the store has time.
                m.d.comb += strings.relink.eq(1)
                with m.If(strings.idle):
                    m.next = "UNHUNG"
            with m.State("UNHUNG"):
                # Waits for it.
                m.d.sync += target.eq(strings.head.step)
                with m.If(strings.relinked):
                    m.next = "WALK"
                    with m.If(strings.head.step == step):
                        m.next = "REHANG"
            with m.State("REHANG"):
                # The test after it becomes the first, when the store has time.
                m.d.comb += [strings.relink.eq(1), strings.store.eq(1)]
                with m.If(strings.idle):
                    m.next = "REHUNG"
            with m.State("REHUNG"):
                # Waits for the store.
                m.d.comb += strings.store.eq(1)
                with m.If(strings.relinked):
                    m.next = "DROPPED"
            with m.State("WALK"):
                # Asks for a test of the list.
                m.d.sync += asked.eq(1)
                m.next = "BEFORE"
            with m.State("BEFORE"):
                # If the test to drop follows it, the one after that does from now on.
                m.d.comb += [nodes.write.addr.eq(target), nodes.write.data.eq(node), nodes.write.data.next.eq(own.next)]
                m.d.sync += meets.eq(node.next.step == step)
                with m.If(asked[2]):
                    m.d.sync += target.eq(node.next.step)
                    m.next = "WALK"
                    with m.If(meets):
                        m.d.comb += nodes.write.en.eq(1)
                        m.next = "DROPPED"
            with m.State("DROPPED"):
                # What is left of a test for a string is a use of that.
                m.next = "RELEASE"
                with m.If(own.number):
                    answer()

        with m.If(self.empty):
            m.d.sync += [self.marks.eq(0), self.texts.eq(0)]
        m.d.comb += [strings.clear.eq(self.clear), strings.clear_address.eq(self.clear_address)]
        with m.If(self.clear):
            m.d.sync += [relist.en.eq(1), relist.addr.eq(self.clear_address), relist.data.eq(0), self.lists.anyone.eq(0)]
        return m
