"""The NPU with a real X-RAM in front of it, as the broker connects them, and memories for the selection log and the node map."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.layouts import DocumentWord, NodeSpan, SelectedNode
from hdl.npu import Npu
from hdl.scbxp.xram import Xram
from hdl.stream import BlockRam

__all__ = ["NotifyingUnit"]

_STREAMS = ("i_verdict", "i_matched", "i_selected", "o_outcome", "o_lookup", "i_lookup")
_STATUS = ("hold", "secure", "begun", "finished", "without_content", "selected_begin")


class NotifyingUnit(wiring.Component):
    """Documents go through the ring to ``parsed``; verdicts, matched sets and SMT entries come from the bench, which also writes the
    selection log and the node map. Subscriptions whose t-SID has bit 2 select attributes."""

    def __init__(self, config):
        self.config = config
        self.npu = Npu(config)
        members = self.npu.signature.members
        super().__init__(
            {
                "publication": In(stream.Signature(DocumentWord)),
                "parsed": Out(stream.Signature(DocumentWord)),
                "notified": members["notified"],
                "write_entry": In(1),
                "write_span": In(1),
                "write_address": In(16),
                "entry": In(SelectedNode(config)),
                "span": In(NodeSpan(config)),
            }
            | {name: members[name] for name in (*_STREAMS, "keep", *_STATUS)}
            | {f"link{link}": Out(stream.Signature(DocumentWord)) for link in range(config.links)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.npu = npu = self.npu
        m.submodules.xram = xram = Xram(self.config)
        wiring.connect(m, wiring.flipped(self.publication), xram.i)
        wiring.connect(m, xram.o, wiring.flipped(self.parsed))
        wiring.connect(m, xram.read, npu.xram_read)
        for name in _STREAMS:
            outer = wiring.flipped(getattr(self, name))
            wiring.connect(m, *((outer, getattr(npu, name)) if name.startswith("i") else (getattr(npu, name), outer)))
        for link in range(self.config.links):
            wiring.connect(m, npu.o[link], wiring.flipped(getattr(self, f"link{link}")))
            m.d.comb += self.notified[link].eq(npu.notified[link])
        for name in _STATUS:
            m.d.comb += getattr(self, name).eq(getattr(npu, name))
        attribute = Signal()
        m.d.sync += [attribute.eq(npu.o_lookup.payload[2]), npu.attribute.eq(attribute)]
        m.d.comb += npu.keep.eq(self.keep)
        m.submodules.log = log = BlockRam(shape=SelectedNode(self.config), depth=self.config.selected, output_register=True)
        m.submodules.spans = spans = BlockRam(shape=NodeSpan(self.config), depth=xram.words, output_register=True)
        wiring.connect(m, log.read[0], npu.selected_read)
        wiring.connect(m, spans.read[0], npu.nodes)
        for store, word, writes in ((log, self.entry, self.write_entry), (spans, self.span, self.write_span)):
            m.d.comb += [store.write.addr.eq(self.write_address), store.write.data.eq(word), store.write.en.eq(writes)]
        m.d.comb += [
            npu.loads.eq(self.publication.valid & self.publication.ready),
            npu.ends.eq(self.publication.payload.last),
            npu.xram_newest.eq(xram.newest),
            xram.hold_valid.eq(npu.xram_hold_valid),
            xram.hold.eq(npu.xram_hold),
        ]
        return m
