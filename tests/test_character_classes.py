"""The parser's RTL against the character classes of XML 1.0, fifth edition, which are written out here.

A character that belongs is packed with many others into one document, and all of it must come back in the parsed words. One that does not
belong has a document of its own, which must be refused with the right code at the right byte. Every check is made in each of the four byte
lanes.
"""

from collections.abc import Iterable, Iterator, Sequence

import pytest

from hdl.config import PRESETS
from hdl.contract import Code, WordType
from sim.verilated.parser import Parsed, parse

CONFIG = PRESETS["default"]
LANES = 4
BEYOND = 0x110000
COLON = ord(":")

CHAR = ((0x9, 0xA), (0xD, 0xD), (0x20, 0xD7FF), (0xE000, 0xFFFD), (0x10000, 0x10FFFF))
"""[XML 2.2, 2]"""

NAME_START_CHAR = (
    (ord(":"), ord(":")),
    (ord("A"), ord("Z")),
    (ord("_"), ord("_")),
    (ord("a"), ord("z")),
    (0xC0, 0xD6),
    (0xD8, 0xF6),
    (0xF8, 0x2FF),
    (0x370, 0x37D),
    (0x37F, 0x1FFF),
    (0x200C, 0x200D),
    (0x2070, 0x218F),
    (0x2C00, 0x2FEF),
    (0x3001, 0xD7FF),
    (0xF900, 0xFDCF),
    (0xFDF0, 0xFFFD),
    (0x10000, 0xEFFFF),
)
"""[XML 2.3, 4]"""

NAME_CHAR = (
    *NAME_START_CHAR,
    (ord("-"), ord("-")),
    (ord("."), ord(".")),
    (ord("0"), ord("9")),
    (0xB7, 0xB7),
    (0x0300, 0x036F),
    (0x203F, 0x2040),
)
"""[XML 2.3, 4a]"""

Ranges = tuple[tuple[int, int], ...]


def members(ranges: Ranges) -> bytearray:
    """For every code point, 1 where it belongs."""
    found = bytearray(BEYOND)
    for low, high in ranges:
        found[low : high + 1] = b"\1" * (high + 1 - low)
    return found


IS_CHAR, IS_NAME_START, IS_NAME_CHAR = members(CHAR), members(NAME_START_CHAR), members(NAME_CHAR)


def encoded(point: int) -> bytes:
    """UTF-8 of the code point; of a surrogate the three bytes that UTF-8 forbids."""
    return chr(point).encode(errors="surrogatepass")


def bytes_of(parsed: Parsed, kind: WordType) -> bytes:
    return b"".join(word.data for word in parsed.words if word.type is kind)


def packed_text(points: Sequence[int], shift: int) -> Iterator[tuple[bytes, bytes]]:
    """Documents with thousands of characters of text, and that text; over the four shifts every character meets every lane."""
    for at in range(0, len(points), 4096):
        text = b"".join(encoded(point) for point in points[at : at + 4096])
        yield b" " * shift + b"<a>" + text + b"</a>", text


def packed_starts(points: Sequence[int], shift: int) -> Iterator[tuple[bytes, bytes]]:
    """Documents with elements whose names are one character, each in the lane ``shift``."""
    for at in range(0, len(points), 1024):
        names = [encoded(point) for point in points[at : at + 1024]]
        data = bytearray(b"<r>" + b" " * shift)
        for name in names:
            data += b"<" + name + b"/>" + b" " * (-len(name) - 3 & 3)
        yield bytes(data) + b"</r>", b"r" + b"".join(names)


def packed_names(points: Sequence[int], shift: int) -> Iterator[tuple[bytes, bytes]]:
    """Documents with elements whose names are as long as may be and made of the characters behind an 'a'; as in :func:`packed_text`."""
    for at in range(0, len(points), 1500):
        names = []
        for first in range(at, min(at + 1500, len(points)), 15):
            names.append(b"a" + b"".join(encoded(point) for point in points[first : min(first + 15, at + 1500)]))
        data = bytearray(b"<r>" + b" " * shift)
        for name in names:
            data += b"<" + name + b"/>" + b" " * (-len(name) - 3 & 3)
        yield bytes(data) + b"</r>", b"r" + b"".join(names)


def accepted(packed: Iterable[tuple[bytes, bytes]], kind: WordType) -> list[str]:
    """What is wrong with documents that must be well-formed and have those bytes in their words of one type."""
    wrong = []
    pairs = list(packed)
    for (data, wanted), found in zip(pairs, parse([data for data, _ in pairs], CONFIG, words=True), strict=True):
        if found.code is not Code.OK:
            wrong.append(f"{found.code.text} at {found.offset}: {data[max(0, found.offset - 8) : found.offset + 8]!r}")
        elif bytes_of(found, kind) != wanted:
            wrong.append(f"{kind.name} differs: {data[:40]!r}")
    return wrong


def decided(point: int, otherwise: Code) -> tuple[Code, int]:
    """Code and deciding byte of a character that may not stand in its place: surrogates are no UTF-8, others may be no Char."""
    if 0xD800 <= point <= 0xDFFF:
        return Code.BAD_UTF8, 1
    return (otherwise if IS_CHAR[point] else Code.BAD_CHAR), len(encoded(point)) - 1


