"""What a notification carries of a publication [T 5.3.4].

Everything is cut from the publication's own bytes, as the hardware cuts it from its ring: an element from the ``<`` of its start
tag to the ``>`` that ends it, an attribute from the first byte of its name to its closing quote as both are spelled in the source.
Selected nodes follow each other in document order with nothing between them; an element inside another selected one is
written again. A subscription with containment semantics is sent the nodes that its text selects by XPath, which may be none.
"""

from hdl.contract import Content
from sim.golden.match import Attribute, Indexed, Selected, select
from sim.golden.number import WHITE_SPACE
from sim.golden.query import Query
from sim.golden.tree import Document

__all__ = ["content", "span"]


def content(query: Query, document: Document | Indexed, content: Content) -> bytes:
    """The body of the notification of a publication to a matching subscription."""
    source = document.document.source if isinstance(document, Indexed) else document.source
    if content is Content.HEADER:
        return b""
    if content is Content.WHOLE:
        return source
    return b"".join(source[start:end] for start, end in (span(node, source) for node in select(query, document)))


def span(node: Selected, source: bytes) -> tuple[int, int]:
    """First byte, and byte after the last, of a selected node in the source of its document."""
    if not isinstance(node, Attribute):
        return node.start, node.end
    position = node.element.start + 1 + len(node.element.name)
    while True:
        while source[position] in WHITE_SPACE:
            position += 1
        equals = source.index(b"=", position)
        quote = equals + 1
        while source[quote] in WHITE_SPACE:
            quote += 1
        end = source.index(source[quote : quote + 1], quote + 1) + 1
        if source[position:equals].rstrip(WHITE_SPACE) == node.name:
            return position, end
        position = end
