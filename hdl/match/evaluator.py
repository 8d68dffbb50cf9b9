"""Compares values with what subscriptions ask of them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, TestLink, TestSubject, number_shape
from hdl.layouts import ProgramOperator, node_width, step_width
from hdl.match.ops import Item, ItemKind, RowOp, RowRequest, Tag
from hdl.match.text import TextStream
from hdl.values import Comparison, DecimalReader, compare, compares

__all__ = ["Evaluator"]

_VIEW = ("list_name", "lists", "any_lists", "any_marks", "node_en", "node_step", "node", "number", "string")


def _space(byte):
    return (byte == 0x20) | (byte == 0x09) | (byte == 0x0D) | (byte == 0x0A)


def _no_number(byte):
    """A byte that no number has, nor the white space round it."""
    return ~(_space(byte) | ((byte[4:] == 3) & (byte[:4] <= 9)) | (byte == ord(".")) | (byte == ord("-")))


class Evaluator(wiring.Component):
    """Asks the rows for what a document's items mean to the subscriptions: its tags, and before them the tests that hold.

    An item takes a clock; a word that may belong to a number one more for each byte. A value that is compared takes about eight clocks for
    the search of its string, and two for each test in its lists; tests for an equal string are in the list of that string alone. The
    string-value of an element whose content is one text node is that text; another one takes some clocks more, and one for each word.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(Item(config)))``
    o : ``Out(stream.Signature(RowRequest(config)))``
    room : ``In(1)``
        ``o`` takes four more requests at least.
    view : ``In(CrtView)``, the part about values
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        members = CrtView(config).members
        super().__init__(
            {
                "i": In(stream.Signature(Item(config))),
                "o": Out(stream.Signature(RowRequest(config))),
                "room": In(1),
                "view": In(wiring.Signature({name: members[name] for name in _VIEW})),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, view = self.config, self.view
        item = self.i.payload
        request = self.o.payload
        string = view.string
        kind = {name: Signal(name=f"is_{name.name.lower()}") for name in ItemKind}
        for name, flag in kind.items():
            m.d.comb += flag.eq(self.i.valid & (item.kind == name))
        given = data.View(Tag(config), item.data[: Tag(config).size])
        count, ends_value = item.extra[:3], item.extra[3]

        # The innermost open element and those round it.
        kinds = data.StructLayout({"string": 1, "number": 1})
        element = data.StructLayout({"name": ceil_log2(config.names), "self": kinds, "text": kinds, "node": node_width(config)})
        top, started = Signal(element), Signal(element)
        level = Signal(range(config.depth + 1))
        under = Signal(len(level), init=(1 << len(level)) - 1)  # one less
        m.submodules.elements = elements = memory.Memory(shape=element, depth=1 << ceil_log2(config.depth), init=[])
        outer, keep = elements.read_port(domain="comb"), elements.write_port()
        m.d.comb += [
            outer.addr.eq(under),
            keep.addr.eq(level),
            keep.data.eq(top),
            started.name.eq(given.name),
            started.self.string.eq(given.marks.strings.self),
            started.self.number.eq(given.marks.numbers.self),
            started.text.string.eq(given.marks.strings.text),
            started.text.number.eq(given.marks.numbers.text),
            started.node.eq(item.extra),
        ]
        attribute, attribute_kinds = Signal(ceil_log2(config.names)), Signal(kinds)
        # What is known of its content so far: no element, and no text node or one.
        leaf, none, one = Signal(), Signal(), Signal()

        m.submodules.stream = stream_ = TextStream(config)
        m.submodules.decimal = decimal = DecimalReader(config)
        is_text, is_self = Signal(), Signal()
        about = Signal(TestSubject)
        # What the text nodes, the string-value and the value at hand are compared with.
        of_text, of_self, own, needs = (Signal(kinds, name=name) for name in ("of_text", "of_self", "own", "needs"))
        reads = Signal(kinds)
        every = view.any_marks
        with m.Switch(about):
            with m.Case(TestSubject.ATTRIBUTE):
                m.d.comb += [own.eq(attribute_kinds), needs.eq(attribute_kinds)]
            with m.Case(TestSubject.SELF):
                m.d.comb += [own.eq(top.self), needs.eq(of_self)]
            with m.Case(TestSubject.TEXT):
                m.d.comb += [own.eq(top.text), needs.eq(of_text)]
        m.d.comb += [
            of_text.eq(top.text.as_value() | Cat(every.strings.text, every.numbers.text)),
            of_self.eq(top.self.as_value() | Cat(every.strings.self, every.numbers.self)),
            is_text.eq(of_text.as_value().any()),
            is_self.eq(of_self.as_value().any()),
            reads.eq(Mux(kind[ItemKind.VALUE], attribute_kinds, of_text.as_value() | of_self.as_value())),
            stream_.data.eq(item.data),
            stream_.count.eq(count),
            string.data.eq(item.data),
            string.count.eq(count),
            view.list_name.eq(Mux(about == TestSubject.ATTRIBUTE, attribute, top.name)),
        ]

        # The value that was read last: whether its words are in the store's buffer, it is no number for sure, or too long; and its string.
        dirty, inside, answered = Signal(), Signal(), Signal()
        unlike, beyond, long = Signal(), Signal(), Signal()
        tidy = Signal()
        m.d.comb += string.clear.eq(tidy)
        m.d.sync += decimal.clear.eq(tidy)
        with m.If(tidy):
            m.d.sync += [dirty.eq(0), unlike.eq(0), beyond.eq(0), long.eq(0), answered.eq(0)]
        with m.If(string.done):
            m.d.sync += answered.eq(1)
        foreign = Cat(_no_number(item.data.word_select(n, 8)) & (n < count) for n in range(4)).any()
        blank = Cat(_space(item.data.word_select(n, 8)) | (n >= count) for n in range(4)).all()
        letters, letter = Signal(32), Signal(3)
        searches = Signal()

        # A test is looked at in the clock in which it comes, then its comparison is judged, then it is told.
        mine, anyone, equal = (Signal(TestLink(config), name=name) for name in ("mine", "anyone", "equal"))
        walk, pick = Signal(TestLink(config)), Signal(TestLink(config))
        node = view.node
        value = Signal(number_shape(config))
        m.d.comb += value.eq(decimal.key)
        with m.If(unlike):
            m.d.comb += value.nan.eq(1)
        looks = Signal()
        judged = data.StructLayout(
            {"step": step_width(config), "operator": ProgramOperator, "number": 1, "contains": 1, "same": 1, "meant": 1, "excess": 1}
        )
        judging, judge = Signal(), Signal(judged)
        parts = Signal(Comparison)
        telling, told, told_contains = Signal(), Signal(step_width(config)), Signal()
        over = Signal()
        holds = Signal()
        differs = judge.operator == ProgramOperator.NE
        m.d.comb += holds.eq(Mux(judge.number, compares(judge.operator, parts), Mux(differs, ~judge.same, judge.meant)))
        m.d.sync += [
            judging.eq(looks),
            judge.step.eq(walk.step),
            judge.operator.eq(node.operator),
            judge.number.eq(node.number),
            judge.contains.eq(node.contains),
            judge.same.eq(string.found & ~long & (string.value == node.value)),
            judge.meant.eq((node.subject == about) & (node.anyone | (own.string & (node.name == view.list_name)))),
            judge.excess.eq(((decimal.over & ~unlike) | beyond) & ~view.number.nan),
            parts.eq(compare(value, view.number)),
            telling.eq(judging & holds),
            told.eq(judge.step),
            told_contains.eq(judge.contains),
        ]
        with m.If(judging & judge.number & judge.excess):
            m.d.sync += over.eq(1)

        # What the item asks of the rows when its value has been compared.
        asks = Signal()
        fed = Signal()
        m.d.comb += [request.above.eq(under), request.root.eq(level == 0)]
        with m.Switch(item.kind):
            with m.Case(ItemKind.START):
                m.d.comb += [asks.eq(1), request.op.eq(RowOp.START), request.node.eq(item.extra)]
                m.d.comb += [request.operand.eq(given.name), request.slices.eq(given.marks.slices)]
            with m.Case(ItemKind.ATTRIBUTE):
                m.d.comb += [asks.eq(given.marks.presence), request.op.eq(RowOp.ATTRIBUTE), request.node.eq(item.extra)]
                m.d.comb += [request.operand.eq(given.name), request.slices.eq(given.marks.slices)]
            with m.Case(ItemKind.END):
                m.d.comb += [asks.eq(is_self | is_text), request.op.eq(RowOp.END), request.node.eq(top.node)]
            with m.Case(ItemKind.DONE):
                m.d.comb += [asks.eq(1), request.op.eq(RowOp.DONE)]
                m.d.comb += [request.good.eq(item.data[0] & ~over), request.over.eq(item.data[0] & over)]
        with m.If(telling):
            m.d.comb += [
                request.op.eq(Mux(about == TestSubject.ATTRIBUTE, RowOp.SATISFY, Mux(told_contains, RowOp.SEEN, RowOp.TEXT))),
                request.operand.eq(told),
                request.slices.eq(0),
            ]
        running, free = Signal(), Signal()
        owed = Signal()
        m.d.comb += [
            free.eq(running & ~judging & ~telling),
            owed.eq(kind[ItemKind.END] & is_self & ~fed),
            self.o.valid.eq(telling | (free & self.i.valid & asks & ~owed)),
        ]

        # Words and bytes of the string-value come two clocks after they are asked for.
        index = Signal(range(config.value_bytes + 1))
        fetch = Signal()
        flying = Signal(2)
        cut = Signal(2)
        words = Signal(range(config.value_bytes // 4 + 1))
        rest = stream_.length[:2]
        m.d.comb += [stream_.index.eq(index), stream_.place.eq(index)]
        m.d.sync += [
            words.eq((stream_.length + 3) >> 2),
            flying.eq(Cat(fetch, flying)),
            cut.eq(Cat((index + 1 == words) & (rest != 0), cut)),
        ]

        # The lists of a name have come two clocks after it.
        young = Signal(range(3))
        with m.If(young != 0):
            m.d.sync += young.eq(young - 1)
        m.d.comb += string.search.eq(searches)
        with m.FSM() as fsm:
            with m.State("RUN"):
                # one item after the other
                m.d.comb += running.eq(1)
                m.d.sync += [letters.eq(item.data), letter.eq(Mux(blank, 1, count)), index.eq(0)]
                with m.If(~free):
                    pass
                with m.Elif(kind[ItemKind.VALUE] | kind[ItemKind.TEXT]):
                    wanted = Signal()
                    m.d.comb += wanted.eq(reads.as_value().any())
                    with m.If(wanted & dirty & ~inside):
                        m.d.comb += tidy.eq(1)
                    with m.Else():
                        m.d.comb += [self.i.ready.eq(1), stream_.push.eq(kind[ItemKind.TEXT]), string.push.eq(reads.string)]
                        m.d.sync += [inside.eq(~ends_value), dirty.eq(dirty | wanted)]
                        m.d.sync += about.eq(Mux(kind[ItemKind.TEXT], TestSubject.TEXT, TestSubject.ATTRIBUTE))
                        with m.If(kind[ItemKind.TEXT] & ends_value):
                            m.d.sync += [none.eq(0), one.eq(none)]
                        with m.If(wanted):
                            with m.If(foreign):
                                m.d.sync += unlike.eq(1)
                            with m.If(ends_value & (kind[ItemKind.VALUE] | is_text)):
                                m.d.comb += searches.eq(Mux(kind[ItemKind.VALUE], attribute_kinds.string, of_text.string))
                                m.next = "ANSWER"
                            with m.If(reads.number & ~foreign & ~unlike & (count != 0)):
                                m.next = "FEED"
                with m.Elif(owed):
                    m.d.sync += about.eq(TestSubject.SELF)
                    with m.If(leaf & one):
                        # the text node that was read last
                        m.d.comb += searches.eq(of_self.string & ~answered)
                        m.d.sync += fed.eq(1)
                        m.next = "ANSWER"
                    with m.Elif(dirty):
                        m.d.comb += tidy.eq(1)
                    with m.Else():
                        m.d.sync += fed.eq(1)
                        m.next = "SETTLE"
                        with m.If(leaf & none):
                            m.d.comb += searches.eq(of_self.string)
                            m.next = "ANSWER"
                with m.Elif(self.i.valid & (self.o.ready | ~asks)):
                    m.d.comb += [self.i.ready.eq(1), tidy.eq(dirty)]
                    m.d.sync += [fed.eq(0), inside.eq(0), young.eq(2), about.eq(TestSubject.TEXT)]
                    with m.Switch(item.kind):
                        with m.Case(ItemKind.START):
                            m.d.comb += [stream_.open.eq(1), keep.en.eq(1)]
                            m.d.sync += [level.eq(level + 1), under.eq(level), top.eq(started), leaf.eq(1), none.eq(1), one.eq(0)]
                        with m.Case(ItemKind.ATTRIBUTE):
                            m.d.sync += [attribute.eq(given.name), about.eq(TestSubject.ATTRIBUTE)]
                            m.d.sync += attribute_kinds.eq(Cat(given.marks.strings.attribute, given.marks.numbers.attribute))
                        with m.Case(ItemKind.END):
                            m.d.comb += stream_.close.eq(1)
                            m.d.sync += [level.eq(under), under.eq(under - 1), top.eq(outer.data), leaf.eq(0)]
                        with m.Case(ItemKind.DONE):
                            m.d.comb += stream_.clear.eq(1)
                            m.d.sync += [level.eq(0), under.eq(~0), top.eq(0), over.eq(0)]
            with m.State("FEED"):
                # a byte a clock for as long as it may be a number
                m.d.comb += [decimal.push.eq(1), decimal.byte.eq(letters[:8])]
                m.d.sync += [letters.eq(letters >> 8), letter.eq(letter - 1)]
                with m.If(letter == 1):
                    m.next = "RUN"
                    with m.If(~inside & ((about == TestSubject.ATTRIBUTE) | is_text)):
                        m.next = "ANSWER"
            with m.State("SETTLE"):
                # the string-value of the element that ends, once its text has arrived
                m.d.sync += index.eq(index + 1)
                with m.If(index == TextStream.SETTLED - 1):
                    m.d.sync += [index.eq(0), long.eq(stream_.long), unlike.eq(stream_.nan), beyond.eq(stream_.many & ~stream_.nan)]
                    m.next = "WORDS"
                    with m.If(~of_self.string):
                        m.next = "BYTES"
            with m.State("WORDS"):
                m.d.comb += [
                    fetch.eq(~long & (index != words)),
                    string.push.eq(flying[1]),
                    string.data.eq(Mux(cut[1], stream_.word & ((1 << (rest << 3)) - 1), stream_.word)),
                    string.count.eq(Mux(cut[1], rest, 4)),
                ]
                m.d.sync += [index.eq(index + 1), dirty.eq(1)]
                with m.If(~fetch):
                    m.d.sync += index.eq(index)
                    with m.If(~flying.any()):
                        m.d.sync += index.eq(0)
                        m.d.comb += searches.eq(1)
                        m.next = "BYTES"
                        with m.If(~of_self.number):
                            m.next = "ANSWER"
            with m.State("BYTES"):
                m.d.comb += [
                    fetch.eq(~unlike & ~beyond & (index != stream_.solid)),
                    decimal.byte.eq(stream_.byte),
                    decimal.push.eq(flying[1]),
                ]
                m.d.sync += index.eq(index + 1)
                with m.If(~fetch):
                    m.d.sync += index.eq(index)
                    with m.If(~flying.any()):
                        m.next = "ANSWER"
            with m.State("ANSWER"):
                # the string's number, if it matters
                m.d.sync += dirty.eq(1)
                with m.Switch(about):
                    for subject in TestSubject:
                        name = subject.name.lower()
                        with m.Case(subject):
                            m.d.sync += [mine.eq(view.lists[name]), mine.valid.eq(view.lists[name].valid & own.as_value().any())]
                            m.d.sync += anyone.eq(view.any_lists[name])
                m.d.sync += [equal.eq(string.head), equal.valid.eq(string.head.valid & string.found & ~long & needs.string)]
                with m.If((answered | string.done | ~needs.string) & (young == 0)):
                    m.next = "PICK"
            with m.State("PICK"):
                # the next list, if any
                m.d.comb += [
                    pick.eq(Mux(mine.valid, mine, Mux(anyone.valid, anyone, equal))),
                    view.node_en.eq(1),
                    view.node_step.eq(pick.step),
                ]
                with m.If(self.room):
                    m.d.sync += [walk.eq(pick), mine.valid.eq(0)]
                    with m.If(~mine.valid):
                        m.d.sync += anyone.valid.eq(0)
                        with m.If(~anyone.valid):
                            m.d.sync += equal.valid.eq(0)
                    m.next = "WAIT"
                    with m.If(~pick.valid):
                        m.next = "RUN"
            with m.State("WAIT"):
                # for the test's node
                m.d.comb += [view.node_en.eq(1), view.node_step.eq(walk.step)]
                m.next = "NODE"
            with m.State("NODE"):
                # a test; the next one of its list, or the first of the next list, is asked for at once
                m.d.comb += [
                    looks.eq(1),
                    pick.eq(Mux(node.next.valid, node.next, Mux(anyone.valid, anyone, equal))),
                    view.node_en.eq(1),
                    view.node_step.eq(pick.step),
                ]
                m.d.sync += walk.eq(pick)
                m.next = "WAIT"
                with m.If(~pick.valid):
                    m.next = "RUN"
                with m.Elif(~self.room):
                    m.d.sync += mine.eq(node.next)
                    m.next = "PICK"
                with m.Elif(~node.next.valid):
                    m.d.sync += anyone.valid.eq(0)
                    with m.If(~anyone.valid):
                        m.d.sync += equal.valid.eq(0)
        m.d.comb += self.idle.eq(fsm.ongoing("RUN") & ~judging & ~telling)
        return m
