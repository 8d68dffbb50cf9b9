"""Names of programs to token IDs, ahead of registration [T 5.3.3.2]."""

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.layouts import NameOp, NameRequest, NameResponse, ProgramOp, ProgramWord
from hdl.stream import StreamFifo

__all__ = ["Namer"]


class Namer(wiring.Component):
    """Stands before the CRT's registration and pins the names of a program, while registration works on what came before.

    The words of a name become one word with its token ID, modulo the number of names, in ``data``, and count 0 if the name table is full;
    further names of that program are left out. Every other word passes unchanged. A name that is cut short by ABORT leaves nothing behind.

    Registration must visit every token ID that it takes and give back each one that has no visits left. One that it gives back while
    the namer already has it for a later program stays pinned. What is given back waits in a queue, so that ``release`` takes as many
    token IDs as a subscription may have names without the name table's help, once ``settled`` has been 1.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i, o : In(stream.Signature(ProgramWord)), Out(stream.Signature(ProgramWord))
    release : In(stream)
        Token IDs, modulo the number of names, without visits.
    settled : Out(1)
        Everything given back two clocks ago or earlier has been dealt with. ``o`` waits for that.
    o_request, i_response : Out(stream.Signature(NameRequest(config))), In(stream.Signature(NameResponse(config)))
        The name table.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(ProgramWord)),
                "o": Out(stream.Signature(ProgramWord)),
                "release": In(stream.Signature(ceil_log2(config.names))),
                "settled": Out(1),
                "o_request": Out(stream.Signature(NameRequest(config))),
                "i_response": In(stream.Signature(NameResponse(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        bits = ceil_log2(config.names)
        word = self.i.payload
        request, response = self.o_request.payload, self.i_response.payload

        m.submodules.releases = releases = StreamFifo(bits, config.subscription_steps + 1)
        wiring.connect(m, wiring.flipped(self.release), releases.i)
        m.d.sync += self.settled.eq(releases.level == 0)

        # The word on offer, and the name found after it.
        held, offered = Signal(), Signal(ProgramWord)
        offers_name = Signal()
        free = Signal()
        m.d.comb += [
            self.o.valid.eq(held & self.settled),
            self.o.payload.eq(offered),
            free.eq(~held | (self.o.valid & self.o.ready)),
        ]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += held.eq(0)
        found, found_ok = Signal(bits), Signal()
        piece = Signal(ProgramWord)

        # A name given back: is it wanted again?
        back = releases.o.payload
        wanted, resolved = Signal(), Signal()
        m.d.comb += wanted.eq((held & offers_name & (offered.data[:bits] == back)) | (resolved & found_ok & (found == back)))

        def give_back():
            m.d.comb += [
                self.o_request.valid.eq(~wanted),
                request.op.eq(NameOp.UNPIN),
                request.last.eq(1),
                request.name.eq(Mux(back == 0, config.names, back)),
                releases.o.ready.eq(wanted | self.o_request.ready),
            ]

        named = Signal()
        ends = Signal()
        opened, gives_up = Signal(), Signal()
        m.d.comb += [
            named.eq(
                ((word.op == ProgramOp.STEP) & ~word.wildcard)
                | Value.cast(word.op).matches(ProgramOp.ATTRIBUTE_TEST, ProgramOp.ATTRIBUTE_STEP)
            ),
            ends.eq(Value.cast(word.op).matches(ProgramOp.DONE, ProgramOp.ABORT)),
        ]
        with m.FSM():
            # The next word of the program; those of names go on to the name table.
            with m.State("WORD"):
                with m.If(releases.o.valid & ~opened):
                    give_back()
                with m.Elif(self.i.valid):
                    with m.If(named & gives_up):
                        m.d.comb += self.i.ready.eq(1)
                    with m.Elif(named):
                        m.d.comb += [
                            self.o_request.valid.eq(1),
                            request.op.eq(NameOp.PIN),
                            request.data.eq(word.data),
                            request.count.eq(word.count),
                            request.last.eq(word.last),
                            self.i.ready.eq(self.o_request.ready),
                        ]
                        m.d.sync += piece.eq(word)
                        with m.If(self.o_request.ready):
                            m.d.sync += opened.eq(~word.last)
                            with m.If(word.last):
                                m.next = "ANSWER"
                    with m.Elif(ends & opened):
                        m.next = "CLOSE"
                    with m.Else():
                        m.d.comb += self.i.ready.eq(free)
                        with m.If(free):
                            m.d.sync += [held.eq(1), offered.eq(word), offers_name.eq(0)]
                            with m.If(ends):
                                m.d.sync += gives_up.eq(0)

            # Waits for the token ID, then for what is given back, since that may be the same, and for room.
            with m.State("ANSWER"):
                m.d.comb += self.i_response.ready.eq(1)
                m.d.sync += [found.eq(response.name), found_ok.eq(response.ok)]
                with m.If(self.i_response.valid):
                    m.next = "NAME"
            with m.State("NAME"):
                m.d.comb += resolved.eq(1)
                with m.If(releases.o.valid):
                    give_back()
                with m.Elif(free):
                    m.d.sync += [
                        held.eq(1),
                        offered.eq(piece),
                        offered.data.eq(found),
                        offered.count.eq(Mux(found_ok, 4, 0)),
                        offers_name.eq(found_ok),
                        gives_up.eq(~found_ok),
                    ]
                    m.next = "WORD"

            # The name table is owed the end of a name: it gets one that no document can have, and loses it again.
            with m.State("CLOSE"):
                m.d.comb += [self.o_request.valid.eq(1), request.op.eq(NameOp.PIN), request.count.eq(1), request.last.eq(1)]
                m.d.sync += opened.eq(0)
                with m.If(self.o_request.ready):
                    m.next = "CLOSED"
            with m.State("CLOSED"):
                m.d.comb += self.i_response.ready.eq(1)
                m.d.sync += found.eq(response.name)
                with m.If(self.i_response.valid):
                    m.next = "WORD"
                    with m.If(response.ok):
                        m.next = "DROP"
            with m.State("DROP"):
                m.d.comb += [
                    self.o_request.valid.eq(1),
                    request.op.eq(NameOp.UNPIN),
                    request.last.eq(1),
                    request.name.eq(Mux(found == 0, config.names, found)),
                ]
                with m.If(self.o_request.ready):
                    m.next = "WORD"
        return m
