"""What the fronts and the host link make of the scripts at their corners, judged by a plain model of the registers and of the mirror."""

import itertools
import struct
import subprocess
from collections import deque
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from hdl.contract import REGISTERS, BusError, Frame, Header, Kind, OSid, Refusal, Segment, SegmentKind, VerdictBody, register
from sim.corners.fronts import LINKS, scripts
from sim.mutants.benches import BENCHES
from sim.verilated.builder import program

CONFIG = BENCHES["fronts"].config
SCRIPTS = dict(scripts())
INBOUND = ("publication", "subscription", "skeleton")
Part = tuple[str, bytes]


def parts(data: bytes) -> Iterator[Part]:
    """Operations of a script, or records of what came out."""
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<I", data, at + 1)
        yield chr(data[at]), data[at + 5 : at + 5 + size]
        at += 5 + size


@cache
def run(name: str, folder: Path) -> tuple[Part, ...]:
    executable = program(top=BENCHES["fronts"].top, main=BENCHES["fronts"].main, config=CONFIG)
    source, output = folder / "script", folder / "records"
    source.write_bytes(SCRIPTS[name])
    subprocess.run([str(executable), str(source), str(output), "--patience", "6000"], check=True)
    return tuple(parts(output.read_bytes()))


def words_of(packet: bytes) -> list[int]:
    return [int.from_bytes(packet[at : at + 4], "little") for at in range(0, len(packet), 4)] or [0]


def mirrored(packet: bytes, *, ended: bool = False) -> bytes:
    """What comes back: four bytes 0 stand for a word without bytes, which an empty packet has, and one that ``ended`` with no bytes."""
    return packet + bytes(4) if ended or not packet else packet


class Mirror:
    """What a mirror makes of packets, frame by frame."""

    def __init__(self) -> None:
        self.link = self.registered = self.steps = self.names = self.mixed = self.full = self.hcd = 0
        self.results: deque[bytes] = deque()
        self.verdicts: deque[tuple[int, bytes]] = deque()
        self.notifications: list[deque[bytes]] = [deque() for _ in range(LINKS)]

    def take(self, stream: str, packet: bytes, *, ended: bool = False) -> None:
        words = words_of(packet)
        if stream == "publication":
            total = sum(words) % 2**32
            self.notifications[self.link].append(mirrored(packet, ended=ended))
            self.link = (self.link + 1) % LINKS
            aux = (total & 3) << 8 | total >> 2 & 255
            self.verdicts.append((aux, VerdictBody(total, len(packet), len(packet) % 32).pack()))
        elif stream == "subscription":
            words = [*words, 0] if ended else words
            first, *rest = [*words, 0, 0, 0][:4]
            head = bytes([Kind.RESULT, (first >> 12 & 15) << 4, 0, first >> 24])
            self.results.append(head + struct.pack("<3I", *rest) + bytes(4))
            self.registered, self.steps, self.full = (self.registered + 1) % 32, (self.steps + len(packet)) % 128, words[-1] & 1
        else:
            words = [*words, 0] if ended else words
            self.names, self.mixed, self.hcd = self.names + 1, (self.mixed + sum(words) + len(packet)) % 2**32, words[-1] & 1

    def verdict(self, reference: int) -> bytes:
        aux, body = self.verdicts.popleft()
        return Frame(Header(Kind.VERDICT, aux=aux, reference=reference), body).pack()


