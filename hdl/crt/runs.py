"""The runs of bits that subscriptions have: by t-SID, and by the hash of what they ask."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.crt.entries import BUCKET_BITS, RunRecord
from hdl.shapes.tables import TestLink
from hdl.shapes.widths import step_width, tsid_place_width, tsid_width
from hdl.stream import BlockRam

__all__ = ["RunAnswer", "RunOp", "RunRequest", "RunTable"]


class RunOp(enum.Enum, shape=unsigned(3)):
    """Requests to the table of runs."""

    CHAIN = 0
    """The first run whose hash is ``run.bucket``."""
    NEXT = 1
    """The run behind the one that begins with ``run.first``, in the chain of its hash."""
    LOOK = 2
    """The run of ``tsid``."""
    FOUND = 3
    """``tsid`` has ``run``, which no other one has: it goes to the chain of its hash."""
    JOIN = 4
    """``tsid`` has ``run``, as others have."""
    FORGET = 5
    """``run``, which no t-SID has any more, leaves the chain of its hash."""


class RunRequest(data.StructLayout):
    """A request and its operands."""

    def __init__(self, config):
        super().__init__({"op": RunOp, "tsid": tsid_width(config), "run": RunRecord(config)})


class RunAnswer(data.StructLayout):
    """The first bit of a run if there is one (CHAIN, NEXT), or the ``run`` of a t-SID (LOOK)."""

    def __init__(self, config):
        super().__init__({"first": TestLink(config), "run": RunRecord(config)})


class RunTable(wiring.Component):
    """Remembers which run each t-SID has, and chains the runs that have the same hash.

    Each request is answered: CHAIN, NEXT, LOOK and FOUND after 3 clocks, JOIN after 1, FORGET after 3 and 3 more for each run before it in
    its chain.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    request : ``In(stream.Signature(RunRequest(config)))``
        Taken when nothing is under way.
    answer : ``Out(stream.Signature(RunAnswer(config), always_ready=True))``
    clear, clear_address : ``In``
        Empties the chain of this hash in the next clock, while nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "request": In(stream.Signature(RunRequest(config))),
                "answer": Out(stream.Signature(RunAnswer(config), always_ready=True)),
                "clear": In(1),
                "clear_address": In(BUCKET_BITS),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        link = TestLink(config)
        # Runs by t-SID, and behind them the first of the runs with each hash; by first bit the run behind it in its chain.
        run_bits = max(tsid_place_width(config), BUCKET_BITS)
        m.submodules.runs = runs = BlockRam(shape=RunRecord(config), depth=2 << run_bits, output_register=True)
        m.submodules.chains = chains = BlockRam(shape=link, depth=1 << step_width(config), output_register=True)
        first = data.View(link, runs.read[0].data.as_value()[: link.size])
        behind = chains.read[0].data
        m.d.comb += [runs.read[0].en.eq(1), chains.read[0].en.eq(1)]

        request = Signal(RunRequest(config))
        given = Signal(RunRequest(config))
        idle = Signal()
        m.d.comb += given.eq(Mux(idle, self.request.payload, request))
        tsid_place = Cat(given.tsid[:run_bits], Const(0, run_bits + 1))[: run_bits + 1]
        bucket_place = Cat(given.run.bucket, Const(0, run_bits - BUCKET_BITS), Const(1, 1))

        # Writes come from registers.
        write = Signal(data.StructLayout({"en": 1, "addr": run_bits + 1, "data": RunRecord(config)}))
        m.d.comb += [runs.write.en.eq(write.en), runs.write.addr.eq(write.addr), runs.write.data.eq(write.data)]
        m.d.sync += write.en.eq(0)

        def put_first(value):
            m.d.sync += [write.en.eq(1), write.addr.eq(bucket_place), write.data.as_value()[: link.size].eq(value)]

        current, after = Signal(link), Signal(link)
        asked = Signal(2)  # the reads of one and two clocks ago
        m.d.comb += [
            runs.read[0].addr.eq(Mux(given.op == RunOp.LOOK, tsid_place, bucket_place)),
            chains.read[0].addr.eq(Mux(idle, self.request.payload.run.first, current.step)),
        ]
        m.d.sync += [asked.eq(asked << 1), self.answer.valid.eq(0)]

        def ask():
            """What is addressed in this clock is known when ``asked`` has reached its second bit."""
            m.d.sync += asked.eq(1)

        def finish():
            m.d.sync += self.answer.valid.eq(1)
            m.next = "IDLE"

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a request; whatever it may need is asked for with it.
                m.d.comb += [idle.eq(1), self.request.ready.eq(1)]
                m.d.sync += [request.eq(self.request.payload), current.valid.eq(1), current.step.eq(self.request.payload.run.first)]
                with m.If(self.request.valid):
                    ask()
                    m.next = "KNOWN"
                    with m.If((given.op == RunOp.JOIN) | (given.op == RunOp.FOUND)):
                        m.d.sync += [write.en.eq(1), write.addr.eq(tsid_place), write.data.eq(given.run)]
                    with m.If(given.op == RunOp.JOIN):
                        finish()
            with m.State("KNOWN"):
                # Waits for both memories; then the request can be answered, or the chain be changed.
                m.d.sync += [
                    self.answer.payload.first.eq(Mux(request.op == RunOp.NEXT, behind, first)),
                    self.answer.payload.run.eq(runs.read[0].data),
                    after.eq(behind),
                ]
                m.d.comb += [chains.write.addr.eq(request.run.first), chains.write.data.eq(first)]
                with m.If(asked[1]):
                    finish()
                    with m.If(request.op == RunOp.FOUND):
                        m.d.comb += chains.write.en.eq(1)
                        put_first(Cat(request.run.first, 1))
                    with m.If(request.op == RunOp.FORGET):
                        m.d.sync += current.eq(first)
                        m.d.sync += self.answer.valid.eq(0)
                        m.next = "WALK"
                        with m.If(first.step == request.run.first):
                            put_first(behind)
                            finish()
            with m.State("WALK"):
                # Asks for the run behind the current one.
                ask()
                m.next = "BEHIND"
            with m.State("BEHIND"):
                # The one before the run passes it by.
                m.d.comb += [chains.write.addr.eq(current.step), chains.write.data.eq(after)]
                with m.If(asked[1]):
                    m.d.sync += current.eq(behind)
                    m.next = "WALK"
                    with m.If(behind.step == request.run.first):
                        m.d.comb += chains.write.en.eq(1)
                        finish()

        with m.If(self.clear):
            m.d.sync += [
                write.en.eq(1),
                write.addr.eq(Cat(self.clear_address, Const(0, run_bits - BUCKET_BITS), Const(1, 1))),
                write.data.eq(0),
            ]
        return m
