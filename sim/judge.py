"""Independent judges of the engines: libxml2 and expat on documents, libxml2 on XPath.

They share no code with the golden model. Names must compare as they are written and numbers must follow the Recommendation, so a
subscription's text is respelled for libxml2: a name becomes a ``name()`` test whatever the namespaces, and a value that only
libxml2 takes for a number (an exponent, a sign ``+``, a point alone) is kept away from the comparison [XPath 4.4].
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.parsers import expat

from lxml import etree

from hdl.contract import Semantics

__all__ = ["Judge", "accepted_by", "respelled", "respelled_as_containment"]

_TOKEN = re.compile(
    r"""(?P<string>"[^"]*"|'[^']*')
      | (?P<number>-?\s*(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))
      | (?P<attribute>@\s*(?P<named>[^\s/\[\]=!<>@"'()*]+))
      | (?P<text>text\s*\(\s*\))
      | (?P<operator>!=|<=|>=|=|<|>)
      | (?P<name>[^\s/\[\]=!<>@"'()*]+)
      | (?P<mark>//|/|\[|\]|\*)
      | (?P<space>\s+)""",
    re.VERBOSE,
)
_XPATH_NUMBER = re.compile(r"[ \t\r\n]*-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[ \t\r\n]*")
_LOOKS_NUMERIC = "[not(translate(., '0123456789.- \t\r\n', '')) and translate(., '.- \t\r\n', '')]"

_TEXT = "text()[string()]"
"""A text node has at least one character [XPath 5.7]; libxml2 makes one of an empty CDATA section."""


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None or found.lastgroup is None:
            raise ValueError(f"text must be an accepted expression, not {text!r}")
        kind = "attribute" if found["attribute"] else found.lastgroup
        yield kind, found["named"] if kind == "attribute" else found[0]
        at = found.end()


def _element(name: str) -> str:
    return "*" if name == "*" else f'*[name()="{name}"]'


def _comparison(subject: str, operator: str, literal: str) -> str:
    """A comparison that means to libxml2 what the Recommendation says."""
    if literal[0] in "\"'":
        if operator in ("=", "!="):
            return f"{subject} {operator} {literal}"
        if not _XPATH_NUMBER.fullmatch(literal[1:-1]):
            return "false()"
        literal = literal[1:-1].strip(" \t\r\n")
    guarded = f"{subject}{_LOOKS_NUMERIC}"
    if operator == "!=":
        return f"({guarded} != {literal} or count({subject}) > count({guarded}))"
    return f"{guarded} {operator} {literal}"


@dataclass
class _Part:
    """A step with its tests, or the final attribute; a test is (subject, attribute name, operator, literal)."""

    axis: str
    name: str
    attribute: bool
    tests: list[tuple[str, str, str, str]]


def _parts(text: str) -> list[_Part]:
    """An accepted expression cut up by its marks alone; inside brackets a bare name can only be ``and``."""
    tokens = [token for token in _tokens(text) if token[0] != "space"]
    parts: list[_Part] = []
    axis, inside, at = "/", False, 0
    while at < len(tokens):
        kind, value = tokens[at]
        at += 1
        if not inside:
            if value in ("/", "//"):
                axis = value
            elif value == "[":
                inside = True
            else:
                parts.append(_Part(axis, value, kind == "attribute", []))
        elif value == "]" and kind == "mark":
            inside = False
        elif kind in ("attribute", "text") or value == ".":
            subject, name = ("@", value) if kind == "attribute" else ("text()" if kind == "text" else ".", "")
            compared = tokens[at][0] == "operator"
            parts[-1].tests.append((subject, name, *((tokens[at][1], tokens[at + 1][1]) if compared else ("", ""))))
            at += 2 * compared
    return parts


def respelled(text: str) -> str:
    """An accepted subscription in the spelling for libxml2; a relative path starts at the document."""
    out = ""
    for part in _parts(text):
        out += f"{part.axis}{'@' if part.attribute else ''}{_element(part.name)}"
        for subject, name, operator, literal in part.tests:
            node = {"@": f"@{_element(name)}", ".": "self::node()", "text()": _TEXT}[subject]
            out += f"[{_comparison(node, operator, literal) if operator else node}]"
    return out


def respelled_as_containment(text: str) -> str:
    """What containment asks of a document [T 5.3.1], as an expression for libxml2: every filter occurs somewhere."""
    terms: list[str] = []
    for part in _parts(text):
        if part.name != "*":
            terms.append(f"(//{_element(part.name)} or //@{_element(part.name)})")
        for subject, name, operator, literal in part.tests:
            if not operator:
                terms.append(f"(//{_element(name)} or //@{_element(name)})")
            elif subject == "@":
                terms.append(f"//*[{_comparison(f'@{_element(name)}', operator, literal)}]")
            else:
                node = "self::node()" if subject == "." else _TEXT
                terms.append(f"//{_element(part.name)}[{_comparison(node, operator, literal)}]")
    return " and ".join(f"boolean({term})" for term in terms) or "true()"


def _root(document: bytes) -> "etree._Element | None":
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, load_dtd=False)
    try:
        root = etree.fromstring(document, parser)
    except etree.XMLSyntaxError:
        return None
    return None if len(parser.error_log.filter_from_errors()) else root


def accepted_by(document: bytes) -> frozenset[str]:
    """The judges that call the document well-formed, namespaces included: of ``libxml2`` and ``expat``."""
    found = {"libxml2"} if _root(document) is not None else set()
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(document, True)
        found.add("expat")
    except expat.ExpatError:
        pass
    return frozenset(found)


class Judge:
    """Accepted subscriptions, compiled once; says which of them libxml2 finds in a document."""

    def __init__(self, subscriptions: Iterable[tuple[int, str, Semantics]]) -> None:
        spell = {Semantics.EXACT: respelled, Semantics.CONTAINMENT: respelled_as_containment}
        self._compiled = {sid: etree.XPath(spell[semantics](text)) for sid, text, semantics in subscriptions}

    def matches(self, document: bytes) -> list[int] | None:
        """The matching SIDs in rising order; None when libxml2 does not accept the document."""
        root = _root(document)
        if root is None:
            return None
        tree = root.getroottree()
        return sorted(sid for sid, compiled in self._compiled.items() if compiled(tree))
