"""Seventh stage of the parser: attributes given once, QNames, and prefixes bound [XML 3.1, Namespaces 3 to 6]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import INDEX_MAX, Code
from hdl.layouts import Mark, name_id_width
from hdl.scbxp.names import NamedMark
from hdl.scbxp.onehot import OneHot, chosen
from hdl.scbxp.segments import TOKEN_COUNT
from hdl.stream.block_ram import BlockRam

__all__ = ["CheckedMark", "Nesting"]


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
    scope, newest first, at one clock each and four a word. Six clocks at the end of a document. Holds its input while the output is not
    taken.
    """

    def __init__(self, config):
        self._config = config
        super().__init__({"i": In(stream.Signature(NamedMark(config))), "o": Out(stream.Signature(CheckedMark(config)))})

    def elaborate(self, platform):
        m = Module()
        config = self._config
        words = config.name_bytes // 4
        word_bits = ceil_log2(words)
        entry = self.i.payload
        mark, facts = entry.mark, entry.facts
        is_element, is_attribute, is_end, is_name = facts.element, facts.attribute, facts.end, facts.name
        first, long = facts.first, facts.long
        index = mark.index[:word_bits]
        fsm = OneHot(
            "RUN", "PREFIX", "DECLARE_TAIL", "DECLARE", "DECLARED", "SEARCH", "COMPARE", "POSTPONE", "NEXT", "CLOSE", "RECALL",
            "END_WAIT", "END_COMPARE", "END", name="nesting_state",
        )  # fmt: skip
        free = Signal()
        takes = Signal()
        takes_last = Signal()
        m.d.comb += [
            free.eq(~self.o.valid | self.o.ready),
            takes.eq(fsm["RUN"] & self.i.valid & free & ~mark.end),
            takes_last.eq(takes & mark.last),
        ]

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
        with m.If(takes & is_name):
            m.d.sync += [colon_seen.eq(seen), colon_last.eq(facts.full), wrong_before.eq(wrong)]
        good_name = Signal()  # a whole name that counts
        m.d.comb += good_name.eq(is_name & ~mark.cut & ~long)

        # --- The prefix of the name under way, and the prefix that it declares.
        m.submodules.used = used = Memory(shape=32, depth=words, init=[])
        used_write, used_read = used.write_port(), used.read_port(domain="comb")
        m.submodules.local = local = Memory(shape=32, depth=words, init=[])
        local_write, local_read = local.write_port(), local.read_port(domain="comb")
        used_words = Signal(range(words + 1))
        local_words = Signal(range(words + 1))
        lead = mark.data & Cat(*(bit.replicate(8) for bit in facts.lead))
        upper_half = Signal(16)
        xmln, declares = Signal(), Signal()
        declared_value = Signal()
        one_word = Signal(32)  # the first word of the prefix
        last_position = Signal(32)
        last_index = Signal(5)
        last_count = Signal(3)
        # The prefix, as long as no colon has come; and after 'xmlns:' what follows it, moved up by six bytes.
        m.d.comb += [
            used_write.addr.eq(index),
            used_write.data.eq(lead),
            used_write.en.eq(takes & is_name & ~seen_before & ~long),
            local_write.addr.eq(mark.index - 2),
            local_write.data.eq(Cat(upper_half, mark.data[:16])),
            local_write.en.eq(takes & is_name & ~long & ~first & ~facts.second),
        ]
        with m.If(takes & is_name):
            m.d.sync += upper_half.eq(mark.data[16:])
            with m.If(~seen_before & facts.colon):
                m.d.sync += used_words.eq(mark.index + facts.lead[0])
            with m.If(first):
                m.d.sync += [one_word.eq(lead), xmln.eq(facts.xmln & is_attribute), declares.eq(0)]
            with m.If(facts.second):
                m.d.sync += declares.eq(xmln & facts.s_colon)
        with m.If(takes):
            m.d.sync += [last_index.eq(mark.index), last_count.eq(mark.count), last_position.eq(mark.position)]

        # --- Prefixes: those declared from the bottom of a memory up, those that wait for a declaration from its top down. When they
        # meet, no declaration can follow that would not be one too many, so that nothing is lost by not writing.
        places = config.prefixes + config.attributes
        m.submodules.prefixes = prefixes = BlockRam(shape=32, depth=places * words, output_register=True)
        m.submodules.declared_words = sizes = Memory(shape=range(words + 1), depth=config.prefixes, init=[])
        sizes_write, sizes_read = sizes.write_port(), sizes.read_port(domain="comb")
        m.submodules.pending_words = waits = Memory(shape=range(words + 1), depth=config.attributes + 1, init=[])
        waits_write, waits_read = waits.write_port(), waits.read_port(domain="comb")
        m.submodules.scopes = scopes = Memory(shape=range(config.prefixes + 1), depth=1 << ceil_log2(config.depth), init=[])
        scopes_write, scopes_read = scopes.write_port(), scopes.read_port(domain="comb")
        declarations = Signal(range(config.prefixes + 1))
        waiting = Signal(range(config.attributes + 2))
        attributes = Signal(range(config.attributes + 2))
        level_bits = ceil_log2(config.depth)
        depth = Signal(range(config.depth + 1))
        below = Signal(level_bits, init=(1 << level_bits) - 1)  # depth - 1
        cached = Signal(data.StructLayout({"valid": 1, "word": 32}))
        declarations_before = Signal(range(config.prefixes + 1))
        left = Signal()
        candidate = Signal(range(config.prefixes + 1))
        step = Signal(word_bits)
        wait = Signal(2)
        resolving = Signal()
        closing, closing_empty = Signal(), Signal()  # the tag ends after the work under way
        close_position = Signal(32)
        place_shape = range(places)
        pending_place, latest_place = Signal(place_shape), Signal(place_shape)
        crowded = Signal()
        step_last = Signal()  # of ``used``
        m.d.comb += [
            pending_place.eq(places - 1 - waiting),
            latest_place.eq(places - waiting),
            step_last.eq(step + 1 == used_words),
            scopes_write.addr.eq(depth),
            scopes_write.data.eq(declarations),
            scopes_write.en.eq(takes_last & is_element),
            scopes_read.addr.eq(below),
            sizes_read.addr.eq(candidate - 1),
            sizes_write.addr.eq(declarations),
            sizes_write.data.eq(local_words),
            sizes_write.en.eq(fsm["DECLARE"]),
            waits_read.addr.eq(waiting - 1),
            waits_write.addr.eq(waiting),
            waits_write.data.eq(used_words),
            waits_write.en.eq(fsm["POSTPONE"] & ~crowded),
            prefixes.read[0].addr.eq(Cat(step, Mux(fsm["RECALL"], latest_place, (candidate - 1)[: len(latest_place)]))),
            prefixes.read[0].en.eq(1),
            prefixes.write.addr.eq(Cat(step, Mux(fsm["DECLARE"], declarations[: len(pending_place)], pending_place))),
            prefixes.write.data.eq(Mux(fsm["DECLARE"], local_read.data, used_read.data)),
            prefixes.write.en.eq(fsm["DECLARE"] | (fsm["POSTPONE"] & ~crowded)),
            local_read.addr.eq(step),
            used_read.addr.eq(step),
        ]
        m.d.sync += crowded.eq((waiting + declarations >= places) | (waiting > config.attributes))

        # --- The first error, in the order of the words. An attribute given twice is found by its token ID among those of the tag.
        seen_ids = [Signal(name_id_width(config), name=f"attribute{k}") for k in range(config.attributes)]
        seen_valid = Signal(config.attributes)
        counts_attribute = takes_last & is_attribute & good_name & ~wrong & ~entry.clash
        found = Signal(data.StructLayout({"code": 5, "position": 32}))
        raised, checked = Signal(5), Signal(5)
        base, checked_position = Signal(32), Signal(32)
        reach = Signal(7)
        same = Signal(config.attributes)
        no_value = facts.value & declared_value & first & (mark.count == 0) & ~mark.cut
        too_many = attributes >= config.attributes
        unbound = fsm["SEARCH"] & (candidate == 0) & resolving
        tail_raises = fsm["DECLARE_TAIL"] & (declarations == config.prefixes)
        spells_xmlns, last_is_s = Signal(), Signal()
        declared_raises = fsm["DECLARED"] & spells_xmlns & last_is_s & (local_words == 2)
        whole = takes_last & good_name
        m.d.sync += [
            raised.eq(
                chosen(
                    (takes & (is_name | is_end) & facts.limit, Code.NAME_LENGTH.value),
                    (takes_last & is_end & entry.differs & ~mark.cut & ~long, Code.MISMATCHED_END.value),
                    (whole & wrong, Code.BAD_QNAME.value),
                    (whole & ~wrong & is_attribute & too_many, Code.ATTRIBUTES.value),
                    (whole & ~wrong & ~(is_attribute & too_many) & entry.clash, Code.NAME_CLASH.value),
                    (takes_last & no_value, Code.BAD_NS_DECL.value),
                    (declared_raises, Code.BAD_NS_DECL.value),
                    (tail_raises, Code.PREFIXES.value),
                    (unbound, Code.UNBOUND_PREFIX.value),
                    width=5,
                )
            ),
            base.eq(Mux(fsm["RUN"], mark.position, Mux(fsm["SEARCH"], close_position, last_position))),
            reach.eq(
                Mux(
                    fsm["RUN"],
                    Mux(facts.limit, config.name_bytes, Mux(facts.value, 1, Cat(Const(0, 2), mark.index) + mark.count)),
                    Mux(fsm["SEARCH"], 0, Cat(Const(0, 2), last_index) + last_count),
                )
            ),
            same.eq(Cat(*(seen_valid[k] & (one == entry.name) for k, one in enumerate(seen_ids))) & counts_attribute.replicate(len(same))),
            checked.eq(Mux(raised == 0, Mux(same.any(), Code.DUPLICATE_ATTRIBUTE.value, 0), raised)),
            checked_position.eq(base + reach),
        ]
        with m.If((checked != 0) & (found.code == 0)):
            m.d.sync += [found.code.eq(checked), found.position.eq(checked_position)]
        with m.If(counts_attribute):
            m.d.sync += [seen_ids[0].eq(entry.name), seen_valid.eq(Cat(1, seen_valid))]
            m.d.sync += [older.eq(newer) for older, newer in zip(seen_ids[1:], seen_ids, strict=False)]
        with m.If(takes & is_element):
            m.d.sync += seen_valid.eq(0)

        # --- Handing on.
        declaration = Signal()
        m.d.comb += declaration.eq(
            is_attribute & Mux(facts.second, xmln & (facts.s_alone | (facts.s_colon & (mark.count != 1))), ~first & declares)
        )
        out = Signal(CheckedMark(config))
        with m.If(free):
            m.d.sync += [self.o.valid.eq((takes & (~is_end | mark.last)) | fsm["END"]), self.o.payload.eq(out)]
        wins = Signal()  # the error found here comes before the one found in the stages before
        m.d.comb += [
            out.mark.valid.eq(1),
            out.mark.type.eq(mark.type),
            out.mark.data.eq(Mux(is_end, 0, mark.data)),
            out.mark.count.eq(Mux(is_end, 0, mark.count)),
            out.mark.index.eq(Mux(is_end, 0, Mux(mark.index > INDEX_MAX, INDEX_MAX, mark.index))),
            out.mark.last.eq(mark.last),
            out.mark.close.eq(mark.close & ~is_end & mark.last),
            out.mark.known.eq(entry.known & mark.last),
            # A namespace declaration is no attribute to XPath [XPath 5.3]; it keeps its words, but not its token ID.
            out.mark.name.eq(Mux(mark.last & ~declaration, entry.name, 0)),
            out.texts.eq(mark.texts),
            out.empty.eq(mark.empty & mark.close & mark.last & ~is_end),
            out.end.eq(fsm["END"]),
            out.code.eq(Mux(wins, found.code, mark.code)),
            out.length.eq(mark.close_position),
            self.i.ready.eq(free & ((fsm["RUN"] & ~mark.end) | fsm["END"])),
        ]
        with m.If(fsm["END"]):
            m.d.comb += [
                out.mark.valid.eq(0),
                out.empty.eq(0),
                out.mark.data.eq(Mux(wins, found.position, Mux(mark.code == 0, 0, mark.position))),
            ]

        # --- RUN: the words pass.
        is_prefixed = takes_last & good_name & ~wrong & seen
        closes = takes_last & mark.close & ~is_end
        fsm.on(
            "RUN",
            (self.i.valid & free & mark.end, "END_WAIT"),
            (is_prefixed, "PREFIX"),
            (closes & (mark.empty | ((waiting != 0) & ~is_element)), "CLOSE"),
        )
        with m.If(takes):
            m.d.sync += [closing.eq(closes), closing_empty.eq(mark.empty), close_position.eq(mark.close_position)]
        with m.If(takes_last & is_element):
            m.d.sync += [depth.eq(depth + 1), below.eq(below + 1), attributes.eq(0), waiting.eq(0)]
        with m.If(takes_last & is_end):
            m.d.sync += [depth.eq(depth - 1), below.eq(below - 1), declarations.eq(scopes_read.data), declarations_before.eq(declarations)]
        # A prefix that went out of scope may be the one used before; nothing asks for it in the clock after an end tag.
        m.d.sync += left.eq(takes_last & is_end)
        with m.If(left & (declarations != declarations_before)):
            m.d.sync += cached.valid.eq(0)
        with m.If(takes_last & is_attribute):
            m.d.sync += attributes.eq(Mux(attributes > config.attributes, attributes, attributes + 1))
        with m.If(takes_last & (is_attribute | facts.value)):
            m.d.sync += declared_value.eq(0)

        # A name with a prefix has passed: a declaration, or the use of a prefix.
        is_xml = (used_words == 1) & (one_word == _word("xml"))
        is_cached = (used_words == 1) & cached.valid & (one_word == cached.word)
        fsm.on("PREFIX", (declares, "DECLARE_TAIL"), (is_xml | is_cached, "NEXT"), (1, "SEARCH"))
        with m.If(fsm.any("PREFIX", "CLOSE")):
            m.d.sync += [step.eq(0), wait.eq(0), candidate.eq(declarations), resolving.eq(fsm["CLOSE"])]

        # The half word left over of the declared prefix.
        with m.If(fsm["DECLARE_TAIL"]):
            m.d.comb += [local_write.addr.eq(last_index - 1), local_write.data.eq(upper_half), local_write.en.eq(last_count > 2)]
            m.d.sync += local_words.eq(Mux(last_count > 2, last_index, last_index - 1))
        fsm.on("DECLARE_TAIL", (declarations == config.prefixes, "NEXT"), (1, "DECLARE"))
        fsm.on("DECLARE", (step + 1 == local_words, "DECLARED"))
        with m.If(fsm["DECLARE"]):
            m.d.sync += [step.eq(step + 1), declared_value.eq(1), last_is_s.eq(local_read.data == _word("s"))]
            with m.If(step == 0):
                m.d.sync += spells_xmlns.eq(local_read.data == _word("xmln"))
        fsm.on("DECLARED", (1, "NEXT"))
        with m.If(fsm["DECLARED"]):
            m.d.sync += declarations.eq(declarations + 1)

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
                    m.d.sync += waiting.eq(0)
            with m.Elif(sizes_read.data != used_words):
                m.d.sync += candidate.eq(candidate - 1)
        with m.If(fsm["COMPARE"]):
            m.d.sync += wait.eq(wait + 1)
        with m.If(decides):
            m.d.sync += step.eq(step + 1)
            with m.If(differs):
                m.d.sync += candidate.eq(candidate - 1)
            with m.Elif(step_last):
                m.d.sync += [cached.valid.eq(used_words == 1), cached.word.eq(used_read.data), waiting.eq(waiting - resolving)]

        # A prefix without a declaration so far: one may still follow in the same tag.
        fsm.on("POSTPONE", (step_last, "NEXT"))
        with m.If(fsm["POSTPONE"]):
            m.d.sync += step.eq(step + 1)
            with m.If(step_last & ~crowded):
                m.d.sync += waiting.eq(waiting + 1)
        fsm.on("NEXT", (closing & ((waiting != 0) | closing_empty), "CLOSE"), (1, "RUN"))

        # The end of a start tag: prefixes that had no declaration must have one now.
        fsm.on("CLOSE", (waiting != 0, "RECALL"), (1, "RUN"))
        with m.If(fsm["CLOSE"]):
            m.d.sync += used_words.eq(waits_read.data)
            with m.If((waiting == 0) & closing_empty):
                m.d.sync += [depth.eq(depth - 1), below.eq(below - 1), declarations.eq(scopes_read.data), cached.valid.eq(0)]
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
        earlier = Cat(found.code, found.position) < Cat(mark.code, mark.position)
        m.d.sync += wins.eq((found.code != 0) & ((mark.code == 0) | earlier))
        fsm.on("END_COMPARE", (1, "END"))
        fsm.on("END", (free, "RUN"))
        with m.If(fsm["END"] & free):
            m.d.sync += [
                found.eq(0), depth.eq(0), below.eq(-1), declarations.eq(0), waiting.eq(0), attributes.eq(0), declared_value.eq(0),
                cached.valid.eq(0),
            ]  # fmt: skip
        fsm.finish(m, clear=Const(0))
        return m
