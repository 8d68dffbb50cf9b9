"""Documents that end in a chosen verdict: each knows its code and the offset of the deciding byte by the way it was made."""

from collections.abc import Callable

from hdl.config import BrokerConfig
from hdl.contract import Code
from sim.vectors.families.tree import Element, write
from sim.vectors.seeds import Draw

__all__ = ["CODES", "break_tree", "mutate"]

_HERE = "@@here@@"

_INSIDE: dict[Code, tuple[tuple[bytes, int], ...]] = {
    Code.BAD_UTF8: (
        (b"\xff", 0),
        (b"\xc0\xaf", 0),
        (b"\xe2\x82x", 2),
        (b"\xed\xa0\x80", 1),
        (b"\xf4\x90\x80\x80", 1),
        (b"x\x80", 1),
        (b"<x a='\xf8'/>", 6),
        (b"<!--\xfe-->", 4),
    ),
    Code.BAD_CHAR: ((b"\x01", 0), (b"a\x0b", 1), (b"\xef\xbf\xbe", 2), (b"<x a='\x1f'/>", 6), (b"<![CDATA[\x00]]>", 9), (b"<?p \x02?>", 4)),
    Code.BAD_NAME: ((b"<1a>", 1), (b"< a>", 1), (b"<-x/>", 1), (b"<>", 1), (b"<x></ x>", 5), (b"<\xc2\xb7/>", 2)),
    Code.BAD_TAG: (
        (b'<x a="1"b="2"/>', 8),
        (b"<x a=1/>", 5),
        (b"<x a/>", 4),
        (b"<x/ >", 3),
        (b"<x></x y>", 7),
        (b"<x a='1' ='2'/>", 9),
        (b'<x"/>', 2),
        (b"<x <y/>", 3),
    ),
    Code.LT_IN_VALUE: ((b'<x a="1<2"/>', 7), (b"<x a='<'/>", 6)),
    Code.BAD_REFERENCE: (
        (b"a & b", 3),
        (b"&#0;", 3),
        (b"&#xD800;", 7),
        (b"&#;", 2),
        (b"&#xG;", 3),
        (b"&amp ", 4),
        (b"&#12a;", 4),
        (b"<x a='&'/>", 7),
        (b"&#x110000;", 9),
        (b"&;", 1),
    ),
    Code.ENTITY: ((b"&nbsp;", 5), (b"<x a='&chapter-1;'/>", 16), (b"&AMP;", 4)),
    Code.CDATA_END: ((b"]]>", 2), (b"a]]]>", 4)),
    Code.BAD_MARKUP: ((b"<!x>", 2), (b"<!-x", 3), (b"<![CDAT[x]]>", 7), (b"<![cdata[x]]>", 3), (b"<!DOCTYPX", 8), (b"<!>", 2)),
    Code.BAD_COMMENT: ((b"<!-- a--b -->", 8), (b"<!-- --->", 7), (b"<!-----", 6)),
    Code.BAD_PI: ((b"<?1?>", 2), (b'<?xml version="1.0"?>', 5), (b"<?XmL?>", 5), (b"<?a<b?>", 3), (b"<? a?>", 2)),
    Code.BAD_DOCTYPE: ((b"<!DOCTYPE x>", 8),),
    Code.BAD_QNAME: ((b"<a:b:c/>", 6), (b"<:a/>", 3), (b"<a:/>", 3), (b"<x :a='1'/>", 5), (b"<a:1/>", 4), (b"<x a::b=''/>", 7)),
    Code.MISMATCHED_END: ((b"<x></y>", 6), (b"<x></xx>", 7), (b"<xx></x>", 7), (b"<x><y></x></y>", 9), (b"<X></x >", 6)),
    Code.DUPLICATE_ATTRIBUTE: ((b"<x a='1' a='2'/>", 10), (b"<x a='' b='' c='' b =''/>", 19)),
    Code.BAD_NS_DECL: ((b'<x xmlns:p=""/>', 12), (b"<x xmlns:xmlns='u'/>", 14)),
    Code.UNBOUND_PREFIX: ((b"<zz:x/>", 6), (b"<x zz:a='1'/>", 12), (b"<zz:x a='>'>", 11), (b"<x xmlns:yy='u'/><yy:x/>", 23)),
}
"""Snippets that may stand in the content of any element, with the offset of their deciding byte."""

