"""Documents that hypothesis writes together with what they mean: the parser must find exactly that, and the judges agree."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from hdl.config import BrokerConfig
from hdl.contract import Code, WordType
from sim.golden.tree import Element, Text
from sim.golden.words import words
from sim.golden.xml import Parser, parse
from tests.golden import generate
from tests.golden.judges import JUDGES, Token, difference, tokens

UNLIMITED = cast(BrokerConfig, SimpleNamespace(name_bytes=10**9, depth=10**9, attributes=10**9, prefixes=10**9))

START = "A-Z a-z _ \xc0-\xd6 \xd8-\xf6 \xf8-\u02ff \u0370-\u037d \u037f-\u1fff \u200c-\u200d \u2070-\u218f \u2c00-\u2fef \u3001-\ud7ff"
START += " \uf900-\ufdcf \ufdf0-\ufffd \U00010000-\U000effff"
MORE = "- . 0-9 · \u0300-\u036f \u203f-\u2040"


def alphabet(ranges: str) -> st.SearchStrategy[str]:
    """Any character of the ranges, each range as likely as the others."""
    bounds = [(part[0], part[-1]) for part in ranges.split(" ")]
    return st.one_of([st.characters(min_codepoint=ord(low), max_codepoint=ord(high)) for low, high in bounds])


CHARS = st.one_of(
    st.characters(min_codepoint=0x20, max_codepoint=0x7E),
    st.sampled_from("\t\n\r]>-?'\"<&"),
    st.characters(min_codepoint=0x7F, max_codepoint=0xD7FF),
    st.characters(min_codepoint=0xE000, max_codepoint=0xFFFD),
    st.characters(min_codepoint=0x10000, max_codepoint=0x10FFFF),
)
PART = st.one_of(
    st.sampled_from(["a", "b", "item"]),
    st.builds(lambda first, rest: first + rest, alphabet(START), st.text(alphabet(START + " " + MORE), max_size=6)),
)
SPACE = st.text(st.sampled_from(" \t\r\n"), max_size=2)
BREAK = st.text(st.sampled_from(" \t\r\n"), min_size=1, max_size=2)


@dataclass
class Piece:
    """Part of a document: its source, and what of it is text or other tokens."""

    source: str
    text: str = ""
    tokens: list[Token] = field(default_factory=list)
    splits: bool = False


def reference(char: str, way: int) -> str:
    named = {"<": "&lt;", ">": "&gt;", "&": "&amp;", "'": "&apos;", '"': "&quot;"}
    return (named.get(char), f"&#{ord(char)};", f"&#x{ord(char):X};", f"&#x000{ord(char):x};")[way] or f"&#0{ord(char)};"


def line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


LITERAL = st.text(CHARS, min_size=1, max_size=8).map(lambda text: text.replace("<", "").replace("&", "").replace("]]>", "]]"))
REFERENCE = st.builds(lambda char, way: Piece(reference(char, way), char), CHARS, st.integers(0, 3))
CDATA = st.text(CHARS, max_size=8).map(lambda text: text.replace("]]>", "")).map(lambda text: Piece(f"<![CDATA[{text}]]>", line_ends(text)))
COMMENT = st.text(CHARS, max_size=8).map(lambda text: text.replace("-", "~")).map(lambda text: Piece(f"<!--{text}-->", splits=True))
TARGET = PART.filter(lambda name: name.lower() != "xml")
INSTRUCTION = st.builds(
    lambda target, space, text: Piece(f"<?{target}{space + text if space else ''}?>", splits=True),
    TARGET,
    SPACE,
    st.text(CHARS, max_size=8).map(lambda text: text.replace("?>", "")),
)
ASIDE = st.one_of(COMMENT, INSTRUCTION)


@st.composite
def attribute_value(draw: st.DrawFn) -> tuple[str, str]:
    """The raw value with its quotes, and the value."""
    quote = draw(st.sampled_from("\"'"))
    raw, value = "", ""
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            literal = draw(LITERAL).replace(quote, "")
            if raw.endswith("\r") and literal.startswith("\n"):
                literal = "." + literal
            raw += literal
            value += literal.replace("\r\n", " ").translate({9: " ", 10: " ", 13: " "})
        else:
            piece = draw(REFERENCE)
            raw += piece.source
            value += piece.text
    return f"{quote}{raw}{quote}", value


@st.composite
def element(draw: st.DrawFn, scope: tuple[str, ...] = (), depth: int = 0) -> Piece:
    declared = draw(st.lists(st.sampled_from(["p", "q", "é"]), unique=True, max_size=2))
    scope = tuple(dict.fromkeys((*scope, *declared)))

    def qname() -> str:
        prefix = draw(st.sampled_from(["", "", "", *(f"{prefix}:" for prefix in scope), "xml:"]))
        return prefix + draw(PART.filter(lambda part: part != "xmlns"))

    name = qname()
    attributes = [(f"xmlns:{prefix}", f"'urn:{ord(prefix)}'", f"urn:{ord(prefix)}") for prefix in declared]
    if draw(st.booleans()):
        attributes.append(("xmlns", "'urn:d'", "urn:d"))
    attributes += [(qname(), *draw(attribute_value())) for _ in range(draw(st.integers(0, 3)))]
    attributes = list({attribute[0]: attribute for attribute in draw(st.permutations(attributes))}.values())
    found: list[Token] = [(WordType.ELEMENT, name.encode())]
    tag = f"<{name}"
    for key, raw, value in attributes:
        tag += f"{draw(BREAK)}{key}{draw(SPACE)}={draw(SPACE)}{raw}"
        found += [(WordType.ATTRIBUTE, key.encode()), (WordType.VALUE, value.encode())]
    tag += draw(SPACE)
    if draw(st.booleans()):
        return Piece(f"{tag}/>", tokens=[*found, (WordType.END, b"")], splits=True)
    source, text = "", ""
    child = element(scope, depth + 1) if depth < 3 else ASIDE
    literal = LITERAL.map(lambda text: Piece(text, line_ends(text)))
    for piece in draw(st.lists(st.one_of(literal, REFERENCE, CDATA, ASIDE, child), max_size=4)):
        if source[-1:] in ("]", "\r") and piece.source[0] in "]>\n":
            continue
        if piece.splits and text:
            found.append((WordType.TEXT, text.encode()))
            text = ""
        source += piece.source
        text += piece.text
        found += piece.tokens
    if text:
        found.append((WordType.TEXT, text.encode()))
    return Piece(f"{tag}>{source}</{name}{draw(SPACE)}>", tokens=[*found, (WordType.END, b"")], splits=True)


@st.composite
def document(draw: st.DrawFn) -> tuple[bytes, list[Token]]:
    """A document and its tokens."""
    root = draw(element())
    prolog = draw(st.sampled_from(["", "", *generate.DECLARATIONS]))
    between = st.lists(st.one_of(ASIDE.map(lambda piece: piece.source), BREAK), max_size=2).map("".join)
    prolog += draw(between) + draw(st.sampled_from(["", "", *generate.DOCTYPES])) + draw(between)
    bom = draw(st.sampled_from([b"", b"", b"\xef\xbb\xbf"]))
    return bom + (prolog + root.source + draw(between)).encode(), root.tokens


def check_ranges(source: bytes, node: Element) -> None:
    """Raw ranges nest, touch what they should and hold what they name."""
    raw = source[node.start : node.end]
    assert raw.startswith(b"<" + node.name)
    assert raw.endswith(b">")
    last = node.start
    for child in node.children:
        assert last < child.start < child.end < node.end
        last = child.end - 1
        if isinstance(child, Text):
            assert source[child.start - 1 : child.start] == b">"
            assert source[child.end : child.end + 1] == b"<"
        else:
            check_ranges(source, child)


@settings(max_examples=400)
@given(document())
def test_a_document_means_what_was_written(case: tuple[bytes, list[Token]]) -> None:
    data, expected = case
    parsed = parse(data, UNLIMITED)
    assert parsed.code is Code.OK
    assert tokens(parsed.events) == expected
    assert parse(data, UNLIMITED, shortcuts=False) == parsed
    assert [parse(data, UNLIMITED) for _ in range(2)] == [parsed] * 2  # from the third time on its tags are known
    assert [difference(judge, data, parsed) for judge in JUDGES] == [None, None]
    assert parsed.document is not None
    check_ranges(data, parsed.document.root)
    assert b"".join(word.data for word in words(parsed)) == b"".join(value for _, value in expected)


@settings(max_examples=300)
@given(document(), st.data())
def test_a_changed_document_has_the_judges_verdict(case: tuple[bytes, list[Token]], data: st.DataObject) -> None:
    source, _ = case
    start = data.draw(st.integers(0, len(source)))
    end = data.draw(st.integers(start, min(len(source), start + 3)))
    changed = source[:start] + data.draw(st.one_of(st.binary(max_size=2), st.sampled_from(generate.PIECES))) + source[end:]
    parsed = parse(changed, UNLIMITED)
    assert parse(changed, UNLIMITED, shortcuts=False) == parsed
    assert [found for judge in JUDGES if (found := difference(judge, changed, parsed))] == []
    if parsed.code is not Code.OK and parsed.offset < len(changed):
        assert parse(changed[: parsed.offset], UNLIMITED).code in (Code.UNCLOSED, Code.NO_ROOT, Code.OK), "the bytes before decide nothing"
        assert parse(changed[: parsed.offset + 1], UNLIMITED).code is parsed.code, "the deciding byte decides alone"


@settings(max_examples=150)
@given(document(), st.data())
def test_pieces_make_no_difference(case: tuple[bytes, list[Token]], data: st.DataObject) -> None:
    source, _ = case
    parser = Parser(UNLIMITED)
    at = 0
    while at < len(source):
        size = data.draw(st.integers(1, 40))
        parser.feed(source[at : at + size])
        at += size
    assert parser.close() == parse(source, UNLIMITED)
