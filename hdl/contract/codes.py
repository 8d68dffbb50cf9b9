"""What a document, a subscription and a parsed word are called: verdicts, codes, refusals, types of words."""

import enum
from typing import Self

from hdl.contract.sentences import Sentenced

__all__ = [
    "CONTRACT_VERSION",
    "INDEX_MAX",
    "WORD_BYTES",
    "Code",
    "Content",
    "Format",
    "Language",
    "Refusal",
    "Semantics",
    "Verdict",
    "WordClass",
    "WordType",
]

CONTRACT_VERSION = 2
"""Bits 7 to 5 of a frame's first byte are one more."""

WORD_BYTES = 4
"""Bytes in one parsed word [T 4.4]."""

INDEX_MAX = 15
"""The location l of a word in its token saturates here."""


class Verdict(enum.IntEnum):
    """How a document ended; exactly one per document."""

    WELL_FORMED = 0
    NOT_WELL_FORMED = 1
    UNSUPPORTED = 2
    OVER_LIMIT = 3

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class Code(enum.IntEnum):
    """Why a document is not well-formed, unsupported or over a limit.

    The offset reported with a code is that of the byte that decides it, counted from 0; where the end of the document
    decides, it is the length of the document. A character of several bytes is decided by its last byte, an ill-formed
    UTF-8 sequence by the first byte that cannot continue it. Each sentence names the deciding byte where that is not
    plain. Of several errors the one with the smallest offset is reported, and at one byte the one with the smallest code.
    """

    verdict: Verdict
    sentence: str

    def __new__(cls, value: int, verdict: Verdict = Verdict.WELL_FORMED, sentence: str = "") -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.verdict = verdict
        member.sentence = sentence
        return member

    OK = (0, Verdict.WELL_FORMED, "the document is well-formed")
    UTF16 = (1, Verdict.UNSUPPORTED, "the document looks like UTF-16: its first byte is 00, FE or FF, or its second is 00 after '<'")
    BAD_UTF8 = (2, Verdict.NOT_WELL_FORMED, "the byte is not UTF-8 here")
    BAD_CHAR = (3, Verdict.NOT_WELL_FORMED, "the character is not allowed in XML [XML 2.2]")
    NAME_LENGTH = (4, Verdict.OVER_LIMIT, "a name is longer than the limit; decided by its first byte too many")
    BAD_NAME = (5, Verdict.NOT_WELL_FORMED, "a name must start here, right after '<' or '</'")
    BAD_TAG = (6, Verdict.NOT_WELL_FORMED, "the character cannot stand here in a tag [XML 3.1]")
    LT_IN_VALUE = (7, Verdict.NOT_WELL_FORMED, "'<' in an attribute value [XML 3.1]")
    BAD_REFERENCE = (8, Verdict.NOT_WELL_FORMED, "a malformed reference, or at its ';' one to a forbidden character [XML 4.1]")
    ENTITY = (9, Verdict.UNSUPPORTED, "at the ';', a reference to an entity other than the five predefined ones")
    CDATA_END = (10, Verdict.NOT_WELL_FORMED, "']]>' in text; decided by its '>' [XML 2.4]")
    BAD_MARKUP = (11, Verdict.NOT_WELL_FORMED, "after '<!' none of '--', '[CDATA[' and 'DOCTYPE'")
    BAD_COMMENT = (12, Verdict.NOT_WELL_FORMED, "'--' in a comment; decided by the byte after it [XML 2.5]")
    BAD_PI = (13, Verdict.NOT_WELL_FORMED, "a bad target of a processing instruction, or at the byte after it the target 'xml' [XML 2.6]")
    BAD_DECL = (14, Verdict.NOT_WELL_FORMED, "the character cannot stand here in the XML declaration [XML 2.8]")
    ENCODING = (15, Verdict.UNSUPPORTED, "at its closing quote, an encoding other than UTF-8 and US-ASCII")
    BAD_DOCTYPE = (
        16,
        Verdict.NOT_WELL_FORMED,
        "the character cannot stand here in the DOCTYPE, or at the 'E' a DOCTYPE in the wrong place",
    )
    TEXT_OUTSIDE = (17, Verdict.NOT_WELL_FORMED, "text, a reference (at its '&') or CDATA (at its last '[') outside the root element")
    EXTRA_ROOT = (18, Verdict.NOT_WELL_FORMED, "a second root element; decided by the byte after its '<'")
    UNEXPECTED_END = (19, Verdict.NOT_WELL_FORMED, "an end tag while no element is open; decided by its '/'")
    DEPTH = (20, Verdict.OVER_LIMIT, "elements nest deeper than the limit; decided by the byte after the '<'")
    BAD_QNAME = (21, Verdict.NOT_WELL_FORMED, "not a QName: decided by the byte after the name [Namespaces 3]")
    MISMATCHED_END = (22, Verdict.NOT_WELL_FORMED, "the end tag names another element; decided by the byte after the name")
    ATTRIBUTES = (23, Verdict.OVER_LIMIT, "more attributes in a tag than the limit; decided by the byte after the name")
    DUPLICATE_ATTRIBUTE = (24, Verdict.NOT_WELL_FORMED, "an attribute given twice in a tag; decided by the byte after the name")
    PREFIXES = (25, Verdict.OVER_LIMIT, "more namespace declarations in scope than the limit; decided by the byte after the name")
    BAD_NS_DECL = (
        26,
        Verdict.NOT_WELL_FORMED,
        "a prefix declared as empty (at the closing quote), or 'xmlns' declared (at the byte after the name)",
    )
    UNBOUND_PREFIX = (27, Verdict.NOT_WELL_FORMED, "a prefix without a declaration in scope; decided by the '>' of its tag")
    UNCLOSED = (28, Verdict.NOT_WELL_FORMED, "the document ends inside markup or with elements open; offset is its length")
    NO_ROOT = (29, Verdict.NOT_WELL_FORMED, "the document has no root element; offset is its length")
    NUMBER_DIGITS = (30, Verdict.OVER_LIMIT, "a value compared as a number has more than 15 significant digits")
    NAME_CLASH = (
        31,
        Verdict.OVER_LIMIT,
        "a name has the 32-bit hash of another in the name table, or too many names share rows of it; decided by the byte after the name",
    )

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")


