"""Exact-match memory of a few keys in flip-flops."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring

from hdl.cam.interface import CamOperation, cam_members

__all__ = ["RegisterCam"]


class RegisterCam(wiring.Component):
    """An exact-match memory of keys that compares with all of them at once.

    The interface is that of :class:`hdl.cam.HashCam`; a key fits as long as any place is free. A search taken in clock n is answered in
    clock n + :attr:`LATENCY`; ``search.ready`` is always 1. A search sees a command completely or not at all, and sees it when taken
    in or after the first clock in which the response is offered, three clocks after the command is taken. A reset empties the memory.

    Parameters
    ----------
    key_width, value_width : int
        Widths of keys and values.
    entries : int
        Number of places.
    """

    LATENCY = 2

    def __init__(self, *, key_width: int, value_width: int, entries: int = 8):
        if not isinstance(entries, int) or isinstance(entries, bool) or entries < 1:
            raise ValueError(f"entries must be an integer of at least 1, not {entries!r}")
        self.key_width = key_width
        self.value_width = value_width
        self.entries = entries
        super().__init__(cam_members(key_width=key_width, value_width=value_width, capacity=entries))

    @property
    def capacity(self) -> int:
        """Places in all."""
        return self.entries

    def elaborate(self, platform):
        m = Module()
        used = Signal(self.entries)
        pinned = Signal(self.entries)
        keys = Signal(data.ArrayLayout(self.key_width, self.entries), reset_less=True)
        values = Signal(data.ArrayLayout(self.value_width, self.entries), reset_less=True)

        def holders(key):
            return Cat(used[place] & (keys[place] == key) for place in range(self.entries))

        # Search: compare, then select.
        match = Signal(self.entries)
        matched = Signal(data.ArrayLayout(self.value_width, self.entries), reset_less=True)
        searched = Signal()
        m.d.comb += self.search.ready.eq(1)
        m.d.sync += [searched.eq(self.search.valid), match.eq(holders(self.search.payload)), matched.eq(values)]
        selected = (matched[place] & match[place].replicate(self.value_width) for place in range(self.entries))
        m.d.sync += [self.result.valid.eq(searched), self.result.hit.eq(match.any()), self.result.value.eq(reduce(or_, selected))]

        command = Signal(self.command.p.shape(), reset_less=True)
        holder = Signal(self.entries)
        free = Signal(self.entries)
        chosen = Signal(self.entries)
        found = Signal()
        answer = Signal(self.response.p.shape())
        m.d.comb += [self.response.p.eq(answer), found.eq(holder.any())]

        with m.FSM():
            with m.State("IDLE"):  # waits for a command
                m.d.comb += self.command.ready.eq(1)
                m.d.sync += command.eq(self.command.p)
                with m.If(self.command.valid):
                    m.next = "COMPARE"
            with m.State("COMPARE"):  # looks for the key and for a free place
                m.d.sync += [
                    holder.eq(holders(command.key)),
                    free.eq(Cat(~used[place] & used[:place].all() for place in range(self.entries))),
                ]
                m.next = "CHANGE"
            with m.State("CHANGE"):  # does the command's work at once
                m.d.sync += [answer.ok.eq(1), answer.found.eq(0)]
                with m.Switch(command.op):
                    with m.Case(CamOperation.INSERT):
                        for place in range(self.entries):
                            m.d.comb += chosen[place].eq(holder[place] | (free[place] & ~found))
                            with m.If(chosen[place]):
                                m.d.sync += [
                                    used[place].eq(1),
                                    pinned[place].eq(command.pinned),
                                    keys[place].eq(command.key),
                                    values[place].eq(command.value),
                                ]
                        m.d.sync += [answer.ok.eq(chosen.any()), answer.found.eq(found)]
                        with m.If(~chosen.any() & ~self.status.failed.all()):
                            m.d.sync += self.status.failed.eq(self.status.failed + 1)
                    with m.Case(CamOperation.DELETE):
                        m.d.sync += [used.eq(used & ~holder), answer.ok.eq(found), answer.found.eq(found)]
                    with m.Case(CamOperation.CLEAR):
                        m.d.sync += used.eq(0)
                    with m.Case(CamOperation.FORGET):
                        m.d.sync += used.eq(used & pinned)
                m.next = "RESPOND"
            with m.State("RESPOND"):  # waits until the response is taken
                m.d.comb += self.response.valid.eq(1)
                with m.If(self.response.ready):
                    m.next = "IDLE"
        m.d.comb += [self.status.pinned.eq(sum(used & pinned)), self.status.unpinned.eq(sum(used & ~pinned))]
        return m
