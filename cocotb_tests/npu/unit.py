"""The NPU with a real store of publications, as the broker connects them, and memories for the selection log and the node map."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from hdl.npu import Npu
from hdl.publication import PublicationStore
from hdl.shapes.notification import SelectedNode
from hdl.shapes.publication import DocumentWord, NodeSpan, Retention
from hdl.shapes.widths import log_width, node_width
from hdl.stream import BlockRam

__all__ = ["NotifyingUnit"]

_STREAMS = ("i_verdict", "i_matched", "i_selected", "o_outcome", "o_lookup", "i_lookup")
_STATUS = ("hold", "without_content")
_RETENTION = ("secure", "begun", "finished")


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
            | {name: members[name] for name in (*_STREAMS, *_STATUS)}
            | {name: Out(Retention().members[name].shape) for name in _RETENTION}
            | {"keep": In(1), "selected_begin": Out(log_width(config) + 1)}
            | {f"link{link}": Out(stream.Signature(DocumentWord)) for link in range(config.links)}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.npu = npu = self.npu
        m.submodules.store = store = PublicationStore(self.config)
        wiring.connect(m, wiring.flipped(self.publication), store.i)
        wiring.connect(m, store.o, wiring.flipped(self.parsed))
        wiring.connect(m, store.current, npu.publication)
        for name in _STREAMS:
            outer = wiring.flipped(getattr(self, name))
            wiring.connect(m, *((outer, getattr(npu, name)) if name.startswith("i") else (getattr(npu, name), outer)))
        for link in range(self.config.links):
            wiring.connect(m, npu.o[link], wiring.flipped(getattr(self, f"link{link}")))
            m.d.comb += self.notified[link].eq(npu.notified[link])
        for name in _STATUS:
            m.d.comb += getattr(self, name).eq(getattr(npu, name))
        attribute = Signal()
        m.d.sync += [attribute.eq(npu.attributes.tsid[2]), npu.attributes.attribute.eq(attribute)]
        m.d.comb += [store.retention.keep.eq(self.keep), self.selected_begin.eq(npu.log.begin)]
        m.d.comb += [getattr(self, name).eq(getattr(store.retention, name)) for name in _RETENTION]
        m.submodules.log = log = BlockRam(shape=SelectedNode(self.config), depth=self.config.selected, output_register=True)
        m.submodules.spans = spans = BlockRam(shape=NodeSpan(self.config), depth=1 << node_width(self.config), output_register=True)
        wiring.connect(m, log.read[0], npu.log.read)
        wiring.connect(m, spans.read[0], npu.nodes)
        for memory, word, writes in ((log, self.entry, self.write_entry), (spans, self.span, self.write_span)):
            m.d.comb += [memory.write.addr.eq(self.write_address), memory.write.data.eq(word), memory.write.en.eq(writes)]
        return m
