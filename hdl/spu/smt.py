"""The subscription mapping table: o-SID and reference to t-SID and back [T 5.3.2.2, T-Fig 5.8]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.layouts import SmtEntry, tsid_width
from hdl.stream import BlockRam, StreamFifo

__all__ = ["SmtAnswer", "SmtOp", "SmtRequest", "SubscriptionMappingTable"]

_ANSWERS = 8
"""Entries that wait for their reader."""


class SmtOp(enum.Enum, shape=unsigned(3)):
    """Requests to the table."""

    ADD = 0
    """Add the entry unless its key is there already. Answers the new t-SID, or ``found`` and that of the key, or ``full``."""
    FIND = 1
    """Answers ``found`` and the t-SID of the entry's key, if it is there."""
    UNLINK = 2
    """Forget the key, given in the entry, of this t-SID; nothing happens if it has another one. The t-SID stays in use and its entry
    readable."""
    FREE = 3
    """Put this t-SID, which has been unlinked, back on the free list."""
    CLEAR = 4
    """Forget everything."""


class SmtRequest(data.StructLayout):
    """A request with its operands."""

    def __init__(self, config):
        super().__init__({"op": SmtOp, "tsid": tsid_width(config), "entry": SmtEntry})


class SmtAnswer(data.StructLayout):
    """The answer to a request; UNLINK and FREE give their t-SID back."""

    def __init__(self, config):
        super().__init__({"found": 1, "full": 1, "tsid": tsid_width(config)})


