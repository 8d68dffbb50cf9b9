"""Seeded XML documents that use everything of the accepted language, and seeded damage to them.

Everything is a pure function of its arguments; the standard library only, so that benches of the hardware can use it as well.
Well-formed documents stay within the limits of the default configuration and within what expat and libxml2 accept.
"""

import random
import re

__all__ = ["document", "documents", "edges", "mutate", "mutations", "soups", "tags"]

NAMES = (
    "a",
    "b",
    "item",
    "price",
    "_x",
    "A-b.c9",
    "Title",
    "very-long-name-that-fills-the-limit-of-sixty-four-bytes-exactly",
    "n" * 64,
    "élan",
    "Ünïcode-ñame",
    "имя",
    "名前",
    "a·b",
    "e\u0301t",
    "가",
)
PREFIXES = ("p", "q", "x-1", "é")
SPACES = (" ", "\n", "\t", "\r\n", "  ", " \n\t")
TEXTS = (
    "text",
    " ",
    "\n  ",
    "\r\n",
    "\r",
    "a\rb",
    "]",
    "]]",
    "] ]>",
    ">",
    "12.50",
    "-0",
    "NaN",
    "naïve",
    "日本語",
    "\U0001f600",
    "\x7f\x85\u2028",
    "\ufffd\ufeff",
    "'\"",
    "?>",
    "--",
    "\t",
    "the quick brown fox jumps over the lazy dog",
)
REFERENCES = (
    "&lt;",
    "&gt;",
    "&amp;",
    "&apos;",
    "&quot;",
    "&#65;",
    "&#x3c;",
    "&#x0001F600;",
    "&#10;",
    "&#13;",
    "&#9;",
    "&#32;",
    "&#xE9;",
    "&#x10FFFF;",
)
DOCTYPES = (
    "<!DOCTYPE a>",
    '<!DOCTYPE  a SYSTEM "a\'>.dtd">',
    "<!DOCTYPE a PUBLIC '-//X//Y' 'z>' >",
    "<!DOCTYPE a []>",
    '<!DOCTYPE a [<!ELEMENT a ANY>\n<!ENTITY e "]>\'<">]>',
    "<!DOCTYPE a [ <!-- it's ]> \" --> <?p don't ]> ?> <!NOTATION n SYSTEM 'n'> ] >",
    "<!DOCTYPE имя:x\n[<!ENTITY % q 'w'>]>",
)
DECLARATIONS = (
    "<?xml version='1.0'?>",
    '<?xml version="1.0" encoding="UTF-8"?>',
    "<?xml  version = '1.0'\tencoding='utf-8'  standalone=\"yes\" ?>",
    '<?xml version="1.0" standalone="no"?>',
    "<?xml\nversion='1.0'\r\nencoding='utf-8'?>",
)
PIECES: tuple[bytes, ...] = (
    b"<",
    b">",
    b"&",
    b"&#0;",
    b"&#x41;",
    b"&lt;",
    b"&nbsp;",
    b"]]>",
    b"--",
    b"-->",
    b"<!--",
    b"<![CDATA[",
    b"<?x y?>",
    b"<?xml ",
    b"?>",
    b"</a>",
    b"<a>",
    b"<a/>",
    b"<b c='d'>",
    b"/",
    b'"',
    b"'",
    b"=",
    b" ",
    b"\r",
    b"\n",
    b":",
    b"xmlns:p='u'",
    b" p:a='1'",
    b"\x00",
    b"\x0b",
    b"\x80",
    b"\xc3",
    b"\xc3\xa9",
    b"\xe2\x82\xac",
    b"\xef\xbf\xbf",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xc0\x80",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x98\x80",
    b"<!DOCTYPE a>",
    b"[",
    b"]",
    b"!",
    b"?",
)


_PART = re.compile(rb"""<[^<>]*>| [^\s=<>]+="[^"]*"| [^\s=<>]+='[^']*'|[\w:.\-\x80-\xff]+|&[^;]{1,8};""")
_CALM = tuple(piece for piece in PIECES if piece.isascii() and not {0x00, 0x0B} & set(piece))


