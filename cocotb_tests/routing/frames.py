"""Frames as words, and the plain model of how they are taken apart."""

import random
import struct
from dataclasses import dataclass, field
from typing import Any

KINDS = {
    name: ord(letter) for name, letter in (("SUBSCRIBE", "s"), ("UNSUBSCRIBE", "u"), ("RESULT", "r"), ("FORWARD", "f"), ("ROUTE", "q"))
}
KINDS |= {name: ord(letter) for name, letter in (("SOLICIT", "l"), ("TOPOLOGY", "t"), ("HELLO", "h"), ("NOTIFY", "n"))}
HEADER = 20
MARK = {"data": 0, "count": 0, "last": 1, "cut": 1}


def frame(
    kind: int, *, options: int = 0, aux: int = 0, sid: int = 0, path: bytes = b"", reference: int = 0, body: bytes = b"", length: int = -1
) -> bytes:
    """The bytes of a frame; ``length`` is that of the body unless it is given."""
    size = len(body) if length < 0 else length
    return struct.pack(">BBHB7sII", kind, options, aux, sid, path.ljust(7, b"\0"), reference, size) + body


def words(data: bytes, *, cut: bool = False) -> list[dict[str, int]]:
    """The words of a frame; with ``cut`` a mark instead of the last one."""
    found = []
    for at in range(0, max(len(data), 1), 4):
        piece = data[at : at + 4]
        found.append({"data": int.from_bytes(piece, "little"), "count": len(piece), "last": int(at + 4 >= len(data)), "cut": 0})
    return [*found[:-1], MARK] if cut else found


def content(body: list[dict[str, int]]) -> bytes:
    """The bytes of words."""
    return b"".join(word["data"].to_bytes(4, "little")[: word["count"]] for word in body)


def fields(data: bytes, port: int = 0) -> dict[str, int]:
    """A header's bytes as the members of FrameHeader."""
    found = dict(zip(("kind", "options", "high", "low", "sid"), data[:5], strict=True))
    for name, start, end in (("path", 5, 12), ("reference", 12, 16), ("length", 16, 20)):
        found[name] = int.from_bytes(data[start:end], "little")
    return found | {"port": port}


@dataclass
class Apart:
    """What a reader makes of words: headers with the words of their bodies, and the number of frames that were not proper."""

    headers: list[dict[str, int]] = field(default_factory=list)
    body: list[dict[str, int]] = field(default_factory=list)
    broken: int = 0

    def take(self, sent: list[dict[str, int]], port: int) -> None:
        """A frame's words."""
        head = sent[:5]
        raw = content(head)
        if len(head) < 5 or any(word["cut"] for word in head) or len(raw) < HEADER or raw[0] >> 5 != 3:
            self.broken += 1
            return
        length = int.from_bytes(raw[16:20], "big")
        if (length == 0) != bool(head[4]["last"]):
            self.broken += 1
            return
        self.headers.append(fields(raw, port))
        for word in sent[5:]:
            fits = not word["cut"] and (word["count"] == length if word["last"] else word["count"] == 4 and length > 4)
            self.body.append(word if fits else MARK)
            if not fits:
                self.broken += 1
                return
            length -= word["count"]


def some_frame(chance: random.Random) -> bytes:
    """A proper frame of any kind."""
    size = chance.choice((0, 0, 1, 2, 3, 4, 5, 8, 11, 40))
    path = bytes(chance.randrange(1, 256) for _ in range(chance.randrange(8)))
    return frame(
        chance.choice(list(KINDS.values())),
        options=chance.getrandbits(8),
        aux=chance.getrandbits(16),
        sid=chance.getrandbits(8),
        path=path,
        reference=chance.getrandbits(32),
        body=chance.randbytes(size),
    )


def some_words(chance: random.Random) -> list[dict[str, Any]]:
    """The words of a frame, one time in two of one with something wrong."""
    data = some_frame(chance)
    match chance.randrange(12):
        case 0:
            return words(data[: chance.randrange(1, len(data) + 1)])
        case 1:
            return words(data + bytes(chance.randrange(1, 9)))
        case 2:
            return words(data[: chance.randrange(1, len(data) + 1)], cut=True)
        case 3:
            return words(bytes([data[0] & 0x1F | chance.randrange(8) << 5]) + data[1:])
        case 4:
            return words(data[:16] + chance.choice((0, 1, 4, 5, 0xFFFFFFFF)).to_bytes(4, "big") + data[20:])
        case 5:
            found = words(data)
            found[chance.randrange(len(found))]["count"] = chance.randrange(5)
            return found
        case _:
            return words(data)
