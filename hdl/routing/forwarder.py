"""The subscription forwarder: SRoA [T-Fig 5.9, 5.24], samples [T-Fig 5.20], solicitations [T 5.4.6], and interests of the steady policy."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Header, Kind
from hdl.framers import swapped
from hdl.routing.path import Identity, PathWalker, lone
from hdl.routing.relay import port_of
from hdl.shapes.program import TextByte
from hdl.shapes.publication import DocumentWord
from hdl.shapes.routing import PORTS, FrameHeader, Frames, RouteHit
from hdl.shapes.widths import tsid_width

__all__ = ["ForwardOp", "ForwardResult", "ForwardTask", "Forwarder", "Outcome"]

_WORDS = Header.BYTES // 4
_RAW = Header.BYTES * 8


class ForwardOp(enum.Enum, shape=3):
    """What is to be sent, and where."""

    SEND = 0
    """The subscription as it came with this broker on its path, where the VRT says."""
    SAMPLE = 1
    """The same as a sample {0|own} with a reference of its own."""
    SOLICIT = 2
    """A solicitation {0|own} with a reference of its own, where an entry of the VRT orders it."""
    PASS = 3
    """A neighbour's solicitation with this broker on its path, where the VRT says, or else to every neighbour."""
    INTEREST = 4
    """An interest {0|own} with a reference of its own, to the port of the task; it asks for whole publications."""
    WITHDRAW = 5
    """The end of that interest."""


class ForwardTask(data.StructLayout):
    """``barred`` are ports that are not chosen; ``reference`` counts for the frames that have one of their own, ``port`` for INTEREST and
    WITHDRAW."""

    def __init__(self, config, ports):
        super().__init__({"op": ForwardOp, "tsid": tsid_width(config), "port": range(PORTS), "barred": ports, "reference": 32})


class Outcome(enum.Enum, shape=2):
    """What became of a task."""

    SENT = 0
    PATH_FULL = 1
    """With this broker on its path no field would be left for the one that answers."""
    NO_ROUTE = 2
    """There is no entry for a neighbour that may be chosen."""
    NO_FRAME = 3
    """The store has dropped the raw frame."""


class ForwardResult(data.StructLayout):
    """The outcome of a task, and the ports that its frame was sent to."""

    def __init__(self, ports):
        super().__init__({"outcome": Outcome, "sent": ports})


