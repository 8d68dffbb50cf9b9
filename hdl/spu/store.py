"""The store of raw subscriptions, so that they can be forwarded as they came [T 5.3.2.1, T 5.3.2.3]."""

from amaranth.hdl import Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.shapes.publication import DocumentWord
from hdl.shapes.widths import ShortCount, tsid_place_width, tsid_width
from hdl.stream import BlockRam

__all__ = ["StoreExtent", "StoreOp", "SubscriptionStore"]


class StoreExtent(data.StructLayout):
    """Where a raw subscription lies: its first and last addresses, and the bytes of its last word."""

    def __init__(self, depth):
        super().__init__({"first": range(depth), "last": range(depth), "count": 3})


class StoreOp(enum.Enum, shape=unsigned(2)):
    """Changes of the index."""

    COMMIT = 0
    """The frame at this extent is that of the t-SID."""
    DISCARD = 1
    """The t-SID has no frame."""
    CLEAR = 2
    """No t-SID has a frame, and the store is empty."""


class SubscriptionStore(wiring.Component):
    """A circular store of frames with an index of first and last addresses by t-SID.

    A frame goes in at the end; when there is no room, the oldest ones are dropped until there is, as a rule at 4 clocks for the first one
    and 11 for each one more. A subscription whose frame was dropped stays registered but can no longer be read out: ``dropped`` counts
    it, and a fetch gives an empty packet. A frame that is never committed takes room until it is the oldest. After a reset and at CLEAR the
    store takes a clock for each t-SID.

    Parameters
    ----------
    config : BrokerConfig
    depth : int
        Words of the store, a power of two with room for two of the longest frames and a word more for each.

    Members
    -------
    i_room : In(stream)
        Asks for ``size`` words for the frame of ``tsid``; ``size`` must stand from the clock before ``valid`` on. From the clock after
        it is taken, ``first`` is the address of the first one.
    write, offset, word : In
        Writes a word of the frame that room was asked for last; the words may come in any order, but not in the clock before room is
        asked for again.
    i_index : In(stream)
        Changes of the index; a CLEAR is taken when it is done.
    i_fetch, o_fetch : In(stream), Out(stream)
        A t-SID gives its frame, word by word as it came, one in 3 clocks at most; a single word with count 0 when there is none.
        Nothing is dropped meanwhile: whoever fetches must take the words for registration to go on.
    dropped : Out(ShortCount)
        Frames of registered subscriptions that were dropped since the reset.
    """

    def __init__(self, config, *, depth):
        if depth < 16 or depth & (depth - 1):
            raise ValueError(f"depth must be a power of two of at least 16, not {depth!r}")
        self._config = config
        self._depth = depth
        tsid = tsid_width(config)
        super().__init__(
            {
                "i_room": In(stream.Signature(data.StructLayout({"tsid": tsid, "size": range(depth)}))),
                "first": Out(range(depth)),
                "write": In(1),
                "offset": In(range(depth)),
                "word": In(32),
                "i_index": In(stream.Signature(data.StructLayout({"op": StoreOp, "tsid": tsid, "extent": StoreExtent(depth)}))),
                "i_fetch": In(stream.Signature(tsid)),
                "o_fetch": Out(stream.Signature(DocumentWord)),
                "dropped": Out(ShortCount),
            }
        )

    def elaborate(self, platform):
        m = Module()
        bits, place_bits = tsid_width(self._config), tsid_place_width(self._config)
        depth = self._depth

        m.submodules.frames = frames = BlockRam(shape=32, depth=depth, output_register=True)
        index_layout = data.StructLayout({"valid": 1, "extent": StoreExtent(depth)})
        m.submodules.index = index = BlockRam(shape=index_layout, depth=1 << place_bits, output_register=True)
        found = index.read[0].data
        m.d.comb += [frames.read[0].en.eq(1), index.read[0].en.eq(1)]

        # A word in front of each frame says whose it is and how long.
        label_layout = data.StructLayout({"tsid": bits, "size": range(depth)})
        oldest = Signal(range(depth))
        newest = Signal(range(depth))
        room = Signal(range(depth + 1), init=depth)
        release = Signal(range(depth + 1))
        fits = Signal()
        settled = Signal()
        labels = Signal()
        asked = self.i_room.payload
        m.d.comb += [self.i_room.ready.eq(settled & fits), labels.eq(self.i_room.valid & settled & fits)]
        m.d.sync += [fits.eq(room > asked.size), settled.eq(1), release.eq(0), room.eq(room + release)]
        with m.If(release != 0):
            m.d.sync += settled.eq(0)
        with m.If(labels):
            m.d.sync += [
                newest.eq(newest + asked.size + 1),
                room.eq(room - asked.size - 1),
                settled.eq(0),
                self.first.eq(newest + 1),
            ]

        write = Signal()
        write_address = Signal(range(depth))
        write_word = Signal(32)
        label = Signal(label_layout)
        oldest_label = data.View(label_layout, frames.read[0].data[: label_layout.size])
        m.d.comb += [
            label.tsid.eq(asked.tsid),
            label.size.eq(asked.size),
            frames.write.addr.eq(Mux(labels, newest, write_address)),
            frames.write.data.eq(Mux(labels, label.as_value(), write_word)),
            frames.write.en.eq(labels | write),
        ]
        m.d.sync += [write.eq(self.write), write_address.eq(self.first + self.offset), write_word.eq(self.word)]

        # The index is written by the machine below, and from outside in the clocks in which that neither writes nor reads it.
        change = self.i_index.payload
        taken = Signal()
        clear_done = Signal()
        m.d.comb += [
            self.i_index.ready.eq(Mux(change.op == StoreOp.CLEAR, clear_done, ~taken)),
            index.write.addr.eq(change.tsid),
            index.write.data.valid.eq(change.op == StoreOp.COMMIT),
            index.write.data.extent.eq(change.extent),
            index.write.en.eq(self.i_index.valid & (change.op != StoreOp.CLEAR)),
        ]

        def forget(tsid):
            m.d.comb += [taken.eq(1), index.write.addr.eq(tsid), index.write.data.valid.eq(0), index.write.en.eq(1)]

        oldest_first = Signal(range(depth))
        m.d.sync += oldest_first.eq(oldest + 1)
        tsid = Signal(bits)
        address = Signal(range(depth))
        extent = Signal(StoreExtent(depth))
        victim = Signal(label_layout)
        clearing, holds = Signal(), Signal()
        # The label of the oldest frame is known, and whether its t-SID still has it, which any change of the index makes uncertain.
        some, labelled, judged = Signal(), Signal(), Signal()
        m.d.sync += some.eq(room != depth)
        with m.If(self.i_index.valid & self.i_index.ready):
            m.d.sync += judged.eq(0)
        word = self.o_fetch.payload
        m.d.comb += [
            frames.read[0].addr.eq(address),
            index.read[0].addr.eq(tsid),
        ]

        with m.FSM(init="SWEEP"):
            # Forgets a t-SID a clock.
            with m.State("SWEEP"):
                forget(tsid)
                m.d.sync += [tsid.eq(tsid + 1), oldest.eq(0), newest.eq(0), room.eq(depth), settled.eq(0)]
                m.d.sync += [some.eq(0), labelled.eq(0), judged.eq(0)]
                with m.If(tsid == (1 << place_bits) - 1):
                    m.d.comb += clear_done.eq(clearing)
                    m.d.sync += clearing.eq(0)
                    m.next = "IDLE"

            # Waits until a frame must be dropped or fetched; meanwhile finds out whose the oldest one is.
            with m.State("IDLE"):
                with m.If(self.i_index.valid & (change.op == StoreOp.CLEAR)):
                    m.d.sync += [clearing.eq(1), tsid.eq(0)]
                    m.next = "SWEEP"
                with m.Elif(judged & self.i_room.valid & settled & ~fits):
                    m.next = "DROP"
                with m.Elif(self.i_fetch.valid):
                    m.d.comb += self.i_fetch.ready.eq(1)
                    m.d.sync += [tsid.eq(self.i_fetch.payload), labelled.eq(0), judged.eq(0)]
                    m.next = "FETCH"
                with m.Elif(some & ~labelled):
                    m.next = "LABEL"
                with m.Elif(labelled & ~judged):
                    m.next = "VICTIM"
                m.d.sync += address.eq(oldest)

            # Reads the label of the oldest frame, then the index of its t-SID: the frame may be that of an earlier holder.
            with m.State("LABEL"):
                m.next = "LABEL-WAIT"
            with m.State("LABEL-WAIT"):
                m.next = "LABEL-READ"
            with m.State("LABEL-READ"):
                m.d.sync += [victim.eq(oldest_label), tsid.eq(oldest_label.tsid), labelled.eq(1)]
                m.next = "VICTIM"
            with m.State("VICTIM"):
                m.d.comb += taken.eq(1)
                m.next = "VICTIM-WAIT"
            with m.State("VICTIM-WAIT"):
                m.d.comb += taken.eq(1)
                m.next = "JUDGE"
            with m.State("JUDGE"):
                m.d.comb += taken.eq(1)
                m.d.sync += [holds.eq(found.valid & (found.extent.first == oldest_first)), judged.eq(1)]
                m.next = "IDLE"
            with m.State("DROP"):
                m.d.comb += taken.eq(1)
                with m.If(holds & judged):
                    forget(tsid)
                    m.d.sync += self.dropped.eq(self.dropped + 1)
                with m.If(judged):
                    m.d.sync += [oldest.eq(oldest + victim.size + 1), release.eq(victim.size + 1), labelled.eq(0)]
                m.d.sync += judged.eq(0)
                m.next = "DROPPED"
            with m.State("DROPPED"):
                m.next = "IDLE"

            # Reads the index, then the frame word by word.
            with m.State("FETCH"):
                m.d.comb += taken.eq(1)
                m.next = "FETCH-WAIT"
            with m.State("FETCH-WAIT"):
                m.next = "FOUND"
            with m.State("FOUND"):
                m.d.sync += [extent.eq(found.extent), address.eq(found.extent.first), word.eq(0), word.last.eq(1)]
                with m.If(found.valid):
                    m.next = "READ"
                with m.Else():
                    m.next = "GIVE"
            with m.State("READ"):
                m.next = "READ-WAIT"
            with m.State("READ-WAIT"):
                m.next = "WORD"
            with m.State("WORD"):
                m.d.sync += [
                    address.eq(address + 1),
                    word.data.eq(frames.read[0].data),
                    word.count.eq(Mux(address == extent.last, extent.count, 4)),
                    word.last.eq(address == extent.last),
                ]
                m.next = "GIVE"
            with m.State("GIVE"):
                m.d.comb += self.o_fetch.valid.eq(1)
                with m.If(self.o_fetch.ready):
                    with m.If(word.last):
                        m.next = "IDLE"
                    with m.Else():
                        m.next = "READ-WAIT"
        return m
