"""Second stage of the parser: in which mode every byte stands [T 4.4.2].

Four modes are enough for tags, text and attribute values. The lanes' transitions are composed ahead, so that the only loop is
one look-up of the mode; everything that needs more state goes through the byte-serial lane.
"""

from amaranth.hdl import Cat, Const, EnableInserter, Module, Mux, ResetInserter, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.scbxp.classify import LANES, ClassedWord, Lane
from hdl.scbxp.serial import Calm, Event, Opening, SerialLane

__all__ = ["LexedWord", "Lexer", "Mode"]


class Mode(enum.Enum, shape=unsigned(2)):
    """Where a byte stands."""

    TEXT = 0
    TAG = 1
    DQ = 2
    SQ = 3


class LexedLane(data.Struct):
    """A byte with the ``mode`` before it, present when ``active``; ``literal`` bytes are text or value whatever they look like."""

    lane: Lane
    mode: Mode
    active: unsigned(1)
    literal: unsigned(1)


class LexedWord(data.Struct):
    """Up to four bytes, then an event. ``position`` belongs to the event; at Event.END it is the length of the document, and
    ``open`` says that the document ended inside markup."""

    lanes: data.ArrayLayout(LexedLane, LANES)
    offset: unsigned(32)
    event: Event
    code: unsigned(5)
    position: unsigned(32)
    open: unsigned(1)


def _apply(lane, live, mode):
    """The mode after a lane."""
    to_tag = Mux(mode == Mode.TEXT, lane.lt, Mux(mode == Mode.DQ, lane.dq, (mode == Mode.SQ) & lane.sq))
    from_tag = Mux(lane.gt, Mode.TEXT.value, Mux(lane.dq, Mode.DQ.value, Mux(lane.sq, Mode.SQ.value, Mode.TAG.value)))
    moved = Mux(mode == Mode.TAG, from_tag, Mux(to_tag, Mode.TAG.value, mode))
    return Mux(live, moved, mode)