class Registers:
    """The register file as its document has it. Commands and streams take no time."""

    def __init__(self, *, windows: bool) -> None:
        self.windows = windows
        self.scratch = self.enabled = self.flags = self.error = self.errors = 0
        self.restart()

    def restart(self) -> None:
        self.mirror = Mirror()
        self.coming = dict.fromkeys(INBOUND, b"")
        self.number = 0
        self.queues: dict[str, deque[tuple[int, int, bool]]] = {}

    def _places(self, name: str) -> range:
        one = register(name)
        return range(one.offset, one.offset + (LINKS if name.startswith(("notified", "notification")) else one.count))

    def _drain(self) -> None:
        mirror = self.mirror
        while mirror.verdicts:
            self._queue("verdict0", mirror.verdict(self.number))
            self.number += 1
        while mirror.results:
            self._queue("result0", mirror.results.popleft())
        for link, waiting in enumerate(mirror.notifications):
            while waiting:
                self._queue(f"notification{link}", waiting.popleft())

    def _queue(self, name: str, frame: bytes) -> None:
        words = words_of(frame)
        for place, word in enumerate(words):
            last = place == len(words) - 1
            self.queues.setdefault(name, deque()).append((word, len(frame) - 4 * place if last else 4, last))

    @property
    def available(self) -> int:
        waiting = {name.rstrip("0123456789") for name, queue in self.queues.items() if queue}
        return sum((name in waiting) << bit for bit, name in enumerate(("result", "verdict", "notification")))

    def access(self, address: int, word: int | None, *, partial: bool = False) -> tuple[int, bool]:
        """What a read gives, 0 for a write, and whether it failed."""
        found = next((one for one in REGISTERS if address in self._places(one.name)), None)
        window = found is not None and found.name.rpartition("_")[0] in (*INBOUND, "result", "verdict", "notification")
        cause, value = BusError.NONE, 0
        if partial:
            cause = BusError.PARTIAL
        elif found is None or (window and not self.windows):
            cause = BusError.ADDRESS
        elif found.feature:
            cause = BusError.ABSENT
        elif not (found.readable if word is None else found.writable):
            cause = BusError.DIRECTION
        elif word is None:
            cause, value = self._read(found.name, address - found.offset)
        else:
            self._write(found.name, word)
        if cause:
            self.errors += 1
            self.error = self.error or cause | (word is not None) << 4 | address << 16
            self.flags |= 16
        self.flags |= self.available
        return value, bool(cause)

    def _read(self, name: str, place: int) -> tuple[BusError, int]:
        mirror, none = self.mirror, BusError.NONE
        stream, _, part = name.rpartition("_")
        if stream in INBOUND:
            return none, 16
        if part in ("state", "data"):
            queue = self.queues.get(f"{stream}{place}", deque())
            if part == "state":
                return none, 1 | queue[0][2] << 1 | queue[0][1] << 2 if queue else 0
            return (none, queue.popleft()[0]) if queue else (BusError.EMPTY, 0)
        limits = {f"config_{field.name}": getattr(CONFIG, field.name) for field in fields(CONFIG)}
        interrupt = bool(self.flags & self.enabled)
        values = limits | {
            "id": 0x58324342,
            "version": 2,
            "status": self.available | mirror.full << 3 | mirror.hcd << 4 | interrupt << 5,
            "interrupt": self.flags,
            "interrupt_enable": self.enabled,
            "error": self.error,
            "errors": self.errors,
            "scratch": self.scratch,
            "registered": mirror.registered,
            "steps_used": mirror.steps,
            "pinned": mirror.names,
            "unpinned": mirror.mixed,
        }
        if name == "notified" or 0x43 <= register(name).offset <= 0x50:
            return none, (register(name).offset + place & 63) * 0x01010101
        return none, values.get(name, 0)

    def _write(self, name: str, word: int) -> None:
        stream, _, part = name.rpartition("_")
        if stream in INBOUND:
            size = 4 if part == "data" else int(part[-1])
            self.coming[stream] += word.to_bytes(4, "little")[:size]
            if part != "data":
                self.mirror.take(stream, self.coming[stream], ended=size == 0 and self.coming[stream] != b"")
                self.coming[stream] = b""
                self._drain()
        elif name == "control" and word & 2:
            self.restart()
        elif name == "control" and word & 1:
            self.mirror.registered = self.mirror.steps = 0
            self.flags |= 8
        elif name == "interrupt":
            self.flags &= ~word
        elif name == "interrupt_enable":
            self.enabled = word & 31
        elif name == "scratch":
            self.scratch = word
        elif name == "error":
            self.error = 0


AVALON = ["scratch", "pins", "packets", "states", "interrupts", "bursts", "writes", "reads"]
TIMED = ("avalon-writes", "avalon-packets")
"""Scripts that look at a stream a few clocks after a packet was written."""


