"""The bytes that libxml2's selected nodes take in the source: element positions are expat's, attributes are found in their tag."""

import re
from xml.parsers import expat

from lxml import etree

__all__ = ["selected_bytes"]

_ATTRIBUTE = re.compile(rb"""([^\s=/>"']+)\s*=\s*("[^"]*"|'[^']*')""")
_EMPTY = re.compile(rb"""<[^\s/>]+(\s+[^\s=/>"']+\s*=\s*("[^"]*"|'[^']*'))*\s*/>""")


def _elements(document: bytes) -> list[tuple[int, int]]:
    """First byte and byte after the last of each element, in the order of the document."""
    parser = expat.ParserCreate(namespace_separator=None)
    spans: list[list[int]] = []
    unclosed: list[int] = []

    def start(name, attributes):
        unclosed.append(len(spans))
        spans.append([parser.CurrentByteIndex, 0])

    def end(name):
        span = spans[unclosed.pop()]
        if empty := _EMPTY.match(document, span[0]):
            span[1] = empty.end()
        else:
            # expat stands at the end tag
            span[1] = document.index(b">", parser.CurrentByteIndex) + 1

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.Parse(document, True)
    return [(first, last) for first, last in spans]


def _attribute(document: bytes, start: int, name: bytes) -> bytes:
    """The attribute of that name, as it stands in the tag that begins at ``start``."""
    at = start + 1 + len(re.match(rb"[^\s/>]+", document[start + 1 :]).group())
    while found := _ATTRIBUTE.search(document, at):
        if found[1] == name:
            return found[0]
        at = found.end()
    raise AssertionError(f"{name!r} is not in the tag at {start} of {document!r}")


def selected_bytes(document: bytes, text: str) -> bytes:
    """What a notification carries to the subscription ``text``."""
    tree = etree.fromstring(document).getroottree()
    spans = _elements(document)
    order = {element: number for number, element in enumerate(tree.getroot().iter(etree.Element))}
    pieces = []
    for node in tree.xpath(text if text.startswith("/") else "/" + text):
        if isinstance(node, str):
            pieces.append(_attribute(document, spans[order[node.getparent()]][0], node.attrname.encode()))
        else:
            first, last = spans[order[node]]
            pieces.append(document[first:last])
    return b"".join(pieces)
