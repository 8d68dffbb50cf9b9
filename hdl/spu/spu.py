"""The subscription processing unit: frames to registrations [T 5.3.2, T-Fig 5.4]."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.program import CrtResponse, RegistrationCommand, TextByte
from hdl.shapes.publication import DocumentWord
from hdl.shapes.subscription import SmtEntry, SubscriptionResult
from hdl.shapes.widths import ShortCount, tsid_width
from hdl.spu.mapper import HEADER_WORDS, Mapper
from hdl.spu.registrar import Registrar
from hdl.spu.smt import SubscriptionMappingTable
from hdl.spu.store import SubscriptionStore

__all__ = ["Spu"]


class Spu(wiring.Component):
    """Takes subscription frames in, maps them to t-SIDs, and has the CRT register them.

    Four frames are under way at once: one is being loaded into the double buffer, one is inspected, mapped and sent to the XPath processor
    from there, one waits, and one is being registered by the CRT. A frame of n words and b bytes of text takes n + 1 clocks to load, 19
    and b, or 6 if that is more, to inspect and send when its chain in the SMT is empty, and 4 besides the CRT's own time to
    register; the longest of these is what frames cost one after the other.

    **Refusals**, in this order: BAD_HEADER; EMPTY and TEXT_LENGTH by the length of the body; DUPLICATE_SID or, for UNSUBSCRIBE,
    UNKNOWN_SID; the code of the XPath processor; FULL_SUBSCRIPTIONS; then the CRT's own code. A refused frame leaves nothing behind.
    Frames take effect in the order in which they come: whatever depends on one that is still being registered waits for its outcome. Every
    frame gets exactly one result, in order.

    **Store.** Accepted frames can be read out again through ``i_fetch`` as :class:`hdl.spu.store.SubscriptionStore` says; when the store
    is full the oldest one is dropped and counted, its subscription stays registered.

    Parameters
    ----------
    config : BrokerConfig
    store_words : int or None
        Words of the store, a power of two; by default 4 for each subscription, and at least two of the longest frames.

    Members
    -------
    i : In(stream.Signature(DocumentWord))
        Frames, a packet each: :class:`hdl.contract.Header` and the body. Frames of any length are taken.
    clear, cleared : In(1), Out(1)
        Removes every subscription, between two frames: held at 1 until, for one clock, ``cleared`` says that it is done. No result.
    o_text : Out(stream.Signature(TextByte))
        XPath texts, for the XPath processor; its programs go to the CRT, one for each REGISTER, in order.
    o_command : Out(stream.Signature(RegistrationCommand(config)))
    i_response : In(stream.Signature(CrtResponse))
        Requests to the CRT and its answers, one at a time.
    o_result : Out(stream.Signature(SubscriptionResult(config)))
    i_lookup, o_lookup : In(stream), Out(stream)
        Reads the SMT: a t-SID gives its :class:`hdl.shapes.subscription.SmtEntry`. An entry is there before the CRT hears of its t-SID,
        and stays until the t-SID is given to another subscription.
    hold : In(1)
        While 1, no t-SID that was used before is given out again, so that matches still on their way find the entry that matched.
    i_fetch, o_fetch : In(stream), Out(stream)
        A t-SID gives its raw frame, or a single word with count 0 when the store has none.
    registered, accepted, cancelled, refused, dropped : Out
        Subscriptions registered now; short counts of subscriptions accepted, cancelled and refused (any frame) and of raw frames dropped.
    """

    def __init__(self, config, *, store_words=None):
        longest = HEADER_WORDS + (config.xpath_bytes + 3) // 4
        if store_words is None:
            store_words = 1 << (max(4 * config.subscriptions, 2 * (longest + 1)) - 1).bit_length()
        if store_words & (store_words - 1) or store_words < 2 * (longest + 1):
            raise ValueError(f"store_words must be a power of two of at least {2 * (longest + 1)}, not {store_words!r}")
        self._config = config
        self._longest = longest
        self._store_words = store_words
        tsid = tsid_width(config)
        super().__init__(
            {
                "i": In(stream.Signature(DocumentWord)),
                "clear": In(1),
                "cleared": Out(1),
                "o_text": Out(stream.Signature(TextByte)),
                "o_command": Out(stream.Signature(RegistrationCommand(config))),
                "i_response": In(stream.Signature(CrtResponse)),
                "o_result": Out(stream.Signature(SubscriptionResult(config))),
                "i_lookup": In(stream.Signature(tsid)),
                "o_lookup": Out(stream.Signature(SmtEntry)),
                "hold": In(1),
                "i_fetch": In(stream.Signature(tsid)),
                "o_fetch": Out(stream.Signature(DocumentWord)),
                "registered": Out(tsid),
                "accepted": Out(ShortCount),
                "cancelled": Out(ShortCount),
                "refused": Out(ShortCount),
                "dropped": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, depth = self._config, self._store_words
        m.submodules.mapper = mapper = Mapper(config, longest=self._longest, depth=depth)
        m.submodules.registrar = registrar = Registrar(config, depth=depth)
        m.submodules.smt = smt = SubscriptionMappingTable(config)
        m.submodules.store = store = SubscriptionStore(config, depth=depth)

        def join(*pairs):
            for source, sink in pairs:
                wiring.connect(m, source, sink)

        join(
            (wiring.flipped(self.i), mapper.i),
            (mapper.o_text, wiring.flipped(self.o_text)),
            (mapper.o_task, registrar.i_task),
            (mapper.o_room, store.i_room),
            (registrar.o_index, store.i_index),
            (registrar.o_command, wiring.flipped(self.o_command)),
            (wiring.flipped(self.i_response), registrar.i_response),
            (registrar.o_result, wiring.flipped(self.o_result)),
            (wiring.flipped(self.i_lookup), smt.i_read),
            (smt.o_read, wiring.flipped(self.o_lookup)),
            (wiring.flipped(self.i_fetch), store.i_fetch),
            (store.o_fetch, wiring.flipped(self.o_fetch)),
        )

        # The SMT serves both; a rollback goes before the next mapping.
        rolling = Signal()
        turn = Signal()
        m.d.comb += [
            rolling.eq(registrar.o_request.valid),
            smt.i.valid.eq(rolling | mapper.o_request.valid),
            smt.i.payload.eq(mapper.o_request.payload),
            registrar.o_request.ready.eq(smt.i.ready),
            mapper.o_request.ready.eq(smt.i.ready & ~rolling),
            registrar.answered.eq(smt.o_valid & turn),
            mapper.answered.eq(smt.o_valid & ~turn),
            mapper.answer.eq(smt.o),
            smt.hold.eq(self.hold),
        ]
        with m.If(rolling):
            m.d.comb += [smt.i.payload.op.eq(registrar.o_request.payload.op), smt.i.payload.tsid.eq(registrar.o_request.payload.tsid)]
        with m.If(smt.i.ready):
            m.d.sync += turn.eq(rolling)

        m.d.comb += [
            mapper.clear.eq(self.clear),
            self.cleared.eq(mapper.cleared),
            mapper.busy.eq(registrar.busy),
            mapper.busy_tsid.eq(registrar.tsid),
            mapper.first.eq(store.first),
            store.write.eq(mapper.write),
            store.offset.eq(mapper.offset),
            store.word.eq(mapper.word),
            self.registered.eq(smt.used),
            self.accepted.eq(registrar.accepted),
            self.cancelled.eq(registrar.cancelled),
            self.refused.eq(registrar.refused),
            self.dropped.eq(store.dropped),
        ]
        return m