@pytest.mark.parametrize("name", [f"avalon-{name}" for name in AVALON])
def test_avalon_reads_what_the_model_holds(name: str, tmp_path: Path) -> None:
    model, came = Registers(windows=True), deque(run(name, tmp_path))
    compared = 0
    for kind, data in parts(SCRIPTS[name]):
        if kind == "f":
            state, place = struct.unpack("<II", data)
            frame, last = b"", False
            while not last:
                found, _ = model.access(state, None)
                word, _ = model.access(place, None)
                frame, last = frame + word.to_bytes(4, "little")[: found >> 2], bool(found & 2)
            assert came.popleft() == ("f", frame)
            compared += 1
        if kind != "a":
            continue
        pins, word = struct.unpack("<II", data)
        address, chosen, reads, writes, begins = pins & 0x1FFF, pins >> 16 & 1, pins >> 17 & 1, pins >> 18 & 1, pins >> 19 & 1
        value, held, irq = struct.unpack("<IHB", came.popleft()[1])
        if chosen and (reads or writes):
            partial = pins >> 20 != 15 or bool(reads and writes) or not begins
            expected, _ = model.access(address, word if writes else None, partial=partial)
            timed = name in TIMED and address in (register("interrupt").offset, register("status").offset)
            if reads and not writes and address != register("clocks").offset and not timed:
                assert value == expected, f"{address:04x} must read as {expected:08x}, not {value:08x}"
                compared += 1
            # A read takes six clocks, after those of the writes before it.
            assert 5 <= held <= 8 if not writes else held == 0
            if reads and address == register("interrupt_enable").offset and name not in TIMED:
                assert irq == bool(model.flags & model.enabled)
    assert not came
    assert compared > 8


def literal(name: str, folder: Path) -> list[int]:
    """The words of all transfers."""
    return [struct.unpack("<IHB", data)[0] for kind, data in run(name, folder) if kind == "a"]


def test_avalon_refuses_a_word_after_256_clocks(tmp_path: Path) -> None:
    """The queue of a link and the one before the broker hold 16 words each; three more wait in vain."""
    records = [struct.unpack("<IHB", data)[:2] for kind, data in run("avalon-room", tmp_path) if kind == "a"]
    writes, rooms, errors = records[0:108:3], records[1:108:3], records[2:108:3]
    assert all(held == 0 for _, held in writes)
    assert [room for room, _ in rooms] == [15] * 16 + [*range(15, -1, -1)] + [0] * 4
    # A write is taken at once; the read behind it waits.
    assert [number for number, (_, held) in enumerate(rooms) if held > 200] == [32, 33, 34, 35]
    assert all(256 <= held <= 264 for _, held in rooms[32:])
    assert [error for error, _ in errors[32:]] == [BusError.ROOM | 1 << 4 | 0x101 << 16] * 4
    assert records[108][0] == 4
    frames = [data for kind, data in run("avalon-room", tmp_path) if kind == "f"]
    taken = b"".join(bytes([number] * 4) for number in range(5, 32)) + bytes.fromhex("efbeedfe" + "efcdab")
    assert frames[0] == taken


def test_avalon_commands(tmp_path: Path) -> None:
    """A removal shows until it is done; after a reset everything is empty, and publications count from 0."""
    records = run("avalon-commands", tmp_path)
    verdicts = [data for kind, data in records if kind == "f" and data[:1] == b"v"]
    assert [Header.unpack(frame).reference for frame in verdicts[:6]] == [0, 1] * 3
    assert [VerdictBody.unpack(frame[20:]).length for frame in verdicts[:6]] == [5, 0] * 3
    words = literal("avalon-commands", tmp_path)
    first = words[6:]  # behind the frame and what it counted
    assert first[:2] == [1, 24]
    assert first[3:5] == [1, 1]
    assert first[5:8] == [0, 0, 0b01001]


def test_avalon_forgets_everything_at_the_reset(tmp_path: Path) -> None:
    assert literal("avalon-reset", tmp_path)[-12:-2] == [0] * 10


def test_avalon_boundary_of_the_patience(tmp_path: Path) -> None:
    """A word that is held for a clock longer each time: first it is taken, from some length on it is refused."""
    asked = [struct.unpack("<II", data) for kind, data in parts(SCRIPTS["avalon-room"]) if kind == "a"]
    found, clocks = {}, 0
    for (pins, word), value in zip(asked, literal("avalon-room", tmp_path), strict=True):
        if pins & 0x1FFF == 0x121 and word >> 24 == 0xFF:
            clocks = word & 0xFFFF
        if pins & 0x1FFF == register("error").offset and pins >> 17 & 1 and 262 <= clocks < 296:
            found[clocks] = value
    refused = [clocks for clocks, error in found.items() if error]
    assert all(found[clocks] == BusError.ROOM | 1 << 4 | 0x121 << 16 for clocks in refused)
    # The last word is written 17 clocks after the one that holds, which the mirror takes up to five clocks later; it waits 256 clocks.
    assert refused == list(range(refused[0], 296))
    assert 256 + 17 - 5 <= refused[0] <= 256 + 17


