"""The brokers on a path, field by field [T 5.4.3.5.1, T-Fig 5.21]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import OSid
from hdl.framers import swapped
from hdl.shapes.routing import PATH_BITS, PORTS

__all__ = ["Identity", "PathFacts", "PathWalker", "lone"]


class Identity(wiring.Signature):
    """Who this broker and its neighbours are, as the registers have it; it stands while frames are under way.

    ========  =====================================================================================
    member    meaning
    ========  =====================================================================================
    bid       this broker's identity
    bits      of an identity in this network: 2, 4, 7 or 8
    unique    no two brokers have the same identity
    bids      those of the neighbours by port, 0 for none
    up        by port: the link to the neighbour is up
    ========  =====================================================================================
    """

    def __init__(self, ports: int):
        if not isinstance(ports, int) or not 1 <= ports <= PORTS:
            raise ValueError(f"ports must be 1 to {PORTS}, not {ports!r}")
        super().__init__({"bid": Out(8), "bits": Out(4), "unique": Out(1), "bids": Out(8).array(ports), "up": Out(ports)})


def lone(identity, bid):
    """The path that has this broker alone, as in :class:`hdl.shapes.routing.FrameHeader`."""
    return (bid << (8 - identity.bits)[:3])[:8]


class PathFacts(data.StructLayout):
    """What a path says.

    ========  =====================================================================================
    member    meaning
    ========  =====================================================================================
    pushed    the path with this broker in its first null field; as it was if it has none
    dropped   the path without its last broker
    count     brokers on it
    last      the last one, 0 for none; ``before`` and ``third`` are the two in front of it
    met       by port: the neighbour is on it
    own       this broker is on it
    gap       a broker follows a null field: the path is malformed
    full      no field is null
    carried   with this broker, a field is still null for the broker that answers
    ========  =====================================================================================
    """

    def __init__(self, ports: int):
        super().__init__(
            {
                "pushed": PATH_BITS,
                "dropped": PATH_BITS,
                "count": range(OSid.most(2) + 1),
                "last": 8,
                "before": 8,
                "third": 8,
                "met": ports,
                "own": 1,
                "gap": 1,
                "full": 1,
                "carried": 1,
            }
        )


class PathWalker(wiring.Component):
    """Takes a path apart, a field a clock: the facts are offered as many clocks after the path was taken as an o-SID has fields, 7 for
    identities of 8 bits and 28 for 2 bits, and one more. One path at a time.

    Parameters
    ----------
    ports : int

    Members
    -------
    i : In(stream.Signature(PATH_BITS))
        Paths as in :class:`hdl.shapes.routing.FrameHeader`.
    o : Out(stream.Signature(PathFacts(ports)))
    identity : In(Identity(ports))
    """

    def __init__(self, *, ports: int):
        self._ports = ports
        super().__init__(
            {
                "i": In(stream.Signature(PATH_BITS)),
                "o": Out(stream.Signature(PathFacts(ports))),
                "identity": In(Identity(ports)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        identity, facts = self.identity, Signal(PathFacts(self._ports))
        rest, pushed, dropped = (Signal(PATH_BITS, name=name) for name in ("rest", "pushed", "dropped"))
        ended, left = Signal(), Signal(range(OSid.most(2) + 1))
        field, following = Signal(8), Signal(8)
        fields = Signal(range(OSid.most(2) + 1))
        with m.Switch(identity.bits):
            for bits in OSid.WIDTHS:
                with m.Case(bits) if bits != 8 else m.Default():
                    m.d.comb += [
                        field.eq(rest[-bits:]),
                        following.eq(rest[-2 * bits : -bits]),
                        fields.eq(OSid.most(bits)),
                    ]
        some = field != 0
        put = Signal(8)
        m.d.comb += put.eq(Mux(some, field, Mux(ended, 0, identity.bid)))

        def shifted(value, new):
            """The value with one more field at its end."""
            found = Signal(PATH_BITS)
            with m.Switch(identity.bits):
                for bits in OSid.WIDTHS:
                    with m.Case(bits) if bits != 8 else m.Default():
                        m.d.comb += found.eq(Cat(new[:bits], value[:-bits]))
            return found

        m.d.comb += [
            self.o.payload.eq(facts),
            self.o.payload.pushed.eq(swapped(pushed)),
            self.o.payload.dropped.eq(swapped(dropped)),
            self.o.payload.full.eq(facts.count == fields),
            self.o.payload.carried.eq(facts.count + 2 <= fields),
        ]
        with m.FSM():
            # Waits for a path.
            with m.State("IDLE"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += [rest.eq(swapped(self.i.payload)), ended.eq(0), left.eq(fields), facts.eq(0)]
                with m.If(self.i.valid):
                    m.next = "WALK"

            # Looks at a field a clock, the most significant first.
            with m.State("WALK"):
                m.d.sync += [
                    rest.eq(shifted(rest, Const(0, 8))),
                    left.eq(left - 1),
                    pushed.eq(shifted(pushed, put)),
                    dropped.eq(shifted(dropped, Mux(following == 0, 0, field))),
                    ended.eq(ended | ~some),
                ]
                with m.If(some):
                    m.d.sync += [
                        facts.count.eq(facts.count + 1),
                        facts.third.eq(facts.before),
                        facts.before.eq(facts.last),
                        facts.last.eq(field),
                        facts.met.eq(facts.met | Cat(field == bid for bid in identity.bids)),
                        facts.own.eq(facts.own | (field == identity.bid)),
                        facts.gap.eq(facts.gap | ended),
                    ]
                with m.If(left == 1):
                    m.next = "GIVE"

            # Offers the facts.
            with m.State("GIVE"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.next = "IDLE"
        return m
