"""libxml2's word on documents and subscriptions, through lxml, and the one list of where it departs from the accepted language."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from xml.parsers import expat

from lxml import etree

from hdl.config import BrokerConfig
from hdl.contract import Code, Semantics, Verdict, WordType
from spark_vectors.expressions import ReadPath, read

__all__ = ["DEPARTURES", "Departure", "Judge", "Judged", "accepted", "accepted_by", "expat_tokens", "explained", "parse"]

_GUARD = re.compile(rb"xmlns|[0-9.][eE]|\+|&#|<!\[CDATA\[]]>")
"""Where a document has one of these, libxml2 is asked in the guarded spelling."""
_NUMERIC = re.compile(r"[0-9.\-]*")


def parse(data: bytes) -> "etree._Element | None":
    """The root element, or None where libxml2 finds an error, namespaces included."""
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, load_dtd=False, strip_cdata=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None
    return None if len(parser.error_log.filter_from_errors()) else root


def accepted(data: bytes) -> bool:
    """Whether libxml2 calls the document well-formed."""
    return parse(data) is not None


@dataclass(frozen=True)
class Departure:
    """A place where libxml2 and the accepted language part.

    Where we answer one of ``codes``, libxml2 is not asked; or ``rewrite`` takes the place out of a document, and both must agree on what
    is left.
    """

    name: str
    section: str
    codes: frozenset[Code] = frozenset()
    rewrite: Callable[[bytes], bytes] | None = None


_DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s (?: [^"'<>\[\]]++ | "[^"]*+" | '[^']*+' )*+
         (?: \[ (?: <!--.*?--> | <\?.*?\?> | "[^"]*+" | '[^']*+' | [^\]"'] )*+ \] \s*+ )?+ >""",
    re.DOTALL | re.VERBOSE,
)
_DECLARED = re.compile(rb"""(xmlns:?([^\s=]*)\s*=\s*)("[^"<]*"|'[^'<]*')""")
_RESERVED = re.compile(rb"http://www.w3.org/(XML/1998/namespace|2000/xmlns/)")
_VERSION = re.compile(rb"""(<\?xml\s+version\s*=\s*)("[^"<]*"|'[^'<]*')""")


def _plain_uris(data: bytes) -> bytes:
    return _DECLARED.sub(lambda match: match[1] + (b"'urn:%s'" % match[2].hex().encode() if len(match[3]) > 2 else match[3]), data)


DEPARTURES = (
    Departure(
        "limits are ours, and entities, UTF-16 and other encodings are unsupported here",
        "XML 1.1, 4.1, 4.3.3",
        codes=frozenset(code for code in Code if code.verdict in (Verdict.OVER_LIMIT, Verdict.UNSUPPORTED)),
    ),
    Departure("the inside of a DOCTYPE is scanned over, not checked", "XML 2.8", rewrite=lambda data: _DOCTYPE.sub(b"", data)),
    Departure(
        "a version number must be '1.' and digits; libxml2 takes others",
        "XML 2.8",
        rewrite=lambda data: _VERSION.sub(rb"\g<1>'1.0'", data, count=1),
    ),
    Departure(
        "what the prefix xml and the reserved namespace names are bound to is not checked",
        "Namespaces 3",
        rewrite=lambda data: _RESERVED.sub(b"urn:x", data.replace(b"xmlns:xml=", b"xmlns:xm1=")),
    ),
    Departure("namespace names are any strings, and attributes must differ as written", "Namespaces 2.2, 6.3", rewrite=_plain_uris),
)


def explained(data: bytes, code: Code, code_of: Callable[[bytes], Code]) -> bytes | None:
    """The document without the departures that explain why libxml2 and ``code`` disagree on it, None where nothing does.

    Rewrites add up, because an injured document may show several; ``code_of`` judges what is left for us.
    """
    rewritten = data
    for departure in DEPARTURES:
        if code in departure.codes:
            return data
        if departure.rewrite is not None:
            rewritten = departure.rewrite(rewritten)
            if rewritten != data and accepted(rewritten) is (code_of(rewritten) is Code.OK):
                return rewritten
    return None


def accepted_by(data: bytes) -> frozenset[str]:
    """The judges that call the document well-formed, namespaces included: of ``libxml2`` and ``expat``."""
    found = {"libxml2"} if accepted(data) else set()
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(data, True)
        found.add("expat")
    except expat.ExpatError:
        pass
    return frozenset(found)


