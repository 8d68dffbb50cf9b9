"""Transfers, packets and segments at the corners of the fronts and of the host link, as operations of :file:`fronts_main.cpp`.

Each script is a pure function without arguments; :func:`scripts` names all of them. What must come out follows from the contract and from
the mirror that stands in the broker's place, see :mod:`sim.mutants.mirror`.
"""

import itertools
import random
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from hdl.contract import REGISTERS, Content, Frame, Header, Kind, OSid, Register, Segment, SegmentKind, Semantics, register

__all__ = ["LINKS", "scripts"]

LINKS = 2
"""Links of the fronts' configuration."""

_CHIPSELECT, _READ, _WRITE, _BEGIN, _ALL = 1 << 16, 1 << 17, 1 << 18, 1 << 19, 15 << 20
_CYC, _STB, _WE = 1 << 16, 1 << 17, 1 << 18
_CONTROL, _STATUS, _INTERRUPT, _ENABLE, _ERROR, _ERRORS, _SCRATCH, _CLOCKS = (
    register(name).offset for name in ("control", "status", "interrupt", "interrupt_enable", "error", "errors", "scratch", "clocks")
)
_SESSION = 0x7E
"""A session whose number must be escaped."""


def _operation(kind: str, *numbers: int) -> bytes:
    data = struct.pack(f"<{len(numbers)}I", *numbers)
    return kind.encode() + struct.pack("<I", len(data)) + data


def _bytes(kind: str, data: bytes) -> bytes:
    return kind.encode() + struct.pack("<I", len(data)) + data


def _idle(clocks: int) -> bytes:
    return _operation("i", clocks)


# --- Avalon


def _read(address: int) -> bytes:
    return _operation("a", address | _CHIPSELECT | _READ | _BEGIN | _ALL, 0)


def _write(address: int, word: int) -> bytes:
    return _operation("a", address | _CHIPSELECT | _WRITE | _BEGIN | _ALL, word)


def _partial(address: int) -> bytes:
    """A read of three bytes, which fails and so gives 0."""
    return _operation("a", address | _CHIPSELECT | _READ | _BEGIN | 7 << 20, 0)


def _frame(name: str, place: int = 0) -> bytes:
    return _operation("f", register(f"{name}_state").offset + place, register(f"{name}_data").offset + place)


