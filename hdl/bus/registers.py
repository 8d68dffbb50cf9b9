"""The register file: the contract's registers behind one port that every bus shares [T 7.6.2]."""

from dataclasses import fields

from amaranth.hdl import Cat, Const, Module, Mux, ResetInserter, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import CONTRACT_VERSION, IDENTITY, REGISTERS, BusError, register
from hdl.framers import ResultFramer, VerdictFramer
from hdl.shapes.edge import BrokerCounters, BrokerStreams, BusRequest, BusResponse, notifications
from hdl.shapes.publication import DocumentWord
from hdl.stream import Register, StreamFifo

__all__ = ["LINK_COUNTERS", "RegisterFile"]

LINK_COUNTERS = ("segments", "damaged", "repeated", "misfits")

_COUNTED = (
    "accepted", "cancelled", "refused", "dropped", "verdicts", "forgotten", "notified", "without_content", "pinned", "unpinned",
)  # fmt: skip
"""Counters of the broker."""

_INBOUND = ("publication", "subscription", "skeleton")
_DEPTH = 16
_PATIENCE = 256
"""Clocks that a word waits for room."""

_RESET_CLOCKS = 4
_BANK = 3
"""Registers are read eight to a bank, then bank by bank."""


class RegisterFile(wiring.Component):
    """Answers accesses to the registers of :data:`hdl.contract.REGISTERS`.

    It takes a request a clock and answers four clocks later, in order. A word written to a stream waits up to 256 clocks for room, so
    that a
    bus can never be held for good; then it is refused. An access that fails is answered with an error, sets ERROR if that is clear, counts
    in ERRORS, and changes nothing else.

    Parameters
    ----------
    config : BrokerConfig
    windows : bool
        Whether streams are written and read through registers. Without, those registers do not exist.

    Members
    -------
    i, o : In(stream.Signature(BusRequest)), Out(stream.Signature(BusResponse))
    interrupt : Out(1)
    clear, cleared, reset : Out(1), In(1), Out(1)
        Removal of every subscription, and the reset of the broker.
    counters : Out(BrokerCounters(config))
    link : In(32), one for each of LINK_COUNTERS
    streams : Out(BrokerStreams(config)), with ``windows``
    """

    def __init__(self, config, *, windows: bool = True):
        self._config = config
        self._windows = windows
        members = {
            "i": In(stream.Signature(BusRequest)),
            "o": Out(stream.Signature(BusResponse)),
            "interrupt": Out(1),
            "clear": Out(1),
            "cleared": In(1),
            "reset": Out(1),
            "counters": Out(BrokerCounters(config)),
            "link": In(32).array(len(LINK_COUNTERS)),
        }
        if windows:
            members["streams"] = Out(BrokerStreams(config))
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        config, counters = self._config, self.counters
        m.submodules.requests = requests = Register(BusRequest)
        wiring.connect(m, wiring.flipped(self.i), requests.i)
        coming = requests.o.payload
        held = Signal(BusRequest)
        held_valid = Signal()
        advance = Signal()
        executes = Signal()
        m.d.comb += [
            advance.eq(~self.o.valid | self.o.ready),
            requests.o.ready.eq(~held_valid | executes),
        ]
        with m.If(requests.o.ready):
            m.d.sync += [held_valid.eq(requests.o.valid), held.eq(coming)]

        def is_at(offset, name):
            """Whether the request that is held is for this word; decided a clock before it is held."""
            found = Signal(name=f"at_{name}")
            with m.If(requests.o.ready):
                m.d.sync += found.eq(coming.address == offset)
            return found

        # --- What each register reads as; those without an entry here read as 0.
        control_clear = Signal()
        resetting = Signal(range(_RESET_CLOCKS))
        flags = Signal(len(register("interrupt").fields))
        enabled = Signal(len(flags))
        error = Signal(register("error").fields[-1].low + register("error").fields[-1].width)
        errors = Signal(32)
        scratch = Signal(32)
        clocks = Signal(32)
        available = Signal(3)
        values = {
            "id": Const(IDENTITY, 32),
            "version": Const(CONTRACT_VERSION, 32),
            "control": Cat(control_clear, resetting != 0),
            "status": Cat(available, counters.full, counters.hcd, self.interrupt),
            "interrupt": flags,
            "interrupt_enable": enabled,
            "error": error,
            "errors": errors,
            "scratch": scratch,
            "clocks": clocks,
        }
        values |= {f"config_{field.name}": Const(getattr(config, field.name), 32) for field in fields(config)}
        values |= dict(zip(LINK_COUNTERS, self.link, strict=True))
        values |= {"registered": counters.registered, "steps_used": counters.steps_used}
        read = {register(name).offset: value for name, value in values.items()}
        m.d.comb += counters.counter.eq(held.address)
        for name in _COUNTED:
            one = register(name)
            count = config.links if name == "notified" else one.count
            read |= dict.fromkeys(range(one.offset, one.offset + count), counters.count)

        # --- Streams.
        write_room, write_taken, take, waits = [], [], [], []
        if self._windows:
            write_room, write_taken, take, waits = self._streams(m, held, read, available, is_at)

        # --- Execution of the request that is held.
        known, absent, readable, writable = Signal(), Signal(), Signal(), Signal()
        with m.If(requests.o.ready):
            m.d.sync += [known.eq(0), absent.eq(0), readable.eq(0), writable.eq(0)]
        windowed = (*_INBOUND, "result", "verdict", "notification")
        with m.Switch(coming.address):
            for one in REGISTERS:
                count = config.links if one.name.startswith(("notified", "notification")) else one.count
                if not self._windows and one.name.rpartition("_")[0] in windowed:
                    continue
                with m.Case(*range(one.offset, one.offset + count)), m.If(requests.o.ready):
                    if one.feature:
                        m.d.sync += absent.eq(1)
                    else:
                        m.d.sync += [known.eq(1), readable.eq(one.readable), writable.eq(one.writable)]
        room, lacking = Signal(), Signal()
        m.d.comb += [
            room.eq(~Cat(at & ~ready for at, ready in write_room).any()),
            lacking.eq(Cat(at & ~valid for at, valid in waits).any()),
        ]
        waited = Signal(range(_PATIENCE))
        cause = Signal(4)
        with m.If(held.partial):
            m.d.comb += cause.eq(BusError.PARTIAL)
        with m.Elif(absent):
            m.d.comb += cause.eq(BusError.ABSENT)
        with m.Elif(~known):
            m.d.comb += cause.eq(BusError.ADDRESS)
        with m.Elif(Mux(held.write, ~writable, ~readable)):
            m.d.comb += cause.eq(BusError.DIRECTION)
        with m.Elif(held.write & ~room & (waited == _PATIENCE - 1)):
            m.d.comb += cause.eq(BusError.ROOM)
        with m.Elif(~held.write & lacking):
            m.d.comb += cause.eq(BusError.EMPTY)
        good, writes = Signal(), Signal()
        m.d.comb += [
            good.eq(cause == BusError.NONE),
            executes.eq(held_valid & advance & (~good | ~held.write | room)),
            writes.eq(executes & good & held.write),
        ]
        with m.If(executes | ~held_valid):
            m.d.sync += waited.eq(0)
        with m.Elif(waited != _PATIENCE - 1):
            m.d.sync += waited.eq(waited + 1)
        for at, taken in write_taken:
            m.d.comb += taken.eq(writes & at)
        for at, taken in take:
            m.d.comb += taken.eq(executes & good & ~held.write & at)

        # --- Registers that can be written.
        places = {name: is_at(register(name).offset, name) for name in ("interrupt", "interrupt_enable", "scratch", "error", "control")}

        def written(name):
            return writes & places[name]

        events = Cat(available, self.cleared & control_clear, executes & ~good)
        m.d.comb += [
            self.interrupt.eq((flags & enabled).any()),
            self.clear.eq(control_clear),
            self.reset.eq(resetting != 0),
        ]
        m.d.sync += [clocks.eq(clocks + 1), flags.eq(flags | events)]
        with m.If(written("interrupt")):
            m.d.sync += flags.eq((flags & ~held.data[: len(flags)]) | events)
        with m.If(written("interrupt_enable")):
            m.d.sync += enabled.eq(held.data)
        with m.If(written("scratch")):
            m.d.sync += scratch.eq(held.data)
        with m.If(written("error")):
            m.d.sync += error.eq(0)
        with m.If(executes & ~good):
            m.d.sync += errors.eq(errors + 1)
            with m.If(error[:4] == BusError.NONE):
                m.d.sync += error.eq(Cat(cause, held.write, Const(0, 11), held.address))
        with m.If(self.cleared | self.reset):
            m.d.sync += control_clear.eq(0)
        with m.Elif(written("control") & held.data[0]):
            m.d.sync += control_clear.eq(1)
        with m.If(resetting != 0):
            m.d.sync += resetting.eq(resetting - 1)
        with m.Elif(written("control") & held.data[1]):
            m.d.sync += resetting.eq(_RESET_CLOCKS - 1)

        # --- Reading, in two steps.
        banks = sorted({offset >> _BANK for offset in read})
        chosen = Signal(len(banks))
        failed, answers = Signal(), Signal()
        words = [Signal(32, name=f"bank{number:x}") for number in banks]
        with m.If(advance):
            m.d.sync += [
                answers.eq(executes),
                failed.eq(~good),
                self.o.valid.eq(answers),
                self.o.payload.error.eq(failed),
                self.o.payload.data.eq(0),
            ]
            for place, (number, word) in enumerate(zip(banks, words, strict=True)):
                m.d.sync += [chosen[place].eq(good & ~held.write & (held.address[_BANK:] == number)), word.eq(0)]
                with m.Switch(held.address[:_BANK]):
                    for offset in range(number << _BANK, (number + 1) << _BANK):
                        if offset in read:
                            with m.Case(offset & (1 << _BANK) - 1):
                                m.d.sync += word.eq(read[offset])
            gathered = Const(0, 32)
            for place, word in enumerate(words):
                gathered = gathered | Mux(chosen[place], word, 0)
            m.d.sync += self.o.payload.data.eq(gathered)
        return m

    def _streams(self, m, held, read, available, is_at):
        """The queues before and after the broker. For the words that are asked for: which can take one, the signals that hand it over, the
        signals that take one out, and which have one."""
        room, taken, take, waits = [], [], [], []
        config, streams = self._config, self.streams
        queued = ResetInserter(self.reset)
        for name in _INBOUND:
            fifo = StreamFifo(DocumentWord, _DEPTH)
            m.submodules[name] = queued(fifo)
            wiring.connect(m, fifo.o, wiring.flipped(getattr(streams, name)))
            read[register(f"{name}_state").offset] = _DEPTH - fifo.level
            sizes = [(f"{name}_data", 4, 0), *((f"{name}_end{size}", size, 1) for size in range(5))]
            hits = [is_at(register(place).offset, place) for place, _, _ in sizes]
            for hit, (_, count, last) in zip(hits, sizes, strict=True):
                with m.If(hit):
                    m.d.comb += [
                        fifo.i.payload.data.eq(held.data[: 8 * count]),
                        fifo.i.payload.count.eq(count),
                        fifo.i.payload.last.eq(last),
                    ]
            hit = Cat(hits).any()
            room.append((hit, fifo.i.ready))
            taken.append((hit, fifo.i.valid))

        results, verdicts = ResultFramer(config), VerdictFramer(config)
        m.submodules.results, m.submodules.verdicts = queued(results), queued(verdicts)
        wiring.connect(m, wiring.flipped(streams.result), results.i)
        wiring.connect(m, wiring.flipped(streams.verdict), verdicts.i)
        number = Signal(32)
        m.d.comb += [verdicts.i_reference.valid.eq(1), verdicts.i_reference.payload.eq(number)]
        with m.If(self.reset):
            m.d.sync += number.eq(0)
        with m.Elif(verdicts.i.valid & verdicts.i.ready):
            m.d.sync += number.eq(number + 1)
        outbound = [("result", 0, results.o), ("verdict", 0, verdicts.o)]
        links = enumerate(notifications(config))
        outbound += [("notification", link, wiring.flipped(getattr(streams, name))) for link, name in links]
        valids = {}
        for name, place, source in outbound:
            fifo = StreamFifo(DocumentWord, _DEPTH)
            m.submodules[f"{name}{place}"] = queued(fifo)
            wiring.connect(m, source, fifo.i)
            state, offset = register(f"{name}_state").offset + place, register(f"{name}_data").offset + place
            word = fifo.o.payload
            read[state] = Mux(fifo.o.valid, Cat(Const(1, 1), word.last, word.count), 0)
            read[offset] = word.data
            at = is_at(offset, f"{name}_data{place}")
            take.append((at, fifo.o.ready))
            waits.append((at, fifo.o.valid))
            valids.setdefault(name, []).append(fifo.o.valid)
        m.d.comb += available.eq(Cat(Cat(valids[name]).any() for name in ("result", "verdict", "notification")))
        return room, taken, take, waits
