"""The pipeline that looks a key up in all of its places at once."""

from amaranth.hdl import Array, Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl.cam.hashing import HASHES, row_value

__all__ = ["CamEntry", "Lookup"]


class CamEntry(data.StructLayout):
    """One place of a hash memory: ``epoch`` 0 is a free place, the largest one a pinned key, another the time in which the key was
    stored. ``tag`` is the key without the bits that its row tells."""

    def __init__(self, tag_width: int, value_width: int, epoch_width: int):
        super().__init__({"tag": tag_width, "value": value_width, "epoch": epoch_width})


class Lookup(wiring.Component):
    """Takes a key a clock and says four clocks later which of its places hold it.

    The clocks: hash; read; register the words, because the output of a block RAM is slow; compare.

    A place that is written in the clock in which it is read gives an undefined word. The pipeline then takes the place
    for empty, and when the write stores the very key that is looked up, reports ``forward`` instead: such a look-up sees the write.

    Parameters
    ----------
    key_width, value_width, epoch_width, row_width : int
    slots : int
        Places per hash.
    spares : int
        Places outside the rows, which any key may take.

    Members
    -------
    valid, tag, key : In
        A look-up begins; ``tag`` comes out with its answer.
    by_row, row : In
        Look at the places in that row instead of those of the key.
    writes : In(HASHES * slots + spares)
        Which places are written in this clock, in ``write_rows`` of each hash, ...
    write_inserts, write_key : In
        ... and whether that stores a key, and which; ``write_key`` has been stable for two clocks.
    epoch : In
        Present epoch.
    blank, hide : In
        No place counts as live; no place that is not pinned does.
    read : ``In(memory.ReadPort.Signature(...)).array(HASHES * slots)``
        To the memories: the slots of hash 0, then those of hash 1.
    spare : In
        The words of the spare places, whose tags are whole keys.
    rows : Out
        The rows that were looked up, one clock after ``valid``.
    o_valid, o_tag, o_key : Out
        An answer, and what was looked up.
    match, live, pinned, values : Out
        For each place, those in the rows first: holds the key; is in use; is pinned; its value.
    forward : Out
        The key is being written.
    """

    LATENCY = 4

    def __init__(self, *, key_width: int, value_width: int, epoch_width: int, row_width: int, slots: int, spares: int):
        self.row_width = row_width
        self.slots = slots
        self.spares = spares
        self.key_width = key_width
        self.value_width = value_width
        self.entry = CamEntry(key_width - row_width, value_width, epoch_width)
        self.spare_entry = CamEntry(key_width, value_width, epoch_width)
        places = HASHES * slots + spares
        rows = data.ArrayLayout(row_width, HASHES)
        super().__init__(
            {
                "valid": In(1),
                "tag": In(1),
                "key": In(key_width),
                "by_row": In(1),
                "row": In(row_width),
                "writes": In(places),
                "write_rows": In(rows),
                "write_inserts": In(1),
                "write_key": In(key_width),
                "epoch": In(epoch_width),
                "blank": In(1),
                "hide": In(1),
                "read": In(memory.ReadPort.Signature(addr_width=row_width, shape=self.entry)).array(HASHES * slots),
                "spare": In(data.ArrayLayout(self.spare_entry, spares)),
                "rows": Out(rows),
                "o_valid": Out(1),
                "o_tag": Out(1),
                "o_key": Out(key_width),
                "match": Out(places),
                "live": Out(places),
                "pinned": Out(places),
                "values": Out(data.ArrayLayout(value_width, places)),
                "forward": Out(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        hashed = HASHES * self.slots

        hash_key = Signal(self.key_width)
        same_key = Signal()
        m.d.sync += [hash_key.eq(self.key), same_key.eq(self.key == self.write_key)]
        for which in range(HASHES):
            m.d.sync += self.rows[which].eq(Mux(self.by_row, self.row, row_value(self.key, row_width=self.row_width, which=which)))

        read_key = Signal(self.key_width)
        collided = Signal(hashed)
        forward = Signal()
        meets = Array([Signal(name=f"meets{which}") for which in range(HASHES)])
        for which in range(HASHES):
            m.d.comb += meets[which].eq(self.rows[which] == self.write_rows[which])
        meeting = Cat(self.writes[place] & meets[place // self.slots] for place in range(hashed))
        m.d.sync += [read_key.eq(hash_key), collided.eq(meeting), forward.eq(meeting.any() & same_key & self.write_inserts)]
        for place in range(hashed):
            m.d.comb += [self.read[place].addr.eq(self.rows[place // self.slots]), self.read[place].en.eq(1)]

        word_key = Signal(self.key_width)
        word_collided = Signal(hashed + self.spares)
        word_forward = Signal()
        m.d.sync += [word_key.eq(read_key), word_collided.eq(collided), word_forward.eq(forward), self.o_key.eq(word_key)]
        for place in range(hashed + self.spares):
            if place < hashed:
                word = Signal(self.entry, name=f"word{place}", reset_less=True)
                m.d.sync += word.eq(self.read[place].data)
                same = word.tag == word_key[self.row_width :]
            else:
                word = self.spare[place - hashed]
                same = word.tag == word_key
            pinned = word.epoch.all()
            live = Signal(name=f"live{place}")
            m.d.comb += live.eq((pinned | ((word.epoch == self.epoch) & ~self.hide)) & ~self.blank)
            m.d.sync += [
                self.match[place].eq(live & ~word_collided[place] & same),
                self.live[place].eq(live),
                self.pinned[place].eq(pinned),
                self.values[place].eq(word.value),
            ]
        m.d.sync += self.forward.eq(word_forward & ~self.blank)

        stages = Signal(self.LATENCY)
        tags = Signal(self.LATENCY)
        m.d.sync += [stages.eq(Cat(self.valid, stages)), tags.eq(Cat(self.tag, tags))]
        m.d.comb += [self.o_valid.eq(stages[-1]), self.o_tag.eq(tags[-1])]
        return m
