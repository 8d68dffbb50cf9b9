"""Third stage of the parser: the grammar of tags, the number of open elements, and what each byte is part of [T 4.4.4]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code
from hdl.layouts import WordType
from hdl.scbxp.classify import LANES
from hdl.scbxp.lexer import LexedWord, Mode
from hdl.scbxp.serial import Event

__all__ = ["TaggedLane", "TaggedWord", "TagChecker"]


class _Prior(enum.Enum, shape=unsigned(3)):
    """The latest byte in a tag that is not white space."""

    NONE = 0
    LT = 1
    END = 2
    """The '/' of '</'."""
    SLASH = 3
    NAME = 4
    EQUALS = 5
    QUOTE = 6


class _Kind(enum.Enum, shape=unsigned(2)):
    """Which name was the latest in a tag."""

    ELEMENT = 0
    ATTRIBUTE = 1
    END = 2


class TaggedLane(data.Struct):
    """A byte and what it is part of.

    ``begins`` starts a mark token of type ``type``; ``mark`` bytes belong to the latest begun token; ``close`` is the '>' of a tag
    and ends it, with ``empty`` for '/>' and ``ending`` for an end tag's. ``shuts`` is the closing quote of a value. ``text`` bytes are
    character data, ``split`` ends a text node before this byte. ``start`` and ``colon`` serve the check of QNames.
    """

    byte: unsigned(8)
    type: WordType
    begins: unsigned(1)
    mark: unsigned(1)
    close: unsigned(1)
    empty: unsigned(1)
    ending: unsigned(1)
    shuts: unsigned(1)
    text: unsigned(1)
    split: unsigned(1)
    start: unsigned(1)
    colon: unsigned(1)


class TaggedWord(data.Struct):
    """Four lanes. ``split`` ends a text node after them. ``end`` ends the document, with the first error found so far (``code`` 0 if
    none) at ``position``, its ``length``, and ``cut`` if a name or a value not yet closed reaches up to that place."""

    lanes: data.ArrayLayout(TaggedLane, LANES)
    offset: unsigned(32)
    split: unsigned(1)
    end: unsigned(1)
    code: unsigned(5)
    position: unsigned(32)
    length: unsigned(32)
    cut: unsigned(1)


class TagChecker(wiring.Component):
    """Checks tags byte by byte, counts open elements, and says what each byte is part of.

    A word a clock, latency 3 clocks, no back pressure. After the first error of a document its remaining bytes are dropped.
    """

    i: In(LexedWord)
    i_valid: In(1)
    o: Out(TaggedWord)
    o_valid: Out(1)

    def __init__(self, *, depth: int):
        if not 1 <= depth <= 255:
            raise ValueError(f"depth must be 1 to 255, not {depth!r}")
        self._depth = depth
        super().__init__()

    def elaborate(self, platform):
        m = Module()

        # Stage 1: for each lane the latest byte of the tag before it, and whether white space came since.
        one = Signal(LexedWord)
        one_valid = Signal()
        m.d.sync += one_valid.eq(self.i_valid)
        with m.If(self.i_valid):
            m.d.sync += one.eq(self.i)

        prior = [Signal(_Prior, name=f"prior{k}") for k in range(LANES)]
        spaced = Signal(LANES)
        kind = [Signal(_Kind, name=f"kind{k}") for k in range(LANES)]
        was = [Signal(_Kind, name=f"was{k}") for k in range(LANES)]
        fresh = Signal(LANES)
        abutting = Signal(LANES)
        abuts = Signal()

        # What the byte before a lane was; for the first lane of a word that is carried over.
        carried_prior = Signal(_Prior)
        carried_kind = Signal(_Kind)
        carried = Signal(data.StructLayout({"named": 1, "lt": 1, "end": 1, "space": 1, "value": 1}))
        last = Signal(carried.shape())
        any_active = Cat(*(self.i.lanes[k].active for k in range(LANES))).any()
        previous, latest, latest_kind, active_before = carried, carried_prior, carried_kind, Const(0)
        for k in range(LANES):
            lexed = self.i.lanes[k]
            lane = lexed.lane
            raw = lexed.active & ~lexed.literal
            before = Signal(carried.shape(), name=f"byte_before{k}")
            m.d.comb += before.eq(Mux(active_before, previous, carried))
            in_tag = raw & (lexed.mode == Mode.TAG)
            opens = raw & (lexed.mode == Mode.TEXT) & lane.lt
            quoted = raw & (((lexed.mode == Mode.DQ) & lane.dq) | ((lexed.mode == Mode.SQ) & lane.sq))
            named = in_tag & (lane.name | lane.start | lane.tail)
            begins = Signal(name=f"begins{k}")
            own_kind = Signal(_Kind, name=f"own_kind{k}")
            m.d.comb += [
                begins.eq(named & ~before.named),
                own_kind.eq(Mux(before.lt, _Kind.ELEMENT, Mux(before.end, _Kind.END, _Kind.ATTRIBUTE))),
            ]
            after_kind = Signal(_Kind, name=f"after_kind{k}")
            m.d.comb += after_kind.eq(Mux(begins, own_kind, latest_kind))
            m.d.sync += abutting[k].eq(before.named | before.value)
            m.d.sync += [
                prior[k].eq(latest),
                spaced[k].eq(before.space),
                was[k].eq(latest_kind),
                kind[k].eq(after_kind),
                fresh[k].eq(begins),
            ]

            cls = Signal(_Prior, name=f"class{k}")
            ends_open = in_tag & lane.slash & before.lt
            with m.If(opens):
                m.d.comb += cls.eq(_Prior.LT)
            with m.Elif(quoted | (in_tag & (lane.dq | lane.sq))):
                m.d.comb += cls.eq(_Prior.QUOTE)
            with m.Elif(in_tag & lane.slash):
                m.d.comb += cls.eq(Mux(before.lt, _Prior.END, _Prior.SLASH))
            with m.Elif(in_tag & lane.equals):
                m.d.comb += cls.eq(_Prior.EQUALS)
            with m.Elif(named):
                m.d.comb += cls.eq(_Prior.NAME)
            counts = opens | quoted | (in_tag & (lane.dq | lane.sq | lane.slash | lane.equals | lane.gt)) | named
            after = Signal(_Prior, name=f"after{k}")
            m.d.comb += after.eq(Mux(counts, cls, latest))
            own = Signal(carried.shape(), name=f"byte{k}")
            in_value = (lexed.mode == Mode.DQ) | (lexed.mode == Mode.SQ)
            m.d.comb += [
                own.named.eq(named),
                own.lt.eq(opens),
                own.end.eq(ends_open),
                own.space.eq(in_tag & lane.space),
                own.value.eq((in_tag & (lane.dq | lane.sq)) | (in_value & ~quoted)),
            ]
            with m.If(lexed.active):
                m.d.comb += last.eq(own)
            previous, latest, latest_kind, active_before = own, after, after_kind, lexed.active
        with m.If(self.i_valid):
            ends = self.i.event == Event.END
            m.d.sync += [carried_prior.eq(Mux(ends, _Prior.NONE, latest)), carried_kind.eq(latest_kind)]
            with m.If(ends):
                m.d.sync += carried.eq(0)
            with m.Elif(any_active):
                m.d.sync += carried.eq(last)
        m.d.sync += abuts.eq(carried.named | carried.value)

        # Stage 2: the rules of tags, and what each byte is part of.
        two = Signal(TaggedWord)
        two_valid = Signal()
        two_codes = [Signal(5, name=f"code{k}") for k in range(LANES)]
        two_late = [Signal(2, name=f"late{k}") for k in range(LANES)]
        two_abuts = Signal(LANES)
        two_event = Signal(Event)
        two_event_code = Signal(5)
        two_open = Signal()
        two_visible = Signal(LANES)
        m.d.sync += [
            two_valid.eq(one_valid),
            two.offset.eq(one.offset),
            two_event.eq(Mux(one_valid, one.event, Event.NONE)),
            two_event_code.eq(one.code),
            two.position.eq(one.position),
            two_open.eq(one.open),
            two.cut.eq(abuts),
        ]
        for k in range(LANES):
            lexed = one.lanes[k]
            lane = lexed.lane
            active = lexed.active & one_valid
            raw = active & ~lexed.literal
            in_tag = raw & (lexed.mode == Mode.TAG)
            in_text = active & (lexed.mode == Mode.TEXT)
            in_value = active & ((lexed.mode == Mode.DQ) | (lexed.mode == Mode.SQ))
            closing = raw & (((lexed.mode == Mode.DQ) & lane.dq) | ((lexed.mode == Mode.SQ) & lane.sq))
            named = lane.name | lane.start | lane.tail
            quote = lane.dq | lane.sq
            element = kind[k] == _Kind.ELEMENT
            ends = kind[k] == _Kind.END
            code = Signal(5, name=f"rule{k}")
            allowed = Signal(name=f"allowed{k}")
            with m.Switch(prior[k]):
                with m.Case(_Prior.LT):
                    m.d.comb += allowed.eq(lane.start | lane.slash)
                with m.Case(_Prior.END):
                    m.d.comb += allowed.eq(lane.start)
                with m.Case(_Prior.SLASH):
                    m.d.comb += allowed.eq(lane.gt)
                with m.Case(_Prior.NAME):
                    m.d.comb += allowed.eq(
                        lane.space
                        | (lane.equals & (was[k] == _Kind.ATTRIBUTE))
                        | (lane.slash & (was[k] == _Kind.ELEMENT))
                        | (lane.gt & (was[k] != _Kind.ATTRIBUTE))
                        | Mux(spaced[k], lane.start & (was[k] == _Kind.ELEMENT), lane.name | lane.tail)
                    )
                with m.Case(_Prior.EQUALS):
                    m.d.comb += allowed.eq(lane.space | quote)
                with m.Case(_Prior.QUOTE):
                    m.d.comb += allowed.eq(lane.space | lane.slash | lane.gt | (lane.start & spaced[k]))
            after_tag_start = ((prior[k] == _Prior.LT) | (prior[k] == _Prior.END)) & ~spaced[k]
            with m.If(active & ~lexed.literal & (lane.error != 0)):
                m.d.comb += code.eq(lane.error)
            with m.Elif(in_tag & ~allowed & ~lane.broken & ~lane.tail):
                m.d.comb += code.eq(Mux(after_tag_start, Code.BAD_NAME.value, Code.BAD_TAG.value))
            with m.Elif(in_value & ~lexed.literal & lane.lt):
                m.d.comb += code.eq(Code.LT_IN_VALUE.value)
            with m.Elif(in_text & ~lexed.literal & lane.section_end):
                m.d.comb += code.eq(Code.CDATA_END.value)

            tagged = two.lanes[k]
            literal_space = lane.space & ~lexed.literal
            in_name = in_tag & named
            m.d.sync += [
                two_codes[k].eq(code),
                two_late[k].eq(Mux(lane.error == 0, lane.more, 0)),
                two_abuts[k].eq(abutting[k]),
                tagged.byte.eq(
                    Mux(in_value & literal_space, 0x20, Mux(in_text & lane.cr & ~lexed.literal, 0x0A, lane.byte)),
                ),
                tagged.type.eq(Mux(in_name, Mux(element, WordType.ELEMENT, Mux(ends, WordType.END, WordType.ATTRIBUTE)), WordType.VALUE)),
                tagged.begins.eq((in_name & fresh[k]) | (in_tag & quote)),
                tagged.mark.eq(in_name | (in_value & ~closing & ~((lane.skip | lane.amp) & ~lexed.literal))),
                tagged.close.eq(in_tag & lane.gt),
                tagged.empty.eq(prior[k] == _Prior.SLASH),
                tagged.ending.eq(was[k] == _Kind.END),
                tagged.shuts.eq(closing),
                tagged.text.eq(in_text & ~((lane.lt | lane.amp | lane.skip) & ~lexed.literal)),
                tagged.split.eq(in_tag & after_tag_start),
                tagged.start.eq(lane.start & ~lane.tail),
                tagged.colon.eq(lane.colon),
                two_visible[k].eq(in_text & ~lexed.literal & ~lane.space & ~lane.lt & ~lane.broken & ~lane.tail),
            ]

        # Stage 3: open elements; the first error stops the document.
        depth = Signal(8)
        root_seen = Signal()
        doctype_seen = Signal()
        failed = Signal()
        code = Signal(5)
        position = Signal(32)
        cut = Signal()
        at_zero = depth == 0
        at_one = depth == 1
        full = depth == self._depth
        nearly = depth == self._depth - 1

        lane_code = [Signal(5, name=f"lane_code{k}") for k in range(LANES)]
        lane_late = [Signal(2, name=f"lane_late{k}") for k in range(LANES)]
        delta = Const(0, signed(3))
        outside = []
        for k in range(LANES):
            tagged = two.lanes[k]
            is_outside = Mux(delta == 0, at_zero, (delta == -1) & at_one)
            outside.append(is_outside)
            begins_element = tagged.begins & (tagged.type == WordType.ELEMENT)
            too_deep = Mux(delta == 0, full, (delta == 1) & nearly)
            begins_end = tagged.split & ~tagged.begins
            with m.If(two_codes[k] != 0):
                m.d.comb += [lane_code[k].eq(two_codes[k]), lane_late[k].eq(two_late[k])]
            with m.Elif(two_visible[k] & is_outside):
                m.d.comb += [lane_code[k].eq(Code.TEXT_OUTSIDE.value), lane_late[k].eq(two_late[k])]
            with m.Elif(begins_element & is_outside & root_seen):
                m.d.comb += lane_code[k].eq(Code.EXTRA_ROOT.value)
            with m.Elif(begins_end & is_outside):
                m.d.comb += lane_code[k].eq(Code.UNEXPECTED_END.value)
            with m.Elif(begins_element & too_deep):
                m.d.comb += lane_code[k].eq(Code.DEPTH.value)
            leaves = tagged.close & (tagged.empty | tagged.ending)
            next_delta = Signal(signed(3), name=f"delta{k}")
            m.d.comb += next_delta.eq(delta + begins_element - leaves)
            delta = next_delta

        wrong = Signal(LANES)
        m.d.comb += wrong.eq(Cat(*(lane_code[k] != 0 for k in range(LANES))))
        wrong_lane = Signal(2)
        wrong_late = Signal(2)
        event_code = Signal(5)
        with m.Switch(two_event):
            with m.Case(Event.ERROR):
                m.d.comb += event_code.eq(two_event_code)
            with m.Case(Event.SECTION):
                m.d.comb += event_code.eq(Mux(at_zero, Code.TEXT_OUTSIDE.value, 0))
            with m.Case(Event.DOCTYPE):
                m.d.comb += event_code.eq(Mux(root_seen | doctype_seen, Code.BAD_DOCTYPE.value, 0))
            with m.Case(Event.END):
                m.d.comb += event_code.eq(Mux(two_open | ~at_zero, Code.UNCLOSED.value, Mux(root_seen, 0, Code.NO_ROOT.value)))

        ends = two_valid & (two_event == Event.END)
        m.d.sync += [self.o_valid.eq(two_valid & (~failed | ends)), self.o.eq(two)]
        with m.If(two_valid):
            m.d.sync += self.o.split.eq(two_event == Event.BREAK)
            with m.If(two_event == Event.DOCTYPE):
                m.d.sync += doctype_seen.eq(1)
            with m.If(~failed):
                m.d.sync += depth.eq(depth + delta)
                with m.If(Cat(*(two.lanes[k].begins & (two.lanes[k].type == WordType.ELEMENT) for k in range(LANES))).any()):
                    m.d.sync += root_seen.eq(1)
                with m.If(wrong.any()):
                    m.d.sync += [failed.eq(1), position.eq(Cat(wrong_lane, two.offset[2:]) + wrong_late)]
                    for k in reversed(range(LANES)):
                        with m.If(wrong[k]):
                            m.d.comb += [wrong_lane.eq(k), wrong_late.eq(lane_late[k])]
                            m.d.sync += [code.eq(lane_code[k]), cut.eq(two_abuts[k])]
                with m.Elif((event_code != 0) & ~ends):
                    m.d.sync += [failed.eq(1), code.eq(event_code), position.eq(two.position), cut.eq(1)]
            for k in range(LANES):
                keep = ~wrong[: k + 1].any()
                lane = self.o.lanes[k]
                source = two.lanes[k]
                m.d.sync += [
                    lane.begins.eq(source.begins & keep),
                    lane.mark.eq(source.mark & keep),
                    lane.close.eq(source.close & keep),
                    lane.text.eq(source.text & keep & ~outside[k]),
                    lane.split.eq(source.split & keep),
                ]
        m.d.sync += [self.o.end.eq(ends), self.o.length.eq(two.position)]
        with m.If(ends):
            m.d.sync += [
                self.o.code.eq(Mux(failed, code, event_code)),
                self.o.position.eq(Mux(failed, position, two.position)),
                self.o.cut.eq(Mux(failed, cut, two.cut)),
                failed.eq(0),
                depth.eq(0),
                root_seen.eq(0),
                doctype_seen.eq(0),
            ]
        return m
