"""Every front and the host link in one top, with a mirror where each has its broker: what mutants of the fronts live in.

A mirror answers what a front asks for with numbers that depend on every bit that it was given. So a plain model says what must come out,
the model is small, and all fronts are one program.
"""

from unittest import mock

from amaranth.hdl import Cat, Const, Fragment, Module, Mux, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.broker import Broker
from hdl.link.uart import UartReceiver, UartTransmitter
from hdl.stream import StreamFifo
from hdl.system import AvalonBroker, AxiBroker, HostedBroker, WishboneBroker

__all__ = ["Fronts", "Mirror"]

_PATIENCE = 700
"""Clocks after which the host link sends again: long enough for a segment of full length."""

_DIVISOR = 8
_HOLDING = 0xFF
_CLEARING = 20
_ANSWERS = 4


class Mirror(wiring.Component):
    """Has the members of :class:`hdl.broker.Broker`.

    ======================  ==========================================================================================================
    given                   answer
    ======================  ==========================================================================================================
    publication             the same words as a notification, on each link in turn, but four bytes 0 for a word without bytes, which no
                            frame has; a verdict with ``offset`` the sum of its words, ``bytes`` their bytes, ``verdict`` and ``code``
                            the sum's low bits, ``matches`` the low bits of ``bytes``
    subscription            a result with ``refusal`` and ``link`` from its first word, ``key`` from the three words after it
    skeleton                nothing; after a word with ones in its high byte no other is taken for as many clocks as its low half says
    clear                   ``cleared`` 20 clocks later
    ``counter``             the number in each byte of ``count``, but packets of the skeleton at 17 and the sum of their words at 18
    ======================  ==========================================================================================================

    ``registered`` counts subscriptions, ``steps_used`` their bytes; ``full`` and ``hcd`` are the low bits of the latest subscription's and
    the latest skeleton's last word.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(Broker(config).signature)

    def elaborate(self, platform):
        m = Module()
        publication, subscription, skeleton = self.publication, self.subscription, self.skeleton
        m.submodules.verdicts = verdicts = StreamFifo(self.verdict.payload.shape(), _ANSWERS)
        m.submodules.results = results = StreamFifo(self.result.payload.shape(), _ANSWERS)
        wiring.connect(m, verdicts.o, wiring.flipped(self.verdict))
        wiring.connect(m, results.o, wiring.flipped(self.result))

        link, total, size = Signal(range(self._config.links)), Signal(32), Signal(32)
        whole, length = Signal(32), Signal(32)
        given, taken, ended = publication.payload, Signal(), Signal()
        m.d.comb += [
            whole.eq(total + given.data),
            length.eq(size + given.count),
            taken.eq(publication.valid & publication.ready),
            ended.eq(taken & given.last),
            verdicts.i.valid.eq(ended),
            verdicts.i.payload.verdict.verdict.eq(whole),
            verdicts.i.payload.verdict.code.eq(whole[2:]),
            verdicts.i.payload.verdict.offset.eq(whole),
            verdicts.i.payload.verdict.bytes.eq(length),
            verdicts.i.payload.matches.eq(length),
        ]
        with m.Switch(link):
            for number, port in enumerate(self.notification):
                m.d.comb += [port.payload.eq(given), port.payload.count.eq(Mux(given.count == 0, 4, given.count))]
                with m.Case(number):
                    m.d.comb += [
                        port.valid.eq(publication.valid & verdicts.i.ready),
                        publication.ready.eq(port.ready & verdicts.i.ready),
                    ]
        with m.If(taken):
            m.d.sync += [total.eq(Mux(given.last, 0, whole)), size.eq(Mux(given.last, 0, length))]
        with m.If(ended):
            m.d.sync += link.eq(Mux(link == self._config.links - 1, 0, link + 1))

        words = [Signal(32, name=f"word{number}") for number in range(4)]
        index, pending = Signal(range(len(words) + 1)), Signal()
        result, first = results.i.payload, words[0]
        m.d.comb += [
            subscription.ready.eq(~pending),
            results.i.valid.eq(pending),
            result.refusal.eq(first[24:]),
            result.link.eq(first[12:]),
            result.key.osid.eq(Cat(words[1], words[2])),
            result.key.reference.eq(words[3]),
        ]
        with m.If(pending & results.i.ready):
            m.d.sync += [pending.eq(0), index.eq(0), *(word.eq(0) for word in words)]
        with m.If(subscription.valid & subscription.ready):
            for number, word in enumerate(words):
                with m.If(index == number):
                    m.d.sync += [word.eq(subscription.payload.data), index.eq(number + 1)]
            m.d.sync += self.steps_used.eq(self.steps_used + subscription.payload.count)
            with m.If(subscription.payload.last):
                m.d.sync += [pending.eq(1), self.registered.eq(self.registered + 1), self.full.eq(subscription.payload.data)]

        held, names, mixed = Signal(16), Signal(32), Signal(32)
        m.d.comb += skeleton.ready.eq(held == 0)
        with m.If(held != 0):
            m.d.sync += held.eq(held - 1)
        with m.Elif(skeleton.valid):
            m.d.sync += mixed.eq(mixed + skeleton.payload.data + skeleton.payload.count)
            with m.If(skeleton.payload.data[24:] == _HOLDING):
                m.d.sync += held.eq(skeleton.payload.data)
            with m.If(skeleton.payload.last):
                m.d.sync += [names.eq(names + 1), self.hcd.eq(skeleton.payload.data)]
        m.d.comb += self.count.eq(Cat(Cat(self.counter, Const(0, 8 - len(self.counter))) for _ in range(4)))
        with m.If(self.counter == 17):
            m.d.comb += self.count.eq(names)
        with m.If(self.counter == 18):
            m.d.comb += self.count.eq(mixed)

        clearing = Signal(range(_CLEARING + 1))
        m.d.comb += self.cleared.eq(clearing == _CLEARING)
        m.d.sync += clearing.eq(Mux(self.clear & ~self.cleared, clearing + 1, 0))
        with m.If(self.cleared):
            m.d.sync += [self.registered.eq(0), self.steps_used.eq(0)]
        return m


class Fronts(wiring.Component):
    """The tops of :mod:`hdl.system` with mirrors, and a UART; their ports have their own names, but each bus an interrupt of its own."""

    def __init__(self, config):
        with mock.patch("hdl.system.Broker", Mirror):
            self._tops = {
                "avalon": AvalonBroker(config),
                "wishbone": WishboneBroker(config),
                "axi": AxiBroker(config),
                "hosted": HostedBroker(config, patience=_PATIENCE),
            }
        members = {
            "uart_rx": In(1, init=1),
            "uart_tx": Out(1, init=1),
            "received": Out(stream.Signature(8)),
            "transmitted": In(stream.Signature(8)),
        }
        self._names = {}
        for top, unit in self._tops.items():
            for name, member in unit.signature.members.items():
                outer = f"{top}_{name}" if name == "irq" else name
                self._names[outer] = (top, name)
                members[outer] = member
        super().__init__(members)

    def elaborate(self, platform):
        m = Module()
        m.submodules.receiver = receiver = UartReceiver(divisor=_DIVISOR)
        m.submodules.transmitter = transmitter = UartTransmitter(divisor=_DIVISOR)
        m.d.comb += [receiver.pin.eq(self.uart_rx), self.uart_tx.eq(transmitter.pin)]
        wiring.connect(m, receiver.o, wiring.flipped(self.received))
        wiring.connect(m, wiring.flipped(self.transmitted), transmitter.i)
        for outer, (top, name) in self._names.items():
            inner, port = getattr(self._tops[top], name), getattr(self, outer)
            member = self.signature.members[outer]
            if member.is_signature:
                wiring.connect(m, *((wiring.flipped(port), inner) if member.flow == In else (inner, wiring.flipped(port))))
            else:
                m.d.comb += inner.eq(port) if member.flow == In else port.eq(inner)
        # What is laid out here finds the mirror in the broker's place.
        with mock.patch("hdl.system.Broker", Mirror):
            for top, unit in self._tops.items():
                m.submodules[top] = Fragment.get(unit, platform)
        return m
