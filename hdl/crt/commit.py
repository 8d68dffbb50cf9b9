"""The one clock of a change."""

from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.tables import MomentView

__all__ = ["CommitClock"]

_AGE = 2
"""Clocks after which a moment granted to the change before has passed."""


class CommitClock(wiring.Component):
    """Decides which documents a change counts for, and asks the engine for the moment in which it is made.

    A change counts for the documents that begin after its ``start``. Those that had begun are matched first; the next one waits until the
    change is made.

    Members
    -------
    start : ``In(1)``
        The commit of a change, for one clock; not while ``under_way``.
    finish : ``In(1)``
        The change has been made, for one clock in which ``open`` is 1; or it is void.
    under_way : ``Out(1)``
        A change has been committed and is not yet made.
    open : ``Out(1)``
        The moment: nothing of the table is in use by the engine. Three clocks after ``start`` at the earliest; it stays until ``finish``.
    begun : ``In(16)``
        Documents whose first word has been taken, modulo 65536 and from 0 at reset.
    view : ``Out(MomentView())``
    """

    def __init__(self):
        super().__init__({"start": In(1), "finish": In(1), "under_way": Out(1), "open": Out(1), "begun": In(16), "view": Out(MomentView())})

    def elaborate(self, platform):
        m = Module()
        last_before = Signal(16)
        age = Signal(range(_AGE + 1))
        m.d.sync += self.view.wants.eq(self.under_way & ~self.finish & ~(self.view.ended - last_before)[15])
        m.d.comb += self.open.eq(self.under_way & (age == _AGE) & self.view.quiet)
        with m.If(age != _AGE):
            m.d.sync += age.eq(age + 1)
        with m.If(self.start):
            m.d.sync += [self.under_way.eq(1), last_before.eq(self.begun), age.eq(0)]
        with m.If(self.finish):
            m.d.sync += self.under_way.eq(0)
        return m
