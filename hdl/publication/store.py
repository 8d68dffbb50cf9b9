"""The store of publications as a whole."""

from amaranth.hdl import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.publication.keeper import Keeper
from hdl.publication.ring import Xram
from hdl.shapes.publication import CurrentPublication, DocumentWord, HeldPosition, Retention

__all__ = ["PublicationStore"]


class PublicationStore(wiring.Component):
    """Publications on their way to the parser, and those that are still to be notified.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i, o : In(stream.Signature(DocumentWord)), Out(stream.Signature(DocumentWord))
        Publications, a packet each; see :class:`hdl.publication.ring.Xram`.
    current : Out(CurrentPublication(config))
        The publication that is being notified, and its bytes.
    held : Out(HeldPosition())
        From where on nothing is overwritten.
    retention : Out(Retention())
        What :class:`hdl.publication.keeper.Keeper` is asked to do, and what it has seen.
    """

    def __init__(self, config):
        self._config = config
        word = stream.Signature(DocumentWord)
        super().__init__(
            {
                "i": In(word),
                "o": Out(word),
                "current": Out(CurrentPublication(config)),
                "held": Out(HeldPosition()),
                "retention": Out(Retention()),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.xram = xram = Xram(self._config)
        m.submodules.keeper = keeper = Keeper(self._config)
        current, retention = self.current, self.retention
        wiring.connect(m, wiring.flipped(self.i), xram.i)
        wiring.connect(m, xram.o, wiring.flipped(self.o))
        wiring.connect(m, xram.read, wiring.flipped(current.read))
        m.d.comb += [
            xram.hold_valid.eq(keeper.hold_valid),
            xram.hold.eq(keeper.hold),
            self.held.valid.eq(keeper.hold_valid),
            self.held.position.eq(keeper.hold),
            keeper.loads.eq(self.i.valid & self.i.ready),
            keeper.ends.eq(self.i.payload.last),
            keeper.newest.eq(xram.newest),
            keeper.advance.eq(current.advance),
            keeper.words.eq(current.words),
            current.ready.eq(keeper.ready),
            current.start.eq(keeper.start),
            current.held.eq(keeper.held),
            keeper.keep.eq(retention.keep),
            retention.secure.eq(keeper.secure),
            retention.begun.eq(keeper.begun),
            retention.finished.eq(keeper.finished),
        ]
        return m
