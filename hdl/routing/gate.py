"""Publications on their way into the broker: this broker's own and those of neighbours, under the steady policy."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.framers import swapped
from hdl.routing.path import Identity
from hdl.routing.window import SeenWindow
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.routing import PORTS, Frames
from hdl.shapes.widths import ShortCount
from hdl.stream import StreamFifo

__all__ = ["PublicationGate", "PublicationRecord"]

_RECORDS = 64
"""Publications that may be between the gate and their last notification."""

_SPOILER = Const({"data": ord("<"), "count": 1, "last": 1}, DocumentWord)
"""Behind the words of a publication that was cut: no document ends so."""


class PublicationRecord(data.Struct):
    """Where a publication comes from, as in a ROUTE: ``local``, or from the neighbour of the ``port``. With ``ends`` it may not go on."""

    local: 1
    port: range(PORTS)
    origin: 8
    reference: 32
    hops: 8
    ends: 1


class PublicationGate(wiring.Component):
    """Gives the broker one publication after the other, of its own publishers and of neighbours in turn, and each only once.

    Its own are numbered: the epoch, and behind it their count since the reset. A neighbour's publication that is in the window of those
    seen lately is dropped. While there are neighbours to send to, a publication is taken when the one before has been notified and every
    queue that it may need has room for a copy: those of all ports but the one that it comes from. So no publication in the broker waits
    for a neighbour, and one that waits keeps no other out. Verdicts of own publications are passed on.

    A publication whose words were cut on their way ends in a byte that makes it malformed: it notifies nobody.

    Parameters
    ----------
    config : BrokerConfig
    ports : int
    window : int
        Publications that are remembered.

    Members
    -------
    i_local : In(stream.Signature(DocumentWord))
    i_routed : In(Frames())
        ROUTE frames of neighbours.
    o : Out(stream.Signature(DocumentWord))
    i_verdict, o_verdict : In(stream.Signature(Outcome(config))), Out(stream)
    identity : In(Identity(ports))
    hop_limit, epoch : In(8)
    shares : In(1)
        There are neighbours to send to.
    room : In(ports)
        By port: the queue has room for a copy.
    begins : Out(ports)
        Whose publication may be offered on ``i_routed`` from the next clock on.
    finished : In(16)
        Publications that have been notified since the reset.
    number, record : In(16), Out(PublicationRecord)
        What is known of the publication with that number, counted from 0 at the reset, in the same clock.
    duplicates : Out(ShortCount)
    """

    def __init__(self, config, *, ports: int, window: int = 64):
        self._config = config
        self._ports = ports
        self._window = window
        outcome = stream.Signature(Outcome(config))
        super().__init__(
            {
                "i_local": In(stream.Signature(DocumentWord)),
                "i_routed": In(Frames()),
                "o": Out(stream.Signature(DocumentWord)),
                "i_verdict": In(outcome),
                "o_verdict": Out(outcome),
                "identity": In(Identity(ports)),
                "hop_limit": In(8),
                "epoch": In(8),
                "shares": In(1),
                "room": In(ports),
                "begins": Out(ports),
                "finished": In(16),
                "number": In(16),
                "record": Out(PublicationRecord),
                "duplicates": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.window = window = SeenWindow(size=self._window)
        attrs = {"ram_style": "distributed"}
        m.submodules.records = records = memory.Memory(shape=PublicationRecord, depth=_RECORDS, init=[], attrs=attrs)
        m.submodules.origins = origins = StreamFifo(1, _RECORDS // 2)
        write, read = records.write_port(), records.read_port(domain="comb")
        header, body, local = self.i_routed.header, self.i_routed.body, self.i_local
        entered, count = Signal(16), Signal(24)
        routed, empty = Signal(), Signal()
        now = Signal(PublicationRecord)
        asked, answer = window.i.payload, window.o.payload
        m.d.comb += [
            asked.origin.eq(now.origin),
            asked.number.eq(now.reference),
            asked.hops.eq(now.hops),
            write.addr.eq(entered),
            write.data.eq(now),
            read.addr.eq(self.number),
            self.record.eq(read.data),
            origins.i.payload.eq(now.local),
        ]
        alone = Signal()
        m.d.comb += alone.eq(~self.shares | (entered == self.finished))

        with m.FSM():
            # Own publishers and neighbours have their turns.
            with m.State("IDLE"):
                m.d.sync += routed.eq(0)
                m.next = "NEIGHBOURS"
                with m.If(local.valid & alone & (self.room.all() | ~self.shares)):
                    m.next = "IDENTITY"
            with m.State("NEIGHBOURS"):
                for port in range(self._ports):
                    others = [self.room[other] for other in range(self._ports) if other != port]
                    m.d.comb += self.begins[port].eq(alone & (Cat(*others, Const(1, 1)).all() | ~self.shares))
                m.next = "OFFERED"
            with m.State("OFFERED"):
                m.d.sync += routed.eq(1)
                m.next = "IDLE"
                with m.If(header.valid):
                    m.next = "IDENTITY"

            # Asks whether it has been here before.
            with m.State("IDENTITY"):
                with m.If(routed):
                    m.d.sync += [
                        now.local.eq(0),
                        now.port.eq(header.payload.port),
                        now.origin.eq(header.payload.high),
                        now.reference.eq(swapped(header.payload.reference)),
                        now.hops.eq(header.payload.low),
                        empty.eq(header.payload.length == 0),
                    ]
                    m.d.comb += header.ready.eq(1)
                with m.Else():
                    m.d.sync += [now.local.eq(1), now.origin.eq(self.identity.bid), now.hops.eq(0), now.ends.eq(0), count.eq(count + 1)]
                    m.d.sync += [now.reference[:24].eq(count), now.reference[24:].eq(self.epoch), empty.eq(0)]
                m.next = "ASK"
            with m.State("ASK"):
                m.d.comb += window.i.valid.eq(1)
                with m.If(window.i.ready):
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += window.o.ready.eq(1)
                m.d.sync += [now.hops.eq(Mux(routed, answer.hops, self.hop_limit)), now.ends.eq(routed & answer.ends)]
                with m.If(window.o.valid):
                    m.next = "ADMIT"
                    with m.If(routed & (answer.refusal != 0)):
                        m.d.sync += self.duplicates.eq(self.duplicates + 1)
                        m.next = "DROP"
                        with m.If(empty):
                            m.next = "IDLE"

            with m.State("DROP"):
                m.d.comb += body.ready.eq(1)
                with m.If(body.valid & body.payload.last):
                    m.next = "IDLE"

            # It enters when there is a place for what is known of it.
            with m.State("ADMIT"):
                m.d.comb += origins.i.valid.eq(1)
                with m.If(origins.i.ready):
                    m.d.comb += write.en.eq(1)
                    m.d.sync += entered.eq(entered + 1)
                    m.next = "WORDS"

            # Its words.
            with m.State("WORDS"):
                word = self.o.payload
                with m.If(~routed):
                    m.d.comb += [self.o.valid.eq(local.valid), word.eq(local.payload), local.ready.eq(self.o.ready)]
                with m.Elif(empty):
                    m.d.comb += [self.o.valid.eq(1), word.last.eq(1)]
                with m.Else():
                    m.d.comb += [self.o.valid.eq(body.valid), body.ready.eq(self.o.ready)]
                    m.d.comb += [word.data.eq(body.payload.data), word.count.eq(body.payload.count), word.last.eq(body.payload.last)]
                    with m.If(body.payload.cut):
                        m.d.comb += word.eq(_SPOILER)
                with m.If(self.o.valid & self.o.ready & word.last):
                    m.next = "NEIGHBOURS"
                    with m.If(routed):
                        m.next = "IDLE"

        m.d.comb += [
            self.o_verdict.payload.eq(self.i_verdict.payload),
            self.o_verdict.valid.eq(self.i_verdict.valid & origins.o.valid & origins.o.payload),
            self.i_verdict.ready.eq(origins.o.valid & (self.o_verdict.ready | ~origins.o.payload)),
            origins.o.ready.eq(self.i_verdict.valid & self.i_verdict.ready),
        ]
        return m