def _packet(name: str, data: bytes, *, junk: int = 0) -> bytes:
    """The writes of a packet; ``junk`` fills the bytes above the last one."""
    head = data[: max(0, (len(data) - 1) // 4 * 4)]
    tail = data[len(head) :]
    words = [_write(register(f"{name}_data").offset, word) for (word,) in struct.iter_unpack("<I", head)]
    last = int.from_bytes(tail, "little") | (junk >> 8 * len(tail) << 8 * len(tail))
    return b"".join([*words, _write(register(f"{name}_end{len(tail)}").offset, last)])


def _places(one: Register) -> range:
    count = LINKS if one.name.startswith(("notified", "notification")) else one.count
    return range(one.offset, one.offset + count)


def _addresses() -> list[int]:
    """Every register, every address that differs from one in a bit, and every address of the first pages."""
    known = [place for one in REGISTERS for place in _places(one)]
    return sorted({*range(0x200), *known, *(place ^ 1 << bit for place in known for bit in range(13))})


def _avalon_reads() -> bytes:
    """Each address is read; ERRORS tells the bad ones from those that are 0."""
    found = [_read(_CLOCKS), _idle(3), _read(_CLOCKS), _write(_SCRATCH, 0xFFFFFFFF)]
    for address in _addresses():
        found += [_read(address), *([_read(_ERRORS)] if address % 3 == 0 or address < 0x200 else [])]
    return b"".join([*found, _read(_ERROR), _read(_ERRORS)])


def _avalon_writes() -> bytes:
    """Each address of the first pages is written, with a word that commands nothing, and the error that it makes is read and cleared."""
    found = []
    pages = [range(0x80), range(0xFE, 0x130), range(0x17E, 0x1B2), range(0x1FE, 0x203), range(0x23E, 0x262)]
    for address in [*chain.from_iterable(pages), 0x402, 0x808, 0x1008, 0x1FFF]:
        found += [_write(address, 0x5AF0F0F0 ^ address << 4), _read(_ERROR), _write(_ERROR, address)]
    for address in (_INTERRUPT, _ENABLE, _SCRATCH, _ERRORS, _STATUS, 0x51, 0x52):
        found.append(_read(address))
    return b"".join([*found, _idle(20), _frame("notification", 0), _frame("notification", 1), _frame("verdict"), _frame("result")])


def _avalon_scratch() -> bytes:
    """Every bit of a word, and back-to-back writes and reads."""
    words = [0, 0xFFFFFFFF, *(1 << bit for bit in range(32)), *(0xFFFFFFFF ^ 1 << bit for bit in range(32))]
    found = [part for word in words for part in (_write(_SCRATCH, word), _read(_SCRATCH))]
    for count in range(1, 12):
        found += [_write(_SCRATCH, count << 8 | number) for number in range(count)]
        found += [_read(_SCRATCH), _read(_ERRORS)]
    return b"".join(found)


def _avalon_pins() -> bytes:
    """Every pattern of enabled bytes, and every combination of the pins that say what a transfer is."""
    found = [_write(_SCRATCH, 0x600DF00D)]
    for enabled in range(16):
        for way in (_READ, _WRITE):
            pins = _SCRATCH | _CHIPSELECT | way | _BEGIN | enabled << 20
            found += [_operation("a", pins, 0x0BADBAD0 | enabled), _read(_ERROR), _write(_ERROR, 0), _read(_SCRATCH)]
    for chosen in range(16):
        pins = _SCRATCH | chosen << 16 | _ALL
        found += [_partial(one.offset) for one in REGISTERS[5 * chosen : 5 * chosen + 5]]
        found += [_operation("a", pins, 0x13570000 | chosen), _read(_ERROR), _read(_ERRORS), _write(_ERROR, 0), _read(_SCRATCH)]
    return b"".join(found)


def _avalon_clocks() -> bytes:
    """Pins clock by clock: transfers that begin late, are broken off, or come in the clock after another."""
    write, read = _SCRATCH | _CHIPSELECT | _WRITE | _ALL, _SCRATCH | _CHIPSELECT | _READ | _ALL
    rows: list[list[int]] = [
        [write | _BEGIN],
        [write],
        [write | _BEGIN, write],
        [write | _BEGIN, write | _BEGIN, write | _BEGIN],
        [read | _BEGIN, *[read] * 6],
        [read, *[read] * 6],
        [read, read | _BEGIN, *[read] * 5],
        [read | _BEGIN, 0, 0, 0, 0, 0, 0],
        [read | _BEGIN, *[read] * 6, read | _BEGIN, *[read] * 6],
        [read | _BEGIN, *[read] * 6, write | _BEGIN, read | _BEGIN, *[read] * 7],
        [write | _BEGIN, read | _BEGIN, *[read] * 8],
        [write | _BEGIN] * 9 + [read | _BEGIN, *[read] * 9],
        [read | _BEGIN, *[read] * 6, write, 0, read | _BEGIN, *[read] * 6],
        [_SCRATCH | _CHIPSELECT | _BEGIN | _ALL, write, 0],
        [read | _BEGIN, read, 0, read, *[read] * 6],
    ]
    found = []
    for number, row in enumerate(rows):
        found += [_operation("c", pins, 0xC0DE0000 | number << 8 | place) for place, pins in enumerate(row)]
        found += [_idle(12), _read(_SCRATCH), _read(_ERRORS), _read(_ERROR), _write(_ERROR, 0)]
    # A write that is held by a full stream was begun in its first clock only.
    found += [_write(register("skeleton_data").offset, 0xFF000028), *(_write(register("skeleton_data").offset, 7 + n) for n in range(20))]
    return b"".join([*found, _idle(60), _read(0x52), _read(_ERRORS)])


def _subscription(chance: random.Random, size: int) -> bytes:
    """A frame of that many bytes, the beginning of a header when it is short; a mirror makes a result of it."""
    return chance.randbytes(size)


def _avalon_packets() -> bytes:
    """Packets of all lengths through every window, with other bytes above their last one, and what they give."""
    chance = random.Random("packets")
    found = [_write(_ENABLE, 7)]
    for number, size in enumerate([*range(14), 17, 31, 40, 64]):
        body = chance.randbytes(size)
        found += [_packet("publication", body, junk=chance.getrandbits(32)), _idle(size % 5), _frame("notification", number % LINKS)]
        found += [_frame("verdict"), _read(_INTERRUPT), _write(_INTERRUPT, 7), _read(_INTERRUPT)]
    for size in [*range(10), 15, 16, 17, 20, 23, 33]:
        found += [_packet("subscription", chance.randbytes(size), junk=chance.getrandbits(32)), _idle(size % 3), _frame("result")]
        found += [_read(register("registered").offset), _read(register("steps_used").offset), _read(_STATUS)]
    for size in [*range(10), 21]:
        found += [_packet("skeleton", bytes(byte & 0x7F for byte in chance.randbytes(size)), junk=chance.getrandbits(31)), _idle(8)]
        found += [_read(0x51), _read(0x52), _read(_STATUS)]
    return b"".join(found)


def _avalon_states() -> bytes:
    """The state of each window while packets wait there, word by word."""
    chance = random.Random("states")
    state, data = register("notification_state").offset, register("notification_data").offset
    found = []
    for size in (5, 6, 7, 8, 0):
        found += [_packet("publication", chance.randbytes(size)), _idle(12)]
        for place in range(LINKS):
            found += [_read(state + place), _read(_STATUS)]
        found += [_read(register("verdict_state").offset), _read(register("result_state").offset)]
        found += [_partial(place) for place in (state, data, state + 1, data + 1, 0x180, 0x181, 0x182, 0x183)]
    for place in range(LINKS):
        for _ in range(9):
            found += [_read(state + place), _read(data + place), _read(_ERROR)]
    for name in ("verdict", "result"):
        if name == "result":
            found += [_packet("subscription", chance.randbytes(20)), _idle(10)]
        for _ in range(18):
            found += [_read(register(f"{name}_state").offset), _read(register(f"{name}_data").offset), _read(_STATUS)]
    return b"".join([*found, _read(_ERROR), _read(_ERRORS)])


def _avalon_room() -> bytes:
    """Streams that fill up: room goes down to 0, then a word is refused, and nothing of what was taken is lost."""
    found = []
    base = register("publication_data").offset
    for number in range(36):
        found += [_write(base, 0x01010101 * number), _read(register("publication_state").offset), _read(_ERROR)]
    found += [_read(_ERRORS), _write(_ERROR, 0)]
    notified = register("notification_data").offset
    for _ in range(5):
        found += [_read(notified), _idle(3), _read(register("publication_state").offset)]
    found += [_write(base, 0xFEEDBEEF), _write(register("publication_end3").offset, 0x99ABCDEF), _read(_ERRORS)]
    found += [_frame("notification"), _frame("verdict")]
    for number in range(30):
        found += [_write(register("subscription_end4").offset, 0x1F1818FF - number), _read(register("subscription_state").offset)]
    found += [_read(_ERROR), _write(_ERROR, 0), *[_frame("result")] * 24, _idle(20), _read(register("result_state").offset)]
    # A skeleton that is held for less than the patience, and for longer.
    place = register("skeleton_data").offset
    found += [_write(place, 0xFF0000F0), *(_write(place, number) for number in range(18)), _read(register("skeleton_state").offset)]
    found += [_read(_ERRORS), _idle(300), _write(place, 0xFF000400), *(_write(place, 0x100 + number) for number in range(18))]
    found += [_read(_ERROR), _read(register("skeleton_state").offset), _read(_ERRORS), _read(0x52)]
    # While a stream has no room, other registers answer.
    found += [_write(_SCRATCH, 0xABCD), _read(_SCRATCH), _read(_STATUS), _idle(600), _read(0x52), _read(_ERRORS)]
    # One that is held for a clock less than the patience, and a clock more.
    for clocks in range(262, 296):
        found += [_write(_ERROR, 0), _write(place, 0xFF000000 | clocks), *(_write(place, number) for number in range(17))]
        found += [_read(_ERROR), _idle(200)]
    # What comes behind a word that waits changes nothing about it.
    for behind in (_read(0x1FFF), _write(0, 1), _read(0), _write(_SCRATCH, 3), _read(place), _write(0x30, 1), _read(0x181)):
        found += [_write(_ERROR, 0), _write(place, 0xFF000060), *(_write(place, number) for number in range(17)), behind]
        found += [_read(_ERROR), _read(_ERRORS), _idle(200), _read(0x52)]
    # A transfer that is held and was not begun.
    row = [_write(place, number) for number in range(22)]
    row[19] = row[21] = _operation("a", place | _CHIPSELECT | _WRITE | _ALL, 0x40)
    found += [_write(_ERROR, 0), _write(place, 0xFF000060), *row, _idle(200), _read(_ERROR), _read(_ERRORS), _read(0x52)]
    return b"".join(found)


def _avalon_interrupts() -> bytes:
    """Each cause raises each flag; masks of one and of all; a flag that is still the case comes back."""
    chance = random.Random("interrupts")
    found = []
    causes = [
        (_packet("subscription", chance.randbytes(20)) + _idle(8), _frame("result")),
        (_packet("publication", b"ab") + _idle(8), _frame("notification", 0) + _frame("verdict")),
        (_write(_CONTROL, 1) + _idle(40), b""),
        (_read(0x1FFF), _write(_ERROR, 0)),
        (_packet("publication", b"abcdef") + _idle(8), _frame("verdict") + _frame("notification", 1)),
    ]
    for mask in (0, 1, 2, 4, 8, 16, 31):
        for cause, end in causes:
            found += [
                _write(_ENABLE, mask),
                _write(_INTERRUPT, 31),
                _read(_STATUS),
                cause,
                _read(_INTERRUPT),
                _read(_STATUS),
                _read(_ENABLE),
            ]
            found += [_write(_INTERRUPT, 31), _read(_INTERRUPT), end, _read(_INTERRUPT)]
            for bit in range(5):
                found += [_write(_INTERRUPT, 1 << bit), _read(_INTERRUPT)]
            found += [_write(_INTERRUPT, 0), _read(_INTERRUPT), _write(_INTERRUPT, 31)]
    return b"".join([*found, _write(_ENABLE, 0xFFFFFFFF), _read(_ENABLE), _write(_ENABLE, 0), _read(_ENABLE)])


def _avalon_commands() -> bytes:
    """CLEAR and RESET: alone, together, one during the other, and a reset while packets are under way on every stream."""
    chance = random.Random("commands")
    found = [_packet("subscription", chance.randbytes(24)), _frame("result"), _read(0x41), _read(0x42)]
    found += [_write(_CONTROL, 1), _read(_CONTROL), _read(_CONTROL), _idle(20), _read(_CONTROL), _read(0x41), _read(_INTERRUPT)]
    found += [_write(_CONTROL, 0), _read(_CONTROL), _write(_CONTROL, 0xFFFFFFFC), _read(_CONTROL), _idle(30), _read(_INTERRUPT)]
    for command in (2, 3, 0xFFFFFFFE):
        # Something in every queue, and a packet that has not ended on every stream.
        for size in (9, 6, 13, 8):
            found += [_packet("publication", chance.randbytes(size)), _packet("subscription", chance.randbytes(20 + size))]
        found += [_packet("skeleton", b"\x01\x00\x00\xff"[::-1]), _packet("skeleton", b"abcdefghijkl"), _write(0x121, 0xFF000020)]
        found += [
            _read(0x181),
            _read(0x183),
            _read(0x194),
            _read(0x195),
            _write(0x101, 0x11111111),
            _write(0x111, 0x2222),
            _write(0x121, 0x33),
        ]
        found += [_write(_CONTROL, command), _write(_SCRATCH, command), _read(_CONTROL), _read(_CONTROL), _idle(10), _read(_STATUS)]
        for address in (0x100, 0x110, 0x120, 0x180, 0x182, 0x190, 0x191, 0x41, 0x42, 0x51, 0x52, _SCRATCH, _INTERRUPT, _CONTROL):
            found.append(_read(address))
        found += [_write(_INTERRUPT, 31), _packet("publication", b"after"), _frame("notification", 0), _frame("verdict")]
        found += [_packet("subscription", chance.randbytes(20)), _frame("result"), _packet("publication", b""), _frame("notification", 1)]
        found += [_frame("verdict"), _packet("skeleton", b"xyz"), _idle(9), _read(0x51), _read(0x52), _idle(30), _read(_INTERRUPT)]
    # A reset ends a removal; a removal that is asked for during the reset is dropped.
    found += [_write(_CONTROL, 1), _write(_CONTROL, 2), _read(_CONTROL), _idle(40), _read(_INTERRUPT), _read(_CONTROL)]
    found += [_write(_CONTROL, 2), _write(_CONTROL, 1), _read(_CONTROL), _idle(40), _read(_INTERRUPT), _write(_INTERRUPT, 31)]
    found += [_write(_CONTROL, 2), _write(_CONTROL, 2), _write(_CONTROL, 2), _write(_CONTROL, 2), _write(_CONTROL, 2), _write(_CONTROL, 2)]
    found += [_read(_CONTROL), _write(_CONTROL, 1), _write(_CONTROL, 1), _idle(60), _read(_INTERRUPT), _read(_CONTROL)]
    for wait in range(8):
        found += [_write(_CONTROL, 2), *([_idle(wait)] if wait else []), _packet("publication", bytes([wait] * 5)), _idle(20), _read(0x190)]
        found += [_read(0x182), _write(_CONTROL, 2), _idle(12)]
    return b"".join(found)


def _avalon_bursts() -> bytes:
    """Long packets in both links' queues and many verdicts, read late: every queue wraps."""
    chance = random.Random("bursts")
    found = []
    for _ in range(5):
        bodies = [chance.randbytes(chance.choice((1, 4, 7, 12, 15))) for _ in range(4)]
        for body in bodies:
            found.append(_packet("publication", body, junk=0xFFFFFFFF))
        for number in range(4):
            found.append(_frame("notification", number % LINKS))
        found += [_frame("verdict")] * 4
        for _ in range(6):
            found.append(_packet("subscription", chance.randbytes(20)))
        found += [_frame("result")] * 6
    return b"".join(found)


def _avalon_reset() -> bytes:
    """The reset in the middle of things: what registers hold is gone."""
    found = [_write(_SCRATCH, 0xFFFFFFFF), _write(_ENABLE, 31), _read(0x1FFF), _packet("publication", b"abcdefgh"), _idle(9)]
    found += [_packet("subscription", bytes(range(40))), _read(_STATUS), _write(_CONTROL, 1), _operation("z", 5)]
    return (
        b"".join(found)
        + b"".join(map(_read, (_SCRATCH, _ENABLE, _ERROR, _ERRORS, _INTERRUPT, _STATUS, 0x190, 0x180, 0x182, _CONTROL)))
        + b"".join(
            [
                _packet("publication", b"new"),
                _frame("notification", 0),
                _frame("verdict"),
                _operation("z", 3),
                _packet("publication", b""),
                _frame("verdict"),
            ]
        )
    )


# --- Wishbone


def _ask(address: int, word: int | None = None, *, pins: int = _CYC | _STB | _ALL) -> bytes:
    """A request; with a word it writes."""
    return _operation("w", address | pins | (0 if word is None else _WE), word or 0)


def _wait(clocks: int, *, cyc: int = 1) -> bytes:
    return _operation("x", cyc, clocks)


def _wishbone_accesses() -> bytes:
    """Reads and writes one by one and row by row, good and bad ones mixed."""
    chance = random.Random("wishbone")
    found = []
    for number in range(40):
        found += [_ask(_SCRATCH, chance.getrandbits(32)), _wait(number % 7), _ask(_SCRATCH), _wait(6)]
    for count in range(1, 20):
        for _ in range(count):
            choice = chance.randrange(5)
            if choice == 0:
                found.append(_ask(_SCRATCH, chance.getrandbits(32)))
            else:
                found.append(_ask((_SCRATCH, 0, 1, 0x1FFF, _ERRORS)[choice]))
        found += [_wait(8)]
    for selected in range(16):
        for word in (None, 0xBAD00 | selected):
            pins = _CYC | _STB | selected << 20
            found += [_ask(_SCRATCH, word, pins=pins), _wait(6), _ask(_ERROR), _ask(_ERROR, 0), _ask(_SCRATCH), _wait(6)]
    for bit in range(13):
        found += [_ask(_SCRATCH ^ 1 << bit), _ask(_ERRORS), _wait(6)]
    for bit in range(32):
        found += [_ask(_SCRATCH, 1 << bit), _ask(_SCRATCH), _wait(5)]
    return b"".join(found)


def _wishbone_cycles() -> bytes:
    """Cycles that are broken off after each number of requests and clocks, and begun again after each number of clocks."""
    found = [_ask(_SCRATCH, 0x12345678), _wait(8)]
    for requests, after, gap in itertools.product(range(1, 8), range(6), range(1, 8)):
        if (requests + after + gap) % 2 and gap > 3:
            continue
        found += [_ask(0x1FF0 if number % 3 == 2 else 0) for number in range(requests)]
        found += [*([_wait(after)] if after else []), _wait(gap, cyc=0), _ask(_SCRATCH), _ask(1), _wait(12)]
    for pins in (_CYC, _STB, 0):
        found += [_ask(_SCRATCH, 0xBAD, pins=pins | _ALL), _wait(8), _ask(_SCRATCH), _wait(8), _wait(3, cyc=0)]
    # Broken off, begun and broken off again while answers are under way.
    for gap in range(1, 5):
        found += [_ask(0), _ask(0), _wait(1, cyc=0), _ask(1), _wait(gap, cyc=0), _ask(_SCRATCH), _wait(10)]
    return b"".join(found)


def _wishbone_stalls() -> bytes:
    """A stream that has no room for a while stalls the bus; then for too long, which is an error. The interrupt is the bus's own."""
    place = register("skeleton_data").offset
    found = [_ask(_ENABLE, 16), _ask(place, 0xFF000028), *(_ask(place, number) for number in range(24)), _wait(30), _ask(0x52), _wait(6)]
    found += [_ask(place, 0xFF000200), *(_ask(place, number) for number in range(19)), _ask(_ERRORS), _ask(_ERROR), _ask(_STATUS), _wait(8)]
    found += [_wait(300, cyc=0), _ask(0x52), _ask(_INTERRUPT, 16), _ask(_STATUS), _wait(8)]
    # The cycle is broken off while a request waits behind one that is held.
    found += [
        _ask(place, 0xFF000040),
        *(_ask(place, number) for number in range(20)),
        _wait(2, cyc=0),
        _ask(0),
        _wait(60),
        _ask(0x52),
        _wait(9),
    ]
    return b"".join(found)


def _wishbone_reset() -> bytes:
    """The reset while answers are under way, and while answers to nobody are."""
    found = list[bytes]()
    for requests, after in itertools.product(range(1, 6), range(4)):
        found += [_ask(_SCRATCH, 77), *(_ask(0) for _ in range(requests)), _wait(1 + after, cyc=after % 2)]
        found += [_operation("z", 2 + after), _ask(_SCRATCH), _ask(1), _wait(9), _wait(2, cyc=0)]
    return b"".join(found)


# --- AXI


def _lite_write(address: int, word: int, *, strobes: int = 15, address_delay: int = 0, delay: int = 0) -> bytes:
    return _operation("A", address, address_delay) + _operation("D", word, strobes, delay)


def _lite_read(address: int, delay: int = 0) -> bytes:
    return _operation("R", address, delay)


def _done(quiet: int = 24) -> bytes:
    return _operation("E", quiet)


def _ready(channel: int, pattern: int = 0xFFFFFFFF) -> bytes:
    return _operation("K", channel, pattern)


def _axi_accesses() -> bytes:
    """AW before, with and after W; every strobe, every alignment; reads and writes that meet."""
    scratch = 4 * _SCRATCH
    found = []
    for first, then in itertools.product(range(5), range(5)):
        found += [_lite_write(scratch, first << 16 | then, address_delay=first, delay=then), _done(8), _lite_read(scratch), _done(8)]
    for strobes in range(16):
        found += [_lite_write(scratch, 0xBAD00 | strobes, strobes=strobes), _done(8), _lite_read(scratch), _lite_read(4 * _ERROR), _done(8)]
        found += [_lite_write(4 * _ERROR, 0), _done(8)]
    for low in range(1, 4):
        found += [
            _lite_write(scratch | low, 0xBAD),
            _done(8),
            _lite_read(scratch | low),
            _lite_read(scratch),
            _lite_read(4 * _ERRORS),
            _done(8),
        ]
    for bit in range(15):
        found += [
            _lite_read(scratch ^ 1 << bit),
            _lite_write(scratch ^ 1 << bit, 1 << 31 | bit),
            _done(8),
            _lite_read(4 * _ERRORS),
            _done(8),
        ]
    for bit in range(32):
        found += [_lite_write(scratch, 1 << bit), _done(6), _lite_read(scratch), _done(6)]
    # Registers of windows do not exist here.
    for one in REGISTERS:
        found += [_lite_read(4 * one.offset), _done(6)] if one.name != "clocks" else []
    return b"".join([*found, _lite_read(4 * _ERRORS), _done(8), _lite_write(4 * _ENABLE, 16), _lite_write(1, 0), _done(20)])


def _axi_rows() -> bytes:
    """Rows of reads and writes under every kind of stall of their answers. Neither waits for the other's to be taken."""
    chance = random.Random("rows")
    scratch = 4 * _SCRATCH
    found = []
    patterns = (0xFFFFFFFF, 0x55555555, 0x11111111, 0x00000001, 0xF0F0F0F0, 0x80000000)
    for writes, reads in itertools.product(patterns, patterns):
        found += [_ready(0, writes), _ready(1, reads)]
        found += [
            _lite_write(scratch if number % 4 else 3, number, address_delay=chance.randrange(2), delay=chance.randrange(2))
            for number in range(9)
        ]
        found += [_lite_read((0, 4, 0x7FFC, 4 * _STATUS)[chance.randrange(4)], chance.randrange(2)) for _ in range(9)]
        found += [_done(40), _ready(0), _ready(1), _lite_read(scratch), _lite_read(4 * _ERRORS), _done(8)]
    # One kind stands still while the other goes on, and more than its places are asked for.
    for stopped in (0, 1):
        found.append(_ready(stopped, 0))
        rows = [_lite_write(scratch, number) for number in range(7)], [_lite_read(4 * (number % 2)) for number in range(7)]
        found += [*rows[stopped], _idle(40), *rows[1 - stopped], _idle(60), _ready(stopped), _done(20), _lite_read(scratch), _done(8)]
    return b"".join(found)


def _axi_turns() -> bytes:
    """Writes and reads of the same register that are asked for at the same time: they take turns."""
    scratch, found = 4 * _SCRATCH, list[bytes]()
    for ahead, writes, reads in itertools.product(range(3), (1, 2, 5), (1, 2, 5, 12)):
        found += [_lite_write(scratch, 0xFFFF), _done(12)]
        found += [_lite_read(scratch) for _ in range(ahead)]
        found += [_lite_write(scratch, number) for number in range(writes)] + [_lite_read(scratch) for _ in range(reads)] + [_done(16)]
    return b"".join(found)


def _axi_reset() -> bytes:
    """The reset while requests, answers and packets are under way."""
    found = list[bytes]()
    for clocks in range(1, 14):
        found += [_ready(0, 0), _ready(1, 0), _ready(2, 0), _ready(3, 0), _ready(4, 0), _ready(5, 0)]
        found += [
            _lite_write(4 * _SCRATCH, clocks),
            _lite_read(0),
            _lite_write(1, clocks),
            _lite_read(4),
            _lite_write(4 * _ENABLE, 31),
            _lite_read(1),
        ]
        found += [_beats(0, b"abcdefgh"), _operation("S", 0, 1, 2, 0, 0), _operation("S", 2, 1, 15, 0, 0), _beats(1, bytes(range(22)))]
        found += [_idle(clocks), _operation("z", 4), *(_ready(channel) for channel in range(6)), _done(20)]
        found += [_lite_read(4 * place) for place in (_SCRATCH, _ERRORS, 0x41, 0x51, _ENABLE, 0)] + [_done(8), _lite_write(4 * _SCRATCH, 5)]
        found += [_beats(0, b"first"), _beats(1, b"second" * 4), _beats(2, b"third"), _beats(0, b"fourth"), _done(60)]
        found += [_lite_write(4 * _SCRATCH, 6), _done(12), *([_lite_read(0), _idle(12)] if clocks % 2 else []), _operation("z", 4)]
        found += [_lite_write(4 * _SCRATCH, 7), _lite_read(4 * _SCRATCH), _done(20)]
    return b"".join(found)


def _beats(stream: int, data: bytes, *, delay: int = 0, junk: int = 0xA5A5A5A5) -> bytes:
    """A proper packet, with other bytes where none is kept."""
    pieces = [data[at : at + 4] for at in range(0, len(data), 4)] or [b""]
    found = []
    for number, piece in enumerate(pieces, 1):
        word = int.from_bytes(piece, "little") | (junk >> 8 * len(piece) << 8 * len(piece) & 0xFFFFFFFF)
        found.append(_operation("S", stream, word, (1 << len(piece)) - 1, number == len(pieces), delay))
    return b"".join(found)


def _axi_packets() -> bytes:
    """Packets of all lengths on each stream, back to back and with pauses, under stalls of each output."""
    chance = random.Random("axis")
    found = []
    for pattern in (0xFFFFFFFF, 0x55555555, 0x01010101, 0xFF00FF00):
        found += [_ready(channel, pattern) for channel in range(2, 4 + LINKS)]
        for size in [*range(13), 21, 40]:
            delay = chance.randrange(3)
            found += [_beats(0, chance.randbytes(size), delay=delay), _beats(1, chance.randbytes(size + 8), delay=delay)]
            found += [_beats(2, bytes(byte & 0x7F for byte in chance.randbytes(size)), delay=chance.randrange(2), junk=0x25A5A5A5)]
        found += [
            _done(60),
            _lite_read(4 * 0x41),
            _lite_read(4 * 0x42),
            _lite_read(4 * 0x51),
            _lite_read(4 * 0x52),
            _lite_read(4 * _STATUS),
        ]
        found += [_done(8)]
    # An output that stands still holds the input back, and nothing is lost.
    for channel in range(2, 4 + LINKS):
        found += [_ready(other) for other in range(2, 4 + LINKS)] + [_ready(channel, 0)]
        for size in (4, 9, 20, 24):
            found += [_beats(0, chance.randbytes(size)), _beats(1, chance.randbytes(20))]
        found += [_idle(100), _ready(channel), _done(60)]
    return b"".join(found)


def _axi_improper() -> bytes:
    """Every ``tkeep`` in each word of a packet, on each stream; ``axis_error`` stays until the reset."""
    found = []
    for stream in range(3):
        found += [_done(8), _lite_write(4 * _CONTROL, 2), _done(20)]
        for keep in range(16):
            found += [_operation("S", stream, 0x44332211, keep, 1, 0), _done(20), _beats(stream, b"good"), _done(20)]
            if keep % 5 == 4:
                found += [_lite_write(4 * _CONTROL, 2), _done(20)]
        for keep, place in itertools.product((0, 1, 2, 3, 5, 7, 8, 14), range(3)):
            for at in range(4):
                found.append(_operation("S", stream, 0x01020304 * (at + 1), keep if at == place else 15, at == 3, at % 2))
            found += [_beats(stream, b"next!"), _done(30)]
        found += [_lite_read(4 * 0x51), _lite_read(4 * 0x52), _lite_read(4 * 0x41), _done(8), _lite_write(4 * _CONTROL, 2), _done(20)]
    # What is dropped is taken while the broker is not ready; a reset ends the dropping.
    found += [_ready(4, 0), _ready(5, 0), _operation("S", 0, 1, 2, 0, 0)]
    found += [
        *(_operation("S", 0, number, 15, 0, 0) for number in range(30)),
        _operation("S", 0, 9, 15, 1, 0),
        _idle(60),
        _ready(4),
        _ready(5),
    ]
    found += [
        _done(40),
        _operation("S", 0, 1, 4, 0, 0),
        _operation("S", 0, 1, 15, 0, 0),
        _idle(12),
        _lite_write(4 * _CONTROL, 2),
        _done(24),
    ]
    return b"".join([*found, _beats(0, b"whole"), _beats(0, b"packets"), _done(40)])


def _axi_commands() -> bytes:
    """Removal and reset while packets are under way on every stream and outputs wait."""
    chance = random.Random("axi commands")
    found = []
    for turn in range(4):
        found += [_ready(channel, 0) for channel in range(2, 4 + LINKS)]
        for size in (9, 6):
            found += [_beats(0, chance.randbytes(size)), _beats(1, chance.randbytes(20 + size)), _beats(2, b"abcdefg")]
        found += [_operation("S", stream, 0x11223344, 15, 0, 0) for stream in range(3)]
        found += [_idle(30), *([_ready(2), _ready(3), _idle(3), _ready(2, 0), _ready(3, 0)] if turn % 2 else [])]
        found += [_lite_write(4 * _CONTROL, 2 + turn // 2), _idle(2), *[_operation("K", c, 0xFFFFFFFF) for c in range(2, 4 + LINKS)]]
        found += [_done(30), *(_lite_read(4 * place) for place in (0x41, 0x42, 0x51, 0x52, _STATUS, _CONTROL)), _done(8)]
        for name in (b"after", b"", b"reset"):
            found += [_beats(0, name), _beats(1, name * 5), _beats(2, name)]
        found += [_done(40), *(_lite_read(4 * place) for place in (0x41, 0x42, 0x51, 0x52)), _done(8)]
        found += [
            _lite_write(4 * _CONTROL, 1),
            _done(40),
            _lite_read(4 * 0x41),
            _lite_read(4 * _INTERRUPT),
            _lite_write(4 * _INTERRUPT, 31),
        ]
        found += [_lite_write(4 * _ENABLE, 8 * (turn % 2)), _done(8)]
    return b"".join(found)


# --- The host link


def _segment(kind: int, a: int = 0, b: int = 0, payload: bytes = b"", *, session: int = _SESSION, length: int | None = None) -> bytes:
    """A segment on the wire; of an unknown kind, or with a length that it does not have, too."""
    raw = bytes([kind, session, a % 256, b % 256, len(payload) if length is None else length]) + payload
    return _enclosed(raw + zlib.crc32(raw).to_bytes(4, "little"))


def _enclosed(raw: bytes) -> bytes:
    special = (Segment.FLAG, Segment.ESCAPE)
    body = b"".join(bytes([Segment.ESCAPE, byte ^ Segment.INVERTED]) if byte in special else bytes([byte]) for byte in raw)
    return bytes([Segment.FLAG]) + body + bytes([Segment.FLAG])


def _line(*segments: bytes) -> bytes:
    return _bytes("L", b"".join(segments))


def _answers(count: int) -> bytes:
    return _operation("U", count)


def _quiet(clocks: int = 120) -> bytes:
    return _operation("Q", clocks)


def _opened(*, acknowledged: bool = True, session: int = _SESSION) -> bytes:
    """A new session, in which the bench acknowledges DATA by itself."""
    return b"".join(
        [
            _line(_segment(SegmentKind.OPEN, session=session)),
            _answers(1),
            _operation("H", acknowledged, session, 0),
            _bytes("O", b""),
        ]
    )


def _pieces(frames: Iterable[bytes], size: int = 255, *, first: int = 0, session: int = _SESSION) -> list[bytes]:
    """DATA with the frames, cut after ``size`` bytes."""
    whole = b"".join(frames)
    return [
        _segment(SegmentKind.DATA, first + number, 0, whole[at : at + size], session=session)
        for number, at in enumerate(range(0, len(whole), size))
    ]


def _access(address: int, word: int | None = None, *, reference: int = 0x01020304) -> bytes:
    aux = address | (0 if word is None else 1 << 15)
    return Frame(Header(Kind.ACCESS, aux=aux, reference=reference), b"" if word is None else struct.pack(">I", word)).pack()


def _publish(data: bytes, *, reference: int = 0xA1B2C3D4, attached: bool = False) -> bytes:
    return Frame(Header(Kind.PUBLISH, reference=reference, attached=attached), data).pack()


def _subscribe(text: bytes, *, reference: int = 0x11223344, link: int = 1, neighbour: int = 0) -> bytes:
    osid, semantics, content = OSid(9, (8, 7)), Semantics.CONTAINMENT, Content.WHOLE
    header = Header(Kind.SUBSCRIBE, osid, reference, semantics=semantics, content=content, link=link, neighbour=neighbour)
    return Frame(header, text).pack()


def _unsubscribe(reference: int) -> bytes:
    return Frame(Header(Kind.UNSUBSCRIBE, OSid(9, (8, 7)), reference, link=1)).pack()


def _sent(pieces: Sequence[bytes], *, window: int = 7) -> bytes:
    """The pieces, a window at a time."""
    found = []
    for at in range(0, len(pieces), window):
        found += [_line(*pieces[at : at + window]), _quiet()]
    return b"".join(found)


def _host_frames() -> bytes:
    """Every kind of frame with bodies of 0 to 9 bytes and more, each answered before the next."""
    places = [*range(9), *range(0x10, 0x24), *range(0x41, 0x58), 0x65, 0x66, 0x6B, 0x6C, 0x6D, 0x7B, 0x200, 0x25F]
    frames = [_access(place) for place in places]
    frames += [
        _access(8, 0xFFFFFFFF),
        _access(8),
        *(part for bit in range(32) for part in (_access(8, 1 << bit), _access(8, reference=1 << bit))),
    ]
    frames += [_access(1 << bit) for bit in range(13) if 1 << bit != _CLOCKS] + [
        _access(0x1FFF, 5),
        _access(0x101, 1),
        _access(0),
        _access(6),
        _access(6, 0),
    ]
    for size in [*range(10), 21, 40]:
        frames += [
            _publish(bytes(range(0xC0, 0xC0 + size)), reference=size << 8 | size),
            _subscribe(bytes(range(97, 97 + size)), neighbour=size),
        ]
        frames += [Frame(Header(Kind.SKELETON), bytes(range(48, 48 + size))).pack(), _unsubscribe(size)]
        frames += [_access(0x51), _access(0x52), _access(0x41), _access(0x42), _access(3)]
    return _opened() + _sent(_pieces(frames, 90)) + _bytes("O", b"")


def _host_refusals() -> bytes:
    """Frames that fit nowhere: every other kind, attachments, accesses of the wrong length; with and without a body."""
    frames = []
    for kind in (*range(0x50, 0x80), *b"SUPKA", 0, 255, *(1 << bit for bit in range(8))):
        if chr(kind) in "supka":
            continue
        size = kind % 6
        osid, reference = bytes(range(kind % 100, kind % 100 + 8)), bytes(range(200, 204))
        frames.append(bytes([kind, 0, 1, 2]) + osid + reference + struct.pack(">I", size) + b"refused"[:size])
        frames += [_access(8, kind)] if kind % 8 == 0 else []
    frames += [_publish(b"1234abcd"[:size], attached=True) for size in range(9)] + [_publish(b"ABC")]
    # One bit that the kind does not use, or that says what the broker cannot do.
    for frame in (_publish(b"odd", reference=77), Frame(Header(Kind.SKELETON, reference=78), b"odd").pack(), _access(8, reference=79)):
        for bit in range(8 if frame[0] == Kind.ACCESS else 24):
            frames.append(frame[:1] + (int.from_bytes(frame[1:4], "big") ^ 1 << 23 - bit).to_bytes(3, "big") + frame[4:])
    frames.append(_publish(b"both", attached=True)[:1] + b"\x09" + _publish(b"both")[2:])
    for size in (0, 1, 2, 3, 5, 8, 0x104):
        frames.append(Frame(Header(Kind.ACCESS, aux=0x8008, reference=size), b"x" * size).pack())
    for size in (1, 3, 4, 5, 0x100):
        frames.append(Frame(Header(Kind.ACCESS, aux=8, reference=size), b"y" * size).pack())
    frames += [_access(8), _access(0x56), _access(7)]
    return _opened(session=1) + _sent(_pieces(frames, 61, session=1)) + _bytes("O", b"")


def _host_flags() -> bytes:
    """Every byte value through both directions, among them those that must be escaped, in headers and check sums too."""
    frames = [_access(8, int.from_bytes(bytes([first, 0x7E, 0x7D, 255 - first]), "big")) for first in range(0, 256, 5)]
    frames += [_publish(bytes(range(256))), _publish(b"\x7e\x7d\x7e" * 5, reference=0x7E7D7E7D), _publish(bytes(255))]
    found = []
    for pattern in (0xFFFFFFFF, 0x24924924, 0x88888888):
        found += [_operation("T", pattern), _opened(session=0x7D), _sent(_pieces(frames, 126, session=0x7D))]
        frames = frames[::5] + frames[-3:]
    return b"".join(found)


def _host_lengths() -> bytes:
    """Segments of every length from 1 to 255 bytes."""
    whole = b"".join(_publish(bytes([number]) * 700, reference=number) for number in range(47))
    found, at = [_opened(session=5)], 0
    pieces = []
    for number, size in enumerate([*range(1, 256)][::-1]):
        pieces.append(_segment(SegmentKind.DATA, number, 0, whole[at : at + size], session=5))
        at += size
    found.append(_sent(pieces))
    return b"".join(found)


def _host_damage() -> bytes:
    """Damaged, lost, doubled and reordered DATA, noise between segments, and what the board asks for then."""
    pieces = _pieces([_access(8, number) for number in range(24)], 24 + 0)
    found = [_opened()]

    def step(*segments: bytes) -> None:
        found.extend([_line(*segments), _quiet(), _bytes("O", b"")])

    step(pieces[0])
    step(pieces[0])  # doubled
    step(pieces[2])  # early
    step(pieces[2])  # early again: asked for once
    step(pieces[1], pieces[2])
    step(pieces[4], pieces[5])
    step(_segment(SegmentKind.POLL))  # a poll lets it be asked again
    step(pieces[5])
    step(pieces[3], pieces[4], pieces[5])
    step(pieces[1], pieces[5])  # long gone
    good = pieces[6]
    for at in range(1, len(good) - 1, 3):
        for bit in (0, 5, 7):
            damaged = good[:at] + bytes([good[at] ^ 1 << bit]) + good[at + 1 :]
            if bit != 5 or at % 2:
                step(damaged)
    for cut in range(1, 12):
        step(good[:-cut] + b"\x7e")
    step(good[:-1] + b"\x7d\x7e")  # ends with an escape
    step(b"\x7d\x7e", b"\x7e\x7e\x7e", b"\x7e")
    step(b"noise without a flag", good)
    step(b"\x7enoise\x7e", b"\x11\x22", pieces[7])
    step(pieces[8], pieces[9][1:])  # two segments with one flag between them
    step(_segment(SegmentKind.DATA, 10, 0, b"", length=0))  # empty: never taken
    step(_segment(SegmentKind.DATA, 10, 0, b"A" * 30, length=29), _segment(SegmentKind.DATA, 10, 0, b"A" * 30, length=31))
    step(_enclosed(b"\x03\x7e\x0a\x00"), _enclosed(b""), _enclosed(b"\x03\x7e\x0a\x00\xff" + b"z" * 400))
    for number in (10 + 127, 10 + 128, 10 + 129, 10 + 255, 10 + 1):
        step(_segment(SegmentKind.POLL), _segment(SegmentKind.DATA, number, 0, b"not now"))
    for kind in (0, 2, 7, 8, 9, 16, 0x43, 0x83, 255):
        step(_segment(kind, 10, 0, b"what"))
    # Longer than any segment: one byte too many, and as many as make a counter of nine bits begin anew.
    step(_segment(SegmentKind.DATA, 10, 0, b"B" * 256, length=255))
    anew = b"C" * 507 + bytes([SegmentKind.DATA, _SESSION, 10, 0, 20]) + b"E" * 20
    step(_segment(SegmentKind.DATA, 10, 0, anew, length=255), _segment(SegmentKind.DATA, 10, 0, b"D" * 300, length=255))
    # A byte that need not be escaped may be.
    step(pieces[10].replace(b"a", b"\x7dA", 1))
    step(*pieces[11:17])
    step(*pieces[17:])
    step(_segment(SegmentKind.DATA, len(pieces), 0, _access(7) + _access(0x53) + _access(0x54) + _access(0x55) + _access(0x56)))
    return b"".join(found)


def _host_window() -> bytes:
    """The broker stands still: no more than eight segments are taken, and places become free when it goes on."""
    hold = Frame(Header(Kind.SKELETON), b"\x00\x04\x00\xff").pack()
    names = [Frame(Header(Kind.SKELETON), b"abcdefgh").pack() for _ in range(16)]
    pieces = _pieces([hold, hold, *names, _access(0x51), _access(0x52)], 20, session=0x33)
    found = [_opened(session=0x33), _line(*pieces[:12]), _quiet(400), _line(*pieces[8:14]), _quiet(2400)]
    found += [_line(_segment(SegmentKind.POLL, session=0x33)), _quiet()]
    found += [_line(piece) + _quiet(60) for piece in pieces[7:]]
    return b"".join([*found, _quiet(400)])


def _host_acknowledgements() -> bytes:
    """The host acknowledges late, wrongly, twice, from the future, asks for repeats, and is silent until the board repeats by itself."""
    ack, repeat = SegmentKind.ACK, SegmentKind.REPEAT
    found = [_opened(acknowledged=False)]

    def step(*segments: bytes, quiet: int = 120) -> None:
        found.extend([_line(*segments), _quiet(quiet), _bytes("O", b"")])

    step(*_pieces([_access(0)]))
    step(_segment(ack, 0))  # nothing new
    step(_segment(ack, 2))  # more than was sent
    step(_segment(ack, 255))
    step(_segment(repeat, 0))
    step(_segment(repeat, 5))  # nonsense
    step(_segment(ack, 1, 1))
    step(_segment(repeat, 1), _segment(repeat, 1))  # nothing to repeat
    step(_segment(ack, 0))
    for number in range(1, 7):
        step(*_pieces([_access(number)], first=number))
    step(_segment(ack, 3))
    step(_segment(repeat, 5))
    step(_segment(repeat, 4))  # back: unknown
    step(_segment(ack, 7))
    # Silence: the board sends again after its patience, several times.
    step(*_pieces([_access(8)], first=7), quiet=60)
    found += [_idle(2300), _bytes("O", b"")]
    step(_segment(ack, 8))
    # A word of progress begins the patience anew.
    step(*_pieces([_access(0)], first=8), quiet=60)
    step(*_pieces([_access(4)], first=9), quiet=60)
    step(*_pieces([_access(5)], first=10), quiet=60)
    found += [_idle(300), _line(_segment(ack, 9)), _idle(500), _line(_segment(ack, 10)), _idle(500), _line(_segment(ack, 10)), _idle(500)]
    step(_segment(ack, 9))
    found += [_idle(900), _bytes("O", b"")]
    step(_segment(ack, 11))
    # The board's window: nine segments of answers, of which eight may be under way.
    for number in range(11, 21):
        step(*_pieces([_access(number - 11)], first=number), quiet=50)
    found += [_idle(100)]
    step(_segment(ack, 12), quiet=60)
    step(_segment(ack, 19), quiet=60)
    step(_segment(repeat, 19), quiet=60)
    step(_segment(ack, 21), quiet=60)
    # An acknowledgement in the middle of a repetition.
    for number in range(21, 25):
        step(*_pieces([_access(0x10 + number - 21)], first=number), quiet=50)
    found += [
        _line(_segment(repeat, 21)),
        _idle(50),
        _line(_segment(ack, 24)),
        _quiet(),
        _line(_segment(ack, 25)),
        _quiet(),
        _bytes("O", b""),
    ]
    step(*_pieces([_access(0x53) + _access(0x54) + _access(0x55)], first=25))
    step(_segment(ack, 26))
    return b"".join(found)


def _host_sessions() -> bytes:
    """Segments without a session, of another one, sessions that follow one another, and the register that resets the broker."""
    found = [_bytes("O", b"")]
    kinds = (SegmentKind.DATA, SegmentKind.ACK, SegmentKind.POLL, SegmentKind.REPEAT)
    for kind in kinds:
        found += [_line(_segment(kind, 0, 0, b"x" if kind == SegmentKind.DATA else b"", session=kind * 16)), _quiet(), _bytes("O", b"")]
    for session in (1, 0x80, 0, 255, 0x55, 0x55):
        found += [_opened(session=session), *(_line(_segment(kind, 0, 0, session=session ^ 1)) + _quiet() for kind in kinds)]
        found += [_line(_segment(SegmentKind.DATA, 0, 0, _access(8, session) + _access(8), session=session ^ 16)), _quiet()]
        found += [_line(*_pieces([_access(8), _access(8, session), _access(0x53)], session=session)), _quiet()]
        # A frame that is cut short, publications and results that wait: the next session knows nothing of them.
        found += [
            _operation("H", 0, 0, 0),
            _line(_segment(SegmentKind.DATA, 1, 0, _publish(b"lost") + _subscribe(b"lost")[:22], session=session)),
        ]
        found += [_quiet(100 + session % 7)]
    # A reset of the broker by register closes the session.
    found += [
        _opened(session=9),
        _line(*_pieces([_subscribe(b"//a"), _access(0x41), _access(2, 2), _access(0x41)], session=9)),
        _quiet(400),
    ]
    found += [_bytes("O", b""), _line(_segment(SegmentKind.POLL, session=9)), _quiet(), _opened(session=10)]
    found += [_line(*_pieces([_access(0x41), _access(0x53), _access(0x55), _publish(b"again")], session=10)), _quiet(), _bytes("O", b"")]
    # A session that begins while segments of another are on their way out, at every moment.
    for wait in range(0, 90, 4):
        found += [_opened(session=11), _line(*_pieces([_publish(b"abcdefgh"), _access(0)], session=11)), _operation("i", 80 + 5 * wait)]
        found += [_line(_segment(SegmentKind.OPEN, session=12)), _quiet(), _operation("H", 1, 12, 0)]
        found += [_line(*_pieces([_access(1), _publish(b"xy")], session=12)), _quiet()]
    # The reset of the board.
    found += [_opened(session=13), _line(*_pieces([_access(8, 77)], session=13)), _quiet(), _operation("z", 4), _bytes("O", b"")]
    found += [
        _line(_segment(SegmentKind.POLL, session=13)),
        _quiet(),
        _opened(session=13),
        _line(*_pieces([_access(8), _access(0x53)], session=13)),
    ]
    return b"".join([*found, _quiet(), _bytes("O", b"")])


def _host_reopened() -> bytes:
    """A session that begins while results, verdicts and notifications of another are on their way, clock by clock."""
    found = list[bytes]()
    for wait in range(0, 130, 3):
        frames = [_subscribe(b"//a"), _publish(b"\xc1" * 9), _subscribe(b"")]
        found += [_opened(session=80), _line(*_pieces(frames, session=80)), _idle(130 + 2 * wait)]
        found += [_line(_segment(SegmentKind.OPEN, session=81)), _quiet(50), _operation("H", 1, 81, 0)]
        found += [_line(*_pieces([_subscribe(b"b"), _publish(b"\xc2"), _access(0x41)], session=81)), _quiet(150)]
    return b"".join(found)


def _host_commands() -> bytes:
    """Removal of every subscription, interrupts and errors through ACCESS frames."""
    frames = [
        _subscribe(b"//a"),
        _subscribe(b"//b"),
        _access(0x41),
        _access(_ENABLE, 8),
        _access(_CONTROL, 1),
        _access(_CONTROL),
        _access(_STATUS),
    ]
    later = [_access(_CONTROL), _access(0x41), _access(_INTERRUPT), _access(_STATUS), _access(_INTERRUPT, 8), _access(_INTERRUPT)]
    later += [_access(_ENABLE, 31), _access(0x1FF), _access(_ERROR), _access(_INTERRUPT), _access(_ERROR, 1), _access(_ERROR), _access(7)]
    later += [
        _access(0, 1),
        _access(_ERROR),
        _access(_INTERRUPT, 0xFFFFFFEF),
        _access(_INTERRUPT),
        _access(_INTERRUPT, 31),
        _access(_STATUS),
    ]
    pieces = _pieces([*frames, *later], 24, session=60)
    return b"".join([_opened(session=60), *(_line(piece) + _quiet(70) for piece in pieces)])


def _host_clocks() -> bytes:
    """The register that counts clocks, twice from the reset on."""
    return b"".join(
        [_opened(session=90), *(_line(_segment(SegmentKind.DATA, n, 0, _access(_CLOCKS), session=90)) + _quiet() for n in range(2))]
    )


def _host_resets() -> bytes:
    """The reset of the board at many moments: while a segment comes, while one goes, while a frame is under way."""
    found = list[bytes]()
    frames = [_publish(b"abcdefghijkl", reference=7), _subscribe(b"//x[y=1]"), _access(8, 9), Frame(Header(Kind.ROUTE), b"misfit").pack()]
    for turn in range(24):
        found += [_opened(session=70), _line(*_pieces(frames, 40 + turn, session=70)), _idle(20 + 17 * turn), _operation("z", 2 + turn % 4)]
        found += [_bytes("O", b""), _quiet(), *([_line(_segment(SegmentKind.POLL, session=70)), _quiet()] if turn % 3 == 0 else [])]
        found += [
            _opened(session=71),
            _line(*_pieces([_access(8), _access(0x53), _access(0x56), _publish(b"z"), _subscribe(b"")], session=71)),
        ]
        found += [_quiet(), *([_line(b"\x7e\x01\x02\x7d"), _idle(8), _operation("z", 3)] if turn % 4 == 1 else [])]
    return b"".join(found)


def _host_stalls() -> bytes:
    """A line that takes bytes seldom, bytes that come slowly, bodies longer than a segment, and more publications than may wait."""
    found = []
    for session, (pattern, pace) in enumerate(((0xFFFFFFFF, 3), (0x55555555, 1), (0x10101010, 2), (0xFFFF0000, 5)), 20):
        frames = [_publish(bytes(range(number, number + 60 + number)), reference=number) for number in range(5)]
        frames += [_subscribe(b"a" * (number * 7), reference=number) for number in range(5)] + [_access(number) for number in range(3)]
        found += [_operation("T", pattern), _operation("P", pace), _opened(session=session), _sent(_pieces(frames, 200, session=session))]
    found += [_operation("T", 0xFFFFFFFF), _operation("P", 1), _opened(session=30)]
    long = [_publish(bytes(700), reference=1), _publish(b"z" * 255, reference=2), _publish(b"y" * 235 + b"x" * 20, reference=3)]
    return b"".join([*found, _sent(_pieces(long, session=30))])


def _host_waiting() -> bytes:
    """Forty publications while the line takes nothing: after 32 references the next waits."""
    frames = [_publish(b"", reference=0x1000 + number) for number in range(60)]
    found = [_opened(session=40), _operation("T", 0), _line(*_pieces(frames, 250, session=40)), _idle(2500), _operation("T", 0xFFFFFFFF)]
    return b"".join([*found, _quiet(300), _line(*_pieces([_access(0x53)], session=40, first=len(_pieces(frames, 250)))), _quiet(300)])


def _host_numbers() -> bytes:
    """More than 256 segments each way: numbers wrap."""
    found = [_opened(session=50)]
    for number in range(300):
        found += [
            _line(_segment(SegmentKind.DATA, number, 0, _access(8, number) if number % 2 == 0 else _access(8), session=50)),
            _quiet(40),
        ]
    return b"".join(found)


# --- The UART

_BIT = 8
"""Clocks of a bit."""


def _levels(levels: Iterable[tuple[int, int]]) -> bytes:
    return _bytes("V", b"".join(struct.pack("<BH", level, clocks) for level, clocks in levels))


def _character(byte: int, *, bit: int = _BIT, stop: int = 1, stop_clocks: int = _BIT) -> list[tuple[int, int]]:
    return [(0, bit), *((byte >> place & 1, bit) for place in range(8)), (stop, stop_clocks)]


def _uart_receives() -> bytes:
    """Bytes back to back and apart, a bit slower and faster, framing errors, breaks, and spikes of every length."""
    found = [_levels([(1, 40)])]
    for byte in (0x55, 0xAA, 0, 0xFF, 0x7E, *(1 << bit for bit in range(8)), *(255 ^ 1 << bit for bit in range(8))):
        found += [_levels(_character(byte)), *([_levels([(1, byte % 11)])] if byte % 3 else [])]
    for gap in range(1, 20):
        found.append(_levels([*_character(gap * 13 % 256), (1, gap)]))
    for clocks in range(1, 10):
        found += [_levels([(1, 30), (0, clocks), (1, 120)]), _levels([*_character(0x31 + clocks), (1, 9)])]
    for byte in (0, 0x42, 0xFF):
        found.append(_levels([*_character(byte, stop=0), (1, 20), *_character(byte ^ 0x0F), (1, 30)]))
    for clocks in (70, 76, 80, 100, 333):
        found.append(_levels([(0, clocks), (1, 100), *_character(0xC3), (1, 40)]))
    # A line whose rate differs a little, and a stop bit that is short.
    for shift in (-1, 1):
        edges = [round(place * _BIT * (1 + shift * 0.03)) for place in range(11)]
        for byte in (0x5A, 0x00, 0xFF, 0x96):
            sent = [0, *(byte >> place & 1 for place in range(8)), 1]
            found.append(_levels([(level, edges[place + 1] - edges[place]) for place, level in enumerate(sent)]))
    for clocks in (6, 7):
        found.append(_levels([(1, 100), *_character(0x99, stop_clocks=clocks), *_character(0x66)]))
    return b"".join([*found, _levels([(1, 100)])])


def _uart_sends() -> bytes:
    """Bytes back to back, and with each pause."""
    rows = [
        [(byte, 0) for byte in (0x55, 0xAA, 0, 0xFF, 0x7E, 1, 0x80)],
        [(0x30 + gap, gap) for gap in range(0, 96, 3)],
        [(0xFF, 0)],
        [(0, 200)],
    ]
    rows += [[(1 << bit, bit) for bit in range(8)], [(0x61, 0), (0x62, 79), (0x63, 80), (0x64, 81), (0x65, 78), (0x66, 82)]]
    return b"".join(map(_transmitted, rows))


def _transmitted(row: Iterable[tuple[int, int]]) -> bytes:
    return _bytes("M", b"".join(struct.pack("<BH", byte, gap) for byte, gap in row))


def _uart_resets() -> bytes:
    """The reset in each bit of a byte that comes and of one that goes."""
    found = list[bytes]()
    for clocks in range(1, 96, 5):
        found += [_operation("N", 0), _levels([(0, min(clocks, 8)), (clocks // 8 % 2, max(1, clocks - 8))]), _operation("z", 2)]
        found += [_levels([(1, clocks % 3 + 1)]), _transmitted([(0xA5, clocks % 4), (0x0F, 0)]), _levels([*_character(clocks), (1, 12)])]
    return b"".join(found)


_SCRIPTS: dict[str, Callable[[], bytes]] = {
    "avalon-scratch": _avalon_scratch,
    "avalon-pins": _avalon_pins,
    "avalon-clocks": _avalon_clocks,
    "avalon-packets": _avalon_packets,
    "avalon-states": _avalon_states,
    "avalon-commands": _avalon_commands,
    "avalon-interrupts": _avalon_interrupts,
    "avalon-bursts": _avalon_bursts,
    "avalon-writes": _avalon_writes,
    "avalon-reads": _avalon_reads,
    "avalon-room": _avalon_room,
    "avalon-reset": _avalon_reset,
    "wishbone-accesses": _wishbone_accesses,
    "wishbone-cycles": _wishbone_cycles,
    "wishbone-stalls": _wishbone_stalls,
    "wishbone-reset": _wishbone_reset,
    "axi-accesses": _axi_accesses,
    "axi-rows": _axi_rows,
    "axi-turns": _axi_turns,
    "axi-reset": _axi_reset,
    "axi-packets": _axi_packets,
    "axi-improper": _axi_improper,
    "axi-commands": _axi_commands,
    "host-frames": _host_frames,
    "host-refusals": _host_refusals,
    "host-flags": _host_flags,
    "host-damage": _host_damage,
    "host-window": _host_window,
    "host-acknowledgements": _host_acknowledgements,
    "host-sessions": _host_sessions,
    "host-reopened": _host_reopened,
    "host-commands": _host_commands,
    "host-clocks": _host_clocks,
    "host-resets": _host_resets,
    "host-stalls": _host_stalls,
    "host-waiting": _host_waiting,
    "host-numbers": _host_numbers,
    "host-lengths": _host_lengths,
    "uart-receives": _uart_receives,
    "uart-resets": _uart_resets,
    "uart-sends": _uart_sends,
}


def scripts() -> Iterator[tuple[str, bytes]]:
    """The scripts and their names, which begin with the front that they are for."""
    for name, script in _SCRIPTS.items():
        yield name, script()
