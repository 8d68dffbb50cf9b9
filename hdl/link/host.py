"""The host's way to the broker: the link, and the frames on it."""

from amaranth.hdl import Module, ResetInserter
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.framers import ResultFramer, VerdictFramer
from hdl.link.frames import FrameJoiner, FrameSplitter
from hdl.link.window import Link
from hdl.shapes.edge import BrokerStreams, BusRequest, BusResponse, notifications
from hdl.stream import Relay

__all__ = ["HostPort"]

_INWARD = ("publication", "subscription", "skeleton")


class HostPort(wiring.Component):
    """Frames of the contract between a host and the broker, over a line of bytes.

    Results, verdicts and notifications come back in the order of their own kind; frames of different kinds take turns. VERDICT has the
    reference of its PUBLISH. Up to 32 publications may wait for their verdicts, then the next one waits.

    Parameters
    ----------
    config : BrokerConfig
    patience : int
        See :class:`hdl.link.window.Link`.

    Members
    -------
    rx, tx : In(stream.Signature(8)), Out(stream.Signature(8))
    streams : Out(BrokerStreams(config))
    request, response : Out(stream.Signature(BusRequest)), In(stream.Signature(BusResponse))
    close : In(1)
        Ends the session, because the broker is reset.
    reset : Out(1)
        Resets the broker and its register file's streams.
    open : Out(1)
    counters : Out(32), in the order of :data:`hdl.bus.registers.LINK_COUNTERS`
    """

    def __init__(self, config, *, patience: int):
        self._config = config
        self._patience = patience
        super().__init__(
            {
                "rx": In(stream.Signature(8)),
                "tx": Out(stream.Signature(8)),
                "streams": Out(BrokerStreams(config)),
                "request": Out(stream.Signature(BusRequest)),
                "response": In(stream.Signature(BusResponse)),
                "close": In(1),
                "reset": Out(1),
                "open": Out(1),
                "counters": Out(32).array(4),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, streams = self._config, self.streams
        m.submodules.link = link = Link(patience=self._patience)
        voided = ResetInserter(link.reset)
        splitter, results, verdicts = FrameSplitter(), ResultFramer(config), VerdictFramer(config)
        joiner = FrameJoiner(streams=3 + config.links)
        for name, unit in (("splitter", splitter), ("results", results), ("verdicts", verdicts), ("joiner", joiner)):
            m.submodules[name] = voided(unit)
        # No word comes or goes faster than the bytes of the line: between the broker and here a relay is enough.
        relays = {}
        for name, member in streams.signature.members.items():
            relays[name] = Relay(member.signature.members["payload"].shape)
            m.submodules[f"{name}_relay"] = voided(relays[name])
        outward = [splitter.answer, results.o, verdicts.o, *(relays[name].o for name in notifications(config))]
        for source, sink in (
            (wiring.flipped(self.rx), link.rx),
            (link.tx, wiring.flipped(self.tx)),
            (link.o, splitter.i),
            (joiner.o, link.i),
            (splitter.request, wiring.flipped(self.request)),
            (wiring.flipped(self.response), splitter.response),
            (splitter.reference, verdicts.i_reference),
            (relays["result"].o, results.i),
            (relays["verdict"].o, verdicts.i),
            *((getattr(splitter, name), relays[name].i) for name in _INWARD),
            *((relays[name].o, wiring.flipped(getattr(streams, name))) for name in _INWARD),
            *((wiring.flipped(getattr(streams, name)), relays[name].i) for name in relays if name not in _INWARD),
            *zip(outward, joiner.i, strict=True),
        ):
            wiring.connect(m, source, sink)
        m.d.comb += [link.close.eq(self.close), self.reset.eq(link.reset), self.open.eq(link.open)]
        counts = (link.segments, link.damaged, link.repeated, splitter.misfits)
        m.d.comb += [counter.eq(count) for counter, count in zip(self.counters, counts, strict=True)]
        return m