def expat_tokens(data: bytes) -> list[tuple[WordType, bytes]] | None:
    """The document's tokens as expat reports them, None where expat, which keeps to the fourth edition's names, does not accept it."""
    found: list[tuple[WordType, bytes]] = []
    text: list[str] = []

    def flush(*_: object) -> None:
        if text:
            found.append((WordType.TEXT, "".join(text).encode()))
            text.clear()

    def start(name: str, attributes: list[str]) -> None:
        flush()
        found.append((WordType.ELEMENT, name.encode()))
        for at in range(0, len(attributes), 2):
            found.append((WordType.ATTRIBUTE, attributes[at].encode()))
            found.append((WordType.VALUE, attributes[at + 1].encode()))

    def end(_name: str) -> None:
        flush()
        found.append((WordType.END, b""))

    parser = expat.ParserCreate("utf-8")
    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.CommentHandler = flush
    parser.ProcessingInstructionHandler = flush
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return None
    return found


@dataclass(frozen=True)
class Judged:
    """What libxml2 says of a well-formed document: the SIDs that match, the nodes each selects, or that a number is too long."""

    matches: tuple[int, ...]
    selected: tuple[int, ...]
    over_limit: bool = False


class _Compiled:
    def __init__(self, sid: int, text: str, semantics: Semantics) -> None:
        self.sid = sid
        self.path: ReadPath = read(text)
        self.needles = tuple(name.encode() for name in self.path.names)
        self.guarded = etree.XPath(f"count({self.path.guarded()})")
        self.plain = self.guarded if any(":" in name for name in self.path.names) else etree.XPath(f"count({self.path.plain()})")
        self.contained = None if semantics is Semantics.EXACT else etree.XPath(f"boolean({self.path.contained()})")
        self.numbers = tuple(self._numbers())

    def _numbers(self) -> Iterator[tuple[bytes, str]]:
        """The queries for all values that the path compares as numbers, each with a name that must occur."""
        for step in self.path.steps:
            owner = "//*" if step.name is None else f"//*[name()='{step.name}']"
            for test in step.tests:
                if not test.compares_numbers:
                    continue
                if test.subject == "@":
                    yield test.name.encode(), f"//@*[name()='{test.name}']"
                else:
                    yield (step.name or "").encode(), owner if test.subject == "." else f"{owner}/text()"


class Judge:
    """A set of accepted subscriptions compiled for libxml2, once, for any number of documents."""

    def __init__(self, subscriptions: Sequence[tuple[int, str, Semantics]], config: BrokerConfig) -> None:
        self._config = config
        self._compiled = [_Compiled(sid, text, semantics) for sid, text, semantics in subscriptions]
        self._needles = frozenset(needle for entry in self._compiled for needle in entry.needles)
        self._numbers = {query: etree.XPath(query) for entry in self._compiled for _, query in entry.numbers}
        self._compared = tuple(dict.fromkeys(pair for entry in self._compiled for pair in entry.numbers))

    def _too_long(self, value: str) -> bool:
        trimmed = value.strip(" \t\r\n")
        if not _NUMERIC.fullmatch(trimmed):
            return False
        if len(trimmed) > self._config.value_bytes:
            return True
        digits = trimmed.replace("-", "", 1).replace(".", "", 1)
        return digits.isdigit() and trimmed.find("-", 1) < 0 and len(digits.strip("0")) > self._config.digits

    def _over_limit(self, data: bytes, root: "etree._Element", compared: Iterable[tuple[bytes, str]]) -> bool:
        for needle, query in compared:
            if needle not in data:
                continue
            for node in self._numbers[query](root):
                value = str(node) if isinstance(node, str) else "".join(node.itertext(tag=etree.Element))
                if len(value) > self._config.digits and self._too_long(value):
                    return True
        return False

    def judge(self, data: bytes, root: "etree._Element", *, sids: Collection[int] | None = None) -> Judged:
        """What the subscriptions, or those with the given SIDs, find in a well-formed document.

        A path whose names do not even occur among the document's bytes is not evaluated: names are never spelled by references.
        """
        tree = root.getroottree()
        active = self._compiled if sids is None else [entry for entry in self._compiled if entry.sid in sids]
        compared = self._compared if sids is None else dict.fromkeys(pair for entry in active for pair in entry.numbers)
        if self._over_limit(data, root, compared):
            return Judged((), (), True)
        present = {needle for needle in self._needles if needle in data}
        plain = _GUARD.search(data) is None
        matches, selected = [], []
        for entry in active:
            if not present.issuperset(entry.needles):
                continue
            if entry.contained is not None and not entry.contained(tree):
                continue
            count = int((entry.plain if plain else entry.guarded)(tree))
            if count or entry.contained is not None:
                matches.append(entry.sid)
                selected.append(count)
        return Judged(tuple(matches), tuple(selected))
