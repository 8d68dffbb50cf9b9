"""Sixth stage of the parser: token IDs from the skeleton CAM, and end tags paired by exact name [T 4.3, T 4.4.3].

A name is looked up by a hash of its bytes; its words then pass by the stored words of the entry found and are compared one by one,
so that the hash decides nothing. A name that is not found is learned: its words are stored as they pass, and an entry is made. Learned
names are forgotten together, between two tags, when there is no longer room for a whole tag's worth of new ones; names that were
loaded or that subscriptions use are pinned and stay.
"""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.cam.hash import HashCam
from hdl.cam.interface import CamOperation
from hdl.layouts import NameOp, NameRequest, NameResponse, WordType, name_id_width
from hdl.scbxp.hashing import KEY_WIDTH, hash_step
from hdl.scbxp.packers import PackedMark
from hdl.stream.block_ram import BlockRam
from hdl.stream.fifo import StreamFifo

__all__ = ["NamedMark", "Names"]

_IN_FLIGHT = 4
"""Names searched for and not yet compared, and inserts not yet done, at most."""

_RECENT = 2 * _IN_FLIGHT
"""Learned names remembered beside the CAM, for those searched for before they were in it."""

_HINT = 12
"""Bits of a key by which they are remembered."""


class NamedMark(data.StructLayout):
    """A packed mark with what the name table knows.

    On the last word of an element's or attribute's name: ``name`` is its token ID, ``known`` whether the skeleton had it, ``clash``
    whether it cannot be told apart from another name. On the last word of an end: ``differs`` from the open element's name.
    """

    def __init__(self, config):
        super().__init__({"mark": PackedMark, "name": name_id_width(config), "known": 1, "clash": 1, "differs": 1})


