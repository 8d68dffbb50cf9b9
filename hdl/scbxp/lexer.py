"""Second stage of the parser: in which mode every byte stands [T 4.4.2].

Four modes are enough for tags, text and attribute values. The lanes' transitions are composed ahead, so that the only loop is
one look-up of the mode; a word with anything that needs more state goes through the byte-serial lane.
"""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from hdl.scbxp.classify import LANES, ClassedWord, Lane
from hdl.scbxp.onehot import OneHot
from hdl.scbxp.serial import Calm, Event, Mode, SerialByte, SerialLane, mode_after
from hdl.shapes.widths import ByteCount
from hdl.stream.level import counted

__all__ = ["LexedWord", "Lexer", "Mode"]


class LexedLane(data.Struct):
    """A byte with the ``mode`` before it, present when ``active``; ``literal`` bytes are text or value whatever they look like."""

    lane: Lane
    mode: Mode
    active: unsigned(1)
    literal: unsigned(1)


class LexedWord(data.Struct):
    """Up to four bytes, then an event. It happens at ``position`` and ``late`` bytes more; at Event.END that is the length of the document,
    and ``open`` says that the document ended inside markup."""

    lanes: data.ArrayLayout(LexedLane, LANES)
    offset: unsigned(32)
    event: Event
    code: unsigned(5)
    position: unsigned(32)
    late: unsigned(2)
    open: unsigned(1)


_WAITING = 16
"""Words that wait for their turn."""
_SLACK = 10
"""Words that may come after it was said that there is no room; one place stays free."""

_MODES = len(Mode)
_Function = data.ArrayLayout(2, _MODES)
"""The mode after some bytes, by the mode before them."""


class _Halves(data.Struct):
    """A word with what its halves do, by the mode before each half; ``escapes``: they need the byte-serial lane."""

    word: ClassedWord
    first: _Function
    both: data.ArrayLayout(_Function, 2)
    third: _Function
    escapes: data.ArrayLayout(_MODES, 2)
    calm: Calm


class _Prepared(data.Struct):
    """The bytes of a word with the modes before its second, third and fourth byte, by the mode before it."""

    lanes: data.ArrayLayout(Lane, LANES)
    cut: unsigned(1)
    before: data.ArrayLayout(_Function, LANES - 1)


class _Course(data.Struct):
    """What a word does to the lexer: the mode after it and whether it needs the byte-serial lane, by the mode before it; ``halts``: it
    does, or it is the last."""

    after: _Function
    escapes: unsigned(_MODES)
    halts: unsigned(_MODES)
    calm: Calm
    count: ByteCount
    first: unsigned(1)
    last: unsigned(1)


