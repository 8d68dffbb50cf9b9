"""String-values: the text stream of a document and what it is to each open element."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

__all__ = ["TextStream"]


class _Ring:
    """The last bytes of a stream in four lanes, so that a word lies and is read at any position."""

    def __init__(self, m, name: str, size: int):
        self.lanes = []
        self.bits = ceil_log2(size)
        for lane in range(4):
            store = memory.Memory(shape=8, depth=size // 4, init=[])
            m.submodules[f"{name}{lane}"] = store
            self.lanes.append((store.write_port(), store.read_port(domain="comb")))

    def _turn(self, position, lane):
        """Which byte of a word at this position lies in a lane, and the lane's address for it."""
        place = (lane - position[:2])[:2]
        return place, position[2 : self.bits] + (lane < position[:2])

    def write(self, m, position, word, count, enable, skip=0):
        """Write ``count`` bytes of a word, without the first ``skip``."""
        for lane, (write, _) in enumerate(self.lanes):
            place, address = self._turn(position, lane)
            byte = word.word_select((place + skip)[:2], 8)
            m.d.comb += [write.addr.eq(address), write.data.eq(byte), write.en.eq(enable & (place < count))]

    def read(self, m, position):
        bytes_read = []
        for lane, (_, read) in enumerate(self.lanes):
            m.d.comb += read.addr.eq(self._turn(position, lane)[1])
            bytes_read.append(read.data)
        every = Cat(bytes_read)
        return Cat(every.word_select((position[:2] + n)[:2], 8) for n in range(4))


