"""The subscription mapping table: o-SID and reference to t-SID and back [T 5.3.2.2, T-Fig 5.8]."""

from amaranth.hdl import Cat, Const, Module, Mux, Shape, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.subscription import SmtEntry
from hdl.shapes.widths import tsid_place_width, tsid_width
from hdl.stream import BlockRam, StreamFifo

__all__ = ["SmtAnswer", "SmtOp", "SmtRequest", "SubscriptionMappingTable"]

_ANSWERS = 8
"""Entries that wait for their reader."""
_PART = 36
"""Bits of an entry in each block RAM."""
_COMPARED = 8
"""Parts of a key that are compared by themselves."""


class SmtOp(enum.Enum, shape=unsigned(3)):
    """Requests to the table."""

    ADD = 0
    """Add the entry unless its key is there already. Answers the new t-SID, or ``found`` and that of the key, or ``full``."""
    FIND = 1
    """Answers ``found`` and the t-SID of the entry's key, if it is there."""
    UNLINK = 2
    """Forget the key of this t-SID. The t-SID stays in use and its entry readable."""
    FREE = 3
    """Put this t-SID, which has been unlinked, back on the free list."""
    CLEAR = 4
    """Forget everything."""


class SmtRequest(data.StructLayout):
    """A request with its operands: an entry for ADD and FIND, a t-SID for UNLINK and FREE."""

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
    The answer to FIND and ADD comes 5 clocks after the request, and at most 7 later for each entry compared; that to UNLINK after 10, and 3
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
        While 1, ADD waits rather than give out a t-SID that was used before, and CLEAR, after which all are given out anew, waits too:
        someone may still be about to read an old entry.
    i_read, o_read : In(stream), Out(stream)
        Reads entries by t-SID, in order, one a clock while no key is looked for. The entry of a freed t-SID stays until
        the t-SID is given out again.
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
        bits, place_bits = tsid_width(self._config), tsid_place_width(self._config)
        limit = self._config.subscriptions

        # An entry is as wide as a few block RAMs and half as deep as they are. In the other half the first has a pointer to the first of
        # each chain, and the second one to the t-SID after each t-SID, in its chain or in the free list, with the number of that chain.
        link_shape = data.StructLayout({"tsid": bits, "chain": place_bits})
        size = Shape.cast(SmtEntry).width
        parts = [BlockRam(shape=min(_PART, size - at), depth=2 << place_bits, output_register=True) for at in range(0, size, _PART)]
        for number, part in enumerate(parts):
            m.submodules[f"part{number}"] = part
        found_entry = data.View(SmtEntry, Cat(part.read[0].data for part in parts))
        first_part, second_part = parts[:2]
        found_link = data.View(link_shape, second_part.read[0].data[: link_shape.size])
        link = Signal(bits)
        at_head = Signal()
        m.d.comb += link.eq(Mux(at_head, first_part.read[0].data, found_link.tsid))

        # Pointers are read and written, and entries compared, by the machine below; in other clocks entries are read for others. What is
        # read is known a clock ahead; it is written a clock after it was told.
        read_place, reads_link, reads_own = Signal(place_bits), Signal(), Signal()
        m.d.sync += [reads_link.eq(0), reads_own.eq(0)]
        entry = Signal(SmtEntry)
        write_place, write_link = Signal(place_bits), Signal(link_shape)
        write_entry, write_first, write_after = Signal(), Signal(), Signal()
        m.d.sync += [write_entry.eq(0), write_first.eq(0), write_after.eq(0)]
        for number, part in enumerate(parts):
            m.d.comb += [
                part.read[0].en.eq(1),
                part.read[0].addr.eq(Cat(Mux(reads_own, read_place, self.i_read.payload)[:place_bits], reads_link)),
                part.write.addr.eq(Cat(write_place, ~write_entry)),
                part.write.data.eq(entry.as_value()[number * _PART : (number + 1) * _PART]),
                part.write.en.eq(write_entry | (write_first, write_after, 0)[number]),
            ]
            if number < 2:
                with m.If(~write_entry):
                    m.d.comb += part.write.data[: link_shape.size].eq(write_link)

        def read_after(tsid):
            """In the next clock."""
            m.d.sync += [read_place.eq(tsid), reads_own.eq(1), reads_link.eq(1)]

        def read_entry(tsid):
            """In the next clock."""
            m.d.sync += [read_place.eq(tsid), reads_own.eq(1)]

        def put_first(number, tsid):
            m.d.sync += [write_place.eq(number), write_link.tsid.eq(tsid), write_first.eq(1)]

        def put_after(place, tsid, chain):
            m.d.sync += [write_place.eq(place), write_link.tsid.eq(tsid), write_link.chain.eq(chain), write_after.eq(1)]

        tsid = Signal(bits)
        adding = Signal()
        head = Signal(place_bits)
        first = Signal(bits)
        current = Signal(bits)
        place = Signal(bits)
        placed, is_own, is_none = Signal(), Signal(), Signal()
        sweep = Signal(place_bits)
        clearing = Signal()

        fresh = Signal(range(limit + 2), init=1)
        any_fresh = Signal()
        free_first = Signal(bits)
        free_last = Signal(bits)
        free_count = Signal(bits)
        used = Signal(bits)
        m.d.comb += [any_fresh.eq(fresh <= limit), self.used.eq(used)]
        takes, adds, frees = Signal(), Signal(), Signal()
        with m.If(takes | frees):
            m.d.sync += free_count.eq(free_count + Mux(frees, 1, -1))
        with m.If(adds | frees):
            m.d.sync += used.eq(used + Mux(frees, -1, 1))

        def answer(*, found=0, full=0, tsid=0):
            m.d.sync += [self.o_valid.eq(1), self.o.found.eq(found), self.o.full.eq(full), self.o.tsid.eq(tsid)]

        m.submodules.answers = answers = StreamFifo(SmtEntry, _ANSWERS)
        wiring.connect(m, answers.o, wiring.flipped(self.o_read))
        wanted = Signal(2)
        took = Signal()
        unused, roomy = Signal(), Signal()
        m.d.comb += [
            self.i_read.ready.eq(unused & roomy),
            took.eq(self.i_read.valid & self.i_read.ready),
            answers.i.valid.eq(wanted[1]),
            answers.i.payload.eq(found_entry),
        ]
        m.d.sync += [wanted.eq(Cat(took, wanted[0])), roomy.eq(answers.level < _ANSWERS - 1 - len(wanted))]

        key = entry.key.as_value()
        other = found_entry.key.as_value()
        share = len(key) // _COMPARED
        differs = Signal(_COMPARED)

        m.d.sync += self.o_valid.eq(0)
        with m.FSM(init="SWEEP"):
            # Empties a chain a clock.
            with m.State("SWEEP"):
                put_first(sweep, 0)
                m.d.comb += unused.eq(1)
                m.d.sync += [sweep.eq(sweep + 1), fresh.eq(1), free_count.eq(0), used.eq(0)]
                with m.If(sweep == (1 << place_bits) - 1):
                    m.d.sync += clearing.eq(0)
                    with m.If(clearing):
                        answer()
                    m.next = "IDLE"

            # Waits for a request.
            with m.State("IDLE"):
                request = self.i.payload
                hashed = _hash(request.entry.key.as_value(), place_bits)
                m.d.comb += [self.i.ready.eq(1), unused.eq(1)]
                m.d.sync += [
                    entry.eq(request.entry),
                    at_head.eq(1),
                    tsid.eq(request.tsid),
                    head.eq(hashed),
                    read_place.eq(Mux(request.op == SmtOp.UNLINK, request.tsid, hashed)),
                    adding.eq(request.op == SmtOp.ADD),
                ]
                with m.If(self.i.valid):
                    with m.Switch(request.op):
                        with m.Case(SmtOp.ADD, SmtOp.FIND):
                            m.d.sync += [reads_own.eq(1), reads_link.eq(1)]
                            m.next = "HEAD"
                        with m.Case(SmtOp.UNLINK):
                            m.d.sync += [reads_own.eq(1), reads_link.eq(1)]
                            m.next = "UNLINK-CHAIN"
                        with m.Case(SmtOp.FREE):
                            m.next = "FREE"
                        with m.Case(SmtOp.CLEAR):
                            m.d.sync += clearing.eq(1)
                            m.next = "CLEAR"

            # Waits until nobody is about to read an entry.
            with m.State("CLEAR"):
                m.d.comb += unused.eq(1)
                with m.If(~self.hold):
                    m.next = "SWEEP"

            # Asks for the first of the chain, then for the next free t-SID but one.
            with m.State("HEAD"):
                read_after(free_first)
                m.next = "HEAD-WAIT"
            with m.State("HEAD-WAIT"):
                m.next = "FIRST"
            with m.State("FIRST"):
                m.d.sync += [first.eq(link), current.eq(link), at_head.eq(0)]
                read_entry(link)
                m.next = "READ"
                with m.If(link == 0):
                    m.next = "ABSENT"

            # Compares the entry asked for, while the pointer after it is read.
            with m.State("READ"):
                m.next = "ENTRY"
            with m.State("ENTRY"):
                read_after(current)
                m.next = "COMPARE"
            with m.State("COMPARE"):
                m.d.sync += differs.eq(Cat(key[at : at + share] != other[at : at + share] for at in range(0, len(key), share)))
                m.next = "COMPARED"
            with m.State("COMPARED"):
                with m.If(~differs.any()):
                    answer(found=1, tsid=current)
                    m.next = "IDLE"
                with m.Else():
                    m.next = "NEXT"
            with m.State("NEXT"):
                m.d.sync += current.eq(link)
                read_entry(link)
                m.next = "READ"
                with m.If(link == 0):
                    # what is after the first free t-SID counts only if that is given out
                    m.next = "ABSENT"
                    with m.If(adding & ~any_fresh):
                        read_after(free_first)
                        m.next = "ABSENT-READ"
            with m.State("ABSENT-READ"):
                m.next = "ABSENT-WAIT"
            with m.State("ABSENT-WAIT"):
                m.d.comb += unused.eq(1)
                m.next = "ABSENT"

            # The key is not in the table. The pointer after the first free t-SID is on ``link`` now.
            with m.State("ABSENT"):
                m.d.comb += unused.eq(~reads_own)
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
                    m.d.comb += takes.eq(1)
                    m.d.sync += free_first.eq(link)
                    answer(tsid=free_first)
                    m.next = "ADD"
                with m.Else():
                    read_after(free_first)
                    m.next = "ABSENT-READ"

            # The answer has been given; the entry and the links follow.
            with m.State("ADD"):
                m.d.comb += adds.eq(1)
                m.d.sync += [write_place.eq(tsid), write_entry.eq(1)]
                m.next = "ADD-AFTER"
            with m.State("ADD-AFTER"):
                put_after(tsid, first, head)
                m.next = "ADD-LINK"
            with m.State("ADD-LINK"):
                put_first(head, tsid)
                m.next = "IDLE"

            # Looks for the pointer to the t-SID in its chain, and lets it point to the one after it.
            with m.State("UNLINK-CHAIN"):
                m.next = "UNLINK-CHAIN-WAIT"
            with m.State("UNLINK-CHAIN-WAIT"):
                m.next = "UNLINK-HEAD"
            with m.State("UNLINK-HEAD"):
                read_after(found_link.chain)
                m.d.sync += [head.eq(found_link.chain), placed.eq(0)]
                m.next = "UNLINK-FIRST"
            with m.State("UNLINK-FIRST"):
                m.next = "UNLINK-WAIT"
            with m.State("UNLINK-WAIT"):
                m.next = "UNLINK-STEP"
            with m.State("UNLINK-STEP"):
                read_after(link)
                m.d.sync += [at_head.eq(0), current.eq(link), is_own.eq(link == tsid), is_none.eq(link == 0)]
                m.next = "UNLINK-READ"
            with m.State("UNLINK-READ"):
                m.next = "UNLINK-STEPPED"
            with m.State("UNLINK-STEPPED"):
                with m.If(is_own):
                    m.next = "UNLINK"
                with m.Elif(is_none):
                    answer(tsid=tsid)
                    m.next = "IDLE"
                with m.Else():
                    m.d.sync += [place.eq(current), placed.eq(1)]
                    m.next = "UNLINK-STEP"
            with m.State("UNLINK"):
                with m.If(placed):
                    put_after(place, link, head)
                with m.Else():
                    put_first(head, link)
                answer(tsid=tsid)
                m.next = "IDLE"

            with m.State("FREE"):
                with m.If(free_count == 0):
                    m.d.sync += free_first.eq(tsid)
                with m.Else():
                    put_after(free_last, tsid, 0)
                m.d.comb += frees.eq(1)
                m.d.sync += free_last.eq(tsid)
                answer(tsid=tsid)
                m.next = "IDLE"
        return m