def answers(name: str, folder: Path) -> list[tuple[int, int, int]]:
    return [(data[0], data[1], struct.unpack("<I", data[3:])[0]) for kind, data in run(name, folder) if kind == "w"]


def test_wishbone_answers_each_request_in_order(tmp_path: Path) -> None:
    model, due = Registers(windows=True), []
    for kind, data in parts(SCRIPTS["wishbone-accesses"]):
        if kind == "w":
            pins, word = struct.unpack("<II", data)
            value, failed = model.access(pins & 0x1FFF, word if pins >> 18 & 1 else None, partial=pins >> 20 != 15)
            due.append((int(not failed), int(failed), value))
    assert answers("wishbone-accesses", tmp_path) == due


def test_wishbone_answers_nobody_after_a_broken_cycle(tmp_path: Path) -> None:
    """Whatever was under way when ``cyc`` fell, the next cycle's two reads get their own two answers."""
    came = deque(answers("wishbone-cycles", tmp_path))
    assert came.popleft() == (1, 0, 0)
    groups = 0
    while came:
        before = list(itertools.takewhile(lambda one: one[2] != 0x12345678, came))
        assert all(one in ((1, 0, 0x58324342), (0, 1, 0), (1, 0, 2)) for one in before)
        for _ in before:
            came.popleft()
        if not came:
            break
        assert came.popleft() == (1, 0, 0x12345678)
        groups += 1
    asked = [struct.unpack("<II", data)[0] for kind, data in parts(SCRIPTS["wishbone-cycles"]) if kind == "w"]
    whole = 3 << 16 | 15 << 20 | register("scratch").offset
    assert groups == asked.count(whole)
    assert answers("wishbone-reset", tmp_path)[-2:] == [(1, 0, 0), (1, 0, 1)]


def test_wishbone_stalls_and_fails_without_room(tmp_path: Path) -> None:
    found = answers("wishbone-stalls", tmp_path)
    assert all(one == (1, 0, 0) for one in found[:26])
    assert found[26] == (1, 0, (0xFF000028 + 4 + sum(number + 4 for number in range(24))) % 2**32)
    failed = [place for place, one in enumerate(found) if one[1]]
    assert failed == [27 + 17, 27 + 18, 27 + 19][: len(failed)]
    assert failed


def exchanges(name: str, folder: Path) -> Iterator[dict[str, bytes]]:
    """What came on each channel between two ends of everything."""
    group: dict[str, bytes] = {}
    for kind, data in run(name, folder):
        group[kind] = data
        if kind == "e":
            yield group
            group = {}


def packets(data: bytes) -> list[bytes]:
    """The packets of an output stream, each with proper qualifiers."""
    found, current = [], b""
    for word, keep, last in struct.iter_unpack("<IBB", data):
        size = (0, 1, 3, 7, 15).index(keep)
        assert last or size == 4
        current += word.to_bytes(4, "little")[:size]
        if last:
            found.append(current)
            current = b""
    assert not current
    return found


def axi(name: str) -> Iterator[tuple[list[tuple[int, int, int]], list[int], list[tuple[int, int, int, int]]]]:
    """Between two ends of everything: the writes, the reads and the words of streams."""
    addresses, data, reads, beats = [], [], [], []
    for kind, raw in parts(SCRIPTS[name]):
        numbers = struct.unpack(f"<{len(raw) // 4}I", raw)
        if kind == "A":
            addresses.append(numbers[0])
        elif kind == "D":
            data.append(numbers[:2])
        elif kind == "R":
            reads.append(numbers[0])
        elif kind == "S":
            beats.append((numbers[0], numbers[1], numbers[2], numbers[3]))
        elif kind == "E":
            yield [(address, word, strobes) for address, (word, strobes) in zip(addresses, data, strict=True)], reads, beats
            addresses, data, reads, beats = [], [], [], []


