"""Two independent judges of well-formedness, expat and libxml2, and the one table of where they depart from the accepted language."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from xml.parsers import expat

from lxml import etree

from hdl.contract import Code, Verdict, WordType
from sim.golden.xml import Event, Parsed, parse

__all__ = ["DEPARTURES", "Departure", "difference", "expat_accepts", "expat_tokens", "libxml2_accepts", "libxml2_tokens", "tokens"]

Token = tuple[WordType, bytes]


def expat_accepts(data: bytes) -> bool:
    """Expat's verdict, namespaces included, on UTF-8."""
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return False
    return True


def _libxml2_root(data: bytes) -> "etree._Element | None":
    """The root element, or None when libxml2 finds an error; lxml alone would forget a namespace error when a warning follows."""
    parser = etree.XMLParser(encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=True, load_dtd=False, strip_cdata=True)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError:
        return None
    return None if len(parser.error_log.filter_from_errors()) else root


def libxml2_accepts(data: bytes) -> bool:
    """libxml2's verdict, namespaces included, on UTF-8."""
    return _libxml2_root(data) is not None


JUDGES: dict[str, Callable[[bytes], bool]] = {"expat": expat_accepts, "libxml2": libxml2_accepts}


@dataclass(frozen=True)
class Departure:
    """A place where a judge and the accepted language part, with the section of the Recommendation that the judges or we leave.

    Either ``codes`` name the golden codes that we answer where a judge may well accept, or ``rewrite`` takes the place out of a
    document: the departure explains a difference when the judge and we both accept the rewritten document. ``witness`` shows the
    departure to every judge named.
    """

    name: str
    section: str
    judges: tuple[str, ...]
    witness: bytes
    codes: frozenset[Code] = frozenset()
    rewrite: Callable[[bytes], bytes] | None = None


_BOM = b"\xef\xbb\xbf"
_DOCTYPE = re.compile(
    rb"""<!DOCTYPE\s (?: [^"'<>\[\]]++ | "[^"]*+" | '[^']*+' )*+
         (?: \[ (?: <!--.*?--> | <\?.*?\?> | "[^"]*+" | '[^']*+' | [^\]"'] )*+ \] \s*+ )?+ >""",
    re.DOTALL | re.VERBOSE,
)
_NAMESPACE = re.compile(rb"""(xmlns:?([^\s=]*)\s*=\s*)("[^"<]*"|'[^'<]*')""")
_ZEROS = re.compile(rb"&#(x?)0+(?=[0-9A-Fa-f])")
_VERSION = re.compile(rb"""(<\?xml\s+version\s*=\s*)("[^"<]*"|'[^'<]*')""")


def _plain_names(data: bytes) -> bytes:
    """Every character that the fifth edition allows in names replaced by one of its kind that the fourth allows, and its number."""
    text = data.removeprefix(_BOM).decode(errors="surrogateescape")
    text = re.sub("[\xb7\u0300-\u036f\u203f-\u2040]", lambda match: f"\xb7{ord(match[0])}", text)
    start = "[\xc0-\xd6\xd8-\xf6\xf8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    start += "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff]"
    text = re.sub(start, lambda match: f"\xe9{ord(match[0])}", text)
    return (_BOM if data.startswith(_BOM) else b"") + text.encode(errors="surrogateescape")


def _distinct_namespaces(data: bytes) -> bytes:
    """Every non-empty namespace name replaced by a plain one made from the prefix that it is bound to."""
    return _NAMESPACE.sub(lambda match: match[1] + (b"'urn:%s'" % match[2].hex().encode() if len(match[3]) > 2 else match[3]), data)


BOTH = ("expat", "libxml2")

