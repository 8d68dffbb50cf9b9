"""Results and verdicts as the contract's frames."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Header, Kind, VerdictBody
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.subscription import SubscriptionResult

__all__ = ["ResultFramer", "VerdictFramer", "swapped"]


def swapped(value):
    """A number's bytes, most significant first, as they lie in a word."""
    return Cat(value[at : at + 8] for at in reversed(range(0, len(value), 8)))


def _words(m, o, words, *, valid, done):
    """Offer the words one after the other while ``valid`` is 1; ``done`` says that the last is taken."""
    index = Signal(range(len(words)))
    with m.Switch(index):
        for number, word in enumerate(words):
            with m.Case(number):
                m.d.comb += [o.payload.data.eq(word), o.payload.count.eq(4)]
    last = index == len(words) - 1
    m.d.comb += [o.valid.eq(valid), o.payload.last.eq(last), done.eq(valid & o.ready & last)]
    with m.If(valid & o.ready):
        m.d.sync += index.eq(Mux(last, 0, index + 1))


class ResultFramer(wiring.Component):
    """Each result as a RESULT frame of five words, one a clock. The result is taken with its last word.

    Members
    -------
    i : In(stream.Signature(SubscriptionResult(config)))
    o : Out(stream.Signature(DocumentWord))
    """

    def __init__(self, config):
        super().__init__({"i": In(stream.Signature(SubscriptionResult(config))), "o": Out(stream.Signature(DocumentWord))})

    def elaborate(self, platform):
        m = Module()
        result = self.i.payload
        words = [
            Cat(Const(Kind.RESULT, 8), Const(0, 4), result.link, Const(0, 8), result.refusal),
            result.key.osid[:32],
            result.key.osid[32:],
            result.key.reference,
            Const(0, 32),
        ]
        assert len(words) * 4 == Header.BYTES
        _words(m, self.o, words, valid=self.i.valid, done=self.i.ready)
        return m


class VerdictFramer(wiring.Component):
    """Each outcome as a VERDICT frame of eight words, one a clock, with the reference given for it.

    Members
    -------
    i : In(stream.Signature(Outcome(config)))
    i_reference : In(stream.Signature(32))
        One for each outcome, as a number.
    o : Out(stream.Signature(DocumentWord))
    """

    def __init__(self, config):
        super().__init__(
            {
                "i": In(stream.Signature(Outcome(config))),
                "i_reference": In(stream.Signature(32)),
                "o": Out(stream.Signature(DocumentWord)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        outcome = self.i.payload
        verdict = outcome.verdict
        matches = Signal(32)
        done = Signal()
        m.d.comb += matches.eq(outcome.matches)
        words = [
            Cat(Const(Kind.VERDICT, 8), Const(0, 8), verdict.verdict, Const(0, 6), verdict.code),
            Const(0, 32),
            Const(0, 32),
            swapped(self.i_reference.payload),
            swapped(Const(VerdictBody.BYTES, 32)),
            swapped(verdict.offset),
            swapped(verdict.bytes),
            swapped(matches),
        ]
        _words(m, self.o, words, valid=self.i.valid & self.i_reference.valid, done=done)
        m.d.comb += [self.i.ready.eq(done), self.i_reference.ready.eq(done)]
        return m