@pytest.mark.parametrize("name", ["axi-accesses", "axi-packets", "axi-improper"])
def test_axi_answers_what_the_model_holds(name: str, tmp_path: Path) -> None:
    model, coming, dropping, number = Registers(windows=False), [b""] * 3, [False] * 3, 0
    error = False
    for (writes, reads, beats), came in zip(axi(name), exchanges(name, tmp_path), strict=True):
        for stream, word, keep, last in beats:
            proper = keep in (0, 1, 3, 7, 15) and (last or keep == 15)
            if not dropping[stream]:
                size = (0, 1, 3, 7, 15).index(keep) if proper else 0
                coming[stream] += word.to_bytes(4, "little")[:size] if proper else b"\0"
                error |= not proper
                if last or not proper:
                    model.mirror.take(INBOUND[stream], coming[stream])
                    coming[stream] = b""
            dropping[stream] = (dropping[stream] or not proper) and not last
        mirror = model.mirror
        assert packets(came["2"]) == list(mirror.results)
        verdicts = [mirror.verdict(number + place) for place in range(len(mirror.verdicts))]
        number += len(verdicts)
        assert packets(came["3"]) == verdicts
        assert [packets(came[str(4 + link)]) for link in range(LINKS)] == [list(queue) for queue in mirror.notifications]
        for queue in (mirror.results, *mirror.notifications):
            queue.clear()
        due_b = [2 * model.access(address >> 2, word, partial=address & 3 != 0 or strobes != 15)[1] for address, word, strobes in writes]
        if any(address == 4 * register("control").offset and word & 2 for address, word, _ in writes):
            number, error, coming, dropping = 0, False, [b""] * 3, [False] * 3
        assert list(came["B"]) == due_b
        found = [
            struct.pack("<IB", value, 2 * failed) for value, failed in (model.access(at >> 2, None, partial=at & 3 != 0) for at in reads)
        ]
        assert came["r"] == b"".join(found)
        assert came["e"][1] == error


def test_axi_reads_and_writes_take_turns(tmp_path: Path) -> None:
    """Of a row of writes and a row of reads no more than two of a kind go before one of the other, while both are asked for."""
    for (writes, reads, _), came in zip(axi("axi-turns"), exchanges("axi-turns", tmp_path), strict=True):
        values = [value for value, failed in struct.iter_unpack("<IB", came["r"])]
        assert len(values) == len(reads)
        assert came["B"] == bytes(len(writes))
        if reads:
            written = [value + 1 if value != 0xFFFF else 0 for value in values]
            assert written == sorted(written)
            assert all(then - now <= 2 for now, then in itertools.pairwise(written))
            assert all(written[place + 2] > written[place] for place in range(3, len(written) - 2) if written[place] < len(writes))


def test_axi_rows_are_answered_whole(tmp_path: Path) -> None:
    for (writes, reads, _), came in zip(axi("axi-rows"), exchanges("axi-rows", tmp_path), strict=True):
        assert list(came["B"]) == [2 if address & 3 else 0 for address, _, _ in writes]
        assert [failed for _, failed in struct.iter_unpack("<IB", came["r"])] == [2 if at == 0x7FFC else 0 for at in reads]


def test_axi_after_a_reset(tmp_path: Path) -> None:
    """By register and by pin: packets that were under way are void, and the next ones are whole."""
    for came in exchanges("axi-commands", tmp_path):
        if b"after" in packets(came["4"]):
            assert packets(came["4"])[-2:] == [b"after", b"reset"]
            assert [Header.unpack(frame).reference for frame in packets(came["3"])] == [0, 1, 2]
    groups = list(exchanges("axi-reset", tmp_path))
    for before, between, after in zip(groups[::5], groups[1::5], groups[2::5], strict=True):
        assert not any(before[kind] for kind in "Br2345")
        assert [value for value, _ in struct.iter_unpack("<IB", between["r"])] == [0, 0, 0, 0, 0, 0x58324342]
        assert (packets(after["4"]), packets(after["5"])) == ([b"first"], [b"fourth"])


# --- The host link


def segments(name: str, folder: Path) -> list[Segment]:
    return [Segment.unpack(data) for kind, data in run(name, folder) if kind == "t" and data]


def frames_of(stream: bytes) -> list[bytes]:
    found = []
    while stream:
        size = Header.BYTES + struct.unpack_from(">I", stream, 16)[0] if stream[:1] != b"n" else 0
        found.append(stream[:size])
        stream = stream[size:]
    return found