class WordType(enum.IntEnum):
    """The type t of a parsed word [T 4.4.6].

    A token's words carry its bytes four at a time, zero-padded at the end, with their location l; a token without
    bytes (an empty value, an end) is one word of length 0. White space between tags is TEXT like any other.
    """

    ELEMENT = 0
    ATTRIBUTE = 1
    VALUE = 2
    TEXT = 3
    END = 4


class WordClass(enum.IntEnum):
    """Classification of a name's words by the skeleton CAM [T 4.4.3]."""

    I = 0  # noqa: E741 - the thesis's letter: ignored, not a name
    U = 1
    V = 2


class Semantics(enum.IntEnum):
    """How a subscription is matched."""

    EXACT = 0
    CONTAINMENT = 1


class Content(enum.IntEnum):
    """What a notification carries: the selected nodes as they stand in the publication, one after the other in the order of the
    document; the whole publication; or its header alone. Nodes are selected by exact subscriptions; one with containment semantics
    selects none. A notification that had to go without the content asked for has HEADER in its own header."""

    SELECTED = 0
    WHOLE = 1
    HEADER = 2


class Language(Sentenced):
    """What the text of a subscription is written in."""

    XPATH = (0, "the XPath subset, for XML documents")
    TOPIC = (1, "a hierarchical topic with wildcards for levels, for messages")
    MQTT = (2, "a topic filter of MQTT, for messages")
    STRING = (3, "a topic that is equal, for messages")
    INTEGER = (4, "a topic that is this integer, for messages")
    TAGS = (5, "tag=value pairs in the topic, for messages")
    FILTER = (6, "comparisons of properties, for messages")
    SELECTOR = (7, "a topic and a JMS selector, for messages")
    REGEX = (8, "a regular expression on the topic, for messages")

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower()


class Format(enum.IntEnum):
    """What a publication is."""

    XML = 0
    MESSAGE = 1

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower()


class Refusal(Sentenced):
    """Why a frame is refused; it has changed nothing then.

    Codes below 32 are about frames, XPath and room, 32 to 63 are kept for other languages, those from 64 on are about routing.
    """

    NONE = (0, "accepted")
    BAD_HEADER = (1, "the frame's header is malformed")
    EMPTY = (2, "the expression is empty")
    TEXT_LENGTH = (3, "the expression is longer than the limit")
    BAD_UTF8 = (4, "the expression is not UTF-8")
    SYNTAX = (5, "this character cannot stand here")
    AXIS = (6, "axes and abbreviated steps other than '/', '//', '@' and '*' are not accepted")
    FUNCTION = (7, "functions and node tests other than 'text()' are not accepted")
    OPERATOR = (8, "only 'and' and the six comparisons are accepted, with the literal on the right")
    POSITION = (9, "positional predicates are not accepted")
    UNTERMINATED = (10, "the expression ends too early")
    TEXT_TEST = (11, "'.' and 'text()' may be compared on the last step only")
    ATTRIBUTE_STEP = (12, "'@name' must be the last step and takes no predicate")
    NAME_LENGTH = (13, "a name is longer than the limit")
    LITERAL_LENGTH = (14, "a string is longer than the limit")
    NUMBER_DIGITS = (15, "a number has more than 15 significant digits")
    STEPS = (16, "more steps and tests than the limit")
    DUPLICATE_SID = (17, "this subscription is registered already")
    UNKNOWN_SID = (18, "no such subscription is registered")
    FULL_SUBSCRIPTIONS = (19, "the subscription table is full")
    FULL_STEPS = (20, "the step table is full")
    FULL_NAMES = (21, "the name table is full")
    FULL_VALUES = (22, "the value table is full")
    UNSUPPORTED_VERSION = (23, "the frame is of another version of the contract")
    UNSUPPORTED_KIND = (24, "no unit of this broker takes frames of this kind")
    UNSUPPORTED_LANGUAGE = (25, "this broker does not know the subscription's language")
    UNSUPPORTED_FORMAT = (26, "this broker does not take publications of this format")
    UNSUPPORTED_ATTACHMENT = (27, "this broker has no store for attachments")
    UNSUPPORTED_LEASE = (28, "this broker ends no subscription by itself")
    LOCAL_SAMPLE = (64, "SID 0 is for samples, which come from brokers only")
    PATH_FULL = (65, "the path has no place left for the broker that answers")
    LOOP = (66, "the path has this broker already")
    WRONG_BROKER = (67, "the frame is for another broker")
    NO_ROUTE = (68, "no entry says where to forward the subscription")
    DUPLICATE_FRAME = (69, "the sample or the publication has been here before")
    HOP_LIMIT = (70, "the publication has crossed as many brokers as it may")
    LINK_DOWN = (71, "the link to the neighbour is down")
    BAD_CRITERION = (72, "the criterion of a route is malformed")
    UNKNOWN_NEIGHBOUR = (73, "the BID is not one of a neighbour")
    UNKNOWN_ROUTE = (74, "no such entry of the topology is held")
    FULL_ROUTES = (75, "the table of routes is full")

    @property
    def text(self) -> str:
        """The spelling used by the command line."""
        return self.name.lower().replace("_", "-")
