"""The broker: its units, connected [T 5.3, T-Fig 5.2]."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.config import BrokerConfig
from hdl.contract import COUNTERS, register
from hdl.crt import ContentRoutingTable
from hdl.match import MatchingEngine
from hdl.names import NameTable, PinPort, SkeletonLoader
from hdl.npu import Npu
from hdl.program import ProgramGuard
from hdl.publication import BeatGuard, PublicationStore
from hdl.scbxp.beats import ParsedToMatch
from hdl.scbxp.parser import Scbxp
from hdl.shapes.names import NameRequest
from hdl.shapes.program import TextByte
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.subscription import SubscriptionResult
from hdl.shapes.widths import tsid_width
from hdl.spu import RegistrationInterlock, Spu
from hdl.stream import Register, StreamFifo
from hdl.tally import Tally
from hdl.xpath import XPathProcessor

__all__ = ["Broker"]


class Broker(wiring.Component):
    """Subscriptions in, publications in, notifications out; everything runs at the same time.

    A publication is matched against exactly the subscriptions that were registered when its first word was taken: each subscription frame
    that is accepted has one clock, after its last word and before its result, from which on it counts. Each publication gives one word on
    ``verdict`` and, if it is well-formed, one notification per matching subscription; each subscription frame gives one word on
    ``result``. All of them come in order.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    publication : In(stream.Signature(DocumentWord))
        XML documents, a packet each.
    subscription : In(stream.Signature(DocumentWord))
        SUBSCRIBE and UNSUBSCRIBE frames, a packet each.
    skeleton : In(stream.Signature(DocumentWord))
        Names for the parser to know beforehand, a packet each, see :class:`hdl.names.SkeletonLoader`.
    clear, cleared : In(1), Out(1)
        Removes every subscription: held at 1 until, for one clock, ``cleared`` says that it is done.
    verdict : Out(stream.Signature(Outcome(config)))
    result : Out(stream.Signature(SubscriptionResult(config)))
    notification : Out(stream.Signature(DocumentWord)), one per link
        NOTIFY frames, a packet each, see :class:`hdl.npu.Npu`.
    registered, steps_used : Out
        Subscriptions held, and the steps and tests that they take, common ones counted once.
    full, hcd : Out(1)
        The latest subscription was refused for want of room [T-Fig 5.17]; some name has a high commonality degree [T 5.3.3.4].
    counter, count : In, Out(32)
        The counter that has this place among :data:`hdl.contract.COUNTERS`, from ``accepted`` to ``notified``, in the same clock. What
        has happened is counted 20 clocks later at the latest.
    """

    def __init__(self, config: BrokerConfig):
        self._config = config
        links, word = config.links, stream.Signature(DocumentWord)
        super().__init__(
            {
                "publication": In(word),
                "subscription": In(word),
                "skeleton": In(word),
                "clear": In(1),
                "cleared": Out(1),
                "verdict": Out(stream.Signature(Outcome(config))),
                "result": Out(stream.Signature(SubscriptionResult(config))),
                "notification": Out(word).array(links),
                "registered": Out(tsid_width(config)),
                "steps_used": Out(range(config.steps + 1)),
                "full": Out(1),
                "hcd": Out(1),
                "counter": In(range(len(COUNTERS))),
                "count": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        m.submodules.publications = publications = PublicationStore(config)
        m.submodules.scbxp = scbxp = Scbxp(config)
        m.submodules.beats = beats = ParsedToMatch(config)
        m.submodules.guard = guard = BeatGuard(config)
        m.submodules.skeleton = skeleton = SkeletonLoader(config)
        m.submodules.pins = pins = PinPort(config)
        m.submodules.names = names = NameTable(config)
        m.submodules.spu = spu = Spu(config)
        m.submodules.xpath = xpath = XPathProcessor(config)
        m.submodules.programs = programs = ProgramGuard(config)
        m.submodules.crt = crt = ContentRoutingTable(config)
        m.submodules.engine = engine = MatchingEngine(config)
        m.submodules.interlock = interlock = RegistrationInterlock(config)
        m.submodules.npu = npu = Npu(config)
        m.submodules.tally = tally = Tally()
        # Nothing goes through two units without a register.
        m.submodules.texts = texts = Register(TextByte)
        m.submodules.lookups = lookups = StreamFifo(tsid_width(config), Npu.LOOKUPS + 1, promised=True, direct=True)
        m.submodules.lookup = lookup = Register(tsid_width(config))
        m.submodules.name_requests = requests = Register(NameRequest(config))

        for source, sink in (
            (wiring.flipped(self.publication), publications.i),
            (publications.o, scbxp.i),
            (publications.held, scbxp.held),
            (publications.current, npu.publication),
            (publications.retention, interlock.retention),
            (scbxp.o, beats.i),
            (beats.o, guard.i),
            (guard.o, engine.i),
            (scbxp.verdict, npu.i_verdict),
            (engine.o, npu.i_matched),
            (npu.o_outcome, wiring.flipped(self.verdict)),
            (wiring.flipped(self.subscription), spu.i),
            (spu.o_text, texts.i),
            (texts.o, xpath.i),
            (xpath.o, programs.i),
            (programs.o, crt.program),
            (spu.o_command, interlock.i_command),
            (interlock.o_command, crt.command),
            (crt.response, interlock.i_response),
            (interlock.o_response, spu.i_response),
            (spu.o_result, wiring.flipped(self.result)),
            (wiring.flipped(self.skeleton), skeleton.i),
            (crt.name_request, pins.i),
            (pins.o_response, crt.name_response),
            (pins.o, skeleton.i_request),
            (skeleton.o_response, pins.i_response),
            (skeleton.o_request, requests.i),
            (requests.o, names.request),
            (names.response, skeleton.i_response),
            (scbxp.lookup, names.lookup),
            (crt.view, engine.view),
            (npu.o_lookup, lookups.i),
            (lookups.o, lookup.i),
            (lookup.o, spu.i_lookup),
            (spu.o_lookup, npu.i_lookup),
            (scbxp.nodes, npu.nodes),
            (engine.selected, npu.i_selected),
            (engine.log, npu.log),
            (interlock.select, engine.select),
            (interlock.attributes, npu.attributes),
            *((npu.o[link], wiring.flipped(self.notification[link])) for link in range(config.links)),
        ):
            wiring.connect(m, source, sink)

        m.d.comb += [
            crt.begun.eq(publications.retention.begun),
            spu.hold.eq(npu.hold),
            spu.clear.eq(self.clear),
            self.cleared.eq(spu.cleared),
        ]
        for unit, names in (
            (spu, ("registered",)),
            (crt, ("steps_used", "full", "hcd")),
        ):
            for name in names:
                m.d.comb += getattr(self, name).eq(getattr(unit, name))

        # What is counted, where the low bits of its register's offset say.
        counts = {name: [getattr(spu, name)] for name in ("accepted", "cancelled", "refused", "dropped")}
        counts |= {"pinned": [skeleton.pinned], "unpinned": [skeleton.unpinned], "forgotten": [scbxp.forgotten]}
        counts |= {"verdicts": list(scbxp.verdicts), "notified": list(npu.notified), "without_content": [npu.without_content]}
        for name, found in counts.items():
            for place, count in enumerate(found, register(name).offset):
                m.d.comb += tally.counts[place % len(tally.counts)].eq(count)
        m.d.comb += [tally.place.eq(self.counter), self.count.eq(tally.count)]
        return m