def misfit_of(raw: bytes) -> Refusal:
    """Why no unit takes a frame."""
    if raw[0] >> 5 != 3:
        return Refusal.UNSUPPORTED_VERSION
    if chr(raw[0]) not in "pka":
        return Refusal.UNSUPPORTED_KIND
    if chr(raw[0]) != "p" or raw[1] & 0xF6 or raw[2] or raw[3]:
        return Refusal.BAD_HEADER
    return Refusal.UNSUPPORTED_FORMAT if raw[1] & 1 else Refusal.UNSUPPORTED_ATTACHMENT


def arrived(found: list[Segment], session: int) -> bytes:
    """The bytes of DATA in order, each taken once."""
    expected, stream = 0, b""
    for one in found:
        if one.kind is SegmentKind.DATA and one.session == session and one.a == expected:
            stream, expected = stream + one.payload, (expected + 1) % 256
    return stream


def damaged(name: str) -> int:
    """The segments of a script that are too short, have a wrong length or a wrong check sum."""
    count = 0
    for body in b"".join(data for kind, data in parts(SCRIPTS[name]) if kind == "L").split(b"\x7e"):
        try:
            Segment.unpack(body)
        except ValueError as error:
            count += bool(body) and "kind" not in str(error)
    return count


def latest(found: list[Segment], session: int) -> list[Segment]:
    """The segments of the last session of that number."""
    return found[max(place for place, one in enumerate(found) if one.kind is SegmentKind.OPENED and one.session == session) :]


def sent(name: str, session: int) -> bytes:
    """The bytes of good DATA that the script sends in order."""
    expected, stream = 0, b""
    line = b"".join(data for kind, data in parts(SCRIPTS[name]) if kind == "L")
    for body in line.split(b"\x7e"):
        try:
            one = Segment.unpack(body)
        except ValueError:
            continue
        if one.kind is SegmentKind.OPEN and one.session == session:
            expected, stream = 0, b""
        if one.kind is SegmentKind.DATA and one.session == session and one.a == expected and one.payload:
            stream, expected = stream + one.payload, (expected + 1) % 256
    return stream


@pytest.mark.parametrize(
    ("name", "session"),
    [
        ("host-frames", 0x7E),
        ("host-refusals", 1),
        ("host-numbers", 50),
        ("host-damage", 0x7E),
        ("host-commands", 60),
        ("host-reopened", 81),
    ],
)
def test_host_answers_what_the_model_holds(name: str, session: int, tmp_path: Path) -> None:
    """Answers, results, verdicts and notifications each in their own order, whatever happened to segments."""
    model, misfits = Registers(windows=False), 0
    due: dict[str, list[bytes]] = {"a": [], "r": [], "v": [], "refused": []}
    notified: list[list[bytes]] = [[] for _ in range(LINKS)]
    counters = {register(one).offset for one in ("segments", "damaged", "repeated")}
    frames, stream = [], sent(name, session)
    while stream:
        size = Header.BYTES + struct.unpack_from(">I", stream, 16)[0]
        frames.append(stream[:size])
        stream = stream[size:]
    for raw in frames:
        kind, options, aux, reference, body = chr(raw[0]), raw[1], int.from_bytes(raw[2:4], "big"), raw[12:16], raw[20:]
        if kind in "su":
            model.mirror.take("subscription", raw)
            due["r"].append(model.mirror.results.popleft())
        elif kind == "k" and not options and not aux:
            model.mirror.take("skeleton", body)
        elif kind == "p" and not options and not aux:
            model.mirror.take("publication", body)
            due["v"].append(model.mirror.verdict(int.from_bytes(reference, "big")))
            for link, queue in enumerate(model.mirror.notifications):
                notified[link] += queue
                queue.clear()
        elif kind == "a" and len(body) == 4 * (aux >> 15) and not options:
            word = int.from_bytes(body, "big") if body else None
            value, failed = model.access(aux & 0x1FFF, word)
            value = misfits if aux == register("misfits").offset else value
            if aux == register("control").offset and value == 0 and name == "host-commands":
                value = None if len(due["a"]) == 3 else 0  # type: ignore[assignment]
            shown = None if aux in counters or value is None else struct.pack(">I", value)
            due["a"].append(b"a\0" + struct.pack(">H", aux | failed << 14) + bytes(8) + reference + bytes([0, 0, 0, 4]) + (shown or b""))
        else:
            misfits += 1
            due["refused"].append(b"r\0\0" + bytes([misfit_of(raw)]) + raw[4:16] + bytes(4))
    stream = arrived(latest(segments(name, tmp_path), session), session)
    came: dict[str, list[bytes]] = {"a": [], "r": [], "v": []}
    waiting = [deque(one) for one in notified]
    while stream:
        for queue in waiting:
            if queue and stream[:1] not in (b"a", b"r", b"v") and stream.startswith(queue[0]):
                stream = stream[len(queue.popleft()) :]
                break
        else:
            for queue in waiting:
                # What the mirror sends on can look like anything: a body that is due goes before a frame that is not.
                while queue and not queue[0]:
                    queue.popleft()
            size = Header.BYTES + struct.unpack_from(">I", stream, 16)[0]
            came[chr(stream[0])].append(stream[:size])
            stream = stream[size:]
    assert all(not one for queue in waiting for one in queue)
    assert came["v"] == due["v"]
    assert sorted(came["r"]) == sorted(due["r"] + due["refused"])
    assert len(came["a"]) == len(due["a"])
    if name == "host-damage":
        assert len(due["a"]) == 24 + 5
        assert int.from_bytes(came["a"][26][20:], "big") == damaged(name)
    for found, expected in zip(came["a"], due["a"], strict=True):
        assert found.startswith(expected), f"{found.hex()} must begin with {expected.hex()}"


