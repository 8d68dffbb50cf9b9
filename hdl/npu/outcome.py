"""How a publication ended: the parser's verdict and the matching engine's word on it, joined."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Code, Verdict
from hdl.shapes.notification import MatchedWord
from hdl.shapes.publication import Outcome, VerdictWord
from hdl.stream import StreamFifo

__all__ = ["OutcomeJoin"]

_VERDICTS = 16


class OutcomeJoin(wiring.Component):
    """Lets t-SIDs pass and joins the end of each matched set with the verdict of its document.

    A document in which a value compared as a number has too many digits is over limit, which only the matching engine can know.
    Its offset is then the document's length. Up to 16 verdicts wait for their matched sets. An outcome is given every second clock at most.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i_verdict : In(stream.Signature(VerdictWord))
    i_matched : In(stream.Signature(MatchedWord(config)))
    o_length : Out(stream.Signature(32))
        Bytes of each document, as soon as its verdict comes.
    o_matched : Out(stream.Signature(MatchedWord(config)))
        The words of ``i_matched``.
    o_outcome : Out(stream.Signature(Outcome(config)))
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i_verdict": In(stream.Signature(VerdictWord)),
                "i_matched": In(stream.Signature(MatchedWord(config))),
                "o_length": Out(stream.Signature(32)),
                "o_matched": Out(stream.Signature(MatchedWord(config))),
                "o_outcome": Out(stream.Signature(Outcome(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.verdicts = verdicts = StreamFifo(VerdictWord, _VERDICTS)
        m.submodules.lengths = lengths = StreamFifo(32, _VERDICTS)
        wiring.connect(m, lengths.o, wiring.flipped(self.o_length))

        # A verdict goes into both queues at once.
        takes = Signal()
        m.d.comb += [
            takes.eq(verdicts.i.ready & lengths.i.ready),
            self.i_verdict.ready.eq(takes),
            verdicts.i.valid.eq(self.i_verdict.valid & takes),
            lengths.i.valid.eq(self.i_verdict.valid & takes),
            verdicts.i.payload.eq(self.i_verdict.payload),
            lengths.i.payload.eq(self.i_verdict.payload.bytes),
        ]

        # The end of a matched set leaves together with the outcome.
        word = self.i_matched.payload
        verdict = verdicts.o.payload
        free = Signal()
        joins, joined = Signal(), Signal()
        m.d.sync += joined.eq(joins)
        m.d.comb += [
            free.eq(verdicts.o.valid & ~self.o_outcome.valid),
            self.o_matched.payload.eq(word),
            self.o_matched.valid.eq(self.i_matched.valid & (~word.end | free)),
            self.i_matched.ready.eq(self.o_matched.ready & (~word.end | free)),
            joins.eq(self.i_matched.valid & self.i_matched.ready & word.end),
            verdicts.o.ready.eq(joined),
        ]
        with m.If(self.o_outcome.ready):
            m.d.sync += self.o_outcome.valid.eq(0)
        with m.If(joins):
            m.d.sync += [
                self.o_outcome.valid.eq(1),
                self.o_outcome.payload.verdict.eq(verdict),
                self.o_outcome.payload.matches.eq(word.count),
            ]
            with m.If(word.over & (verdict.verdict == Verdict.WELL_FORMED)):
                m.d.sync += [
                    self.o_outcome.payload.verdict.verdict.eq(Verdict.OVER_LIMIT),
                    self.o_outcome.payload.verdict.code.eq(Code.NUMBER_DIGITS),
                    self.o_outcome.payload.verdict.offset.eq(verdict.bytes),
                ]
        return m