def _hash(key, bits):
    """Folds the bytes of a key into one number; any function will do for correctness."""
    folded = Const(0, bits)
    for index in range(len(key) // 8):
        byte = key[8 * index : 8 * index + 8]
        fitted = byte[:bits] if bits <= 8 else Cat(byte, Const(0, bits - 8))
        folded = folded ^ fitted.rotate_left(3 * (index // 4) % bits)
    return folded


class SubscriptionMappingTable(wiring.Component):
    """Entries by t-SID, with a hash table of chains over them and a list of free t-SIDs.

    A t-SID is 1 to the number of subscriptions, never 0. Freed ones are used again in the order in which they were freed, after those
    never used. Chains make the key look-up exact whatever the collisions: the table is full only when all t-SIDs are in use.
    The answer to FIND and ADD comes 5 clocks after the request, and at most 5 later for each entry compared; that to UNLINK after 6, and 2
    later for each entry passed; that to FREE after 2. After a reset and at CLEAR the table takes a clock for each of its chains.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i : In(stream.Signature(SmtRequest(config)))
        Requests, taken one at a time.
    o_valid, o : Out(1), Out(SmtAnswer(config))
        The answer to the request taken, for one clock.
    hold : In(1)
        While 1, ADD waits rather than give out a t-SID that was used before: someone may still be about to read its old entry.
    i_read, o_read : In(stream), Out(stream)
        Reads entries by t-SID, in order, one a clock while no key is being compared. The entry of a freed t-SID stays until the
        t-SID is given out again.
    used : Out
        Number of t-SIDs in use.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(SmtRequest(config))),
                "o_valid": Out(1),
                "o": Out(SmtAnswer(config)),
                "hold": In(1),
                "i_read": In(stream.Signature(tsid_width(config))),
                "o_read": Out(stream.Signature(SmtEntry)),
                "used": Out(tsid_width(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits = tsid_width(self._config)
        limit = self._config.subscriptions

        m.submodules.entries = entries = BlockRam(shape=SmtEntry, depth=1 << bits, output_register=True)
        # Pointers: to the first of chain h at {0, h}; to the one after t-SID t, in its chain or in the free list, at {1, t}.
        m.submodules.links = links = BlockRam(shape=bits, depth=2 << bits, output_register=True)
        link = links.read[0].data
        m.d.comb += [links.read[0].en.eq(1), entries.read[0].en.eq(1)]

        def chain(number):
            return Cat(number, Const(0, 1))

        def after(tsid):
            return Cat(tsid, Const(1, 1))

        entry = Signal(SmtEntry)
        tsid = Signal(bits)
        adding = Signal()
        head = Signal(bits)
        first = Signal(bits)
        current = Signal(bits)
        place = Signal(bits + 1)
        sweep = Signal(bits)
        clearing = Signal()

        fresh = Signal(range(limit + 2), init=1)
        any_fresh = Signal()
        free_first = Signal(bits)
        free_last = Signal(bits)
        free_count = Signal(bits)
        used = Signal(bits)
        m.d.comb += [any_fresh.eq(fresh <= limit), self.used.eq(used)]

        def answer(*, found=0, full=0, tsid=0):
            m.d.sync += [self.o_valid.eq(1), self.o.found.eq(found), self.o.full.eq(full), self.o.tsid.eq(tsid)]

        def write_link(address, value):
            m.d.comb += [links.write.addr.eq(address), links.write.data.eq(value), links.write.en.eq(1)]

        # Entries for readers outside, in the clocks in which no key is being compared.
        m.submodules.answers = answers = StreamFifo(SmtEntry, _ANSWERS)
        wiring.connect(m, answers.o, wiring.flipped(self.o_read))
        comparing = Signal()
        wanted = Signal(2)
        took = Signal()
        m.d.comb += [
            self.i_read.ready.eq(~comparing & (answers.level < _ANSWERS - len(wanted))),
            took.eq(self.i_read.valid & self.i_read.ready),
            entries.read[0].addr.eq(Mux(comparing, link, self.i_read.payload)),
            entries.write.addr.eq(tsid),
            entries.write.data.eq(entry),
            answers.i.valid.eq(wanted[1]),
            answers.i.payload.eq(entries.read[0].data),
        ]
        m.d.sync += wanted.eq(Cat(took, wanted[0]))

        parts = 8
        key = entry.key.as_value()
        other = entries.read[0].data.key.as_value()
        size = len(key) // parts
        differs = Signal(parts)

        m.d.sync += self.o_valid.eq(0)
        with m.FSM(init="SWEEP"):
            # Empties a chain a clock.
            with m.State("SWEEP"):
                write_link(chain(sweep), 0)
                m.d.sync += [sweep.eq(sweep + 1), fresh.eq(1), free_count.eq(0), used.eq(0)]
                with m.If(sweep == (1 << bits) - 1):
                    m.d.sync += clearing.eq(0)
                    with m.If(clearing):
                        answer()
                    m.next = "IDLE"

            # Waits for a request.
            with m.State("IDLE"):
                request = self.i.payload
                m.d.comb += self.i.ready.eq(1)
                m.d.sync += [
                    entry.eq(request.entry),
                    tsid.eq(request.tsid),
                    head.eq(_hash(request.entry.key.as_value(), bits)),
                    adding.eq(request.op == SmtOp.ADD),
                ]
                with m.If(self.i.valid):
                    with m.Switch(request.op):
                        with m.Case(SmtOp.ADD, SmtOp.FIND):
                            m.next = "HEAD"
                        with m.Case(SmtOp.UNLINK):
                            m.next = "UNLINK-HEAD"
                        with m.Case(SmtOp.FREE):
                            m.next = "FREE"
                        with m.Case(SmtOp.CLEAR):
                            m.d.sync += clearing.eq(1)
                            m.next = "SWEEP"

            # Asks for the first of the chain, then for the next free t-SID but one.
            with m.State("HEAD"):
                m.d.comb += links.read[0].addr.eq(chain(head))
                m.next = "HEAD-WAIT"
            with m.State("HEAD-WAIT"):
                m.d.comb += links.read[0].addr.eq(after(free_first))
                m.next = "FIRST"
            with m.State("FIRST"):
                m.d.sync += first.eq(link)
                m.d.comb += links.read[0].addr.eq(after(Mux(link == 0, free_first, link)))
                with m.If(link == 0):
                    m.next = "ABSENT"
                with m.Else():
                    m.d.comb += comparing.eq(1)
                    m.d.sync += current.eq(link)
                    m.next = "ENTRY"

            # Compares the entry asked for, while the pointer after it is read.
            with m.State("ENTRY"):
                m.next = "COMPARE"
            with m.State("COMPARE"):
                m.d.sync += differs.eq(
                    Cat(key[size * part : size * part + size] != other[size * part : size * part + size] for part in range(parts))
                )
                m.d.comb += links.read[0].addr.eq(after(current))
                m.next = "COMPARED"
            with m.State("COMPARED"):
                m.d.comb += links.read[0].addr.eq(after(current))
                with m.If(~differs.any()):
                    answer(found=1, tsid=current)
                    m.next = "IDLE"
                with m.Else():
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.comb += links.read[0].addr.eq(after(Mux(link == 0, free_first, link)))
                with m.If(link == 0):
                    m.next = "ABSENT-WAIT"
                with m.Else():
                    m.d.comb += comparing.eq(1)
                    m.d.sync += current.eq(link)
                    m.next = "ENTRY"
            with m.State("ABSENT-WAIT"):
                m.d.comb += links.read[0].addr.eq(after(free_first))
                m.next = "ABSENT"

            # The key is not in the table. The pointer after the first free t-SID is on ``link`` now.
            with m.State("ABSENT"):
                m.d.comb += links.read[0].addr.eq(after(free_first))
                m.d.sync += tsid.eq(Mux(any_fresh, fresh, free_first))
                with m.If(~adding):
                    answer()
                    m.next = "IDLE"
                with m.Elif(any_fresh):
                    m.d.sync += fresh.eq(fresh + 1)
                    answer(tsid=fresh)
                    m.next = "ADD"
                with m.Elif(free_count == 0):
                    answer(full=1)
                    m.next = "IDLE"
                with m.Elif(~self.hold):
                    m.d.sync += [free_first.eq(link), free_count.eq(free_count - 1)]
                    answer(tsid=free_first)
                    m.next = "ADD"

            # The answer has been given; the entry and the links follow.
            with m.State("ADD"):
                write_link(after(tsid), first)
                m.d.comb += entries.write.en.eq(1)
                m.d.sync += used.eq(used + 1)
                m.next = "ADD-LINK"
            with m.State("ADD-LINK"):
                write_link(chain(head), tsid)
                m.next = "IDLE"

            # Looks for the pointer to the t-SID, and lets it point to the one after it.
            with m.State("UNLINK-HEAD"):
                m.d.comb += links.read[0].addr.eq(chain(head))
                m.d.sync += place.eq(chain(head))
                m.next = "UNLINK-WAIT"
            with m.State("UNLINK-WAIT"):
                m.next = "UNLINK-STEP"
            with m.State("UNLINK-STEP"):
                m.d.comb += links.read[0].addr.eq(after(link))
                with m.If(link == tsid):
                    m.next = "UNLINK-READ"
                with m.Elif(link == 0):
                    answer(tsid=tsid)
                    m.next = "IDLE"
                with m.Else():
                    m.d.sync += place.eq(after(link))
                    m.next = "UNLINK-WAIT"
            with m.State("UNLINK-READ"):
                m.next = "UNLINK"
            with m.State("UNLINK"):
                write_link(place, link)
                answer(tsid=tsid)
                m.next = "IDLE"

            with m.State("FREE"):
                with m.If(free_count == 0):
                    m.d.sync += free_first.eq(tsid)
                with m.Else():
                    write_link(after(free_last), tsid)
                m.d.sync += [free_last.eq(tsid), free_count.eq(free_count + 1), used.eq(used - 1)]
                answer(tsid=tsid)
                m.next = "IDLE"
        return m
