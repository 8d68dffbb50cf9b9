"""Loads a skeleton into the name table beside registration [T 4.3, T 7.6.2]."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.names import NameOp, NameRequest, NameResponse
from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import ShortCount
from hdl.stream.fifo import StreamFifo

__all__ = ["SkeletonLoader"]

_ASKED = 7
"""Names that the other user may ask for before the first of them is answered."""


class SkeletonLoader(wiring.Component):
    """Loads names that come as packets, between the requests of another user of the name table, who always goes first.

    A name stays until the broker is reset. One that is empty, longer than the limit, or finds the table full is not loaded; both are
    counted. The other user's requests pass without delay while no name is being loaded.

    Members
    -------
    i : In(stream.Signature(DocumentWord))
        Names, a packet each.
    i_request, o_response : In(stream.Signature(NameRequest(config))), Out(stream.Signature(NameResponse(config)))
        The other user, who has up to seven names under way.
    o_request, i_response : Out(stream.Signature(NameRequest(config))), In(stream.Signature(NameResponse(config)))
        The name table.
    pinned, unpinned : Out(ShortCount)
    """

    def __init__(self, config):
        self._config = config
        request, response = stream.Signature(NameRequest(config)), stream.Signature(NameResponse(config))
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "i_request": In(request),
                "o_response": Out(response),
                "o_request": Out(request),
                "i_response": In(response),
                "pinned": Out(ShortCount),
                "unpinned": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        limit = self._config.name_bytes // 4
        m.submodules.name = name = StreamFifo(DocumentWord, limit)
        word = self.i.payload

        # A name is taken in whole before it is asked for.
        whole, misfit, held = Signal(), Signal(), Signal(range(limit + 1))
        bad = (word.count == 0) | misfit | (~word.last & (held == limit - 1))
        m.d.comb += [
            self.i.ready.eq(~whole),
            name.i.payload.eq(word),
            name.i.valid.eq(self.i.valid & ~whole & ~misfit & (word.count != 0)),
        ]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += [held.eq(Mux(word.last, 0, held + ~misfit)), misfit.eq(bad & ~word.last)]
            with m.If(word.last):
                m.d.sync += whole.eq(1)
        drops = Signal()
        with m.If(self.i.valid & self.i.ready & word.last):
            m.d.sync += drops.eq(bad)

        asks = name.o.payload
        # The other user may be inside a name, and may have asked for several before the first is answered.
        inside, owed, idle = Signal(), Signal(range(_ASKED + 1)), Signal()
        crt = self.i_request.payload
        asked = self.i_request.valid & self.i_request.ready & (crt.op != NameOp.UNPIN)
        with m.If(asked):
            m.d.sync += inside.eq(~crt.last)
        m.d.sync += owed.eq(owed + (asked & crt.last) - (self.o_response.valid & self.o_response.ready))
        m.d.comb += idle.eq(~inside & (owed == 0) & ~self.i_request.valid)

        with m.FSM():
            with m.State("PASS"):
                # The other user's requests, until a name is there and nothing of the other user under way.
                m.d.comb += [
                    self.o_request.valid.eq(self.i_request.valid),
                    self.o_request.payload.eq(crt),
                    self.i_request.ready.eq(self.o_request.ready),
                    self.o_response.valid.eq(self.i_response.valid),
                    self.i_response.ready.eq(self.o_response.ready),
                ]
                with m.If(whole & idle):
                    with m.If(drops):
                        m.next = "DROP"
                    with m.Else():
                        m.next = "LOAD"
            with m.State("LOAD"):
                # Asks for the name, word by word.
                m.d.comb += [
                    self.o_request.valid.eq(name.o.valid),
                    self.o_request.payload.op.eq(NameOp.LOAD),
                    self.o_request.payload.data.eq(asks.data),
                    self.o_request.payload.count.eq(asks.count),
                    self.o_request.payload.last.eq(asks.last),
                    name.o.ready.eq(self.o_request.ready),
                ]
                with m.If(name.o.valid & self.o_request.ready & asks.last):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                # Until the name table has answered.
                m.d.comb += self.i_response.ready.eq(1)
                with m.If(self.i_response.valid):
                    m.d.sync += whole.eq(0)
                    with m.If(self.i_response.payload.ok):
                        m.d.sync += self.pinned.eq(self.pinned + 1)
                    with m.Else():
                        m.d.sync += self.unpinned.eq(self.unpinned + 1)
                    m.next = "PASS"
            with m.State("DROP"):
                # Takes what there is of a name that does not fit out of the queue.
                m.d.comb += name.o.ready.eq(1)
                with m.If(name.level == 0):
                    m.d.sync += [whole.eq(0), self.unpinned.eq(self.unpinned + 1)]
                    m.next = "PASS"
        m.d.comb += self.o_response.payload.eq(self.i_response.payload)
        return m
