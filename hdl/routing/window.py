"""Which publications have been here before, and which may go no further [T 5.4.6]."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Refusal
from hdl.shapes.widths import RefusalCode
from hdl.stream import BlockRam

__all__ = ["Admission", "PublicationIdentity", "SeenWindow"]


class PublicationIdentity(data.StructLayout):
    """A publication, by the broker where it was published and its number there, and the brokers that it may still cross, 0 for any
    number."""

    def __init__(self):
        super().__init__({"origin": 8, "number": 32, "hops": 8})


class Admission(data.StructLayout):
    """The answer: ``refusal`` is DUPLICATE_FRAME for a publication that is in the window. With ``ends`` it goes to this broker's
    subscribers alone; else it may be sent on with ``hops``."""

    def __init__(self):
        super().__init__({"refusal": RefusalCode, "ends": 1, "hops": 8})


class SeenWindow(wiring.Component):
    """Remembers the latest ``size`` different publications, a repeated one anew.

    The identities stand in the order in which they were last seen. One walk moves each of them a place on, until the place of the one that
    has come is reached or the oldest has fallen out. An answer comes as many clocks after its request as identities were looked at, and
    three more; one request at a time. A reset forgets everything.

    Parameters
    ----------
    size : int
        A power of two.

    Members
    -------
    i : In(stream.Signature(PublicationIdentity()))
    o : Out(stream.Signature(Admission()))
    """

    def __init__(self, *, size: int = 64):
        if not isinstance(size, int) or size < 2 or size & (size - 1):
            raise ValueError(f"size must be a power of two of at least 2, not {size!r}")
        self._size = size
        super().__init__({"i": In(stream.Signature(PublicationIdentity())), "o": Out(stream.Signature(Admission()))})

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = BlockRam(shape=40, depth=self._size)
        read, write = store.read[0], store.write
        held = Signal(range(self._size + 1))
        place, reading = Signal(range(self._size + 1)), Signal(range(self._size + 1))
        new, moved = Signal(40), Signal(40)
        hops, known = Signal(8), Signal()
        asked, answer = self.i.payload, self.o.payload
        m.d.comb += [
            read.addr.eq(reading),
            read.en.eq(1),
            write.addr.eq(place),
            write.data.eq(moved),
            answer.refusal.eq(Mux(known, Refusal.DUPLICATE_FRAME, Refusal.NONE)),
            answer.ends.eq(hops == 1),
            answer.hops.eq(Mux(hops == 0, 0, hops - 1)),
        ]
        with m.FSM():
            # Waits for a publication; the newest identity is read all the time.
            with m.State("IDLE"):
                m.d.comb += self.i.ready.eq(1)
                identity = data.View(data.StructLayout({"origin": 8, "number": 32}), moved)
                m.d.sync += [identity.origin.eq(asked.origin), identity.number.eq(asked.number)]
                m.d.sync += [hops.eq(asked.hops), known.eq(0), place.eq(0), reading.eq(0)]
                with m.If(self.i.valid):
                    m.next = "BEGIN"

            with m.State("BEGIN"):
                m.d.sync += [new.eq(moved), reading.eq(1)]
                m.next = "WALK"

            # The identity at a place makes room for the one that was in front of it.
            with m.State("WALK"):
                m.d.comb += write.en.eq(place != self._size)
                m.d.sync += [moved.eq(read.data), place.eq(place + 1), reading.eq(reading + 1)]
                with m.If((place == held) | (place == self._size)):
                    with m.If(place != self._size):
                        m.d.sync += held.eq(held + 1)
                    m.next = "GIVE"
                with m.Elif(read.data == new):
                    m.d.sync += known.eq(1)
                    m.next = "GIVE"

            with m.State("GIVE"):
                m.d.comb += self.o.valid.eq(1)
                with m.If(self.o.ready):
                    m.next = "IDLE"
        return m
