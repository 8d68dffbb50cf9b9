"""Reads the values that subscriptions compare, and asks the rows for the tags between them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.ops import Item, Question, Tag, Work
from hdl.match.text import TextStream
from hdl.shapes.tables import ListView, StringPort, TableSummary, TestSubject
from hdl.shapes.widths import node_width
from hdl.values import DecimalReader

__all__ = ["ValueReader"]


class ValueReader(wiring.Component):
    """Turns a document's items into work for the judge: what the tags ask of the rows, and a question for each value that is compared.

    An item takes a clock, and a value that is compared one or two more. Its string is searched for and its number is read, a byte a clock,
    while the items behind it are read; the words of the next value wait for that. The string-value of an element whose content is one
    text node is that text; another one takes some clocks more, and one for each byte if it may be a number, or for each word if it may be
    equal to a string.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(Item(config)))``
    o : ``Out(stream.Signature(Work(config)))``
    question : ``Out(stream.Signature(Question(config)))``
        One for each work that is a ``question``, in the same order, once its string has been searched for. It is held back while the one
        before is not taken.
    lists, strings, summary : ``In(ListView(config))``, ``In(StringPort(config))``, ``In(TableSummary(config))``
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(Item(config))),
                "o": Out(stream.Signature(Work(config))),
                "question": Out(stream.Signature(Question(config))),
                "lists": In(ListView(config)),
                "strings": In(StringPort(config)),
                "summary": In(TableSummary(config)),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        item = self.i.payload
        work = self.o.payload
        string = self.strings
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
            # a different flag for each half of them: both are read often
            next_top.name.eq(Mux(kind.start, started.name, outer.data.name)),
            next_top.node.eq(Mux(kind.start, started.node, outer.data.node)),
            next_top.self.eq(Mux(kind.end, outer.data.self, started.self)),
            next_top.text.eq(Mux(kind.end, outer.data.text, started.text)),
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
        every = self.summary.marks

        def some(*names):
            """Whether the element that is next has tests of these kinds."""
            of_every = Cat(Cat(every.strings[name], every.numbers[name]) for name in names).any()
            of_started, of_outer = (Cat(element[name].as_value() for name in names).any() for element in (started, outer.data))
            return of_every | Mux(kind.end, of_outer, of_started)

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
            self.lists.name.eq(Mux(about == TestSubject.ATTRIBUTE, attribute, top.name)),
        ]

        # The value that was read last: whether its words are in the store's buffer, all of them, it is no number for sure, or too long. It
        # is forgotten when its string has been searched for and its number has been read, which go on beside the items.
        dirty = Signal()
        soiled = Signal()
        stale = Signal()
        unlike, beyond, long = Signal(), Signal(), Signal()
        searches = Signal()
        searching = Signal()
        sought = Signal()
        feeds = Signal()
        feeding = Signal()
        settling = Signal()
        forgets, tidy = Signal(), Signal()
        seeking = searching & ~string.done
        m.d.comb += [
            tidy.eq((stale | forgets) & ~seeking & ~feeding & ~settling),
            string.clear.eq(tidy),
            string.search.eq(searches),
        ]
        m.d.sync += [decimal.clear.eq(tidy), stale.eq((stale | forgets) & ~tidy), settling.eq(feeding)]
        with m.If(string.done):
            m.d.sync += searching.eq(0)
        with m.If(tidy):
            m.d.sync += [dirty.eq(0), soiled.eq(0), unlike.eq(0), beyond.eq(0), long.eq(0), sought.eq(0)]
        with m.If(searches):
            m.d.sync += [searching.eq(1), sought.eq(1)]

        # A word of a number, a byte a clock for as long as it may be one.
        letters, letter, letter_count = Signal(32), Signal(2), Signal(3)
        first = Signal()
        last = Signal()
        goes_on = Signal()  # it is being read, and this is not its last byte
        m.d.comb += [decimal.byte.eq(letters.word_select(letter, 8)), decimal.push.eq(feeding & ~(first & stream_.alien))]
        m.d.sync += [
            letter.eq(letter + 1),
            first.eq(0),
            last.eq(letter + 2 == letter_count),
            goes_on.eq(goes_on & (letter + 2 != letter_count)),
        ]
        # Whatever word is at hand is ready to be read.
        with m.If(~goes_on):
            m.d.sync += [letters.eq(item.data), letter.eq(0), letter_count.eq(count), first.eq(1), last.eq(count == 1)]
        with m.If(last | (first & (stream_.alien | stream_.blank))):
            m.d.sync += [feeding.eq(0), goes_on.eq(0)]
        with m.If(feeding & first & stream_.alien):
            m.d.sync += unlike.eq(1)
        with m.If(feeds):
            m.d.sync += [feeding.eq(1), goes_on.eq(count != 1)]

        # What the item asks of the rows; a value's question keeps its place among the tags.
        owes = Signal()  # the string-value of the innermost element is to be compared when it ends
        running, hands = Signal(), Signal()
        wanted, figures, word_goes, turns, step_goes, tag_goes = Signal(), Signal(), Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            *(work[name].eq(kind[name]) for name in Work.operations),
            work.question.eq(~running),
            work.above.eq(under),
            work.root.eq(level == 0),
            work.node.eq(Mux(kind.asks, item.extra, top.node)),
            work.operand.eq(Mux(kind.done, item.data[0], given.name)),
            work.slices.eq(given.marks.slices),
            wanted.eq(Mux(kind.value, is_attribute, is_any)),
            figures.eq(Mux(kind.value, attribute_kinds.number, of_any.number) & ~unlike & (count != 0)),
            word_goes.eq((kind.value | kind.text) & ~(wanted & (soiled | goes_on))),
            # an element begins or ends
            turns.eq((kind.start & self.o.ready) | (kind.end & ~owes & (self.o.ready | ~is_any))),
            step_goes.eq(turns | (kind.done & self.o.ready)),
            tag_goes.eq(step_goes | (kind.attribute & (self.o.ready | ~kind.asks))),
            self.i.ready.eq(running & (word_goes | tag_goes)),
            self.o.valid.eq(hands | (running & self.i.valid & (kind.asks | (kind.end & is_any & ~owes)))),
        ]

        # The question that waits for its answer, or to be taken.
        asked = Signal()
        pending = Signal()
        figuring = Signal()
        matters = Signal()
        held = Signal(Question(config))
        taken = Signal()
        handed = Signal()
        m.d.comb += [
            taken.eq(self.question.ready & ~pending & ~figuring),
            handed.eq(hands & self.o.ready),
            self.question.valid.eq(asked & ~pending & ~figuring),
            self.question.payload.eq(held),
            self.question.payload.found.eq(held.found & matters),
            self.question.payload.equal.valid.eq(held.equal.valid & held.found & matters),
        ]
        with m.If(taken):
            m.d.sync += asked.eq(0)
        with m.If(pending & string.done):
            m.d.sync += pending.eq(0)
        with m.If(handed | pending):
            m.d.sync += [held.found.eq(string.found), held.value.eq(string.value), held.equal.eq(string.head)]
        with m.If(~feeding & ~settling):
            m.d.sync += figuring.eq(0)
        with m.If(handed | figuring):
            m.d.sync += [
                held.number.eq(decimal.key),
                held.number.nan.eq(decimal.key.nan | unlike),
                held.excess.eq((decimal.over & ~unlike) | beyond),
            ]
        with m.If(handed):
            m.d.sync += [held.about.eq(about), held.name.eq(self.lists.name), held.string.eq(own.string)]
            with m.Switch(about):
                for subject in TestSubject:
                    name = subject.name.lower()
                    with m.Case(subject):
                        m.d.sync += [held.mine.eq(self.lists.lists[name]), held.anyone.eq(self.lists.anyone[name])]
                        m.d.sync += held.mine.valid.eq(self.lists.lists[name].valid & own.as_value().any())

        # Words and bytes of the string-value come two clocks after they are asked for.
        index = Signal(range(config.value_bytes + 1))
        pulls_words, pulls_bytes, seeks = Signal(), Signal(), Signal()
        words_come, bytes_come, cut = Signal(2), Signal(2), Signal(2)
        words = Signal(range(config.value_bytes // 4 + 1))
        rest = stream_.length[:2]
        m.d.comb += [stream_.index.eq(index), stream_.place.eq(index)]
        m.d.sync += [
            words.eq((stream_.length + 3) >> 2),
            words_come.eq(Cat(pulls_words, words_come)),
            bytes_come.eq(Cat(pulls_bytes, bytes_come)),
            cut.eq(Cat((index + 1 == words) & (rest != 0), cut)),
        ]
        too_long = stream_.long | (stream_.length > string.longest)
        stirred = Signal(range(TextStream.SETTLED), init=TextStream.SETTLED - 1)
        with m.If(stirred != 0):
            m.d.sync += stirred.eq(stirred - 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += stirred.eq(TextStream.SETTLED - 1)

        # The lists of a name have come two clocks after it.
        young = Signal(range(3))
        with m.If(young != 0):
            m.d.sync += young.eq(young - 1)
        with m.FSM() as fsm:
            with m.State("RUN"):
                # one item after the other
                m.d.comb += running.eq(1)
                m.d.sync += index.eq(0)
                with m.If(self.i.valid & word_goes):
                    m.d.comb += [stream_.push.eq(kind.text), string.push.eq(Mux(kind.value, attribute_kinds.string, of_any.string))]
                    m.d.comb += feeds.eq(wanted & figures)
                    m.d.sync += [dirty.eq(dirty | wanted), soiled.eq((dirty | wanted) & ends_value)]
                    m.d.sync += about.eq(Mux(kind.text, TestSubject.TEXT, TestSubject.ATTRIBUTE))
                    with m.If(kind.text & ends_value):
                        m.d.sync += [none.eq(0), one.eq(none)]
                    with m.If(wanted & ends_value & (kind.value | is_text)):
                        m.d.comb += searches.eq(Mux(kind.value, attribute_kinds.string, of_text.string))
                        m.next = "HAND"
                with m.If(self.i.valid & tag_goes):
                    m.d.comb += forgets.eq(dirty)
                    m.d.sync += [young.eq(2), about.eq(TestSubject.TEXT)]
                    m.d.comb += [stream_.open.eq(kind.start), stream_.close.eq(kind.end), stream_.clear.eq(kind.done)]
                    with m.If(kind.start):
                        m.d.comb += keep.en.eq(1)
                        m.d.sync += [leaf.eq(1), none.eq(1), one.eq(0)]
                    with m.If(kind.attribute):
                        tests = Cat(given.marks.strings.attribute, given.marks.numbers.attribute)
                        m.d.sync += [attribute.eq(given.name), attribute_kinds.eq(tests), is_attribute.eq(tests.any())]
                        m.d.sync += about.eq(TestSubject.ATTRIBUTE)
                    with m.If(kind.end):
                        m.d.sync += leaf.eq(0)
                with m.If(self.i.valid & turns):
                    every_text, every_self = (Cat(every.strings[name], every.numbers[name]) for name in ("text", "self"))
                    next_text, next_self = next_top.text.as_value() | every_text, next_top.self.as_value() | every_self
                    m.d.sync += [
                        top.eq(next_top),
                        of_text.eq(next_text),
                        of_self.eq(next_self),
                        of_any.eq(next_text | next_self),
                        is_text.eq(some("text")),
                        owes.eq(some("self")),
                        is_any.eq(some("text", "self")),
                    ]
                with m.If(self.i.valid & step_goes):
                    m.d.sync += [level.eq(Mux(kind.start, level + 1, under)), under.eq(Mux(kind.start, level, under - 1))]
                    with m.If(kind.done):
                        m.d.sync += [level.eq(0), under.eq(~0)]
                with m.If(self.i.valid & (kind.value | kind.text) & soiled):
                    m.d.comb += forgets.eq(wanted)
                with m.If(self.i.valid & kind.end & owes):
                    m.d.sync += about.eq(TestSubject.SELF)
                    with m.If(leaf & one):
                        # the text node that was read last
                        m.d.comb += searches.eq(of_self.string & ~sought)
                        m.next = "HAND"
                    with m.Elif(dirty):
                        m.d.comb += forgets.eq(1)
                    with m.Else():
                        m.next = "SETTLE"
                        with m.If(leaf & none):
                            m.d.comb += searches.eq(of_self.string)
                            m.next = "HAND"
            with m.State("SETTLE"):
                # the string-value of the element that ends, once its text has arrived
                m.d.sync += [unlike.eq(stream_.nan), beyond.eq(stream_.many & ~stream_.nan), dirty.eq(1), soiled.eq(1)]
                m.d.sync += [
                    long.eq(too_long),
                    seeks.eq(of_self.string & ~too_long),
                    pulls_words.eq(of_self.string & ~too_long & (stream_.length != 0)),
                    pulls_bytes.eq(of_self.number & ~stream_.nan & ~stream_.many & (stream_.solid != 0)),
                ]
                with m.If(stirred == 0):
                    m.next = "PULL"
                with m.Else():
                    m.d.sync += [pulls_words.eq(0), pulls_bytes.eq(0)]
            with m.State("PULL"):
                # its words and its bytes that are no white space
                m.d.comb += [
                    decimal.byte.eq(stream_.byte),
                    decimal.push.eq(bytes_come[1]),
                    string.push.eq(words_come[1]),
                    string.data.eq(Mux(cut[1], stream_.word & ((1 << (rest << 3)) - 1), stream_.word)),
                    string.count.eq(Mux(cut[1], rest, 4)),
                ]
                m.d.sync += [
                    index.eq(index + 1),
                    pulls_words.eq(pulls_words & (index + 1 != words)),
                    pulls_bytes.eq(pulls_bytes & (index + 1 != stream_.solid)),
                ]
                with m.If(~pulls_words & ~words_come[0]):
                    m.d.comb += searches.eq(seeks)
                    m.d.sync += seeks.eq(0)
                    with m.If(~pulls_bytes & ~bytes_come.any()):
                        m.next = "HAND"
            with m.State("HAND"):
                # the value's question, when there is room for it
                m.d.comb += hands.eq((young == 0) & ~asked)
                with m.If(handed):
                    m.d.sync += [dirty.eq(1), soiled.eq(1), asked.eq(1)]
                    m.d.sync += figuring.eq(needs.number & (feeding | settling))
                    m.d.sync += [matters.eq(needs.string & ~long), pending.eq(needs.string & ~long & seeking)]
                    with m.If(about == TestSubject.SELF):
                        m.d.sync += owes.eq(0)
                    m.next = "RUN"
        m.d.comb += self.idle.eq(fsm.ongoing("RUN") & ~asked)
        return m
