"""Exact-match memory of keys as a hash table in block RAM."""

from functools import reduce
from operator import or_

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out
from amaranth.utils import exact_log2

from hdl.cam.hashing import HASHES
from hdl.cam.interface import CamOperation, cam_members
from hdl.cam.lookup import Lookup
from hdl.stream.block_ram import BlockRam

__all__ = ["HashCam"]


class HashCam(wiring.Component):
    """An exact-match memory of keys: two hashes, each with a row of places for the key, and a few spare places.

    **Search.** A key taken from ``search`` in clock n has its answer on ``result`` in clock n + :attr:`LATENCY`, and the key itself on
    ``result_key``. ``result`` has no back pressure; answers come in order. INSERT and DELETE look up their key the same way, in a
    clock without a search; only when they have waited for :attr:`patience` clocks does ``search.ready`` fall, for one clock. It also falls
    for ``rows`` clocks in a sweep.

    **Commands** are taken one at a time; each ends in one ``response``. A search sees a command completely or not at all.
    One that is taken in or after the first clock in which the response is offered sees it; one that was answered before the command was
    taken does not.

    - INSERT and DELETE offer their response eight clocks after they are taken when no search comes. An insert never moves another entry:
      when all places of the key and the spare ones are live it is refused and nothing changes.
    - CLEAR takes ``rows`` clocks and a few.
    - FORGET takes one clock, because each entry carries the epoch it was stored in and an entry of an older epoch is a free place;
      once in ``2 ** epoch_width - 2`` times it instead sweeps the stale entries away, at a row a clock.

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
    patience : int
        Clocks for which searches go before a command.
    epoch_width : int
        Width of the epoch number, of which two values are taken: for a free place and for a pinned key.

    Members
    -------
    search : ``In(stream.Signature(key_width))``
    result : ``Out(CamResult(value_width))``
    result_key : ``Out(key_width)``
    command : ``In(stream.Signature(CamCommand(key_width, value_width)))``
    response : ``Out(stream.Signature(CamResponse))``
    status : ``Out(CamStatus(capacity))``
        Counts as they are when the response is offered.
    """

    LATENCY = Lookup.LATENCY + 2

    def __init__(
        self,
        *,
        key_width: int,
        value_width: int,
        rows: int = 512,
        slots: int = 2,
        spares: int = 2,
        epoch_width: int = 4,
        patience: int = 16,
    ):
        if not isinstance(rows, int) or rows < 2 or rows & (rows - 1):
            raise ValueError(f"rows must be a power of two of at least 2, not {rows!r}")
        for name, value, least in (("slots", slots, 1), ("epoch_width", epoch_width, 2), ("patience", patience, 1)):
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} must be an integer of at least {least}, not {value!r}")
        if not isinstance(spares, int) or isinstance(spares, bool) or spares < 0:
            raise ValueError(f"spares must be an integer of at least 0, not {spares!r}")
        self.key_width = key_width
        self.value_width = value_width
        self.rows = rows
        self.row_width = exact_log2(rows)
        self.slots = slots
        self.spares = spares
        self.epoch_width = epoch_width
        self.patience = patience
        members = cam_members(key_width=key_width, value_width=value_width, capacity=self.capacity)
        if key_width <= self.row_width:
            raise ValueError(f"key_width must be more than the {self.row_width} bits of a row number, not {key_width!r}")
        super().__init__(members | {"result_key": Out(key_width)})

    @property
    def capacity(self) -> int:
        """Places in all."""
        return HASHES * self.slots * self.rows + self.spares

    def elaborate(self, platform):
        m = Module()
        hashed = HASHES * self.slots
        places = hashed + self.spares

        m.submodules.lookup = lookup = Lookup(
            key_width=self.key_width,
            value_width=self.value_width,
            epoch_width=self.epoch_width,
            row_width=self.row_width,
            slots=self.slots,
            spares=self.spares,
        )

        command = Signal(self.command.p.shape())
        epoch = Signal(self.epoch_width, init=1)
        row = Signal(self.row_width)
        rows = Signal(data.ArrayLayout(self.row_width, HASHES))
        writes = Signal(places)
        write_rows = Signal(data.ArrayLayout(self.row_width, HASHES))
        stores = Signal()
        blank = Signal()
        probing = Signal()
        first = Signal()  # a command goes before searches
        waited = Signal(range(self.patience + 1))
        sweeping = Signal()

        # The memories, and the spare places.
        write_epoch = Signal(self.epoch_width)
        m.d.sync += writes.eq(0)
        m.d.comb += write_epoch.eq(Mux(stores, epoch | command.pinned.replicate(self.epoch_width), 0))
        spare = Signal(data.ArrayLayout(lookup.spare_entry, self.spares))
        for place in range(self.spares):
            with m.If(writes[hashed + place]):
                m.d.sync += [spare[place].tag.eq(command.key), spare[place].value.eq(command.value), spare[place].epoch.eq(write_epoch)]
        for place in range(hashed):
            m.submodules[f"place{place}"] = storage = BlockRam(shape=lookup.entry, depth=self.rows)
            m.d.comb += [
                storage.write.addr.eq(write_rows[place // self.slots]),
                storage.write.data.tag.eq(command.key[self.row_width :]),
                storage.write.data.value.eq(command.value),
                storage.write.data.epoch.eq(write_epoch),
                storage.write.en.eq(writes[place]),
                storage.read[0].addr.eq(lookup.read[place].addr),
                storage.read[0].en.eq(lookup.read[place].en),
                lookup.read[place].data.eq(storage.read[0].data),
            ]
        m.d.comb += [
            lookup.writes.eq(writes),
            lookup.write_rows.eq(write_rows),
            lookup.write_inserts.eq(stores),
            lookup.write_key.eq(command.key),
            lookup.epoch.eq(epoch),
            lookup.blank.eq(blank),
            lookup.hide.eq(sweeping),
            lookup.spare.eq(spare),
        ]

        # Searches, and the look-ups of commands among them.
        asked = Signal(data.StructLayout({"valid": 1, "tag": 1, "by_row": 1, "row": self.row_width, "key": self.key_width}))
        m.d.sync += [
            asked.valid.eq(self.search.valid | probing),
            asked.tag.eq(probing),
            asked.key.eq(Mux(probing, command.key, self.search.payload)),
            asked.by_row.eq(probing & sweeping),
            asked.row.eq(row),
        ]
        m.d.comb += self.search.ready.eq(~first)
        m.d.comb += [getattr(lookup, name).eq(getattr(asked, name)) for name in ("valid", "tag", "by_row", "row", "key")]

        # What was written last, for searches that met the write.
        written = Signal(self.value_width)
        with m.If(writes.any()):
            m.d.sync += written.eq(command.value)

        hits = Cat(lookup.match, lookup.forward)
        values = [lookup.values[place] for place in range(places)] + [written]
        m.d.sync += [
            self.result.valid.eq(lookup.o_valid & ~lookup.o_tag),
            self.result.hit.eq(hits.any()),
            self.result.value.eq(reduce(or_, (value & hit.replicate(self.value_width) for value, hit in zip(values, hits, strict=True)))),
            self.result_key.eq(lookup.o_key),
        ]

        # The choice of a place: where the key is, else a free one in the row with more free places, else a spare one.
        live = [lookup.live[which * self.slots : (which + 1) * self.slots] for which in range(HASHES)]
        second = Signal()
        m.d.comb += second.eq(sum(live[1]) < sum(live[0]))
        full = lookup.live[:hashed].all()
        free = Cat(
            _first_clear(live[0]) & (~second).replicate(self.slots),
            _first_clear(live[1]) & second.replicate(self.slots),
            _first_clear(lookup.live[hashed:]) & full.replicate(self.spares),
        )

        chosen = Signal(places)
        found = Signal()
        found_pinned = Signal()
        answer = Signal(self.response.p.shape())
        respond = Signal()
        wait = Signal(range(self.LATENCY + 2))
        swept = Signal(self.row_width)
        answered = lookup.o_valid & lookup.o_tag
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
                            with m.If(epoch == (1 << self.epoch_width) - 2):
                                m.d.sync += sweeping.eq(1)
                                m.next = "SWEEP"
                            with m.Else():
                                m.d.sync += [epoch.eq(epoch + 1), self.status.unpinned.eq(0)]
                                m.next = "RESPOND"
            with m.State("PROBE"):  # sends the key through the look-up when no search does
                m.d.comb += [first.eq(waited == self.patience), probing.eq(first | ~self.search.valid)]
                m.d.sync += waited.eq(waited + 1)
                with m.If(probing):
                    m.d.sync += waited.eq(0)
                    m.next = "HASH"
            with m.State("HASH"):  # has the rows computed
                m.next = "ROWS"
            with m.State("ROWS"):  # keeps the rows for the write
                m.d.sync += rows.eq(lookup.rows)
                m.next = "ANSWER"
            with m.State("ANSWER"):  # waits for the look-up's answer
                m.d.sync += [
                    found.eq(lookup.match.any()),
                    found_pinned.eq((lookup.match & lookup.pinned).any()),
                    chosen.eq(Mux(stores & ~lookup.match.any(), free, lookup.match)),
                ]
                with m.If(answered):
                    m.next = "WRITE"
            with m.State("WRITE"):  # has the chosen place changed, if there is one, in the next clock
                m.d.sync += [writes.eq(chosen), write_rows.eq(rows)]
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
            with m.State("SWEEP"):  # looks at every row and empties the places that are not pinned
                m.d.comb += [first.eq(1), probing.eq(1)]
                m.d.sync += [row.eq(row + 1), wait.eq(0)]
                with m.If(row.all()):
                    m.next = "DRAIN"
            with m.State("CLEAR"):  # empties a row a clock
                m.d.comb += blank.eq(1)
                m.d.sync += [writes.eq(~0), *(write_rows[which].eq(row) for which in range(HASHES))]
                m.d.sync += [row.eq(row + 1), self.status.pinned.eq(0), self.status.unpinned.eq(0), wait.eq(0)]
                with m.If(row.all()):
                    m.next = "DRAIN"
            with m.State("DRAIN"):  # lets look-ups pass that have read a row before it was emptied
                m.d.comb += blank.eq(~sweeping)
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == self.LATENCY + 1):
                    m.d.sync += sweeping.eq(0)
                    with m.If(sweeping):
                        m.d.sync += [epoch.eq(1), self.status.unpinned.eq(0)]
                    m.next = "RESPOND"
            with m.State("RESPOND"):  # waits until the response is taken; the clearing after a reset has none
                m.d.comb += self.response.valid.eq(respond)
                with m.If(self.response.ready | ~respond):
                    m.next = "IDLE"
        with m.If(sweeping & answered):
            m.d.sync += [writes.eq(~lookup.pinned), *(write_rows[which].eq(swept) for which in range(HASHES)), swept.eq(swept + 1)]
        return m


def _first_clear(bits):
    """One-hot of the lowest bit that is 0."""
    return Cat(~bits[index] & bits[:index].all() for index in range(len(bits)))
