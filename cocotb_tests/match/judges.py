"""Who is right: libxml2 for exact matching, the golden model for containment and for numbers over the limit."""

from lxml import etree

from hdl.config import BrokerConfig
from hdl.contract import Semantics
from sim.golden.match import NumberDigits, matched
from sim.golden.tree import build
from sim.golden.xml import parse
from sim.golden.xpath import compile

__all__ = ["by_libxml2", "by_model"]


def by_libxml2(document: bytes, texts: dict[int, str]) -> set[int]:
    """The subscriptions that select something, all of them exact."""
    tree = etree.fromstring(document).getroottree()
    spaces = {"p": "urn:p"}
    return {tsid for tsid, text in texts.items() if tree.xpath(text if text.startswith("/") else "/" + text, namespaces=spaces)}


def by_model(document: bytes, subscriptions: dict[int, tuple[str, int]], config: BrokerConfig) -> set[int] | None:
    """The subscriptions (text, semantics) that match; None when a compared number is over the limit."""
    asked = [(compile(text, config), Semantics(semantics)) for text, semantics in subscriptions.values()]
    try:
        results = matched(asked, build(parse(document, config).events, document))
    except NumberDigits:
        return None
    return {tsid for tsid, found in zip(subscriptions, results, strict=True) if found}