DEPARTURES = (
    Departure(
        "entities that the document type may declare are unsupported, and judges may know or skip them",
        "XML 4.1",
        BOTH,
        b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>",
        codes=frozenset({Code.ENTITY}),
    ),
    Departure(
        "an encoding other than UTF-8 and US-ASCII is unsupported; the judges are told to read UTF-8",
        "XML 4.3.3",
        BOTH,
        b"<?xml version='1.0' encoding='latin1'?><a/>",
        codes=frozenset({Code.ENCODING}),
    ),
    Departure(
        "UTF-16 is unsupported; expat reads it when it has no byte order mark, whatever it is told",
        "XML F",
        ("expat",),
        b"<\0a\0/\0>\0",
        codes=frozenset({Code.UTF16}),
    ),
    Departure(
        "a document may be over a limit of ours",
        "XML 1.1 (limits are the processor's own)",
        BOTH,
        b"<a" + b"a" * 64 + b"/>",
        codes=frozenset(code for code in Code if code.verdict is Verdict.OVER_LIMIT),
    ),
    Departure(
        "the inside of a document type declaration is scanned over, not checked",
        "XML 2.8",
        BOTH,
        b"<!DOCTYPE a [<!ELEMENT>]><a/>",
        rewrite=lambda data: _DOCTYPE.sub(b"", data),
    ),
    Departure(
        "names follow the fifth edition; expat keeps to the fourth",
        "XML 2.3 (fourth edition, appendix B)",
        ("expat",),
        "<\U00010000/>".encode(),
        rewrite=_plain_names,
    ),
    Departure(
        "a version number must be '1.' and digits; the judges take others",
        "XML 2.8 [26]",
        BOTH,
        b"<?xml version='1.'?><a/>",
        rewrite=lambda data: _VERSION.sub(rb"\g<1>'1.0'", data, count=1),
    ),
    Departure(
        "references have any number of digits; libxml2 refuses a letter as the eleventh hexadecimal digit, as the twenty-second, and so on",
        "XML 4.1 [66]",
        ("libxml2",),
        b"<a>&#x0000000000a;</a>",
        rewrite=lambda data: _ZEROS.sub(rb"&#\1", data),
    ),
    Departure(
        "what the prefix xml and the reserved namespace names are bound to is not checked",
        "Namespaces 3",
        BOTH,
        b"<a xmlns:xml='u'/>",
        rewrite=lambda data: re.sub(
            rb"http://www.w3.org/(XML/1998/namespace|2000/xmlns/)", b"urn:x", data.replace(b"xmlns:xml=", b"xmlns:xm1=")
        ),
    ),
    Departure(
        "namespace names are any strings; libxml2 wants them to be URI references",
        "Namespaces 2.2",
        ("libxml2",),
        b"<a xmlns:p='%'/>",
        rewrite=_distinct_namespaces,
    ),
    Departure(
        "attributes must differ as written, not as expanded names",
        "Namespaces 6.3",
        BOTH,
        b"<a xmlns:p='u' xmlns:q='u' p:a='' q:a=''/>",
        rewrite=_distinct_namespaces,
    ),
)


def difference(judge: str, data: bytes, parsed: Parsed, departures: Iterable[Departure] = DEPARTURES) -> str | None:
    """What a judge says otherwise than we do about a document and no departure explains; None when there is nothing.

    Departures that rewrite add up, because an injured document may show several.
    """
    accepts = JUDGES[judge]
    verdict = accepts(data)
    if verdict == parsed.well_formed:
        return None
    departures = [departure for departure in departures if judge in departure.judges]
    codes = frozenset().union(*(departure.codes for departure in departures))
    if parsed.code in codes:
        return None
    rewritten = data
    for departure in departures:
        if departure.rewrite is not None:
            rewritten = departure.rewrite(rewritten)
            again = parse(rewritten)
            if rewritten != data and (again.code in codes or (again.well_formed and accepts(rewritten))):
                return None
    return f"{judge} {'accepts' if verdict else 'rejects'} what we call {parsed.code.name} at {parsed.offset}: {data!r}"


def tokens(events: Iterable[Event]) -> list[Token]:
    """Our events as the judges can tell them: without places in the source."""
    return [(event.type, event.value) for event in events]


def expat_tokens(data: bytes) -> list[Token]:
    """The document as expat reports it: QNames as written, attributes in order, text split by comments and processing instructions.

    Attributes that only the document type gives a value are left out, because we act on none of its declarations [XML 3.3.2].
    """
    found: list[Token] = []
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
    parser.specified_attributes = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = text.append
    parser.CommentHandler = flush
    parser.ProcessingInstructionHandler = flush
    parser.Parse(data, True)
    return found


def libxml2_tokens(data: bytes) -> list[tuple[WordType, bytes] | tuple[WordType, dict[str, str]]]:
    """The document as libxml2 reports it: elements by QName, each with its attributes by expanded name, and text."""
    found: list[tuple[WordType, bytes] | tuple[WordType, dict[str, str]]] = []

    def add_text(text: str | None) -> None:
        if text:
            found.append((WordType.TEXT, text.encode()))

    def walk(node: "etree._Element") -> None:
        if isinstance(node.tag, str):
            local = etree.QName(node).localname
            found.append((WordType.ELEMENT, (f"{node.prefix}:{local}" if node.prefix else local).encode()))
            found.append((WordType.ATTRIBUTE, dict(node.attrib)))
            add_text(node.text)
            for child in node:
                walk(child)
                add_text(child.tail)
            found.append((WordType.END, b""))

    root = _libxml2_root(data)
    assert root is not None
    walk(root)
    return found
