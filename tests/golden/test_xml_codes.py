"""Verdict, code and deciding byte, pinned by hand-split documents: the second part starts with the byte that decides."""

from types import SimpleNamespace

import pytest

from hdl.config import BrokerConfig
from hdl.contract import Code, Verdict
from sim.golden.machine import Machine
from sim.golden.xml import Parsed, Parser, parse

BOM = b"\xef\xbb\xbf"
DECL = b"<?xml version='1.0'"

# (code, the bytes before the deciding one, the deciding byte and what follows)
DECIDED = [
    (Code.UTF16, b"", b"\x00<\x00a"),
    (Code.UTF16, b"", b"\xfe\xff\x00<"),
    (Code.UTF16, b"", b"\xff\xfe<\x00"),
    (Code.UTF16, b"<", b"\x00a\x00"),
    (Code.BAD_CHAR, b" ", b"\x00<a/>"),
    (Code.BAD_CHAR, BOM + b"<", b"\x00a/>"),
    (Code.BAD_UTF8, b"", b"\x80<a/>"),
    (Code.BAD_UTF8, b"", b"\xc0\x80"),
    (Code.BAD_UTF8, b"<a>", b"\xc1\xbf</a>"),
    (Code.BAD_UTF8, b"<a>\xe0", b"\x9f\xbf</a>"),
    (Code.BAD_UTF8, b"<a>\xed", b"\xa0\x80</a>"),
    (Code.BAD_UTF8, b"<a>\xf0", b"\x8f\xbf\xbf</a>"),
    (Code.BAD_UTF8, b"<a>\xf4", b"\x90\x80\x80</a>"),
    (Code.BAD_UTF8, b"<a>", b"\xf5\x80\x80\x80</a>"),
    (Code.BAD_UTF8, b"<a>\xe2\x82", b"</a>"),
    (Code.BAD_UTF8, b"<a>\xc3", b"\xc3\xa9</a>"),
    (Code.BAD_UTF8, b"<a b='\xf0\x9f\x98", b"'/>"),
    (Code.BAD_UTF8, b"<a/><!--\xc3", b"-->"),
    (Code.BAD_UTF8, b"<a/>", b"\xff"),
    (Code.BAD_UTF8, b"<!DOCTYPE a [\xe2", b"]><a/>"),
    (Code.BAD_UTF8, b"\xef\xbb", b"<a/>"),
    (Code.BAD_CHAR, b"<a>", b"\x0b</a>"),
    (Code.BAD_CHAR, b"<a>", b"\x1f</a>"),
    (Code.BAD_CHAR, b"<a>\xef\xbf", b"\xbe</a>"),
    (Code.BAD_CHAR, b"<a>\xef\xbf", b"\xbf</a>"),
    (Code.BAD_CHAR, b"<a b='", b"\x01'/>"),
    (Code.BAD_CHAR, b"<a><![CDATA[", b"\x08]]></a>"),
    (Code.BAD_CHAR, b"<a><?p ", b"\x0c?></a>"),
    (Code.BAD_CHAR, b"<!DOCTYPE a '", b"\x02'><a/>"),
    (Code.BAD_CHAR, b"<", b"\x01a/>"),
    (Code.NAME_LENGTH, b"<" + b"a" * 64, b"a/>"),
    (Code.NAME_LENGTH, b"<a " + b"b" * 64, b"b=''/>"),
    (Code.NAME_LENGTH, b"<a></" + b"a" * 64, b"a>"),
    (Code.NAME_LENGTH, b"<" + b"a" * 63 + b"\xc3", b"\xa9/>"),
    (Code.NAME_LENGTH, b"<" + b"a" * 64, b"\xc3\x97/>"),
    (Code.NAME_LENGTH, b"<" + b"a" * 63 + b"\xc3", b"\x97/>"),
    (Code.BAD_UTF8, b"<" + b"a" * 64, b"\xff/>"),
    (Code.BAD_NAME, b"<", b"1/>"),
    (Code.BAD_NAME, b"<", b" a/>"),
    (Code.BAD_NAME, b"<", b">"),
    (Code.BAD_NAME, b"<", b"<a/>"),
    (Code.BAD_NAME, b"<a></", b" a>"),
    (Code.BAD_NAME, b"<a></", b"-a>"),
    (Code.BAD_NAME, b"<a></", b">"),
    (Code.BAD_NAME, b"<\xc3", b"\x97/>"),
    (Code.BAD_NAME, b"<\xc2", b"\xb7/>"),
    (Code.BAD_NAME, b"<a></\xe2\x80", b"\xbf>"),
    (Code.BAD_TAG, b"<a", b"<b/>"),
    (Code.BAD_TAG, b"<a", b"=''/>"),
    (Code.BAD_TAG, b"<a\xc3", b"\x97/>"),
    (Code.BAD_TAG, b"<a ", b"1=''/>"),
    (Code.BAD_TAG, b"<a ", b"='1'/>"),
    (Code.BAD_TAG, b"<a ", b"-b='1'/>"),
    (Code.BAD_TAG, b"<a \xc2", b"\xb7='1'/>"),
    (Code.BAD_TAG, b"<a /", b" >"),
    (Code.BAD_TAG, b"<a /\xc3", b"\xa9>"),
    (Code.BAD_TAG, b"<a b", b"/>"),
    (Code.BAD_TAG, b"<a b", b">"),
    (Code.BAD_TAG, b"<a b ", b"c=''/>"),
    (Code.BAD_TAG, b"<a b \xc3", b"\xa9=''/>"),
    (Code.BAD_TAG, b"<a b=", b"c/>"),
    (Code.BAD_TAG, b"<a b=\xe2\x82", b"\xac/>"),
    (Code.BAD_TAG, b"<a b=''", b"c=''/>"),
    (Code.BAD_TAG, b"<a b=''\xc3", b"\xa9=''/>"),
    (Code.BAD_TAG, b"<a b=''", b"'/>"),
    (Code.BAD_TAG, b"<a b='' b", b">"),
    (Code.BAD_TAG, b"<a></a", b"/>"),
    (Code.BAD_TAG, b"<a></a ", b"b>"),
    (Code.BAD_TAG, b"<a></b", b"/>"),
    (Code.BAD_TAG, b"<a></a\xc3", b"\x97>"),
    (Code.BAD_TAG, b"<a:", b"<"),
    (Code.LT_IN_VALUE, b"<a b='", b"<'/>"),
    (Code.LT_IN_VALUE, b'<a b="&lt;', b'<"/>'),
    (Code.BAD_REFERENCE, b"<a>&", b" </a>"),
    (Code.BAD_REFERENCE, b"<a>&", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&", b"1;</a>"),
    (Code.BAD_REFERENCE, b"<a>&lt", b" ;</a>"),
    (Code.BAD_REFERENCE, b"<a>&lt", b"</a>"),
    (Code.BAD_REFERENCE, b"<a>&l\xc3", b"\x97;</a>"),
    (Code.BAD_REFERENCE, b"<a>&\xc2", b"\xb7;</a>"),
    (Code.BAD_REFERENCE, b"<a>&#", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#", b"X41;</a>"),
    (Code.BAD_REFERENCE, b"<a>&#", b"a;</a>"),
    (Code.BAD_REFERENCE, b"<a>&#x", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#x4", b"g;</a>"),
    (Code.BAD_REFERENCE, b"<a>&#4", b"A;</a>"),
    (Code.BAD_REFERENCE, b"<a>&#0", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#x1F", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#xD800", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#xdfff", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#xFFFE", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#x110000", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#4294967361", b";</a>"),
    (Code.BAD_REFERENCE, b"<a>&#x100000041", b";</a>"),
    (Code.BAD_REFERENCE, b"<a b='&lt", b"<'/>"),
    (Code.BAD_REFERENCE, b"<a b='&lt", b"'/>"),
    (Code.BAD_REFERENCE, b"<a b='&#1", b";'/>"),
    (Code.ENTITY, b"<a>&nbsp", b";</a>"),
    (Code.ENTITY, b"<a>&LT", b";</a>"),
    (Code.ENTITY, b"<a>&lt:x", b";</a>"),
    (Code.ENTITY, b"<a b='&\xc3\xa9", b";'/>"),
    (Code.ENTITY, b"<a>&" + b"e" * 1000, b";</a>"),
    (Code.ENTITY, b"<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e", b";</a>"),
    (Code.CDATA_END, b"<a>]]", b"></a>"),
    (Code.CDATA_END, b"<a>]]]", b"></a>"),
    (Code.CDATA_END, b"<a><![CDATA[]]>]]", b"></a>"),
    (Code.BAD_MARKUP, b"<!", b">"),
    (Code.BAD_MARKUP, b"<!", b"ELEMENT a ANY>"),
    (Code.BAD_MARKUP, b"<!-", b" --><a/>"),
    (Code.BAD_MARKUP, b"<!D", b"octype a>"),
    (Code.BAD_MARKUP, b"<!DOCTYP", b" a>"),
    (Code.BAD_MARKUP, b"<a><![", b"cdata[]]></a>"),
    (Code.BAD_MARKUP, b"<a><![CDATA", b" []]></a>"),
    (Code.BAD_MARKUP, b"<a><!\xc3", b"\xa9></a>"),
    (Code.BAD_COMMENT, b"<!-- --", b" --><a/>"),
    (Code.BAD_COMMENT, b"<a><!----", b"-></a>"),
    (Code.BAD_COMMENT, b"<a/><!-- a--", b"b-->"),
    (Code.BAD_COMMENT, b"<a/><!-- a--\xc3", b"\xa9-->"),
    (Code.BAD_COMMENT, b"<!DOCTYPE a [<!-- --", b"-]><a/>"),
    (Code.BAD_PI, b"<?", b"?>"),
    (Code.BAD_PI, b"<?", b" p?>"),
    (Code.BAD_PI, b"<?", b"1?>"),
    (Code.BAD_PI, b"<?", b":p?>"),
    (Code.BAD_PI, b"<?p", b":q?>"),
    (Code.BAD_PI, b"<?p", b">"),
    (Code.BAD_PI, b"<?p\xc3", b"\x97?>"),
    (Code.BAD_PI, b"<?\xc2", b"\xb7?>"),
    (Code.BAD_PI, b"<?p?", b" ?>"),
    (Code.BAD_PI, b"<?p?", b"?>"),
    (Code.BAD_PI, b"<?xml", b"?><a/>"),
    (Code.BAD_PI, b"<?XML", b" version='1.0'?><a/>"),
    (Code.BAD_PI, b" <?xml", b" version='1.0'?><a/>"),
    (Code.BAD_PI, b"<a><?xMl", b" ?></a>"),
    (Code.BAD_PI, b"<a/><?xml", b"?>"),
    (Code.BAD_PI, DECL + b"?><?xml", b" version='1.0'?><a/>"),
    (Code.BAD_DECL, b"<?xml ", b"?><a/>"),
    (Code.BAD_DECL, b"<?xml ", b"encoding='utf-8'?>"),
    (Code.BAD_DECL, b"<?xml vers", b"on='1.0'?>"),
    (Code.BAD_DECL, b"<?xml version", b"'1.0'?>"),
    (Code.BAD_DECL, b"<?xml version=", b"1.0?>"),
    (Code.BAD_DECL, b"<?xml version='", b"2.0'?>"),
    (Code.BAD_DECL, b"<?xml version='1.", b"'?>"),
    (Code.BAD_DECL, b"<?xml version='1.0", b'"?>'),
    (Code.BAD_DECL, b"<?xml version='1.0", b"a'?>"),
    (Code.BAD_DECL, DECL, b"encoding='utf-8'?>"),
    (Code.BAD_DECL, DECL + b" ", b"version='1.0'?>"),
    (Code.BAD_DECL, DECL + b" encoding='", b"'?>"),
    (Code.BAD_DECL, DECL + b" encoding='", b"8'?>"),
    (Code.BAD_DECL, DECL + b" encoding='utf-8", b'"?>'),
    (Code.BAD_DECL, DECL + b" encoding='utf-8'", b"standalone='no'?>"),
    (Code.BAD_DECL, DECL + b" standalone='no' ", b"encoding='utf-8'?>"),
    (Code.BAD_DECL, DECL + b" standalone='", b"maybe'?>"),
    (Code.BAD_DECL, DECL + b" standalone='ye", b"'?>"),
    (Code.BAD_DECL, DECL + b" standalone='yes", b"s'?>"),
    (Code.BAD_DECL, DECL, b">"),
    (Code.BAD_DECL, DECL + b"?", b"?>"),
    (Code.BAD_DECL, DECL + b" \xc3", b"\xa9?>"),
    (Code.BAD_DECL, BOM + b"<?xml ", b"?><a/>"),
    (Code.ENCODING, DECL + b" encoding='ISO-8859-1", b"'?><a/>"),
    (Code.ENCODING, DECL + b' encoding="UTF-16', b'"?><a/>'),
    (Code.ENCODING, DECL + b' encoding="utf-8.', b'"?><a/>'),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE", b">"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE", b"a><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE ", b">"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE ", b"1><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE \xc3", b"\x97><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE a", b"<a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE a ", b"]><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE a []", b"[]><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE a [] ", b"b><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE a []\xc3", b"\xa9><a/>"),
    (Code.BAD_DOCTYPE, b"<!DOCTYPE a><!DOCTYP", b"E a><a/>"),
    (Code.BAD_DOCTYPE, b"<a><!DOCTYP", b"E a></a>"),
    (Code.BAD_DOCTYPE, b"<a/><!DOCTYP", b"E a>"),
    (Code.TEXT_OUTSIDE, b"", b"a"),
    (Code.TEXT_OUTSIDE, b" \t\r\n", b"]]><a/>"),
    (Code.TEXT_OUTSIDE, b"<a/>", b"&lt;"),
    (Code.TEXT_OUTSIDE, b"<a/>", b"></a>"),
    (Code.TEXT_OUTSIDE, b"\xc3", b"\xa9<a/>"),
    (Code.TEXT_OUTSIDE, b"<a/>\xc2", b"\xa0"),
    (Code.TEXT_OUTSIDE, BOM + BOM[:2], BOM[2:] + b"<a/>"),
    (Code.TEXT_OUTSIDE, b"<![CDATA", b"[]]><a/>"),
    (Code.TEXT_OUTSIDE, b"<a/><![CDATA", b"[ ]]>"),
    (Code.EXTRA_ROOT, b"<a/><", b"a/>"),
    (Code.EXTRA_ROOT, b"<a></a>\n<!-- --><", b":b/>"),
    (Code.EXTRA_ROOT, b"<a/><", b"\xc3\x97/>"),
    (Code.BAD_NAME, b"<a/><", b"1/>"),
    (Code.BAD_UTF8, b"<a/><", b"\xc0\x97/>"),
    (Code.UNEXPECTED_END, b"<", b"/a>"),
    (Code.UNEXPECTED_END, b"<a/><", b"/a>"),
    (Code.UNEXPECTED_END, b"<a></a><", b"/ >"),
    (Code.DEPTH, b"<a>" * 32 + b"<", b"a/>"),
    (Code.DEPTH, b"<a>" * 32 + b"<", b"\xc3\x97/>"),
    (Code.BAD_NAME, b"<a>" * 32 + b"<", b"1/>"),
    (Code.BAD_QNAME, b"<:a", b"/>"),
    (Code.BAD_QNAME, b"<:", b">"),
    (Code.BAD_QNAME, b"<a:", b" />"),
    (Code.BAD_QNAME, b"<a:b:c", b">"),
    (Code.BAD_QNAME, b"<a::b", b">"),
    (Code.BAD_QNAME, b"<a:1", b">"),
    (Code.BAD_QNAME, b"<a:-b", b">"),
    (Code.BAD_QNAME, b"<a:\xc2\xb7", b">"),
    (Code.BAD_QNAME, b"<a :b", b"=''/>"),
    (Code.BAD_QNAME, b"<a xmlns:", b"=''/>"),
    (Code.BAD_QNAME, b"<a xmlns:1", b" =''/>"),
    (Code.MISMATCHED_END, b"<a></b", b">"),
    (Code.MISMATCHED_END, b"<a></A", b">"),
    (Code.MISMATCHED_END, b"<a></aa", b" >"),
    (Code.MISMATCHED_END, b"<aa></a", b">"),
    (Code.MISMATCHED_END, b"<a><b></a", b"></b>"),
    (Code.MISMATCHED_END, b"<a></:", b">"),
    (Code.MISMATCHED_END, b"<a></a:b:c", b"\n>"),
    (Code.ATTRIBUTES, b"<a" + b"".join(b" a%d=''" % n for n in range(32)) + b" b", b"=''/>"),
    (Code.ATTRIBUTES, b"<a" + b"".join(b" a%d=''" % n for n in range(32)) + b" a0", b"=''/>"),
    (Code.ATTRIBUTES, b"<a xmlns='' xmlns:b='u'" + b"".join(b" a%d=''" % n for n in range(30)) + b" b", b" =''/>"),
    (Code.BAD_QNAME, b"<a" + b"".join(b" a%d=''" % n for n in range(32)) + b" b:", b"=''/>"),
    (Code.DUPLICATE_ATTRIBUTE, b"<a b='1' b", b"='2'/>"),
    (Code.DUPLICATE_ATTRIBUTE, b"<a b='1' c='' b", b" ='2'/>"),
    (Code.DUPLICATE_ATTRIBUTE, b"<a p:b='1' p:b", b"='2'/>"),
    (Code.DUPLICATE_ATTRIBUTE, b"<a xmlns='' xmlns", b"=''/>"),
    (Code.DUPLICATE_ATTRIBUTE, b"<a xmlns:p='u' xmlns:p", b"='u'/>"),
    (Code.PREFIXES, b"<a" + b"".join(b" xmlns:p%d='u'" % n for n in range(31)) + b"><b xmlns:p1='v' xmlns:p2", b"='v'/></a>"),
    (Code.PREFIXES, b"<a" + b"".join(b" xmlns:p%d='u'" % n for n in range(32)) + b"><b xmlns:xmlns", b"='v'/></a>"),
    (Code.PREFIXES, b"<a" + b"".join(b" xmlns:p%d='u'" % n for n in range(32)) + b"><b xmlns:xml", b"='v'/></a>"),
    (Code.BAD_NS_DECL, b"<a xmlns:p='", b"'/>"),
    (Code.BAD_NS_DECL, b'<a xmlns:xml="', b'"/>'),
    (Code.BAD_NS_DECL, b"<a xmlns:xmlns", b"='u'/>"),
    (Code.BAD_NS_DECL, b"<a xmlns:xmlns", b" = 'u'/>"),
    (Code.UNBOUND_PREFIX, b"<p:a", b">"),
    (Code.UNBOUND_PREFIX, b"<p:a/", b">"),
    (Code.UNBOUND_PREFIX, b"<a p:b='' ", b">"),
    (Code.UNBOUND_PREFIX, b"<xmlns:a", b">"),
    (Code.UNBOUND_PREFIX, b"<a><b xmlns:p='u'/><p:c", b"></p:c></a>"),
    (Code.UNBOUND_PREFIX, b"<a xmlns:p='u'><P:c/", b"></a>"),
    (Code.UNBOUND_PREFIX, b"<a xmlns:pq='u' p:b=''", b"></a>"),
    (Code.UNCLOSED, b"<", b""),
    (Code.UNCLOSED, b"<a", b""),
    (Code.UNCLOSED, b"<a>", b""),
    (Code.UNCLOSED, b"<a>text", b""),
    (Code.UNCLOSED, b"<a></a", b""),
    (Code.UNCLOSED, b"<a></b", b""),
    (Code.UNCLOSED, b"<p:a", b""),
    (Code.UNCLOSED, b"<a b='", b""),
    (Code.UNCLOSED, b"<a>&lt", b""),
    (Code.UNCLOSED, b"<a/><!--", b""),
    (Code.UNCLOSED, b"<!--->", b""),
    (Code.UNCLOSED, b"<!-->--", b""),
    (Code.UNCLOSED, b"<a><![CDATA[]]</a>", b""),
    (Code.UNCLOSED, b"<a/><?p ?", b""),
    (Code.UNCLOSED, DECL, b""),
    (Code.UNCLOSED, b"<!DOCTYPE a [", b""),
    (Code.UNCLOSED, b"<!DOCTYPE a ']><a/>", b""),
    (Code.UNCLOSED, b"<!DOCTYPE a [<?>]><a/>", b""),
    (Code.UNCLOSED, b"<a/>\xc3", b""),
    (Code.UNCLOSED, b"\xef\xbb", b""),
    (Code.NO_ROOT, b"", b""),
    (Code.NO_ROOT, b" \r\n", b""),
    (Code.NO_ROOT, BOM, b""),
    (Code.NO_ROOT, DECL + b"?><!DOCTYPE a><!-- --><?p?>", b""),
]

WELL_FORMED = [
    b"<a/>",
    BOM + b"<?xml version='1.0' encoding='utf8'?><a/>",
    b"<?xml\tversion = \"1.10\" encoding\n=\r'US-ascii' standalone='no' ?><a/>",
    DECL + b" encoding='ASCII'?><a/>",
    DECL + b" standalone='yes'?>\n<a/>",
    b"<a ></a\r\n>",
    b"<a b = '>\"' c\t=\n\"'\"/>",
    b"<a>]] >]]&gt;]<!-- -->]>]]<![CDATA[>]]>]]&#62;></a>",
    b"<a>&#x00000000000000000041;&#000000000000000000000000000065;&#x10FFFF;&#xFFFD;&#xE000;&#xD7FF;</a>",
    b"<!---->\n<!-- - - -><-->\n<a/><!--a-b-->",
    b"<?xmlx?><?x ml?><?p ???><a/><?XM L?>",
    b"<!DOCTYPE a [<!-- ' ]> - --> <?] ' ??> \"]>'\" ']>' <<!--'--> <!- < > ! ] \n><a/>",
    b"<!DOCTYPE :\xc3\x97 ']>' \"[\"><a/>",
    b"<!DOCTYPE a [<??>]><a/>",
    "<\u00e9:\u00c0\u00b7 xmlns:\u00e9='u' \u00e9:\U00010000=''/>".encode(),
    b"<xml:a xml:b='' xmlns:xml='u'/>",
    b"<a xmlns='' xmlns:p='&#32;' xmlns:q='http://www.w3.org/2000/xmlns/'><p:b xmlns:p='v' q:c=''/></a>",
    b"<a xmlns:p='u' xmlns:q='u' p:b='' q:b=''/>",
    b"<a" + b"a" * 63 + b" b" + b"b" * 63 + b"=''></a" + b"a" * 63 + b">",
    b"<a" + b"a" * 62 + b"/>",
    b"<?" + b"p" * 200 + b"?><a/>",
    b"<a>" * 32 + b"</a>" * 32,
    b"<a>" * 31 + b"<b/>" * 2 + b"</a>" * 31,
    b"<a" + b"".join(b" a%d=''" % n for n in range(32)) + b"/>",
    b"<a" + b"".join(b" a%d=''" % n for n in range(31)) + b"/>",
    b"<a xmlns=''" + b"".join(b" xmlns:p%d='u'" % n for n in range(31)) + b"><b xmlns='' xmlns:q='u'/><b xmlns:r='u'/></a>",
    b"<a" + b"".join(b" xmlns:p%d='u'" % n for n in range(32)) + b"/>",
]


def every_way(data: bytes, config: BrokerConfig | None = None) -> Parsed:
    """The result, which must be the same with and without shortcuts, in one piece and byte by byte, and with tags that are known by now."""
    limits = () if config is None else (config,)
    parsed = parse(data, *limits)
    for _ in range(2):
        assert parse(data, *limits) == parsed
    assert parse(data, *limits, shortcuts=False) == parsed
    for kind in (Machine, Parser):
        parser = kind(*limits)
        for byte in data:
            parser.feed(bytes([byte]))
        assert parser.close() == parsed
    return parsed


@pytest.mark.parametrize(("code", "before", "rest"), DECIDED)
def test_deciding_byte(code: Code, before: bytes, rest: bytes) -> None:
    data = before + rest
    parsed = every_way(data)
    assert (parsed.verdict, parsed.code, parsed.offset, parsed.length) == (code.verdict, code, len(before), len(data))
    assert parsed.events == ()
    assert parsed.document is None


@pytest.mark.parametrize("data", WELL_FORMED)
def test_well_formed(data: bytes) -> None:
    parsed = every_way(data)
    assert (parsed.verdict, parsed.code, parsed.offset, parsed.length) == (Verdict.WELL_FORMED, Code.OK, 0, len(data))
    assert parsed.document is not None


def test_every_code_is_pinned() -> None:
    assert {code for code, _, _ in DECIDED} == set(Code) - {Code.OK, Code.NUMBER_DIGITS, Code.NAME_CLASH}


# (the limit and its code, documents one below and at the limit, one above it split before the deciding byte)
LIMITS = [
    (("name_bytes", 4, Code.NAME_LENGTH), b"<abc/>", b"<abcd/>", b"<abcd", b"e/>"),
    (("name_bytes", 4, Code.NAME_LENGTH), b"<a b23=''/>", b"<a b234=''/>", b"<a b234", b"5=''/>"),
    (("name_bytes", 4, Code.NAME_LENGTH), b"<abc></abc>", b"<abcd></abcd>", b"<abcd></abcd", b"e>"),
    (("name_bytes", 4, Code.NAME_LENGTH), b"<a\xc3\xa9/>", b"<ab\xc3\xa9/>", b"<abc\xc3", b"\xa9/>"),
    (("depth", 3, Code.DEPTH), b"<a><b/></a>", b"<a><b><c/></b><d><e/></d></a>", b"<a><b><c><", b"d/></c></b></a>"),
    (("attributes", 2, Code.ATTRIBUTES), b"<a b=''/>", b"<a b='' c=''/>", b"<a b='' c='' d", b"=''/>"),
    (
        ("prefixes", 2, Code.PREFIXES),
        b"<a xmlns:p='u'/>",
        b"<a xmlns:p='u'><b xmlns:q='u'/><c xmlns:q='u' xmlns=''/></a>",
        b"<a xmlns:p='u'><b xmlns:q='u' xmlns:r",
        b"='u'/></a>",
    ),
]


@pytest.mark.parametrize(("limit", "below", "at", "before", "rest"), LIMITS)
def test_limits_bite_one_above(limit: tuple[str, int, Code], below: bytes, at: bytes, before: bytes, rest: bytes) -> None:
    field, value, code = limit
    config = BrokerConfig.preset("default", **{field: value})
    assert every_way(below, config).code is Code.OK
    assert every_way(at, config).code is Code.OK
    parsed = every_way(before + rest, config)
    assert (parsed.verdict, parsed.code, parsed.offset) == (Verdict.OVER_LIMIT, code, len(before))
    assert every_way(before + rest).code is not code


def test_limits_are_those_of_the_configuration_given() -> None:
    limits = SimpleNamespace(name_bytes=10**6, depth=10**6, attributes=10**6, prefixes=10**6)
    data = b"<" + b"n" * 70000 + b"".join(b" a%d='' xmlns:p%d='u'" % (n, n) for n in range(500)) + b">" + b"<a>" * 3000
    data += b"</a>" * 3000 + b"</" + b"n" * 70000 + b">"
    assert parse(data, limits).code is Code.OK  # type: ignore[arg-type]
    assert parse(data).code is Code.NAME_LENGTH


def test_feed_after_an_error_only_counts() -> None:
    parser = Parser()
    parser.feed(b"<a><b></a>")
    parser.feed(b"\xff\x00<<<")
    assert parser.close() == Parsed(Code.MISMATCHED_END, 9, 15)