class Names(wiring.Component):
    """Gives names their token IDs and pairs end tags with start tags.

    One word a clock. Latency about 12 clocks and the length of a name. A name that is new costs no clock by itself. PIN and UNPIN
    requests are served between tags, with the stage emptied first: some 25 clocks each; a PIN is answered, an UNPIN is not.
    Holds its input while the output is not taken.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(PackedMark)),
                "o": Out(stream.Signature(NamedMark(config))),
                "request": In(stream.Signature(NameRequest(config))),
                "response": Out(stream.Signature(NameResponse(config))),
                "forgotten": Out(16),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        slots = config.names + config.learned
        slot_shape = range(slots)
        words = config.name_bytes // 4
        word_bits = ceil_log2(words)
        stored = data.StructLayout({"data": 32, "last": 1})
        rows = 1 << max(9, ceil_log2(slots * 5 // 2 // 4))

        m.submodules.cam = cam = HashCam(key_width=KEY_WIDTH, value_width=ceil_log2(slots), rows=rows)
        m.submodules.store = store = BlockRam(shape=stored, depth=slots * words, output_register=True)
        m.submodules.stack = stack = BlockRam(shape=stored, depth=config.depth * words, output_register=True)
        delayed = data.StructLayout({"mark": PackedMark, "pin": 1})
        m.submodules.delay = delay = StreamFifo(delayed, 16)
        m.submodules.keys = keys = StreamFifo(KEY_WIDTH, 8)
        found = data.StructLayout({"hit": 1, "slot": slot_shape})
        m.submodules.results = results = StreamFifo(found, 8)
        m.submodules.queue = queue = StreamFifo(NamedMark(config), 8)
        wiring.connect(m, queue.o, wiring.flipped(self.o))

        # --- Intake: hash the words of names and search for them.
        repeating = Signal()
        repeat = Signal()
        hold_search = Signal()
        taking = Signal()
        pinning = Signal()
        mark = Signal(PackedMark)
        is_name = Signal()
        searches = Signal()
        key = Signal(KEY_WIDTH)
        next_key = Signal(KEY_WIDTH)
        searching = Signal()
        search_key = Signal(KEY_WIDTH)
        in_flight = Signal(range(_IN_FLIGHT + 1))
        inside = Signal(range(64))
        in_tag = Signal()
        in_token = Signal()
        learned = Signal(range(config.learned + 1))
        low = Signal()
        document = Signal(8)
        document_open = Signal()
        outstanding = Signal(range(_IN_FLIGHT + 1))

        rehashing = Signal()
        copy_index = Signal(word_bits)
        pin_key = Signal(KEY_WIDTH)
        request = self.request.payload
        request_index = Signal(PackedMark.as_shape()["index"].shape)
        with m.If(pinning):
            m.d.comb += [
                mark.type.eq(WordType.ELEMENT),
                mark.data.eq(request.data),
                mark.count.eq(request.count),
                mark.index.eq(request_index),
                mark.last.eq(request.last),
            ]
        with m.Else():
            m.d.comb += mark.eq(self.i.payload)
        m.d.comb += [
            is_name.eq(~mark.end & ((mark.type == WordType.ELEMENT) | (mark.type == WordType.ATTRIBUTE))),
            # A name that fills the limit is searched for even if it goes on: what is too long must not wait for its end.
            searches.eq(is_name & ((mark.index == words - 1) | (mark.last & (mark.index < words)))),
            next_key.eq(
                hash_step(
                    Mux(rehashing, Mux(copy_index == 0, 0, pin_key), Mux(mark.index == 0, 0, key)),
                    Mux(rehashing, store.read[0].data.data, mark.data),
                )
            ),
            delay.i.payload.mark.eq(mark),
            delay.i.payload.pin.eq(pinning),
            delay.i.valid.eq(taking),
            cam.search.valid.eq(Mux(repeating, repeat, searching & keys.i.ready & ~hold_search)),
            cam.search.payload.eq(Mux(repeating, keys.o.payload, search_key)),
            keys.i.valid.eq(searching & cam.search.ready & ~repeating & ~hold_search),
            keys.i.payload.eq(search_key),
            results.i.valid.eq(cam.result.valid & ~repeating),
            results.i.payload.hit.eq(cam.result.hit),
            results.i.payload.slot.eq(cam.result.value),
        ]
        sent = cam.search.valid & cam.search.ready & ~repeating
        with m.If(sent):
            m.d.sync += searching.eq(0)
        may_take = Signal()
        m.d.comb += may_take.eq(delay.i.ready & (~searches | ((in_flight != _IN_FLIGHT) & (~searching | sent))))
        with m.If(taking):
            m.d.sync += key.eq(next_key)
            with m.If(searches):
                m.d.sync += [searching.eq(1), search_key.eq(next_key)]

        # --- Comparison: the words of a name pass by those of the entry found.
        head = delay.o.payload
        head_name = Signal()
        m.d.comb += head_name.eq(~head.mark.end & ((head.mark.type == WordType.ELEMENT) | (head.mark.type == WordType.ATTRIBUTE)))
        first = head.mark.index == 0
        shape = data.StructLayout({"mark": PackedMark, "pin": 1, "slot": slot_shape, "hit": 1, "fresh": 1, "key": KEY_WIDTH, "is_name": 1})
        now, later, last = (Signal(shape, name=name) for name in ("asked", "waited", "answered"))
        later_valid, last_valid = Signal(), Signal()
        kept = Signal(shape)  # what was found for the name under way

        # A name that is not found may have been learned after it was searched for: if one learned of late looks like it, it is searched
        # for again once that one is in the CAM.
        recent = [Signal(data.StructLayout({"valid": 1, "hint": _HINT}), name=f"recent{k}") for k in range(_RECENT)]
        likely = Signal()
        m.d.comb += likely.eq(Cat(*(entry.valid & (entry.hint == keys.o.payload[:_HINT]) for entry in recent)).any())
        again = Signal(found)
        again_valid = Signal()
        result = Signal(found)
        m.d.comb += result.eq(Mux(again_valid, again, results.o.payload))

        looks = head_name & first
        doubtful = Signal()
        m.d.comb += doubtful.eq(delay.o.valid & looks & results.o.valid & keys.o.valid & ~again_valid & ~results.o.payload.hit & likely)
        wait_insert = ~result.hit & ~head.pin & (outstanding == _IN_FLIGHT)
        ask = Signal()
        m.d.comb += ask.eq(delay.o.valid & (queue.level <= 4) & (~looks | (results.o.valid & keys.o.valid & ~doubtful & ~wait_insert)))
        m.d.comb += [delay.o.ready.eq(ask), results.o.ready.eq(ask & looks), keys.o.ready.eq(ask & looks)]
        room = learned != config.learned
        learns = ask & looks & ~result.hit & ~head.pin & room
        with m.If(looks):
            m.d.comb += [
                now.hit.eq(result.hit),
                now.fresh.eq(~result.hit & room),
                now.slot.eq(Mux(result.hit, result.slot, config.names + learned)),
                now.key.eq(keys.o.payload),
            ]
        with m.Else():
            m.d.comb += now.eq(kept)
        m.d.comb += [now.mark.eq(head.mark), now.pin.eq(head.pin), now.is_name.eq(head_name)]
        with m.If(ask):
            m.d.sync += kept.eq(now)
        with m.If(learns):
            m.d.sync += learned.eq(learned + 1)
            for older, newer in zip(recent[1:], recent, strict=False):
                m.d.sync += older.eq(newer)
            m.d.sync += [recent[0].valid.eq(1), recent[0].hint.eq(keys.o.payload[:_HINT])]
        quiet = Signal(range(HashCam.LATENCY + 2))
        with m.If(ask):
            m.d.sync += again_valid.eq(0)
        with m.FSM(name="repeat"):
            with m.State("IDLE"):
                with m.If(doubtful & (outstanding == 0)):
                    m.d.sync += quiet.eq(0)
                    m.next = "SETTLE"
            # Searches under way are answered first.
            with m.State("SETTLE"):
                m.d.sync += quiet.eq(quiet + 1)
                m.d.comb += hold_search.eq(1)
                with m.If(quiet == HashCam.LATENCY):
                    m.next = "SEARCH"
            with m.State("SEARCH"):
                m.d.comb += [repeating.eq(1), repeat.eq(1)]
                with m.If(cam.search.ready):
                    m.next = "RESULT"
            with m.State("RESULT"):
                m.d.comb += repeating.eq(1)
                with m.If(cam.result.valid):
                    m.d.sync += [again.hit.eq(cam.result.hit), again.slot.eq(cam.result.value), again_valid.eq(1)]
                    m.next = "IDLE"
        m.d.sync += [
            in_flight.eq(in_flight + (taking & searches) - (ask & looks)),
            low.eq(learned + in_flight > config.learned - config.attributes - 2),
        ]

        # The open elements' names, for pairing.
        depth = Signal(range(config.depth + 1))
        long = head.mark.index >= words
        is_element = ~head.mark.end & (head.mark.type == WordType.ELEMENT) & ~head.pin
        is_end = ~head.mark.end & (head.mark.type == WordType.END)
        with m.If(ask & ~head.pin):
            with m.If(head.mark.end):
                m.d.sync += depth.eq(0)
            with m.Elif(head.mark.last):
                up = is_element
                down = is_end | (head.mark.close & head.mark.empty)
                m.d.sync += depth.eq(depth + up - down)
        index = head.mark.index[:word_bits]
        m.d.comb += [
            stack.write.addr.eq(Cat(index, depth[: ceil_log2(config.depth)])),
            stack.write.data.data.eq(head.mark.data),
            stack.write.data.last.eq(head.mark.last),
            stack.write.en.eq(ask & is_element & ~long),
            stack.read[0].addr.eq(Cat(index, (depth - 1)[: ceil_log2(config.depth)])),
            stack.read[0].en.eq(1),
        ]

        read_slot = Signal(slot_shape)
        read_index = Signal(word_bits)
        m.d.comb += [
            read_slot.eq(now.slot),
            read_index.eq(index),
            store.read[0].addr.eq(Cat(read_index, read_slot)),
            store.read[0].en.eq(1),
        ]
        m.d.sync += [later_valid.eq(ask), later.eq(now), last_valid.eq(later_valid), last.eq(later)]

        own = Signal(stored)
        m.d.comb += [own.data.eq(last.mark.data), own.last.eq(last.mark.last)]
        store_differs = Signal()
        stack_differs = Signal()
        differed = Signal(data.StructLayout({"store": 1, "stack": 1}))
        last_long = last.mark.index >= words
        carry = last.mark.index != 0
        m.d.comb += [
            store_differs.eq((store.read[0].data != own) | last_long | (carry & differed.store)),
            stack_differs.eq((stack.read[0].data != own) | last_long | (carry & differed.stack)),
        ]
        with m.If(last_valid):
            m.d.sync += [differed.store.eq(store_differs), differed.stack.eq(stack_differs)]
        out = queue.i.payload
        m.d.comb += [
            queue.i.valid.eq(last_valid & ~last.pin),
            out.mark.eq(last.mark),
            out.name.eq(Mux(last.is_name & (last.fresh | (last.hit & ~store_differs)), last.slot + 1, 0)),
            out.known.eq(last.is_name & last.hit),
            out.clash.eq(last.is_name & last.hit & store_differs),
            out.differs.eq(stack_differs),
        ]

        # Learned words go to the store as they pass; the entry follows the last of them.
        writing = Signal()
        write_slot = Signal(slot_shape)
        write_index = Signal(word_bits)
        write_word = Signal(stored)
        m.d.comb += [
            store.write.addr.eq(Cat(write_index, write_slot)),
            store.write.data.eq(write_word),
            store.write.en.eq(writing),
        ]
        entry = data.StructLayout({"key": KEY_WIDTH, "slot": slot_shape})
        m.submodules.inserts = inserts = StreamFifo(entry, _IN_FLIGHT * 2)
        learned_last = last_valid & last.is_name & last.fresh & ~last.pin & last.mark.last
        m.d.comb += [
            inserts.i.valid.eq(learned_last & ~last_long),
            inserts.i.payload.key.eq(last.key),
            inserts.i.payload.slot.eq(last.slot),
        ]
        inserted = Signal()
        insert_sent = Signal()
        with m.If(last_valid & last.is_name & last.fresh & ~last.pin & ~last_long):
            m.d.comb += [writing.eq(1), write_slot.eq(last.slot), write_index.eq(last.mark.index), write_word.eq(own)]
        m.d.sync += outstanding.eq(outstanding + learns - inserted - (learned_last & last_long))
        m.d.sync += inside.eq(inside + taking - last_valid)

        # --- Changes of the table that need the stage empty.
        m.submodules.pin_words = pin_words = Memory(shape=stored, depth=words, init=[])
        pin_write = pin_words.write_port()
        pin_read = pin_words.read_port(domain="comb")
        m.d.comb += [
            pin_write.addr.eq(request_index),
            pin_write.data.data.eq(request.data),
            pin_write.data.last.eq(request.last),
            pin_write.en.eq(pinning & taking & (request_index < words)),
        ]
        m.submodules.freed = freed = StreamFifo(range(config.names), config.names)
        unused = Signal(range(config.names + 1))
        new_slot = Signal(range(config.names))
        new_from_freed = Signal()
        m.d.comb += pin_read.addr.eq(copy_index)
        pin_slot = Signal(slot_shape)
        pin_clash = Signal()
        reply_ok = Signal()
        reply_slot = Signal(slot_shape)
        wait = Signal(2)
        m.d.comb += [
            self.response.payload.ok.eq(reply_ok),
            self.response.payload.name.eq(reply_slot + 1),
            self.response.payload.document.eq(document),
        ]
        command = cam.command.payload

        idle = Signal()
        m.d.comb += idle.eq((inside == 0) & (outstanding == 0) & ~searching)

        with m.FSM(name="table"):
            with m.State("RUN"):
                # Marks flow; learned names are put into the CAM behind them.
                m.d.comb += [
                    cam.command.valid.eq(inserts.o.valid & ~insert_sent),
                    command.op.eq(CamOperation.INSERT),
                    command.key.eq(inserts.o.payload.key),
                    command.value.eq(inserts.o.payload.slot),
                ]
                with m.If(cam.command.valid & cam.command.ready):
                    m.d.sync += insert_sent.eq(1)
                m.d.comb += cam.response.ready.eq(1)
                with m.If(insert_sent & cam.response.valid):
                    m.d.comb += [inserts.o.ready.eq(1), inserted.eq(1)]
                    m.d.sync += insert_sent.eq(0)

                forgets = self.i.valid & low & is_name & (mark.type == WordType.ELEMENT) & (mark.index == 0)
                serves = self.request.valid & ~in_tag & ~in_token
                with m.If(forgets | serves):
                    with m.If(idle):
                        with m.If(forgets):
                            m.next = "FORGET"
                        with m.Elif(request.op == NameOp.UNPIN):
                            m.next = "UNPIN"
                        with m.Else():
                            m.next = "PIN"
                with m.Elif(self.i.valid & may_take):
                    m.d.comb += [self.i.ready.eq(1), taking.eq(1)]
                    m.d.sync += [in_token.eq(~mark.last), document_open.eq(~mark.end)]
                    with m.If(~document_open):
                        m.d.sync += document.eq(document + 1)
                    with m.If(mark.end):
                        m.d.sync += in_tag.eq(0)
                    with m.Else():
                        with m.If(mark.last & mark.close):
                            m.d.sync += in_tag.eq(0)
                        with m.Elif(mark.type == WordType.ELEMENT):
                            m.d.sync += in_tag.eq(1)

            with m.State("FORGET"):
                m.d.comb += [cam.command.valid.eq(1), command.op.eq(CamOperation.FORGET)]
                with m.If(cam.command.ready):
                    m.next = "FORGOTTEN"
            with m.State("FORGOTTEN"):
                m.d.comb += cam.response.ready.eq(1)
                with m.If(cam.response.valid):
                    m.d.sync += [learned.eq(0), low.eq(0), self.forgotten.eq(self.forgotten + 1)]
                    m.next = "RUN"

            # PIN: search for the name like for any other, then make it permanent.
            with m.State("PIN"):
                m.d.comb += [pinning.eq(1), taking.eq(self.request.valid & may_take), self.request.ready.eq(may_take)]
                with m.If(taking):
                    m.d.sync += request_index.eq(Mux(request_index.all(), request_index, request_index + 1))
                    with m.If(request.last):
                        m.d.sync += request_index.eq(0)
                        m.next = "PIN_RESULT"
            with m.State("PIN_RESULT"):
                with m.If(last_valid & last.pin & last.mark.last):
                    m.d.sync += [
                        pin_slot.eq(last.slot),
                        pin_clash.eq((last.hit & store_differs) | last_long),
                        pin_key.eq(last.key),
                        copy_index.eq(0),
                    ]
                    m.d.sync += [reply_ok.eq(1), reply_slot.eq(last.slot)]
                    m.next = "PLACE"
                    with m.If(last.hit & ~store_differs & (last.slot < config.names)):
                        m.next = "REPLY"
            with m.State("PLACE"):
                # A name that is new to the loaded part gets a place of its own there.
                m.d.sync += [new_slot.eq(Mux(freed.o.valid, freed.o.payload, unused)), new_from_freed.eq(freed.o.valid)]
                with m.If(pin_clash | (~freed.o.valid & (unused == config.names))):
                    m.d.sync += reply_ok.eq(0)
                    m.next = "REPLY"
                with m.Else():
                    m.next = "COPY"
            with m.State("COPY"):
                m.d.comb += [writing.eq(1), write_slot.eq(new_slot), write_index.eq(copy_index), write_word.eq(pin_read.data)]
                m.d.sync += copy_index.eq(copy_index + 1)
                with m.If(pin_read.data.last):
                    m.next = "INSERT"
            with m.State("INSERT"):
                m.d.comb += [
                    cam.command.valid.eq(1),
                    command.op.eq(CamOperation.INSERT),
                    command.key.eq(pin_key),
                    command.value.eq(new_slot),
                    command.pinned.eq(1),
                ]
                with m.If(cam.command.ready):
                    m.next = "INSERTED"
            with m.State("INSERTED"):
                m.d.comb += cam.response.ready.eq(1)
                with m.If(cam.response.valid):
                    m.d.sync += [reply_ok.eq(cam.response.payload.ok), reply_slot.eq(new_slot)]
                    with m.If(cam.response.payload.ok):
                        with m.If(new_from_freed):
                            m.d.comb += freed.o.ready.eq(1)
                        with m.Else():
                            m.d.sync += unused.eq(unused + 1)
                    m.next = "REPLY"
            with m.State("REPLY"):
                m.d.comb += self.response.valid.eq(1)
                with m.If(self.response.ready):
                    m.next = "RUN"

            # UNPIN: the stored words give the key back.
            with m.State("UNPIN"):
                m.d.sync += [pin_slot.eq(request.name - 1), copy_index.eq(0), wait.eq(0)]
                m.d.comb += self.request.ready.eq(1)
                m.next = "READ"
            with m.State("READ"):
                m.d.comb += [read_slot.eq(pin_slot), read_index.eq(copy_index), rehashing.eq(1)]
                m.d.sync += wait.eq(wait + 1)
                with m.If(wait == 2):
                    m.d.sync += [
                        wait.eq(0),
                        copy_index.eq(copy_index + 1),
                        pin_key.eq(next_key),
                    ]
                    with m.If(store.read[0].data.last):
                        m.next = "DELETE"
            with m.State("DELETE"):
                m.d.comb += [cam.command.valid.eq(1), command.op.eq(CamOperation.DELETE), command.key.eq(pin_key)]
                with m.If(cam.command.ready):
                    m.next = "DELETED"
            with m.State("DELETED"):
                m.d.comb += [cam.response.ready.eq(1), freed.i.payload.eq(pin_slot)]
                with m.If(cam.response.valid):
                    m.d.comb += freed.i.valid.eq(1)
                    m.next = "RUN"
        return m
