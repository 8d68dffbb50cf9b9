"""The document tree, built from the events of a well-formed document."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeAlias

from hdl.contract import WordType
from sim.golden.events import Event

__all__ = ["Document", "Element", "Node", "Text", "build"]


@dataclass(slots=True)
class Text:
    """A text node: CDATA and references merged, split by comments, processing instructions and tags.

    ``start`` and ``end`` bound its raw source: all between the preceding tag, comment or processing instruction and the next.
    """

    value: bytes
    start: int
    end: int


@dataclass(slots=True)
class Element:
    """An element with its QName as written.

    ``attributes`` are (name, value) in document order, namespace declarations included. ``start`` and ``end`` bound its raw
    source, from the ``<`` of its start tag to after the ``>`` of its end tag.
    """

    name: bytes
    attributes: list[tuple[bytes, bytes]] = field(default_factory=list)
    children: "list[Node]" = field(default_factory=list)
    start: int = 0
    end: int = 0


Node: TypeAlias = Element | Text


@dataclass(slots=True)
class Document:
    """A whole document: its root element and the bytes it was read from."""

    root: Element
    source: bytes

    def raw(self, node: Node) -> bytes:
        """The node's bytes as they stand in the source."""
        return self.source[node.start : node.end]


def build(events: Iterable[Event], source: bytes) -> Document:
    """The tree of a well-formed document's events; ``source`` is what the events' offsets refer to."""
    top = Element(b"")
    stack = [top]
    attribute = b""
    for kind, value, start, end in events:
        if kind is WordType.ELEMENT:
            element = Element(value, start=start)
            stack[-1].children.append(element)
            stack.append(element)
        elif kind is WordType.ATTRIBUTE:
            attribute = value
        elif kind is WordType.VALUE:
            stack[-1].attributes.append((attribute, value))
        elif kind is WordType.TEXT:
            stack[-1].children.append(Text(value, start, end))
        else:
            stack.pop().end = end
    (root,) = top.children
    if len(stack) != 1 or not isinstance(root, Element):
        raise ValueError(f"events must be those of one whole document, not end with {len(stack) - 1} open elements")
    return Document(root, source)
