"""Holds registration back until the publications that a subscription wants to see are kept."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import memory, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Content, Semantics
from hdl.shapes.notification import AttributeQuery, SelectMark
from hdl.shapes.program import CrtCommand, CrtOp, CrtResponse, RegistrationCommand, RegistrationResponse
from hdl.shapes.publication import Retention
from hdl.shapes.widths import tsid_place_width, tsid_width

__all__ = ["RegistrationInterlock"]

_TOGETHER = 2
"""Bits of a t-SID that number those in one place of a look-up table."""


class RegistrationInterlock(wiring.Component):
    """Stands between the SPU and the CRT and counts the subscriptions that want publications or parts of them.

    Commands and responses pass unchanged, one at a time, and a command three clocks after a response at the earliest. The first
    subscription that wants bytes of publications is let through only when every publication that began before ``keep`` rose has been
    notified, so that none is matched by it whose bytes may be gone. Selected nodes are for exact subscriptions; one with containment
    semantics selects none.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i_command, o_command : In(stream), Out(stream)
        From the SPU, with what the subscription asks for, to the CRT.
    i_response, o_response : In(stream), Out(stream)
        From the CRT to the SPU.
    retention : In(Retention())
        Of the store of publications.
    select : Out(stream.Signature(SelectMark(config), always_ready=True))
        To the selection log: for one clock when a subscription is accepted.
    attributes : Out(AttributeQuery(config))
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i_command": In(stream.Signature(RegistrationCommand(config))),
                "o_command": Out(stream.Signature(CrtCommand(config))),
                "i_response": In(stream.Signature(RegistrationResponse(config))),
                "o_response": Out(stream.Signature(CrtResponse)),
                "retention": In(Retention()),
                "select": Out(stream.Signature(SelectMark(config), always_ready=True)),
                "attributes": Out(AttributeQuery(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        width = tsid_width(self._config)
        place_width = max(tsid_place_width(self._config), _TOGETHER + 1)
        command = Signal(CrtCommand(self._config))
        coming, asked_for = self.i_command.payload.command, self.i_command.payload.content
        accepted = Signal()

        def flags(name, value, *others):
            """A bit for each t-SID, set to ``value`` for the command's when that is accepted, and read a clock later, for the command's
            long before the CRT responds; look-up tables hold four bits a place, so that four t-SIDs share one."""
            # never in block RAM, behind whose slow output a bit would be chosen
            attrs = {"ram_style": "distributed"}
            m.submodules[name] = store = memory.Memory(shape=1 << _TOGETHER, depth=1 << (place_width - _TOGETHER), init=[], attrs=attrs)
            write = store.write_port()
            read = []
            for number, tsid in enumerate((command.tsid, *others)):
                port = store.read_port(domain="comb")
                place, low = Signal(1 << _TOGETHER, name=f"{name}_place{number}"), Signal(_TOGETHER, name=f"{name}_low{number}")
                m.d.comb += port.addr.eq(tsid[_TOGETHER:])
                m.d.sync += [place.eq(port.data), low.eq(tsid[:_TOGETHER])]
                read.append((place, low))
            own = read[0][0]
            chosen = (1 << command.tsid[:_TOGETHER])[: 1 << _TOGETHER]
            m.d.comb += [
                write.addr.eq(command.tsid[_TOGETHER:]),
                write.data.eq(Mux(value, own | chosen, own & ~chosen)),
                write.en.eq(accepted),
            ]
            return [place.bit_select(low, 1) for place, low in read]

        registers = Signal()
        wants = Signal()
        selects = Signal()
        count, none, less = Signal(width), Signal(init=1), Signal()
        m.d.sync += none.eq(count == 0)
        target = Signal(16)
        behind = Signal(16)
        m.d.comb += [
            registers.eq(command.op == CrtOp.REGISTER),
            behind.eq(self.retention.finished - target),
            self.o_command.payload.eq(command),
            self.o_response.payload.refusal.eq(self.i_response.payload.refusal),
            self.retention.keep.eq(count != 0),
        ]

        (wanted,) = flags("marks", wants)
        asked = Signal(width)
        m.d.sync += asked.eq(self.attributes.tsid)
        _, attribute = flags("attributes", self.i_response.payload.final, asked)
        m.d.comb += self.attributes.attribute.eq(attribute)
        m.d.sync += [
            self.select.valid.eq(accepted),
            self.select.payload.step.eq(self.i_response.payload.last_step),
            self.select.payload.shared.eq(self.i_response.payload.shared),
            self.select.payload.wanted.eq(selects),
        ]
        with m.FSM():
            # Commands pass in the clock in which they come, but for the first that wants bytes of publications.
            with m.State("IDLE"):
                asks = Signal()
                first = Signal()
                nodes = Signal()
                m.d.comb += [
                    nodes.eq((asked_for == Content.SELECTED) & (coming.semantics == Semantics.EXACT)),
                    asks.eq((coming.op == CrtOp.REGISTER) & ((asked_for == Content.WHOLE) | nodes)),
                    first.eq(asks & none),
                    self.o_command.payload.eq(coming),
                    self.o_command.valid.eq(self.i_command.valid & ~first),
                    self.i_command.ready.eq(self.o_command.ready | first),
                ]
                m.d.sync += [command.eq(coming), wants.eq(asks), selects.eq(nodes)]
                with m.If(self.i_command.valid & self.i_command.ready):
                    m.d.sync += count.eq(count + asks)
                    m.next = "RESPONSE"
                    with m.If(first):
                        m.next = "SECURE"

            # Waits until what begins from now on will be kept, then until what began before has been notified.
            with m.State("SECURE"):
                m.d.sync += target.eq(self.retention.begun)
                with m.If(self.retention.secure):
                    m.next = "DRAIN"
            with m.State("DRAIN"):
                with m.If(~behind[-1]):
                    m.next = "PASS"

            with m.State("PASS"):
                m.d.comb += self.o_command.valid.eq(1)
                with m.If(self.o_command.ready):
                    m.next = "RESPONSE"

            with m.State("RESPONSE"):
                m.d.comb += [
                    self.o_response.valid.eq(self.i_response.valid),
                    self.i_response.ready.eq(self.o_response.ready),
                ]
                m.d.sync += less.eq(
                    Mux(registers, wants & (self.i_response.payload.refusal != 0), wanted & (command.op == CrtOp.UNREGISTER))
                )
                with m.If(self.i_response.valid & self.o_response.ready):
                    m.d.comb += accepted.eq(registers & (self.i_response.payload.refusal == 0))
                    m.next = "COUNT"

            with m.State("COUNT"):
                m.d.sync += count.eq(count - less)
                with m.If(command.op == CrtOp.CLEAR):
                    m.d.sync += count.eq(0)
                m.next = "COUNTED"
            with m.State("COUNTED"):
                m.next = "IDLE"
        return m
