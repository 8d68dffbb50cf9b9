"""Third stage of the parser: the grammar of tags, the number of open elements, and what each byte is part of [T 4.4.4]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code
from hdl.scbxp.classify import LANES, Lane
from hdl.scbxp.lexer import LexedWord, Mode
from hdl.scbxp.onehot import chosen
from hdl.scbxp.serial import Event
from hdl.shapes.publication import WordType

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


class _Seen(data.Struct):
    """What a byte was to those after it: the last byte of a tag's name, '<', the '/' of '</', white space in a tag, part of a value."""

    named: unsigned(1)
    lt: unsigned(1)
    end: unsigned(1)
    space: unsigned(1)
    value: unsigned(1)


class _LaneFacts(data.Struct):
    """A byte and where it stands, as far as it tells by itself. ``raw`` bytes are markup, or text and values as they were written."""

    lane: Lane
    active: unsigned(1)
    raw: unsigned(1)
    in_tag: unsigned(1)
    in_text: unsigned(1)
    in_value: unsigned(1)
    quoted: unsigned(1)
    named: unsigned(1)
    quote: unsigned(1)
    opens: unsigned(1)
    value: unsigned(1)


class _Along(data.Struct):
    """What passes through the stages unchanged."""

    offset: unsigned(32)
    event: Event
    code: unsigned(5)
    position: unsigned(32)
    late: unsigned(2)
    open: unsigned(1)


