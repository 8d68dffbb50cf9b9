"""What the later stages ask about a packed mark, decided once."""

from amaranth.hdl import Cat, Mux, unsigned
from amaranth.lib import data

from hdl.contract import INDEX_MAX
from hdl.scbxp.packers import PackedMark
from hdl.shapes.publication import WordType

__all__ = ["CarriedMark", "MarkFacts", "carried", "mark_facts"]

CarriedMark = data.StructLayout(
    {name: field.shape for name, field in PackedMark.as_shape() if name not in ("type", "starts", "colons", "index")}
    | {"index": range(INDEX_MAX + 1)}
)
"""A packed mark without what only the facts about it need; ``index`` stays at INDEX_MAX."""


def carried(mark) -> dict:
    """The members of CarriedMark for a PackedMark."""
    return {name: getattr(mark, name) for name in CarriedMark.members} | {"index": Mux(mark.index > INDEX_MAX, INDEX_MAX, mark.index)}


class MarkFacts(data.Struct):
    """About one word of a mark.

    Its token is an ``element`` or ``attribute``, an ``end`` tag or a ``value``; with none of them it ends the document. It is
    the ``first`` or ``second`` word, the one just beyond the ``limit`` of names, or with ``long`` that or a later one; ``searches`` says
    that a name is complete here, or as much of it as may be. The word spells ``xmln``, or begins with ``s:``, or is ``s`` alone.

    For QNames: ``lead`` are its bytes before its first colon; it has a ``colon``, ``more`` than one, one ``at_start``, one ``at_end``
    of the token or ``full`` in the fourth byte, one ``before`` a character that cannot start a name; ``opens`` says that its first
    character could start a name.
    """

    element: unsigned(1)
    attribute: unsigned(1)
    end: unsigned(1)
    value: unsigned(1)
    first: unsigned(1)
    second: unsigned(1)
    limit: unsigned(1)
    long: unsigned(1)
    searches: unsigned(1)
    xmln: unsigned(1)
    s_colon: unsigned(1)
    s_alone: unsigned(1)
    lead: unsigned(4)
    colon: unsigned(1)
    more: unsigned(1)
    at_start: unsigned(1)
    at_end: unsigned(1)
    full: unsigned(1)
    before: unsigned(1)
    opens: unsigned(1)


def mark_facts(mark, words: int) -> dict:
    """The members of MarkFacts for a PackedMark, where names have up to ``words`` words."""
    element, attribute, end, value = (
        ~mark.end & (mark.type == kind) for kind in (WordType.ELEMENT, WordType.ATTRIBUTE, WordType.END, WordType.VALUE)
    )
    name = element | attribute
    present = [mark.count > k for k in range(4)]
    colons = [mark.colons[k] & present[k] for k in range(4)]
    pairs = [colons[j] & colons[k] for k in range(4) for j in range(k)]
    return {
        "element": element,
        "attribute": attribute,
        "end": end,
        "value": value,
        "first": mark.index == 0,
        "second": mark.index == 1,
        "limit": mark.index == words,
        "long": mark.index >= words,
        "searches": name & ((mark.index == words - 1) | (mark.last & (mark.index < words))),
        "xmln": mark.data == int.from_bytes(b"xmln", "little"),
        "s_colon": mark.data[:16] == int.from_bytes(b"s:", "little"),
        "s_alone": (mark.data[:8] == ord("s")) & (mark.count == 1),
        "lead": Cat(*(present[k] & ~Cat(*colons[: k + 1]).any() for k in range(4))),
        "colon": Cat(*colons).any(),
        "more": Cat(*pairs).any(),
        "at_start": colons[0],
        "at_end": mark.last & Cat(*(colons[k] & (mark.count == k + 1) for k in range(4))).any(),
        "full": colons[3],
        "before": Cat(*(colons[k] & present[k + 1] & (~mark.starts[k + 1] | mark.colons[k + 1]) for k in range(3))).any(),
        "opens": ~present[0] | (mark.starts[0] & ~mark.colons[0]),
    }
