"""The bits of the rows: which are free, and what registration remembers of the others."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.crt.entries import StepRecord, StoredBit
from hdl.crt.space import RunSpace
from hdl.shapes.widths import step_width
from hdl.stream import BlockRam

__all__ = ["BitTable", "Room", "RunPlace"]


class RunPlace(data.StructLayout):
    """Where a run is: its first bit and how many there are."""

    def __init__(self, config):
        super().__init__({"first": step_width(config), "length": range(config.subscription_steps + 1)})


class Room(data.StructLayout):
    """Whether there is room for a run, and its first bit."""

    def __init__(self, config):
        super().__init__({"found": 1, "first": step_width(config)})


class BitTable(wiring.Component):
    """Finds room for runs and remembers a record of each bit.

    Looking for room costs a clock for each bit looked at and five more, see :class:`hdl.crt.space.RunSpace`. Reading a run costs 3 clocks
    for each bit.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    length : ``In(stream)``
        Looks for room for so many bits, at least 1; taken when not looking, and while no run is read.
    room : ``Out(stream.Signature(Room(config), always_ready=True))``
        The answer. What was found is to be taken by writing it, or is looked for again.
    take : ``In(1)``
        The room found last is taken: it is looked for behind it next time.
    empty : ``In(1)``
        All bits are free; not while looking.
    write, step, record : ``In(1)``, ``In``, ``In(StepRecord(config))``
        Writes a record in this clock; not while looking.
    read : ``In(stream.Signature(RunPlace(config)))``
        Reads a run, whatever of the run before has not been taken.
    bit : ``Out(stream.Signature(StoredBit(config)))``
        Its bits in order.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "length": In(stream.Signature(range(config.subscription_steps + 1))),
                "room": Out(stream.Signature(Room(config), always_ready=True)),
                "take": In(1),
                "empty": In(1),
                "write": In(1),
                "step": In(step_width(config)),
                "record": In(StepRecord(config)),
                "read": In(stream.Signature(RunPlace(config))),
                "bit": Out(stream.Signature(StoredBit(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        m.submodules.space = space = RunSpace(config)
        depth = 1 << step_width(config)
        m.submodules.records = records = BlockRam(shape=StepRecord(config), depth=depth, output_register=True)
        address, left = Signal(step_width(config)), Signal(range(config.subscription_steps + 1))
        age = Signal(range(3))  # clocks that the address has stood there; two make it known

        # Room.
        looking, length = Signal(), Signal.like(self.length.payload)
        m.d.comb += [
            self.length.ready.eq(~looking),
            space.start.eq(self.length.valid & ~looking),
            space.length.eq(length),
            space.take.eq(self.take),
            space.restart.eq(self.empty),
            space.used.eq(records.read[0].data.used),
            self.room.valid.eq(looking & ~space.busy),
            self.room.payload.found.eq(space.found),
            self.room.payload.first.eq(space.first),
        ]
        with m.If(~looking):
            m.d.sync += length.eq(self.length.payload)
        m.d.sync += looking.eq(Mux(looking, space.busy, self.length.valid))

        # Records.
        scans = space.start | space.busy
        m.d.comb += [
            records.read[0].en.eq(1),
            records.read[0].addr.eq(Mux(scans, space.step, address)),
            records.write.en.eq(self.write | space.frees),
            records.write.addr.eq(Mux(space.frees, space.step, self.step)),
            records.write.data.eq(Mux(space.frees, 0, self.record)),
            self.read.ready.eq(1),
        ]

        # A run is read a bit ahead of what is taken.
        moves = (left != 0) & (age == 2) & (~self.bit.valid | self.bit.ready)
        with m.If(age != 2):
            m.d.sync += age.eq(age + 1)
        with m.If(self.bit.ready):
            m.d.sync += self.bit.valid.eq(0)
        with m.If(moves):
            m.d.sync += [
                self.bit.valid.eq(1),
                self.bit.payload.step.eq(address),
                self.bit.payload.record.eq(records.read[0].data),
                self.bit.payload.last.eq(left == 1),
                address.eq(address + 1),
                left.eq(left - 1),
                age.eq(0),
            ]
        with m.If(self.read.valid):
            m.d.sync += [address.eq(self.read.payload.first), left.eq(self.read.payload.length), age.eq(0), self.bit.valid.eq(0)]
        return m
