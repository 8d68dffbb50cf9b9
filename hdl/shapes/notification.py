"""What leads from a match to a notification: matched sets and the selection log."""

from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import exact_log2

from hdl.shapes.widths import log_width, node_width, step_width, tsid_width

__all__ = [
    "SELECTED_STEPS",
    "AttributeQuery",
    "MatchedWord",
    "SelectMark",
    "SelectedDocument",
    "SelectedNode",
    "SelectionLogPort",
]


class MatchedWord(data.StructLayout):
    """A part of a document's matched set: one word per matched subscription with its ``tsid`` and the last bit ``step`` of its
    run, as soon as it is known, then one word with ``end`` and their ``count``. A document that is not well-formed ends with ``good`` 0 and
    count 0, and what came before is void; so does one in which a value compared as a number has too many digits; then ``over`` is 1."""

    def __init__(self, config):
        super().__init__(
            {"end": 1, "good": 1, "over": 1, "tsid": tsid_width(config), "count": tsid_width(config), "step": step_width(config)}
        )


SELECTED_STEPS = 16
"""Steps that one entry of the selection log is about."""


class SelectedNode(data.StructLayout):
    """An entry of the selection log: the ``steps`` among the 16 with the higher number bits ``place`` that selected the ``node``, an
    element. With ``attribute`` the node is an attribute of the next element in the log that one of these steps selects."""

    def __init__(self, config):
        super().__init__(
            {
                "steps": SELECTED_STEPS,
                "place": step_width(config) - exact_log2(SELECTED_STEPS),
                "node": node_width(config),
                "attribute": 1,
            }
        )


class SelectedDocument(data.StructLayout):
    """One per document, in order: its entries in the selection log end before ``end``, counted modulo twice the size of the log, and
    begin where those of the document before end; a document that is not well-formed has none. ``whole`` is 0 if they did not all fit, and
    then they are void. ``sorted`` says that they are in the order of the document for each step, ``good`` that its matched set
    counts; it comes before the end of that."""

    def __init__(self, config):
        super().__init__({"end": log_width(config) + 1, "whole": 1, "sorted": 1, "good": 1})


class SelectMark(data.StructLayout):
    """A subscription has been accepted whose run ends with the bit ``step``: whether it wants the nodes that it selects, and whether
    it shares the run with others."""

    def __init__(self, config):
        super().__init__({"step": step_width(config), "wanted": 1, "shared": 1})


class SelectionLogPort(wiring.Signature):
    """The selection log as it is read, as the matching engine sees it: the entry at an address two clocks later. The entries before
    ``begin``, counted modulo twice the size of the log, are not needed any more."""

    def __init__(self, config):
        super().__init__(
            {
                "read": Out(memory.ReadPort.Signature(addr_width=log_width(config), shape=SelectedNode(config))),
                "begin": In(log_width(config) + 1),
            }
        )


class AttributeQuery(wiring.Signature):
    """Whether a subscription selects attributes, as the SPU sees it: ``attribute`` is about the ``tsid`` two clocks earlier."""

    def __init__(self, config):
        super().__init__({"tsid": In(tsid_width(config)), "attribute": Out(1)})
