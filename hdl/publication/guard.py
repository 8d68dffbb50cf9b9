"""What every front end must keep to, behind all of them."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.publication import MatchBeat, WordType

__all__ = ["BeatGuard"]


class BeatGuard(wiring.Component):
    """Ends a publication whose beats the matching engine could not follow.

    Beats pass in the same clock. The first one that breaks a rule of :class:`hdl.shapes.publication.MatchBeat`, or opens more elements than
    the limit, becomes the publication's ``done``, without ``good``; what comes of the publication after that is dropped, its own ``done``
    included, and the next one is unharmed. The verdict is the front end's: it must not call such a publication well-formed.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i, o : ``In(stream.Signature(MatchBeat(config)))``, ``Out(stream.Signature(MatchBeat(config)))``
    broken : ``Out(1)``
        A publication is ended by the beat that is offered.
    """

    def __init__(self, config):
        self._config = config
        beats = stream.Signature(MatchBeat(config))
        super().__init__({"i": In(beats), "o": Out(beats), "broken": Out(1)})

    def elaborate(self, platform):
        m = Module()
        given, text, mark = self.i.payload, self.i.payload.text, self.i.payload.mark
        element, attribute, value, end = (
            mark.valid & (mark.type == kind) for kind in (WordType.ELEMENT, WordType.ATTRIBUTE, WordType.VALUE, WordType.END)
        )
        # The elements open; whether a start tag is, and its latest attribute waits for the end of its value; whether a name or value, of
        # which kind, and a text node go on with the next word.
        level, full, empty = Signal(range(self._config.depth + 1)), Signal(), Signal(init=1)
        in_tag, owes_value = Signal(), Signal()
        inside, kind, texting = Signal(), Signal(WordType), Signal()
        continues = inside & (mark.type == kind)
        begins_well = ~inside & ~in_tag & (~texting | text.valid)
        rules = (
            ~text.valid | (~inside & ~in_tag & ~empty & (~mark.valid | text.last)),
            ~mark.valid | (mark.type != WordType.TEXT),
            ~element | continues | (begins_well & ~full),
            ~attribute | ((continues | (~inside & in_tag & ~owes_value)) & ~(mark.last & mark.close)),
            ~value | continues | (~inside & in_tag & owes_value),
            ~end | (begins_well & ~empty & mark.last),
            ~given.done | ~(mark.valid | text.valid),
            ~given.done | ~given.good | (empty & ~inside & ~in_tag & ~texting),
        )
        breaks, dropping = Signal(), Signal()
        m.d.comb += [
            breaks.eq(~Cat(rules).all()),
            self.broken.eq(self.i.valid & breaks & ~dropping),
            self.o.valid.eq(self.i.valid & ~dropping),
            self.i.ready.eq(self.o.ready | dropping),
            self.o.payload.eq(given),
        ]
        with m.If(breaks):
            m.d.comb += [self.o.payload.eq(0), self.o.payload.done.eq(1)]

        opens = (element | value) & mark.last & mark.close
        closes = end & mark.last
        with m.If(self.o.valid & self.o.ready):
            with m.If(text.valid):
                m.d.sync += texting.eq(~text.last)
            with m.If(mark.valid):
                m.d.sync += [
                    inside.eq(~mark.last),
                    kind.eq(mark.type),
                    in_tag.eq((in_tag | element) & ~opens),
                    owes_value.eq((owes_value | attribute) & ~(value & mark.last)),
                ]
            with m.If(opens):
                m.d.sync += [level.eq(level + 1), empty.eq(0), full.eq(level == self._config.depth - 1)]
            with m.If(closes):
                m.d.sync += [level.eq(level - 1), empty.eq(level == 1), full.eq(0)]
            with m.If(given.done | breaks):
                m.d.sync += [level.eq(0), empty.eq(1), full.eq(0)]
                m.d.sync += [one.eq(0) for one in (in_tag, owes_value, inside, texting)]
                m.d.sync += dropping.eq(~given.done)
        with m.Elif(dropping & self.i.valid & given.done):
            m.d.sync += dropping.eq(0)
        return m
