"""The numbers that subscriptions compare with, each one stored once and in order."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.crt.bounds import Sweep
from hdl.crt.halving import Halving
from hdl.crt.ranks import RankOp, RankOrder
from hdl.shapes.tests import NumberPort, number_width
from hdl.shapes.widths import number_shape
from hdl.stream import BlockRam

__all__ = ["NumberOp", "NumberReply", "NumberRequest", "NumberStore"]


class NumberOp(enum.Enum, shape=unsigned(2)):
    """What registration asks of the number store."""

    ENTER = 0
    """One use more of the number ``key``, which is stored if it is new."""
    LEAVE = 1
    """One use less of the number ``identity``; with the last one it goes."""
    RANK = 2
    """The rank of the number ``identity``."""


class NumberRequest(data.StructLayout):
    """A request about a number; no NaN."""

    def __init__(self, config):
        super().__init__({"op": NumberOp, "identity": number_width(config), "key": number_shape(config)})


class NumberReply(data.StructLayout):
    """The answer: the number's ``identity`` after ENTER, unless there is no room (``ok`` is 0), and its ``rank`` after RANK."""

    def __init__(self, config):
        super().__init__({"ok": 1, "identity": number_width(config), "rank": number_width(config)})


class NumberStore(wiring.Component):
    """Finds the place of values among the stored numbers; registration adds numbers and takes them back.

    An identity stays with its number, its rank changes with the others. When a number comes or goes, ranks move and the bounds of tests
    with them;
    for that time, and until no point is in use, values are not taken. A point comes 5 clocks for each halving and 2 after the value, see
    :class:`hdl.crt.halving.Halving`. ENTER takes a search and 7 clocks for a number that is stored; a new one, and LEAVE of the last
    use, a search and
    the order's clocks, and those until ``port.quiet``.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    port : ``Out(NumberPort(config))``
        Values of documents.
    request : ``In(stream.Signature(NumberRequest(config)))``
        Taken when nothing is under way.
    reply : ``Out(stream.Signature(NumberReply(config), always_ready=True))``
        One for each request, when it has been worked out.
    sweep : ``Out(stream.Signature(Sweep(config)))``
        The bounds have to follow; done when ``ready`` is 1 again.
    clear, clear_address : ``In``
        Forgets all numbers: every address from 0 up to :attr:`clear_depth`, while nothing is under way.
    """

    def __init__(self, config):
        self.config = config
        self._order = RankOrder(config)
        self.clear_depth = self._order.clear_depth
        super().__init__(
            {
                "port": Out(NumberPort(config)),
                "request": In(stream.Signature(NumberRequest(config))),
                "reply": Out(stream.Signature(NumberReply(config), always_ready=True)),
                "sweep": Out(stream.Signature(Sweep(config))),
                "clear": In(1),
                "clear_address": In(range(self.clear_depth)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config, port = self.config, self.port
        m.submodules.order = order = self._order
        m.submodules.halving = halving = Halving(config)
        depth = max(2, 1 << number_width(config))
        m.submodules.keys = keys = BlockRam(shape=number_shape(config), depth=depth, output_register=True)
        uses_width = (config.subscriptions * config.subscription_steps).bit_length()
        m.submodules.uses = uses = BlockRam(shape=uses_width, depth=depth, output_register=True)

        request, given = Signal(NumberRequest(config)), self.request.payload
        rank, target = Signal(number_width(config)), Signal(number_width(config))
        hold, own = Signal(), Signal()
        m.d.comb += [
            halving.used.eq(order.used),
            order.rank.eq(halving.rank),
            halving.identity.eq(order.identity),
            keys.read[0].addr.eq(halving.number),
            keys.read[0].en.eq(1),
            halving.key.eq(keys.read[0].data),
            halving.i.valid.eq(own | (port.search.valid & ~hold)),
            halving.i.payload.value.eq(port.search.payload),
            halving.i.payload.own.eq(own),
            port.search.ready.eq(halving.i.ready & ~own & ~hold),
            port.point.valid.eq(halving.o.valid & ~halving.o.payload.own),
            port.point.payload.point.eq(Mux(halving.o.payload.nan, 0, Cat(halving.o.payload.equal, halving.o.payload.below))),
            port.point.payload.nan.eq(halving.o.payload.nan),
            port.point.payload.excess.eq(halving.o.payload.excess),
        ]
        with m.If(own):
            m.d.comb += [halving.i.payload.value.key.eq(request.key), halving.i.payload.value.excess.eq(0)]

        # Uses are read as soon as the number is known, and written two clocks later.
        age, count = Signal(2), Signal(uses_width)
        m.d.sync += [age.eq(age + (age != 3)), count.eq(uses.read[0].data)]
        m.d.comb += [
            uses.read[0].addr.eq(target),
            uses.read[0].en.eq(1),
            uses.write.addr.eq(target),
            keys.write.addr.eq(target),
            keys.write.data.eq(request.key),
            order.request.payload.rank.eq(rank),
            order.request.payload.identity.eq(target),
            self.sweep.payload.rank.eq(rank),
            self.sweep.payload.up.eq(request.op == NumberOp.ENTER),
            self.reply.payload.identity.eq(target),
            self.reply.payload.rank.eq(rank),
            order.clear.eq(self.clear),
            order.clear_address.eq(self.clear_address),
        ]
        # Points of before are in use for a while, and a point of the last clock is on its way.
        still = Signal()
        m.d.sync += still.eq(hold & halving.idle & ~halving.o.valid & port.quiet)
        m.d.sync += self.reply.valid.eq(0)

        def reply(ok=1):
            m.d.sync += [self.reply.valid.eq(1), self.reply.payload.ok.eq(ok)]
            m.next = "IDLE"

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a request.
                m.d.comb += self.request.ready.eq(~self.reply.valid)
                m.d.sync += [request.eq(given), target.eq(given.identity), age.eq(0)]
                with m.If(self.request.valid & self.request.ready):
                    m.next = "ORDER"
                    with m.If(given.op == NumberOp.ENTER):
                        m.next = "OFFER"
                    with m.If(given.op == NumberOp.LEAVE):
                        m.next = "USES"
            with m.State("OFFER"):
                # The number is searched for like a value.
                m.d.comb += own.eq(1)
                with m.If(halving.i.ready):
                    m.next = "SEARCH"
            with m.State("SEARCH"):
                # Waits for its place; a new one needs a free identity.
                m.d.sync += [rank.eq(halving.o.payload.below), target.eq(halving.o.payload.identity), age.eq(0)]
                with m.If(halving.o.valid & halving.o.payload.own):
                    m.next = "USES"
                    with m.If(~halving.o.payload.equal):
                        m.next = "HOLD"
                        with m.If(order.used == config.numbers):
                            reply(0)
            with m.State("USES"):
                # Waits for the uses of the number; they change by one, and with the last one it goes.
                m.d.comb += uses.write.data.eq(Mux(request.op == NumberOp.ENTER, count + 1, count - 1))
                with m.If(age == 3):
                    m.d.comb += uses.write.en.eq(1)
                    with m.If((request.op == NumberOp.LEAVE) & (count == 1)):
                        m.next = "ORDER"
                    with m.Else():
                        reply()
            with m.State("ORDER"):
                # The rank of the number is asked for.
                m.d.comb += [order.request.valid.eq(1), order.request.payload.op.eq(RankOp.FIND)]
                with m.If(order.request.ready):
                    m.next = "FIND"
            with m.State("FIND"):
                # Waits for it.
                m.d.sync += rank.eq(order.answer.payload.rank)
                with m.If(order.answer.valid):
                    m.next = "HOLD"
                    with m.If(request.op == NumberOp.RANK):
                        reply()
            with m.State("HOLD"):
                # Waits until no point is in use; then ranks and bounds move.
                m.d.comb += hold.eq(1)
                with m.If(still):
                    m.d.comb += [order.request.valid.eq(1), self.sweep.valid.eq(1)]
                    m.d.comb += order.request.payload.op.eq(Mux(request.op == NumberOp.ENTER, RankOp.INSERT, RankOp.REMOVE))
                    m.next = "MOVE"
            with m.State("MOVE"):
                # Waits for the order, which names a new number, and for the bounds.
                m.d.comb += [hold.eq(1), uses.write.data.eq(1)]
                with m.If(order.answer.valid):
                    m.d.sync += target.eq(order.answer.payload.identity)
                    m.next = "MOVED"
            with m.State("MOVED"):
                # Until the bounds have followed; a new number is stored with one use.
                m.d.comb += [hold.eq(1), uses.write.data.eq(1)]
                with m.If(self.sweep.ready):
                    m.d.comb += [uses.write.en.eq(request.op == NumberOp.ENTER), keys.write.en.eq(request.op == NumberOp.ENTER)]
                    m.next = "REST"
            with m.State("REST"):
                # The search learns of the numbers in use a clock later.
                m.d.comb += hold.eq(1)
                reply()
        return m
