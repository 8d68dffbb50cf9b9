"""The strings that subscriptions compare with, each one stored once [T 5.3.3.2]."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tables import StringPort
from hdl.shapes.widths import ByteCount, value_width
from hdl.stream import BlockRam

__all__ = ["StringStore"]

_WORDS_PER_VALUE = 4
"""Words of room per string on average."""
_MASK_BITS = 3
"""Bits of a hash that tell a string from those in its bucket before any of them is looked at."""


class _Buffer:
    """A value as its words come: the first ones kept, with a hash and the length."""

    def __init__(self, m, config, port, name: str):
        words = config.value_bytes // 4
        store = memory.Memory(shape=32, depth=max(words, 2), init=[])
        m.submodules[name] = store
        write = store.write_port()
        self.read = store.read_port(domain="comb")
        self.length = Signal(range(config.value_bytes + 1), name=f"{name}_length")
        self.long = Signal(name=f"{name}_long")
        self.hash = Signal(16, name=f"{name}_hash")
        self.asked = Signal(name=f"{name}_asked")
        count = Signal(range(words + 1), name=f"{name}_count")
        # The words come from afar.
        clear, push, search = (Signal(name=f"{name}_{what}") for what in ("clear", "push", "search"))
        self.search = search
        word, size = Signal(32, name=f"{name}_word"), Signal(ByteCount, name=f"{name}_size")
        blend = Signal(16, name=f"{name}_blend")
        m.d.sync += [clear.eq(port.clear), push.eq(port.push), search.eq(port.search), word.eq(port.data), size.eq(port.count)]
        m.d.sync += blend.eq(port.data[:16] ^ port.data[16:].rotate_left(6))
        mixed = self.hash.rotate_left(3) ^ blend
        self.next_hash = Mux(push, mixed, self.hash)
        m.d.comb += [write.addr.eq(count), write.data.eq(word), write.en.eq(push & (count != words))]
        with m.If(search):
            m.d.sync += self.asked.eq(1)
        with m.If(clear):
            m.d.sync += [self.length.eq(0), self.long.eq(0), self.hash.eq(0), count.eq(0)]
        with m.Elif(push):
            with m.If(count == words):
                m.d.sync += self.long.eq(self.long | (size != 0))
            with m.Else():
                m.d.sync += [count.eq(count + 1), self.length.eq(self.length + size), self.hash.eq(mixed)]


class StringStore(wiring.Component):
    """Finds a string's number; registration adds strings and takes them back.

    A document's search takes 4 clocks for a string in whose bucket no stored one is, else 2 more for each string of the bucket that is
    looked at, and for the one with the same hash 2 and 2 more for each word. A literal's takes about 4 a word. Searches of both ports take
    turns; one is asked for again only after it was answered.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    document : ``Out(StringPort(config))``
        Searches for a value of a document.
    literal : ``Out(StringPort(config))``
        Searches for a literal and adds it if it is new; each success counts one use. Not ``found``: there is no room.
    release, value : ``In``
        One use less of a string; taken when ``idle`` and no search is asked for.
    idle : ``Out(1)``
    clear, clear_address : ``In``
        Empties the store: every address from 0 up, while ``idle``; a clock later it is empty.
    """

    def __init__(self, config):
        self.config = config
        super().__init__(
            {
                "document": Out(StringPort(config)),
                "literal": Out(StringPort(config)),
                "release": In(1),
                "value": In(value_width(config)),
                "idle": Out(1),
                "clear": In(1),
                "clear_address": In(value_width(config)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self.config
        value_bits = value_width(config)
        pool = config.values * _WORDS_PER_VALUE
        pool_bits = ceil_log2(pool)
        link = data.StructLayout({"index": value_bits, "valid": 1})
        record_shape = data.StructLayout(
            {
                "uses": (config.subscriptions * config.subscription_steps).bit_length(),
                "length": (config.value_bytes).bit_length(),
                "first": pool_bits,
                "next": link,
                "hash": 16,
            }
        )
        # Records of strings, and behind them the first string of each bucket, with a mask of what the other bits of their hashes may be.
        m.submodules.records = records = BlockRam(shape=record_shape, depth=2 * config.values, output_register=True)
        bucket_shape = data.StructLayout({"first": link, "mask": 1 << _MASK_BITS})
        found_bucket = data.View(bucket_shape, records.read[0].data.as_value()[: bucket_shape.size])
        in_bucket, to_bucket, new_bucket = Signal(), Signal(), Signal(bucket_shape)
        mask, sign = Signal(1 << _MASK_BITS), Signal(1 << _MASK_BITS)
        word_link = data.StructLayout({"index": pool_bits, "valid": 1})
        word_shape = data.StructLayout({"data": 32, "next": word_link})
        m.submodules.words = words = BlockRam(shape=word_shape, depth=pool, output_register=True)
        for table in (records, words):
            m.d.comb += table.read[0].en.eq(1)

        document = _Buffer(m, config, self.document, "document")
        literal = _Buffer(m, config, self.literal, "literal")
        asked = Cat(document.asked | document.search, literal.asked)

        adds = Signal()
        bucket = Signal(value_bits)
        length = Signal(range(config.value_bytes + 1))
        long = Signal()
        current = Signal(link)
        before = Signal(link)
        record = Signal(record_shape)
        word = Signal(pool_bits)
        index = Signal(range(config.value_bytes // 4 + 1))
        total = Signal.like(index)
        left = Signal.like(index)
        buffer_word = Mux(adds, literal.read.data, document.read.data)
        differs = Signal(4)
        m.d.sync += differs.eq(Cat(words.read[0].data.data.word_select(n, 8) != buffer_word.word_select(n, 8) for n in range(4)))
        m.d.sync += total.eq((length + 3) >> 2)
        looks, meets = Signal(), Signal()
        probed, word_read = Signal(link), Signal(pool_bits)  # what is read in this clock

        def fold(value):
            return Cat(value[n] ^ (value[n + 8] if n < 8 else 0) for n in range(16))[:value_bits]

        # Free strings and words: those never used, and chains of those given back.
        fresh_value, fresh_word = Signal(range(config.values + 1)), Signal(range(pool + 1))
        spare_value = Signal(link)
        spare_word = Signal(word_link)
        failing = Signal()
        longest = Signal.like(length)
        m.d.comb += [
            self.document.longest.eq(longest),
            self.literal.longest.eq(longest),
            document.read.addr.eq(index),
            literal.read.addr.eq(index),
            probed.eq(current),
            word_read.eq(word),
            records.read[0].addr.eq(Mux(in_bucket, Cat(Mux(looks, fold(document.next_hash), bucket), 1), probed.index)),
            records.write.addr.eq(Mux(to_bucket, Cat(bucket, 1), current.index)),
            records.write.data.eq(record),
            words.read[0].addr.eq(word_read),
            words.write.addr.eq(word),
        ]
        with m.If(to_bucket):
            m.d.comb += [records.write.en.eq(1), records.write.data.as_value()[: bucket_shape.size].eq(new_bucket)]
        # It comes from afar.
        clear, clear_address = Signal(), Signal(value_bits)
        m.d.sync += [clear.eq(self.clear), clear_address.eq(self.clear_address)]
        with m.If(clear):
            m.d.comb += [to_bucket.eq(1), records.write.addr.eq(Cat(clear_address, 1))]
            m.d.sync += [fresh_value.eq(0), fresh_word.eq(0), spare_value.eq(0), spare_word.eq(0), longest.eq(0)]
        m.d.sync += [self.document.done.eq(0), self.literal.done.eq(0)]

        def finish(found):
            with m.If(adds):
                m.d.sync += [self.literal.done.eq(1), self.literal.found.eq(found)]
            with m.Else():
                m.d.sync += [self.document.done.eq(1), self.document.found.eq(found)]
            m.next = "IDLE"

        found_record = records.read[0].data

        def probe(following):
            """Reads the next string of a bucket; without one the document's value is not there."""
            m.d.comb += probed.eq(following)
            m.d.sync += [current.eq(following), index.eq(0)]
            m.next = "PROBE"
            with m.If(~following.valid):
                finish(0)

        def pause(name, then):
            with m.State(name):
                m.next = then

        with m.FSM():
            with m.State("IDLE"):
                m.d.comb += [self.idle.eq(~asked.any()), in_bucket.eq(1), looks.eq(1)]
                m.d.sync += [index.eq(0), before.eq(0), left.eq(0)]
                with m.If(asked[0]):
                    m.d.sync += adds.eq(0)
                    m.d.sync += document.asked.eq(0)
                    m.next = "BUCKET1"
                with m.Elif(asked[1]):
                    m.d.sync += [adds.eq(1), bucket.eq(fold(literal.hash))]
                    m.d.sync += literal.asked.eq(0)
                    m.next = "BUCKET"
                with m.Elif(self.release):
                    m.d.sync += [current.index.eq(self.value), current.valid.eq(1)]
                    m.next = "RELEASE"
            with m.State("BUCKET"):
                m.d.comb += in_bucket.eq(1)
                m.next = "BUCKET1"
            with m.State("BUCKET1"):
                m.d.sync += sign.eq(Const(1, len(sign)) << Mux(adds, literal.hash, document.hash)[-_MASK_BITS:])
                m.d.sync += [length.eq(Mux(adds, literal.length, document.length)), long.eq(Mux(adds, literal.long, document.long))]
                m.next = "CHAIN"
            with m.State("CHAIN"):
                m.d.sync += [before.eq(found_bucket.first), mask.eq(found_bucket.mask)]
                with m.If(adds):
                    m.d.sync += current.eq(found_bucket.first)
                    m.next = "STRING"
                with m.Else():
                    probe(found_bucket.first)
                    with m.If(long | ~(found_bucket.mask & sign).any()):
                        finish(0)
            pause("PROBE", "RECORD")
            with m.State("RECORD"):
                # A string of the bucket of a document's value, with the same hash or not.
                m.d.sync += [record.eq(found_record), self.document.value.eq(current.index)]
                m.d.comb += word_read.eq(found_record.first)
                with m.If((found_record.hash != document.hash) | (found_record.length != length)):
                    probe(found_record.next)
                with m.Elif(total == 0):
                    finish(1)
                with m.Else():
                    m.next = "FETCH"
            with m.State("FETCH"):
                # Waits for a word of it; the one before must be the same.
                m.next = "WORDS"
                with m.If((index != 0) & differs.any()):
                    probe(record.next)
            with m.State("WORDS"):
                # The word is compared, and the next one asked for.
                m.d.comb += word_read.eq(words.read[0].data.next.index)
                m.d.sync += index.eq(index + 1)
                m.next = "FETCH"
                with m.If(index + 1 == total):
                    m.next = "LAST"
            with m.State("LAST"):
                # The last word must be the same, too.
                with m.If(differs.any()):
                    probe(record.next)
                with m.Else():
                    finish(1)
            with m.State("STRING"):
                # the next string with this hash, if any
                with m.If(long):
                    finish(0)
                with m.Elif(current.valid):
                    m.next = "STRING1"
                with m.Else():
                    m.next = "ROOM"
            pause("STRING1", "STRING2")
            with m.State("STRING2"):
                m.d.sync += [record.eq(found_record), word.eq(found_record.first), index.eq(0)]
                m.next = "COMPARE"
            with m.State("COMPARE"):
                # one word after the other of one that is as long as the literal
                m.next = "COMPARE1"
                with m.If(record.length != length):
                    m.d.sync += current.eq(record.next)
                    m.next = "STRING"
                with m.Elif(index == total):
                    m.d.sync += record.uses.eq(record.uses + 1)
                    m.next = "COUNT"
            pause("COMPARE1", "COMPARE2")
            with m.State("COMPARE2"):
                m.d.sync += [word.eq(words.read[0].data.next.index), index.eq(index + 1)]
                m.next = "COMPARE3"
            with m.State("COMPARE3"):
                m.next = "COMPARE"
                with m.If(differs.any()):
                    m.d.sync += current.eq(record.next)
                    m.next = "STRING"
            with m.State("COUNT"):
                m.d.comb += records.write.en.eq(1)
                m.d.sync += self.literal.value.eq(current.index)
                finish(1)

            with m.State("ROOM"):
                # a number for the new string
                m.d.sync += [current.valid.eq(1), left.eq(total)]
                m.d.sync += current.index.eq(Mux(spare_value.valid, spare_value.index, fresh_value))
                m.next = "TAKE"
                with m.If(~spare_value.valid & fresh_value[-1]):
                    finish(0)
            pause("TAKE", "TAKE1")
            with m.State("TAKE1"):
                m.d.sync += [record.first.eq(0), index.eq(0)]
                m.next = "WORD"
            with m.State("WORD"):
                # words from the last to the first, each linked to the one after it
                m.d.sync += word.eq(Mux(spare_word.valid, spare_word.index, fresh_word))
                with m.If(left == 0):
                    with m.If(spare_value.valid):
                        m.d.sync += spare_value.eq(records.read[0].data.next)
                    with m.Else():
                        m.d.sync += fresh_value.eq(fresh_value + 1)
                    m.d.sync += [record.uses.eq(1), record.length.eq(length), record.next.eq(before), record.hash.eq(literal.hash)]
                    m.next = "ADD"
                with m.Elif(~spare_word.valid & fresh_word[-1]):
                    m.d.sync += [word.eq(record.first), left.eq(total - left), failing.eq(1)]
                    m.next = "DROP"
                with m.Else():
                    m.d.sync += index.eq(left - 1)
                    m.next = "WORD1"
            pause("WORD1", "LINK")
            pause("LINK", "WORD2")
            with m.State("WORD2"):
                m.d.comb += [words.write.data.data.eq(literal.read.data), words.write.data.next.index.eq(record.first)]
                m.d.comb += words.write.en.eq(1)
                m.d.sync += [record.first.eq(word), left.eq(left - 1)]
                with m.If(spare_word.valid):
                    m.d.sync += spare_word.eq(words.read[0].data.next)
                with m.Else():
                    m.d.sync += fresh_word.eq(fresh_word + 1)
                m.next = "WORD"
            with m.State("ADD"):
                m.d.comb += records.write.en.eq(1)
                with m.If(length > longest):
                    m.d.sync += longest.eq(length)
                m.next = "ADD1"
            with m.State("ADD1"):
                m.d.comb += [to_bucket.eq(1), new_bucket.first.eq(current), new_bucket.mask.eq(mask | sign)]
                m.d.sync += self.literal.value.eq(current.index)
                finish(1)

            pause("RELEASE", "RELEASE1")
            pause("RELEASE1", "RELEASE2")
            with m.State("RELEASE2"):
                m.d.sync += record.eq(records.read[0].data)
                m.d.sync += record.uses.eq(records.read[0].data.uses - 1)
                m.d.sync += bucket.eq(fold(found_record.hash))
                m.next = "USES"
            with m.State("USES"):
                m.d.comb += [records.write.en.eq(1), in_bucket.eq(1)]
                m.d.sync += [word.eq(record.first), left.eq((record.length + 3) >> 2), before.eq(current)]
                m.next = "FIND"
                with m.If(record.uses != 0):
                    m.next = "IDLE"
            pause("FIND", "FIND1")
            with m.State("FIND1"):
                m.d.sync += [current.eq(found_bucket.first), mask.eq(found_bucket.mask)]
                m.next = "FIND2"
            with m.State("FIND2"):
                m.d.sync += meets.eq(current.index == before.index)
                m.next = "FIND3"
            with m.State("FIND3"):
                # the string's place in the chain of its bucket
                m.d.comb += [new_bucket.first.eq(record.next), new_bucket.mask.eq(mask & record.next.valid.replicate(len(mask)))]
                m.next = "SEEK"
                with m.If(meets):
                    m.d.comb += to_bucket.eq(1)
                    m.d.sync += current.eq(before)
                    m.next = "FREE"
            pause("SEEK", "SEEK1")
            pause("SEEK1", "SEEK2")
            with m.State("SEEK2"):
                m.d.sync += meets.eq(records.read[0].data.next.index == before.index)
                m.next = "SEEK3"
            with m.State("SEEK3"):
                m.next = "SEEK"
                with m.If(meets):
                    m.d.sync += [record.eq(records.read[0].data), record.next.eq(record.next)]
                    m.next = "PASS"
                with m.Else():
                    m.d.sync += current.eq(records.read[0].data.next)
            with m.State("PASS"):
                # the one before it passes it by
                m.d.comb += records.write.en.eq(1)
                m.d.sync += current.eq(before)
                m.next = "FREE"
            with m.State("FREE"):
                m.d.comb += [records.write.en.eq(1), records.write.data.next.eq(spare_value)]
                m.d.sync += spare_value.eq(current)
                m.next = "DROP"
            with m.State("DROP"):
                # words given back one by one
                m.next = "DROP1"
                with m.If(left == 0):
                    m.next = "IDLE"
                    m.d.sync += failing.eq(0)
                    with m.If(failing):
                        finish(0)
            pause("DROP1", "DROP2")
            with m.State("DROP2"):
                m.d.comb += [words.write.en.eq(1), words.write.data.next.eq(spare_word)]
                m.d.sync += [spare_word.index.eq(word), spare_word.valid.eq(1), word.eq(words.read[0].data.next.index), left.eq(left - 1)]
                m.next = "DROP"
        return m