class Lexer(wiring.Component):
    """Gives every byte its mode, decodes references, merges CDATA, and leaves comments, instructions and DOCTYPE out.

    Four bytes a clock in tags, text and values; one byte a clock and two clocks of changing over in references and rare markup,
    where words without an interesting byte are passed over whole. ``o`` has no back pressure: ``room`` low stops the lexer within
    one word, and what follows must have room for that. After an error it drains the document, then sends Event.END.
    """

    i: In(stream.Signature(ClassedWord))
    room: In(1)
    o: Out(LexedWord)
    o_valid: Out(1)

    def elaborate(self, platform):
        m = Module()
        clear = Signal()
        go = Signal()
        m.submodules.serial = ResetInserter(clear)(EnableInserter(go)(serial := SerialLane()))

        word = Signal(ClassedWord)
        held = Signal()
        functions = [Signal(8, name=f"after{k}") for k in range(LANES)]
        from_lane = Signal(3)
        calm_ok = Signal(4)
        mode = Signal(Mode)
        after_lt = Signal()
        pointer = Signal(3)
        back_mode = Signal(Mode)
        marked = Signal()  # the document began with a byte order mark

        # Composition of the lanes' transitions, over a new word or over what the serial lane left of the held one.
        again = Signal()
        source = Signal(ClassedWord)
        m.d.comb += source.eq(Mux(again, word, self.i.payload))
        start_lane = Signal(3)
        composed = [Signal(8, name=f"composed{k}") for k in range(LANES)]
        for start in range(4):
            running = Const(start, 2)
            for k in range(LANES):
                lane = source.lanes[k]
                live = lane.valid & ~lane.bom & (start_lane <= k)
                step = Signal(2, name=f"from{start}_{k}")
                m.d.comb += step.eq(_apply(lane, live, running))
                running = step
                m.d.comb += composed[k].word_select(start, 2).eq(step)

        # What the held word means in the present mode.
        before = [Signal(Mode, name=f"before{k}") for k in range(LANES)]
        alive = Signal(LANES)
        escape = Signal(LANES)
        m.d.comb += before[0].eq(mode)
        for k in range(LANES):
            lane = word.lanes[k]
            if k:
                m.d.comb += before[k].eq(functions[k - 1].word_select(mode.as_value(), 2))
            m.d.comb += alive[k].eq(lane.valid & ~lane.bom & (from_lane <= k))
            previous_lt = word.lanes[k - 1].lt if k else after_lt
            m.d.comb += escape[k].eq(
                alive[k] & ((lane.amp & (before[k] != Mode.TAG)) | (lane.bang & previous_lt & (before[k] == Mode.TAG)))
            )

        first_escape = Signal(2)
        for k in reversed(range(LANES)):
            with m.If(escape[k]):
                m.d.comb += first_escape.eq(k)
        escaping = escape.any()

        m.d.comb += go.eq(held & self.room)
        out = Signal(LexedWord)
        out_valid = Signal()
        m.d.sync += [self.o_valid.eq(out_valid), self.o.eq(out)]
        m.d.comb += out.offset.eq(word.offset)

        # Loading the next word.
        load = Signal()
        m.d.comb += self.i.ready.eq(load)
        with m.If(load):
            m.d.sync += [held.eq(self.i.valid), word.eq(self.i.payload), from_lane.eq(0), pointer.eq(0)]
        with m.If(load | again):
            m.d.sync += [function.eq(composed_) for function, composed_ in zip(functions, composed, strict=True)]
        with m.If(load):
            lanes = [self.i.payload.lanes[k] for k in range(LANES)]

            def none(condition):
                return ~Cat(*(condition(lane) for lane in lanes)).any()

            quiet = [
                none(lambda lane: lane.byte == ord("-")),
                none(lambda lane: lane.byte == ord("?")),
                none(lambda lane: (lane.byte == ord("]")) | lane.cr | lane.skip),
            ]
            fine = none(lambda lane: lane.error != 0) & (self.i.payload.count == 4) & ~self.i.payload.last
            m.d.sync += calm_ok.eq(Cat(Const(0, 1), *(q & fine for q in quiet)))

        current = Signal(Lane)
        at_end = Signal()
        position = Signal(32)
        m.d.comb += [
            current.eq(Cat(*(word.lanes[k] for k in range(LANES))).word_select(pointer[:2], Lane.as_shape().size)),
            at_end.eq(pointer >= word.count),
            position.eq(Cat(pointer[:2], word.offset[2:])),
            serial.lane.eq(current),
        ]
        length = Signal(32)
        m.d.comb += length.eq(word.offset + word.count)
        previous_position = Signal(32)
        end_position = Signal(32)
        end_open = Signal()

        with m.FSM(name="lexer"):
            # Tags, text and values, a word a clock.
            with m.State("FAST"):
                with m.If(~held):
                    m.d.comb += load.eq(1)
                with m.Elif(self.room):
                    m.d.comb += out_valid.eq(1)
                    for k in range(LANES):
                        m.d.comb += [out.lanes[k].lane.eq(word.lanes[k]), out.lanes[k].mode.eq(before[k])]
                        earlier = escape[:k].any() if k else Const(0)
                        m.d.comb += out.lanes[k].active.eq(alive[k] & ~earlier & ~(escape[k] & word.lanes[k].bang))
                    with m.If(escaping):
                        escaped = Signal(Lane)
                        m.d.comb += escaped.eq(Cat(*(word.lanes[k] for k in range(LANES))).word_select(first_escape, Lane.as_shape().size))
                        escaped_mode = Signal(Mode)
                        m.d.comb += escaped_mode.eq(Cat(*(before[k].as_value() for k in range(LANES))).word_select(first_escape, 2))
                        m.d.comb += [
                            serial.begin.eq(1),
                            serial.opening.eq(
                                Mux(escaped.amp, Opening.REFERENCE, Mux(escaped.byte == ord("!"), Opening.MARKUP, Opening.INSTRUCTION))
                            ),
                        ]
                        # The '?' of a declaration is the second byte, or the second after a byte order mark.
                        declares = Mux(marked, (word.offset == 4) & (first_escape == 0), word.first & (first_escape == 1))
                        m.d.comb += serial.at_start.eq(declares)
                        m.d.sync += [
                            back_mode.eq(Mux(escaped.amp, escaped_mode, Mode.TEXT)),
                            pointer.eq(first_escape + 1),
                        ]
                        m.next = "SERIAL"
                    with m.Else():
                        m.d.sync += [mode.eq(functions[3].word_select(mode.as_value(), 2)), after_lt.eq(word.lanes[3].lt)]
                        with m.If(word.first):
                            m.d.sync += marked.eq(word.lanes[0].bom)
                        with m.If(word.last):
                            m.d.sync += [
                                end_open.eq(word.cut | (functions[3].word_select(mode.as_value(), 2) != Mode.TEXT)),
                                end_position.eq(length),
                            ]
                            m.next = "END"
                        with m.Else():
                            m.d.comb += load.eq(1)

            # One byte a clock.
            with m.State("SERIAL"):
                with m.If(held & self.room):
                    with m.If(serial.wants & at_end):
                        with m.If(word.last):
                            m.d.sync += [end_open.eq(1), end_position.eq(length)]
                            m.next = "END"
                        with m.Else():
                            m.d.comb += load.eq(1)
                    with m.Elif(serial.wants & (pointer == 0) & calm_ok.bit_select(serial.calm.as_value(), 1)):
                        m.d.comb += load.eq(1)
                        with m.If(serial.calm == Calm.SECTION):
                            m.d.comb += out_valid.eq(1)
                            for k in range(LANES):
                                m.d.comb += [
                                    out.lanes[k].lane.byte.eq(word.lanes[k].byte),
                                    out.lanes[k].active.eq(1),
                                    out.lanes[k].literal.eq(1),
                                ]
                    with m.Else():
                        m.d.comb += [
                            serial.step.eq(serial.wants),
                            out_valid.eq((serial.count != 0) | (serial.event != Event.NONE)),
                            out.event.eq(serial.event),
                            out.code.eq(serial.code),
                            out.position.eq(Mux(serial.back, previous_position, position + serial.late)),
                        ]
                        for k in range(LANES):
                            m.d.comb += [
                                out.lanes[k].lane.byte.eq(serial.text.word_select(k, 8)),
                                out.lanes[k].active.eq(serial.count > k),
                                out.lanes[k].literal.eq(1),
                                out.lanes[k].mode.eq(back_mode),
                            ]
                        with m.If(serial.wants):
                            m.d.sync += [pointer.eq(pointer + 1), previous_position.eq(position)]
                        with m.If(serial.event == Event.ERROR):
                            m.next = "DRAIN"
                        with m.Elif(serial.done):
                            m.next = "RESUME"
                with m.Elif(~held):
                    m.d.comb += load.eq(1)

            # The rest of the word goes back to the fast lanes.
            with m.State("RESUME"):
                m.d.comb += [again.eq(1), start_lane.eq(pointer)]
                m.d.sync += [mode.eq(back_mode), from_lane.eq(pointer), after_lt.eq(0)]
                m.next = "FAST"

            # The document is bad: nothing of the rest counts.
            with m.State("DRAIN"):
                with m.If(held & word.last):
                    m.d.sync += [end_open.eq(0), end_position.eq(length)]
                    m.next = "END"
                with m.Else():
                    m.d.comb += load.eq(1)

            with m.State("END"):
                with m.If(self.room):
                    m.d.comb += [
                        out_valid.eq(1),
                        out.event.eq(Event.END),
                        out.position.eq(end_position),
                        out.open.eq(end_open),
                        load.eq(1),
                        clear.eq(1),
                    ]
                    m.d.sync += [mode.eq(Mode.TEXT), after_lt.eq(0), marked.eq(0)]
                    m.next = "FAST"
        return m