def refused(points: Iterable[int], before: bytes, after: bytes, otherwise: Code) -> list[str]:
    """What is wrong with the refusals of the characters, each between ``before`` and ``after`` in every lane."""
    wrong = []
    listed = list(points)
    for lane in range(LANES):
        pad = b" " * ((lane - len(before)) % LANES)
        for at in range(0, len(listed), 1 << 15):
            part = listed[at : at + (1 << 15)]
            for point, found in zip(part, parse([pad + before + encoded(point) + after for point in part], CONFIG), strict=True):
                code, late = decided(point, otherwise)
                if (found.code, found.offset) != (code, len(pad) + len(before) + late):
                    wrong.append(f"U+{point:04X} in lane {lane} after {before!r}: {found.code.text} at {found.offset}, not {code.text}")
    return wrong


ASCII_AFTER_LT = {"/": Code.UNEXPECTED_END, "!": Code.BAD_MARKUP, "?": Code.BAD_PI, ":": Code.BAD_QNAME}
"""What stands right after '<' and begins no name, or with ':' no QName [Namespaces 3]."""
ASCII_IN_NAME = {"\t": Code.OK, "\n": Code.OK, "\r": Code.OK, " ": Code.OK, "/": Code.BAD_TAG, ">": Code.UNCLOSED, ":": Code.BAD_QNAME}
"""What ends a name, here in '<a' character '/>', and ':' again."""


def ascii_exceptions() -> list[str]:
    """What is wrong with the characters that mean something else in a tag than a character out of place."""
    wrong = []
    for before, exceptions in ((b"<", ASCII_AFTER_LT), (b"<a", ASCII_IN_NAME)):
        for character, code in exceptions.items():
            for lane in range(LANES):
                data = b" " * ((lane - len(before)) % LANES) + before + character.encode() + b"/>"
                (found,) = parse([data], CONFIG, words=True)
                if found.code is not code or (code is Code.OK and bytes_of(found, WordType.ELEMENT) != b"a"):
                    wrong.append(f"{data!r}: {found.code.text}, not {code.text}")
    return wrong


def problems(points: Sequence[int]) -> tuple[int, list[str]]:
    """How many times a code point was put to the parser in some place and lane, and what was wrong."""
    wrong: list[str] = []
    # '<' and '&' are markup, and CR is delivered as LF.
    text = [point for point in points if IS_CHAR[point] and point not in (0xD, ord("<"), ord("&"))]
    starts = [point for point in points if IS_NAME_START[point] and point != COLON]
    later = [point for point in points if IS_NAME_CHAR[point] and point != COLON]
    for shift in range(LANES):
        wrong += accepted(packed_text(text, shift), WordType.TEXT)
        wrong += accepted(packed_starts(starts, shift), WordType.ELEMENT)
        wrong += accepted(packed_names(later, shift), WordType.ELEMENT)
    no_text = [point for point in points if not IS_CHAR[point]]
    no_start = [point for point in points if not IS_NAME_START[point] and chr(point) not in ASCII_AFTER_LT]
    not_later = [point for point in points if not IS_NAME_CHAR[point] and chr(point) not in ASCII_IN_NAME]
    wrong += refused(no_text, b"<a>", b"</a>", Code.BAD_CHAR)
    wrong += refused(no_start, b"<", b"/>", Code.BAD_NAME)
    wrong += refused(not_later, b"<a", b"/>", Code.BAD_TAG)
    return LANES * sum(map(len, (text, starts, later, no_text, no_start, not_later))), wrong


def test_shifts_bring_every_packed_character_into_every_lane() -> None:
    for points in ([0x100 + k for k in range(40)], [0x3001 + k for k in range(40)], [0x10000 + k for k in range(40)]):
        for pack in (packed_text, packed_starts, packed_names):
            lanes = {
                (point, data.index(encoded(point)) % LANES) for shift in range(LANES) for data, _ in pack(points, shift) for point in points
            }
            assert lanes == {(point, lane) for point in points for lane in range(LANES)}, pack


def test_character_classes_equal_the_recommendation_at_their_edges_and_at_samples_in_rtl_at_each_alignment() -> None:
    edges = {edge + step for low, high in (*CHAR, *NAME_CHAR) for edge in (low, high) for step in (-1, 0, 1)}
    samples = {*range(1, 0x80), *range(0x80, 0x10000, 67), *range(0x10000, BEYOND, 997)}
    points = sorted(point for point in edges | samples if 0 < point < BEYOND)
    checks, wrong = problems(points)
    assert wrong == []
    assert ascii_exceptions() == []
    assert checks > 20_000


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_character_classes_equal_the_recommendation_for_every_code_point_in_rtl_at_each_alignment() -> None:
    """1 to U+10FFFF as text, as the first character of a name and as a later one."""
    total = 0
    for first in range(1, BEYOND, 1 << 15):
        checks, wrong = problems(range(first, min(first + (1 << 15), BEYOND)))
        assert wrong == []
        total += checks
    assert ascii_exceptions() == []
    left_out = 3 + len(ASCII_AFTER_LT) + len(ASCII_IN_NAME)
    assert total == LANES * (3 * (BEYOND - 1) - left_out)
    print(f"{total:,} checks, no difference")