def test_host_link_byte_by_byte(tmp_path: Path) -> None:
    """The first segments of a session as literals: OPENED, the acknowledgements of an ACCESS frame, and its answer."""
    came = [data.hex() for kind, data in run("host-acknowledgements", tmp_path) if kind == "t" and data]
    assert came[0] == "02" + "7d5e" + "000000" + "d2730237"
    assert came[1][:12] == "047d5e010000"
    assert came[2][:12] == "047d5e010100"
    assert came[3][:12] == "037d5e000018"
    assert came[3][12:60] == "61000000" + "0000000000000000" + "01020304" + "00000004" + "58324342"


def test_host_counts_clocks(tmp_path: Path) -> None:
    """Between two reads lie the quiet after the first, 120 clocks, and the bytes of both."""
    stream = arrived(segments("host-clocks", tmp_path), 90)
    first, then = (int.from_bytes(stream[at + 20 : at + 24], "big") for at in (0, 24))
    assert 30 < first < 300
    assert 120 < then - first < 500


def test_host_sends_again_until_it_is_heard(tmp_path: Path) -> None:
    """Silence, requests for repetition and acknowledgements of nothing: each answer comes in the end, and nothing beyond the window."""
    found = segments("host-acknowledgements", tmp_path)
    numbers = [one.a for one in found if one.kind is SegmentKind.DATA]
    assert numbers[:2] == [0, 0]
    assert set(numbers) == set(range(max(numbers) + 1))
    assert max(numbers) >= 25
    assert numbers.count(7) == 4
    first = [numbers.index(number) for number in range(26)]
    assert first == sorted(first)
    payloads = {one.a: one.payload for one in found if one.kind is SegmentKind.DATA}
    assert all(one.payload == payloads[one.a] for one in found if one.kind is SegmentKind.DATA)


def test_host_takes_no_more_than_its_window(tmp_path: Path) -> None:
    found = segments("host-window", tmp_path)
    first = [one for one in found if one.kind is SegmentKind.ACK]
    assert max((one.a - one.b) % 256 for one in first) == 8
    stream = arrived(found, 0x33)
    assert struct.unpack(">I", stream[20:24]) == (18,)
    total = (2 * (0xFF000400 + 4) + 16 * (int.from_bytes(b"abcd", "little") + int.from_bytes(b"efgh", "little") + 8)) % 2**32
    assert struct.unpack(">I", stream[44:48]) == (total,)


def test_host_sessions(tmp_path: Path) -> None:
    """Without a session, and for another one, the board answers CLOSED with the number that it was asked with."""
    found = segments("host-sessions", tmp_path)
    assert [(one.kind, one.session) for one in found[:4]] == [(SegmentKind.CLOSED, kind * 16) for kind in (3, 4, 6, 5)]
    records = [data for kind, data in run("host-sessions", tmp_path) if kind == "o"]
    assert [data[0] for data in records[:6]] == [0, 0, 0, 0, 0, 1]
    assert records[-2][0] == records[-1][0] == 1
    closed = [one.session for one in found if one.kind is SegmentKind.CLOSED]
    assert closed[4:9] == [0, 0, 0, 0, 17]
    assert 9 in closed
    assert closed[-1] == 13