_BEFORE: dict[Code, tuple[tuple[bytes, int], ...]] = {
    Code.BAD_DECL: (
        (b'<?xml version="1.0" standalone="maybe"?>', 32),
        (b"<?xml version='2.0'?>", 15),
        (b'<?xml encoding="UTF-8"?>', 6),
        (b"<?xml version=1.0?>", 14),
        (b'<?xml version="1.0">', 19),
        (b"<?xml version='1.0'encoding='UTF-8'?>", 19),
    ),
    Code.ENCODING: (
        (b'<?xml version="1.0" encoding="ISO-8859-1"?>', 40),
        (b"<?xml version='1.0' encoding='Shift_JIS' ?>", 39),
    ),
    Code.BAD_DOCTYPE: ((b"<!DOCTYPE 1>", 10), (b"<!DOCTYPEx>", 9), (b"<!DOCTYPE x><!DOCTYPE x>", 20)),
    Code.TEXT_OUTSIDE: ((b"text", 0), (b"<!-- c -->x", 10), (b"&amp;", 0), (b"<![CDATA[]]>", 8)),
    Code.BAD_PI: ((b" <?xml version='1.0'?>", 6),),
    Code.UNEXPECTED_END: ((b"</x>", 1),),
}

_AFTER: dict[Code, tuple[tuple[bytes, int], ...]] = {
    Code.TEXT_OUTSIDE: ((b"text", 0), (b"\n\nx", 2), (b"&lt;", 0), (b"<![CDATA[x]]>", 8)),
    Code.EXTRA_ROOT: ((b"<x/>", 1), (b"\n<!-- --><root>", 10)),
    Code.UNEXPECTED_END: ((b"</x>", 1), (b" <?p?></x>", 7)),
    Code.BAD_DOCTYPE: ((b"<!DOCTYPE x>", 8),),
}


def _long_name(draw: Draw, config: BrokerConfig) -> tuple[bytes, int]:
    name = b"n" * (config.name_bytes + 1 + draw.below(40))
    form = draw.below(3)
    if form == 0:
        return b"<" + name + b"/>", 1 + config.name_bytes
    if form == 1:
        return b"<x " + name + b"=''/>", 3 + config.name_bytes
    return b"<x></" + name + b">", 5 + config.name_bytes


def _too_deep(draw: Draw, config: BrokerConfig) -> tuple[bytes, int]:
    extra = 1 + draw.below(4)
    return b"<d>" * (config.depth - 1 + extra) + b"</d>" * (config.depth - 1 + extra), 3 * (config.depth - 1) + 1


def _too_many_attributes(draw: Draw, config: BrokerConfig) -> tuple[bytes, int]:
    start = b"<x" + b"".join(b" a%d='%d'" % (place, draw.below(10)) for place in range(config.attributes)) + b" more"
    return start + b"=''/>", len(start)


def _too_many_prefixes(draw: Draw, config: BrokerConfig) -> tuple[bytes, int]:
    first = config.prefixes // 2 + draw.below(8)
    outer = b"<x" + b"".join(b" xmlns:p%d='u'" % place for place in range(first)) + b">"
    inner = b"<y" + b"".join(b" xmlns:q%d='u'" % place for place in range(config.prefixes - first)) + b" xmlns:more"
    return outer + inner + b"='u'/></x>", len(outer) + len(inner)


_LIMITS: dict[Code, Callable[[Draw, BrokerConfig], tuple[bytes, int]]] = {
    Code.NAME_LENGTH: _long_name,
    Code.DEPTH: _too_deep,
    Code.ATTRIBUTES: _too_many_attributes,
    Code.PREFIXES: _too_many_prefixes,
}

