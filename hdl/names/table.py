"""Names by number: those that subscriptions or the skeleton hold [T 4.3, T-Fig 5.14]."""

from itertools import pairwise

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.cam.hash import HashCam
from hdl.cam.interface import CamOperation
from hdl.cam.words import KEY_WIDTH, hash_step
from hdl.shapes.names import NameLookup, NameOp, NameRequest, NameResponse, NameWord
from hdl.shapes.widths import pinned_name_width
from hdl.stream import BankedRam, BlockRam, Register, StreamFifo, counted

__all__ = ["NameTable"]

_WORDS = 16
"""Words that wait for the end of their name, and then for its search."""

_SEARCHED = 8
"""Names searched for and not yet compared, at most: fewer than would try the patience of the CAM."""

_ANSWERS = 32
"""Names of documents on their way, those included that are answered and not taken."""

_REPLIES = 7
"""The same for requests."""


class NameTable(wiring.Component):
    """Keeps names with their token IDs, and looks names up for documents and for registration.

    A hash of the name finds the entry; then its words pass by the stored ones and are compared one by one, so that the hash decides
    nothing. Look-ups take a word a clock and are answered in order, some 20 clocks after the last word; the words of a request go between
    two names of documents, in turn with them. They should come without a gap, because a name of a document may wait for them.

    =============  =========================================================================================================
    request        what it takes
    =============  =========================================================================================================
    FIND           as a look-up; several may be under way
    PIN, LOAD      a look-up, and about 15 clocks more when the name is new; begins when all before it are answered
    UNPIN          about 15 clocks, none of the look-ups'
    =============  =========================================================================================================

    Changes do not hold up look-ups. A look-up that was under way when its name was pinned or unpinned may be answered either way. A name is
    refused when all token IDs are taken, when it is longer than the limit, when it has the key of another one, and when the CAM has no
    place for it. After a reset the table is empty; the first change waits until the CAM has been cleared.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    lookup : ``In(NameLookup(config))``
        Up to 32 names of documents may be unanswered, or answered and not taken; then no more words are taken.
    request, response : ``In(stream.Signature(NameRequest(config)))``, ``Out(stream.Signature(NameResponse(config)))``
        One response for each request but UNPIN, in order.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "lookup": In(NameLookup(config)),
                "request": In(stream.Signature(NameRequest(config))),
                "response": Out(stream.Signature(NameResponse(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        words, slot_bits = config.name_bytes // 4, ceil_log2(config.names)
        word_bits = ceil_log2(words)
        stored = data.StructLayout({"data": 32, "last": 1})
        record = data.StructLayout({"key": KEY_WIDTH, "loaded": 1})
        rows = 1 << max(9, ceil_log2(config.names * 5 // 2 // 4))
        m.submodules.cam = cam = HashCam(key_width=KEY_WIDTH, value_width=slot_bits, rows=rows)
        m.submodules.store = store = BankedRam(shape=stored, depth=config.names * words)
        m.submodules.records = records = BlockRam(shape=record, depth=config.names)
        m.submodules.freed = freed = BlockRam(shape=slot_bits, depth=config.names)
        passing = data.StructLayout({"data": 32, "last": 1, "first": 1, "ends": 1, "index": word_bits, "asked": 1})
        found = data.StructLayout({"hit": 1, "slot": slot_bits, "key": KEY_WIDTH})
        m.submodules.front = front = Register(NameWord)
        m.submodules.delay = delay = StreamFifo(passing, _WORDS, promised=True, direct=True)
        m.submodules.results = results = StreamFifo(found, _WORDS, promised=True, direct=True)
        m.submodules.answers = answers = StreamFifo(pinned_name_width(config), _ANSWERS, promised=True)
        m.submodules.replies = replies = StreamFifo(NameResponse(config), _REPLIES, promised=True)
        wiring.connect(m, wiring.flipped(self.lookup.words), front.i)
        wiring.connect(m, answers.o, wiring.flipped(self.lookup.names))
        wiring.connect(m, replies.o, wiring.flipped(self.response))

        # Intake: a word of a document's name, or of a request's while it is ``turn``.
        given, request = front.o.payload, self.request.payload
        turn, yields, open_name = Signal(), Signal(), Signal()
        changes, free, idle = Signal(), Signal(), Signal()  # the request changes the table; no change is under way, and none begins
        room, front_room, asked_room = Signal(), Signal(), Signal()
        front_taken, asked_taken, took, ended = Signal(), Signal(), Signal(), Signal()
        front_index, asked_index = Signal(range(words + 1)), Signal(range(words + 1))
        waiting = delay.i.payload
        own_index = Mux(given.first, 0, front_index)
        asked_passes = asked_taken & (asked_index != words)
        m.d.comb += [
            changes.eq(request.op != NameOp.FIND),
            front_taken.eq(front.o.valid & ~turn & room & front_room),
            asked_taken.eq(self.request.valid & turn & room),
            front.o.ready.eq(~turn & room & front_room),
            delay.i.valid.eq(front_taken | asked_passes),
            waiting.data.eq(Mux(turn, request.data, given.data)),
            waiting.last.eq(Mux(turn, request.last, given.last)),
            waiting.first.eq(Mux(turn, asked_index == 0, given.first)),
            waiting.ends.eq(Mux(turn, request.last | (asked_index == words - 1), given.ends)),
            waiting.index.eq(Mux(turn, asked_index, own_index)),
            waiting.asked.eq(turn),
        ]
        goes_on = Mux(front_taken, ~given.ends, open_name)
        m.d.sync += open_name.eq(goes_on)
        with m.If(front_taken):
            m.d.sync += [front_index.eq(own_index + 1), yields.eq(0)]
        with m.If(asked_taken):
            m.d.sync += asked_index.eq(Mux(request.last, 0, asked_index + (asked_index != words)))
        waits = self.request.valid & (request.op != NameOp.UNPIN) & asked_room & idle
        with m.If(turn):
            m.d.sync += turn.eq(~(asked_taken & request.last))
            with m.If(asked_taken & request.last):
                m.d.sync += yields.eq(1)
        with m.Else():
            m.d.sync += turn.eq(waits & ~goes_on & ~(yields & front.o.valid))

        # Keys, and searches by them.
        hashed, searches, key = Signal(passing), Signal(), Signal(KEY_WIDTH)
        m.d.sync += [took.eq(delay.i.valid), hashed.eq(waiting), ended.eq(delay.i.valid & waiting.ends), searches.eq(ended)]
        with m.If(took):
            m.d.sync += key.eq(hash_step(key, hashed.data, hashed.first))
        m.d.comb += [
            cam.search.valid.eq(searches),
            cam.search.payload.eq(key),
            results.i.valid.eq(cam.result.valid),
            results.i.payload.hit.eq(cam.result.hit),
            results.i.payload.slot.eq(cam.result.value),
            results.i.payload.key.eq(cam.result_key),
        ]

        # Words pass by those of the entry found for their name: four stages, of which the memory takes three.
        word, word_valid, stalls, asks = Signal(passing), Signal(), Signal(), Signal()
        m.d.comb += [
            stalls.eq(word_valid & word.first & ~results.o.valid),
            delay.o.ready.eq(~stalls),
            asks.eq(word_valid & ~stalls),
            results.o.ready.eq(asks & word.first),
        ]
        with m.If(~stalls):
            m.d.sync += [word.eq(delay.o.payload), word_valid.eq(delay.o.valid)]
        compares = data.StructLayout(
            {"valid": 1, "data": 32, "last": 1, "first": 1, "ends": 1, "index": word_bits, "asked": 1} | found.members
        )
        stages = [Signal(compares, name=f"stage{number}") for number in range(store.LATENCY + 2)]
        asked, compared = stages[0], stages[-1]
        m.d.sync += [
            asked.valid.eq(asks),
            *(asked[name].eq(word[name]) for name in passing.members),
            *(later.eq(earlier) for earlier, later in pairwise(stages)),
        ]
        with m.If(results.o.ready):
            m.d.sync += [asked[name].eq(results.o.payload[name]) for name in found.members]
        differs, differed, same = Signal(), Signal(), Signal()
        m.d.sync += differs.eq(store.read.data.as_value() != Cat(stages[-2].data, stages[-2].last))
        m.d.comb += [
            store.read.addr.eq(Cat(asked.index, asked.slot)),
            same.eq(compared.hit & ~differs & (compared.first | ~differed)),
        ]
        with m.If(compared.valid):
            m.d.sync += differed.eq(~same)

        # Room: for words and their results, for answers, for replies. What has come is counted a clock later.
        held, searched = Signal(range(_WORDS + 1)), Signal(range(_SEARCHED + 1))
        due, owed = Signal(range(_ANSWERS + 1)), Signal(range(_REPLIES + 1))
        was_front, was_asked = Signal(), Signal()
        m.d.sync += [
            was_front.eq(front_taken & given.ends),
            was_asked.eq(asked_taken & request.last),
            held.eq(counted(held, took, delay.o.valid & delay.o.ready)),
            searched.eq(counted(searched, ended, results.o.ready)),
            due.eq(counted(due, was_front, answers.o.valid & answers.o.ready)),
            owed.eq(counted(owed, was_asked, replies.o.valid & replies.o.ready)),
            room.eq((held + took <= _WORDS - 2) & (searched + ended <= _SEARCHED - 2)),
            front_room.eq(due <= _ANSWERS - 4),
        ]
        m.d.comb += asked_room.eq(Mux(changes, (owed == 0) & ~was_asked, owed <= _REPLIES - 2))

        # Answers.
        told = compared.valid & compared.ends
        finds, changed = Signal(), Signal(NameResponse(config))
        pinned, tells = Signal(), Signal()  # the look-up of a name that is to be pinned; its reply
        m.d.comb += [
            finds.eq(told & compared.asked & free),
            answers.i.valid.eq(told & ~compared.asked),
            answers.i.payload.eq(Mux(same, compared.slot + 1, 0)),
            replies.i.valid.eq(finds | tells),
            replies.i.payload.ok.eq(Mux(tells, changed.ok, same)),
            replies.i.payload.name.eq(Mux(tells, changed.name, compared.slot + 1)),
            pinned.eq(told & compared.asked),
        ]

        # Changes, one at a time. Token IDs that were given back are taken first, the latest of them before the others.
        unused, returned = Signal(range(config.names + 1)), Signal(range(config.names + 1))
        slot, none_left, loads = Signal(slot_bits), Signal(), Signal()
        change_key, ready = Signal(KEY_WIDTH), Signal()
        command, answer = cam.command.payload, cam.response
        m.d.comb += [
            freed.read[0].addr.eq(returned - 1),
            freed.read[0].en.eq(1),
            freed.write.addr.eq(returned),
            freed.write.data.eq(slot),
            records.read[0].addr.eq(slot),
            records.read[0].en.eq(1),
            records.write.addr.eq(slot),
            records.write.data.key.eq(change_key),
            records.write.data.loaded.eq(loads),
            command.key.eq(change_key),
            command.value.eq(slot),
            command.pinned.eq(cam.command.valid),
            store.write.addr.eq(Cat(asked.index, slot)),
            store.write.data.data.eq(asked.data),
            store.write.data.last.eq(asked.last),
            changed.name.eq(slot + 1),
            self.request.ready.eq((turn & room) | ready),
        ]
        with m.FSM():
            with m.State("IDLE"):
                # Waits for a change. The words of FINDs pass beside it.
                m.d.comb += [free.eq(1), idle.eq(~turn), ready.eq(idle & asked_room & (request.op == NameOp.UNPIN))]
                m.d.sync += [
                    loads.eq(request.op == NameOp.LOAD),
                    slot.eq(Mux(returned != 0, freed.read[0].data, unused)),
                    none_left.eq((returned == 0) & (unused == config.names)),
                ]
                with m.If(turn & self.request.valid & changes):
                    m.next = "LOOK-UP"
                with m.If(ready & self.request.valid):
                    m.d.sync += slot.eq(request.name - 1)
                    m.next = "READ"
            with m.State("LOOK-UP"):
                # The name's words pass, and are stored where it will be if it is new; a free place is not read.
                m.d.comb += store.write.en.eq(asked.valid & asked.asked & ~none_left)
                m.d.sync += change_key.eq(compared.key)
                with m.If(pinned):
                    m.next = "INSERT"
                    with m.If(same):
                        m.d.sync += slot.eq(compared.slot)
                        m.next = "KEPT"
                    with m.Elif(compared.hit | none_left | ~compared.last):
                        m.next = "REFUSED"
            with m.State("INSERT"):
                # Until the CAM takes the entry.
                m.d.comb += [cam.command.valid.eq(1), command.op.eq(CamOperation.INSERT)]
                with m.If(cam.command.ready):
                    m.next = "INSERTED"
            with m.State("INSERTED"):
                # Until the CAM has it, or has no place for it.
                m.d.comb += answer.ready.eq(1)
                with m.If(answer.valid):
                    m.next = "REFUSED"
                    with m.If(answer.payload.ok):
                        m.d.comb += records.write.en.eq(1)
                        m.d.sync += [returned.eq(returned - (returned != 0)), unused.eq(unused + (returned == 0))]
                        m.next = "NAMED"
            with m.State("KEPT"):
                # The name was there; what is loaded stays so.
                m.d.comb += records.write.en.eq(loads)
                m.next = "NAMED"
            with m.State("NAMED"):
                m.d.comb += [tells.eq(1), changed.ok.eq(1)]
                m.next = "SETTLE"
            with m.State("REFUSED"):
                m.d.comb += tells.eq(1)
                m.next = "SETTLE"

            with m.State("READ"):
                # The key of the name is on its way.
                m.next = "JUDGE"
            with m.State("JUDGE"):
                # A name that was loaded stays.
                m.d.sync += change_key.eq(records.read[0].data.key)
                m.next = "DELETE"
                with m.If(records.read[0].data.loaded):
                    m.next = "SETTLE"
            with m.State("DELETE"):
                # Until the CAM takes the key.
                m.d.comb += [cam.command.valid.eq(1), command.op.eq(CamOperation.DELETE)]
                with m.If(cam.command.ready):
                    m.next = "DELETED"
            with m.State("DELETED"):
                # From the answer on nobody finds the name, and the next one may have its token ID.
                m.d.comb += [answer.ready.eq(1), freed.write.en.eq(answer.valid & answer.payload.ok)]
                with m.If(answer.valid):
                    m.d.sync += returned.eq(returned + answer.payload.ok)
                    m.next = "SETTLE"
            with m.State("SETTLE"):
                # The latest token ID that was given back is on its way.
                m.next = "SETTLED"
            with m.State("SETTLED"):
                m.next = "IDLE"
        return m