class _Writer:
    """Writes one document from one stream of random numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def space(self, *, required: bool = False) -> str:
        return self.random.choice(SPACES) if required or self.random.random() < 0.2 else ""

    def break_(self) -> str:
        """White space between parts of a tag: mostly one space."""
        return self.random.choice(SPACES) if self.random.random() < 0.3 else " "

    def name(self, prefixes: tuple[str, ...]) -> str:
        name = self.random.choice(NAMES[:5] if self.random.random() < 0.7 else NAMES)
        if prefixes and len(name) < 30 and self.random.random() < 0.3:
            return f"{self.random.choice(prefixes)}:{name}"
        return name

    def value(self) -> str:
        parts = [self.random.choice(TEXTS + REFERENCES) for _ in range(self.random.choice((0, 1, 1, 2, 3)))]
        value = "".join(parts)
        quote = "'" if '"' in value and "'" not in value else self.random.choice("\"'")
        return quote + value.replace(quote, "&#34;" if quote == '"' else "&apos;") + quote

    def attributes(self, prefixes: tuple[str, ...], declared: list[str]) -> str:
        names = [f"xmlns:{prefix}" for prefix in declared]
        if self.random.random() < 0.05:
            names.append("xmlns")
        if self.random.random() < 0.05:
            names.append(self.random.choice(("xml:lang", "xml:space")))
        names += [self.name(prefixes) for _ in range(self.random.choice((0, 0, 0, 1, 1, 2, 3, 8)))]
        names = list(dict.fromkeys(names))
        self.random.shuffle(names)
        written = []
        for name in names:
            if name.startswith("xmlns:"):
                value = f'"urn:{name[6:].encode().hex()}"'  # one URI for each prefix: expanded names are unique when QNames are
            elif name == "xmlns":
                value = self.random.choice(("''", "'urn:default'"))
            elif name == "xml:space":
                value = "'preserve'"
            else:
                value = self.value()
            written.append(f"{self.break_()}{name}{self.space()}={self.space()}{value}")
        return "".join(written)

    def aside(self) -> str:
        """A comment or a processing instruction."""
        if self.random.random() < 0.5:
            return self.random.choice(("<!---->", "<!-- a - b -->", "<!--<a>&b;]]>-->", "<!-- é \r\n日本-->", "<!--?>-->"))
        return self.random.choice(("<?p?>", "<?p ?>", "<?p ??>", "<?xml-style a='<b>'?>", "<?имя é\r\n?>", "<?xmlx --?>"))

    def cdata(self) -> str:
        content = self.random.choice(("", "x", "<a>&amp;", "]", "]]", "]] >", "\r\n", "\n", "a]b", "é]", "日"))
        return f"<![CDATA[{content}]]>"

    def content(self, depth: int, budget: list[int], prefixes: tuple[str, ...]) -> str:
        parts = []
        last = ""
        for _ in range(self.random.choice((0, 1, 1, 2, 3, 5, 8))):
            kind = self.random.random()
            if kind < 0.4:
                part = self.element(depth + 1, budget, prefixes) if depth < 12 and budget[0] > 0 else "."
            elif kind < 0.65:
                part = self.random.choice(TEXTS)
            elif kind < 0.78:
                part = self.random.choice(REFERENCES)
            elif kind < 0.88:
                part = self.cdata()
            else:
                part = self.aside()
            if part.startswith((">", "]")) and last.endswith("]"):
                part = " " + part
            parts.append(part)
            last = part
        return "".join(parts)

    def element(self, depth: int, budget: list[int], prefixes: tuple[str, ...]) -> str:
        budget[0] -= 1
        declared = [prefix for prefix in PREFIXES if self.random.random() < (0.3 if depth == 1 else 0.03)]
        prefixes = tuple(dict.fromkeys((*prefixes, *declared)))
        name = self.name(prefixes)
        attributes = self.attributes(prefixes, declared)
        if self.random.random() < 0.25:
            return f"<{name}{attributes}{self.space()}/>"
        repeats = self.random.random() < 0.1
        content = self.content(depth, budget, prefixes)
        if repeats and len(content) < 200 and not content.startswith((">", "]")):
            content = f"{content} {content}"
        return f"<{name}{attributes}{self.space()}>{content}</{name}{self.space()}>"

    def document(self, size: int) -> bytes:
        parts = []
        if self.random.random() < 0.4:
            parts.append(self.random.choice(DECLARATIONS))
        doctype = self.random.choice(DOCTYPES) if self.random.random() < 0.3 else ""
        for part in (doctype, self.element(1, [size], ()), ""):
            if self.random.random() < 0.3:
                parts.append(self.space(required=True) if self.random.random() < 0.5 else self.aside())
            parts.append(part)
        bom = b"\xef\xbb\xbf" if self.random.random() < 0.1 else b""
        return bom + "".join(parts).encode()


def document(seed: int, *, size: int = 12) -> bytes:
    """A well-formed document of about ``size`` elements at most."""
    return _Writer(seed).document(size)


def documents(seed: int, count: int, *, size: int = 12) -> list[bytes]:
    """``count`` well-formed documents; the first ones are the same whatever ``count``."""
    return [document(seed * 1_000_003 + index, size=size) for index in range(count)]


def _slice(rng: random.Random, data: bytearray) -> bytes:
    """A part of the document that means something by itself: a tag, an attribute, a name, a reference."""
    found = _PART.findall(bytes(data))
    return rng.choice(found) if found else b""


def mutate(seed: int, data: bytes) -> bytes:
    """The document with one to three small injuries; sometimes it survives them."""
    rng = random.Random(seed)
    broken = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        at = rng.randrange(len(broken) + 1)
        length = rng.choice((1, 1, 1, 2, 5))
        kind = rng.randrange(9)
        if kind == 0:
            del broken[at : at + length]
        elif kind == 1:
            broken[at:at] = broken[at : at + length]
        elif kind == 2:
            broken[at : at + 2] = broken[at : at + 2][::-1]
        elif kind == 3:
            broken[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 4:
            broken[at : at + 1] = rng.choice(PIECES)
        elif kind == 5:
            broken[at:at] = rng.choice(PIECES)
        elif kind == 6:
            broken[at:at] = _slice(rng, broken)
        elif kind == 7:
            source = _slice(rng, broken)
            target = _slice(rng, broken)
            if target:
                broken[:] = broken.replace(target, source, 1)
        elif len(broken) > 1:
            other = rng.randrange(len(broken))
            at = min(at, len(broken) - 1)
            broken[at], broken[other] = broken[other], broken[at]
        if rng.random() < 0.03:
            del broken[rng.randrange(len(broken) + 1) :]
    return bytes(broken)


def mutations(seed: int, count: int, *, size: int = 6) -> list[bytes]:
    """``count`` injured documents, each from a document of its own."""
    return [mutate(seed * 1_000_003 + index, data) for index, data in enumerate(documents(seed, count, size=size))]


def soups(seed: int, count: int) -> list[bytes]:
    """``count`` sequences of scraps of markup; nearly all are broken, each in many places."""
    made = []
    for index in range(count):
        rng = random.Random(seed * 1_000_003 + index)
        start = rng.choice((b"", b"", b"<a>", b"<a ", b"<a b='", b"<!--", b"<?", b"<!DOCTYPE a ", b"<?xml version='1.0' "))
        pieces = rng.choice((PIECES, _CALM, _CALM, _CALM))
        made.append(start + b"".join(rng.choice(pieces) for _ in range(rng.randrange(1, 12))))
    return made


def tags(seed: int, count: int) -> list[bytes]:
    """``count`` small documents with right lexis whose names collide: duplicates, prefixes bound and unbound, ends that differ."""
    elements = ("a", "b", "a", "p:a", "q:b", "xml:a", "xmlns:a", "a:", ":a", "p:1", "p:a:b", "\u00e9")
    attributes = (
        "a",
        "b",
        "c",
        "p:a",
        "p:b",
        "q:a",
        "xmlns:p",
        "xmlns:p",
        "xmlns:q",
        "xmlns",
        "xmlns:xml",
        "xmlns:xmlns",
        "xml:a",
        "p:",
        "p:-",
    )
    made = []
    for index in range(count):
        rng = random.Random(seed * 1_000_003 + index)
        odd = rng.random() < 0.5
        written = []
        opened: list[str] = []
        for _ in range(rng.randrange(1, 7)):
            if opened and rng.random() < 0.4:
                name = opened.pop()
                written.append(f"</{rng.choice(elements) if odd and rng.random() < 0.1 else name}>")
            name = rng.choice(elements if odd and rng.random() < 0.3 else elements[:4])
            names = [rng.choice(attributes if odd and rng.random() < 0.5 else attributes[:9]) for _ in range(rng.choice((0, 1, 2, 3)))]
            inside = "".join(f" {key}='{'' if rng.random() < 0.1 else 'u' + key[-1]}'" for key in (names if odd else dict.fromkeys(names)))
            empty = rng.random() < 0.3
            written.append(f"<{name}{inside}{'/' if empty else ''}>")
            if not empty:
                opened.append(name)
        written += [f"</{name}>" for name in reversed(opened)]
        whole = "".join(written)
        made.append((whole if rng.random() < 0.2 else f"<r xmlns:p='up'>{whole}</r>").encode())
    return made


def edges(seed: int, count: int, *, name_bytes: int, depth: int, attributes: int, prefixes: int) -> list[bytes]:
    """``count`` documents at, just below and just above the limits given; nothing else is wrong with them."""
    made = []
    for index in range(count):
        rng = random.Random(seed * 1_000_003 + index)
        names = ["n" * max(1, name_bytes + rng.choice((-1, 0, 0, 1))), "m" + "\u00e9" * (name_bytes // 2 - rng.randrange(2)), "a", "b"]
        name = rng.choice(names)
        kind = rng.randrange(4)
        inner = f"<{name}/>"
        if kind == 0:
            inner = f"<{name} {rng.choice(names)}='v'></{name}>"
        elif kind == 1:
            levels = depth - 2 + rng.choice((-1, 0, 1))
            inner = "<d>" * levels + "<e/>" * rng.randrange(1, 3) + "</d>" * levels
        elif kind == 2:
            number = attributes + rng.choice((-1, 0, 1))
            own = rng.randrange(3)
            written = [f"xmlns:p{n}='u{n}'" for n in range(own)] + [f"a{n}='{n}'" for n in range(number - own)]
            rng.shuffle(written)
            inner = f"<e {' '.join(written)}/>"
        else:
            number = prefixes + rng.choice((-1, 0, 1))
            first = rng.randrange(max(0, number - attributes), min(number, attributes) + 1)
            outer = "".join(f" xmlns:p{n}='u{n}'" for n in range(first))
            own_prefixes = "".join(f" xmlns:p{n}='u{n}'" for n in range(first, number))
            inner = f"<o{outer}><i{own_prefixes}/><i xmlns=''/></o>"
        made.append(f"<r>{inner}</r>".encode())
    return made
