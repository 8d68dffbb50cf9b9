"""The tables of the CRT, as the matching engine reads them."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.shapes.tests import SUBJECTS, NumberAnswer, NumberPort, StringAnswer, TestRowView
from hdl.shapes.widths import ByteCount, row_width, step_width, tsid_width, value_width

__all__ = [
    "CrtView",
    "MaskView",
    "MemberView",
    "MomentView",
    "NameMarks",
    "NameView",
    "RowMasks",
    "RowView",
    "StringPort",
    "TableSummary",
    "TestLink",
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


class NameMarks(data.StructLayout):
    """What a beat has to know of its name: the ``slices`` in which the name may have bits, whether an attribute of this name may matter
    by itself (``presence``), and whether attributes of this name and the string-value and the text nodes of elements of this name may be
    compared with ``strings`` and with ``numbers``."""

    def __init__(self, config):
        flags = data.StructLayout(dict.fromkeys(SUBJECTS, 1))
        super().__init__({"slices": config.slices, "presence": 1, "strings": flags, "numbers": flags})


class TsidLink(data.StructLayout):
    """A subscription in the list of those that share a run of bits; with ``more`` another one follows it."""

    def __init__(self, config):
        super().__init__({"tsid": tsid_width(config), "more": 1})


class StringPort(wiring.Signature):
    """A search for a string, as the store sees it: ``clear``, then its words by ``push``, then ``search``, which may come with the
    last word or after it. ``done`` answers for one clock; ``found`` stays until the next answer, and if it is 1 then ``value``, the
    string's number, stays until the next search. No stored string has more than ``longest`` bytes."""

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
                "longest": Out(range(config.value_bytes + 1)),
            }
        )


class NameView(wiring.Signature):
    """What subscriptions make of a name.

    ===========  =================================  ================================================
    port         latency                            condition
    ===========  =================================  ================================================
    ``marks``    1 clock after ``name``             ``en`` in the clock of ``name``; without it the word stays
    ``hold``     none                               while 1, ``en`` must be 0
    ===========  =================================  ================================================
    """

    def __init__(self, config):
        super().__init__({"en": In(1), "name": In(ceil_log2(config.names)), "marks": Out(NameMarks(config)), "hold": Out(1)})


class RowView(wiring.Signature):
    """A slice of the row of bits that a name has.

    ===========  =================================  ================================================
    port         latency                            condition
    ===========  =================================  ================================================
    ``row``      2 clocks after ``name``, ``slice``  ``en`` in the clock of these; without it registration may use the port
    ``hold``     2 clocks                           ``en`` must be 0 two clocks after a clock with ``hold``
    ===========  =================================  ================================================
    """

    def __init__(self, config, rows=None):
        super().__init__(
            {
                "en": In(1),
                "name": In(ceil_log2(rows or config.names)),
                "slice": In(ceil_log2(config.slices)),
                "row": Out(row_width(config)),
                "hold": Out(1),
            }
        )


class MaskView(wiring.Signature):
    """What the bits of a slice stand for: ``masks`` answers ``slice`` in the same clock, always."""

    def __init__(self, config):
        super().__init__({"slice": In(ceil_log2(config.slices)), "masks": Out(RowMasks(config))})


class MemberView(wiring.Signature):
    """The subscriptions that share a run of bits.

    ===========  =================================  ================================================
    port         latency                            condition
    ===========  =================================  ================================================
    ``head``     2 clocks after ``step``            ``step`` is the last bit of the run
    ``link``     2 clocks with ``en`` after that    ``en`` in the clock of ``tsid``; clocks without it do not count
                 of ``tsid``
    ===========  =================================  ================================================
    """

    def __init__(self, config):
        super().__init__(
            {
                "step": In(step_width(config)),
                "head": Out(TsidLink(config)),
                "en": In(1),
                "tsid": In(tsid_width(config)),
                "link": Out(TsidLink(config)),
            }
        )


class TableSummary(wiring.Signature):
    """What holds for the whole table; each flag may be 1 for longer than need be, until the table is empty.

    ===============  ==============================================================================
    port             meaning
    ===============  ==============================================================================
    ``marks``        of names: the tests on elements whatever their name
    ``texts``        some test is about string-values or text nodes
    ``wild``         the slices in which a subscription may begin with ``*``
    ``containment``  some subscription has containment semantics
    ===============  ==============================================================================
    """

    def __init__(self, config):
        super().__init__({"marks": Out(NameMarks(config)), "texts": Out(1), "wild": Out(config.slices), "containment": Out(1)})


class MomentView(wiring.Signature):
    """A moment between documents in which the engine uses nothing of the CRT: ``wants`` asks for it, ``quiet`` grants it for as long as it
    is 1 and stays 1 until two clocks after ``wants`` has fallen. ``ended`` counts, modulo 65536 and from 0 at reset, the documents taken in
    whole."""

    def __init__(self):
        super().__init__({"wants": Out(1), "ended": In(16), "quiet": In(1)})


class CrtView(wiring.Signature):
    """What the matching engine reads of the CRT, as the CRT sees it: a signature for each of its parts.

    An address may change in each clock. What is read changes only in a moment that was granted, but for bits of a run that is not in force.
    """

    def __init__(self, config):
        super().__init__(
            {
                "names": Out(NameView(config)),
                "rows": Out(RowView(config)),
                "masks": Out(MaskView(config)),
                "strings": Out(StringPort(config)),
                "numbers": Out(NumberPort(config)),
                "string_tests": Out(TestRowView(config, StringAnswer(config))),
                "number_tests": Out(TestRowView(config, NumberAnswer(config))),
                "members": Out(MemberView(config)),
                "summary": Out(TableSummary(config)),
                "moment": Out(MomentView()),
            }
        )
