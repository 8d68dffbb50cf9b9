"""The broker with a front: what a larger design instantiates, under the names that the bus's users expect."""

from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, ResetInserter, ResetSignal, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.broker import Broker
from hdl.bus.avalon import Xavi
from hdl.bus.axi_lite import AxiLiteFront
from hdl.bus.axi_stream import AxisInput, AxisOutput, AxisSignature
from hdl.bus.registers import RegisterFile
from hdl.bus.wishbone import WishboneFront
from hdl.framers import ResultFramer, VerdictFramer
from hdl.link.host import HostPort
from hdl.link.uart import UartReceiver, UartTransmitter
from hdl.shapes.edge import BrokerCounters, BrokerStreams, notifications

__all__ = ["AvalonBroker", "AxiBroker", "ControlledBroker", "HostedBroker", "UartBroker", "WishboneBroker", "connect_streams"]


def connect_streams(m, front, broker) -> None:
    """Connect a front's :class:`hdl.shapes.edge.BrokerStreams` to the broker."""
    for name in ("publication", "subscription", "skeleton"):
        wiring.connect(m, getattr(front, name), getattr(broker, name))
    for name in ("result", "verdict"):
        wiring.connect(m, getattr(broker, name), getattr(front, name))
    for link, source in enumerate(broker.notification):
        wiring.connect(m, source, getattr(front, f"notification_{link}"))


class ControlledBroker(wiring.Component):
    """The broker with its register file; the register file's reset reaches the broker.

    Parameters
    ----------
    config : BrokerConfig
    windows : bool
        Whether streams go through registers, see :class:`hdl.bus.registers.RegisterFile`; otherwise they are members.

    Members
    -------
    i, o, interrupt, link : those of the register file
    restart : In(1)
        Resets the broker, like the register.
    reset : Out(1)
        The register resets the broker: what has been held back for it is void.
    streams : In(BrokerStreams(config)), without ``windows``
    """

    def __init__(self, config, *, windows: bool = True):
        self._config = config
        self._windows = windows
        self._registers = RegisterFile(config, windows=windows)
        given = self._registers.signature.members
        members = {name: given[name] for name in ("i", "o", "interrupt", "link", "reset")}
        members["restart"] = In(1)
        if not windows:
            members["streams"] = In(BrokerStreams(config))
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.registers = registers = self._registers
        broker = Broker(self._config)
        # In a domain of its own, whose reset is a register, a clock late: what resets so much must not be the result of logic.
        m.domains.broker = ClockDomain("broker", local=True)
        reset = Signal(init=1)
        m.d.sync += reset.eq(registers.reset | self.restart)
        m.d.comb += [ClockSignal("broker").eq(ClockSignal()), ResetSignal("broker").eq(reset)]
        m.submodules.broker = DomainRenamer("broker")(broker)
        wiring.connect(m, wiring.flipped(self.i), registers.i)
        wiring.connect(m, registers.o, wiring.flipped(self.o))
        m.d.comb += [
            self.interrupt.eq(registers.interrupt),
            self.reset.eq(registers.reset),
            broker.clear.eq(registers.clear),
            registers.cleared.eq(broker.cleared),
        ]
        for inner, outer in zip(registers.link, self.link, strict=True):
            m.d.comb += inner.eq(outer)
        for name, member in BrokerCounters(self._config).members.items():
            ours, theirs = getattr(registers.counters, name), getattr(broker, name)
            m.d.comb += ours.eq(theirs) if member.flow == In else theirs.eq(ours)
        connect_streams(m, registers.streams if self._windows else wiring.flipped(self.streams), broker)
        return m


class _Fronted(wiring.Component):
    """A front before the register file; its bus is what shows outside."""

    front: type

    def __init__(self, config, *, windows: bool = True):
        self._front = self.front()
        self._broker = ControlledBroker(config, windows=windows)
        members = self._front.signature.members
        self._ports = [name for name in members if name not in ("i", "o", "interrupt")]
        super().__init__({name: members[name] for name in self._ports} | self._more())

    def _more(self):
        return {}

    def elaborate(self, platform):
        m = Module()
        m.submodules.front = front = self._front
        m.submodules.broker = broker = self._broker
        wiring.connect(m, front.o, broker.i)
        wiring.connect(m, broker.o, front.i)
        m.d.comb += front.interrupt.eq(broker.interrupt)
        for name in self._ports:
            inner, outer = getattr(front, name), getattr(self, name)
            m.d.comb += inner.eq(outer) if self.signature.members[name].flow == In else outer.eq(inner)
        return m


class AvalonBroker(_Fronted):
    """The broker behind XAVI: see :class:`hdl.bus.avalon.Xavi` for the ports and :class:`hdl.bus.registers.RegisterFile` for the
    registers."""

    front = Xavi


class WishboneBroker(_Fronted):
    """The broker behind Wishbone: see :class:`hdl.bus.wishbone.WishboneFront`."""

    front = WishboneFront


