"""Seventh stage of the parser: attributes given once, QNames, and prefixes bound [XML 3.1, Namespaces 3 to 6]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import INDEX_MAX, Code
from hdl.layouts import Mark, WordType, name_id_width
from hdl.scbxp.names import NamedMark
from hdl.scbxp.segments import TOKEN_COUNT
from hdl.stream.block_ram import BlockRam

__all__ = ["CheckedMark", "Nesting"]

_SERIAL_WIDTH = 16


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
    scope, newest first, at one clock each and three a word. Six clocks at the end of a document. Holds its input while the output is not
    taken. After a reset it takes nothing until its table is cleared, one clock for each name.
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
        mark = entry.mark
        is_element = ~mark.end & (mark.type == WordType.ELEMENT)
        is_attribute = ~mark.end & (mark.type == WordType.ATTRIBUTE)
        is_end = ~mark.end & (mark.type == WordType.END)
        is_value = ~mark.end & (mark.type == WordType.VALUE)
        is_name = is_element | is_attribute
        first = mark.index == 0
        long = mark.index >= words
        index = mark.index[:word_bits]

        # --- The first error, in the order of the words.
        found = Signal(data.StructLayout({"code": 5, "position": 32}))
        raised = Signal(5)
        raised_here = Signal()  # at ``here``, else at ``there``
        there = Signal(32)
        reach = Signal(7)
        here = Signal(32)
        m.d.comb += [reach.eq(Cat(Const(0, 2), mark.index) + mark.count), here.eq(mark.position + reach)]
        with m.If((raised != 0) & (found.code == 0)):
            m.d.sync += [found.code.eq(raised), found.position.eq(Mux(raised_here, here, there))]

        # --- QNames: at most one colon, with a name on either side.
        colon_seen = Signal()
        colon_last = Signal()
        wrong_before = Signal()
        seen = Signal()
        wrong = Signal()
        seen_now = Mux(first, 0, colon_seen)
        wrong_now = Mux(first, 0, wrong_before)
        previous = Mux(first, 0, colon_last)
        before_colon = []  # bytes of this word before any colon of the name
        last_is_colon = Const(0)
        for k in range(4):
            present = mark.count > k
            colon = mark.colons[k] & present
            wrong_now = (
                wrong_now | (colon & (seen_now | (first if k == 0 else 0))) | (present & previous & (~mark.starts[k] | mark.colons[k]))
            )
            before_colon.append(present & ~seen_now & ~colon)
            seen_now = seen_now | colon
            last_is_colon = Mux(mark.count == k + 1, colon, last_is_colon)
            previous = Mux(present, colon, previous)
        m.d.comb += [seen.eq(seen_now), wrong.eq(wrong_now | (mark.last & last_is_colon))]

        # --- The prefix of the name under way, and the prefix that it declares.
        m.submodules.used = used = Memory(shape=32, depth=words, init=[])
        used_write, used_read = used.write_port(), used.read_port(domain="comb")
        m.submodules.local = local = Memory(shape=32, depth=words, init=[])
        local_write, local_read = local.write_port(), local.read_port(domain="comb")
        used_words = Signal(range(words + 1))
        local_words = Signal(range(words + 1))
        prefix_mask = Cat(*(bit.replicate(8) for bit in before_colon))
        upper_half = Signal(16)
        xmln = Signal()
        declares = Signal()
        declared_value = Signal()
        one_word = Signal(32)  # the first word of the prefix

        # --- Tables.
        m.submodules.serials = serials = BlockRam(shape=_SERIAL_WIDTH, depth=1 << name_id_width(config), output_register=True)
        m.submodules.declared = declared = BlockRam(shape=32, depth=config.prefixes * words, output_register=True)
        m.submodules.declared_words = sizes = Memory(shape=range(words + 1), depth=config.prefixes, init=[])
        sizes_write, sizes_read = sizes.write_port(), sizes.read_port(domain="comb")
        m.submodules.pending = pending = BlockRam(shape=32, depth=(config.attributes + 1) * words, output_register=True)
        m.submodules.pending_words = waits = Memory(shape=range(words + 1), depth=config.attributes + 1, init=[])
        waits_write, waits_read = waits.write_port(), waits.read_port(domain="comb")
        m.submodules.scopes = scopes = Memory(shape=range(config.prefixes + 1), depth=1 << ceil_log2(config.depth), init=[])
        scopes_write, scopes_read = scopes.write_port(), scopes.read_port(domain="comb")
        declarations = Signal(range(config.prefixes + 1))
        waiting = Signal(range(config.attributes + 2))
        attributes = Signal(range(config.attributes + 2))
        depth = Signal(range(config.depth + 1))
        cached = Signal(data.StructLayout({"valid": 1, "word": 32}))
        m.d.comb += [
            scopes_write.addr.eq(depth),
            scopes_write.data.eq(declarations),
            scopes_read.addr.eq(depth - 1),
        ]

        # --- Attributes given twice: the serial number of the tag that had this name last.
        serial = Signal(_SERIAL_WIDTH, init=1)
        asks = Signal(2)
        asked_position = [Signal(32, name=f"asked_position{k}") for k in range(2)]
        asked_name = Signal(name_id_width(config))
        twice = Signal(data.StructLayout({"code": 5, "position": 32}))
        sweeping = Signal()
        sweep = Signal(name_id_width(config))
        m.d.comb += [serials.read[0].addr.eq(entry.name), serials.read[0].en.eq(1)]
        m.d.sync += [asks.eq(asks[:1] << 1), asked_position[1].eq(asked_position[0])]
        with m.If(sweeping):
            m.d.comb += [serials.write.addr.eq(sweep), serials.write.data.eq(0), serials.write.en.eq(1)]
        with m.Else():
            m.d.comb += [serials.write.addr.eq(asked_name), serials.write.data.eq(serial), serials.write.en.eq(asks[0])]
        with m.If(asks[1] & (serials.read[0].data == serial) & (twice.code == 0)):
            m.d.sync += [twice.code.eq(Code.DUPLICATE_ATTRIBUTE), twice.position.eq(asked_position[1])]

        # --- Handing on.
        declaration = Signal()
        after_xmln = Mux(mark.count == 1, mark.data[:8] == _word("s"), mark.data[:16] == _word("s:"))
        m.d.comb += declaration.eq(is_attribute & Mux(mark.index == 1, xmln & after_xmln, (mark.index > 1) & declares))
        out = Signal(CheckedMark(config))
        put = Signal()
        free = Signal()
        m.d.comb += free.eq(~self.o.valid | self.o.ready)
        with m.If(free):
            m.d.sync += [self.o.valid.eq(put), self.o.payload.eq(out)]
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
        ]

        candidate = Signal(range(config.prefixes + 1))
        step = Signal(word_bits)
        wait = Signal(2)
        resolving = Signal()
        closing = Signal()  # the tag ends after the work under way
        closing_empty = Signal()
        close_position = Signal(32)
        m.d.comb += [
            sizes_read.addr.eq(candidate - 1),
            declared.read[0].addr.eq(Cat(step, (candidate - 1)[: ceil_log2(config.prefixes)])),
            declared.read[0].en.eq(1),
            pending.read[0].addr.eq(Cat(step, (waiting - 1)[: ceil_log2(config.attributes + 1)])),
            pending.read[0].en.eq(1),
            waits_read.addr.eq(waiting - 1),
            local_read.addr.eq(step),
        ]
        m.d.comb += used_read.addr.eq(step)
        last_position = Signal(32)
        last_index = Signal(5)
        last_count = Signal(3)
        xmlns_word = Signal()
        verdict = Signal(found.shape())
        rival = Signal(found.shape())
        rival_wins = (rival.code != 0) & ((verdict.code == 0) | (Cat(rival.code, rival.position) < Cat(verdict.code, verdict.position)))

        with m.FSM(name="nesting", init="SWEEP"):
            with m.State("RUN"):
                with m.If(self.i.valid & is_element & first & serial[1:].all()):
                    m.next = "SETTLE"
                with m.Elif(self.i.valid & free & mark.end):
                    m.next = "END_WAIT"
                with m.Elif(self.i.valid & free):
                    m.d.comb += [self.i.ready.eq(1), put.eq(~is_end | mark.last)]
                    m.d.sync += [
                        closing.eq(mark.last & mark.close & ~is_end),
                        closing_empty.eq(mark.empty),
                        close_position.eq(mark.close_position),
                    ]
                    with m.If(is_name):
                        m.d.sync += [colon_seen.eq(seen), colon_last.eq(Mux(mark.count == 4, mark.colons[3], 0)), wrong_before.eq(wrong)]
                        # The prefix, as long as no colon has come.
                        m.d.comb += [
                            used_write.addr.eq(index),
                            used_write.data.eq(mark.data & prefix_mask),
                            used_write.en.eq((first | ~colon_seen) & ~long),
                        ]
                        with m.If((first | ~colon_seen) & seen):
                            m.d.sync += used_words.eq(mark.index + before_colon[0])
                        # 'xmlns:' and what follows it, moved up by six bytes.
                        with m.If(first):
                            m.d.sync += one_word.eq(mark.data & prefix_mask)
                            m.d.sync += [xmln.eq((mark.data == _word("xmln")) & is_attribute), declares.eq(0)]
                        with m.If(mark.index == 1):
                            m.d.sync += declares.eq(xmln & (mark.data[:16] == _word("s:")))
                        m.d.sync += upper_half.eq(mark.data[16:])
                        m.d.comb += [
                            local_write.addr.eq(mark.index - 2),
                            local_write.data.eq(Cat(upper_half, mark.data[:16])),
                            local_write.en.eq(~long & (mark.index >= 2)),
                        ]
                    with m.If(is_name | is_end):
                        with m.If(mark.index == words):
                            m.d.comb += [raised.eq(Code.NAME_LENGTH), raised_here.eq(1), reach.eq(config.name_bytes)]
                    with m.If(mark.last):
                        with m.If(is_element):
                            m.d.comb += scopes_write.en.eq(1)
                            m.d.sync += [depth.eq(depth + 1), attributes.eq(0), waiting.eq(0), serial.eq(serial + 1)]
                        with m.If(is_end):
                            m.d.sync += [depth.eq(depth - 1), declarations.eq(scopes_read.data)]
                            with m.If(declarations != scopes_read.data):
                                m.d.sync += cached.valid.eq(0)
                            with m.If(entry.differs & ~mark.cut & ~long):
                                m.d.comb += [raised.eq(Code.MISMATCHED_END), raised_here.eq(1)]
                        with m.If(is_attribute):
                            m.d.sync += [
                                attributes.eq(Mux(attributes > config.attributes, attributes, attributes + 1)),
                                declared_value.eq(0),
                            ]
                        with m.If(is_name & ~mark.cut & ~long):
                            m.d.comb += raised_here.eq(1)
                            with m.If(wrong):
                                m.d.comb += raised.eq(Code.BAD_QNAME)
                            with m.Elif(is_attribute & (attributes >= config.attributes)):
                                m.d.comb += raised.eq(Code.ATTRIBUTES)
                            with m.Elif(entry.clash):
                                m.d.comb += raised.eq(Code.NAME_CLASH)
                            with m.If(is_attribute & ~wrong & ~entry.clash):
                                m.d.sync += [asks[0].eq(1), asked_position[0].eq(here), asked_name.eq(entry.name)]
                            with m.If(~wrong & seen):
                                m.next = "PREFIX"
                        with m.If(is_value):
                            m.d.sync += declared_value.eq(0)
                            with m.If(declared_value & first & (mark.count == 0) & ~mark.cut):
                                m.d.comb += [raised.eq(Code.BAD_NS_DECL), raised_here.eq(1), reach.eq(1)]
                        with m.If(~(is_name & ~mark.cut & ~long & ~wrong & seen) & mark.close & ~is_end):
                            with m.If((waiting != 0) & ~is_element):
                                m.next = "CLOSE"
                            with m.Elif(mark.empty):
                                m.next = "CLOSE"

            # A name with a prefix has passed: a declaration, or the use of a prefix.
            with m.State("PREFIX"):
                m.d.sync += [step.eq(0), wait.eq(0), candidate.eq(declarations), resolving.eq(0)]
                with m.If(declares):
                    m.next = "DECLARE_TAIL"
                with m.Elif((used_words == 1) & (one_word == _word("xml"))):
                    m.next = "NEXT"
                with m.Elif((used_words == 1) & cached.valid & (one_word == cached.word)):
                    m.next = "NEXT"
                with m.Else():
                    m.next = "SEARCH"

            with m.State("DECLARE_TAIL"):
                # The half word left over of the declared prefix.
                m.d.comb += [local_write.addr.eq(last_index - 1), local_write.data.eq(upper_half), local_write.en.eq(last_count > 2)]
                m.d.sync += local_words.eq(Mux(last_count > 2, last_index, last_index - 1))
                m.d.comb += there.eq(last_position)
                with m.If(declarations == config.prefixes):
                    m.d.comb += raised.eq(Code.PREFIXES)
                    m.next = "NEXT"
                with m.Else():
                    m.next = "DECLARE"
            with m.State("DECLARE"):
                m.d.comb += [
                    declared.write.addr.eq(Cat(step, declarations[: ceil_log2(config.prefixes)])),
                    declared.write.data.eq(local_read.data),
                    declared.write.en.eq(1),
                    sizes_write.addr.eq(declarations),
                    sizes_write.data.eq(local_words),
                    sizes_write.en.eq(1),
                ]
                m.d.sync += [step.eq(step + 1), declared_value.eq(1)]
                with m.If(step == 0):
                    m.d.sync += xmlns_word.eq(local_read.data == _word("xmln"))
                with m.If(step + 1 == local_words):
                    m.d.sync += declarations.eq(declarations + 1)
                    with m.If(xmlns_word & (local_words == 2) & (local_read.data == _word("s"))):
                        m.d.comb += [raised.eq(Code.BAD_NS_DECL), there.eq(last_position)]
                    m.next = "NEXT"

            # The prefix in ``used`` is compared with the declarations in scope, newest first.
            with m.State("SEARCH"):
                m.d.sync += [step.eq(0), wait.eq(0)]
                with m.If(candidate == 0):
                    with m.If(resolving):
                        m.d.comb += [raised.eq(Code.UNBOUND_PREFIX), there.eq(close_position)]
                        m.d.sync += waiting.eq(0)
                        m.next = "CLOSE"
                    with m.Else():
                        m.next = "POSTPONE"
                with m.Elif(sizes_read.data != used_words):
                    m.d.sync += candidate.eq(candidate - 1)
                with m.Else():
                    m.next = "COMPARE"
            with m.State("COMPARE"):
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == 2):
                    m.d.sync += [wait.eq(0), step.eq(step + 1)]
                    with m.If(declared.read[0].data != used_read.data):
                        m.d.sync += candidate.eq(candidate - 1)
                        m.next = "SEARCH"
                    with m.Elif(step + 1 == used_words):
                        m.d.sync += [cached.valid.eq(used_words == 1), cached.word.eq(used_read.data)]
                        with m.If(resolving):
                            m.d.sync += waiting.eq(waiting - 1)
                            m.next = "CLOSE"
                        with m.Else():
                            m.next = "NEXT"

            # A prefix without a declaration so far: one may still follow in the same tag.
            with m.State("POSTPONE"):
                m.d.comb += [
                    pending.write.addr.eq(Cat(step, waiting[: ceil_log2(config.attributes + 1)])),
                    pending.write.data.eq(used_read.data),
                    pending.write.en.eq(1),
                    waits_write.addr.eq(waiting),
                    waits_write.data.eq(used_words),
                    waits_write.en.eq(1),
                ]
                m.d.sync += step.eq(step + 1)
                with m.If(step + 1 == used_words):
                    m.d.sync += waiting.eq(Mux(waiting > config.attributes, waiting, waiting + 1))
                    m.next = "NEXT"

            with m.State("NEXT"):
                m.next = "RUN"
                with m.If(closing & ((waiting != 0) | closing_empty)):
                    m.next = "CLOSE"

            # The end of a start tag: prefixes that had no declaration must have one now.
            with m.State("CLOSE"):
                m.d.sync += [step.eq(0), wait.eq(0), resolving.eq(1), candidate.eq(declarations)]
                with m.If(waiting != 0):
                    m.d.sync += used_words.eq(waits_read.data)
                    m.next = "RECALL"
                with m.Else():
                    m.next = "RUN"
                    with m.If(closing_empty):
                        m.d.sync += [depth.eq(depth - 1), declarations.eq(scopes_read.data), cached.valid.eq(0)]
            with m.State("RECALL"):
                m.d.comb += [used_write.addr.eq(step), used_write.data.eq(pending.read[0].data), used_write.en.eq(wait == 2)]
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == 2):
                    m.d.sync += [wait.eq(0), step.eq(step + 1)]
                    with m.If(step + 1 == used_words):
                        m.next = "SEARCH"

            # The end of the document: the smallest offset wins, then the smallest code.
            with m.State("END_WAIT"):
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == 3):
                    m.d.sync += wait.eq(0)
                    m.next = "END_FIRST"
            with m.State("END_FIRST"):
                m.d.sync += verdict.eq(found)
                m.next = "END_SECOND"
            with m.State("END_SECOND"):
                m.d.comb += rival.eq(twice)
                with m.If(rival_wins):
                    m.d.sync += verdict.eq(rival)
                m.next = "END_THIRD"
            with m.State("END_THIRD"):
                m.d.comb += [rival.code.eq(mark.code), rival.position.eq(mark.position)]
                with m.If(rival_wins):
                    m.d.sync += verdict.eq(rival)
                m.next = "END"
            with m.State("END"):
                m.d.comb += [
                    out.mark.valid.eq(0),
                    out.end.eq(1),
                    out.code.eq(verdict.code),
                    out.mark.data.eq(Mux(verdict.code == 0, 0, verdict.position)),
                    out.length.eq(mark.close_position),
                ]
                with m.If(free):
                    m.d.comb += [put.eq(1), self.i.ready.eq(1)]
                    m.d.sync += [
                        found.eq(0),
                        twice.eq(0),
                        depth.eq(0),
                        declarations.eq(0),
                        waiting.eq(0),
                        attributes.eq(0),
                        declared_value.eq(0),
                        cached.valid.eq(0),
                    ]
                    m.next = "RUN"

            # The serial number of tags starts again before it can meet an old one.
            with m.State("SETTLE"):
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == 3):
                    m.d.sync += wait.eq(0)
                    m.next = "SWEEP"
            with m.State("SWEEP"):
                m.d.comb += sweeping.eq(1)
                m.d.sync += [sweep.eq(sweep + 1), serial.eq(1)]
                with m.If(sweep.all()):
                    m.next = "RUN"

        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [last_position.eq(here), last_index.eq(mark.index), last_count.eq(mark.count)]
        return m
