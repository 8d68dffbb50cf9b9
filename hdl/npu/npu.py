"""The notification processing unit as a whole [T 5.3.4, T-Fig 5.16]."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.npu.bodies import BodyReader
from hdl.npu.dispatcher import Dispatcher
from hdl.npu.finder import NodeFinder
from hdl.npu.jobs import JobQueues
from hdl.npu.link import LinkSender
from hdl.npu.outcome import OutcomeJoin
from hdl.shapes.notification import AttributeQuery, MatchedWord, SelectedDocument, SelectionLogPort
from hdl.shapes.publication import CurrentPublication, DocumentWord, NodeSpan, Outcome, VerdictWord
from hdl.shapes.subscription import SmtEntry
from hdl.shapes.widths import ShortCount, node_width, tsid_width
from hdl.stream import Register, StreamFifo, counted

__all__ = ["Npu"]

_DOCUMENTS = 17
"""One is offered, the others fill a memory of 16 places. When it is full the selection log waits, and the matching engine with it."""


class Npu(wiring.Component):
    """Notifies each subscription in a document's matched set, on the link that its entry names.

    Every t-SID of a matched set becomes exactly one NOTIFY frame (:class:`hdl.contract.Header`): o-SID, reference and link of its
    SMT entry, and in ``aux`` the number of the publication, counted from 0 at reset and modulo 65536, those with a bad verdict
    included. Links are served at the same time, each from a queue of its own with room for six notifications; a link that is not read
    holds up the others only when its queue is full, and then matching waits: nothing is lost. A matched set of any size
    leaves the matching engine without waiting for the links as long as there is room for ``config.subscriptions`` t-SIDs.

    **Content.** HEADER sends no body. WHOLE sends the publication, read from the X-RAM; one that is not held there is notified without
    a body. SELECTED sends the bytes of the nodes that the subscription selects, one after the other in the order of the document; it
    goes without a body where WHOLE would, where the publication's selected nodes did not all fit the selection log, and for a
    subscription with containment semantics, which selects no nodes. The content field of a frame says what it carries, and
    ``without_content`` counts the notifications that carry less than was asked for.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i_verdict : In(stream.Signature(VerdictWord))
    i_matched : In(stream.Signature(MatchedWord(config)))
        One verdict and one matched set per document; the t-SIDs of one that ends badly are dropped.
    i_selected : In(stream.Signature(SelectedDocument(config)))
        One per document, before its matched set.
    o_outcome : Out(stream.Signature(Outcome(config)))
        One per document, when its matched set is complete.
    o_lookup, i_lookup : Out(stream), In(stream)
        The SMT's entries by t-SID; at most :attr:`LOOKUPS` t-SIDs are on their way there and back.
    attributes : In(AttributeQuery(config))
        Whether the subscription whose t-SID is on ``o_lookup`` selects attributes.
    hold : Out(1)
        T-SIDs of publications that have ended wait whose entries have not been read yet.
    o : Out(stream.Signature(DocumentWord)), one per link
        Frames, a packet each.
    publication : In(CurrentPublication(config))
        The bytes of the publication that is being notified.
    nodes : In(memory.ReadPort.Signature(...))
        Where nodes lie in the X-RAM.
    log : In(SelectionLogPort(config))
        The selection log, and where those of its entries begin that are still needed.
    notified : Out(ShortCount), one per link
    without_content : Out(ShortCount)
    """

    LOOKUPS = Dispatcher.LOOKUPS

    def __init__(self, config):
        self._config = config
        links, tsid = config.links, tsid_width(config)
        super().__init__(
            {
                "i_verdict": In(stream.Signature(VerdictWord)),
                "i_matched": In(stream.Signature(MatchedWord(config))),
                "i_selected": In(stream.Signature(SelectedDocument(config))),
                "o_outcome": Out(stream.Signature(Outcome(config))),
                "o_lookup": Out(stream.Signature(tsid)),
                "i_lookup": In(stream.Signature(SmtEntry)),
                "attributes": In(AttributeQuery(config)),
                "hold": Out(1),
                "o": Out(stream.Signature(DocumentWord)).array(links),
                "publication": In(CurrentPublication(config)),
                "nodes": In(memory.ReadPort.Signature(addr_width=node_width(config), shape=NodeSpan(config))),
                "log": In(SelectionLogPort(config)),
                "notified": Out(ShortCount).array(links),
                "without_content": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, links = self._config, self._config.links
        m.submodules.inlet = inlet = Register(MatchedWord(config))
        m.submodules.join = join = OutcomeJoin(config)
        m.submodules.matched = matched = StreamFifo(MatchedWord(config), 1 << tsid_width(config))
        m.submodules.dispatcher = dispatcher = Dispatcher(config)
        m.submodules.jobs = jobs = JobQueues(config)
        m.submodules.documents = documents = StreamFifo(SelectedDocument(config), _DOCUMENTS)
        m.submodules.finder = finder = NodeFinder(config)
        m.submodules.bodies = bodies = BodyReader(config)
        senders = []
        for link in range(links):
            sender = LinkSender(config)
            m.submodules[f"sender{link}"] = sender
            senders.append(sender)

        for source, sink in (
            (wiring.flipped(self.i_verdict), join.i_verdict),
            (wiring.flipped(self.i_matched), inlet.i),
            (inlet.o, join.i_matched),
            (join.o_outcome, wiring.flipped(self.o_outcome)),
            (join.o_matched, matched.i),
            (join.o_length, dispatcher.i_length),
            (wiring.flipped(self.i_selected), documents.i),
            (documents.o, dispatcher.i_selected),
            (matched.o, dispatcher.i_matched),
            (dispatcher.o_lookup, wiring.flipped(self.o_lookup)),
            (wiring.flipped(self.i_lookup), dispatcher.i_lookup),
            (dispatcher.o_job, jobs.i),
            *((jobs.o[link], senders[link].i) for link in range(links)),
            *((senders[link].o, wiring.flipped(self.o[link])) for link in range(links)),
            (wiring.flipped(self.publication.read), bodies.xram),
            (wiring.flipped(self.nodes), finder.spans),
            (wiring.flipped(self.log.read), finder.log),
        ):
            wiring.connect(m, source, sink)

        # Entries are given up between documents: only t-SIDs of those that have ended count.
        ended = Signal(range((1 << tsid_width(config)) + 3))
        comes = self.i_matched.valid & self.i_matched.ready & self.i_matched.payload.end
        goes = Signal()
        m.d.sync += goes.eq(matched.o.valid & matched.o.ready & matched.o.payload.end)
        m.d.sync += ended.eq(counted(ended, comes, goes))
        words = Signal(32)
        m.d.sync += words.eq(Mux(dispatcher.length == 0, 1, (dispatcher.length + 3)[2:]))
        m.d.comb += [
            self.hold.eq((ended != 0) | dispatcher.busy),
            self.publication.advance.eq(dispatcher.advance),
            self.publication.words.eq(words),
            dispatcher.held.eq(self.publication.held),
            dispatcher.ready.eq(self.publication.ready),
            self.without_content.eq(dispatcher.without_content),
            self.attributes.tsid.eq(dispatcher.o_lookup.payload),
            dispatcher.attribute.eq(self.attributes.attribute),
            self.log.begin.eq(dispatcher.begin),
            finder.begin.eq(dispatcher.begin),
            finder.end.eq(dispatcher.end),
            finder.sorted.eq(dispatcher.sorted),
            finder.base.eq(self.publication.start),
            finder.length.eq(dispatcher.length),
            bodies.found.eq(finder.found),
            bodies.span.eq(finder.span),
        ]
        for link, sender in enumerate(senders):
            search = finder.search[link]
            m.d.comb += [
                finder.asks[link].eq(sender.asks | bodies.asks[link]),
                search.whole.eq(~sender.i.payload.selected if config.selected else 1),
                search.step.eq(sender.i.payload.step),
                search.attribute.eq(sender.i.payload.attribute),
                sender.measured.eq(finder.measured[link]),
                sender.total.eq(finder.total),
                bodies.begin[link].eq(sender.begin),
                bodies.room[link].eq(sender.room),
                sender.granted.eq(bodies.granted[link]),
                sender.idle.eq(bodies.idle[link]),
                sender.word_valid.eq(bodies.put[link]),
                sender.word.eq(bodies.word),
                dispatcher.done[link].eq(sender.done),
                self.notified[link].eq(dispatcher.notified[link]),
            ]
        return m