class AxiBroker(_Fronted):
    """The broker with registers on AXI4-Lite and everything that flows on AXI4-Stream.

    ``s_axis_publication``, ``s_axis_subscription`` and ``s_axis_skeleton`` take packets, ``m_axis_result``, ``m_axis_verdict`` and
    ``m_axis_notification_<link>`` give frames; see :class:`hdl.bus.axi_stream.AxisInput` for packets that are not proper. ``axis_error``
    is 1 from the first of them until the reset.
    """

    front = AxiLiteFront
    _INPUTS = ("publication", "subscription", "skeleton")

    def __init__(self, config):
        self._config = config
        self._outputs = ["result", "verdict", *notifications(config)]
        super().__init__(config, windows=False)

    def _more(self):
        members = {"axis_error": Out(1)}
        for flow, prefix, names in ((In, "s_axis", self._INPUTS), (Out, "m_axis", self._outputs)):
            for name in names:
                for part, member in AxisSignature().members.items():
                    outward = member.flow == flow
                    members[f"{prefix}_{name}_{part}"] = (Out if outward else In)(member.shape)
        return members

    def elaborate(self, platform):
        m = super().elaborate(platform)
        config, broker = self._config, self._broker
        voided = ResetInserter(broker.reset)

        def join(axis, prefix, *, source):
            for part, member in AxisSignature().members.items():
                inner, outer = getattr(axis, part), getattr(self, f"{prefix}_{part}")
                m.d.comb += outer.eq(inner) if (member.flow == Out) == source else inner.eq(outer)

        errors = Signal(len(self._INPUTS))
        for place, name in enumerate(self._INPUTS):
            unit = AxisInput()
            m.submodules[f"s_{name}"] = voided(unit)
            join(unit.axis, f"s_axis_{name}", source=False)
            wiring.connect(m, unit.o, getattr(broker.streams, name))
            m.d.comb += errors[place].eq(unit.error)
        with m.If(broker.reset):
            m.d.sync += self.axis_error.eq(0)
        with m.Elif(errors.any()):
            m.d.sync += self.axis_error.eq(1)

        results, verdicts = ResultFramer(config), VerdictFramer(config)
        m.submodules.results, m.submodules.verdicts = voided(results), voided(verdicts)
        wiring.connect(m, broker.streams.result, results.i)
        wiring.connect(m, broker.streams.verdict, verdicts.i)
        number = Signal(32)
        m.d.comb += [verdicts.i_reference.valid.eq(1), verdicts.i_reference.payload.eq(number)]
        with m.If(broker.reset):
            m.d.sync += number.eq(0)
        with m.Elif(verdicts.i.valid & verdicts.i.ready):
            m.d.sync += number.eq(number + 1)
        links = [getattr(broker.streams, name) for name in notifications(config)]
        for name, source in zip(self._outputs, [results.o, verdicts.o, *links], strict=True):
            unit = AxisOutput()
            m.submodules[f"m_{name}"] = voided(unit)
            wiring.connect(m, source, unit.i)
            join(unit.axis, f"m_axis_{name}", source=True)
        return m


class HostedBroker(wiring.Component):
    """The broker behind the host link, with the line as bytes.

    Parameters
    ----------
    config : BrokerConfig
    patience : int
        See :class:`hdl.link.window.Link`.

    Members
    -------
    rx, tx : In(stream.Signature(8)), Out(stream.Signature(8))
    open : Out(1)
        There is a session.
    fault : Out(1)
        A segment was damaged or had to be sent again, or a frame fitted nowhere, since the reset.
    """

    def __init__(self, config, *, patience: int = 4096):
        self._config = config
        self._patience = patience
        super().__init__({"rx": In(stream.Signature(8)), "tx": Out(stream.Signature(8)), "open": Out(1), "fault": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.host = host = HostPort(self._config, patience=self._patience)
        m.submodules.broker = broker = ControlledBroker(self._config, windows=False)
        for source, sink in (
            (wiring.flipped(self.rx), host.rx),
            (host.tx, wiring.flipped(self.tx)),
            (host.streams, broker.streams),
            (host.request, broker.i),
            (broker.o, host.response),
        ):
            wiring.connect(m, source, sink)
        _, damaged, repeated, misfits = host.counters
        m.d.comb += [host.close.eq(broker.reset), broker.restart.eq(host.reset), self.open.eq(host.open)]
        m.d.comb += [inner.eq(count) for inner, count in zip(broker.link, host.counters, strict=True)]
        m.d.sync += self.fault.eq((damaged != 0) | (repeated != 0) | (misfits != 0))
        return m


class UartBroker(wiring.Component):
    """The broker behind the host link on a UART: what a board's top holds.

    Parameters
    ----------
    config : BrokerConfig
    divisor : int
        Clocks of a bit, see :func:`hdl.link.uart.divisor_of`.
    patience : int
        See :class:`hdl.link.window.Link`; by default the time of 4096 bytes.

    Members
    -------
    rx, tx : In(1), Out(1)
        The line.
    open, fault : Out(1)
        See :class:`HostedBroker`.
    receives, sends : Out(1)
        A byte came; a byte goes out.
    """

    rx: In(1, init=1)
    tx: Out(1, init=1)
    open: Out(1)
    fault: Out(1)
    receives: Out(1)
    sends: Out(1)

    def __init__(self, config, *, divisor: int = 8, patience: int | None = None):
        self._config, self._divisor = config, divisor
        self._patience = 4096 * 10 * divisor if patience is None else patience
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = UartReceiver(divisor=self._divisor)
        m.submodules.transmitter = transmitter = UartTransmitter(divisor=self._divisor)
        m.submodules.hosted = hosted = HostedBroker(self._config, patience=self._patience)
        wiring.connect(m, receiver.o, hosted.rx)
        wiring.connect(m, hosted.tx, transmitter.i)
        m.d.comb += [
            receiver.pin.eq(self.rx),
            self.tx.eq(transmitter.pin),
            self.open.eq(hosted.open),
            self.fault.eq(hosted.fault),
            self.receives.eq(receiver.o.valid),
            self.sends.eq(transmitter.i.valid),
        ]
        return m
