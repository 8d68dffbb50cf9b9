"""Exact-match memory of keys as a hash table in block RAM."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, wiring
from amaranth.utils import exact_log2

from hdl.cam.hashing import HASHES
from hdl.cam.interface import CamOperation, cam_members
from hdl.cam.lookup import Lookup
from hdl.stream.block_ram import BlockRam

__all__ = ["HashCam"]


class HashCam(wiring.Component):
    """An exact-match memory of keys: two hashes, each with a row of places for the key, and a few spare places.

    **Search.** A key taken from ``search`` in clock n has its answer on ``result`` in clock n + :attr:`LATENCY`. ``result`` has no
    back pressure; answers come in order. ``search.ready`` is always 1, also while commands run. ``result`` follows a few levels of logic.

    **Commands** are taken one at a time; each ends in one ``response``. A search sees a command completely or not at all.
    One that is taken in or after the first clock in which the response is offered sees it; one that was answered before the command was
    taken does not.

    - INSERT and DELETE offer their response seven clocks after they are taken. An insert never moves another entry:
      when all places of the key and the spare ones are live it is refused and nothing changes.
    - CLEAR takes ``rows`` clocks and a few.
    - FORGET takes one clock, because each entry carries the epoch it was stored in and an entry of an older epoch is a free place;
      every ``2 ** epoch_width``-th FORGET instead sweeps the stale entries away, at six clocks a row; the
      entries vanish at once all the same.

    After a reset the memory is empty for every search, and commands are taken once it has been cleared, in ``rows`` clocks and a few.

    Parameters
    ----------
    key_width, value_width : int
        Widths of keys and values.
    rows : int
        Rows per place, a power of two.
    slots : int
        Places per hash: a key has ``2 * slots`` places, of which the emptier row is taken first.
    spares : int
        Places in flip-flops for keys whose own places are taken. Random keys fill a quarter of the rows without needing one in 99 of
        100 cases, and need a third one in less than one of a million.
    epoch_width : int
        Width of the epoch number.

    Members
    -------
    search : ``In(stream.Signature(key_width))``
    result : ``Out(CamResult(value_width))``
    command : ``In(stream.Signature(CamCommand(key_width, value_width)))``
    response : ``Out(stream.Signature(CamResponse))``
    status : ``Out(CamStatus(capacity))``
        Counts as they are when the response is offered.
    """

    LATENCY = Lookup.LATENCY

    def __init__(
        self,
        *,
        key_width: int,
        value_width: int,
        rows: int = 512,
        slots: int = 2,
        spares: int = 2,
        epoch_width: int = 6,
    ):
        if not isinstance(rows, int) or rows < 2 or rows & (rows - 1):
            raise ValueError(f"rows must be a power of two of at least 2, not {rows!r}")
        for name, value in (("slots", slots), ("epoch_width", epoch_width)):
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise ValueError(f"{name} must be an integer of at least 1, not {value!r}")
        if not isinstance(spares, int) or isinstance(spares, bool) or spares < 0:
            raise ValueError(f"spares must be an integer of at least 0, not {spares!r}")
        self.key_width = key_width
        self.value_width = value_width
        self.rows = rows
        self.row_width = exact_log2(rows)
        self.slots = slots
        self.spares = spares
        self.epoch_width = epoch_width
        super().__init__(cam_members(key_width=key_width, value_width=value_width, capacity=self.capacity))

    @property
    def capacity(self) -> int:
        """Places in all."""
        return HASHES * self.slots * self.rows + self.spares

    def elaborate(self, platform):
        m = Module()
        hashed = HASHES * self.slots
        places = hashed + self.spares

        def lookup():
            return Lookup(
                key_width=self.key_width,
                value_width=self.value_width,
                epoch_width=self.epoch_width,
                row_width=self.row_width,
                slots=self.slots,
                spares=self.spares,
            )

        m.submodules.searcher = searcher = lookup()
        lookups = [searcher]
        m.submodules.prober = prober = lookup()
        lookups.append(prober)

        command = Signal(self.command.p.shape(), reset_less=True)
        epoch = Signal(self.epoch_width)
        row = Signal(self.row_width)
        rows = Signal(data.ArrayLayout(self.row_width, HASHES), reset_less=True)
        writes = Signal(places)
        write_rows = Signal(data.ArrayLayout(self.row_width, HASHES), reset_less=True)
        stores = Signal()
        blank = Signal()
        probing = Signal()
        sweeping = Signal()

        # The memories, a copy of each for every pipeline that reads them.
        entry = searcher.entry
        write_data = Signal(entry)
        m.d.sync += writes.eq(0)
        m.d.comb += [
            write_data.key.eq(command.key),
            write_data.value.eq(command.value),
            write_data.epoch.eq(epoch),
            write_data.pinned.eq(command.pinned),
            write_data.used.eq(stores),
        ]
        spare = Signal(data.ArrayLayout(entry, self.spares))
        for place in range(self.spares):
            with m.If(writes[hashed + place]):
                m.d.sync += spare[place].eq(write_data)
        for place in range(hashed):
            storage = BlockRam(shape=entry, depth=self.rows, read_ports=len(lookups))
            m.submodules[f"place{place}"] = storage
            m.d.comb += [
                storage.write.addr.eq(write_rows[place // self.slots]),
                storage.write.data.eq(write_data),
                storage.write.en.eq(writes[place]),
            ]
            for port, unit in zip(storage.read, lookups, strict=True):
                m.d.comb += [port.addr.eq(unit.read[place].addr), port.en.eq(unit.read[place].en), unit.read[place].data.eq(port.data)]
        for unit in lookups:
            m.d.comb += [
                unit.writes.eq(writes),
                unit.write_rows.eq(write_rows),
                unit.write_inserts.eq(stores),
                unit.write_key.eq(command.key),
                unit.epoch.eq(epoch),
                unit.blank.eq(blank),
                unit.hide.eq(sweeping),
                unit.spare.eq(spare),
            ]

        # Searches, and the look-ups of commands among them or beside them.
        m.d.comb += [
            self.search.ready.eq(1),
            searcher.valid.eq(self.search.valid),
            searcher.key.eq(self.search.payload),
            prober.valid.eq(probing),
            prober.tag.eq(1),
            prober.key.eq(command.key),
            prober.by_row.eq(sweeping),
            prober.row.eq(row),
        ]

        # What was written last, for searches that met the write.
        written = Signal(self.value_width, reset_less=True)
        with m.If(writes.any()):
            m.d.sync += written.eq(command.value)

        hits = Cat(searcher.match, searcher.forward)
        values = [searcher.values[place] for place in range(places)] + [written]
        m.d.comb += [
            self.result.valid.eq(searcher.o_valid & ~searcher.o_tag),
            self.result.hit.eq(hits.any()),
            self.result.value.eq(reduce(or_, (value & hit.replicate(self.value_width) for value, hit in zip(values, hits, strict=True)))),
        ]

        # The choice of a place: where the key is, else a free one in the row with more free places, else a spare one.
        live = [prober.live[which * self.slots : (which + 1) * self.slots] for which in range(HASHES)]
        second = Signal()
        m.d.comb += second.eq(sum(live[1]) < sum(live[0]))
        full = prober.live[:hashed].all()
        free = Cat(
            _first_clear(live[0]) & (~second).replicate(self.slots),
            _first_clear(live[1]) & second.replicate(self.slots),
            _first_clear(prober.live[hashed:]) & full.replicate(self.spares),
        )

        chosen = Signal(places)
        found = Signal()
        found_pinned = Signal()
        answer = Signal(self.response.p.shape())
        respond = Signal()
        wait = Signal(range(self.LATENCY))
        m.d.comb += self.response.p.eq(answer)

        with m.FSM(init="CLEAR"):
            with m.State("IDLE"):  # waits for a command
                m.d.comb += self.command.ready.eq(1)
                m.d.sync += stores.eq(self.command.p.op == CamOperation.INSERT)
                m.d.sync += [command.eq(self.command.p), answer.ok.eq(1), answer.found.eq(0), respond.eq(1)]
                with m.If(self.command.valid):
                    with m.Switch(self.command.p.op):
                        with m.Case(CamOperation.INSERT, CamOperation.DELETE):
                            m.next = "PROBE"
                        with m.Case(CamOperation.CLEAR):
                            m.next = "CLEAR"
                        with m.Case(CamOperation.FORGET):
                            with m.If(epoch.all()):
                                m.next = "SWEEP"
                            with m.Else():
                                m.d.sync += [epoch.eq(epoch + 1), self.status.unpinned.eq(0)]
                                m.next = "RESPOND"
            with m.State("PROBE"):  # sends the key, or while sweeping the row, through the look-up
                m.d.comb += probing.eq(1)
                m.next = "ROWS"
            with m.State("ROWS"):  # keeps the rows for the write
                m.d.sync += rows.eq(prober.rows)
                m.next = "ANSWER"
            with m.State("ANSWER"):  # waits for the look-up's answer
                m.d.sync += [
                    found.eq(prober.match.any()),
                    found_pinned.eq((prober.match & prober.pinned).any()),
                    chosen.eq(prober.match),
                ]
                with m.If(sweeping):
                    m.d.sync += chosen.eq(~prober.pinned)
                with m.Elif(stores & ~prober.match.any()):
                    m.d.sync += chosen.eq(free)
                with m.If(prober.o_valid & prober.o_tag):
                    m.next = "WRITE"
            with m.State("WRITE"):  # has the chosen place changed, if there is one, in the next clock
                m.d.sync += [writes.eq(chosen), write_rows.eq(rows)]
                with m.If(sweeping):
                    m.d.sync += row.eq(row + 1)
                    m.next = "PROBE"
                    with m.If(row.all()):
                        m.d.sync += [epoch.eq(0), self.status.unpinned.eq(0), wait.eq(0)]
                        m.next = "DRAIN"
                with m.Else():
                    stored = stores & chosen.any()
                    m.d.sync += [
                        answer.ok.eq(chosen.any()),
                        answer.found.eq(found),
                        self.status.pinned.eq(self.status.pinned + (stored & command.pinned) - (found & found_pinned)),
                        self.status.unpinned.eq(self.status.unpinned + (stored & ~command.pinned) - (found & ~found_pinned)),
                    ]
                    with m.If(stores & ~chosen.any() & ~self.status.failed.all()):
                        m.d.sync += self.status.failed.eq(self.status.failed + 1)
                    m.next = "RESPOND"
            with m.State("SWEEP"):  # starts to look for stale entries, row by row
                m.d.sync += sweeping.eq(1)
                m.next = "PROBE"
            with m.State("CLEAR"):  # empties a row a clock
                m.d.comb += blank.eq(1)
                m.d.sync += [writes.eq(~0), *(write_rows[which].eq(row) for which in range(HASHES))]
                m.d.sync += [row.eq(row + 1), self.status.pinned.eq(0), self.status.unpinned.eq(0), wait.eq(0)]
                with m.If(row.all()):
                    m.next = "DRAIN"
            with m.State("DRAIN"):  # lets look-ups pass that have read a row before it was emptied
                m.d.comb += blank.eq(~sweeping)
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == self.LATENCY - 1):
                    m.d.sync += sweeping.eq(0)
                    m.next = "RESPOND"
            with m.State("RESPOND"):  # waits until the response is taken; the clearing after a reset has none
                m.d.comb += self.response.valid.eq(respond)
                with m.If(self.response.ready | ~respond):
                    m.next = "IDLE"
        return m


def _first_clear(bits):
    """One-hot of the lowest bit that is 0."""
    return Cat(~bits[index] & bits[:index].all() for index in range(len(bits)))
