"""Which neighbour must know of which expression, under the steady policy."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.routing.path import Identity
from hdl.shapes.routing import PORTS
from hdl.shapes.widths import step_width, tsid_width
from hdl.stream import BlockRam, StreamFifo

__all__ = ["InterestChange", "InterestOp", "InterestTask", "Interests"]


_MARKS = 7
"""Ends of joins of one neighbour that may wait; only the last of them says that it is settled."""


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

    Changes never wait for tasks: two brokers that tell each other of their interests would wait for each other. A class of which some
    neighbour does not know what it must waits in a queue, once. Its tasks come one after the other, each as the class is then; each is
    answered by whether it was sent. An interest is not sent when the frame of the member is gone; it is tried again when the class has
    another member to speak for it.

    A change of a class takes five clocks; one that is about all classes five for each of them. After a reset the unit takes a clock for
    each class before anything else.

    Parameters
    ----------
    config : BrokerConfig
    ports : int

    Members
    -------
    i : In(stream.Signature(InterestChange(config)))
    o : Out(stream.Signature(InterestTask(config)))
    i_sent : In(stream.Signature(1))
        For each task but ``settled``: whether it was sent.
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
                "i_sent": In(stream.Signature(1)),
                "joined": Out(ports),
            }
        )

    def elaborate(self, platform):
        m = Module()
        ports, bits, tsid = self._ports, step_width(self._config), tsid_width(self._config)
        entry = data.StructLayout({"locals": tsid, "neighbours": ports, "told": ports, "missed": ports, "queued": 1, "member": tsid})
        m.submodules.classes = classes = BlockRam(shape=entry, depth=1 << bits)
        waiting = data.StructLayout({"settled": 1, "number": bits, "port": range(PORTS)})
        m.submodules.queue = queue = StreamFifo(waiting, (1 << bits) + ports * _MARKS)
        read, write = classes.read[0], classes.write
        change, now = Signal(InterestChange(self._config)), Signal(entry)
        number, walks, tells = Signal(bits), Signal(), Signal()
        task, offered, awaited = Signal(InterestTask(self._config)), Signal(), Signal()
        port, source, addressed = (Signal(ports, name=name) for name in ("port", "source", "addressed"))
        wanted, sends, ends = (Signal(ports, name=name) for name in ("wanted", "sends", "ends"))
        known = now.neighbours
        m.d.comb += [
            port.eq(1 << change.port),
            source.eq(Mux(change.local, 0, port)),
            addressed.eq(1 << task.port),
            read.addr.eq(number),
            read.en.eq(1),
            write.addr.eq(number),
            write.data.eq(now),
            wanted.eq(Cat(self.joined[place] & ((now.locals != 0) | (known & ~(1 << place)).any()) for place in range(ports))),
            sends.eq(wanted & ~now.told),
            ends.eq(now.told & ~wanted),
            self.o.valid.eq(offered),
            self.o.payload.eq(task),
            queue.i.payload.number.eq(number),
        ]
        with m.If(offered & self.o.ready):
            m.d.sync += [offered.eq(0), awaited.eq(~task.settled)]
        # What is on its way to a neighbour that was lost meanwhile does not count.
        void = Signal()
        marks = Array(Signal(range(_MARKS + 1), name=f"marks{place}") for place in range(PORTS))
        lowest = Signal(range(PORTS))
        for place in reversed(range(ports)):
            with m.If(Mux(sends.any(), sends, ends)[place]):
                m.d.comb += lowest.eq(place)

        with m.FSM(init="SWEEP"):
            # Forgets a class a clock.
            with m.State("SWEEP"):
                m.d.comb += [write.en.eq(1), write.data.eq(0)]
                m.d.sync += number.eq(number + 1)
                with m.If(number == (1 << bits) - 1):
                    m.next = "IDLE"

            # Waits for a change, for the answer to a task, or for a class of which somebody must be told.
            with m.State("IDLE"):
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += [change.eq(self.i.payload), number.eq(self.i.payload.number), walks.eq(0), tells.eq(0)]
                with m.If(self.i.valid):
                    m.next = "BEGIN"
                with m.Elif(awaited & self.i_sent.valid):
                    m.d.sync += [number.eq(task.number), tells.eq(1)]
                    m.next = "READ"
                with m.Elif(~offered & ~awaited & queue.o.valid):
                    m.d.sync += [number.eq(queue.o.payload.number), tells.eq(1)]
                    m.next = "READ"
                    with m.If(queue.o.payload.settled):
                        m.d.comb += queue.o.ready.eq(1)
                        m.d.sync += [task.eq(0), task.settled.eq(1), task.port.eq(queue.o.payload.port)]
                        m.d.sync += [offered.eq(marks[queue.o.payload.port] == 1)]
                        m.d.sync += marks[queue.o.payload.port].eq(marks[queue.o.payload.port] - 1)
                        m.next = "IDLE"

            with m.State("BEGIN"):
                m.next = "READ"
                with m.If((change.op == InterestOp.LOSE) & (task.port == change.port)):
                    m.d.sync += void.eq(offered | awaited)
                with m.If(change.op.as_value() >= InterestOp.JOIN.value):
                    m.d.sync += [self.joined.eq(Mux(change.op == InterestOp.JOIN, self.joined | port, self.joined & ~port))]
                    m.d.sync += [number.eq(0), walks.eq(1)]

            # Reads the class, and changes what is known of it.
            with m.State("READ"):
                m.next = "CHANGE"
            with m.State("CHANGE"):
                found = read.data
                m.d.sync += now.eq(found)
                m.next = "COMPARE"
                with m.If(tells):
                    # The task that was answered; without a frame it waits for another member.
                    with m.If(awaited):
                        m.d.comb += self.i_sent.ready.eq(1)
                        m.d.sync += [awaited.eq(0), void.eq(0)]
                        with m.If(task.withdraw):
                            m.d.sync += now.told.eq(found.told & ~addressed)
                        with m.Elif(void):
                            pass
                        with m.Elif(self.i_sent.payload | (found.member == task.tsid)):
                            m.d.sync += now.told.eq(found.told | addressed)
                            with m.If(~self.i_sent.payload):
                                m.d.sync += now.missed.eq(found.missed | addressed)
                with m.Else():
                    with m.Switch(change.op):
                        with m.Case(InterestOp.ADD):
                            m.d.sync += [now.locals.eq(found.locals + change.local), now.neighbours.eq(found.neighbours | source)]
                            with m.If((found.locals == 0) & (found.neighbours == 0)):
                                m.d.sync += [now.member.eq(change.tsid), now.told.eq(found.told & ~found.missed), now.missed.eq(0)]
                        with m.Case(InterestOp.REMOVE):
                            m.d.sync += [now.locals.eq(found.locals - change.local), now.neighbours.eq(found.neighbours & ~source)]
                            with m.If(found.member == change.tsid):
                                m.d.sync += [now.member.eq(change.heir), now.told.eq(found.told & ~found.missed), now.missed.eq(0)]
                        with m.Case(InterestOp.LOSE):
                            m.d.sync += [now.told.eq(found.told & ~port), now.missed.eq(found.missed & ~port)]

            # A class that has something to tell is queued; one that is being told offers its next task, or leaves the queue.
            with m.State("COMPARE"):
                m.next = "WRITE"
                with m.If(~tells):
                    with m.If((sends | ends).any() & ~now.queued):
                        m.d.comb += queue.i.valid.eq(1)
                        m.d.sync += now.queued.eq(1)
                with m.Elif((sends | ends).any()):
                    m.d.sync += [
                        task.settled.eq(0),
                        task.withdraw.eq(~sends.any()),
                        task.number.eq(number),
                        task.port.eq(lowest),
                        task.tsid.eq(now.member),
                        offered.eq(1),
                    ]
                with m.Else():
                    m.d.comb += queue.o.ready.eq(1)
                    m.d.sync += now.queued.eq(0)
            with m.State("WRITE"):
                m.d.comb += write.en.eq(1)
                m.next = "IDLE"
                with m.If(walks):
                    m.d.sync += number.eq(number + 1)
                    m.next = "READ"
                    with m.If(number == (1 << bits) - 1):
                        m.next = "END"

            # All that a neighbour must know has been queued.
            with m.State("END"):
                with m.If(change.op != InterestOp.JOIN):
                    m.next = "IDLE"
                with m.Elif(marks[change.port] != _MARKS):
                    m.d.comb += [queue.i.valid.eq(1), queue.i.payload.settled.eq(1), queue.i.payload.port.eq(change.port)]
                    m.d.sync += marks[change.port].eq(marks[change.port] + 1)
                    m.next = "IDLE"
        return m
