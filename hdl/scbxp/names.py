"""Sixth stage of the parser: names by number, and end tags paired by exact name [T 4.3, T 4.4.3].

A name is looked up by a hash of its bytes; its words then pass by the stored words of the entry found and are compared one by one,
so that the hash decides nothing. A name that is not found is learned: its words are stored as they pass, and an entry is made. Learned
names are forgotten together, between two tags, when there is no longer room for a whole tag's worth of new ones, or when one of them is in
the way of another: it has the same hash, or the CAM has no place left for both. Beside that each name is looked up in the name table, which
has those that subscriptions or the skeleton hold.
"""

from functools import reduce
from operator import xor

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.cam.hash import HashCam
from hdl.cam.interface import CamOperation
from hdl.cam.words import KEY_WIDTH, hash_step
from hdl.scbxp.facts import CarriedMark, MarkFacts, carried, mark_facts
from hdl.scbxp.onehot import OneHot, chosen
from hdl.scbxp.packers import PackedMark
from hdl.shapes.names import NameLookup
from hdl.shapes.widths import ShortCount, learned_name_width, name_id_width
from hdl.stream.block_ram import BankedRam, BlockRam
from hdl.stream.fifo import StreamFifo
from hdl.stream.level import counted
from hdl.stream.register import Register

__all__ = ["NamedMark", "Names"]

_IN_FLIGHT = 8
"""Names searched for and not yet compared, at most."""

_OUTSTANDING = 8
"""Names learned and not yet in the CAM, at most."""

_RECENT = _IN_FLIGHT + _OUTSTANDING
"""Learned names remembered beside the CAM, for those searched for before they were in it."""

_UNPLACED = 12
"""A new name is a clash in the tag of one without a place when it is so many names behind. By then it is known that there was no place, as
no more than eight names wait for one, and fifteen are remembered."""

_HINT = 8
"""Bits by which they are remembered: the sum of a key's bytes, which with all bytes but the first gives the first."""

_DEPTH = 16
"""Of the queues, which take the same room whether they hold two or sixteen. The words of a name wait for its end, the first of them
outside: all have room, and one more that comes before it is known that there is none."""


def _hint(key):
    return reduce(xor, (key[at : at + _HINT] for at in range(0, KEY_WIDTH, _HINT)))


def _judged(config) -> data.StructLayout:
    """What is found out about a mark, see NamedMark."""
    ends = data.StructLayout({"element": 1, "attribute": 1, "end": 1})
    return data.StructLayout({"own": learned_name_width(config), "known": 1, "clash": 1, "differs": 1, "ends": ends})


class NamedMark(data.StructLayout):
    """A packed mark, the facts about it, and what is known of its name.

    On the last word of an element's or attribute's name: ``name`` is its token ID, ``known`` whether the skeleton had it, ``own`` the
    number by which it was learned, 0 if it was not, ``clash`` whether it cannot be told apart from another name, or might be one that found
    no place. On the last word of an end: ``differs`` from the open element's name. ``ends`` says of which of the three it is the last word.
    """

    def __init__(self, config):
        super().__init__({"mark": CarriedMark, "facts": MarkFacts, "name": name_id_width(config)} | _judged(config).members)


