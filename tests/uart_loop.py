"""A UART that sends back what it receives."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from hdl.link.uart import UartReceiver, UartTransmitter
from hdl.stream import StreamFifo

__all__ = ["UartLoop"]


class UartLoop(wiring.Component):
    """Receiver, queue, transmitter."""

    rx: In(1, init=1)
    tx: Out(1, init=1)

    def __init__(self, *, divisor: int):
        self._divisor = divisor
        super().__init__()

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = UartReceiver(divisor=self._divisor)
        m.submodules.queue = queue = StreamFifo(8, 16)
        m.submodules.transmitter = transmitter = UartTransmitter(divisor=self._divisor)
        wiring.connect(m, receiver.o, queue.i)
        wiring.connect(m, queue.o, transmitter.i)
        m.d.comb += [receiver.pin.eq(self.rx), self.tx.eq(transmitter.pin)]
        return m
