"""What a notification carries of a publication [T 5.3.4].

Everything is cut from the publication's own bytes, as the hardware cuts it from its ring: an element from the ``<`` of its start
tag to the ``>`` that ends it, an attribute from the first byte of its name to its closing quote as both are spelled in the source.
Selected nodes follow each other in document order with nothing between them; an element inside another selected one is
written again. Nodes are selected by exact subscriptions alone: one with containment semantics is a set of filters without a path
[T 5.3.1], selects none, and is sent the header.
"""

from hdl.contract import Content, Semantics
from sim.golden.match import Attribute, Indexed, Selected, select
from sim.golden.number import WHITE_SPACE
from sim.golden.query import Query
from sim.golden.tree import Document

__all__ = ["attribute_span", "content", "span"]


def content(query: Query, document: Document | Indexed, content: Content, semantics: Semantics = Semantics.EXACT) -> bytes:
    """The body of the notification of a publication to a matching subscription."""
    source = document.source
    if content is Content.HEADER or (content is Content.SELECTED and semantics is Semantics.CONTAINMENT):
        return b""
    if content is Content.WHOLE:
        return source
    return b"".join(source[start:end] for start, end in (span(node, source) for node in select(query, document)))


def span(node: Selected, source: bytes) -> tuple[int, int]:
    """First byte, and byte after the last, of a selected node in the source of its document."""
    if not isinstance(node, Attribute):
        return node.start, node.end
    return attribute_span(node.element.start + 1 + len(node.element.name), node.name, source)


def attribute_span(position: int, name: bytes, source: bytes) -> tuple[int, int]:
    """The same of an attribute, looked for from the position on, that of the end of its element's name."""
    while True:
        while source[position] in WHITE_SPACE:
            position += 1
        equals = source.index(b"=", position)
        quote = equals + 1
        while source[quote] in WHITE_SPACE:
            quote += 1
        end = source.index(source[quote : quote + 1], quote + 1) + 1
        if source[position:equals].rstrip(WHITE_SPACE) == name:
            return position, end
        position = end
