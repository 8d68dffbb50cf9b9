"""Seventh stage of the parser: attributes given once, QNames, and prefixes bound [XML 3.1, Namespaces 3 to 6]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import Code
from hdl.scbxp.names import NamedMark
from hdl.scbxp.onehot import OneHot, chosen
from hdl.scbxp.places import PLACED
from hdl.scbxp.segments import TOKEN_COUNT
from hdl.shapes.publication import Mark, WordType
from hdl.shapes.widths import learned_name_width
from hdl.stream.block_ram import BlockRam

__all__ = ["CheckedMark", "Nesting"]


_STAMP = 4
"""Width of the number that marks the attributes of a tag."""

_STAMPED = 6
"""Low bits of the numbers of names that are marked."""


def _word(text: str) -> int:
    return int.from_bytes(text.encode(), "little")


class CheckedMark(data.StructLayout):
    """A mark ready to be handed on; ``texts`` text nodes stand before the token, and ``empty`` asks for an END mark after this one.
    With ``end`` it is the verdict of the document: ``code``, the offset in the mark's ``data``, and the ``length``."""

    def __init__(self, config):
        super().__init__({"mark": Mark(config), "texts": TOKEN_COUNT, "empty": 1, "end": 1, "code": 5, "length": 32})


class Nesting(wiring.Component):
    """Checks what needs the names: QNames, attributes, namespace declarations, end tags.

    One word a clock for names without a prefix and for the prefix used before; another prefix is searched for among the declarations in
    scope, newest first, at one clock each and four a word. An attribute that has the low bits of another one's number takes a clock for
    each attribute before it. Six clocks at the end of a document. No clock of its own: the output comes with the input, and holds it while
    it is not taken.

    ``token``, ``close``, ``near`` and ``position`` are those of :class:`hdl.scbxp.places.TokenPlaces`.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(NamedMark(config))),
                "o": Out(stream.Signature(CheckedMark(config))),
                "token": Out(PLACED),
                "close": Out(1),
                "near": Out(1),
                "position": In(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        words = config.name_bytes // 4
        word_bits = ceil_log2(words)
        entry = self.i.payload
        mark, facts = entry.mark, entry.facts
        is_element, is_attribute, is_end, ends = facts.element, facts.attribute, facts.end, entry.ends
        is_name = is_element | is_attribute
        document_code = Cat(mark.count, mark.index)[:5]  # when it ends
        first, long = facts.first, facts.long
        index = mark.index[:word_bits]
        fsm = OneHot(
            "RUN", "TWINS", "PREFIX", "DECLARE_TAIL", "DECLARED", "SEARCH", "COMPARE", "POSTPONE", "NEXT", "CLOSE", "RECALL",
            "END_WAIT", "END_COMPARE", "END", name="nesting_state",
        )  # fmt: skip
        free = self.o.ready
        takes = Signal()
        # The end of a document is no word of anything: none of the facts holds, and no more has to be asked.
        m.d.comb += takes.eq(fsm["RUN"] & self.i.valid & free)

        # --- QNames: at most one colon, with a name on either side.
        colon_seen, colon_last, wrong_before = Signal(), Signal(), Signal()
        seen_before = colon_seen & ~first
        seen = Signal()
        wrong = Signal()
        m.d.comb += [
            seen.eq(seen_before | facts.colon),
            wrong.eq(
                (wrong_before & ~first)
                | (facts.colon & seen_before)
                | facts.more
                | (facts.at_start & first)
                | facts.before
                | (colon_last & ~first & ~facts.opens)
                | facts.at_end
            ),
        ]
        # The words of a name follow each other, and the first asks for nothing before it: what other tokens leave here does not matter.
        with m.If(takes):
            m.d.sync += [colon_seen.eq(seen), colon_last.eq(facts.full), wrong_before.eq(wrong)]
        good_name = Signal()  # a whole name that counts
        m.d.comb += good_name.eq(is_name & ~mark.cut & ~long)

        # --- The prefix of the name under way, and the prefix that it declares.
        m.submodules.used = used = Memory(shape=32, depth=words, init=[])
        used_write, used_read = used.write_port(), used.read_port(domain="comb")
        used_words = Signal(range(words + 1))
        local_words = Signal(range(words + 1))
        lead = mark.data & Cat(*(bit.replicate(8) for bit in facts.lead))
        upper_half = Signal(16)
        xmln, declares = Signal(), Signal()
        declared_value = Signal()
        one_word = Signal(32)  # the first word of the prefix
        token, last_token = Signal(PLACED), Signal(PLACED)
        last_index = Signal.like(mark.index)
        last_count = Signal(3)
        # The prefix, as long as no colon has come. What is asked for only after the last word of a name has passed is kept of every word
        # that is seen, as often as it is: when that one is taken it is its own, and it stays until the next may pass.
        m.d.comb += [used_write.addr.eq(index), used_write.data.eq(lead), used_write.en.eq(fsm["RUN"] & ~seen_before & ~long)]
        with m.If(takes):
            m.d.sync += upper_half.eq(mark.data[16:])
        with m.If(fsm["RUN"]):
            m.d.sync += [last_index.eq(mark.index), last_count.eq(mark.count), last_token.eq(token)]
            with m.If(~seen_before & facts.colon):
                m.d.sync += used_words.eq(mark.index + facts.lead[0])
            with m.If(first):
                m.d.sync += [one_word.eq(lead), xmln.eq(facts.xmln & is_attribute), declares.eq(0)]
            with m.If(facts.second):
                m.d.sync += declares.eq(xmln & facts.s_colon)

        # --- Prefixes: those declared from the bottom of a memory up, those that wait for a declaration from its top down. When they
        # meet, no declaration can follow that would not be one too many, so that nothing is lost by not writing. One place less than
        # names in a tag is enough for those that wait: when all of them do, none is declared there, and each tells the same.
        places = config.prefixes + config.attributes
        m.submodules.prefixes = prefixes = BlockRam(shape=32, depth=places * words, output_register=True)
        m.submodules.declared_words = sizes = Memory(shape=range(words + 1), depth=config.prefixes, init=[])
        sizes_write, sizes_read = sizes.write_port(), sizes.read_port(domain="comb")
        m.submodules.pending_words = waits = Memory(shape=range(words + 1), depth=max(2, config.attributes), init=[])
        waits_write, waits_read = waits.write_port(), waits.read_port(domain="comb")
        m.submodules.scopes = scopes = Memory(shape=range(config.prefixes + 1), depth=1 << ceil_log2(config.depth), init=[])
        scopes_write, scopes_read = scopes.write_port(), scopes.read_port(domain="comb")
        declarations, one_more = (Signal(range(config.prefixes + 1), name=name) for name in ("declarations", "one_more"))
        waiting = Signal(range(config.attributes + 2))
        some_wait = Signal()
        attributes = Signal(range(config.attributes + 2))
        level_bits = ceil_log2(config.depth)
        depth = Signal(range(config.depth + 1))
        below = Signal(level_bits, init=(1 << level_bits) - 1)  # depth - 1
        cached = Signal(data.StructLayout({"valid": 1, "word": 32}))
        declarations_before = Signal(range(config.prefixes + 1))
        left = Signal()
        candidate = Signal(range(config.prefixes + 1))
        candidate_place = Signal(range(config.prefixes))  # candidate - 1
        step = Signal(word_bits)
        wait = Signal(2)
        resolving = Signal()
        closing, closing_empty = Signal(), Signal()  # the tag ends after the work under way
        place_shape = range(places)
        pending_place, latest_place = Signal(place_shape), Signal(place_shape)
        crowded = Signal()
        used_last, step_last = Signal(word_bits), Signal()  # of ``used``
        m.d.sync += used_last.eq(used_words - 1)
        m.d.comb += [
            pending_place.eq(places - 1 - waiting),
            latest_place.eq(places - waiting),
            step_last.eq(step == used_last),
            scopes_write.addr.eq(depth),
            scopes_write.data.eq(declarations),
            scopes_write.en.eq(takes & ends.element),
            scopes_read.addr.eq(below),
            sizes_read.addr.eq(candidate_place),
            sizes_write.addr.eq(declarations),
            sizes_write.data.eq(local_words),
            sizes_write.en.eq(fsm["DECLARED"]),
            waits_read.addr.eq(waiting - 1),
            waits_write.addr.eq(waiting),
            waits_write.data.eq(used_words),
            waits_write.en.eq(fsm["POSTPONE"] & ~crowded),
            prefixes.read[0].addr.eq(Cat(step, Mux(fsm["RECALL"], latest_place, candidate_place))),
            prefixes.read[0].en.eq(1),
            used_read.addr.eq(step),
        ]
        full = Signal()  # no place for another declaration
        m.d.sync += [
            crowded.eq((waiting + declarations >= places) | (waiting >= config.attributes)),
            full.eq(declarations == config.prefixes),
            one_more.eq(declarations + 1),
        ]
        # What follows 'xmlns:' is moved up by six bytes to the next free place as it passes, and stays there if it is a declaration; the
        # last half word follows it.
        tail = fsm["DECLARE_TAIL"]
        moved = Cat(upper_half, Mux(tail, 0, mark.data[:16]))
        m.d.comb += [
            prefixes.write.addr.eq(
                Mux(
                    fsm["POSTPONE"],
                    Cat(step, pending_place),
                    Cat(Mux(tail, last_index - 1, mark.index - 2)[:word_bits], declarations[: len(pending_place)]),
                )
            ),
            prefixes.write.data.eq(Mux(fsm["POSTPONE"], used_read.data, moved)),
            prefixes.write.en.eq(
                (fsm["POSTPONE"] & ~crowded) | (tail & ~full & (last_count > 2)) | (takes & ~full & ~long & ~first & ~facts.second)
            ),
        ]

        # --- An attribute given twice is found by the number of its name. The low bits of each are marked with a number of the tag; only
        # when they are marked already are the attributes before it looked through. Marks of tags long past look alike, and only cost time.
        id_width = learned_name_width(config)
        slots = 1 << ceil_log2(max(2, config.attributes))
        m.submodules.attribute_ids = ids = Memory(shape=id_width, depth=slots, init=[])
        ids_write, ids_read = ids.write_port(), ids.read_port(domain="comb")
        m.submodules.attribute_stamps = stamps = Memory(shape=_STAMP, depth=1 << min(_STAMPED, id_width), init=[])
        stamps_write, stamps_read = stamps.write_port(), stamps.read_port(domain="comb")
        stamp = Signal(_STAMP)
        twin = Signal(range(slots))
        last_id = Signal(id_width)
        prefixed = Signal()  # the attribute has a prefix
        alike = mark.last & is_attribute & good_name & (attributes != 0) & (stamps_read.data == stamp)
        earlier_id, earlier_valid, earlier_first = Signal(id_width), Signal(), Signal()
        equal = fsm["TWINS"] & earlier_valid & (earlier_id == last_id)
        m.d.comb += [
            ids_write.addr.eq(attributes),
            ids_write.data.eq(entry.own),
            ids_write.en.eq(takes & ends.attribute),
            ids_read.addr.eq(twin),
            stamps_write.addr.eq(entry.own),
            stamps_write.data.eq(stamp),
            stamps_write.en.eq(takes & ends.attribute),
            stamps_read.addr.eq(entry.own),
        ]
        m.d.sync += [
            twin.eq(Mux(fsm["TWINS"], twin, attributes) - 1),
            earlier_id.eq(ids_read.data),
            earlier_valid.eq(fsm["TWINS"]),
            earlier_first.eq(twin == 0),
        ]
        with m.If(fsm["RUN"]):
            m.d.sync += last_id.eq(entry.own)
        with m.If(takes & ends.element):
            m.d.sync += stamp.eq(stamp + 1)

        # --- The first error, in the order of the words.
        found = Signal(data.StructLayout({"code": 5, "position": 32}))
        # What is raised waits for its place.
        raised, told, checked = (Signal(5, name=name) for name in ("raised", "told", "checked"))
        reach, told_reach, checked_reach = (Signal(7, name=name) for name in ("reach", "told_reach", "checked_reach"))
        no_value = facts.value & declared_value & first & (mark.count == 0) & ~mark.cut
        too_many = attributes >= config.attributes
        unbound = fsm["SEARCH"] & (candidate == 0) & resolving
        tail_raises = fsm["DECLARE_TAIL"] & full
        spells_xmln = Signal()
        is_xmlns = spells_xmln & (upper_half == ord("s")) & (last_index == 2) & (last_count == 3)
        declared_raises = fsm["DECLARED"] & is_xmlns
        whole = mark.last & good_name
        from_word = Signal(5)  # if it is taken
        m.d.comb += from_word.eq(
            chosen(
                ((is_name | is_end) & facts.limit, Code.NAME_LENGTH.value),
                (mark.last & is_end & entry.differs & ~mark.cut & ~long, Code.MISMATCHED_END.value),
                (whole & wrong, Code.BAD_QNAME.value),
                (whole & ~wrong & is_attribute & too_many, Code.ATTRIBUTES.value),
                (whole & ~wrong & ~(is_attribute & too_many) & entry.clash, Code.NAME_CLASH.value),
                (mark.last & no_value, Code.BAD_NS_DECL.value),
                width=5,
            )
        )
        m.d.sync += [
            raised.eq(
                chosen(
                    (takes, from_word),
                    (declared_raises, Code.BAD_NS_DECL.value),
                    (tail_raises, Code.PREFIXES.value),
                    (unbound, Code.UNBOUND_PREFIX.value),
                    (equal, Code.DUPLICATE_ATTRIBUTE.value),
                    width=5,
                )
            ),
            self.token.eq(Mux(fsm["RUN"], token, last_token)),
            self.close.eq(fsm["SEARCH"]),
            reach.eq(
                Mux(
                    fsm["RUN"],
                    Mux(facts.limit, config.name_bytes, Mux(facts.value, 1, Cat(Const(0, 2), mark.index) + mark.count)),
                    Mux(fsm["SEARCH"], 0, Cat(Const(0, 2), last_index) + last_count),
                )
            ),
            Cat(told, told_reach).eq(Cat(raised, reach)),
            Cat(checked, checked_reach).eq(Cat(told, told_reach)),
        ]
        with m.If((checked != 0) & (found.code == 0)):
            m.d.sync += [found.code.eq(checked), found.position.eq(self.position + checked_reach)]

        # --- Handing on.
        declaration = Signal()
        m.d.comb += declaration.eq(
            is_attribute & Mux(facts.second, xmln & (facts.s_alone | (facts.s_colon & (mark.count != 1))), ~first & declares)
        )
        out = self.o.payload
        m.d.comb += self.o.valid.eq((fsm["RUN"] & self.i.valid & ~mark.end & (~is_end | mark.last)) | fsm["END"])
        wins = Signal()  # the error found here comes before the one found in the stages before
        m.d.comb += [
            out.mark.valid.eq(1),
            out.mark.type.eq(
                chosen(
                    (is_element, WordType.ELEMENT.value),
                    (is_attribute, WordType.ATTRIBUTE.value),
                    (is_end, WordType.END.value),
                    (facts.value, WordType.VALUE.value),
                    width=len(out.mark.type.as_value()),
                )
            ),
            out.mark.data.eq(Mux(is_end, 0, mark.data)),
            out.mark.count.eq(Mux(is_end, 0, mark.count)),
            out.mark.index.eq(Mux(is_end, 0, mark.index)),
            out.mark.last.eq(mark.last),
            out.mark.close.eq(mark.close & ~is_end & mark.last),
            out.mark.known.eq(entry.known & mark.last),
            # A namespace declaration is no attribute to XPath [XPath 5.3]; it keeps its words, but not its token ID.
            out.mark.name.eq(Mux(mark.last & ~declaration, entry.name, 0)),
            out.texts.eq(mark.texts),
            out.empty.eq(mark.empty & mark.close & mark.last & ~is_end),
            out.end.eq(fsm["END"]),
            out.length.eq(mark.data),
            self.i.ready.eq(free & ((fsm["RUN"] & ~mark.end) | fsm["END"])),
        ]
        with m.If(fsm["END"]):
            m.d.comb += [
                out.mark.valid.eq(0),
                out.empty.eq(0),
                out.code.eq(Mux(wins, found.code, document_code)),
                out.mark.data.eq(Mux(wins, found.position, Mux(document_code == 0, 0, self.position))),
            ]

        # --- RUN: the words pass.
        is_prefixed = mark.last & good_name & ~wrong & seen
        closes = mark.last & mark.close & ~is_end
        fsm.on_one(
            "RUN",
            (self.i.valid & mark.end, "END_WAIT"),
            (takes & alike, "TWINS"),
            (takes & is_prefixed & ~alike, "PREFIX"),
            (takes & closes & (mark.empty | (some_wait & ~is_element)) & ~is_prefixed & ~alike, "CLOSE"),
        )
        with m.If(fsm["RUN"]):
            m.d.sync += [closing.eq(closes), closing_empty.eq(mark.empty), self.near.eq(mark.near), prefixed.eq(is_prefixed)]
        with m.If(fsm["RUN"] & self.i.valid & is_element):
            m.d.sync += [attributes.eq(0), waiting.eq(0), some_wait.eq(0)]
        with m.If((takes & mark.last & ~mark.end) | (fsm["END"] & free)):
            m.d.sync += token.eq(token + 1)
        with m.If(takes & ends.end):
            m.d.sync += [declarations.eq(scopes_read.data), declarations_before.eq(declarations)]
        # All that a level may become is ready before it is known which.
        deeper = takes & ends.element
        shallower = (takes & ends.end) | (fsm["CLOSE"] & ~some_wait & closing_empty)
        for level, start in ((depth, 0), (below, -1)):
            up, down = Signal.like(level, name=f"{level.name}_up"), Signal.like(level, name=f"{level.name}_down")
            m.d.comb += [up.eq(level + 1), down.eq(level - 1)]
            with m.If(fsm["END_COMPARE"]):
                m.d.sync += level.eq(start)
            with m.Elif(deeper | shallower):
                m.d.sync += level.eq(Mux(deeper, up, down))
        # A prefix that went out of scope may be the one used before; nothing asks for it in the clock after an end tag.
        m.d.sync += left.eq(takes & ends.end)
        with m.If(left & (declarations != declarations_before)):
            m.d.sync += cached.valid.eq(0)
        with m.If(takes & ends.attribute):
            m.d.sync += attributes.eq(Mux(attributes > config.attributes, attributes, attributes + 1))
        with m.If(takes & (ends.attribute | (mark.last & facts.value))):
            m.d.sync += declared_value.eq(0)

        # An attribute has passed that may have been given before.
        looked = earlier_valid & (equal | earlier_first)
        fsm.on("TWINS", (looked & prefixed, "PREFIX"), (looked, "RUN"))

        # A name with a prefix has passed: a declaration, or the use of a prefix.
        is_xml = (used_words == 1) & (one_word == _word("xml"))
        is_cached = (used_words == 1) & cached.valid & (one_word == cached.word)
        fsm.on("PREFIX", (declares, "DECLARE_TAIL"), (is_xml | is_cached, "NEXT"), (1, "SEARCH"))
        with m.If(fsm.any("PREFIX", "CLOSE")):
            m.d.sync += [step.eq(0), wait.eq(0), resolving.eq(fsm["CLOSE"])]
            m.d.sync += [candidate.eq(declarations), candidate_place.eq(declarations - 1)]

        # The declared prefix is in its place but for its last half word.
        with m.If(fsm["DECLARE_TAIL"]):
            m.d.sync += local_words.eq(Mux(last_count > 2, last_index, last_index - 1))
        fsm.on("DECLARE_TAIL", (full, "NEXT"), (1, "DECLARED"))
        with m.If(takes & (mark.index == 2)):
            m.d.sync += spells_xmln.eq(moved == _word("xmln"))
        fsm.on("DECLARED", (1, "NEXT"))
        with m.If(fsm["DECLARED"]):
            m.d.sync += [declarations.eq(one_more), declared_value.eq(1)]

        # The prefix in ``used`` is compared with the declarations in scope, newest first.
        differs = Signal()
        m.d.sync += differs.eq(prefixes.read[0].data != used_read.data)
        decides = fsm["COMPARE"] & (wait == 3)
        fsm.on(
            "SEARCH",
            (unbound, "CLOSE"),
            (candidate == 0, "POSTPONE"),
            (sizes_read.data == used_words, "COMPARE"),
        )
        fsm.on(
            "COMPARE",
            (decides & differs, "SEARCH"),
            (decides & step_last & resolving, "CLOSE"),
            (decides & step_last, "NEXT"),
        )
        with m.If(fsm["SEARCH"]):
            m.d.sync += [step.eq(0), wait.eq(0)]
            with m.If(candidate == 0):
                with m.If(resolving):
                    m.d.sync += [waiting.eq(0), some_wait.eq(0)]
            with m.Elif(sizes_read.data != used_words):
                m.d.sync += [candidate.eq(candidate - 1), candidate_place.eq(candidate_place - 1)]
        with m.If(fsm["COMPARE"]):
            m.d.sync += wait.eq(wait + 1)
        with m.If(decides):
            m.d.sync += step.eq(step + 1)
            with m.If(differs):
                m.d.sync += [candidate.eq(candidate - 1), candidate_place.eq(candidate_place - 1)]
            with m.Elif(step_last):
                m.d.sync += [cached.valid.eq(used_words == 1), cached.word.eq(used_read.data)]
                with m.If(resolving):
                    m.d.sync += [waiting.eq(waiting - 1), some_wait.eq(waiting != 1)]

        # A prefix without a declaration so far: one may still follow in the same tag.
        fsm.on("POSTPONE", (step_last, "NEXT"))
        with m.If(fsm["POSTPONE"]):
            m.d.sync += step.eq(step + 1)
            with m.If(step_last & ~crowded):
                m.d.sync += [waiting.eq(waiting + 1), some_wait.eq(1)]
        fsm.on("NEXT", (closing & (some_wait | closing_empty), "CLOSE"), (1, "RUN"))

        # The end of a start tag: prefixes that had no declaration must have one now.
        fsm.on("CLOSE", (some_wait, "RECALL"), (1, "RUN"))
        with m.If(fsm["CLOSE"]):
            m.d.sync += used_words.eq(waits_read.data)
            with m.If(~some_wait & closing_empty):
                m.d.sync += [declarations.eq(scopes_read.data), cached.valid.eq(0)]
        recalls = fsm["RECALL"] & (wait == 2)
        fsm.on("RECALL", (recalls & step_last, "SEARCH"))
        with m.If(fsm["RECALL"]):
            m.d.comb += [used_write.addr.eq(step), used_write.data.eq(prefixes.read[0].data), used_write.en.eq(recalls)]
            m.d.sync += wait.eq(Mux(recalls, 0, wait + 1))
            with m.If(recalls):
                m.d.sync += step.eq(step + 1)

        # The end of the document: the smallest offset wins, then the smallest code.
        fsm.on("END_WAIT", (wait == 3, "END_COMPARE"))
        with m.If(fsm["RUN"] | fsm["END_COMPARE"]):
            m.d.sync += wait.eq(0)
        with m.If(fsm["END_WAIT"]):
            m.d.sync += wait.eq(wait + 1)
        earlier = Cat(found.code, found.position) < Cat(document_code, self.position)
        m.d.sync += wins.eq((found.code != 0) & ((document_code == 0) | earlier))
        fsm.on("END_COMPARE", (1, "END"))
        fsm.on("END", (free, "RUN"))
        with m.If(fsm["END"] & free):
            m.d.sync += [
                found.eq(0), declarations.eq(0), waiting.eq(0), some_wait.eq(0), attributes.eq(0), declared_value.eq(0),
                cached.valid.eq(0),
            ]  # fmt: skip
        fsm.finish(m, clear=Const(0))
        return m