class Lexer(wiring.Component):
    """Gives every byte its mode, decodes references, merges CDATA, and leaves comments, instructions and DOCTYPE out.

    Four bytes a clock in tags, text and values. A word with a reference or the opening of rare markup in it takes a clock for each
    byte and four of changing over, rare markup itself a byte a clock; words of it without an interesting byte are passed over whole.
    ``o`` has no back pressure: ``room`` low stops the lexer within one word, and what follows must have room for that. ``i`` has none
    either: when ``i_room`` falls, seven more words are taken. Latency 5 clocks. After an error it drains the document, then sends
    Event.END.
    """

    i: In(ClassedWord)
    i_valid: In(1)
    i_room: Out(1)
    room: In(1)
    o: Out(LexedWord)
    o_valid: Out(1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.serial = serial = SerialLane()
        m.submodules.words = words = Memory(shape=_Prepared, depth=_WAITING, init=[])
        m.submodules.courses = courses = Memory(shape=_Course, depth=_WAITING, init=[])
        (words_write, words_read), (courses_write, courses_read) = (
            (memory.write_port(), memory.read_port(domain="comb")) for memory in (words, courses)
        )

        # Composition of the lanes' transitions: by halves, then over the word.
        halves = Signal(_Halves)
        halves_valid = Signal()
        after_lt = Signal()
        m.d.sync += [halves_valid.eq(self.i_valid), halves.eq(self._halves(m, self.i, after_lt))]
        with m.If(self.i_valid):
            m.d.sync += after_lt.eq(self.i.lanes[3].lt & ~self.i.last)
        prepared, course = words_write.data, courses_write.data
        m.d.comb += [
            prepared.lanes.eq(halves.word.lanes),
            prepared.cut.eq(halves.word.cut),
            prepared.before[0].eq(halves.first),
            prepared.before[1].eq(halves.both[0]),
            course.calm.eq(halves.calm),
            course.count.eq(halves.word.count),
            course.first.eq(halves.word.first),
            course.last.eq(halves.word.last),
        ]
        for mode_before in range(_MODES):
            between = halves.both[0][mode_before]
            m.d.comb += [
                prepared.before[2][mode_before].eq(halves.third[between]),
                course.after[mode_before].eq(halves.both[1][between]),
                course.escapes[mode_before].eq(halves.escapes[0][mode_before] | halves.escapes[1].bit_select(between, 1)),
                course.halts[mode_before].eq(course.escapes[mode_before] | halves.word.last),
            ]

        # Words wait for their turn; what the one at hand does is known a clock ahead. ``load`` takes the one at hand, and there is one.
        head, tail, next_head = (Signal(range(_WAITING), name=name) for name in ("head", "tail", "next_head"))
        level = Signal(range(_WAITING + 1))
        load, held, took = Signal(), Signal(), Signal()
        now = Signal(_Course)
        m.d.comb += [
            words_write.addr.eq(tail),
            words_write.en.eq(halves_valid),
            courses_write.addr.eq(tail),
            courses_write.en.eq(halves_valid),
            words_read.addr.eq(head),
            next_head.eq(head + held),
            courses_read.addr.eq(next_head),
        ]
        some = next_head != tail
        fresh = load | ~held
        with m.If(fresh):
            m.d.sync += [held.eq(some), now.eq(courses_read.data)]
        with m.If(load):
            m.d.sync += head.eq(head + 1)
        m.d.sync += [
            tail.eq(tail + halves_valid),
            took.eq(load),
            level.eq(counted(level, halves_valid, took)),
            self.i_room.eq(level <= _WAITING - _SLACK),
        ]

        # The word at hand: in the present mode it passes at once, or goes through the byte-serial lane.
        word = words_read.data
        before = word.before
        place, next_place = Signal(30), Signal(30)  # in the document
        m.d.comb += next_place.eq(place + 1)
        with m.If(load):
            m.d.sync += place.eq(Mux(now.last, 0, next_place))
        mode = Signal(Mode)
        escapes = now.escapes.bit_select(mode.as_value(), 1)
        fsm = OneHot("FAST", "SERIAL", "DRAIN", "END", name="lexer_state")
        fast = fsm["FAST"] & held & self.room & ~escapes
        ends = fsm["END"] & self.room

        # Bytes for the serial lane.
        pointer = Signal(3)
        byte = Signal(SerialByte)
        byte_valid = Signal()
        marked = Signal()  # the document began with a byte order mark
        second_word = Signal()
        with m.If(held & now.first):
            m.d.sync += marked.eq(word.lanes[0].bom)
        with m.If(load):
            m.d.sync += second_word.eq(now.first)
        at_start, at_end = Signal(init=1), Signal()  # of the word at hand
        passed_over = Signal()
        empty, was_empty = Signal(), Signal()
        calm = (Value.cast(now.calm) & Value.cast(serial.calm)).any() & at_start
        # An empty lane stays as calm as it was a clock before.
        was_fresh, fresh_calm, held_calm = Signal(), Signal(), Signal()
        m.d.sync += [
            was_fresh.eq(fresh),
            fresh_calm.eq((Value.cast(courses_read.data.calm) & Value.cast(serial.calm)).any()),
            held_calm.eq((Value.cast(now.calm) & Value.cast(serial.calm)).any()),
        ]
        known_calm = Mux(was_fresh, fresh_calm, held_calm)
        starts = fsm["FAST"] & held & escapes
        fetches = fsm["SERIAL"] & held & ~at_end & ~calm
        m.d.comb += [
            at_end.eq(pointer[2] | (now.last & (pointer == now.count))),
            empty.eq(was_empty & ~byte_valid),
            passed_over.eq(fsm["SERIAL"] & held & self.room & known_calm & at_start & empty),
            serial.i.eq(byte),
            serial.i_valid.eq(byte_valid),
            # It is empty in the other states.
            serial.enable.eq(self.room),
            serial.clear.eq(ends),
            serial.mode.eq(mode),
        ]
        m.d.sync += was_empty.eq(~byte_valid & serial.empty)
        with m.If(serial.go | starts):
            m.d.sync += [
                byte_valid.eq(fetches | starts),
                byte.lane.eq(Cat(*(word.lanes[k] for k in range(LANES))).word_select(pointer[:2], Lane.as_shape().size)),
                byte.position.eq(Cat(pointer[:2], place)),
                # The '?' of a declaration is the second byte, or the second after a byte order mark.
                byte.second.eq(Mux(marked, second_word & at_start, now.first & (pointer == 1))),
                pointer.eq(pointer + (fetches | starts)),
                at_start.eq(at_start & ~(fetches | starts)),
            ]
        with m.If(serial.failed):
            m.d.sync += byte_valid.eq(0)
        # When the lane has failed, what is left is dropped: it does not matter whether the word is.
        done = fsm["SERIAL"] & held & at_end
        passes_on = serial.passing & ~byte_valid & ~serial.valid
        reloads = fsm["SERIAL"] & held & pointer[2] & ~now.last & (~serial.passing | passes_on)
        fsm.on("FAST", (starts, "SERIAL"), (fast & now.last, "END"))
        fsm.on("SERIAL", (serial.failed, "DRAIN"), (done & now.last & (empty | passes_on), "END"), (reloads & serial.passing, "FAST"))
        fsm.on("DRAIN", (held & now.last, "END"))
        fsm.on("END", (self.room, "FAST"))
        fsm.finish(m, clear=Const(0))
        passes = fsm["FAST"] & held & self.room & ~now.halts.bit_select(mode.as_value(), 1)
        m.d.comb += load.eq(passes | reloads | passed_over | (fsm["DRAIN"] & held & ~now.last) | ends)
        with m.If(reloads | (~fsm["SERIAL"] & ~starts)):
            m.d.sync += [pointer.eq(0), at_start.eq(1)]

        # The mode, and where the serial lane stands.
        after_byte = Signal()  # the latest byte was '<'
        last_position = Signal(32)
        m.d.comb += serial.after_lt.eq(after_byte)
        with m.If(ends):
            m.d.sync += [mode.eq(Mode.TEXT), after_byte.eq(0)]
        with m.Elif(fast):
            m.d.sync += [mode.eq(now.after[mode.as_value()]), after_byte.eq(word.lanes[3].lt)]
        with m.Elif(serial.took):
            m.d.sync += [mode.eq(serial.after), after_byte.eq(serial.i_lt)]
        with m.If(ends):
            m.d.sync += last_position.eq(Cat(now.count[:2], Mux(now.count[2], next_place, place)))
        with m.Elif(serial.took):
            m.d.sync += last_position.eq(serial.position)

        # What leaves: a whole word, or what the serial lane made, or the end.
        passing = Signal(data.ArrayLayout(Lane, LANES))
        passing_place = Signal(30)
        passing_modes = [Signal(Mode, name=f"passing_mode{k}") for k in range(LANES)]
        passing_valid, passing_literal = Signal(), Signal()
        ending, ending_open = Signal(), Signal()
        drained = Signal()
        m.d.sync += [
            passing.eq(word.lanes),
            passing_place.eq(place),
            passing_valid.eq(fast | (passed_over & serial.calm.section)),
            passing_literal.eq(fsm["SERIAL"]),
            *(passing_modes[k].eq(before[k - 1][mode.as_value()] if k else mode) for k in range(LANES)),
            ending.eq(ends),
            ending_open.eq(~drained & (word.cut | ~serial.passing | (mode != Mode.TEXT))),
            drained.eq((drained | fsm["DRAIN"]) & ~ends),
        ]
        out = self.o
        made = serial.o
        m.d.sync += [
            self.o_valid.eq(passing_valid | serial.o_valid | ending),
            out.offset.eq(Cat(Const(0, 2), Mux(passing_valid, passing_place, last_position[2:]))),
            out.event.eq(Mux(ending, Event.END, Mux(serial.o_valid, made.event, Event.NONE))),
            out.code.eq(made.code),
            out.position.eq(last_position),
            out.late.eq(Mux(ending, 0, made.late)),
            out.open.eq(ending_open),
        ]
        for k in range(LANES):
            lane = passing[k]
            active = lane.valid & ~lane.bom
            m.d.sync += [
                out.lanes[k].lane.eq(Mux(passing_valid, lane, made.lane)),
                out.lanes[k].active.eq(Mux(passing_valid, active, serial.o_valid & made.active[k])),
                out.lanes[k].literal.eq(Mux(passing_valid, passing_literal, made.literal)),
                out.lanes[k].mode.eq(Mux(passing_valid, Mux(passing_literal, Mode.TEXT, passing_modes[k]), made.mode)),
            ]
            with m.If(~passing_valid):
                m.d.sync += out.lanes[k].lane.byte.eq(made.bytes.word_select(k, 8))
        return m

    @staticmethod
    def _halves(m, word, after_lt):
        """What the halves of a word do; ``after_lt`` says that the byte before it was '<'."""
        halves = Signal(_Halves)
        lanes = [word.lanes[k] for k in range(LANES)]

        def none(condition):
            return ~Cat(*(condition(lane) for lane in lanes)).any()

        fine = none(lambda lane: lane.error != 0) & (word.count == 4) & ~word.last
        m.d.comb += [
            halves.word.eq(word),
            halves.calm.comment.eq(fine & none(lambda lane: lane.byte == ord("-"))),
            halves.calm.instruction.eq(fine & none(lambda lane: lane.byte == ord("?"))),
            halves.calm.section.eq(fine & none(lambda lane: (lane.byte == ord("]")) | lane.cr | lane.skip)),
        ]
        live = [lane.valid & ~lane.bom for lane in lanes]
        behind_lt = [after_lt & ~word.first, *(lane.lt for lane in lanes[:3])]
        for half in range(2):
            for mode_before in range(_MODES):
                mode = Const(mode_before, 2)
                escapes = Const(0)
                for k in (2 * half, 2 * half + 1):
                    lane = lanes[k]
                    tag = mode == Mode.TAG
                    escapes = escapes | (live[k] & ((lane.amp & ~tag) | (lane.bang & behind_lt[k] & tag)))
                    step = Signal(2, name=f"from{mode_before}_{k}")
                    m.d.comb += step.eq(Mux(live[k], mode_after(lane, mode), mode))
                    if k == 0:
                        m.d.comb += halves.first[mode_before].eq(step)
                    if k == 2:
                        m.d.comb += halves.third[mode_before].eq(step)
                    mode = step
                m.d.comb += [halves.both[half][mode_before].eq(mode), halves.escapes[half][mode_before].eq(escapes)]
        return halves
