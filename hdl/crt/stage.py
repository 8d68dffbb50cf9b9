"""The staged subscription: its program as bits, before it is known whether it is registered."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import Refusal
from hdl.crt.entries import BUCKET_BITS, Entry, Kind, StagedBit, compared, visited
from hdl.crt.namer import NamedWord
from hdl.crt.numbers import NumberOp, NumberReply, NumberRequest
from hdl.crt.visits import VisitOp, VisitRequest
from hdl.shapes.program import ProgramOp, ProgramOperator
from hdl.shapes.tables import StringPort
from hdl.shapes.widths import RefusalCode
from hdl.values import DecimalReader

__all__ = ["Stage", "StagedRun"]


class StagedRun(data.StructLayout):
    """What has been staged: why it is ``refused`` if it is, how many bits (``length``), the hash of what it asks, whether it compares
    with a literal (``compares``), and whether it ends in an attribute step (``final``)."""

    def __init__(self, config):
        super().__init__(
            {"refused": RefusalCode, "length": range(config.subscription_steps + 1), "bucket": BUCKET_BITS, "compares": 1, "final": 1}
        )


class Stage(wiring.Component):
    """Takes programs to bits: visits their names, looks up their strings and reads their numbers.

    A program that is refused, by its ABORT, for a number with too many digits or for want of room, has been taken to its end; what the bits
    that were staged hold, a visit or a string each, is for the user to give back. A name costs 2 clocks and waits for the visits, another
    step 2, a number a clock for each byte, a string what the store needs.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    program : ``In(stream.Signature(NamedWord))``
    start, contains : ``In(1)``
        Take the next program, of a subscription with containment semantics or not; ``contains`` stays. Not while one is being taken.
    done : ``Out(1)``, ``run`` : ``Out(StagedRun(config))``
        The program has been taken to its end, for one clock; ``run`` stays until the next ``start``.
    rewind : ``In(1)``
        Begin with the first bit again.
    bit : ``Out(stream.Signature(StagedBit(config)))``
        The bits: first steps and tests of attributes, then those of text, because these are decided last. 3 clocks a bit.
    visits : ``Out(stream.Signature(VisitRequest(config)))``
        Requests to :class:`hdl.crt.visits.NameVisits`.
    strings : ``In(StringPort(config))``
        The literal's port of the string store.
    numbers, number_reply : ``Out(stream)``, ``In(stream)``
        The same of the number store, see :class:`hdl.crt.numbers.NumberStore`: only ENTER.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "program": In(stream.Signature(NamedWord)),
                "start": In(1),
                "contains": In(1),
                "done": Out(1),
                "run": Out(StagedRun(config)),
                "rewind": In(1),
                "bit": Out(stream.Signature(StagedBit(config))),
                "visits": Out(stream.Signature(VisitRequest(config))),
                "strings": In(StringPort(config)),
                "numbers": Out(stream.Signature(NumberRequest(config))),
                "number_reply": In(stream.Signature(NumberReply(config), always_ready=True)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, program, run = self.config, self.program, self.run
        given, word = program.payload, program.payload.word
        m.submodules.decimal = decimal = DecimalReader(config)

        # Steps and tests of attributes from the front, tests of text from the back.
        places = 1 << ceil_log2(config.subscription_steps)
        m.submodules.store = store = memory.Memory(shape=Entry(config), depth=places, init=[])
        read, write = store.read_port(domain="comb"), store.write_port()
        count = range(config.subscription_steps + 1)
        fronts, backs = Signal(count), Signal(count)
        entry = Signal(Entry(config))
        text = (entry.kind == Kind.SELF) | (entry.kind == Kind.TEXT)
        slot = Signal(range(places))
        m.d.comb += [write.addr.eq(slot), write.data.eq(entry)]
        m.d.sync += run.length.eq(fronts + backs)

        def mix(*values):
            """The values go into the hash."""
            folded = run.bucket.rotate_left(3)
            for value in values:
                value = Value.cast(value)
                for at in range(0, len(value), BUCKET_BITS):
                    folded = folded ^ value[at : at + BUCKET_BITS]
            m.d.sync += run.bucket.eq(folded)

        def place():
            """The entry takes the next place; a literal may follow."""
            m.d.comb += [slot.eq(Mux(text, places - 1 - backs, fronts)), write.en.eq(1), decimal.clear.eq(1), strings.clear.eq(1)]
            m.d.sync += [kept_slot.eq(slot), fronts.eq(fronts + ~text), backs.eq(backs + text)]
            m.d.sync += run.compares.eq(run.compares | compared(entry))
            mix(entry.name, Cat(entry.kind, entry.far))
            with m.If(entry.kind == Kind.NAME):
                m.d.sync += step_name.eq(entry.name)
            m.next = "WORD"

        strings = self.strings
        step_name, step_any = Signal(len(entry.name)), Signal()
        kept_slot = Signal(range(places))
        letters, letter, spelt, literal_ends = Signal(32), Signal(3), Signal(), Signal()
        full, wrong = Signal(), Signal()  # refused for want of room; a number has too many digits, which outranks that

        def lacks(code):
            """The program is refused for want of room, unless something else is found to be wrong with it."""
            with m.If(~wrong):
                m.d.sync += run.refused.eq(code.value)
            m.d.sync += full.eq(1)

        m.d.comb += [
            self.numbers.payload.op.eq(NumberOp.ENTER),
            strings.data.eq(word.data),
            strings.count.eq(word.count),
            self.visits.payload.op.eq(VisitOp.ENTER),
            self.visits.payload.name.eq(entry.name),
            self.visits.payload.marks.presence.eq((entry.kind == Kind.PRESENCE) | (visited(entry) & self.contains)),
        ]
        m.d.sync += self.done.eq(0)

        with m.FSM():
            with m.State("IDLE"):
                # Waits for the start.
                m.d.sync += [full.eq(0), wrong.eq(0)]
                with m.If(self.start):
                    m.d.sync += [fronts.eq(0), backs.eq(0), run.refused.eq(0), run.bucket.eq(0), run.compares.eq(0), run.final.eq(0)]
                    m.next = "WORD"
            with m.State("WORD"):
                # The next word of the program, of whose names each is one token ID; a literal belongs to the word before. What it says goes
                # to the entry while it is still awaited, too.
                m.d.sync += [letters.eq(word.data), letter.eq(word.count), spelt.eq(word.count == 0)]
                with m.If(given.literal):
                    m.d.sync += entry.number.eq(given.numeric)
                with m.Else():
                    m.d.sync += [entry.far.eq(word.axis), entry.number.eq(0), entry.stored.eq(0), entry.anyone.eq(given.text & step_any)]
                    m.d.sync += [entry.operator.eq(word.operator), entry.value.eq(0), entry.sound.eq(1)]
                    with m.If(given.text):
                        m.d.sync += entry.kind.eq(Mux(word.op == ProgramOp.SELF_TEST, Kind.SELF, Kind.TEXT))
                        m.d.sync += entry.name.eq(Mux(step_any, 0, step_name))
                    with m.Elif(word.op == ProgramOp.STEP):
                        m.d.sync += entry.kind.eq(Mux(given.wild, Kind.WILD, Kind.NAME))
                        m.d.sync += entry.name.eq(Mux(given.wild, 0, word.data))
                    with m.Else():
                        m.d.sync += entry.kind.eq(Mux(word.operator != ProgramOperator.NONE, Kind.ATTRIBUTE, Kind.PRESENCE))
                        m.d.sync += entry.name.eq(word.data)
                with m.If(program.valid):
                    m.d.comb += program.ready.eq(1)
                    with m.If(given.ends):
                        with m.If(word.op == ProgramOp.ABORT):
                            m.d.sync += run.refused.eq(word.data)
                        m.d.sync += self.done.eq(1)
                        m.next = "IDLE"
                    with m.Elif(given.wild):
                        m.d.sync += step_any.eq(1)
                        m.next = "PLACE"
                    with m.Elif(given.text):
                        m.next = "PLACE"
                    with m.Elif(given.literal):
                        m.d.sync += literal_ends.eq(word.last)
                        with m.If(~full):
                            m.d.comb += strings.push.eq(~given.numeric)
                            with m.If(given.numeric):
                                m.next = "DIGITS"
                            with m.Elif(word.last):
                                m.d.comb += strings.search.eq(1)
                                m.next = "STRING"
                    with m.Else():
                        with m.If(word.op == ProgramOp.STEP):
                            m.d.sync += step_any.eq(0)
                        with m.If(word.op == ProgramOp.ATTRIBUTE_STEP):
                            m.d.sync += run.final.eq(1)
                        m.next = "VISIT"
                        with m.If(word.count == 0):
                            lacks(Refusal.FULL_NAMES)
                            m.next = "WORD"
            with m.State("VISIT"):
                # The name is visited once more.
                m.d.comb += self.visits.valid.eq(1)
                with m.If(self.visits.ready):
                    place()
            with m.State("PLACE"):
                # An entry without a name of its own.
                place()
            with m.State("STRING"):
                # The number of the literal's string.
                m.d.sync += [entry.value.eq(strings.value), entry.stored.eq(strings.found)]
                with m.If(strings.done):
                    m.next = "LITERAL"
                    with m.If(~strings.found):
                        lacks(Refusal.FULL_VALUES)
            with m.State("DIGITS"):
                # Byte after byte of the literal's number.
                m.d.comb += [decimal.push.eq(~spelt), decimal.byte.eq(letters[:8])]
                m.d.sync += [letters.eq(letters >> 8), letter.eq(letter - 1), spelt.eq(letter == 1)]
                with m.If(spelt):
                    m.next = "WORD"
                    with m.If(literal_ends):
                        m.next = "NUMBER"
            with m.State("NUMBER"):
                # The reader is two clocks behind the last byte.
                m.d.sync += literal_ends.eq(0)
                with m.If(~literal_ends):
                    m.d.sync += [self.numbers.payload.key.eq(decimal.key), entry.sound.eq(~decimal.key.nan)]
                    m.next = "ENTER"
                    with m.If(decimal.key.nan | decimal.over):
                        m.next = "LITERAL"
                    with m.If(decimal.over):
                        m.d.sync += [run.refused.eq(Refusal.NUMBER_DIGITS.value), wrong.eq(1)]
            with m.State("ENTER"):
                # The number store is asked for a number.
                m.d.comb += self.numbers.valid.eq(1)
                with m.If(self.numbers.ready):
                    m.next = "ENTERED"
            with m.State("ENTERED"):
                # Waits for its identity.
                m.d.sync += [entry.value.eq(self.number_reply.payload.identity), entry.stored.eq(self.number_reply.payload.ok)]
                with m.If(self.number_reply.valid):
                    m.next = "LITERAL"
                    with m.If(~self.number_reply.payload.ok):
                        lacks(Refusal.FULL_VALUES)
            with m.State("LITERAL"):
                # The entry is placed again, with its literal.
                m.d.comb += [slot.eq(kept_slot), write.en.eq(1)]
                mix(entry.value, entry.operator)
                m.next = "WORD"

        # Reading, a bit ahead of what is taken: the address, then the entry.
        index, addressed = Signal(count), Signal()
        m.d.sync += [
            read.addr.eq(Mux(index < fronts, index, places - 1 - (index - fronts))),
            addressed.eq(index != run.length),
        ]
        with m.If(self.bit.ready):
            m.d.sync += self.bit.valid.eq(0)
        with m.If(addressed & (~self.bit.valid | self.bit.ready)):
            m.d.sync += [
                self.bit.valid.eq(1),
                self.bit.payload.entry.eq(read.data),
                self.bit.payload.last.eq(index + 1 == run.length),
                index.eq(index + 1),
                addressed.eq(0),
            ]
        with m.If(self.rewind):
            m.d.sync += [index.eq(0), addressed.eq(0), self.bit.valid.eq(0)]
        return m