CODES: tuple[Code, ...] = tuple(code for code in Code if code not in (Code.OK, Code.NUMBER_DIGITS, Code.NAME_CLASH))
"""What :func:`break_tree` can aim at; a long number is over the limit only where a subscription compares it, and only hardware has hashes
that clash."""


def _utf16(draw: Draw, data: bytes) -> tuple[bytes, int]:
    text = data.decode()
    form = draw.below(4)
    if form == 0:
        return b"\xff\xfe" + text.encode("utf-16-le"), 0
    if form == 1:
        return b"\xfe\xff" + text.encode("utf-16-be"), 0
    if form == 2:
        return text.encode("utf-16-le"), 1
    return text.encode("utf-16-be"), 0


def _without_namespaces(root: Element) -> Element:
    """The root alone with its text, without declarations and without prefixes that would need one."""
    kept = [(name, value) for name, value in root.attributes if name != "xmlns" and ":" not in name]
    return Element(root.name.rpartition(":")[2], kept, [child for child in root.children if isinstance(child, str)])


def break_tree(root: Element, code: Code, draw: Draw, config: BrokerConfig) -> tuple[bytes, int]:
    """A document made from the tree that ends in ``code``, and the offset of the byte that decides it."""
    if code not in CODES:
        raise ValueError(f"code must be one that a document alone can have, not {code!r}")
    indent = draw.choice((None, 1, 2))
    if code is Code.UTF16:
        return _utf16(draw, write(root, indent=indent))
    if code is Code.NO_ROOT:
        head = draw.choice((b"", b"<?xml version='1.0'?>", b"<!DOCTYPE x>", b"\n\n"))
        data = head + b"<!-- " + b"nothing here " * draw.between(6, 20) + b"-->" + draw.choice((b"", b"\n", b"<?end?>"))
        return data, len(data)
    if code is Code.UNCLOSED:
        text = write(root, indent=indent).decode().rstrip("\n")
        data = text[: draw.between(len(text) // 2, len(text) - 1)].encode()
        return data, len(data)
    places = []
    if code in _LIMITS or code in _INSIDE:
        places += ["inside", "inside"]
    if code in _BEFORE:
        places.append("before")
    if code in _AFTER:
        places.append("after")
    place = draw.choice(places)
    if place == "inside":
        snippet, offset = _LIMITS[code](draw, config) if code in _LIMITS else draw.choice(_INSIDE[code])
        base = _without_namespaces(root) if code is Code.PREFIXES else root
        children = list(base.children)
        children.insert(draw.below(len(children) + 1), _HERE)
        data = write(Element(base.name, base.attributes, children), indent=indent)
        at = data.index(_HERE.encode())
        return data.replace(_HERE.encode(), snippet, 1), at + offset
    data = write(root, indent=indent)
    if place == "before":
        snippet, offset = draw.choice(_BEFORE[code])
        return snippet + data, offset
    snippet, offset = draw.choice(_AFTER[code])
    return data + snippet, len(data) + offset


_STRAYS = (b"<!--", b"-->", b"]]>", b"<![CDATA[", b"&#x41;", b"&lt", b"<a>", b"</a>", b"<?p?>", b"\xc3\xa9", b"<!")


def mutate(data: bytes, draw: Draw) -> bytes:
    """The document with one to three small accidents: bytes deleted, doubled, swapped, replaced, inserted, or the tail cut off."""
    result = bytearray(data)
    for _ in range(draw.between(1, 3)):
        if len(result) < 4:
            break
        at = draw.below(len(result) - 3)
        accident = draw.below(7)
        if accident == 0:
            del result[at : at + draw.between(1, 3)]
        elif accident == 1:
            length = draw.between(1, 12)
            result[at:at] = result[at : at + length]
        elif accident == 2:
            result[at], result[at + 1] = result[at + 1], result[at]
        elif accident == 3:
            result[at] = draw.choice(b"<>/&;\"'=![]-? \t\nx1:")
        elif accident == 4:
            result[at] ^= 1 << draw.below(8)
        elif accident == 5:
            result[at:at] = draw.choice(_STRAYS)
        else:
            del result[len(result) - draw.between(1, len(result) // 2) :]
    return bytes(result)
