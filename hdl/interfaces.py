"""Ports between units that are not streams."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.layouts import ByteCount, ProgramOperator, row_width, step_width, tsid_width

__all__ = [
    "CrtView",
    "NameHeads",
    "RowMasks",
    "StringPort",
    "TestLink",
    "TestNode",
    "TsidLink",
    "number_shape",
    "row_width",
    "step_width",
    "value_width",
]


def value_width(config) -> int:
    """Width of the number of a stored string; 0 is none."""
    return ceil_log2(config.values)


def number_shape(config) -> data.StructLayout:
    """A decimal as an orderable key: of two keys of one sign the greater magnitude has the greater ``exponent``, then the
    greater ``digits`` (BCD, the first one not 0). Zero has neither sign, exponent nor digits; ``nan`` is no number."""
    return data.StructLayout({"digits": 4 * config.digits, "exponent": 8, "negative": 1, "nan": 1})


class RowMasks(data.StructLayout):
    """What each bit of a slice stands for.

    ========  =========================================================================================================
    member    meaning
    ========  =========================================================================================================
    named     the bit is a step with a name, or with ``test`` a test of the string-value or a text node
    test      the bit is a test; without ``named`` of an attribute. With neither it is a step with ``*``, or free
    far       ``//`` stands in front of the step or of the final attribute
    last      the subscription ends here
    first     an exact subscription begins here and is in force
    contains  a containment subscription begins here and is in force
    ========  =========================================================================================================
    """

    def __init__(self, config):
        width = row_width(config)
        super().__init__(dict.fromkeys(self.names, width))

    names = ("named", "test", "far", "last", "first", "contains")


class TestLink(data.StructLayout):
    """A compared test by the number of its bit, if ``valid``."""

    def __init__(self, config):
        super().__init__({"step": step_width(config), "valid": 1})


class NameHeads(data.StructLayout):
    """What the CRT knows of a name: ``presence`` says that an attribute of this name may matter by itself; ``slices`` are those in
    which the name may have bits; ``attribute``, ``self`` and ``text`` are the first compared tests on attributes of this name and on
    the string-value and the text nodes of elements of this name."""

    subjects = ("attribute", "self", "text")

    def __init__(self, config):
        super().__init__({name: TestLink(config) for name in self.subjects} | {"presence": 1, "slices": config.slices})


class TestNode(data.StructLayout):
    """A compared test: its operator and its literal. ``value`` is the number of a string; a number is read beside it."""

    def __init__(self, config):
        super().__init__({"next": TestLink(config), "operator": ProgramOperator, "number": 1, "contains": 1, "value": value_width(config)})


class TsidLink(data.StructLayout):
    """A subscription in the list of those that share a run of bits; with ``more`` another one follows it."""

    def __init__(self, config):
        super().__init__({"tsid": tsid_width(config), "more": 1})


class StringPort(wiring.Signature):
    """A search for a string, as the store sees it: ``clear``, then its words by ``push``, then ``search``, which may come with the
    last word or after it. ``done`` answers for one clock; ``found`` and ``value``, the string's number, stay until the next answer."""

    def __init__(self, config):
        super().__init__(
            {
                "clear": In(1),
                "push": In(1),
                "data": In(32),
                "count": In(ByteCount),
                "search": In(1),
                "done": Out(1),
                "found": Out(1),
                "value": Out(value_width(config)),
            }
        )


class CrtView(wiring.Signature):
    """What the matching engine reads of the CRT, as the CRT sees it.

    ``string`` searches the stored strings for a value. ``any_heads`` are the tests on elements whatever their name, and ``texts`` says
    that some test is about string-values or text nodes. ``wild`` are the slices in which a subscription may begin with ``*``, and
    ``containment`` says that there may be one with containment semantics.

    Every read has an address that the engine may change in each clock; ``row``, ``node``, ``number`` and ``head`` answer two clocks
    later, ``heads`` one clock after a clock with ``heads_en``, ``masks`` and ``link`` at once. While ``row_en`` or ``node_en`` is 0
    the CRT may use that port for itself.

    ``wants`` asks for a moment between documents in which nothing of the CRT is in use; ``quiet`` grants it for as long as it is 1,
    and it stays 1 until ``wants`` falls. ``ended`` counts, modulo 65536 and from 0 at reset, the documents taken in whole.
    """

    def __init__(self, config):
        super().__init__(
            {
                "row_en": In(1),
                "row_name": In(ceil_log2(config.names)),
                "row_slice": In(ceil_log2(config.slices)),
                "row": Out(row_width(config)),
                "mask_slice": In(ceil_log2(config.slices)),
                "masks": Out(RowMasks(config)),
                "heads_name": In(ceil_log2(config.names)),
                "heads_en": In(1),
                "heads": Out(NameHeads(config)),
                "any_heads": Out(NameHeads(config)),
                "node_en": In(1),
                "node_step": In(step_width(config)),
                "node": Out(TestNode(config)),
                "number": Out(number_shape(config)),
                "head_step": In(step_width(config)),
                "head": Out(TsidLink(config)),
                "link_tsid": In(tsid_width(config)),
                "link": Out(TsidLink(config)),
                "string": Out(StringPort(config)),
                "texts": Out(1),
                "wild": Out(config.slices),
                "containment": Out(1),
                "wants": Out(1),
                "ended": In(16),
                "quiet": In(1),
            }
        )
