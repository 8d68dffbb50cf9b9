"""From matched t-SIDs to jobs for the links [T-Fig 5.16]."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Semantics
from hdl.npu.jobs import Job
from hdl.shapes.notification import MatchedWord, SelectedDocument
from hdl.shapes.subscription import SmtEntry
from hdl.shapes.widths import LinkNumber, ShortCount, log_width, step_width, tsid_width
from hdl.stream import StreamFifo

__all__ = ["Dispatcher"]


class Dispatcher(wiring.Component):
    """Reads the SMT entry of each matched t-SID and gives the notification to its link, one a clock as long as the SMT and the links
    follow.

    A publication is left only when every body of it has been read, so that it may be overwritten then.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i_length : In(stream.Signature(32))
        Bytes of each publication.
    i_selected : In(stream.Signature(SelectedDocument(config)))
        The entries of each publication in the selection log.
    i_matched : In(stream.Signature(MatchedWord(config)))
    o_lookup, i_lookup : Out(stream), In(stream)
        A t-SID to the SMT, and its entry.
    attribute : In(1)
        The subscription of the t-SID on ``o_lookup`` two clocks earlier selects attributes.
    o_job : Out(stream.Signature(Job(config)))
    done : In(links)
        By link: a body has been read.
    held, ready : In(1)
        Those of the keeper.
    advance : Out(1)
        The publication has been notified.
    length : Out(32)
        Bytes of the current publication.
    begin, end, sorted : Out
        Its part of the selection log.
    busy : Out(1)
        A t-SID has been taken whose entry has not been read yet.
    notified : Out(ShortCount), one per link
    without_content : Out(ShortCount)
        Notifications so far, and those among them that had to go without the content asked for.
    """

    LOOKUPS = 15
    """Look-ups under way at once."""

    def __init__(self, config):
        self._config = config
        links = config.links
        super().__init__(
            {
                "i_length": In(stream.Signature(32)),
                "i_selected": In(stream.Signature(SelectedDocument(config))),
                "i_matched": In(stream.Signature(MatchedWord(config))),
                "o_lookup": Out(stream.Signature(tsid_width(config))),
                "i_lookup": In(stream.Signature(SmtEntry)),
                "attribute": In(1),
                "o_job": Out(stream.Signature(Job(config))),
                "done": In(links),
                "held": In(1),
                "ready": In(1),
                "advance": Out(1),
                "length": Out(32),
                "begin": Out(log_width(config) + 1),
                "end": Out(log_width(config) + 1),
                "sorted": Out(1),
                "busy": Out(1),
                "notified": Out(ShortCount).array(links),
                "without_content": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        word = self.i_matched.payload
        entry = self.i_lookup.payload
        number = Signal(16)
        bodies = Signal(tsid_width(self._config) + 1)
        body = Signal()
        sends = Signal()
        whole, good = Signal(), Signal()
        selected = Signal()
        m.d.comb += [
            selected.eq(entry.content == Content.SELECTED),
            body.eq(((entry.content == Content.WHOLE) | (selected & whole & (entry.semantics == Semantics.EXACT))) & self.held),
        ]
        done = Signal(self._config.links)
        finished = sum(done[link] for link in range(self._config.links))
        drained = Signal()
        m.d.sync += done.eq(self.done)
        # What was sent is counted a clock later.
        sent = Signal(data.StructLayout({"valid": 1, "body": 1, "short": 1, "link": LinkNumber}))
        m.d.sync += [
            sent.valid.eq(sends),
            sent.body.eq(sends & body),
            sent.short.eq(sends & (entry.content != Content.HEADER) & ~body),
            sent.link.eq(entry.link),
        ]
        m.d.sync += bodies.eq(bodies + sent.body - finished)

        # Entries go to their links as they come.
        taking = Signal()
        open_lookups = Signal(range(self.LOOKUPS + 1))
        m.d.sync += open_lookups.eq(open_lookups + taking - sent.valid)
        m.d.comb += [self.busy.eq(open_lookups != 0), self.o_lookup.payload.eq(word.tsid)]
        # Known a clock late.
        room = Signal()
        m.d.sync += room.eq((open_lookups < self.LOOKUPS - 1) | ~good)
        m.d.sync += drained.eq((open_lookups == 0) & (bodies == 0))
        # What selects the nodes waits beside the look-up, from the clock on in which it is known whether these are attributes.
        selector = data.StructLayout({"step": step_width(self._config), "attribute": 1})
        m.submodules.selectors = selectors = StreamFifo(selector, self.LOOKUPS + 1)
        taken = Signal(2)
        steps = [Signal(step_width(self._config), name=f"step{n}") for n in range(2)]
        m.d.sync += [taken.eq(Cat(taking, taken)), steps[0].eq(word.step), steps[1].eq(steps[0])]
        m.d.comb += [
            selectors.i.valid.eq(taken[1]),
            selectors.i.payload.step.eq(steps[1]),
            selectors.i.payload.attribute.eq(self.attribute),
            selectors.o.ready.eq(sends),
        ]
        job = self.o_job
        m.d.comb += [
            job.payload.entry.eq(entry),
            job.payload.number.eq(number),
            job.payload.body.eq(body),
            job.payload.selected.eq(selected),
            job.payload.step.eq(selectors.o.payload.step),
            job.payload.attribute.eq(selectors.o.payload.attribute),
            job.valid.eq(self.i_lookup.valid & selectors.o.valid),
            self.i_lookup.ready.eq(job.ready & selectors.o.valid),
        ]
        for link in range(self._config.links):
            with m.If(sent.valid & (sent.link == link)):
                m.d.sync += self.notified[link].eq(self.notified[link] + 1)
        m.d.comb += sends.eq(self.i_lookup.valid & self.i_lookup.ready)
        with m.If(sent.short):
            m.d.sync += self.without_content.eq(self.without_content + 1)

        m.d.sync += self.advance.eq(0)
        with m.FSM():
            # Waits for the verdict and the selected nodes of the next publication, and until it is known whether that is held.
            with m.State("BEGIN"):
                entries = self.i_selected.payload
                begins = Signal()
                m.d.comb += [
                    begins.eq(self.i_length.valid & self.i_selected.valid & self.ready),
                    self.i_length.ready.eq(begins),
                    self.i_selected.ready.eq(begins),
                ]
                m.d.sync += [self.length.eq(self.i_length.payload), self.end.eq(entries.end), self.sorted.eq(entries.sorted)]
                m.d.sync += [whole.eq(entries.whole if self._config.selected else 0), good.eq(entries.good)]
                with m.If(begins):
                    m.next = "TAKE"

            # Takes t-SIDs, which the SMT looks up, and the end, as long as there is room; those of a bad document are dropped.
            with m.State("TAKE"):
                m.d.comb += [
                    self.o_lookup.valid.eq(self.i_matched.valid & ~word.end & good & room),
                    self.i_matched.ready.eq(self.o_lookup.ready & room),
                    taking.eq(self.o_lookup.valid & self.o_lookup.ready),
                ]
                with m.If(self.i_matched.valid & self.i_matched.ready & word.end):
                    m.next = "SETTLE"

            # Waits until the publication's bytes are not needed any more.
            with m.State("SETTLE"):
                with m.If(drained & self.ready):
                    m.d.sync += [self.advance.eq(1), number.eq(number + 1), self.begin.eq(self.end)]
                    m.next = "LEAVE"
            with m.State("LEAVE"):
                m.next = "BEGIN"
        return m
