"""Payloads of the streams between units, derived from the contract; one layout per boundary."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum
from amaranth.utils import ceil_log2, exact_log2

from hdl import contract

__all__ = [
    "SELECTED_STEPS",
    "ByteCount",
    "CrtCommand",
    "CrtOp",
    "CrtResponse",
    "DocumentWord",
    "Mark",
    "MatchedWord",
    "NameOp",
    "NameRequest",
    "NameResponse",
    "NodeSpan",
    "ParsedBeat",
    "ProgramLiteral",
    "ProgramOp",
    "ProgramOperator",
    "ProgramWord",
    "SelectMark",
    "SelectedDocument",
    "SelectedNode",
    "ShortCount",
    "SmtEntry",
    "SmtKey",
    "SubscriptionResult",
    "TextByte",
    "TextWord",
    "VerdictWord",
    "WordType",
    "log_width",
    "name_id_width",
    "node_width",
    "row_width",
    "step_width",
    "tsid_place_width",
    "tsid_width",
]


class WordType(enum.Enum, shape=unsigned(3)):
    """:class:`hdl.contract.WordType` as a shape."""

    ELEMENT = contract.WordType.ELEMENT.value
    ATTRIBUTE = contract.WordType.ATTRIBUTE.value
    VALUE = contract.WordType.VALUE.value
    TEXT = contract.WordType.TEXT.value
    END = contract.WordType.END.value


ByteCount = unsigned(3)
"""0 to 4 bytes of a word; they come first byte in the low bits."""

ShortCount = unsigned(5)
"""What a unit counts since the reset, modulo 32 and at most one a clock; :class:`hdl.tally.Tally` has the whole count."""


def name_id_width(config) -> int:
    """Width of a name's token ID: 0 is no name, then loaded names, then learned ones."""
    return (config.names + config.learned).bit_length()


def tsid_width(config) -> int:
    """Width of a t-SID: 0 is none, then 1 to the number of subscriptions."""
    return config.subscriptions.bit_length()


def tsid_place_width(config) -> int:
    """Width of a place in a table by t-SID, the low bits of the t-SID: because none is 0, the last one may take its place."""
    return max(1, (config.subscriptions - 1).bit_length())


def row_width(config) -> int:
    """Bits of a slice of a row of visitors."""
    return config.steps // config.slices


def step_width(config) -> int:
    """Width of the number of a step's bit: the slice, then the bit in the slice."""
    return ceil_log2(config.slices) + ceil_log2(row_width(config))


