"""Registration of mapped frames by the CRT, and what follows from its answer [T 5.3.3.4]."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Refusal
from hdl.shapes.program import CrtOp, CrtResponse, RegistrationCommand
from hdl.shapes.subscription import SubscriptionResult
from hdl.shapes.widths import RefusalCode, ShortCount, tsid_width
from hdl.spu.smt import SmtOp
from hdl.spu.store import StoreExtent, StoreOp
from hdl.spu.task import Task, TaskKind

__all__ = ["Registrar"]


class Registrar(wiring.Component):
    """Works on one task at a time: asks the CRT, then commits or rolls back, then reports.

    Parameters
    ----------
    config : BrokerConfig
    depth : int
        Words of the store.

    Members
    -------
    i_task : In(stream.Signature(Task))
    o_command, i_response, o_result
        As those of the SPU.
    o_request, answered : Out(stream), In(1)
        Requests to the SMT, and that they have been done.
    o_index : Out(stream)
        Changes of the store's index.
    busy, tsid : Out
        A task is being worked on, and its t-SID.
    accepted, cancelled, refused : Out(ShortCount)
        Results given since the reset.
    """

    def __init__(self, config, *, depth):
        self._config = config
        self._depth = depth
        tsid = tsid_width(config)
        super().__init__(
            {
                "i_task": In(stream.Signature(Task(config, depth=depth))),
                "o_command": Out(stream.Signature(RegistrationCommand(config))),
                "i_response": In(stream.Signature(CrtResponse)),
                "o_result": Out(stream.Signature(SubscriptionResult(config))),
                "o_request": Out(stream.Signature(data.StructLayout({"op": SmtOp, "tsid": tsid}))),
                "answered": In(1),
                "o_index": Out(stream.Signature(data.StructLayout({"op": StoreOp, "tsid": tsid, "extent": StoreExtent(depth)}))),
                "busy": Out(1),
                "tsid": Out(tsid),
                "accepted": Out(ShortCount),
                "cancelled": Out(ShortCount),
                "refused": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        task = Signal(Task(self._config, depth=self._depth))
        refusal = Signal(RefusalCode)
        command = self.o_command.payload.command
        request = self.o_request.payload
        change = self.o_index.payload
        result = self.o_result.payload
        idle = Signal()
        given = self.i_response.payload.refusal
        room = (Refusal.NONE, Refusal.FULL_STEPS, Refusal.FULL_NAMES, Refusal.FULL_VALUES)
        passes = Cat(given == code.value for code in room).any()  # the text is within the grammar

        m.d.comb += [
            self.busy.eq(~idle),
            self.tsid.eq(task.tsid),
            command.tsid.eq(task.tsid),
            command.semantics.eq(task.entry.semantics),
            self.o_command.payload.content.eq(task.entry.content),
            request.tsid.eq(task.tsid),
            change.tsid.eq(task.tsid),
            change.extent.eq(task.extent),
            result.refusal.eq(refusal),
            result.cancel.eq(task.cancel),
            result.key.eq(task.entry.key),
            result.link.eq(task.entry.link),
            result.tsid.eq(Mux(refusal == 0, task.tsid, 0)),
        ]
        with m.Switch(task.kind):
            with m.Case(TaskKind.REGISTER):
                m.d.comb += [command.op.eq(CrtOp.REGISTER), change.op.eq(StoreOp.COMMIT)]
            with m.Case(TaskKind.UNREGISTER):
                m.d.comb += [command.op.eq(CrtOp.UNREGISTER), change.op.eq(StoreOp.DISCARD)]
            with m.Case(TaskKind.CLEAR):
                m.d.comb += [command.op.eq(CrtOp.CLEAR), change.op.eq(StoreOp.CLEAR)]
            with m.Case(TaskKind.CHECK):
                m.d.comb += command.op.eq(CrtOp.CHECK)

        def ask(state, op, following):
            """A request to the SMT and the wait for its answer."""
            with m.State(state):
                m.d.comb += [self.o_request.valid.eq(1), request.op.eq(op)]
                with m.If(self.o_request.ready):
                    m.next = f"{state}-ANSWER"
            with m.State(f"{state}-ANSWER"), m.If(self.answered):
                m.next = following

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [idle.eq(1), self.i_task.ready.eq(1)]
                m.d.sync += [task.eq(self.i_task.payload), refusal.eq(self.i_task.payload.refusal)]
                with m.If(self.i_task.valid):
                    with m.If(self.i_task.payload.kind == TaskKind.REFUSE):
                        m.next = "RESULT"
                    with m.Else():
                        m.next = "COMMAND"

            # The CRT's turn; it answers when it has taken the program to its end.
            with m.State("COMMAND"):
                m.d.comb += self.o_command.valid.eq(1)
                with m.If(self.o_command.ready):
                    m.next = "RESPONSE"
            with m.State("RESPONSE"):
                m.d.comb += self.i_response.ready.eq(1)
                with m.If(self.i_response.valid):
                    with m.If(task.kind == TaskKind.CHECK):
                        m.d.sync += refusal.eq(Mux(passes, Refusal.FULL_SUBSCRIPTIONS.value, given))
                        m.next = "RESULT"
                    with m.Elif((task.kind == TaskKind.REGISTER) & (self.i_response.payload.refusal != 0)):
                        m.d.sync += refusal.eq(self.i_response.payload.refusal)
                        m.next = "UNLINK"
                    with m.Else():
                        m.next = "INDEX"

            # Registered or gone: the store's index follows.
            with m.State("INDEX"):
                m.d.comb += self.o_index.valid.eq(1)
                with m.If(self.o_index.ready):
                    with m.Switch(task.kind):
                        with m.Case(TaskKind.UNREGISTER):
                            m.next = "FREE"
                        with m.Case(TaskKind.CLEAR):
                            m.next = "CLEAR"
                        with m.Default():
                            m.next = "RESULT"

            # Refused: the SMT forgets the key, then takes the t-SID back.
            ask("UNLINK", SmtOp.UNLINK, "FREE")
            ask("FREE", SmtOp.FREE, "RESULT")
            ask("CLEAR", SmtOp.CLEAR, "IDLE")

            with m.State("RESULT"):
                m.d.comb += self.o_result.valid.eq(1)
                with m.If(self.o_result.ready):
                    with m.If(refusal != 0):
                        m.d.sync += self.refused.eq(self.refused + 1)
                    with m.Elif(task.cancel):
                        m.d.sync += self.cancelled.eq(self.cancelled + 1)
                    with m.Else():
                        m.d.sync += self.accepted.eq(self.accepted + 1)
                    m.next = "IDLE"
        return m
