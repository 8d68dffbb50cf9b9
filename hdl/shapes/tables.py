"""The tables of the CRT, as the matching engine reads them."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.widths import ByteCount, number_shape, row_width, step_width, tsid_width, value_width

__all__ = [
    "CrtView",
    "NameMarks",
    "RowMasks",
    "StringPort",
    "TestLink",
    "TestLists",
    "TestNode",
    "TestSubject",
    "TestTerm",
    "TsidLink",
]


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


class TestSubject(enum.Enum, shape=unsigned(2)):
    """What a compared test is about."""

    ATTRIBUTE = 0
    SELF = 1
    TEXT = 2


class NameMarks(data.StructLayout):
    """What a beat has to know of its name: the ``slices`` in which the name may have bits, whether an attribute of this name may matter
    by itself (``presence``), and whether attributes of this name and the string-value and the text nodes of elements of this name may be
    compared with ``strings`` and with ``numbers``."""

    def __init__(self, config):
        flags = data.StructLayout(dict.fromkeys(TestLists.subjects, 1))
        super().__init__({"slices": config.slices, "presence": 1, "strings": flags, "numbers": flags})


class TestLists(data.StructLayout):
    """The first of the compared tests on a subject other than those for an equal string; these hang from the string."""

    subjects = ("attribute", "self", "text")

    def __init__(self, config):
        super().__init__({name: TestLink(config) for name in self.subjects})


class TestNode(data.StructLayout):
    """A compared test in its list: its ``operator``, the low bits of that of the program, whether it compares a ``number``, and the
    ``subject`` that it is about."""

    def __init__(self, config):
        super().__init__(
            {
                "next": TestLink(config),
                "operator": 3,
                "number": 1,
                "contains": 1,
                "subject": TestSubject,
            }
        )


class TestTerm(data.StructLayout):
    """What else is to be known of a compared test: the number of its string, ``value``, and the ``name``, or ``anyone``, any name, of what
    it is about. The number that it compares with is read beside it."""

    def __init__(self, config):
        super().__init__({"value": value_width(config), "anyone": 1, "name": ceil_log2(config.names)})


class TsidLink(data.StructLayout):
    """A subscription in the list of those that share a run of bits; with ``more`` another one follows it."""

    def __init__(self, config):
        super().__init__({"tsid": tsid_width(config), "more": 1})


class StringPort(wiring.Signature):
    """A search for a string, as the store sees it: ``clear``, then its words by ``push``, then ``search``, which may come with the
    last word or after it. ``done`` answers for one clock; ``found`` stays until the next answer, and if it is 1 then ``value``, the
    string's number, and ``head``, the first test for it, stay until the next search. No stored string has more than ``longest`` bytes."""

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
                "head": Out(TestLink(config)),
                "longest": Out(range(config.value_bytes + 1)),
            }
        )


class CrtView(wiring.Signature):
    """What the matching engine reads of the CRT, as the CRT sees it.

    ``marks`` and ``lists`` are about a name. ``string`` searches the stored strings for a value. ``any_marks`` and ``any_lists`` are about
    the tests on elements whatever their name, and ``texts`` says that some test is about string-values or text nodes. ``wild`` are the
    slices in which a subscription may begin with ``*``, and ``containment`` says that there may be one with containment semantics.

    Every read has an address that the engine may change in each clock; ``row``, ``lists``, ``node`` and ``head`` answer two clocks later,
    the ``term`` and the ``number`` of a node three, ``marks`` one clock after a clock with ``marks_en``, ``link`` in the second clock with
    ``link_en`` after that of the address, ``masks`` at once. With ``node_follow`` the address is the test behind the ``node`` given in this
    clock, if there is one, and ``node_step`` if not. While ``row_en`` or ``node_en`` is 0 the CRT may use that port for itself. A word must
    not be read while it is written: the engine reads no row two clocks after ``row_hold``, and no marks while ``marks_hold`` is 1.

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
                "row_hold": Out(1),
                "mask_slice": In(ceil_log2(config.slices)),
                "masks": Out(RowMasks(config)),
                "marks_name": In(ceil_log2(config.names)),
                "marks_en": In(1),
                "marks": Out(NameMarks(config)),
                "marks_hold": Out(1),
                "any_marks": Out(NameMarks(config)),
                "list_name": In(ceil_log2(config.names)),
                "lists": Out(TestLists(config)),
                "any_lists": Out(TestLists(config)),
                "node_en": In(1),
                "node_step": In(step_width(config)),
                "node_follow": In(1),
                "node": Out(TestNode(config)),
                "term": Out(TestTerm(config)),
                "number": Out(number_shape(config)),
                "head_step": In(step_width(config)),
                "head": Out(TsidLink(config)),
                "link_tsid": In(tsid_width(config)),
                "link_en": In(1),
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