class Names(wiring.Component):
    """Gives names their token IDs and pairs end tags with start tags.

    One word a clock. Latency about 20 clocks and the length of a name. A name that is new costs no clock by itself; forgetting waits
    between two tags until the stage is empty. Holds its input while the output is not taken, or the name table takes no word.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(PackedMark)),
                "o": Out(stream.Signature(NamedMark(config))),
                "lookup": Out(NameLookup(config)),
                "forgotten": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        slots = config.learned
        slot_shape = range(slots)
        words = config.name_bytes // 4
        word_bits = ceil_log2(words)
        stored = data.StructLayout({"data": 32, "last": 1})
        rows = 1 << max(9, ceil_log2(slots * 5 // 2 // 4))

        m.submodules.cam = cam = HashCam(key_width=KEY_WIDTH, value_width=ceil_log2(slots), rows=rows)
        m.submodules.store = store = BankedRam(shape=stored, depth=slots * words)
        m.submodules.stack = stack = BlockRam(shape=stored, depth=config.depth * words, output_register=True)
        with_facts = data.StructLayout({"mark": CarriedMark, "facts": MarkFacts})
        delayed = data.StructLayout({"mark": CarriedMark, "facts": MarkFacts, "looks": 1})
        m.submodules.intake = intake = Register(with_facts)
        m.submodules.delay = delay = StreamFifo(delayed, _DEPTH, promised=True, direct=True)
        found = data.StructLayout({"hit": 1, "slot": slot_shape, "key": KEY_WIDTH})
        m.submodules.results = results = StreamFifo(found, _DEPTH, promised=True, direct=True)
        m.submodules.queue = queue = StreamFifo(with_facts, _DEPTH + 1, promised=True)
        judged = _judged(config)
        m.submodules.verdicts = verdicts = StreamFifo(judged, _DEPTH + 1, promised=True)
        fsm = OneHot("RUN", "FORGET", "FORGOTTEN", name="table_state")

        # --- What leaves: a mark, and what was found out about it. A mark is in its queue long before. A name waits for the name table.
        held = self.lookup.names
        leaving, answered_name = queue.o.payload, Signal()
        m.d.comb += [
            answered_name.eq(held.valid | ~leaving.facts.searches),
            self.o.valid.eq(verdicts.o.valid & answered_name),
            self.o.payload.mark.eq(leaving.mark),
            self.o.payload.facts.eq(leaving.facts),
            *(getattr(self.o.payload, name).eq(getattr(verdicts.o.payload, name)) for name in judged.members),
            queue.o.ready.eq(self.o.ready & self.o.valid),
            verdicts.o.ready.eq(self.o.ready & answered_name),
            held.ready.eq(self.o.ready & verdicts.o.valid & leaving.facts.searches),
        ]
        with m.If(leaving.facts.searches & (held.payload != 0)):
            m.d.comb += [self.o.payload.name.eq(held.payload), self.o.payload.known.eq(1)]
        with m.Elif(verdicts.o.payload.own != 0):
            m.d.comb += self.o.payload.name.eq(verdicts.o.payload.own + config.names)

        # --- Intake: hash the words of names and search for them.
        incoming = intake.i.payload
        m.d.comb += [
            intake.i.valid.eq(self.i.valid),
            self.i.ready.eq(intake.i.ready),
            *(incoming.mark[name].eq(value) for name, value in carried(self.i.payload).items()),
            *(getattr(incoming.facts, name).eq(value) for name, value in mark_facts(self.i.payload, words).items()),
        ]
        taken = intake.o.payload.mark
        about = intake.o.payload.facts
        in_flight = Signal(range(_IN_FLIGHT + 1))
        held_words = Signal(range(_DEPTH + 1))
        outstanding = Signal(range(_OUTSTANDING + 1))
        inside = Signal(range(64))
        learned = Signal(range(config.learned + 1))
        learned_slot = Signal(slot_shape)
        low = Signal()
        crowded = Signal()  # a learned name is in the way of another
        queued, left = Signal(range(_DEPTH + 2)), Signal()
        search_room, queue_room, insert_room, delay_room = (
            Signal(name=name) for name in ("search_room", "queue_room", "insert_room", "delay_room")
        )
        takes, took, took_before, hash_searches = (Signal(name=name) for name in ("takes", "took", "took_before", "hash_searches"))
        m.d.sync += [
            took.eq(takes),
            took_before.eq(took),
            # What has come is counted a clock later.
            held_words.eq(counted(held_words, took, delay.o.valid & delay.o.ready)),
            delay_room.eq(held_words + took <= _DEPTH - 2),
            search_room.eq(in_flight + hash_searches <= _IN_FLIGHT - 2),
            # A mark that has left is counted a clock later.
            left.eq(self.o.valid & self.o.ready),
            queued.eq(counted(queued, queue.i.valid, left)),
            queue_room.eq(queued <= _DEPTH - 6),
            insert_room.eq(outstanding <= _OUTSTANDING - 2),
        ]
        forgets, looks_up = Signal(), Signal()
        room = fsm["RUN"] & delay_room & (search_room | ~about.searches)
        names = self.lookup.words
        m.d.comb += [
            forgets.eq(low & about.element & about.first),
            looks_up.eq((about.element | about.attribute) & ~about.long),
            names.valid.eq(intake.o.valid & ~forgets & room & looks_up),
            takes.eq(intake.o.valid & ~forgets & room & (names.ready | ~looks_up)),
            intake.o.ready.eq(~forgets & room & (names.ready | ~looks_up)),
            names.payload.data.eq(taken.data),
            names.payload.first.eq(about.first),
            names.payload.ends.eq(about.searches),
            names.payload.last.eq(taken.last),
        ]
        waiting = delay.i.payload
        m.d.comb += [waiting.mark.eq(taken), waiting.facts.eq(about), delay.i.valid.eq(takes)]
        m.d.comb += waiting.looks.eq((waiting.facts.element | waiting.facts.attribute) & waiting.facts.first)
        hashing, hash_first, key_searches = Signal(), Signal(), Signal()
        hash_word = Signal(32)
        key = Signal(KEY_WIDTH)
        m.d.sync += [
            hashing.eq(takes),
            hash_searches.eq(takes & about.searches),
            hash_first.eq(about.first),
            # What is too long must not have the key of the name that it begins with.
            hash_word.eq(taken.data ^ (about.searches & ~taken.last).replicate(32)),
            key_searches.eq(hash_searches),
        ]
        with m.If(hashing):
            m.d.sync += key.eq(hash_step(key, hash_word, hash_first))
        m.d.comb += [
            # The CAM takes every search: never do as many come in a row as would try its patience.
            cam.search.valid.eq(key_searches),
            cam.search.payload.eq(key),
            results.i.valid.eq(cam.result.valid),
            results.i.payload.hit.eq(cam.result.hit),
            results.i.payload.slot.eq(cam.result.value),
            results.i.payload.key.eq(cam.result_key),
        ]

        # --- What was found for the next name. One that is not found may have been learned after it was searched for: those learned of
        # late are remembered, and compared with one after the other if they look like it.
        m.submodules.recent = recent = Memory(
            shape=data.StructLayout({"key": KEY_WIDTH - _HINT, "slot": slot_shape}), depth=_RECENT, init=[]
        )
        recent_write, recent_read = recent.write_port(), recent.read_port(domain="comb")
        recent_at = Signal(range(_RECENT))
        hints = [Signal(_HINT, name=f"hint{k}") for k in range(_RECENT)]
        usable = Signal(_RECENT)  # hints that are there, but for the oldest when all are
        head = Signal(found)
        head_valid, head_recent = Signal(), Signal()
        coming, coming_valid = results.o.payload, results.o.valid
        alike = Signal(_RECENT)
        head_hint = _hint(head.key)
        # A name that was not found takes two clocks at least: whether one looks like it is known when it comes, and then whether there is
        # room.
        head_ready, places_left = Signal(), Signal(init=1)
        likely = alike.any()
        # The word that comes next: it needs nothing but its name's result, if it is the first of one.
        word = Signal(delayed)
        word_valid, word_looks = Signal(), Signal()
        stalls, ask, consumes, learns = Signal(), Signal(), Signal(), Signal()
        comes = delay.o.valid & queue_room
        with m.If(~stalls):
            m.d.sync += [
                word.eq(delay.o.payload),
                word_valid.eq(comes),
                word_looks.eq(comes & delay.o.payload.looks),
            ]
        m.d.comb += [
            stalls.eq(word_looks & ~head_ready),
            delay.o.ready.eq(queue_room & ~stalls),
            ask.eq(word_valid & ~stalls),
            consumes.eq(word_looks & head_ready),
            learns.eq(word_looks & head_ready & ~head.hit & places_left),
            recent_write.addr.eq(recent_at),
            recent_write.data.key.eq(head.key[_HINT:]),
            recent_write.data.slot.eq(learned_slot),
            recent_write.en.eq(learns),
        ]
        moves = ~head_valid | consumes
        m.d.comb += results.o.ready.eq(moves)
        m.d.sync += [
            head_ready.eq(Mux(moves, coming_valid & coming.hit, head_ready | head.hit | (~likely & insert_room))),
            places_left.eq(learned != config.learned),
        ]
        now_at = Signal(_RECENT, init=1)
        latest = (usable | now_at) & ~now_at.rotate_left(1)
        with m.If(learns):
            m.d.sync += [learned.eq(learned + 1), learned_slot.eq(learned_slot + 1), recent_at.eq(recent_at + 1)]
            m.d.sync += [usable.eq(latest), now_at.eq(now_at.rotate_left(1))]
            for k, hint in enumerate(hints):
                with m.If(now_at[k]):
                    m.d.sync += hint.eq(head_hint)
        with m.If(~fsm["RUN"]):
            m.d.sync += usable.eq(0)
        chosen_at, checks = Signal(range(_RECENT)), Signal(2)
        same_key = Signal()
        same_slot = Signal(slot_shape)
        lowest = alike & -alike
        m.d.sync += [
            chosen_at.eq(chosen(*((lowest[k], k) for k in range(_RECENT)), width=len(chosen_at))),
            same_key.eq(recent_read.data.key == head.key[_HINT:]),
            same_slot.eq(recent_read.data.slot),
        ]
        m.d.comb += recent_read.addr.eq(chosen_at)
        with m.If(moves):
            # The name before may be remembered in this clock. The oldest is about to be replaced. It is not needed: of the names in flight
            # one is the one that asks.
            hint_comes = _hint(coming.key)
            same_hint = (Mux(learns & now_at[k], head_hint, hint) == hint_comes for k, hint in enumerate(hints))
            m.d.sync += [head_valid.eq(coming_valid), head.eq(coming), head_recent.eq(0), checks.eq(0)]
            m.d.sync += alike.eq(Mux(learns, latest, usable) & Cat(*same_hint))
        with m.Elif(checks[1]):
            m.d.sync += [checks.eq(0), alike.eq(alike & ~(1 << chosen_at)[:_RECENT])]
            with m.If(same_key):
                m.d.sync += [head.hit.eq(1), head.slot.eq(same_slot), head_recent.eq(1)]
        with m.Elif(~head_ready & ~head.hit & likely):
            m.d.sync += checks.eq(checks + 1)
        m.d.sync += [
            in_flight.eq(in_flight + hash_searches - consumes),
            # Those in flight may all be new, and the tag that comes may bring its element, its attributes, and one that is too many.
            low.eq((learned > config.learned - config.attributes - 2 - _IN_FLIGHT) | crowded),
        ]

        # --- Comparison: the words of a name pass by those of the entry found, in four stages.
        passing = data.StructLayout(
            {
                "valid": 1, "data": 32, "last": 1, "index": word_bits, "first": 1, "long": 1, "name": 1, "element": 1, "end": 1,
                "hit": 1, "fresh": 1, "recent": 1, "slot": slot_shape,
            }
        )  # fmt: skip
        asked, waited, told, answered = (Signal(passing, name=name) for name in ("asked", "waited", "told", "answered"))
        asked_key = Signal(KEY_WIDTH)
        asked_document_end, asked_empty = Signal(), Signal()
        asked_mark = Signal(with_facts)
        m.d.comb += [queue.i.valid.eq(asked.valid), queue.i.payload.eq(asked_mark)]
        m.d.sync += [
            asked.valid.eq(ask),
            asked_mark.mark.eq(word.mark),
            asked_mark.facts.eq(word.facts),
            asked.data.eq(word.mark.data),
            asked.last.eq(word.mark.last),
            asked.index.eq(word.mark.index),
            asked.first.eq(word.facts.first),
            asked.name.eq(word.facts.element | word.facts.attribute),
            *(getattr(asked, name).eq(getattr(word.facts, name)) for name in ("long", "element", "end")),
            asked_document_end.eq(word.mark.end),
            asked_empty.eq(word.mark.close & word.mark.empty & ~word.mark.end),
            waited.eq(asked),
            told.eq(waited),
            answered.eq(told),
        ]
        with m.If(consumes):
            m.d.sync += [
                asked.hit.eq(head.hit),
                asked.fresh.eq(~head.hit & places_left),
                asked.recent.eq(head_recent),
                asked.slot.eq(Mux(head.hit, head.slot, learned_slot)),
                asked_key.eq(head.key),
            ]

        # The open elements' names, for pairing.
        level_bits = ceil_log2(config.depth)
        depth, below = Signal(level_bits), Signal(level_bits, init=(1 << level_bits) - 1)
        with m.If(asked.valid):
            with m.If(asked_document_end):
                m.d.sync += [depth.eq(0), below.eq(-1)]
            with m.Elif(asked.last):
                change = asked.element - (asked.end | asked_empty)
                m.d.sync += [depth.eq(depth + change), below.eq(below + change)]
        m.d.comb += [
            stack.write.addr.eq(Cat(asked.index, depth)),
            stack.write.data.data.eq(asked.data),
            stack.write.data.last.eq(asked.last),
            stack.write.en.eq(asked.valid & asked.element & ~asked.long),
            stack.read[0].addr.eq(Cat(asked.index, below)),
            stack.read[0].en.eq(1),
        ]
        m.d.comb += [store.read.addr.eq(Cat(asked.index, asked.slot)), store.read.en.eq(1)]
        own = Cat(answered.data, answered.last)
        compared = Signal(passing)
        compared_name = Signal(learned_name_width(config))
        store_differs, stack_told, stack_differs = Signal(), Signal(), Signal()
        differed = Signal(data.StructLayout({"store": 1, "stack": 1}))
        now_differs = Signal(differed.shape())
        m.d.sync += [
            compared.eq(answered),
            compared_name.eq(answered.slot + 1),
            store_differs.eq((store.read.data.as_value() != own) | answered.long),
            stack_told.eq((stack.read[0].data.as_value() != Cat(told.data, told.last)) | told.long),
            stack_differs.eq(stack_told),
        ]
        m.d.comb += [
            now_differs.store.eq(store_differs | (~compared.first & differed.store)),
            now_differs.stack.eq(stack_differs | (~compared.first & differed.stack)),
        ]
        with m.If(compared.valid):
            m.d.sync += differed.eq(now_differs)
        # A name that the CAM has no place for is found among the recent ones only. In a tag that has such a name, another new one is a
        # clash before there are so many that it is no longer among them: it could be the same. ``tag_slot`` is the first of the places that
        # names learned in the tag, or found among the recent ones, have.
        unplaced, unplaced_slot = Signal(), Signal(slot_shape)
        next_slot, tag_slot = Signal(slot_shape), Signal(slot_shape)
        tag_unplaced, late = Signal(), Signal()
        with m.If(answered.valid & answered.name):
            with m.If(answered.fresh):
                m.d.sync += next_slot.eq(answered.slot + 1)
            with m.If(answered.element):
                m.d.sync += tag_slot.eq(Mux(answered.fresh, answered.slot, next_slot))
            with m.Elif(answered.recent & (answered.slot < tag_slot)):
                m.d.sync += tag_slot.eq(answered.slot)
        m.d.sync += [
            late.eq(~answered.element & answered.fresh & (answered.slot - unplaced_slot >= _UNPLACED)),
            tag_unplaced.eq(unplaced & (unplaced_slot >= tag_slot)),
        ]
        verdict = verdicts.i.payload
        m.d.comb += [
            verdicts.i.valid.eq(compared.valid),
            verdict.own.eq(Mux(compared.name & (compared.fresh | (compared.hit & ~now_differs.store)), compared_name, 0)),
            verdict.known.eq(compared.name & compared.hit),
            verdict.clash.eq(compared.name & Mux(compared.fresh, late & tag_unplaced, compared.hit & now_differs.store)),
            verdict.differs.eq(now_differs.stack),
            verdict.ends.element.eq(compared.last & compared.element),
            verdict.ends.attribute.eq(compared.last & compared.name & ~compared.element),
            verdict.ends.end.eq(compared.last & compared.end),
        ]

        # Learned words go to the store as they pass; the entry follows the last of them.
        entry = data.StructLayout({"key": KEY_WIDTH, "slot": slot_shape})
        m.submodules.inserts = inserts = StreamFifo(entry, _DEPTH + 1, promised=True)
        learning = Signal()
        inserted, insert_sent = Signal(), Signal()
        # Those that are done with are counted a clock later.
        was_inserted, dropped = Signal(), Signal()
        m.d.comb += [
            learning.eq(asked.valid & asked.name & asked.fresh),
            inserts.i.valid.eq(learning & asked.last & ~asked.long),
            inserts.i.payload.key.eq(asked_key),
            inserts.i.payload.slot.eq(asked.slot),
        ]
        m.d.sync += [
            was_inserted.eq(inserted),
            dropped.eq(learning & asked.last & asked.long),
            outstanding.eq(counted(outstanding, learns, was_inserted, dropped)),
            inside.eq(counted(inside, took, compared.valid)),
        ]

        # The store is written a clock later.
        write = Signal(data.StructLayout({"en": 1, "index": word_bits, "slot": slot_shape, "word": stored}))
        m.d.comb += [
            store.write.en.eq(write.en),
            store.write.addr.eq(Cat(write.index, write.slot)),
            store.write.data.eq(write.word),
        ]
        m.d.sync += [
            write.en.eq(learning & ~asked.long),
            write.index.eq(asked.index),
            write.slot.eq(asked.slot),
            write.word.data.eq(asked.data),
            write.word.last.eq(asked.last),
        ]
        command = cam.command.payload
        answer = cam.response
        m.d.comb += [
            cam.command.valid.eq((fsm["RUN"] & inserts.o.valid & ~insert_sent) | fsm["FORGET"]),
            command.op.eq(Mux(fsm["FORGET"], CamOperation.FORGET, CamOperation.INSERT)),
            command.key.eq(inserts.o.payload.key),
            command.value.eq(inserts.o.payload.slot),
            answer.ready.eq(fsm["RUN"] | fsm["FORGOTTEN"]),
            # Learned names are put into the CAM behind the marks.
            inserted.eq(fsm["RUN"] & insert_sent & answer.valid),
            inserts.o.ready.eq(inserted),
        ]
        # A learned name that is in the way of another is forgotten before the next tag.
        with m.If(inserted & ~answer.payload.ok):
            m.d.sync += [unplaced.eq(1), unplaced_slot.eq(inserts.o.payload.slot), crowded.eq(1)]
        with m.If(compared.valid & compared.last & ~compared.long & verdict.clash):
            m.d.sync += crowded.eq(1)
        with m.If(inserted):
            m.d.sync += insert_sent.eq(0)
        with m.Elif(fsm["RUN"] & cam.command.valid & cam.command.ready):
            m.d.sync += insert_sent.eq(1)

        # --- Forgetting needs the stage empty.
        quiet, idle = Signal(), Signal()
        m.d.sync += quiet.eq((inside == 0) & (outstanding == 0))
        m.d.comb += idle.eq(quiet & ~took & ~took_before)
        fsm.on("RUN", (intake.o.valid & forgets & idle, "FORGET"))
        fsm.on("FORGET", (cam.command.ready, "FORGOTTEN"))
        fsm.on("FORGOTTEN", (answer.valid, "RUN"))
        with m.If(fsm["FORGOTTEN"] & answer.valid):
            m.d.sync += [crowded.eq(0), unplaced.eq(0), next_slot.eq(0)]
            m.d.sync += [learned.eq(0), learned_slot.eq(0), low.eq(0), self.forgotten.eq(self.forgotten + 1)]
        fsm.finish(m, clear=Const(0))
        return m