class Forwarder(wiring.Component):
    """Sends subscriptions on, one task after the other.

    The raw frame is fetched from the store, its text is looked up in the VRT, and the frame is fetched once more for each port that it goes
    to. A neighbour may be chosen if its link is up, it is not barred, and it is not on the path; where identities are not unique, if it is
    not the last one on the path. The first entry that names such a neighbour is taken. All entries of a look-up are taken, so that the
    VRT is never held.

    Parameters
    ----------
    config : BrokerConfig
    ports : int

    Members
    -------
    i : In(stream.Signature(ForwardTask(config, ports)))
    o_result : Out(stream.Signature(ForwardResult(ports)))
        One for each task, when its last word has been taken.
    o_fetch, i_fetch : Out(stream), In(stream)
        Raw frames, see :class:`hdl.spu.store.SubscriptionStore`.
    o_text, i_hit : Out(stream.Signature(TextByte)), In(stream.Signature(RouteHit))
        See :class:`hdl.lookup.RouteLookup`.
    o : Out(Frames())
        With the port that each goes to.
    identity : In(Identity(ports))
    """

    def __init__(self, config, *, ports: int):
        self._config = config
        self._ports = ports
        super().__init__(
            {
                "i": In(stream.Signature(ForwardTask(config, ports))),
                "o_result": Out(stream.Signature(ForwardResult(ports))),
                "o_fetch": Out(stream.Signature(tsid_width(config))),
                "i_fetch": In(stream.Signature(DocumentWord)),
                "o_text": Out(stream.Signature(TextByte)),
                "i_hit": In(stream.Signature(RouteHit)),
                "o": Out(Frames()),
                "identity": In(Identity(ports)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        ports, identity = self._ports, self.identity
        m.submodules.walker = walker = PathWalker(ports=ports)
        wiring.connect(m, wiring.flipped(identity), walker.identity)
        task, facts, word = Signal(ForwardTask(self._config, ports)), Signal.like(walker.o.payload), self.i_fetch.payload
        raw, index, lane = Signal(_RAW), Signal(range(_WORDS)), Signal(2)
        frame = data.View(FrameHeader, Cat(raw, task.port))
        chosen, left, usable, target = Signal(ports), Signal(ports), Signal(ports), Signal(range(PORTS))
        outcome, looks = Signal(Outcome), Signal()
        header, body = self.o.header.payload, self.o.body

        # Where a neighbour's identity leads, and who that is.
        bid = Signal(8)
        with m.Switch(target):
            for port, one in enumerate(identity.bids):
                with m.Case(port):
                    m.d.comb += bid.eq(one)
        barred = Mux(identity.unique, facts.met, port_of(identity, facts.last))
        hit = self.i_hit.payload
        ways = Signal(ports)
        m.d.comb += [
            usable.eq(identity.up & ~task.barred & ~barred),
            ways.eq(port_of(identity, hit.bid) & usable & (hit.solicit | (task.op != ForwardOp.SOLICIT)).replicate(ports)),
        ]

        # The header of what is sent.
        own = lone(identity, identity.bid)
        m.d.comb += [
            header.eq(frame),
            header.kind.eq(Kind.SUBSCRIBE),
            header.high.eq(bid),
            header.port.eq(target),
            self.o.body.payload.data.eq(word.data),
            self.o.body.payload.count.eq(word.count),
            self.o.body.payload.last.eq(word.last),
            self.o_fetch.payload.eq(task.tsid),
            self.o_text.payload.data.eq(word.data.word_select(lane, 8)),
            self.o_text.payload.last.eq(word.last & (lane + 1 == word.count)),
            self.o_result.payload.outcome.eq(outcome),
            self.o_result.payload.sent.eq(chosen),
            walker.i.payload.eq(frame.path),
        ]
        with m.If((task.op == ForwardOp.SEND) | (task.op == ForwardOp.PASS)):
            m.d.comb += header.path.eq(facts.pushed)
        with m.Else():
            m.d.comb += [header.sid.eq(0), header.path.eq(own), header.reference.eq(swapped(task.reference))]
        with m.Switch(task.op):
            with m.Case(ForwardOp.SOLICIT, ForwardOp.PASS):
                m.d.comb += [
                    header.kind.eq(Kind.SOLICIT),
                    header.sid.eq(0),
                    header.options.eq(frame.options[:1]),
                    header.low.eq(frame.low[:4]),
                ]
            with m.Case(ForwardOp.INTEREST):
                m.d.comb += [header.options.eq(Cat(frame.options[:1], Const(Content.WHOLE, 2))), header.low.eq(frame.low[:4])]
            with m.Case(ForwardOp.WITHDRAW):
                m.d.comb += [header.kind.eq(Kind.UNSUBSCRIBE), header.options.eq(0), header.low.eq(0), header.length.eq(0)]

        def end(result):
            m.d.sync += outcome.eq(result)
            m.next = "RESULT"

        with m.FSM():
            # Waits for a task.
            with m.State("TASK"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += [task.eq(self.i.payload), chosen.eq(0), looks.eq(1), outcome.eq(Outcome.SENT)]
                with m.If(self.i.valid):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.next = "FETCH"
                with m.If((task.op == ForwardOp.INTEREST) | (task.op == ForwardOp.WITHDRAW)):
                    m.d.sync += [chosen.eq(1 << task.port), left.eq(1 << task.port), looks.eq(0)]
                    m.next = "PORT"

            # Asks for the raw frame, and takes its header.
            with m.State("FETCH"):
                m.d.comb += self.o_fetch.valid.eq(1)
                m.d.sync += [index.eq(0), lane.eq(0)]
                with m.If(self.o_fetch.ready):
                    m.next = "HEADER"
            with m.State("HEADER"):
                m.d.comb += self.i_fetch.ready.eq(1)
                with m.If(self.i_fetch.valid):
                    m.d.sync += [raw.eq(Cat(raw[32:], word.data)), index.eq(index + 1)]
                    with m.If(word.count == 0):
                        end(Outcome.NO_FRAME)
                    with m.Elif(index == _WORDS - 1):
                        m.next = "SEND"
                        with m.If(looks):
                            m.next = "WALK"

            # Takes the path apart; a frame whose path would be full is not looked up.
            with m.State("WALK"):
                m.d.comb += walker.i.valid.eq(1)
                with m.If(walker.i.ready):
                    m.next = "WALKED"
            with m.State("WALKED"):
                m.d.comb += walker.o.ready.eq(1)
                m.d.sync += facts.eq(walker.o.payload)
                with m.If(walker.o.valid):
                    m.next = "TEXT"
                    with m.If(~walker.o.payload.carried & ((task.op == ForwardOp.SEND) | (task.op == ForwardOp.PASS))):
                        m.next = "DROP"

            # The text goes to the look-up, byte by byte.
            with m.State("TEXT"):
                m.d.comb += self.o_text.valid.eq(self.i_fetch.valid)
                with m.If(self.i_fetch.valid & self.o_text.ready):
                    m.d.sync += lane.eq(lane + 1)
                    with m.If(lane + 1 == word.count):
                        m.d.comb += self.i_fetch.ready.eq(1)
                        m.d.sync += lane.eq(0)
                        with m.If(word.last):
                            m.next = "HITS"

            # The first entry that may be chosen is the one; the others are taken too.
            with m.State("HITS"):
                m.d.comb += self.i_hit.ready.eq(1)
                with m.If(self.i_hit.valid):
                    with m.If(~chosen.any() & ~hit.end):
                        m.d.sync += chosen.eq(ways)
                    with m.If(hit.end):
                        m.d.sync += looks.eq(0)
                        m.next = "CHOICE"
            with m.State("CHOICE"):
                m.d.sync += left.eq(chosen)
                m.next = "PORT"
                with m.If(~chosen.any()):
                    with m.If((task.op == ForwardOp.PASS) & usable.any()):
                        m.d.sync += [chosen.eq(usable), left.eq(usable)]
                    with m.Else():
                        end(Outcome.NO_ROUTE)

            with m.State("DROP"):
                m.d.comb += self.i_fetch.ready.eq(1)
                with m.If(self.i_fetch.valid & word.last):
                    end(Outcome.PATH_FULL)

            # The next port, and the frame once more.
            with m.State("PORT"):
                for port in reversed(range(ports)):
                    with m.If(left[port]):
                        m.d.sync += target.eq(port)
                m.next = "FETCH"
                with m.If(~left.any()):
                    m.next = "RESULT"
                with m.Elif(task.op == ForwardOp.WITHDRAW):
                    m.next = "SEND"
            with m.State("SEND"):
                m.d.comb += self.o.header.valid.eq(1)
                with m.If(self.o.header.ready):
                    m.d.sync += left.eq(left & (left - 1))
                    m.next = "BODY"
                    with m.If(task.op == ForwardOp.WITHDRAW):
                        m.next = "PORT"
            with m.State("BODY"):
                m.d.comb += [body.valid.eq(self.i_fetch.valid), self.i_fetch.ready.eq(body.ready)]
                with m.If(self.i_fetch.valid & body.ready & word.last):
                    m.next = "PORT"

            with m.State("RESULT"):
                m.d.comb += self.o_result.valid.eq(1)
                with m.If(self.o_result.ready):
                    m.next = "TASK"
        return m
