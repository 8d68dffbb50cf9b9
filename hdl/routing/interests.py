"""Which neighbour must know of which expression, under the steady policy."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.routing.path import Identity
from hdl.shapes.routing import PORTS
from hdl.shapes.widths import step_width, tsid_width
from hdl.stream import BlockRam

__all__ = ["InterestChange", "InterestOp", "InterestTask", "Interests"]


class InterestOp(enum.Enum, shape=3):
    """What has changed."""

    ADD = 0
    """The subscription has become a member of the class."""
    REMOVE = 1
    """It is a member no more. ``heir`` is another one, if there is any."""
    JOIN = 2
    """The neighbour of the port is to know all that it must."""
    LEAVE = 3
    """It is to know nothing any more; it is told so."""
    LOSE = 4
    """It has forgotten everything: its link is down. Members of its own go with REMOVE."""
    RETRY = 5
    """What was to be sent of the class to the port could not be sent, because the member's frame was gone."""


class InterestChange(data.StructLayout):
    """A change. A subscription is ``local``, or that of the neighbour of the ``port``, who has one member of a class at most."""

    def __init__(self, config):
        tsid = tsid_width(config)
        super().__init__({"op": InterestOp, "number": step_width(config), "local": 1, "port": range(PORTS), "tsid": tsid, "heir": tsid})


class InterestTask(data.StructLayout):
    """What is to be sent to a port: the interest of a class, as its member ``tsid`` says it, or with ``withdraw`` its end. With ``settled``
    nothing: all that the neighbour must know since it joined stands before."""

    def __init__(self, config):
        super().__init__({"withdraw": 1, "settled": 1, "number": step_width(config), "port": range(PORTS), "tsid": tsid_width(config)})


class Interests(wiring.Component):
    """The classes of identical expressions, by the last bit of their run in the CRT. A neighbour that has joined is told of a class that
    has a member other than the neighbour's own: so a class with one neighbour as its only source goes to all the others, and a second
    source brings it to the first one, too.

    A change of a class takes four clocks, and one for each task that follows. One that is about all classes takes four for each of them.
    For each port tasks come in the order in which they are to be sent; interests that are new come before those that end. After a reset
    the unit takes a clock for each class before anything else.

    Parameters
    ----------
    config : BrokerConfig
    ports : int

    Members
    -------
    i : In(stream.Signature(InterestChange(config)))
    o : Out(stream.Signature(InterestTask(config)))
    joined : Out(ports)
        The neighbours that have joined.
    """

    def __init__(self, config, *, ports: int):
        Identity(ports)
        self._config = config
        self._ports = ports
        super().__init__(
            {
                "i": In(stream.Signature(InterestChange(config))),
                "o": Out(stream.Signature(InterestTask(config))),
                "joined": Out(ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        ports, bits, tsid = self._ports, step_width(self._config), tsid_width(self._config)
        entry = data.StructLayout({"locals": tsid, "neighbours": ports, "told": ports, "member": tsid})
        m.submodules.classes = classes = BlockRam(shape=entry, depth=1 << bits)
        read, write = classes.read[0], classes.write
        change, now = Signal(InterestChange(self._config)), Signal(entry)
        number, walks = Signal(bits), Signal()
        port = Signal(ports)
        source = Signal(ports)
        sends, ends, wanted = (Signal(ports, name=name) for name in ("sends", "ends", "wanted"))
        task = self.o.payload
        lowest = Signal(range(PORTS))
        for place in reversed(range(ports)):
            with m.If(Mux(sends.any(), sends, ends)[place]):
                m.d.comb += lowest.eq(place)
        m.d.comb += [
            port.eq(1 << change.port),
            source.eq(Mux(change.local, 0, port)),
            read.addr.eq(number),
            read.en.eq(1),
            write.addr.eq(number),
            task.number.eq(number),
            task.port.eq(lowest),
            task.tsid.eq(now.member),
            task.withdraw.eq(~sends.any()),
            wanted.eq(Cat(self.joined[place] & ((now.locals != 0) | (now.neighbours & ~(1 << place)).any()) for place in range(ports))),
        ]

        with m.FSM(init="SWEEP"):
            # Forgets a class a clock.
            with m.State("SWEEP"):
                m.d.comb += write.en.eq(1)
                m.d.sync += number.eq(number + 1)
                with m.If(number == (1 << bits) - 1):
                    m.next = "IDLE"

            # Waits for a change.
            with m.State("IDLE"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += change.eq(self.i.payload)
                with m.If(self.i.valid):
                    m.next = "BEGIN"
            with m.State("BEGIN"):
                m.d.sync += [number.eq(change.number), walks.eq(0)]
                with m.Switch(change.op):
                    with m.Case(InterestOp.JOIN):
                        m.d.sync += [self.joined.eq(self.joined | port), number.eq(0), walks.eq(1)]
                    with m.Case(InterestOp.LEAVE, InterestOp.LOSE):
                        m.d.sync += [self.joined.eq(self.joined & ~port), number.eq(0), walks.eq(1)]
                m.next = "READ"

            # Reads the class, and changes what is known of it.
            with m.State("READ"):
                m.next = "CHANGE"
            with m.State("CHANGE"):
                m.d.sync += now.eq(read.data)
                with m.Switch(change.op):
                    with m.Case(InterestOp.ADD):
                        m.d.sync += [now.locals.eq(read.data.locals + change.local), now.neighbours.eq(read.data.neighbours | source)]
                        with m.If((read.data.locals == 0) & (read.data.neighbours == 0)):
                            m.d.sync += now.member.eq(change.tsid)
                    with m.Case(InterestOp.REMOVE):
                        m.d.sync += [now.locals.eq(read.data.locals - change.local), now.neighbours.eq(read.data.neighbours & ~source)]
                        with m.If(read.data.member == change.tsid):
                            m.d.sync += now.member.eq(change.heir)
                    with m.Case(InterestOp.LOSE, InterestOp.RETRY):
                        m.d.sync += now.told.eq(read.data.told & ~port)
                m.next = "COMPARE"

            # Who must know and does not, and who knows and need not.
            with m.State("COMPARE"):
                m.d.sync += [sends.eq(wanted & ~now.told), ends.eq(now.told & ~wanted), now.told.eq(wanted)]
                m.next = "WRITE"
            with m.State("WRITE"):
                m.d.comb += [write.en.eq(1), write.data.eq(now)]
                m.next = "TELL"

            # A task a clock; then the next class, or the end.
            with m.State("TELL"):
                m.d.comb += self.o.valid.eq((sends | ends).any())
                with m.If(~(sends | ends).any()):
                    m.next = "IDLE"
                    with m.If(walks):
                        m.d.sync += number.eq(number + 1)
                        m.next = "READ"
                        with m.If(number == (1 << bits) - 1):
                            m.next = "IDLE"
                            with m.If(change.op == InterestOp.JOIN):
                                m.next = "SETTLED"
                with m.Elif(self.o.ready):
                    with m.If(sends.any()):
                        m.d.sync += sends.eq(sends & (sends - 1))
                    with m.Else():
                        m.d.sync += ends.eq(ends & (ends - 1))

            with m.State("SETTLED"):
                m.d.comb += [self.o.valid.eq(1), task.eq(0), task.settled.eq(1), task.port.eq(change.port)]
                with m.If(self.o.ready):
                    m.next = "IDLE"
        return m