def node_width(config) -> int:
    """Width of a node's number in its document: the elements and attributes of a document that fits the X-RAM have four bytes each."""
    return exact_log2(config.xram_bytes // contract.WORD_BYTES)


def log_width(config) -> int:
    """Width of an address in the selection log."""
    return exact_log2(config.selected) if config.selected else 1


class DocumentWord(data.Struct):
    """Up to four bytes of a publication. Only the last word of a document may have fewer than four; an empty document is one
    word with ``count`` 0 and ``last``."""

    data: unsigned(32)
    count: ByteCount
    last: unsigned(1)


class TextWord(data.Struct):
    """A word of a text node: present when ``valid``; ``last`` ends the node. It precedes the mark in the same beat."""

    valid: unsigned(1)
    data: unsigned(32)
    count: ByteCount
    index: unsigned(4)
    last: unsigned(1)


class Mark(data.StructLayout):
    """A word of an element name, attribute name or attribute value, or an end; present when ``valid``.

    ``last`` ends the token. With the last word of a name come its token ID ``name`` and ``known``, which is 1 for a V-string
    (the skeleton knew it) and 0 for a U-string that was learned just now. ``close`` is set on the last word of the last token of
    a start tag: its '>' comes right after; an empty-element tag's END mark follows as a mark of its own.
    """

    def __init__(self, config):
        super().__init__(
            {
                "valid": 1,
                "type": WordType,
                "data": 32,
                "count": ByteCount,
                "index": 4,
                "last": 1,
                "close": 1,
                "known": 1,
                "name": name_id_width(config),
            }
        )


class ParsedBeat(data.StructLayout):
    """What the parser hands on in one clock: at most one text word, then at most one mark; ``done`` ends the document.

    The beat with ``done`` has neither word; ``good`` says whether the verdict is well-formed. Beats of a document that turns out
    bad may already have been handed on: only ``done`` with ``good`` makes them count.
    """

    def __init__(self, config):
        super().__init__({"text": TextWord, "mark": Mark(config), "done": 1, "good": 1})


class VerdictWord(data.Struct):
    """One per document, in order."""

    verdict: unsigned(2)
    code: unsigned(5)
    offset: unsigned(32)
    bytes: unsigned(32)


class TextByte(data.Struct):
    """A byte of a subscription's XPath text; ``last`` ends the text, which has at least one byte."""

    data: unsigned(8)
    last: unsigned(1)


class ProgramOp(enum.Enum, shape=unsigned(3)):
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
    """The literal of the test just before: the string's words, or the number as it was spelled."""
    DONE = 6
    """The subscription is complete and within the grammar."""
    ABORT = 7
    """The subscription is refused; the low byte of ``data`` is the contract's refusal code."""


class ProgramOperator(enum.Enum, shape=unsigned(3)):
    """Comparison of a test; NONE asks for presence."""

    NONE = 0
    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6


class ProgramLiteral(enum.Enum, shape=unsigned(1)):
    """Type of a literal."""

    STRING = 0
    NUMBER = 1


class ProgramWord(data.Struct):
    """A word of a registration program. ``axis`` is 1 for ``//`` in front of the step. A subscription is any number of pieces,
    each of one or more words (``last`` ends the piece), then one word DONE or ABORT.

    ``op``, ``axis`` and ``wildcard`` stand on every word of a piece. ``operator`` counts on the last word of a test, where it is
    first known, and on every word of the LITERAL after it; it is NONE elsewhere. ``literal`` counts on LITERAL words. Only the last
    word of a piece has ``count`` other than 4, and the bytes above ``count`` are zero. DONE and ABORT have ``last`` and count 0."""

    op: ProgramOp
    axis: unsigned(1)
    wildcard: unsigned(1)
    operator: ProgramOperator
    literal: ProgramLiteral
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


class CrtResponse(data.Struct):
    """The answer to a command: ``refusal`` is the contract's code, 0 when done. A refused REGISTER has left nothing behind; its
    program has been taken to the end in every case, and the code of an ABORT is handed back as it came. That outranks want of room."""

    refusal: unsigned(5)


class NameOp(enum.Enum, shape=unsigned(2)):
    """What registration asks of the name table."""

    PIN = 0
    """Make the name permanent, learning it if need be, and answer with its token ID."""
    UNPIN = 1
    """Release the name: its token ID may be given to another one; one word, not answered."""
    FIND = 2
    """Answer with the name's token ID if it is permanent, and with ``ok`` 0 if not."""


class NameRequest(data.StructLayout):
    """A word of a request to the name table. PIN and FIND take the name's words as in a :class:`Mark`, ``last`` with the final one;
    UNPIN is one word with ``last`` and the token ID in ``name``."""

    def __init__(self, config):
        super().__init__({"op": NameOp, "data": 32, "count": ByteCount, "last": 1, "name": name_id_width(config)})


class NameResponse(data.StructLayout):
    """The answer to a PIN or FIND. ``ok`` is 0 when the table is full, or the name not there. ``name`` is from 1 to the configuration's
    ``names`` and stays with this name until it is unpinned. ``document`` counts, modulo 256 and from 0 at reset, the documents of which
    the name table has seen anything: only later ones are sure to carry this token ID throughout."""

    def __init__(self, config):
        super().__init__({"ok": 1, "name": name_id_width(config), "document": 8})


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
        super().__init__({"valid": 1, "step": step_width(config), "wanted": 1, "shared": 1})


class NodeSpan(data.StructLayout):
    """The first and the last byte of an element or attribute, as addresses in the X-RAM."""

    def __init__(self, config):
        super().__init__({"start": node_width(config) + 2, "end": node_width(config) + 2})


class SmtKey(data.Struct):
    """Identity of a subscription, the bytes as in the contract's header with the first one in the low bits."""

    osid: unsigned(64)
    reference: unsigned(32)


class SmtEntry(data.Struct):
    """What the SMT knows of a t-SID; the flags are those of the contract's header."""

    key: SmtKey
    semantics: unsigned(1)
    content: unsigned(2)
    link: unsigned(2)


class SubscriptionResult(data.StructLayout):
    """The answer to a SUBSCRIBE or UNSUBSCRIBE frame, one for each, in order: ``refusal`` is the contract's code, 0 when done.

    ``key`` and ``link`` are the frame's own, zero where it was too short to have them. ``tsid`` is the t-SID given or given up,
    0 when refused; ``cancel`` tells the two kinds of frame apart and is 0 for anything else.
    """

    def __init__(self, config):
        super().__init__({"refusal": 5, "cancel": 1, "key": SmtKey, "link": 2, "tsid": tsid_width(config)})
