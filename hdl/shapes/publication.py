"""A publication on its way: its words, what the parser makes of them, and how it ended."""

from amaranth.hdl import unsigned
from amaranth.lib import data, enum, memory, wiring
from amaranth.lib.wiring import In, Out

from hdl import contract
from hdl.shapes.widths import ByteCount, name_id_width, node_width, pinned_name_width, tsid_width

__all__ = [
    "POSITION_WIDTH",
    "CurrentPublication",
    "DocumentWord",
    "HeldPosition",
    "Mark",
    "MatchBeat",
    "NodeSpan",
    "Outcome",
    "ParsedBeat",
    "Retention",
    "TextWord",
    "VerdictWord",
    "WordType",
]


POSITION_WIDTH = 32
"""Width of an absolute word position; positions count every word since reset and wrap."""


class WordType(enum.Enum, shape=unsigned(3)):
    """:class:`hdl.contract.WordType` as a shape."""

    ELEMENT = contract.WordType.ELEMENT.value
    ATTRIBUTE = contract.WordType.ATTRIBUTE.value
    VALUE = contract.WordType.VALUE.value
    TEXT = contract.WordType.TEXT.value
    END = contract.WordType.END.value


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


class MatchBeat(data.StructLayout):
    """What the matching engine is told of a publication in one clock, by any front end: at most one word of ``text``, then at most one
    ``mark``; ``done`` ends the publication, without either, and ``good`` says that its matches count.

    ============  =============================================================================================================
    mark          rules
    ============  =============================================================================================================
    ELEMENT       a word of a start tag's name, outside of start tags; ``last`` has the token ``name``
    ATTRIBUTE     a word of an attribute's name, within a start tag; ``last`` has the token ``name``, and no ``close``
    VALUE         a word of the value of the attribute before, at least one for each attribute, empty if need be; the ``last`` one
                  ends it
    END           the end of the innermost element, outside of start tags: one word with ``last``
    ============  =============================================================================================================

    ``close`` with the ``last`` word of an ELEMENT or VALUE ends the start tag and opens the element. The words of a token follow each
    other; a word that is not ``last`` has four bytes. Texts are within elements and outside of start tags, and ``last`` ends one. A
    publication that is ``good`` ends with all elements closed. What breaks a rule is ended by
    :class:`hdl.publication.guard.BeatGuard`.

    ``name`` is 0 if no subscription can know the name, or it is a namespace declaration's. A name's bytes say nothing: one word is enough.
    Each element and each attribute counts as a node, in the order of the publication.
    """

    def __init__(self, config):
        text = data.StructLayout({"valid": 1, "data": 32, "count": ByteCount, "last": 1})
        mark = text.members | {"type": WordType, "close": 1, "name": pinned_name_width(config)}
        super().__init__({"text": text, "mark": data.StructLayout(mark), "done": 1, "good": 1})


class VerdictWord(data.Struct):
    """One per document, in order."""

    verdict: unsigned(2)
    code: unsigned(8)
    offset: unsigned(32)
    bytes: unsigned(32)


class Outcome(data.StructLayout):
    """One per publication, in order: its verdict and the number of its notifications, which is 0 unless it is well-formed."""

    def __init__(self, config):
        super().__init__({"verdict": VerdictWord, "matches": tsid_width(config)})


class NodeSpan(data.StructLayout):
    """The first and the last byte of an element or attribute, as addresses in the X-RAM."""

    def __init__(self, config):
        super().__init__({"start": node_width(config) + 2, "end": node_width(config) + 2})


class HeldPosition(wiring.Signature):
    """Nothing of a publication from ``position`` on is overwritten while ``valid``, as the store of publications gives it."""

    def __init__(self):
        super().__init__({"valid": Out(1), "position": Out(POSITION_WIDTH)})


class CurrentPublication(wiring.Signature):
    """The publication that is being notified, as the store sees it. Publications are current one after the other, from the first.

    ========= ============================================================================================================
    member    meaning
    ========= ============================================================================================================
    read      the word at an address of the ring, two clocks later
    ready     ``start`` and ``held`` are those of the current publication, and ``advance`` may be given in the next clock
    start     its position, the one after the last word of the publication before
    held      all of it that has been loaded is in the ring and stays there
    advance   the next one becomes current; ``words`` is the length in words of the one that was
    ========= ============================================================================================================
    """

    def __init__(self, config):
        super().__init__(
            {
                "read": Out(memory.ReadPort.Signature(addr_width=node_width(config), shape=DocumentWord)),
                "ready": Out(1),
                "start": Out(POSITION_WIDTH),
                "held": Out(1),
                "advance": In(1),
                "words": In(POSITION_WIDTH),
            }
        )


class Retention(wiring.Signature):
    """Whether publications are kept until they have been notified, as the store sees it.

    ========= ============================================================================================================
    member    meaning
    ========= ============================================================================================================
    keep      some subscription wants bytes of publications
    secure    every publication that begins from now on will be held as long as ``keep`` stays 1, unless it is longer than the ring
    begun     publications whose first word has been loaded, modulo 65536: the count that defines the commit clock
    finished  publications that have been notified, modulo 65536
    ========= ============================================================================================================
    """

    def __init__(self):
        super().__init__({"keep": In(1), "secure": Out(1), "begun": Out(16), "finished": Out(16)})
