"""Bytes of names and literals to the words of a registration program."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.program import ProgramOp, ProgramOperator, ProgramWord
from hdl.shapes.widths import RefusalCode

__all__ = ["Packer", "PackerCommand"]


class PackerCommand(data.Struct):
    """What one character does to the program.

    ``begin`` ends the piece under way and starts another one, of which ``op``, ``axis``, ``wildcard`` and ``numeric`` are given.
    ``operator`` counts when the new piece is a LITERAL; it is also put on the last word of the test just ended. ``push`` appends
    ``byte`` to the piece, to the new one if there is one. ``finish``, which comes alone, ends the piece under way and the program;
    with ``abort`` the piece is dropped and the program ends in ABORT with the code ``refusal``.
    """

    begin: unsigned(1)
    op: ProgramOp
    axis: unsigned(1)
    wildcard: unsigned(1)
    numeric: unsigned(1)
    operator: ProgramOperator
    push: unsigned(1)
    byte: unsigned(8)
    finish: unsigned(1)
    abort: unsigned(1)
    refusal: RefusalCode


class Packer(wiring.Component):
    """Packs a command a clock into at most one program word a clock.

    A word appears on ``o`` with ``o_valid`` in the clock after the command that completes it. A ``finish`` makes two words, so that
    the command after it must not need one; that of the first character of a text never does. There is no back pressure.
    """

    i_valid: In(1)
    i: In(PackerCommand)
    o_valid: Out(1)
    o: Out(ProgramWord)

    def elaborate(self, platform):
        m = Module()

        # The piece under way; its latest word waits here, since only the next command says whether it is the last.
        held = Signal()
        word = Signal(ProgramWord)
        done = Signal()
        aborted = Signal()
        refusal = Signal(RefusalCode)

        m.d.sync += self.o_valid.eq(0)

        with m.If(self.i_valid):
            with m.If(self.i.begin):
                m.d.sync += [
                    self.o_valid.eq(held),
                    self.o.eq(word),
                    self.o.last.eq(1),
                    held.eq(1),
                    word.op.eq(self.i.op),
                    word.axis.eq(self.i.axis),
                    word.wildcard.eq(self.i.wildcard),
                    word.numeric.eq(self.i.numeric),
                    word.operator.eq(ProgramOperator.NONE),
                    word.data.eq(Mux(self.i.push, self.i.byte, 0)),
                    word.count.eq(self.i.push),
                    word.last.eq(0),
                ]
                with m.If(self.i.op == ProgramOp.LITERAL):
                    m.d.sync += [self.o.operator.eq(self.i.operator), word.operator.eq(self.i.operator)]
            with m.Elif(self.i.push):
                with m.If(word.count == 4):
                    m.d.sync += [
                        self.o_valid.eq(held),
                        self.o.eq(word),
                        word.data.eq(self.i.byte),
                        word.count.eq(1),
                    ]
                with m.Else():
                    m.d.sync += word.count.eq(word.count + 1)
                    with m.Switch(word.count):
                        for index in range(4):
                            with m.Case(index):
                                m.d.sync += word.data[8 * index : 8 * index + 8].eq(self.i.byte)
            with m.If(self.i.finish):
                m.d.sync += [
                    self.o_valid.eq(held & ~self.i.abort),
                    self.o.eq(word),
                    self.o.last.eq(1),
                    held.eq(0),
                    done.eq(1),
                    aborted.eq(self.i.abort),
                    refusal.eq(self.i.refusal),
                ]

        # The clock after that: how the program ended.
        with m.If(done):
            m.d.sync += [
                done.eq(0),
                self.o_valid.eq(1),
                self.o.eq(0),
                self.o.op.eq(Mux(aborted, ProgramOp.ABORT, ProgramOp.DONE)),
                self.o.data.eq(Mux(aborted, refusal, 0)),
                self.o.last.eq(1),
            ]

        return m
