"""The constructs of XML that stand between tags and text, each as a coroutine over characters.

A coroutine is sent the code points that follow its opening, one at a time. It returns at the construct's last character and
raises :class:`Stop` at the character that makes the document unacceptable, so the byte that completes this character is the
deciding one. References return what they stand for.
"""

from collections.abc import Generator

from hdl.contract import Code
from sim.golden.chars import DIGITS, HEX_DIGITS, QUOTES, WHITE_SPACE, is_char, is_name_char, is_name_start

__all__ = ["Construct", "Stop", "comment", "doctype", "instruction", "reference"]

Construct = Generator[None, int, bytes]

_ENCODINGS = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_PREDEFINED = {"lt": b"<", "gt": b">", "amp": b"&", "apos": b"'", "quot": b'"'}
_TOO_BIG = 0x110000


class Stop(Exception):
    """The document ends here with a code other than OK."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.code = code


def _skip(char: int) -> Generator[None, int, int]:
    """Pass white space, from ``char`` on; the first character that is none."""
    while char in WHITE_SPACE:
        char = yield
    return char


def reference() -> Construct:
    """A reference after its '&' [XML 4.1]; the UTF-8 bytes of its character."""
    char = yield
    if char == ord("#"):
        char = yield
        digits, base = DIGITS, 10
        if char == ord("x"):
            char = yield
            digits, base = HEX_DIGITS, 16
        if char not in digits:
            raise Stop(Code.BAD_REFERENCE)
        point = 0
        while char in digits:
            point = min(point * base + int(chr(char), base), _TOO_BIG)
            char = yield
        if char != ord(";") or not is_char(point):
            raise Stop(Code.BAD_REFERENCE)
        return chr(point).encode()
    if not is_name_start(char):
        raise Stop(Code.BAD_REFERENCE)
    name = []
    while is_name_char(char):
        name.append(chr(char))
        char = yield
    if char != ord(";"):
        raise Stop(Code.BAD_REFERENCE)
    value = _PREDEFINED.get("".join(name))
    if value is None:
        raise Stop(Code.ENTITY)
    return value


def comment() -> Construct:
    """A comment after its '<!--' [XML 2.5]."""
    while True:
        char = yield
        if char != ord("-"):
            continue
        char = yield
        if char != ord("-"):
            continue
        char = yield
        if char != ord(">"):
            raise Stop(Code.BAD_COMMENT)
        return b""


def _instruction_data() -> Construct:
    """Anything up to and with the first '?>'."""
    char = yield
    while True:
        if char == ord("?"):
            char = yield
            if char == ord(">"):
                return b""
        else:
            char = yield


def instruction(*, first: bool) -> Construct:
    """A processing instruction after its '<?' [XML 2.6], or the XML declaration when nothing stands before it."""
    char = yield
    target = []
    if not is_name_start(char):
        raise Stop(Code.BAD_PI)
    while is_name_char(char) and char != ord(":"):
        target.append(chr(char))
        char = yield
    if char not in WHITE_SPACE and char != ord("?"):
        raise Stop(Code.BAD_PI)
    name = "".join(target)
    if first and name == "xml" and char in WHITE_SPACE:
        return (yield from _declaration())
    if name.isascii() and name.lower() == "xml":
        raise Stop(Code.BAD_PI)
    if char in WHITE_SPACE:
        return (yield from _instruction_data())
    char = yield
    if char != ord(">"):
        raise Stop(Code.BAD_PI)
    return b""


def _expect(char: int, text: str) -> Generator[None, int, int]:
    """``text`` from ``char`` on; the character after it."""
    for wanted in text:
        if char != ord(wanted):
            raise Stop(Code.BAD_DECL)
        char = yield
    return char


def _opening(char: int, name: str) -> Generator[None, int, int]:
    """``name`` from ``char`` on, '=' and an opening quote, with white space between; the quote."""
    char = yield from _expect(char, name)
    char = yield from _skip(char)
    if char != ord("="):
        raise Stop(Code.BAD_DECL)
    char = yield
    char = yield from _skip(char)
    if char not in QUOTES:
        raise Stop(Code.BAD_DECL)
    return char


def _version(char: int) -> Generator[None, int, None]:
    quote = yield from _opening(char, "version")
    char = yield
    char = yield from _expect(char, "1.")
    if char not in DIGITS:
        raise Stop(Code.BAD_DECL)
    while char in DIGITS:
        char = yield
    if char != quote:
        raise Stop(Code.BAD_DECL)


def _encoding(char: int) -> Generator[None, int, None]:
    quote = yield from _opening(char, "encoding")
    char = yield
    name = ""
    while char != quote:
        letter = chr(char)
        if not letter.isascii() or not (letter.isalpha() or (name and (letter.isdigit() or letter in "._-"))):
            raise Stop(Code.BAD_DECL)
        name += letter
        char = yield
    if not name:
        raise Stop(Code.BAD_DECL)
    if name.lower() not in _ENCODINGS:
        raise Stop(Code.ENCODING)


def _standalone(char: int) -> Generator[None, int, None]:
    quote = yield from _opening(char, "standalone")
    char = yield
    char = yield from _expect(char, "yes" if char == ord("y") else "no")
    if char != quote:
        raise Stop(Code.BAD_DECL)


def _declaration() -> Construct:
    """The XML declaration after '<?xml' and one white space [XML 2.8]."""
    char = yield
    char = yield from _skip(char)
    yield from _version(char)
    after = yield
    char = yield from _skip(after)
    if char == ord("e") and after in WHITE_SPACE:
        yield from _encoding(char)
        after = yield
        char = yield from _skip(after)
    if char == ord("s") and after in WHITE_SPACE:
        yield from _standalone(char)
        char = yield
        char = yield from _skip(char)
    yield from _expect_end(char)
    return b""


def _expect_end(char: int) -> Generator[None, int, None]:
    """'?>' from ``char`` on."""
    if char != ord("?"):
        raise Stop(Code.BAD_DECL)
    char = yield
    if char != ord(">"):
        raise Stop(Code.BAD_DECL)


def _quoted(quote: int) -> Generator[None, int, None]:
    """Anything up to and with the closing quote."""
    while (yield) != quote:
        pass


def _subset() -> Generator[None, int, None]:
    """The internal subset after its '[', scanned over up to and with its ']'."""
    char = yield
    while True:
        if char == ord("]"):
            return
        if char in QUOTES:
            yield from _quoted(char)
            char = yield
        elif char != ord("<"):
            char = yield
        else:
            char = yield
            if char == ord("?"):
                yield from _instruction_data()
                char = yield
            elif char == ord("!"):
                char = yield
                if char == ord("-"):
                    char = yield
                    if char == ord("-"):
                        yield from comment()
                        char = yield


def doctype() -> Construct:
    """A document type declaration after its '<!DOCTYPE' [XML 2.8], scanned over."""
    char = yield
    if char not in WHITE_SPACE:
        raise Stop(Code.BAD_DOCTYPE)
    char = yield from _skip(char)
    if not is_name_start(char):
        raise Stop(Code.BAD_DOCTYPE)
    while True:
        char = yield
        if char == ord(">"):
            return b""
        if char in QUOTES:
            yield from _quoted(char)
        elif char == ord("["):
            break
        elif char in (ord("<"), ord("]")):
            raise Stop(Code.BAD_DOCTYPE)
    yield from _subset()
    char = yield
    char = yield from _skip(char)
    if char != ord(">"):
        raise Stop(Code.BAD_DOCTYPE)
    return b""