@pytest.mark.parametrize("name", ["host-flags", "host-lengths", "host-stalls", "host-waiting", "host-resets"])
def test_host_hands_on_every_byte(name: str, tmp_path: Path) -> None:
    """Each PUBLISH gives one verdict with its own reference and the sum of its words, in order, in the last session."""
    last = [data for kind, data in parts(SCRIPTS[name]) if kind == "H"][-1]
    session = struct.unpack("<III", last)[1]
    found = segments(name, tmp_path)
    stream = arrived(latest(found, session), session)
    line, mirror, due = sent(name, session), Mirror(), []
    while len(line) >= Header.BYTES:
        size = struct.unpack_from(">I", line, 16)[0]
        if line[:1] == b"p" and len(line) >= Header.BYTES + size:
            mirror.take("publication", line[20 : 20 + size])
            due.append(mirror.verdict(int.from_bytes(line[12:16], "big")))
        line = line[Header.BYTES + size :]
    assert due
    places = [stream.find(frame) for frame in due]
    assert -1 not in places
    assert places == sorted(places)


# --- The UART


def test_uart_receives_what_is_proper(tmp_path: Path) -> None:
    """Each byte with a stop bit comes once; spikes shorter than half a bit, bytes without a stop bit and breaks give nothing."""
    came = bytes(data[0] for kind, data in run("uart-receives", tmp_path) if kind == "v")
    singles = [0x55, 0xAA, 0, 0xFF, 0x7E, *(1 << bit for bit in range(8)), *(255 ^ 1 << bit for bit in range(8))]
    due = [*singles, *(gap * 13 % 256 for gap in range(1, 20))]
    assert came[: len(due)] == bytes(due)
    spikes = [part for clocks in range(1, 10) for part in ([0x31 + clocks] if clocks < 5 else [0xFF, 0x31 + clocks])]
    rest = came[len(due) :]
    assert rest[: len(spikes)] == bytes(spikes)
    # A break shorter than a byte and half its stop bit is the byte 0.
    assert rest[len(spikes) :] == bytes([0x0F, 0x4D, 0xF0, 0, 0xC3, 0] + [0xC3] * 4 + [0x5A, 0, 0xFF, 0x96] * 2 + [0x99, 0x66] * 2)


def levels(data: bytes) -> str:
    return "".join(str(level) * clocks for level, clocks in struct.iter_unpack("<BH", data))


def decoded(wave: str) -> bytes:
    """The bytes of a wave, sampled in the middle of each bit of eight clocks."""
    found, at = [], wave.find("0")
    while at >= 0 and at < len(wave):
        bits = [int(wave[at + 4 + 8 * place]) if at + 4 + 8 * place < len(wave) else 1 for place in range(10)]
        assert (bits[0], bits[9]) == (0, 1)
        found.append(sum(bit << place for place, bit in enumerate(bits[1:9])))
        at = wave.find("0", at + 80)
    return bytes(found)


@pytest.mark.parametrize("name", ["uart-sends", "uart-resets"])
def test_uart_sends_bytes_of_eighty_clocks(name: str, tmp_path: Path) -> None:
    given = [bytes(byte for byte, _ in struct.iter_unpack("<BH", data)) for kind, data in parts(SCRIPTS[name]) if kind == "M"]
    waves = [levels(data) for kind, data in run(name, tmp_path) if kind == "m"]
    assert [decoded(wave) for wave in waves] == given
    if name == "uart-sends":
        assert waves[0][:80] == "".join(bit * 8 for bit in "0101010101")
        assert len(waves[0].rstrip("1")) == 6 * 80 + 64


def test_pinned_segments() -> None:
    """Segments of the scripts on the wire, byte by byte."""
    assert SCRIPTS["host-damage"][:5] == b"L" + struct.pack("<I", 12)
    assert SCRIPTS["host-damage"][5:17].hex() == "7e" + "01" + "7d5e" + "000000" + "0209a270" + "7e"
    assert Segment(SegmentKind.OPEN, 0x7E).pack() == SCRIPTS["host-damage"][5:17]
    assert OSid(9, (8, 7)).pack() in SCRIPTS["host-frames"]
