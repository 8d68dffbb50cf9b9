"""The links' queues of notifications, in one memory."""

from amaranth.hdl import Array, Cat, Const, Module, Signal
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.subscription import SmtEntry
from hdl.shapes.widths import step_width

__all__ = ["Job", "JobQueues"]

_PLACES = 16
"""Jobs in the memory, shared out among the links."""


class Job(data.StructLayout):
    """A notification to send: the subscription's entry, the publication's number, and whether bytes of it follow, all of them or with
    ``selected`` those of the nodes that the subscription with the last bit ``step`` selects, which are attributes or elements."""

    def __init__(self, config):
        super().__init__({"entry": SmtEntry, "number": 16, "body": 1, "selected": 1, "step": step_width(config), "attribute": 1})


class JobQueues(wiring.Component):
    """A queue for each link. A job a clock is taken as long as the queue of its link has room for it; a link whose queue is full holds up
    the others; when a queue is nearly full a job is taken every other clock. Each link is offered a job four clocks after it was taken, or
    in the second clock after it took the one before.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : In(stream.Signature(Job(config)))
    o : Out(stream.Signature(Job(config))), one per link
    """

    def __init__(self, config):
        self._config = config
        job = stream.Signature(Job(config))
        super().__init__({"i": In(job), "o": Out(job).array(config.links)})

    @property
    def room(self) -> int:
        """Jobs that wait for a link, besides the one that it is offered."""
        return (_PLACES >> ceil_log2(self._config.links)) + 1

    def elaborate(self, platform):
        m = Module()
        links = self._config.links
        places = _PLACES >> ceil_log2(links)
        shape = Job(self._config)
        m.submodules.storage = storage = memory.Memory(shape=shape, depth=_PLACES, init=[])
        read, write = storage.read_port(domain="comb"), storage.write_port()

        pointer = range(places)
        produce = Array(Signal(pointer, name=f"produce{n}") for n in range(links))
        consume = [Signal(pointer, name=f"consume{n}") for n in range(links)]
        fulls, somes = Signal(links), Signal(links)
        link = self.i.payload.entry.link[: max(ceil_log2(links), 1)]
        writes = Signal()
        # With two places in every queue a job is taken unseen; else its queue is looked at in one clock and it is taken in the next.
        nears, roomy, granted = Signal(links), Signal(), Signal()
        m.d.sync += [roomy.eq(~nears.any()), granted.eq(self.i.valid & ~self.i.ready & ~fulls.bit_select(link, 1))]
        m.d.comb += [
            self.i.ready.eq(roomy | granted),
            writes.eq(self.i.valid & self.i.ready),
            write.addr.eq(Cat(produce[link], link)),
            write.data.eq(self.i.payload),
            write.en.eq(writes),
        ]
        with m.If(writes):
            m.d.sync += produce[link].eq(produce[link] + 1)

        # The memory is read for the links by turns, for whichever has a job there and none ahead of it, in the clock after it is chosen.
        ahead, head = Signal(links), Signal(links)
        # Two flip-flops for one fact: the link is not loaded with the enables of its job.
        empty = Signal(links, init=~0)
        wants, chosen, reads = Signal(links), Signal(links), Signal(links)
        m.d.sync += [reads.eq(chosen), read.addr.eq(0)]
        for n in range(links):
            with m.If(chosen[n]):
                m.d.sync += read.addr.eq(Cat(consume[n], Const(n, max(ceil_log2(links), 1))))
        for n in range(links):
            comes = Signal(name=f"comes{n}")
            count = Signal(range(places + 1), name=f"count{n}")
            waiting, arrived = Signal(shape, name=f"waiting{n}"), Signal(name=f"arrived{n}")
            m.d.comb += [
                comes.eq(writes & (link == n)),
                nears[n].eq(count > places - 2),
                wants[n].eq(somes[n] & ~ahead[n]),
                chosen[n].eq(wants[n] & ~(wants[:n].any() if n else 0)),
                self.o[n].valid.eq(head[n]),
            ]
            # From the clock in which it is chosen until it has moved on.
            with m.If(chosen[n]):
                m.d.sync += ahead[n].eq(1)
            with m.If(reads[n]):
                m.d.sync += [waiting.eq(read.data), arrived.eq(1), consume[n].eq(consume[n] + 1)]
            with m.If(empty[n]):
                m.d.sync += self.o[n].payload.eq(waiting)
            with m.If(~head[n]):
                m.d.sync += [head[n].eq(arrived), empty[n].eq(~arrived)]
                with m.If(arrived):
                    m.d.sync += [arrived.eq(0), ahead[n].eq(0)]
            with m.Elif(self.o[n].ready):
                m.d.sync += [head[n].eq(0), empty[n].eq(1)]
            with m.If(comes & ~reads[n]):
                m.d.sync += [count.eq(count + 1), fulls[n].eq(count == places - 1), somes[n].eq(1)]
            with m.Elif(reads[n] & ~comes):
                m.d.sync += [count.eq(count - 1), fulls[n].eq(0), somes[n].eq(count != 1)]
        return m
