"""The subscriptions that share a run of bits."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.tables import MemberView, TsidLink
from hdl.shapes.widths import step_width, tsid_place_width, tsid_width
from hdl.stream import PairedRam

__all__ = ["MemberOp", "MemberRequest", "RunMembers"]


class MemberOp(enum.Enum, shape=unsigned(2)):
    """Requests to the lists of members."""

    FOUND = 0
    """The t-SID is the first member of a new run."""
    JOIN = 1
    """The t-SID joins the members of a run."""
    LEAVE = 2
    """The t-SID leaves; the answer says whether it was ``alone``."""


class MemberRequest(data.StructLayout):
    """A request about ``tsid`` and the run whose last bit is ``last``."""

    def __init__(self, config):
        super().__init__({"op": MemberOp, "tsid": tsid_width(config), "last": step_width(config)})


class RunMembers(wiring.Component):
    """Keeps the members of each run in a list that both ends of each link know, so that leaving takes as long whatever their number.

    Each request is answered: FOUND after 2 clocks, JOIN after 3, LEAVE after 4 to 8. Requests are made while the engine leaves the lists
    alone.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    request : ``In(stream.Signature(MemberRequest(config)))``
        Taken when nothing is under way.
    answer : ``Out(stream.Signature(1, always_ready=True))``
        The request has been worked out; 1 if it was LEAVE and no member is left.
    view : ``Out(MemberView(config))``
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "request": In(stream.Signature(MemberRequest(config))),
                "answer": Out(stream.Signature(1, always_ready=True)),
                "view": Out(MemberView(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        tsids = 1 << tsid_place_width(config)
        steps = 1 << step_width(config)
        # By last bit the first member of a run. By t-SID the member after it, and behind those the member before it, if there is one;
        # whether a member has another one after it stands where it is pointed to.
        m.submodules.lists = lists = PairedRam(shape=TsidLink(config), depth=max(steps, 2 * tsids))
        heads, links = lists.ports
        place_bits = tsid_place_width(config)

        op, tsid, last = Signal(MemberOp), Signal(tsid_width(config)), Signal(step_width(config))
        given = self.request.payload
        asked = Signal()  # about the list of a run, and not by the engine
        to_before = Signal()
        link_tsid = Signal(tsid_width(config))
        m.d.comb += [
            heads.addr.eq(Mux(asked, Mux(self.request.ready, given.last, last), self.view.step)),
            heads.en.eq(1),
            links.addr.eq(Mux(asked, Cat(link_tsid[:place_bits], to_before), self.view.tsid[:place_bits])),
            links.en.eq(asked | self.view.en),
            self.view.head.eq(heads.data),
            self.view.link.eq(links.data),
        ]
        m.d.sync += self.answer.valid.eq(0)

        before, onward, pointer = (Signal(TsidLink(config), name=name) for name in ("before", "onward", "pointer"))
        head = Signal(TsidLink(config))

        def finish(alone=0):
            m.d.sync += [self.answer.valid.eq(1), self.answer.payload.eq(alone)]
            m.next = "IDLE"

        def put(port, more, link):
            """Writes a pointer to the t-SID ``link`` at the port's address."""
            m.d.comb += [port.write_en.eq(1), port.write.tsid.eq(link), port.write.more.eq(more)]

        with m.FSM():
            with m.State("IDLE"):
                # Waits for a request; the head and the member before are asked for with it.
                m.d.comb += [self.request.ready.eq(~self.answer.valid), asked.eq(self.request.valid & self.request.ready)]
                m.d.comb += [link_tsid.eq(given.tsid), to_before.eq(1)]
                m.d.sync += [op.eq(given.op), tsid.eq(given.tsid), last.eq(given.last)]
                with m.If(asked):
                    m.next = "ASK-NEXT"
                    with m.If(given.op == MemberOp.FOUND):
                        m.next = "FOUND"
            with m.State("FOUND"):
                # The only member is the head and has no one before it.
                m.d.comb += [asked.eq(1), link_tsid.eq(tsid), to_before.eq(1)]
                put(heads, 0, tsid)
                put(links, 0, 0)
                finish()
            with m.State("ASK-NEXT"):
                # Asks for the member after it.
                m.d.comb += [asked.eq(1), link_tsid.eq(tsid)]
                m.next = "BEFORE"
            with m.State("BEFORE"):
                # The head and the member before are known; what points to the member is asked for, if that is not the head.
                m.d.comb += [asked.eq(1), link_tsid.eq(links.data.tsid)]
                m.d.sync += [head.eq(heads.data), before.eq(links.data)]
                m.next = "NEXT"
                with m.If(op == MemberOp.JOIN):
                    m.next = "LINK"
            with m.State("LINK"):
                # The new member goes in front of the head.
                m.d.comb += [asked.eq(1), link_tsid.eq(tsid)]
                put(heads, 1, tsid)
                put(links, head.more, head.tsid)
                m.next = "LINK-BACK"
            with m.State("LINK-BACK"):
                # The head of before has the new member before it.
                m.d.comb += [asked.eq(1), link_tsid.eq(head.tsid), to_before.eq(1)]
                put(links, 1, tsid)
                m.next = "LINK-NONE"
            with m.State("LINK-NONE"):
                # The new member has no one before it.
                m.d.comb += [asked.eq(1), link_tsid.eq(tsid), to_before.eq(1)]
                put(links, 0, 0)
                finish()
            with m.State("NEXT"):
                # The member after it is known; that before the one before is asked for.
                m.d.comb += [asked.eq(1), link_tsid.eq(before.tsid), to_before.eq(1)]
                m.d.sync += onward.eq(links.data)
                m.next = "POINTER"
            with m.State("POINTER"):
                # What points to the member is known, and with it whether another one follows it.
                m.d.comb += asked.eq(1)
                m.d.sync += pointer.eq(Mux(before.more, links.data, head))
                m.next = "UNLINK"
            with m.State("UNLINK"):
                # The pointer to the member becomes that to the one after it; without one, the member before becomes the last.
                m.d.comb += [asked.eq(1), link_tsid.eq(before.tsid)]
                with m.If(pointer.more):
                    with m.If(before.more):
                        put(links, onward.more, onward.tsid)
                    with m.Else():
                        put(heads, onward.more, onward.tsid)
                    m.next = "UNLINK-BACK"
                with m.Elif(before.more):
                    # what points to the member before: its head, or the one before it, which has just come
                    with m.If(links.data.more):
                        m.d.comb += link_tsid.eq(links.data.tsid)
                        put(links, 0, before.tsid)
                    with m.Else():
                        put(heads, 0, before.tsid)
                    finish()
                with m.Else():
                    finish(1)
            with m.State("UNLINK-BACK"):
                # The member after it has the one before it before it.
                m.d.comb += [asked.eq(1), link_tsid.eq(onward.tsid), to_before.eq(1)]
                put(links, before.more, before.tsid)
                finish()
        return m
