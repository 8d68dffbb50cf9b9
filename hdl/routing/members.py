"""Which subscriptions the broker holds, of whom, and in which class: from results to changes of the interests."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Kind
from hdl.routing.interests import InterestChange, InterestOp
from hdl.routing.path import Identity, lone
from hdl.routing.relay import port_of
from hdl.shapes.routing import PORTS, FrameHeader, Frames
from hdl.shapes.subscription import SubscriptionResult
from hdl.shapes.widths import step_width, tsid_place_width, tsid_width
from hdl.stream import BlockRam

__all__ = ["MemberTable"]

_FENCE = 0xFFFFFFFF
"""The reference of a cancellation that cancels nothing: when it is refused, everything before it has its result."""


class MemberTable(wiring.Component):
    """Follows the results of registration, and the state of the neighbours.

    Each accepted subscription becomes an ADD, each cancelled one a REMOVE with another member of its class as heir. A neighbour of the tree
    whose link is up makes a JOIN; one that leaves the tree a LEAVE; one whose link goes down a LOSE, and its subscriptions are cancelled:
    new ones of it are held until all of them have gone. Results of this broker's own subscribers are passed on, refusals of others' go to
    the neighbour that they came from.

    A result takes 6 clocks, one that cancels as many more as there are t-SIDs up to an heir.

    Parameters
    ----------
    config : BrokerConfig
    ports : int

    Members
    -------
    i, o : In(stream.Signature(SubscriptionResult(config))), Out(stream)
        The results of registration, and those for this broker's own subscribers.
    step : In
        The last bit of the run of the subscription that was accepted last, with its result.
    o_change : Out(stream.Signature(InterestChange(config)))
    o_refusal : Out(stream.Signature(FrameHeader))
        RESULT frames for neighbours.
    o_cancel : Out(Frames())
        Cancellations of a lost neighbour's subscriptions.
    identity : In(Identity(ports))
    tree, busy : In(ports)
        Neighbours of the tree; those with a subscription on its way to registration.
    holds : Out(ports)
    """

    def __init__(self, config, *, ports: int):
        self._config = config
        self._ports = ports
        result = stream.Signature(SubscriptionResult(config))
        super().__init__(
            {
                "i": In(result),
                "o": Out(result),
                "step": In(step_width(config)),
                "o_change": Out(stream.Signature(InterestChange(config))),
                "o_refusal": Out(stream.Signature(FrameHeader)),
                "o_cancel": Out(Frames()),
                "identity": In(Identity(ports)),
                "tree": In(ports),
                "busy": In(ports),
                "holds": Out(ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, ports, identity = self._config, self._ports, self.identity
        tsid, place_bits = tsid_width(config), tsid_place_width(config)
        entry = data.StructLayout({"valid": 1, "number": step_width(config), "local": 1, "port": range(PORTS), "reference": 32})
        m.submodules.table = table = BlockRam(shape=entry, depth=1 << place_bits, read_ports=2)
        read, write = table.read[0], table.write
        result, change = self.i.payload, self.o_change.payload
        path = result.key.osid[8:]
        local = path == 0
        sender = Signal(ports)
        m.d.comb += sender.eq(port_of(identity, (result.key.osid[8:16] >> (8 - identity.bits)[:3])[:8]))
        port = Signal(range(PORTS))
        with m.Switch(sender):
            for number in range(ports):
                with m.Case("-" * (ports - number - 1) + "1" + "-" * number):
                    m.d.comb += port.eq(number)
        address, mine, heir = Signal(place_bits), Signal(entry), Signal(tsid)
        live, looked, sweeping = Signal(), Signal(place_bits), Signal()
        fenced, fence_passed = Signal(), Signal()
        m.d.comb += [
            fenced.eq(result.cancel & (result.key.reference == _FENCE) & ~local),
            read.addr.eq(address),
            read.en.eq(1),
            write.addr.eq(Mux(sweeping, address, result.tsid)),
            self.o.payload.eq(result),
            self.o_refusal.payload.kind.eq(Kind.RESULT),
            self.o_refusal.payload.low.eq(result.refusal),
            self.o_refusal.payload.sid.eq(result.key.osid[:8]),
            self.o_refusal.payload.path.eq(path),
            self.o_refusal.payload.reference.eq(result.key.reference),
            self.o_refusal.payload.port.eq(port),
            change.number.eq(mine.number),
            change.local.eq(mine.local),
            change.port.eq(mine.port),
            change.tsid.eq(result.tsid),
            change.heir.eq(heir),
        ]

        # What the state of a neighbour asks for, one neighbour a clock.
        known, lost = Signal(ports), Signal(ports)
        loss, gone = Signal(ports), Signal(ports)
        m.d.sync += lost.eq((lost | loss) & ~gone)
        turn = Signal(range(ports))
        here = (1 << turn)[:ports]
        joins = (self.tree & identity.up & ~known & ~self.holds & here).any()
        leaves = (~self.tree & identity.up & known & here).any()
        loses = (~identity.up & known & here).any()
        event = Signal(InterestOp)

        with m.FSM(init="SWEEP"):
            # Forgets a t-SID a clock.
            with m.State("SWEEP"):
                m.d.comb += [write.en.eq(1), sweeping.eq(1)]
                m.d.sync += address.eq(address + 1)
                with m.If(address == (1 << place_bits) - 1):
                    m.next = "IDLE"

            # Waits for a result, or for a neighbour whose state has changed.
            with m.State("IDLE"):
                m.d.sync += [address.eq(result.tsid), heir.eq(0), live.eq(0)]
                with m.If(self.i.valid):
                    m.next = "RESULT"
                with m.Elif(loses | leaves | joins):
                    m.d.sync += event.eq(Mux(loses, InterestOp.LOSE, Mux(leaves, InterestOp.LEAVE, InterestOp.JOIN)))
                    m.next = "EVENT"
                with m.Else():
                    m.d.sync += turn.eq(Mux(turn == ports - 1, 0, turn + 1))

            with m.State("EVENT"):
                m.d.comb += [self.o_change.valid.eq(1), change.op.eq(event), change.port.eq(turn)]
                with m.If(self.o_change.ready):
                    with m.If(event == InterestOp.JOIN):
                        m.d.sync += known.eq(known | here)
                    with m.Else():
                        m.d.sync += known.eq(known & ~here)
                    with m.If(event == InterestOp.LOSE):
                        m.d.comb += loss.eq(here)
                    m.next = "IDLE"

            # What the table says of the t-SID is there in the next clock.
            with m.State("RESULT"):
                m.next = "DECIDE"
            with m.State("DECIDE"):
                m.d.sync += [mine.eq(read.data), address.eq(0)]
                m.next = "PASS"
                with m.If(result.refusal == 0):
                    with m.If(result.cancel):
                        m.d.comb += write.en.eq(1)
                        m.d.sync += address.eq(0)
                        m.next = "HEIR"
                    with m.Else():
                        new = Signal(entry)
                        m.d.comb += [
                            new.valid.eq(1),
                            new.number.eq(self.step),
                            new.local.eq(local),
                            new.port.eq(port),
                            new.reference.eq(result.key.reference),
                            write.en.eq(1),
                            write.data.eq(new),
                        ]
                        m.d.sync += mine.eq(new)
                        m.next = "CHANGE"

            # Looks for another member of the class, a t-SID a clock.
            with m.State("HEIR"):
                m.d.sync += [address.eq(address + 1), looked.eq(address), live.eq(1)]
                same = read.data.valid & (read.data.number == mine.number) & (looked != result.tsid[:place_bits])
                with m.If(live & same):
                    m.d.sync += heir.eq(Cat(looked, looked == 0)[:tsid])
                    m.next = "CHANGE"
                with m.Elif(live & (looked == (1 << place_bits) - 1)):
                    m.next = "CHANGE"

            with m.State("CHANGE"):
                m.d.comb += [self.o_change.valid.eq(1), change.op.eq(Mux(result.cancel, InterestOp.REMOVE, InterestOp.ADD))]
                with m.If(self.o_change.ready):
                    m.next = "PASS"

            # Own subscribers hear of every result, neighbours of refusals.
            with m.State("PASS"):
                refuses = ~local & (result.refusal != 0) & ~fenced & sender.any()
                m.d.comb += [
                    self.o.valid.eq(local),
                    self.o_refusal.valid.eq(refuses),
                    self.i.ready.eq(Mux(local, self.o.ready, ~refuses | self.o_refusal.ready)),
                    fence_passed.eq(fenced & self.i.ready),
                ]
                with m.If(self.i.ready):
                    m.next = "IDLE"

        # The subscriptions of a neighbour that was lost.
        victim = Signal(range(ports))
        at, held = Signal(place_bits + 1), table.read[1]
        cancel = self.o_cancel.header
        bid = Signal(8)
        with m.Switch(victim):
            for number, one in enumerate(identity.bids):
                with m.Case(number):
                    m.d.comb += bid.eq(one)
        fence = Signal()
        m.d.comb += [
            held.addr.eq(at),
            held.en.eq(1),
            self.holds.eq(lost),
            cancel.payload.kind.eq(Kind.UNSUBSCRIBE),
            cancel.payload.path.eq(lone(identity, bid)),
            cancel.payload.reference.eq(Mux(fence, Const(_FENCE, 32), held.data.reference)),
        ]
        with m.FSM():
            # Waits for a loss, and until nothing of the neighbour is on its way.
            with m.State("WAIT"):
                for number in range(ports):
                    with m.If(lost[number] & ~self.busy[number]):
                        m.d.sync += victim.eq(number)
                        m.next = "FENCE"

            # A cancellation that cancels nothing is refused when everything before it has its result.
            with m.State("FENCE"):
                m.d.comb += [cancel.valid.eq(1), fence.eq(1)]
                m.d.sync += at.eq(0)
                with m.If(cancel.ready):
                    m.next = "PASSED"
            with m.State("PASSED"):
                with m.If(fence_passed):
                    m.next = "LOOK"

            with m.State("LOOK"):
                m.next = "FOUND"
                with m.If(at[place_bits]):
                    m.d.comb += gone.eq(1 << victim)
                    m.next = "WAIT"
            with m.State("FOUND"):
                m.d.sync += at.eq(at + 1)
                m.next = "LOOK"
                with m.If(held.data.valid & ~held.data.local & (held.data.port == victim)):
                    m.d.sync += at.eq(at)
                    m.next = "CANCEL"
            with m.State("CANCEL"):
                m.d.comb += cancel.valid.eq(1)
                with m.If(cancel.ready):
                    m.d.sync += at.eq(at + 1)
                    m.next = "LOOK"
        return m
