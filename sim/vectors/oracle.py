"""libxml2's word on documents and subscriptions, through lxml, and the one list of where it departs from the accepted language."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from typing import NamedTuple
from xml.parsers import expat

from lxml import etree

from hdl.config import BrokerConfig
from hdl.contract import Code, Semantics, Verdict, WordType
from sim.vectors.expressions import ReadPath, Spelling, read

__all__ = ["DEPARTURES", "Departure", "Judge", "Judged", "accepted", "accepted_by", "expat_tokens", "explained", "parse"]

_DEFAULT = re.compile(rb"xmlns\s*=")
_EXPONENT = re.compile(r"[0-9.][eE]")
_EXPONENT_BYTES = re.compile(rb"[0-9.][eE]")
_ELEMENT, _ATTRIBUTE, _VALUE, _TEXT, _ENDING = WordType.ELEMENT, WordType.ATTRIBUTE, WordType.VALUE, WordType.TEXT, (WordType.END, b"")
_APART = bytes.maketrans(b"<>/=\"'&;", b"        ")
_KNOWN = 16
"""Default namespaces for which expressions are compiled."""
_NUMERIC = re.compile(r"[0-9.\-]*")
_PARSER = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, load_dtd=False, strip_cdata=True)
"""Keeps nothing from one document to the next."""
_STRING = etree.XPath("string(/)", smart_strings=False)
_VALUES = etree.XPath("/descendant::*/@*", smart_strings=False)


def parse(data: bytes) -> "etree._Element | None":
    """The root element, or None where libxml2 finds an error, namespaces included."""
    try:
        root = etree.fromstring(data, _PARSER)
    except etree.XMLSyntaxError:
        return None
    log = _PARSER.error_log
    return None if len(log) and len(log.filter_from_errors()) else root


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
_ZEROS = re.compile(rb"&#(x?)0+(?=[0-9A-Fa-f])")
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
        "references have any number of digits; libxml2 refuses a letter as the eleventh hexadecimal digit",
        "XML 4.1",
        rewrite=lambda data: _ZEROS.sub(rb"&#\1", data),
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
    add = found.append

    def start(name: str, attributes: list[str]) -> None:
        add((_ELEMENT, name.encode()))
        for at in range(0, len(attributes), 2):
            add((_ATTRIBUTE, attributes[at].encode()))
            add((_VALUE, attributes[at + 1].encode()))

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.buffer_size = len(data) + 1
    parser.ordered_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: add(_ENDING)
    parser.CharacterDataHandler = lambda text: add((_TEXT, text.encode()))
    # These end a text.
    parser.CommentHandler = lambda _: None
    parser.ProcessingInstructionHandler = lambda _, __: None
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
    """One text with one semantics, for the SIDs that have it."""

    def __init__(self, text: str, semantics: Semantics) -> None:
        self.sids: list[int] = []
        self.path: ReadPath = read(text)
        self.needles = frozenset(name.encode() for name in self.path.names)
        self.exact = semantics is Semantics.EXACT
        self.numbers = tuple(self._numbers())

    def asking(self, spelling: Spelling) -> "_Asking":
        """The expressions in that spelling."""
        count = etree.XPath(f"count({self.path.spelled(spelling)})", namespaces=spelling.namespaces)
        contained = None if self.exact else etree.XPath(f"boolean({self.path.contained(spelling)})", namespaces=spelling.namespaces)
        return _Asking(self.needles, contained, count, self.sids)

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


class _Asking(NamedTuple):
    """What libxml2 is asked: whether all filters occur, where that is what matters, and how many nodes are selected."""

    needles: frozenset[bytes]
    contained: "etree.XPath | None"
    count: etree.XPath
    sids: list[int]


class Judge:
    """A set of accepted subscriptions compiled for libxml2, once, for any number of documents."""

    def __init__(self, subscriptions: Sequence[tuple[int, str, Semantics]], config: BrokerConfig) -> None:
        self._config = config
        compiled: dict[tuple[str, Semantics], _Compiled] = {}
        for sid, text, semantics in subscriptions:
            compiled.setdefault((text, semantics), _Compiled(text, semantics)).sids.append(sid)
        self._compiled = tuple(compiled.values())
        self._numbers = {query: etree.XPath(query) for entry in self._compiled for _, query in entry.numbers}
        self._compared = tuple(dict.fromkeys(pair for entry in self._compiled for pair in entry.numbers))
        common = Counter(needle for entry in self._compiled for needle in entry.needles)
        self._rarest = [min(entry.needles, key=lambda name: (common[name], name), default=None) for entry in self._compiled]
        self._askings: dict[Spelling, dict[bytes | None, list[_Asking]]] = {}
        self._uris: set[str] = set()
        shortest = min(config.digits, config.value_bytes) + 1
        self._long = re.compile(rf"[0-9.\-]{{{shortest}}}")
        self._long_bytes = re.compile(self._long.pattern.encode())

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

    def _default(self, data: bytes, root: "etree._Element") -> str | None:
        """The one namespace of elements without a prefix, as :class:`Spelling` has it.

        A single declaration, on the root, holds everywhere.
        """
        declared = len(_DEFAULT.findall(data)) if b"xmlns" in data else 0
        if b"<!ATTLIST" in data:
            return None
        if declared == 0:
            return ""
        uri: str | None = root.nsmap.get(None)
        if declared > 1 or uri is None:
            return None
        if uri not in self._uris and len(self._uris) < _KNOWN:
            self._uris.add(uri)
        return uri if uri in self._uris else None

    def _look(self, data: bytes, root: "etree._Element") -> tuple[Spelling, bool]:
        """The spelling that is right for the document, and whether any of its values can be a number too long.

        A string-value is a piece of the text of the whole document, an attribute's value a piece of its bytes unless it has references.
        """
        text: str = _STRING(root)
        values = b"+" in data or b"<![CDATA[]]>" in data or _EXPONENT_BYTES.search(data) or "+" in text or _EXPONENT.search(text)
        long = self._long_bytes.search(data) or self._long.search(text)
        if b"&#" in data and not (values and long):
            spelled = "\n".join(_VALUES(root))
            values = values or "+" in spelled or _EXPONENT.search(spelled)
            long = long or self._long.search(spelled)
        return Spelling(self._default(data, root), bool(values)), bool(long)

    def judge(self, data: bytes, root: "etree._Element", *, sids: Set[int] | None = None) -> Judged:
        """What the subscriptions, or those with the given SIDs, find in a well-formed document.

        A path whose names do not even occur among the document's bytes is not evaluated: names are never spelled by references, and
        what stands on either side of one is never part of a name.
        """
        tree = root.getroottree()
        spelling, long = self._look(data, root)
        if long:
            active = self._compiled if sids is None else [entry for entry in self._compiled if not sids.isdisjoint(entry.sids)]
            compared = self._compared if sids is None else dict.fromkeys(pair for entry in active for pair in entry.numbers)
            if self._over_limit(data, root, compared):
                return Judged((), (), True)
        askings = self._asking(spelling)
        present = set(data.translate(_APART).split())
        found: list[tuple[int, int]] = []
        for needle in (None, *(askings.keys() & present)):
            for needles, contained, count, owners in askings[needle]:
                if not needles <= present or (sids is not None and sids.isdisjoint(owners)):
                    continue
                if contained is not None and not contained(tree):
                    continue
                number = int(count(tree))
                if number or contained is not None:
                    found += [(sid, number) for sid in owners if sids is None or sid in sids]
        found.sort()
        return Judged(tuple([sid for sid, _ in found]), tuple([number for _, number in found]))

    def _asking(self, spelling: Spelling) -> dict[bytes | None, list[_Asking]]:
        """All that libxml2 is asked in a spelling, by one of the names, that of the fewest others; None for paths without any."""
        known = self._askings.get(spelling)
        if known is None:
            known = self._askings[spelling] = {None: []}
            for entry, needle in zip(self._compiled, self._rarest, strict=True):
                known.setdefault(needle, []).append(entry.asking(spelling))
        return known
