"""XPath texts at the edges of the accepted grammar and of its limits; a broker's answer to each is a refusal or a registration."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from sim.corners.characters import edge_points, encoded

__all__ = ["characters", "faults", "limits", "numbers", "tokens"]

_RICH = (
    b"/abc/de//f[@ghi='jk' and @l]",
    b'//a:b[@c:d != "x\'y"][. >= -12.50]',
    b"a//*[text()<=.5]",
    b"/*/@nm",
    b"//a[ @b = 'c' and text() = 7 ]",
    b"//ab[@c>1][@d<2]//@e",
)
"""Texts that between them have every token, in words of every fill."""

_ALPHABET = b"/@*[]=!<>'\".()-:, 0a\t\x00\x7f\x80\xc3\xff|+$&_~"


def faults() -> Iterator[bytes]:
    """A text with one byte replaced, added, left out or doubled, and cut off, at every place."""
    for text in _RICH:
        for at in range(len(text) + 1):
            yield text[:at]
            if at < len(text):
                yield text[:at] + text[at + 1 :]
                yield text[:at] + text[at : at + 1] + text[at:]
            for number, byte in enumerate(_ALPHABET):
                keep = (number + at) % 2
                if (number + at // 2) % 4 == 0:
                    yield text[:at] + bytes([byte]) + text[at + 1 - keep :]


def characters() -> Iterator[bytes]:
    """Edges of the character classes as the first and as a later character of a name and in a string, every ASCII byte in each lane."""
    for number, point in enumerate(edge_points()):
        raw = encoded(point)
        lane = number % 4
        head = b"/" + b"a" * lane + b"/" if lane else b"/"
        yield head + raw
        yield head + b"b" + raw + b"c" * (number // 4 % 2)
        yield b"//a[@b='" + b"x" * lane + raw + b"']"
        if number // 4 % 2:
            yield b"//a[@" + raw + b"]"
    for byte in range(1, 256):
        yield b"/" + b"a" * (byte % 4 + 1) + bytes([byte]) + b"z"
        if byte >= 0x80:
            continue
        yield b"//a" + bytes([byte])
        yield bytes([byte]) + b"a"
        yield b"/a[" + bytes([byte]) + b"b]"
        yield b"/a[@b" + bytes([byte]) + b"1]"
        yield b"/a[@b=" + bytes([byte]) + b"]"
        yield b"/a[@b=1" + bytes([byte]) + b"]"
        yield b"/a[@b='" + bytes([byte]) + b"']"
    for bad in b"c0af e08080 eda080 f4908080 80 c2 e282 f09080 ff c328 e228a1".split():
        raw = bytes.fromhex(bad.decode())
        for lane in range(4):
            yield b"/" + b"a" * lane + raw + b"b"
            yield b"/a[@b='" + b"x" * lane + raw + b"']"


def tokens() -> Iterator[bytes]:
    """White space between any two tokens; neighbours of every operator; numbers in every spelling; words that are nearly tokens."""
    parts = [b"/", b"ab", b"//", b"*", b"[", b"@", b"c", b"=", b"'d'", b"and", b"text()", b">=", b"1.5", b"]", b"/", b"e"]
    # The white space around 'and' is what keeps it apart from a name.
    for space in (b" ", b"\t", b"\r", b"\n", b"   ", b" \t\r\n"):
        for at in range(len(parts) + 1):
            left, right = b"".join(parts[:at]), b"".join(parts[at:])
            yield left.replace(b"and", b" and ") + space + right.replace(b"and", b" and ")
    for operator in (
        b"=",
        b"!=",
        b"<",
        b"<=",
        b">",
        b">=",
        b"==",
        b"!",
        b"=<",
        b"=>",
        b"<>",
        b"!==",
        b"< =",
        b"! =",
        b"and",
        b"or",
        b"div",
    ):
        for literal in (b"1", b"'1'", b'"1"', b"-1", b"- 1", b"--1", b"", b"x", b"@x", b".", b".5"):
            for subject in (b"@b", b".", b"text()"):
                yield b"//a[" + subject + operator + literal + b"]"
    numbers = b"0 00 0.0 -0 .0 0. . - -. 1 01 10 1.0 1.10 .1 -.1 1. -1. 1.. 1.2.3 1e3 1E3 +1 0x1 1_0 12345678 123456789012345".split()
    numbers += b"1234567890123456 0123456789012345 123456789012345.0 1234567890.12345 1234567890.123456 .000000000000001".split()
    numbers += b".0000000000000001 .000000000000000123456789012345 100000000000000000000 123456789012345000000 999999999999999".split()
    numbers += b"9999999999999990 000000000000000000000000000000000000001 0.100000000000000000000000000000".split()
    for number in numbers:
        for before in (b"//a[@b=", b"//a[@bc>", b"//a[@bcd<=-"):
            yield before + number + b"]"
    for word in b"text text( text() text ( ) texts() tex() text() node() . .. ./ an and and() ands nd or and[ @ @* @text @and".split(b" "):
        for before, after in ((b"//a[", b"=1]"), (b"//a[@b ", b" @c]"), (b"/", b""), (b"//a/", b"/b"), (b"//a[@b=1 ", b" .='x']")):
            yield before + word + after
    yield from (
        b"/a[.='x']/b",
        b"/a[.=1][@b]/c",
        b"/a[@b and text()='x']//c",
        b"/a/@b/c",
        b"/a/@b[@c]",
        b"//@b",
        b"@b",
        b"/@b",
        b"a/@b",
        b"//a//@b",
    )
    yield from (
        b"/",
        b"//",
        b"///a",
        b"a",
        b"a/b",
        b"*",
        b"/*",
        b"//*",
        b"/a//",
        b"/a/",
        b"/a[",
        b"/a]",
        b"/a[]",
        b"[@a]",
        b"/[@a]",
        b"/a[@b][",
        b"/a[1]",
    )
    yield from (
        b"/a[0]",
        b"/a[-1]",
        b"/a[1]/b",
        b"/a[@b][2]",
        b"/a[.]",
        b"/a[text()]",
        b"/a['x']",
        b"/a[b]",
        b"/a[b=1]",
        b"/a[(@b)]",
        b"/a[not(@b)]",
    )


def limits(config: BrokerConfig) -> Iterator[bytes]:
    """Lengths of names, strings, numbers and texts, and numbers of steps and tests: around every word's end, at the limit and beyond."""
    lengths = (*range(1, 10), 11, 12, 13, 15, 16, 17, 31, 32, 33)
    for length in (*lengths, *(config.name_bytes + more for more in (-4, -1, 0, 1, 4))):
        name = (b"nopqrst" * 12)[:length]
        yield b"/" + name
        yield b"//" + name + b"/" + name[::-1]
        yield b"/a[@" + name + b"='v']"
        yield b"//a/@" + name
    yield b"/" + "é".encode() * (config.name_bytes // 2)
    yield b"/" + "é".encode() * (config.name_bytes // 2) + b"a"
    yield b"/a" + "\u20ac".encode() * (config.name_bytes // 3)
    for length in (0, *lengths, *(config.value_bytes + more for more in (-4, -1, 0, 1, 4))):
        value = (b"uvwxyz " * 12)[:length]
        yield b"//a[@b='" + value + b"']"
        yield b'//ab[text()!="' + value + b'"]'
        yield b"//a[.<'" + value + b"']"
    for digits in range(config.digits - 2, config.digits + 3):
        yield b"//a[@b=" + b"7" * digits + b"]"
        yield b"//a[@b=1." + b"7" * (digits - 1) + b"]"
        yield b"//a[@b=" + b"7" * digits + b"000]"
        yield b"//a[@b='" + b"7" * digits + b"' and @c>" + b"7" * digits + b"]"
    most = config.subscription_steps
    for steps in range(1, most + 3):
        yield b"/s" * steps
        yield b"//s/t" * (steps // 2) + b"/@u"
        yield b"/s" + b"[@t]" * (steps - 1)
        yield b"/s[" + b" and ".join([b"@t"] * steps) + b"]"
        yield b"/*" * (steps // 2 + 1) + b"[@u=1]" * (steps // 2)
        yield b"/s" * (steps - 1) + b"/t[.='x']"
    for length in range(config.xpath_bytes - 3, config.xpath_bytes + 5):
        yield b"/a" + b" " * (length - 2)
        yield (b"/" + b"b" * 63) * 15 + b"/" + b"c" * (length - 961)


def numbers(config: BrokerConfig) -> Iterator[bytes]:
    """Strings that are nearly numbers, with as many digits as a number may have and one more; what a relation makes of them as numbers."""
    whole = (b"7" * config.digits, b"7" * (config.digits + 1))
    pointed = tuple(one[:at] + b"." + one[at:] for one in whole for at in (0, 1, len(one) - 1, len(one)))
    around = b"%s| %s|%s |\t\r\n%s\r\t\n |-%s| -%s  |- %s|--%s|-%s-|x%s|%sx|%s x|%s 1|%s.|.%s|%s .|. %s|-.%s|-x%s|.-%s".split(b"|")
    around += b"000%s|%s000|0.000%s|%s.000|%s.0 |%s..0|+%s|%s\t|%s\n|%s\r".split(b"|")
    operators = (b">", b"=", b"<=", b"<", b"!=", b">=")
    relations = (b">", b"<=", b"<", b">=")
    for number, form in enumerate(around):
        for which, digits in enumerate(whole):
            yield b"//a[@b" + operators[(number + 2 * which) % 6] + b"'" + form % digits + b"']"
        yield b"//a[." + relations[number % 4] + b'"' + form % whole[1] + b'"]'
        yield b"//a[text()<'" + form % pointed[number % len(pointed)] + b"']"
    for number, digits in enumerate(pointed):
        for form in (b"%s", b"%s ", b" -%s", b"%sx"):
            yield b"//a[@b" + relations[number % 4] + b"'" + form % digits + b"']"
