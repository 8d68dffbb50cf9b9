"""What the SPU must do, in terms of frames: a model of its tables and a CRT that answers as it is told."""

import random
from dataclasses import dataclass, field

from hdl.config import BrokerConfig
from hdl.contract import Header, Kind, Refusal
from sim.golden.frames import frame_refusal

__all__ = ["CONFIGS", "Model", "Outcome", "raw_words", "verdict_of"]

CONFIGS = {
    "default": BrokerConfig(),
    "small": BrokerConfig(subscriptions=8, xpath_bytes=64, links=3, brokers=5),
}


def raw_words(frame: bytes) -> list[dict[str, int]]:
    """A packet of words, with rubbish above the bytes of the last one."""
    words = []
    for start in range(0, max(len(frame), 1), 4):
        part = frame[start : start + 4]
        rubbish = random.Random(len(frame)).getrandbits(32) >> 8 * len(part) << 8 * len(part) & 0xFFFFFFFF
        words.append({"data": int.from_bytes(part, "little") | rubbish, "count": len(part), "last": int(start + 4 >= len(frame))})
    return words


def verdict_of(text: bytes) -> Refusal:
    """The test CRT's answer: it refuses what begins with '!', with the code of the second byte."""
    return Refusal(text[1]) if text[:1] == b"!" else Refusal.NONE


@dataclass(frozen=True)
class Outcome:
    """What one frame leads to: ``op`` is the CRT's, None when it is not asked."""

    refusal: Refusal
    cancel: bool
    osid: bytes
    reference: bytes
    link: int
    op: str | None = None
    semantics: int = 0
    text: bytes = b""


@dataclass
class Model:
    """Takes frames in order; knows which subscriptions are registered, and which of their frames are still in the store."""

    config: BrokerConfig
    store_words: int
    registered: dict[bytes, bytes] = field(default_factory=dict)
    ring: list[bytes] = field(default_factory=list)
    """The frames in the store, the oldest first; a frame is known by its object, since equal ones may come again."""

    def _store(self, frame: bytes) -> None:
        def words(item: bytes) -> int:
            return (len(item) + 3) // 4 + 1

        while sum(map(words, self.ring)) + words(frame) > self.store_words:
            self.ring.pop(0)
        self.ring.append(frame)

    def stored(self, key: bytes) -> bytes:
        """The frame that a fetch must give."""
        frame = self.registered[key]
        return frame if any(item is frame for item in self.ring) else b""

    def take(self, frame: bytes) -> Outcome:
        raw = frame.ljust(Header.BYTES, b"\0")
        osid, reference, link = raw[4:12], raw[12:16], raw[1] >> 4
        key = osid + reference

        def refuse(code: Refusal, **more) -> Outcome:
            return Outcome(code, raw[0] == Kind.UNSUBSCRIBE, osid, reference, link, **more)

        wrong = frame_refusal(frame, self.config)
        if wrong is not Refusal.NONE:
            return refuse(wrong)
        body = frame[Header.BYTES :]
        if raw[0] == Kind.UNSUBSCRIBE:
            if key not in self.registered:
                return refuse(Refusal.UNKNOWN_SID)
            del self.registered[key]
            return refuse(Refusal.NONE, op="UNREGISTER")
        if key in self.registered:
            return refuse(Refusal.DUPLICATE_SID)
        if len(self.registered) == self.config.subscriptions:
            code = verdict_of(body)
            room = code in (Refusal.NONE, Refusal.FULL_STEPS, Refusal.FULL_NAMES, Refusal.FULL_VALUES)
            return refuse(Refusal.FULL_SUBSCRIPTIONS if room else code, op="CHECK", text=body)
        self._store(frame)
        code = verdict_of(body)
        if code is Refusal.NONE:
            self.registered[key] = frame
        return refuse(code, op="REGISTER", semantics=raw[1] & 1, text=body)
