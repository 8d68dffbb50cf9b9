"""Events, words and tree of small documents, worked by hand."""

from hdl.contract import WordType
from sim.golden.tree import Document, Element, Text
from sim.golden.words import Word, words
from sim.golden.xml import Event, parse

ELEMENT, ATTRIBUTE, VALUE, TEXT, END = WordType


def test_events_carry_values_and_places() -> None:
    data = b"<?xml version='1.0'?>\n<a  b = 'x&lt;\ty' >one<b/>&#x32;<![CDATA[<]]></a >"
    assert parse(data).events == (
        Event(ELEMENT, b"a", 22, 24),
        Event(ATTRIBUTE, b"b", 26, 27),
        Event(VALUE, b"x< y", 31, 38),
        Event(TEXT, b"one", 41, 44),
        Event(ELEMENT, b"b", 44, 46),
        Event(END, b"", 44, 48),
        Event(TEXT, b"2<", 48, 67),
        Event(END, b"", 67, 72),
    )


def test_tree_with_raw_ranges() -> None:
    data = b"<!-- x --><a xmlns:p='u'> t<p:b c=''>]]&gt;</p:b><?q?>&#9;<!----><![CDATA[]]></a>\n"
    inner = Element(b"p:b", [(b"c", b"")], [Text(b"]]>", 37, 43)], 27, 49)
    root = Element(b"a", [(b"xmlns:p", b"u")], [Text(b" t", 25, 27), inner, Text(b"\t", 54, 58)], 10, 81)
    document = parse(data).document
    assert document == Document(root, data)
    assert document.raw(inner) == b"<p:b c=''>]]&gt;</p:b>"
    assert document.raw(inner.children[0]) == b"]]&gt;"
    assert parse(data, tree=False).document is None
    assert parse(data, tree=False).events == parse(data).events


def texts(content: bytes) -> list[bytes]:
    return [event.value for event in parse(b"<a>" + content + b"</a>").events if event.type is TEXT]


def test_what_splits_text_and_what_does_not() -> None:
    assert texts(b"a<!-- -->b") == [b"a", b"b"]
    assert texts(b"a<?p?>b") == [b"a", b"b"]
    assert texts(b"a<![CDATA[b]]>c") == [b"abc"]
    assert texts(b"a&amp;b&#65;") == [b"a&bA"]
    assert texts(b"<![CDATA[]]>") == []
    assert texts(b"<![CDATA[]]><![CDATA[ ]]>") == [b" "]
    assert texts(b"<![CDATA[]]]]><![CDATA[>]]>") == [b"]]>"]
    assert texts(b"<![CDATA[]]]]]]>") == [b"]]]]"]
    assert texts(b"<![CDATA[a]b]]c]]>") == [b"a]b]]c"]


def test_line_ends_in_text() -> None:
    assert texts(b"a\r\nb\rc\nd\r\r\n\n\re") == [b"a\nb\nc\nd\n\n\n\ne"]
    assert texts(b"\r<![CDATA[\n]]>") == [b"\n\n"]
    assert texts(b"<![CDATA[\r]]>\n") == [b"\n\n"]
    assert texts(b"<![CDATA[a]\r\n]]\r]]>") == [b"a]\n]]\n"]
    assert texts(b"\r&#10;") == [b"\n\n"]
    assert texts(b"&#13;\n&#xD;") == [b"\r\n\r"]
    assert texts(b"\r<!---->\n") == [b"\n", b"\n"]


def value(raw: bytes) -> bytes:
    return parse(b"<a b=" + raw + b"/>").events[2].value


def test_white_space_in_values() -> None:
    assert value(b"'\t\n\r \r\n'") == b"     "
    assert value(b"'\r\r\n\n'") == b"   "
    assert value(b"'&#9;&#10;&#13;&#32;'") == b"\t\n\r "
    assert value(b"'\r&#10;'") == b" \n"
    assert value(b'"&quot;\'&apos;]]>"') == b"\"'']]>"
    assert value(b"'&#xe9;&#x20AC;&#128512;'") == "é€😀".encode()


def test_words_of_four_bytes() -> None:
    assert words(parse(b"<a bcdef=''>12345678</a>")) == [
        Word(ELEMENT, 0, b"a"),
        Word(ATTRIBUTE, 0, b"bcde"),
        Word(ATTRIBUTE, 1, b"f"),
        Word(VALUE, 0, b""),
        Word(TEXT, 0, b"1234"),
        Word(TEXT, 1, b"5678"),
        Word(END, 0, b""),
    ]


def test_location_saturates_at_15() -> None:
    text = bytes(range(0x30, 0x7A)).replace(b"<", b"_")
    found = [word for word in words(parse(b"<a>" + text + b"</a>")) if word.type is TEXT]
    assert [word.index for word in found] == [*range(16), 15, 15, 15]
    assert b"".join(word.data for word in found) == text
    assert found[-1].data == b"xy"
    assert found[-1].padded == b"xy\0\0"


def test_declarations_are_attributes_and_only_a_well_formed_document_has_words() -> None:
    assert [word.type for word in words(parse(b"\n<a xmlns='u'/>\n"))] == [ELEMENT, ATTRIBUTE, ATTRIBUTE, VALUE, END]
    assert words(parse(b"<a>text</b>")) == []
    assert words(parse(b"<a>text</a")) == []
