"""A subscription on its way to the tables: its text, the program that it is compiled to, and what the SPU asks of the CRT."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum

from hdl.shapes.widths import ByteCount, RefusalCode, step_width, tsid_width

__all__ = [
    "CrtCommand",
    "CrtOp",
    "CrtResponse",
    "RegistrationCommand",
    "RegistrationResponse",
    "ProgramOp",
    "ProgramOperator",
    "ProgramWord",
    "TextByte",
]


class TextByte(data.Struct):
    """A byte of a subscription's XPath text; ``last`` ends the text, which has at least one byte."""

    data: unsigned(8)
    last: unsigned(1)


class ProgramOp(enum.Enum, shape=unsigned(4)):
    """One piece of a subscription taken apart by the XPath processor."""

    STEP = 0
    """An element step: ``axis``, then the name's words, or ``wildcard`` and one word of count 0."""
    ATTRIBUTE_TEST = 1
    """``[@name ...]`` on the latest step; with an operator a LITERAL follows."""
    SELF_TEST = 2
    """``[. op literal]`` on the latest step; one word of count 0; a LITERAL follows."""
    TEXT_TEST = 3
    """``[text() op literal]`` on the latest step; one word of count 0; a LITERAL follows."""
    ATTRIBUTE_STEP = 4
    """The final ``/@name`` or, with ``axis`` 1, ``//@name``; in either case nothing but DONE follows."""
    LITERAL = 5
    """The literal of the test just before: the words of the string, or of the number as it was spelled."""
    DONE = 6
    """The subscription is complete and within the grammar."""
    ABORT = 7
    """The subscription is refused; the low byte of ``data`` is the contract's refusal code."""


class ProgramOperator(enum.Enum, shape=unsigned(4)):
    """Comparison of a test; NONE asks for presence."""

    NONE = 0
    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6


class ProgramWord(data.Struct):
    """A word of a registration program. ``axis`` is 1 for ``//`` in front of the step. A subscription is any number of pieces,
    each of one or more words (``last`` ends the piece), then one word DONE or ABORT.

    ``op``, ``axis`` and ``wildcard`` stand on every word of a piece. ``operator`` counts on the last word of a test, where it is
    first known, and on every word of the LITERAL after it; it is NONE elsewhere. ``numeric`` stands on every word of a LITERAL that is to
    be compared as a number, whatever its operator and however it was spelled, and on no other. Only the last word of a piece has ``count``
    other than 4, and the bytes above ``count`` are zero. DONE and ABORT have ``last`` and count 0."""

    op: ProgramOp
    axis: unsigned(1)
    wildcard: unsigned(1)
    operator: ProgramOperator
    numeric: unsigned(1)
    data: unsigned(32)
    count: ByteCount
    last: unsigned(1)


class CrtOp(enum.Enum, shape=unsigned(2)):
    """What the SPU asks the CRT to do."""

    REGISTER = 0
    """Register ``tsid`` as the program that follows on the program stream says, up to its DONE or ABORT."""
    UNREGISTER = 1
    """Remove ``tsid``, which is registered; no program follows."""
    CLEAR = 2
    """Remove every subscription; no program follows."""
    CHECK = 3
    """Take the program that follows and answer as REGISTER would, but register nothing: there is no t-SID for it."""


class CrtCommand(data.StructLayout):
    """A request of the SPU to the CRT; each one is answered by one :class:`CrtResponse`, in order.

    ``semantics`` is :class:`hdl.contract.Semantics` and counts for REGISTER only. The next program's words may already wait on
    the program stream while a command is being worked on.
    """

    def __init__(self, config):
        super().__init__({"op": CrtOp, "tsid": tsid_width(config), "semantics": 1})


class RegistrationCommand(data.StructLayout):
    """A command on its way to the CRT, with the :class:`hdl.contract.Content` that the subscription asks for if it is a REGISTER."""

    def __init__(self, config):
        super().__init__({"command": CrtCommand(config), "content": 2})


class CrtResponse(data.Struct):
    """The answer to a command, as the SPU gets it: ``refusal`` is the contract's code, 0 when done. A refused REGISTER has left nothing
    behind; its program has been taken to the end in every case, and the code of an ABORT is handed back as it came. That outranks want of
    room."""

    refusal: RefusalCode


class RegistrationResponse(data.StructLayout):
    """The answer of the CRT: ``refusal`` as in :class:`CrtResponse`, and of a REGISTER that is accepted the last bit of the subscription's
    run (``last_step``), whether others have the same run (``shared``), and whether the subscription ends in an attribute step (``final``).
    """

    def __init__(self, config):
        super().__init__({"refusal": RefusalCode, "last_step": step_width(config), "shared": 1, "final": 1})