class TextStream(wiring.Component):
    """Follows the text of a document and gives the string-value of the element that ends.

    The string-value is a piece of the text stream. Its last ``value_bytes`` bytes are kept, and so are the last as many bytes that are
    no white space: a number is among those, unless a foreign byte or white space inside makes NaN, which is remembered for
    each open element. Any event takes one clock; ``long``, ``length``, ``nan``, ``many`` and ``solid`` are right
    :attr:`SETTLED` clocks after the latest one, ``word`` and ``figures`` two clocks after their place.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    push, data, count : ``In``
        A word of text.
    open, close, clear : ``In(1)``
        An element begins; the innermost one ends; the document ends. One event a clock.
    long : ``Out(1)``, ``length`` : ``Out``
        The string-value is longer than can be compared, or its length.
    nan : ``Out(1)``, ``many`` : ``Out(1)``, ``solid`` : ``Out``
        It is no number for sure, or it has more bytes without white space than a number may have, or their number.
    index : ``In``, ``word`` : ``Out(32)``, ``figures`` : ``Out(32)``
        A word of the string-value, and one of its bytes without white space.
    """

    SETTLED = 6

    def __init__(self, config):
        self.config = config
        size = range(config.value_bytes + 1)
        super().__init__(
            {
                "push": In(1),
                "data": In(32),
                "count": In(3),
                "open": In(1),
                "close": In(1),
                "clear": In(1),
                "long": Out(1),
                "length": Out(size),
                "nan": Out(1),
                "many": Out(1),
                "solid": Out(size),
                "index": In(range(config.value_bytes // 4)),
                "word": Out(32),
                "figures": Out(32),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        ring = 1 << ceil_log2(config.value_bytes)

        # A clock for the classes of the bytes.
        push, opens, closes, clears = (Signal(2, name=name) for name in ("push", "opens", "closes", "clears"))
        for events, event in ((push, self.push), (opens, self.open), (closes, self.close), (clears, self.clear)):
            m.d.sync += events.eq(Cat(event, events))
        word, count = Signal(32), Signal(3)
        space, solid, foreign = Signal(4), Signal(4), Signal(4)
        m.d.sync += [word.eq(self.data), count.eq(self.count)]
        for n in range(4):
            byte = self.data.word_select(n, 8)
            is_space = (byte == 0x20) | (byte == 0x09) | (byte == 0x0D) | (byte == 0x0A)
            is_number = ((byte[4:] == 3) & (byte[:4] <= 9)) | (byte == ord(".")) | (byte == ord("-"))
            there = n < self.count
            m.d.sync += [space[n].eq(is_space & there), solid[n].eq(~is_space & there), foreign[n].eq(~is_space & ~is_number & there)]

        # A clock for what they are together.
        skip = Signal(2)
        m.d.sync += skip.eq(Mux(solid[0], 0, Mux(solid[1], 1, Mux(solid[2], 2, 3))))
        split = (solid[0] & space[1] & (solid[2] | solid[3])) | (solid[1] & space[2] & solid[3]) | (solid[0] & space[2] & solid[3])
        raw_word, bytes_in, solids = Signal(32), Signal(3), Signal(3)
        never, leads, trails = Signal(), Signal(), Signal()
        m.d.sync += [
            raw_word.eq(word),
            bytes_in.eq(count),
            solids.eq(sum(solid)),
            never.eq(foreign.any() | split),
            leads.eq(space[0]),
            trails.eq(space.bit_select((count - 1)[:2], 1)),
        ]

        # What is true of an open element is true of those round it: the number of elements that it is true of is enough. They have had
        # a byte that is no white space, can no longer be a number, or have seen their stream pass a mark once or twice.
        pushes, opens, closes, clears = push[1], opens[1], closes[1], clears[1]
        depth = Signal(range(config.depth + 2))
        some, nan = Signal.like(depth), Signal.like(depth)
        once = {name: Signal.like(depth, name=f"{name}_once") for name in ("raw", "dense")}
        twice = {name: Signal.like(depth, name=f"{name}_twice") for name in ("raw", "dense")}
        trailing = Signal()
        # Positions go four times as far as a value that is compared.
        position = ceil_log2(config.value_bytes) + 2
        spot = data.StructLayout({"raw": position, "dense": position})
        end = Signal(spot)
        m.submodules.starts = starts = memory.Memory(shape=spot, depth=1 << ceil_log2(config.depth), init=[])
        start_write, start_read = starts.write_port(), starts.read_port(domain="comb")
        m.d.comb += [
            start_write.addr.eq(depth + 1),
            start_write.data.eq(end),
            start_write.en.eq(opens),
            start_read.addr.eq(depth),
        ]
        raws, denses = _Ring(m, "raw", ring), _Ring(m, "dense", ring)
        raws.write(m, end.raw, raw_word, bytes_in, pushes)
        denses.write(m, end.dense, raw_word, solids, pushes, skip)
        with m.If(pushes):
            with m.If(bytes_in != 0):
                m.d.sync += trailing.eq(trails)
            with m.If(solids != 0):
                m.d.sync += some.eq(depth)
                with m.If(never):
                    m.d.sync += nan.eq(depth)
                with m.Elif((trailing | leads) & (nan < some)):
                    m.d.sync += nan.eq(some)

        # Positions are short. An element that has seen its stream pass two multiples of a quarter of them is long.
        for name, gain in (("raw", bytes_in), ("dense", solids)):
            after = Signal(position, name=f"{name}_after")
            passes = Signal(name=f"{name}_passes")
            m.d.comb += [after.eq(end[name] + gain), passes.eq(pushes & (after[-2] != end[name][-2]))]
            with m.If(pushes):
                m.d.sync += end[name].eq(after)
            with m.If(passes):
                m.d.sync += [once[name].eq(depth), twice[name].eq(once[name])]
        with m.If(opens):
            m.d.sync += depth.eq(depth + 1)
        with m.If(closes):
            m.d.sync += depth.eq(depth - 1)
            for number in (some, nan, *once.values(), *twice.values()):
                with m.If(number == depth):
                    m.d.sync += number.eq(depth - 1)
        with m.If(clears):
            m.d.sync += [depth.eq(0), trailing.eq(0), *(number.eq(0) for number in (some, nan, *once.values(), *twice.values()))]

        begin, length = Signal(spot), Signal(spot)
        beyond = {name: Signal(name=f"{name}_beyond") for name in twice}
        hopeless = Signal()
        m.d.sync += [begin.eq(start_read.data), hopeless.eq(nan == depth), self.nan.eq(hopeless)]
        for name, (over, size) in {"raw": (self.long, self.length), "dense": (self.many, self.solid)}.items():
            m.d.sync += [
                length[name].eq(end[name] - begin[name]),
                beyond[name].eq(twice[name] == depth),
                over.eq(beyond[name] | (length[name] > config.value_bytes)),
                size.eq(length[name]),
            ]
        at = Signal(spot)
        m.d.sync += [
            at.raw.eq(begin.raw + (self.index << 2)),
            at.dense.eq(begin.dense + (self.index << 2)),
            self.word.eq(raws.read(m, at.raw)),
            self.figures.eq(denses.read(m, at.dense)),
        ]
        return m
