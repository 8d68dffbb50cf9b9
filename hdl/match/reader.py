"""Reads the values that subscriptions compare, and asks the rows for the tags between them."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.match.ops import Item, NumberWord, Query, Tag, ValueWord, Work
from hdl.match.text import TextStream
from hdl.shapes.tables import TableSummary
from hdl.shapes.tests import TestSubject
from hdl.shapes.widths import node_width

__all__ = ["ValueReader"]

_PATIENCE = 1
"""Clocks from the place in the string-value to its words."""


class ValueReader(wiring.Component):
    """Turns a document's items into values, queries about them, and work for the rows.

    An item takes a clock; it waits for the unit that reads its value, for room among the queries, and a tag for the rows. The
    string-value of
    an element whose content is one text node is that text; another one takes some clocks more, and 3 for each word. Tests on elements of
    any name cost a
    clock for each value that they compare.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : ``In(stream.Signature(Item(config)))``
    o : ``Out(stream.Signature(Work(config)))``
    strings, numbers : ``Out(stream.Signature(ValueWord))``, ``Out(stream.Signature(NumberWord))``
        The values, for those who find their strings and those who read their numbers.
    string_queries, number_queries : ``Out(stream.Signature(Query(config)))``
        Queries about the values of each, and a fence on both for each work that is ``fenced``.
    summary : ``In(TableSummary(config))``
    more : ``Out(1)``
        A query about the number of the one before is still to come.
    idle : ``Out(1)``
        Nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "i": In(stream.Signature(Item(config))),
                "o": Out(stream.Signature(Work(config))),
                "strings": Out(stream.Signature(ValueWord)),
                "numbers": Out(stream.Signature(NumberWord)),
                "string_queries": Out(stream.Signature(Query(config))),
                "number_queries": Out(stream.Signature(Query(config))),
                "summary": In(TableSummary(config)),
                "more": Out(1),
                "idle": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        item, work = self.i.payload, self.o.payload
        kind, given = item.kind, data.View(Tag(config), item.data[: Tag(config).size])
        count, ends_value = item.extra[:3], item.extra[3]
        every = self.summary.marks

        # The innermost open element and those round it.
        kinds = data.StructLayout({"string": 1, "number": 1})
        name_width = ceil_log2(config.names)
        element = data.StructLayout({"name": name_width, "slices": config.slices, "self": kinds, "text": kinds, "node": node_width(config)})
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
            started.slices.eq(given.marks.slices),
            *(started[one].string.eq(given.marks.strings[one]) for one in ("self", "text")),
            *(started[one].number.eq(given.marks.numbers[one]) for one in ("self", "text")),
            started.node.eq(item.extra),
            next_top.eq(Mux(kind.start, started, outer.data)),
        ]
        attribute, attribute_slices, attribute_kinds = Signal(name_width), Signal(config.slices), Signal(kinds)
        # What is known of its content so far: no element, and no text node or one.
        leaf, none, one = Signal(), Signal(), Signal()
        # What its text nodes and its string-value are compared with, by tests on its name and on any.
        of_text, of_self, of_any, any_text, any_self = (
            Signal(kinds, name=name) for name in ("of_text", "of_self", "of_any", "any_text", "any_self")
        )
        owes = Signal()  # the string-value of the innermost element is to be compared when it ends
        m.d.comb += [
            *(any_text[one].eq(every[f"{one}s"].text) for one in ("string", "number")),
            *(any_self[one].eq(every[f"{one}s"].self) for one in ("string", "number")),
            of_text.eq(top.text.as_value() | any_text.as_value()),
            of_self.eq(top.self.as_value() | any_self.as_value()),
            of_any.eq(of_text.as_value() | of_self.as_value()),
        ]

        # Queries: of the value at hand, or fences on both queues.
        queues = {"string": self.string_queries, "number": self.number_queries}
        room, asks, fence, anyone, fresh = Signal(), Signal(), Signal(), Signal(), Signal()
        about, wanted, mine = Signal(TestSubject), Signal(kinds), Signal(kinds)
        key_name, slices = Signal(max(2, name_width)), Signal(config.slices)
        m.d.comb += room.eq(Cat(queue.ready for queue in queues.values()).all())
        for name, queue in queues.items():
            asked = queue.payload
            m.d.comb += [
                queue.valid.eq(fence | (asks & wanted[name])),
                asked.fence.eq(fence),
                asked.fresh.eq(fresh),
                asked.key.name.eq(key_name),
                asked.key.subject.eq(Mux(anyone, TestSubject.ANYONE, about)),
                asked.slices.eq(slices & mine[name].replicate(config.slices)),
            ]
        # Queries since the latest fence, and whether they are about text.
        pending, texted = Signal(), Signal()
        with m.If(asks):
            m.d.sync += [pending.eq(1), texted.eq(about != TestSubject.ATTRIBUTE)]
        with m.If(fence):
            m.d.sync += [pending.eq(0), texted.eq(0)]

        # Values: words of the item, of the string-value, or an empty one.
        m.submodules.stream = stream_ = TextStream(config)
        feeds, needs = Signal(), Signal(kinds)
        feeders = {"string": self.strings, "number": self.numbers}
        fed = {name: Signal(name=f"{name}_fed") for name in feeders}  # of a word for both, this one has taken it
        takes = {name: ~needs[name] | fed[name] | feeder.ready for name, feeder in feeders.items()}
        taken = takes["string"] & takes["number"]
        cut = {name: Signal(name=f"{name}_cut") for name in feeders}  # a value has begun and not ended
        for name, feeder in feeders.items():
            word = feeder.payload
            m.d.comb += [
                feeder.valid.eq(feeds & needs[name] & ~fed[name]),
                word.silent.eq(kind.text & ~of_text[name]),
                word.data.eq(item.data),
                word.count.eq(count),
                word.last.eq(ends_value),
            ]
            with m.If(feeds):
                m.d.sync += fed[name].eq(needs[name] & takes[name] & ~taken)
            with m.If(feeder.valid & feeder.ready):
                m.d.sync += cut[name].eq(~word.last)
        m.d.comb += [stream_.data.eq(item.data), stream_.count.eq(count)]

        # What the item asks of the rows.
        hands = Signal()
        m.d.comb += [
            *(work.op[name].eq(kind[name]) for name in ("start", "attribute", "end", "done")),
            work.above.eq(under),
            work.root.eq(level == 0),
            work.node.eq(Mux(kind.asks, item.extra, top.node)),
            work.operand.eq(Mux(kind.done, item.data[0], given.name)),
            work.slices.eq(given.marks.slices),
            work.fenced.eq(pending & ~kind.attribute),
            self.o.valid.eq(hands),
        ]
        handed = hands & self.o.ready
        m.d.comb += fence.eq(handed & work.fenced)

        # The string-value: a word of its bytes, and beside it one of those that are no white space.
        index, age = Signal(range(config.value_bytes // 4 + 1)), Signal(range(_PATIENCE + 1))
        rests = {"string": Signal.like(stream_.length), "number": Signal.like(stream_.solid)}
        lasts = {name: (rest - (index << 2))[: len(rest)] <= 4 for name, rest in rests.items()}
        voids = {"string": stream_.long, "number": stream_.nan}
        m.d.comb += [
            stream_.index.eq(index),
            rests["string"].eq(Mux(stream_.long, 0, stream_.length)),
            rests["number"].eq(Mux(stream_.nan | stream_.many, 0, stream_.solid)),
        ]
        stirred = Signal(range(TextStream.SETTLED), init=TextStream.SETTLED - 1)
        with m.If(stirred != 0):
            m.d.sync += stirred.eq(stirred - 1)
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += stirred.eq(TextStream.SETTLED - 1)
        pulled = {name: Signal(name=f"{name}_pulled") for name in feeders}  # its last word has been taken

        subject = Signal(TestSubject)  # the latest query that tests on any name wait for
        m.d.comb += [about.eq(subject), wanted.eq(0), mine.eq(0), slices.eq(top.slices), key_name.eq(top.name)]

        def ask(what, whole, own):
            """Query what is compared with ``whole``, of which ``own`` are the tests on the name; then tests on any name, if there are
            some."""
            m.d.comb += [asks.eq(1), about.eq(what), wanted.eq(whole), mine.eq(own), fresh.eq(1)]
            m.d.sync += subject.eq(what)

        with m.FSM() as fsm:
            with m.State("RUN"):
                # One item after the other.
                m.d.sync += [index.eq(0), age.eq(0), *(one.eq(0) for one in pulled.values())]
                with m.If(self.i.valid & kind.value):
                    m.d.comb += [needs.eq(attribute_kinds), feeds.eq(room), self.i.ready.eq(room & taken)]
                    with m.If(room & taken & ends_value):
                        ask(TestSubject.ATTRIBUTE, attribute_kinds, attribute_kinds)
                        m.d.comb += [slices.eq(attribute_slices), key_name.eq(attribute)]
                with m.If(self.i.valid & kind.text):
                    m.d.comb += [needs.eq(of_any), feeds.eq(room), self.i.ready.eq(room & taken), stream_.push.eq(room & taken)]
                    with m.If(room & taken & ends_value):
                        m.d.sync += [none.eq(0), one.eq(none)]
                        with m.If(of_text.as_value().any()):
                            ask(TestSubject.TEXT, of_text, top.text)
                            with m.If(any_text.as_value().any()):
                                m.next = "ANYONE"
                with m.If(self.i.valid & (kind.start | kind.attribute) & texted):
                    # The text of the element round it is put away first.
                    m.d.comb += [hands.eq(room), work.op.eq(0), work.op.text.eq(1), work.fenced.eq(1)]
                with m.Elif(self.i.valid & kind.attribute):
                    m.d.comb += [hands.eq(kind.asks), self.i.ready.eq(self.o.ready | ~kind.asks)]
                    with m.If(self.i.ready):
                        m.d.sync += [
                            attribute.eq(given.name),
                            attribute_slices.eq(given.marks.slices),
                            attribute_kinds.string.eq(given.marks.strings.attribute),
                            attribute_kinds.number.eq(given.marks.numbers.attribute),
                        ]
                with m.Elif(self.i.valid & kind.start):
                    m.d.comb += [hands.eq(room), self.i.ready.eq(handed), stream_.open.eq(handed), keep.en.eq(handed)]
                    with m.If(handed):
                        m.d.sync += [leaf.eq(1), none.eq(1), one.eq(0), level.eq(level + 1), under.eq(level)]
                with m.Elif(self.i.valid & kind.end & owes):
                    with m.If(leaf & (one | none)):
                        # The text node that was read last is the string-value, or it is empty.
                        for feeder in feeders.values():
                            word = feeder.payload
                            m.d.comb += [word.data.eq(0), word.count.eq(0), word.last.eq(1), word.again.eq(one)]
                        m.d.comb += [needs.eq(of_self), feeds.eq(room)]
                        with m.If(room & taken):
                            ask(TestSubject.SELF, of_self, top.self)
                            m.d.sync += owes.eq(0)
                            with m.If(any_self.as_value().any()):
                                m.next = "ANYONE"
                    with m.Elif(stirred == 0):
                        m.next = "WORD"
                with m.Elif(self.i.valid & kind.end):
                    compares = of_any.as_value().any() | pending
                    m.d.comb += [hands.eq(room & compares), self.i.ready.eq(handed | ~compares), stream_.close.eq(self.i.ready)]
                    with m.If(self.i.ready):
                        m.d.sync += [leaf.eq(0), level.eq(under), under.eq(under - 1)]
                with m.Elif(self.i.valid & kind.done & (cut["string"] | cut["number"])):
                    # A bad document: its last value is void, and nobody asks for it.
                    for name, feeder in feeders.items():
                        word = feeder.payload
                        m.d.comb += [needs[name].eq(cut[name]), word.count.eq(0), word.last.eq(1), word.void.eq(1), word.silent.eq(1)]
                    m.d.comb += feeds.eq(1)
                with m.Elif(self.i.valid & kind.done):
                    m.d.comb += [hands.eq(room), self.i.ready.eq(handed), stream_.clear.eq(handed)]
                    with m.If(handed):
                        m.d.sync += [level.eq(0), under.eq(~0)]
                with m.If(self.i.ready & (kind.start | kind.end)):
                    m.d.sync += [top.eq(next_top), owes.eq(next_top.self.as_value().any() | any_self.as_value().any())]
            with m.State("ANYONE"):
                # The tests on elements of any name.
                m.d.comb += [anyone.eq(1), slices.eq(every.slices), key_name.eq(subject.as_value())]
                m.d.comb += [wanted.eq(Mux(subject == TestSubject.SELF, any_self, any_text)), mine.eq(wanted), asks.eq(room)]
                with m.If(room):
                    m.next = "RUN"
            with m.State("WORD"):
                # Waits for the words of the string-value.
                m.d.sync += age.eq(age + 1)
                with m.If(age == _PATIENCE):
                    m.next = "PULL"
            with m.State("PULL"):
                # Until the words have been taken.
                for name, feeder in feeders.items():
                    word, rest = feeder.payload, (rests[name] - (index << 2))[: len(rests[name])]
                    ring = stream_.word if name == "string" else stream_.figures
                    m.d.comb += [
                        needs[name].eq(of_self[name] & ~pulled[name]),
                        word.data.eq(Cat(Mux(n < rest, ring.word_select(n, 8), 0) for n in range(4))),
                        word.count.eq(Mux(lasts[name], rest[:3], 4)),
                        word.last.eq(lasts[name]),
                        word.void.eq(voids[name]),
                    ]
                    with m.If(feeder.valid & feeder.ready & lasts[name]):
                        m.d.sync += pulled[name].eq(1)
                m.d.comb += [feeds.eq(1), self.numbers.payload.many.eq(stream_.many & ~stream_.nan)]
                m.d.sync += age.eq(0)
                with m.If(taken):
                    m.d.sync += index.eq(index + 1)
                    m.next = "WORD"
                    with m.If(Cat(~of_self[name] | pulled[name] | lasts[name] for name in feeders).all()):
                        m.next = "ASK"
            with m.State("ASK"):
                # Queries about the string-value.
                with m.If(room):
                    ask(TestSubject.SELF, of_self, top.self)
                    m.d.sync += owes.eq(0)
                    m.next = "RUN"
                    with m.If(any_self.as_value().any()):
                        m.next = "ANYONE"
        m.d.comb += [self.idle.eq(fsm.ongoing("RUN")), self.more.eq(fsm.ongoing("ANYONE") & wanted.number)]
        return m
