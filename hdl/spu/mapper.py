"""Inspection and mapping of buffered frames [T 5.3.2.1, T 5.3.2.2]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Header, Refusal
from hdl.shapes.program import TextByte
from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import RefusalCode, tsid_width
from hdl.spu.buffer import DoubleBuffer
from hdl.spu.inspector import HeaderInspector
from hdl.spu.smt import SmtAnswer, SmtOp, SmtRequest
from hdl.spu.task import Task, TaskKind

__all__ = ["HEADER_WORDS", "Mapper"]

HEADER_WORDS = Header.BYTES // 4


class Mapper(wiring.Component):
    """Takes frames one after the other: inspects the header, gets a t-SID, sends the text to the XPath processor and the raw frame
    to the store, and hands a task over.

    Parameters
    ----------
    config : BrokerConfig
    longest : int
        Words of the longest frame that can be accepted.
    depth : int
        Words of the store.

    Members
    -------
    i, clear, cleared, o_text
        As those of the SPU.
    o_task : Out(stream.Signature(Task))
        One task for each frame or request to clear, in order.
    busy, busy_tsid : In
        The task taken last is still being worked on, and its t-SID.
    o_request, answered, answer : Out(stream), In(1), In(SmtAnswer)
        Requests to the SMT and their answers.
    o_room, first, write, offset, word : Out(stream), In, Out, Out, Out
        The store.
    """

    def __init__(self, config, *, longest, depth):
        self._config = config
        self._longest = longest
        self._depth = depth
        tsid = tsid_width(config)
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "clear": In(1),
                "cleared": Out(1),
                "o_text": Out(stream.Signature(TextByte)),
                "o_task": Out(stream.Signature(Task(config, depth=depth))),
                "busy": In(1),
                "busy_tsid": In(tsid),
                "o_request": Out(stream.Signature(SmtRequest(config))),
                "answered": In(1),
                "answer": In(SmtAnswer(config)),
                "o_room": Out(stream.Signature(data.StructLayout({"tsid": tsid, "size": range(depth)}))),
                "first": In(range(depth)),
                "write": Out(1),
                "offset": Out(range(depth)),
                "word": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.buffer = buffer = DoubleBuffer(words=self._longest)
        m.submodules.inspector = inspector = HeaderInspector(config)
        wiring.connect(m, wiring.flipped(self.i), buffer.i)

        # The header turns in a ring of words: in while it is read, round once while it is written to the store.
        address = Signal(range(self._longest + 1))
        step = Signal(range(HEADER_WORDS + 3))
        header = Signal(Header.BYTES * 8)
        ahead = Signal(32)
        captured = Signal(32)
        present = Signal()
        m.d.sync += present.eq(step <= buffer.size.words)
        m.d.comb += [
            buffer.address.eq(address),
            captured.eq(Mux(present, buffer.word, 0)),
            inspector.header.eq(header),
            inspector.body.eq(buffer.size.body),
        ]

        task = self.o_task.payload
        answer = Signal(SmtAnswer(config))
        same = Signal()
        pending = Signal()
        m.d.sync += pending.eq(self.busy | self.o_task.valid)
        request = self.o_request.payload
        op = Signal(SmtOp)
        # The first request goes out while the header is judged.
        decides, first_op = Signal(), Mux(inspector.cancel, SmtOp.FIND, SmtOp.ADD)
        m.d.comb += [
            request.op.eq(Mux(decides, first_op, op)),
            request.tsid.eq(answer.tsid),
            request.entry.eq(inspector.entry),
            self.o_room.payload.tsid.eq(answer.tsid),
            self.o_room.payload.size.eq(buffer.size.words),
        ]

        def hand_over(kind, refusal=Refusal.NONE):
            m.d.sync += [self.o_task.valid.eq(1), task.kind.eq(kind), task.refusal.eq(refusal)]

        with m.If(~self.o_task.valid):
            m.d.sync += [task.cancel.eq(inspector.cancel), task.tsid.eq(answer.tsid), task.entry.eq(inspector.entry)]
        with m.Elif(self.o_task.ready):
            m.d.sync += self.o_task.valid.eq(0)

        # The text leaves byte by byte; each word is written to the store as it is taken.
        left = Signal(range(config.xpath_bytes + 1))
        shift = Signal(32)
        lane = Signal(2)
        copied = Signal(range(HEADER_WORDS + 1))
        place = Signal(range(self._longest + 1))
        text_word = Signal()
        sent = Signal()
        m.d.comb += [
            self.o_text.payload.data.eq(shift[:8]),
            self.o_text.payload.last.eq(left == 1),
            sent.eq(self.o_text.valid & self.o_text.ready),
        ]

        begun = Signal()
        # The first fault counts.
        due = Signal(RefusalCode)
        for number, (code, _) in reversed([*enumerate(inspector.FAULTS)]):
            with m.If(inspector.faults[number]):
                m.d.comb += due.eq(code)
        freed = Signal()  # the frame's text has been read to its last word
        checks = Signal()  # there is no t-SID for the frame

        def free():
            """Frees the half."""
            m.d.comb += buffer.release.eq(1)
            m.d.sync += address.eq(0)

        def release():
            """Frees the half and goes on with the next frame."""
            free()
            m.next = "WAIT"

        def refuse(code):
            """Waits until the task before has been taken."""
            with m.If(~self.o_task.valid):
                hand_over(TaskKind.REFUSE, code)
                release()

        with m.FSM():
            # Waits for a whole frame, whose first word is being read all the time, or for a request to clear.
            with m.State("WAIT"):
                m.d.sync += [address.eq(0), step.eq(1)]
                with m.If(self.clear):
                    with m.If(~self.o_task.valid):
                        hand_over(TaskKind.CLEAR)
                        m.next = "CLEAR"
                with m.Elif(buffer.valid):
                    m.d.sync += address.eq(1)
                    m.next = "HEADER"

            # Reads the header and the first word of the text, two clocks behind the address.
            with m.State("HEADER"):
                m.d.sync += step.eq(step + 1)
                with m.If(address != HEADER_WORDS + 1):
                    m.d.sync += address.eq(address + 1)
                with m.If(step == HEADER_WORDS + 2):
                    m.d.sync += ahead.eq(captured)
                    m.next = "DECIDE"
                with m.Elif(step >= 2):
                    m.d.sync += header.eq(Cat(header[32:], captured))

            # The inspector has decided.
            with m.State("DECIDE"):
                m.d.comb += decides.eq(1)
                m.d.sync += op.eq(first_op)
                with m.If(inspector.faults.any()):
                    refuse(due)
                with m.Else():
                    m.d.comb += self.o_request.valid.eq(1)
                    m.next = "MAP"
                    with m.If(self.o_request.ready):
                        m.next = "ANSWER"

            # Waits for the SMT.
            with m.State("MAP"):
                m.d.comb += self.o_request.valid.eq(1)
                with m.If(self.o_request.ready):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.sync += [
                    answer.eq(self.answer),
                    same.eq((self.answer.tsid == self.busy_tsid) | (self.o_task.valid & (self.answer.tsid == task.tsid))),
                ]
                with m.If(self.answered):
                    m.next = "MAPPED"
            with m.State("MAPPED"):
                with m.If(op == SmtOp.UNLINK):
                    with m.If(~self.o_task.valid):
                        hand_over(TaskKind.UNREGISTER)
                        release()
                with m.Elif(pending & (answer.full | (answer.found & same))):
                    m.next = "OUTCOME"
                with m.Elif(inspector.cancel):
                    with m.If(answer.found):
                        m.d.sync += op.eq(SmtOp.UNLINK)
                        m.next = "MAP"
                    with m.Else():
                        refuse(Refusal.UNKNOWN_SID)
                with m.Elif(answer.found):
                    refuse(Refusal.DUPLICATE_SID)
                with m.Else():
                    m.d.sync += checks.eq(answer.full)
                    m.next = "ROOM"

            # The answer depends on a frame before, which is still being registered.
            with m.State("OUTCOME"):
                with m.If(~pending):
                    m.next = "MAP"

            # Waits for room in the store, which a frame that is only checked does not need.
            with m.State("ROOM"):
                m.d.comb += self.o_room.valid.eq(~checks)
                m.d.sync += [
                    shift.eq(ahead),
                    lane.eq(0),
                    left.eq(inspector.length),
                    copied.eq(0),
                    place.eq(HEADER_WORDS),
                    text_word.eq(1),
                ]
                with m.If(self.o_room.ready | checks):
                    m.d.sync += [begun.eq(1), freed.eq(0)]
                    m.next = "TEXT"

            # Sends the text, while the text's words and, in between, the header's go to the store, and hands the task over. The next frame
            # comes into use as soon as nothing more is read of this one.
            with m.State("TEXT"):
                with m.If(begun & ~self.o_task.valid):
                    hand_over(Mux(checks, TaskKind.CHECK, TaskKind.REGISTER))
                    m.d.sync += [
                        begun.eq(0),
                        task.extent.first.eq(self.first),
                        task.extent.last.eq(self.first + buffer.size.words - 1),
                        task.extent.count.eq(Cat(buffer.size.body[:2], buffer.size.body[:2] == 0)),
                    ]
                m.d.comb += [self.o_text.valid.eq(left != 0), self.write.eq(~checks & (text_word | (copied != HEADER_WORDS)))]
                m.d.sync += text_word.eq(0)
                with m.If(text_word):
                    m.d.comb += [self.word.eq(shift), self.offset.eq(place)]
                    m.d.sync += place.eq(place + 1)
                with m.Else():
                    m.d.comb += [self.word.eq(header[:32]), self.offset.eq(copied)]
                    with m.If((copied != HEADER_WORDS) & ~begun):
                        m.d.sync += [header.eq(Cat(header[32:], header[:32])), copied.eq(copied + 1)]
                with m.If(sent):
                    m.d.sync += [left.eq(left - 1), lane.eq(lane + 1), shift.eq(Cat(shift[8:], Const(0, 8)))]
                    with m.If((lane == 3) & (left != 1)):
                        m.d.sync += [shift.eq(buffer.word), address.eq(address + 1), text_word.eq(1)]
                with m.If(~freed & ~begun & (left + lane <= 4)):
                    free()
                    m.d.sync += freed.eq(1)
                with m.If((left == 0) & ~text_word & (copied == HEADER_WORDS) & freed):
                    m.next = "WAIT"
                    with m.If(buffer.valid & ~self.clear):
                        # its first word is being read already
                        m.d.sync += [address.eq(1), step.eq(1)]
                        m.next = "HEADER"

            # Waits until nothing is registered any more.
            with m.State("CLEAR"):
                with m.If(~self.o_task.valid):
                    m.next = "CLEARED"
            with m.State("CLEARED"):
                with m.If(~self.busy):
                    m.d.comb += self.cleared.eq(1)
                    m.next = "WAIT"
        return m
