"""Where the tokens of the latest tags lie in their document."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.scbxp.segments import MarkSegment
from hdl.stream.block_ram import BlockRam

__all__ = ["PLACED", "TokenPlaces"]

PLACED = unsigned(7)
"""Running number of a mark token, for finding its place; more than the words that the packer, the names and the checks hold."""


class TokenPlaces(wiring.Component):
    """Keeps the offsets of tokens while they are on their way from the packer to the checks: only what is wrong asks for them, so that they
    need not travel with every word.

    Tokens and ends of documents count alike from the reset on. The place of a token is kept until :data:`PLACED` starts again.

    Members
    -------
    i, i_valid : In(MarkSegment), In(1)
        Segments, when the packer takes them.
    token, close, near : In(PLACED), In(1), In(1)
    position : Out(32)
        Two clocks after its number, the offset of a token's first byte, or with ``close`` that of the '>' that it closes its tag with;
        ``near`` says that both stand in the same word. Of the end of a document, that of its first error.
    """

    i: In(MarkSegment)
    i_valid: In(1)
    token: In(PLACED)
    close: In(1)
    near: In(1)
    position: Out(32)

    def elaborate(self, platform):
        m = Module()
        # A token takes two entries, for where it begins and for where its tag is closed if that is another word.
        entry = data.StructLayout({"word": 30, "lane": 2, "close_lane": 2})
        m.submodules.entries = entries = BlockRam(shape=entry, depth=2 << PLACED.width, output_register=True)
        segment, write, read = self.i, entries.write, entries.read[0]
        latest, following = Signal(PLACED, init=-1), Signal(PLACED)
        begins = Signal()
        m.d.comb += [
            begins.eq(segment.begins | segment.end),
            following.eq(latest + 1),
            write.addr.eq(Cat(~begins, Mux(begins, following, latest))),
            write.data.word.eq(segment.place),
            write.data.lane.eq(Mux(begins, segment.lane, segment.close_lane)),
            write.data.close_lane.eq(segment.close_lane),
            write.en.eq(self.i_valid & (begins | segment.closes)),
        ]
        with m.If(self.i_valid & begins):
            m.d.sync += latest.eq(following)

        both, both_later = Signal(), Signal()
        m.d.sync += [both.eq(self.close & self.near), both_later.eq(both)]
        m.d.comb += [
            read.addr.eq(Cat(self.close & ~self.near, self.token)),
            read.en.eq(1),
            self.position.eq(Cat(Mux(both_later, read.data.close_lane, read.data.lane), read.data.word)),
        ]
        return m