class TagChecker(wiring.Component):
    """Checks tags byte by byte, counts open elements, and says what each byte is part of.

    A word a clock, latency 6 clocks, no back pressure. After the first error of a document its remaining bytes are dropped.
    """

    latency = 6

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

        # Stage 1: what each byte is by itself.
        one = [Signal(_LaneFacts, name=f"one{k}") for k in range(LANES)]
        one_along = Signal(_Along)
        one_valid = Signal()
        m.d.sync += one_valid.eq(self.i_valid)
        m.d.sync += [getattr(one_along, name).eq(getattr(self.i, name)) for name in ("offset", "code", "position", "late", "open")]
        m.d.sync += one_along.event.eq(Mux(self.i_valid, self.i.event, Event.NONE))
        for k in range(LANES):
            lexed = self.i.lanes[k]
            lane = lexed.lane
            active = lexed.active & self.i_valid
            raw = active & ~lexed.literal
            in_tag = raw & (lexed.mode == Mode.TAG)
            quote = lane.dq | lane.sq
            in_value = (lexed.mode == Mode.DQ) | (lexed.mode == Mode.SQ)
            quoted = raw & (((lexed.mode == Mode.DQ) & lane.dq) | ((lexed.mode == Mode.SQ) & lane.sq))
            m.d.sync += [
                one[k].lane.eq(lane),
                one[k].active.eq(active),
                one[k].raw.eq(raw),
                one[k].in_tag.eq(in_tag),
                one[k].in_text.eq(active & (lexed.mode == Mode.TEXT)),
                one[k].in_value.eq(active & in_value),
                one[k].quoted.eq(quoted),
                one[k].named.eq(in_tag & (lane.name | lane.start | lane.tail)),
                one[k].quote.eq(in_tag & quote),
                one[k].opens.eq(raw & (lexed.mode == Mode.TEXT) & lane.lt),
                one[k].value.eq((in_tag & quote) | (in_value & ~quoted)),
            ]

        # Stage 2: what the byte before each was; for the first lane that is carried over.
        two = [Signal(_LaneFacts, name=f"two{k}") for k in range(LANES)]
        two_along = Signal(_Along)
        two_valid = Signal()
        two_class = [Signal(_Prior, name=f"two_class{k}") for k in range(LANES)]
        two_kind = [Signal(_Kind, name=f"two_kind{k}") for k in range(LANES)]
        counts, begins, spaced, abutting = (Signal(LANES, name=f"two_{name}") for name in ("counts", "begins", "spaced", "abutting"))
        abuts = Signal()
        carried = Signal(_Seen)
        latest = Signal(_Seen)
        m.d.sync += [two_valid.eq(one_valid), two_along.eq(one_along), abuts.eq(carried.named | carried.value)]
        m.d.comb += latest.eq(carried)
        before = carried
        for k in range(LANES):
            facts = one[k]
            lane = facts.lane
            own = Signal(_Seen, name=f"seen{k}")
            slash = facts.in_tag & lane.slash
            equals = facts.in_tag & lane.equals
            m.d.comb += [
                own.named.eq(facts.named),
                own.lt.eq(facts.opens),
                own.end.eq(slash & before.lt),
                own.space.eq(facts.in_tag & lane.space),
                own.value.eq(facts.value),
            ]
            m.d.sync += [
                two[k].eq(facts),
                begins[k].eq(facts.named & ~before.named),
                two_kind[k].eq(Mux(before.lt, _Kind.ELEMENT, Mux(before.end, _Kind.END, _Kind.ATTRIBUTE))),
                spaced[k].eq(before.space),
                abutting[k].eq(before.named | before.value),
                counts[k].eq(facts.opens | facts.quoted | facts.quote | slash | equals | (facts.in_tag & lane.gt) | facts.named),
                two_class[k].eq(
                    chosen(
                        (facts.opens, _Prior.LT.value),
                        (facts.quoted | facts.quote, _Prior.QUOTE.value),
                        (slash & before.lt, _Prior.END.value),
                        (slash & ~before.lt, _Prior.SLASH.value),
                        (equals, _Prior.EQUALS.value),
                        (facts.named, _Prior.NAME.value),
                        width=3,
                    )
                ),
            ]
            with m.If(facts.active):
                m.d.comb += latest.eq(own)
            before = Signal(_Seen, name=f"before{k + 1}")
            m.d.comb += before.eq(Mux(facts.active, own, carried))
        with m.If(one_along.event == Event.END):
            m.d.sync += carried.eq(0)
        with m.Else():
            m.d.sync += carried.eq(latest)

        # Stage 3: for each lane the latest byte of the tag before it, and the latest name.
        three = [Signal(_LaneFacts, name=f"three{k}") for k in range(LANES)]
        three_along = Signal(_Along)
        three_valid = Signal()
        three_abuts = Signal()
        three_abutting, three_spaced, fresh, elements = (
            Signal(LANES, name=f"three_{name}") for name in ("abutting", "spaced", "fresh", "elements")
        )
        prior = [Signal(_Prior, name=f"prior{k}") for k in range(LANES)]
        kind = [Signal(_Kind, name=f"kind{k}") for k in range(LANES)]
        was = [Signal(_Kind, name=f"was{k}") for k in range(LANES)]
        carried_prior = Signal(_Prior)
        carried_kind = Signal(_Kind)
        m.d.sync += [
            three_valid.eq(two_valid),
            three_along.eq(two_along),
            three_abuts.eq(abuts),
            three_abutting.eq(abutting),
            three_spaced.eq(spaced),
            fresh.eq(begins),
            elements.eq(begins & Cat(*(two_kind[k] == _Kind.ELEMENT for k in range(LANES)))),
        ]
        for k in range(LANES + 1):
            prior_now = Signal(_Prior, name=f"prior_before{k}")
            kind_now = Signal(_Kind, name=f"kind_before{k}")
            m.d.comb += [prior_now.eq(carried_prior), kind_now.eq(carried_kind)]
            for j in range(k):
                with m.If(counts[j]):
                    m.d.comb += prior_now.eq(two_class[j])
                with m.If(begins[j]):
                    m.d.comb += kind_now.eq(two_kind[j])
            if k < LANES:
                m.d.sync += [three[k].eq(two[k]), prior[k].eq(prior_now), was[k].eq(kind_now)]
                m.d.sync += kind[k].eq(Mux(begins[k], two_kind[k], kind_now))
            else:
                m.d.sync += [carried_prior.eq(Mux(two_along.event == Event.END, _Prior.NONE, prior_now)), carried_kind.eq(kind_now)]

        # Stage 4: the rules of tags, what each byte is part of, and how many elements each byte opens or closes before it.
        four = Signal(TaggedWord)
        four_valid = Signal()
        four_event = Signal(Event)
        four_event_code, four_event_late = Signal(5), Signal(2)
        four_open = Signal()
        codes = [Signal(5, name=f"code{k}") for k in range(LANES)]
        lates = [Signal(2, name=f"late{k}") for k in range(LANES)]
        four_abutting, visible, four_elements, four_ends = (
            Signal(LANES, name=f"four_{name}") for name in ("abutting", "visible", "elements", "ends")
        )
        level, lower, higher = (Signal(LANES, name=f"four_{name}") for name in ("level", "lower", "higher"))
        total = Signal(signed(3))
        m.d.sync += [
            four_valid.eq(three_valid),
            four.offset.eq(three_along.offset),
            four_event.eq(three_along.event),
            four_event_code.eq(three_along.code),
            four_event_late.eq(three_along.late),
            four.position.eq(three_along.position),
            four_open.eq(three_along.open),
            four.cut.eq(three_abuts),
            four_abutting.eq(three_abutting),
            four_elements.eq(elements),
        ]
        delta = Const(0, signed(3))
        for k in range(LANES):
            facts = three[k]
            lane = facts.lane
            in_tag = facts.in_tag
            in_text = facts.in_text
            in_value = facts.in_value
            quote = lane.dq | lane.sq
            allowed = Signal(name=f"allowed{k}")
            attribute = was[k] == _Kind.ATTRIBUTE
            element = was[k] == _Kind.ELEMENT
            m.d.comb += allowed.eq(
                chosen(
                    (prior[k] == _Prior.LT, lane.start | lane.slash),
                    (prior[k] == _Prior.END, lane.start),
                    (prior[k] == _Prior.SLASH, lane.gt),
                    (
                        prior[k] == _Prior.NAME,
                        lane.space
                        | (lane.equals & attribute)
                        | (lane.slash & element)
                        | (lane.gt & ~attribute)
                        | Mux(three_spaced[k], lane.start & element, lane.name | lane.tail),
                    ),
                    (prior[k] == _Prior.EQUALS, lane.space | quote),
                    (prior[k] == _Prior.QUOTE, lane.space | lane.slash | lane.gt | (lane.start & three_spaced[k])),
                    width=1,
                )
            )
            after_tag_start = ((prior[k] == _Prior.LT) | (prior[k] == _Prior.END)) & ~three_spaced[k]
            not_allowed = in_tag & ~allowed & ~lane.broken & ~lane.tail
            wrong_byte = facts.raw & (lane.error != 0)
            lt_in_value = in_value & facts.raw & lane.lt
            section_end = in_text & facts.raw & lane.section_end
            leaves = Signal(name=f"leaves{k}")
            m.d.comb += leaves.eq(in_tag & lane.gt & ((prior[k] == _Prior.SLASH) | (was[k] == _Kind.END)))
            m.d.sync += [level[k].eq(delta == 0), lower[k].eq(delta == -1), higher[k].eq(delta == 1)]
            next_delta = Signal(signed(3), name=f"delta{k}")
            m.d.comb += next_delta.eq(delta + elements[k] - leaves)
            delta = next_delta

            tagged = four.lanes[k]
            in_name = facts.named
            m.d.sync += [
                codes[k].eq(
                    Mux(
                        wrong_byte,
                        lane.error,
                        chosen(
                            (not_allowed & after_tag_start, Code.BAD_NAME.value),
                            (not_allowed & ~after_tag_start, Code.BAD_TAG.value),
                            (lt_in_value, Code.LT_IN_VALUE.value),
                            (section_end, Code.CDATA_END.value),
                            width=5,
                        ),
                    )
                ),
                lates[k].eq(Mux(lane.error == 0, lane.more, 0)),
                tagged.byte.eq(Mux(in_value & lane.space & facts.raw, 0x20, Mux(in_text & lane.cr & facts.raw, 0x0A, lane.byte))),
                tagged.type.eq(
                    Mux(
                        in_name,
                        Mux(
                            kind[k] == _Kind.ELEMENT,
                            WordType.ELEMENT,
                            Mux(kind[k] == _Kind.END, WordType.END, WordType.ATTRIBUTE),
                        ),
                        WordType.VALUE,
                    )
                ),
                tagged.begins.eq((in_name & fresh[k]) | facts.quote),
                tagged.mark.eq(in_name | (in_value & ~facts.quoted & ~((lane.skip | lane.amp) & facts.raw))),
                tagged.close.eq(in_tag & lane.gt),
                tagged.empty.eq(prior[k] == _Prior.SLASH),
                tagged.ending.eq(was[k] == _Kind.END),
                tagged.shuts.eq(facts.quoted),
                tagged.text.eq(in_text & ~((lane.lt | lane.amp | lane.skip) & facts.raw)),
                tagged.split.eq(in_tag & after_tag_start),
                tagged.start.eq(lane.start & ~lane.tail),
                tagged.colon.eq(lane.colon),
                visible[k].eq(in_text & facts.raw & ~lane.space & ~lane.lt & ~lane.broken & ~lane.tail),
                four_ends[k].eq(in_tag & after_tag_start & ~in_name),
            ]
        m.d.sync += total.eq(delta)

        # Stage 5: the number of open elements, and what it forbids.
        five = Signal(TaggedWord)
        five_valid = Signal()
        five_codes = [Signal(5, name=f"five_code{k}") for k in range(LANES)]
        five_lates = [Signal(2, name=f"five_late{k}") for k in range(LANES)]
        five_wrong, five_abutting, outside, text_outside, extra_root, unexpected = (
            Signal(LANES, name=f"five_{name}") for name in ("wrong", "abutting", "outside", "text_outside", "extra_root", "unexpected")
        )
        five_ends, five_break = Signal(), Signal()
        wrong = Signal(LANES)
        five_event_code, five_event_late = Signal(5), Signal(2)
        depth = Signal(8)
        root_seen = Signal()
        doctype_seen = Signal()
        at_zero = depth == 0
        at_one = depth == 1
        full = depth == self._depth
        nearly = depth == self._depth - 1
        ends = four_event == Event.END
        m.d.sync += [
            five.eq(four),
            five_valid.eq(four_valid),
            five_abutting.eq(four_abutting),
            five_ends.eq(ends),
            five_break.eq(four_event == Event.BREAK),
            five_event_late.eq(four_event_late),
            five_event_code.eq(
                chosen(
                    (four_event == Event.ERROR, four_event_code),
                    ((four_event == Event.SECTION) & at_zero, Code.TEXT_OUTSIDE.value),
                    ((four_event == Event.DOCTYPE) & (root_seen | doctype_seen), Code.BAD_DOCTYPE.value),
                    (ends & (four_open | ~at_zero), Code.UNCLOSED.value),
                    (ends & ~four_open & at_zero & ~root_seen, Code.NO_ROOT.value),
                    width=5,
                )
            ),
        ]
        for k in range(LANES):
            is_outside = (level[k] & at_zero) | (lower[k] & at_one)
            beyond = (level[k] & full) | (higher[k] & nearly)
            forbidden = visible[k] | four_ends[k] | (four_elements[k] & root_seen)
            m.d.sync += [
                wrong[k].eq((codes[k] != 0) | (forbidden & is_outside) | (four_elements[k] & beyond)),
                five_codes[k].eq(codes[k]),
                five_lates[k].eq(lates[k]),
                five_wrong[k].eq(codes[k] != 0),
                outside[k].eq(is_outside),
                text_outside[k].eq(visible[k] & is_outside),
                extra_root[k].eq(four_elements[k] & is_outside & root_seen),
                unexpected[k].eq(four_ends[k] & is_outside),
            ]
        with m.If(ends):
            m.d.sync += [depth.eq(0), root_seen.eq(0), doctype_seen.eq(0)]
        with m.Elif(four_valid):
            m.d.sync += [
                depth.eq(depth + total),
                root_seen.eq(root_seen | four_elements.any()),
                doctype_seen.eq(doctype_seen | (four_event == Event.DOCTYPE)),
            ]

        # Stage 6: the first error stops the document.
        failed = Signal()
        code = Signal(5)
        base = Signal(32)
        late = Signal(2)
        cut = Signal()
        event_wrong = five_event_code != 0
        first = [wrong[k] & ~wrong[:k].any() if k else wrong[0] for k in range(LANES)]
        lane_codes = [
            Mux(
                five_wrong[k],
                five_codes[k],
                Mux(
                    text_outside[k],
                    Code.TEXT_OUTSIDE.value,
                    Mux(
                        extra_root[k],
                        Code.EXTRA_ROOT.value,
                        Mux(unexpected[k], Code.UNEXPECTED_END.value, Code.DEPTH.value),
                    ),
                ),
            )
            for k in range(LANES)
        ]
        lane_lates = [Mux(five_wrong[k] | text_outside[k], five_lates[k], 0) for k in range(LANES)]
        any_wrong = wrong.any()
        m.d.sync += [self.o.eq(five), self.o_valid.eq(five_valid & (~failed | five_ends)), self.o.split.eq(five_break)]
        with m.If(five_valid & (any_wrong | event_wrong)):
            m.d.sync += failed.eq(1)
        # What is kept before the first error does not count, so that nothing has to wait for whether there is one.
        with m.If(~failed):
            m.d.sync += [
                code.eq(Mux(any_wrong, chosen(*zip(first, lane_codes, strict=True), width=5), five_event_code)),
                base.eq(
                    Mux(
                        any_wrong,
                        Cat(chosen(*((first[k], k) for k in range(LANES)), width=2), five.offset[2:]),
                        five.position,
                    )
                ),
                late.eq(Mux(any_wrong, chosen(*zip(first, lane_lates, strict=True), width=2), five_event_late)),
                cut.eq(chosen(*((first[k], five_abutting[k]) for k in range(LANES)), width=1) | ~any_wrong),
            ]
        for k in range(LANES):
            keep = ~wrong[: k + 1].any()
            lane = self.o.lanes[k]
            source = five.lanes[k]
            m.d.sync += [
                lane.begins.eq(source.begins & keep),
                lane.mark.eq(source.mark & keep),
                lane.close.eq(source.close & keep),
                lane.text.eq(source.text & keep & ~outside[k]),
                lane.split.eq(source.split & keep),
            ]
        m.d.sync += [self.o.end.eq(five_ends), self.o.length.eq(five.position)]
        with m.If(five_ends):
            m.d.sync += [
                self.o.code.eq(Mux(failed, code, five_event_code)),
                self.o.position.eq(Mux(failed, base + late, five.position)),
                self.o.cut.eq(Mux(failed, cut, five.cut)),
                failed.eq(0),
            ]
        return m
