"""Compares values with what subscriptions ask of them."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.interfaces import CrtView, TestLink, TestSubject, number_shape
from hdl.layouts import ProgramOperator, node_width, row_width, step_width
from hdl.match.ops import Item, RowRequest, Tag
from hdl.match.text import TextStream
from hdl.values import Comparison, DecimalReader, compare, compares

__all__ = ["Evaluator"]

_VIEW = ("list_name", "lists", "any_lists", "any_marks", "node_en", "node_step", "node", "number", "string")


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
        kind = item.kind
        given = data.View(Tag(config), item.data[: Tag(config).size])
        count, ends_value = item.extra[:3], item.extra[3]

        # The innermost open element and those round it.
        kinds = data.StructLayout({"string": 1, "number": 1})
        element = data.StructLayout({"name": ceil_log2(config.names), "self": kinds, "text": kinds, "node": node_width(config)})
        top, started, next_top = Signal(element), Signal(element), Signal(element)
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
            next_top.eq(Mux(kind.start, started, outer.data)),
        ]
        attribute, attribute_kinds, is_attribute = Signal(ceil_log2(config.names)), Signal(kinds), Signal()
        # What is known of its content so far: no element, and no text node or one.
        leaf, none, one = Signal(), Signal(), Signal()

        m.submodules.stream = stream_ = TextStream(config)
        m.submodules.decimal = decimal = DecimalReader(config)
        about = Signal(TestSubject)
        # What the text nodes of the innermost element, its string-value, either of them and the value at hand are compared with.
        of_text, of_self, of_any, own, needs = (Signal(kinds, name=name) for name in ("of_text", "of_self", "of_any", "own", "needs"))
        is_text, is_any = Signal(), Signal()
        every = view.any_marks

        with m.Switch(about):
            with m.Case(TestSubject.ATTRIBUTE):
                m.d.comb += [own.eq(attribute_kinds), needs.eq(attribute_kinds)]
            with m.Case(TestSubject.SELF):
                m.d.comb += [own.eq(top.self), needs.eq(of_self)]
            with m.Case(TestSubject.TEXT):
                m.d.comb += [own.eq(top.text), needs.eq(of_text)]
        m.d.comb += [
            stream_.data.eq(item.data),
            stream_.count.eq(count),
            string.data.eq(item.data),
            string.count.eq(count),
            view.list_name.eq(Mux(about == TestSubject.ATTRIBUTE, attribute, top.name)),
        ]

        # The value that was read last: whether its words are in the store's buffer, all of them, it is no number for sure, or too long;
        # and its string.
        dirty, soiled, inside, answered = Signal(), Signal(), Signal(), Signal()
        unlike, beyond, long = Signal(), Signal(), Signal()
        tidy = Signal()
        m.d.comb += string.clear.eq(tidy)
        m.d.sync += decimal.clear.eq(tidy)
        with m.If(tidy):
            m.d.sync += [dirty.eq(0), soiled.eq(0), unlike.eq(0), beyond.eq(0), long.eq(0), answered.eq(0)]
        with m.If(string.done):
            m.d.sync += answered.eq(1)
        letters, letter, letter_count, first = Signal(32), Signal(2), Signal(3), Signal()
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
            {
                "step": step_width(config),
                "operator": ProgramOperator,
                "number": 1,
                "contains": 1,
                "same": 1,
                "fits": 1,
                "named": 1,
                "excess": 1,
            }
        )
        judging, judge = Signal(), Signal(judged)
        # long known when a test comes
        own_name, own_string = Signal(ceil_log2(config.names)), Signal()
        m.d.sync += [own_name.eq(view.list_name), own_string.eq(own.string)]
        parts = Signal(Comparison)
        telling, told, told_contains = Signal(), Signal(step_width(config)), Signal()
        over = Signal()
        holds = Signal()
        differs = judge.operator == ProgramOperator.NE
        m.d.comb += holds.eq(Mux(judge.number, compares(judge.operator, parts), Mux(differs, ~judge.same, judge.fits & judge.named)))
        m.d.sync += [
            judging.eq(looks),
            judge.step.eq(walk.step),
            judge.operator.eq(node.operator),
            judge.number.eq(node.number),
            judge.contains.eq(node.contains),
            judge.same.eq(string.found & ~long & (string.value == node.value)),
            judge.fits.eq(node.subject == about),
            judge.named.eq(node.anyone | (own_string & (node.name == own_name))),
            judge.excess.eq(((decimal.over & ~unlike) | beyond) & ~view.number.nan),
            parts.eq(compare(value, view.number)),
            telling.eq(judging & holds),
            told.eq(judge.step),
            told_contains.eq(judge.contains),
        ]
        with m.If(judging & judge.number & judge.excess):
            m.d.sync += over.eq(1)

        # What the item asks of the rows when its value has been compared.
        owes = Signal()  # the string-value of the innermost element is to be compared when it ends
        m.d.comb += [request.above.eq(under), request.root.eq(level == 0)]
        m.d.comb += [
            request.op.start.eq(kind.start),
            request.op.attribute.eq(kind.attribute),
            request.op.end.eq(kind.end),
            request.op.done.eq(kind.done),
            request.node.eq(Mux(kind.asks, item.extra, top.node)),
            request.operand.eq(given.name),
            request.slices.eq(given.marks.slices),
        ]
        with m.If(kind.done):
            m.d.comb += request.operand[:2].eq(Cat(item.data[0] & ~over, item.data[0] & over))
        with m.If(telling):
            m.d.comb += [
                request.op.eq(0),
                request.op.satisfy.eq(about == TestSubject.ATTRIBUTE),
                request.op.seen.eq((about != TestSubject.ATTRIBUTE) & told_contains),
                request.op.text.eq((about != TestSubject.ATTRIBUTE) & ~told_contains),
                request.operand.eq(told),
                request.slices.eq(Const(1, config.slices) << told[ceil_log2(row_width(config)) :]),
            ]
        # A test that is judged or told keeps items waiting, and so does a value before what was left of an earlier one is cleared.
        running, engaged, free = Signal(), Signal(), Signal()
        wanted, word_goes, step_goes, tag_goes = Signal(), Signal(), Signal(), Signal()
        m.d.sync += engaged.eq(looks | (judging & holds))
        m.d.comb += [
            free.eq(running & ~engaged),
            wanted.eq(Mux(kind.value, is_attribute, is_any)),
            word_goes.eq((kind.value & ~(is_attribute & soiled)) | (kind.text & ~(is_any & soiled))),
            step_goes.eq((kind.asks & ~kind.attribute & self.o.ready) | (kind.end & ~owes & (self.o.ready | ~is_any))),
            tag_goes.eq(step_goes | (kind.attribute & (self.o.ready | ~kind.asks))),
            self.i.ready.eq(free & (word_goes | tag_goes)),
            self.o.valid.eq(telling | (free & self.i.valid & (kind.asks | (kind.end & is_any & ~owes)))),
        ]

        # Words and bytes of the string-value come two clocks after they are asked for.
        index = Signal(range(config.value_bytes + 1))
        fetch, spent = Signal(), Signal()
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
        m.d.comb += [string.search.eq(searches), decimal.byte.eq(letters.word_select(letter, 8))]
        m.d.sync += [letters.eq(item.data), letter.eq(0), letter_count.eq(count), first.eq(1)]
        with m.FSM() as fsm:
            with m.State("RUN"):
                # one item after the other
                m.d.comb += running.eq(1)
                m.d.sync += index.eq(0)
                with m.If(free & self.i.valid & word_goes):
                    m.d.comb += [stream_.push.eq(kind.text), string.push.eq(Mux(kind.value, attribute_kinds.string, of_any.string))]
                    m.d.sync += [inside.eq(~ends_value), dirty.eq(dirty | wanted), soiled.eq((dirty | wanted) & ends_value)]
                    m.d.sync += about.eq(Mux(kind.text, TestSubject.TEXT, TestSubject.ATTRIBUTE))
                    with m.If(kind.text & ends_value):
                        m.d.sync += [none.eq(0), one.eq(none)]
                    with m.If(wanted & ends_value & (kind.value | is_text)):
                        m.d.comb += searches.eq(Mux(kind.value, attribute_kinds.string, of_text.string))
                        m.next = "ANSWER"
                    with m.If(Mux(kind.value, attribute_kinds.number, of_any.number) & ~unlike & (count != 0)):
                        m.next = "FEED"
                with m.If(free & self.i.valid & tag_goes):
                    m.d.comb += tidy.eq(dirty)
                    m.d.sync += [inside.eq(0), young.eq(2), about.eq(TestSubject.TEXT)]
                    m.d.comb += [stream_.open.eq(kind.start), stream_.close.eq(kind.end), stream_.clear.eq(kind.done)]
                    with m.If(kind.start | kind.end):
                        next_text = next_top.text.as_value() | Cat(every.strings.text, every.numbers.text)
                        next_self = next_top.self.as_value() | Cat(every.strings.self, every.numbers.self)
                        m.d.sync += [
                            top.eq(next_top),
                            of_text.eq(next_text),
                            of_self.eq(next_self),
                            of_any.eq(next_text | next_self),
                            is_text.eq(next_text.any()),
                            owes.eq(next_self.any()),
                            is_any.eq((next_text | next_self).any()),
                        ]
                    with m.If(kind.start):
                        m.d.comb += keep.en.eq(1)
                        m.d.sync += [leaf.eq(1), none.eq(1), one.eq(0)]
                    with m.If(kind.attribute):
                        tests = Cat(given.marks.strings.attribute, given.marks.numbers.attribute)
                        m.d.sync += [attribute.eq(given.name), attribute_kinds.eq(tests), is_attribute.eq(tests.any())]
                        m.d.sync += about.eq(TestSubject.ATTRIBUTE)
                    with m.If(kind.end):
                        m.d.sync += leaf.eq(0)
                    with m.If(kind.done):
                        m.d.sync += over.eq(0)
                with m.If(free & self.i.valid & step_goes):
                    m.d.sync += [level.eq(Mux(kind.start, level + 1, under)), under.eq(Mux(kind.start, level, under - 1))]
                    with m.If(kind.done):
                        m.d.sync += [level.eq(0), under.eq(~0)]
                with m.If(free & self.i.valid & (kind.value | kind.text) & ~word_goes):
                    m.d.comb += tidy.eq(1)
                with m.If(free & self.i.valid & kind.end & owes):
                    m.d.sync += about.eq(TestSubject.SELF)
                    with m.If(leaf & one):
                        # the text node that was read last
                        m.d.comb += searches.eq(of_self.string & ~answered)
                        m.next = "ANSWER"
                    with m.Elif(dirty):
                        m.d.comb += tidy.eq(1)
                    with m.Else():
                        m.next = "SETTLE"
                        with m.If(leaf & none):
                            m.d.comb += searches.eq(of_self.string)
                            m.next = "ANSWER"
            with m.State("FEED"):
                # a byte a clock for as long as it may be a number
                m.d.comb += decimal.push.eq(~(first & stream_.alien))
                m.d.sync += [letters.eq(letters), letter.eq(letter + 1), letter_count.eq(letter_count), first.eq(0)]
                with m.If(first & stream_.alien):
                    m.d.sync += unlike.eq(1)
                with m.If((letter + 1 == letter_count) | (first & (stream_.alien | stream_.blank))):
                    m.next = "RUN"
                    with m.If(~inside & ((about == TestSubject.ATTRIBUTE) | is_text)):
                        m.next = "ANSWER"
            with m.State("SETTLE"):
                # the string-value of the element that ends, once its text has arrived
                m.d.sync += index.eq(index + 1)
                with m.If(index == TextStream.SETTLED - 1):
                    m.d.sync += [index.eq(0), long.eq(stream_.long), unlike.eq(stream_.nan), beyond.eq(stream_.many & ~stream_.nan)]
                    m.next = "WORDS"
                    m.d.sync += spent.eq(stream_.length == 0)
                    with m.If(~of_self.string):
                        m.d.sync += spent.eq(stream_.solid == 0)
                        m.next = "BYTES"
            with m.State("WORDS"):
                m.d.comb += [
                    fetch.eq(~long & ~spent),
                    string.push.eq(flying[1]),
                    string.data.eq(Mux(cut[1], stream_.word & ((1 << (rest << 3)) - 1), stream_.word)),
                    string.count.eq(Mux(cut[1], rest, 4)),
                ]
                m.d.sync += [index.eq(index + 1), spent.eq(spent | (index + 1 == words)), dirty.eq(1), soiled.eq(1)]
                with m.If(~fetch):
                    m.d.sync += index.eq(index)
                    with m.If(~flying.any()):
                        m.d.sync += [index.eq(0), spent.eq(stream_.solid == 0)]
                        m.d.comb += searches.eq(1)
                        m.next = "BYTES"
                        with m.If(~of_self.number):
                            m.next = "ANSWER"
            with m.State("BYTES"):
                m.d.comb += [
                    fetch.eq(~unlike & ~beyond & ~spent),
                    decimal.byte.eq(stream_.byte),
                    decimal.push.eq(flying[1]),
                ]
                m.d.sync += [index.eq(index + 1), spent.eq(spent | (index + 1 == stream_.solid))]
                with m.If(~fetch):
                    m.d.sync += index.eq(index)
                    with m.If(~flying.any()):
                        m.next = "ANSWER"
            with m.State("ANSWER"):
                # the string's number, if it matters
                m.d.sync += [dirty.eq(1), soiled.eq(1)]
                with m.Switch(about):
                    for subject in TestSubject:
                        name = subject.name.lower()
                        with m.Case(subject):
                            m.d.sync += [mine.eq(view.lists[name]), mine.valid.eq(view.lists[name].valid & own.as_value().any())]
                            m.d.sync += anyone.eq(view.any_lists[name])
                m.d.sync += [equal.eq(string.head), equal.valid.eq(string.head.valid & string.found & ~long & needs.string)]
                with m.If(about == TestSubject.SELF):
                    m.d.sync += owes.eq(0)
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
                m.d.sync += [walk.eq(pick), mine.eq(node.next)]
                m.next = "WAIT"
                with m.If(~pick.valid):
                    m.next = "RUN"
                with m.Elif(~self.room):
                    m.next = "PICK"
                with m.If(self.room & ~node.next.valid):
                    m.d.sync += anyone.valid.eq(0)
                    with m.If(~anyone.valid):
                        m.d.sync += equal.valid.eq(0)
        m.d.comb += self.idle.eq(fsm.ongoing("RUN") & ~engaged)
        return m
