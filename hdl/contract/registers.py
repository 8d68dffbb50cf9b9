"""The register map."""

import enum
from dataclasses import dataclass, fields

from hdl.config import BrokerConfig
from hdl.contract.frames import Header
from hdl.contract.sentences import Sentenced

__all__ = ["IDENTITY", "REGISTERS", "REGISTER_WORDS", "Access", "BusError", "Field", "Register", "register"]


class BusError(Sentenced):
    """Why an access to a register was answered with an error; it changed nothing."""

    NONE = (0, "no access has failed")
    ADDRESS = (1, "there is no register at this address")
    PARTIAL = (2, "not all four bytes of the word were selected, or the transfer did not begin as the bus demands")
    DIRECTION = (3, "a register that can only be read was written, or the other way round")
    ROOM = (4, "a stream did not take the word in time")
    EMPTY = (5, "a stream had no word to read")


class Access(enum.Enum):
    """How software may use a field, in the words of SystemRDL."""

    READ = "sw = r"
    READ_WRITE = "sw = rw"
    CLEAR = "sw = rw; onwrite = woclr"
    WRITE = "sw = w"


@dataclass(frozen=True)
class Field:
    """Bits ``low`` to ``low + width - 1`` of a register."""

    name: str
    low: int
    width: int
    access: Access
    sentence: str


@dataclass(frozen=True)
class Register:
    """A word of 32 bits at a word address; with ``count`` that many of them in a row. Bits without a field read as 0."""

    name: str
    offset: int
    sentence: str
    fields: tuple[Field, ...]
    count: int = 1

    @property
    def readable(self) -> bool:
        return any(field.access is not Access.WRITE for field in self.fields)

    @property
    def writable(self) -> bool:
        return any(field.access is not Access.READ for field in self.fields)

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)


REGISTER_WORDS = 1 << 13
"""Words that the address of XAVI reaches [T 7.6.2]."""

IDENTITY = int.from_bytes(b"X2CB", "big")


def _whole(access: Access, sentence: str, name: str = "value") -> tuple[Field, ...]:
    return (Field(name, 0, 32, access, sentence),)


def _counter(name: str, offset: int, sentence: str, count: int = 1) -> Register:
    return Register(name, offset, sentence, _whole(Access.READ, "since the reset, modulo 2**32"), count)


def _bits(access: Access, *named: tuple[str, str]) -> tuple[Field, ...]:
    return tuple(Field(name, bit, 1, access, sentence) for bit, (name, sentence) in enumerate(named))


_EVENTS = (
    ("result", "a word of a result can be read"),
    ("verdict", "a word of a verdict can be read"),
    ("notification", "a word of a notification can be read on some link"),
    ("cleared", "the removal of every subscription is complete"),
    ("error", "an access failed, see error"),
)


def _inbound(name: str, base: int, what: str) -> tuple[Register, ...]:
    room = Field("room", 0, 16, Access.READ, "words that can be written without waiting")
    data = Register(
        f"{name}_data", base + 1, f"Four bytes of {what}; more follow. The first byte is in the low bits.", _whole(Access.WRITE, "bytes")
    )
    ends = [
        Register(f"{name}_end{size}", base + 2 + size, f"The last {size} bytes of {what}, in the low bits.", _whole(Access.WRITE, "bytes"))
        for size in range(5)
    ]
    return (Register(f"{name}_state", base, f"The stream into which {what} is written.", (room,)), data, *ends)


def _outbound(name: str, base: int, what: str, count: int = 1) -> tuple[Register, ...]:
    state = (
        Field("valid", 0, 1, Access.READ, "a word waits"),
        Field("last", 1, 1, Access.READ, "it is the last of its frame"),
        Field("count", 2, 3, Access.READ, "bytes in it"),
    )
    return (
        Register(f"{name}_state", base, f"The word that waits in the stream of {what}; reading it here takes nothing.", state, count),
        Register(
            f"{name}_data",
            base + count,
            f"Takes the next word of {what}; the first byte is in the low bits.",
            _whole(Access.READ, "bytes"),
            count,
        ),
    )


REGISTERS: tuple[Register, ...] = (
    Register("id", 0x00, "Says that this is the broker.", _whole(Access.READ, "`X2CB` in ASCII, 0x58324342")),
    Register("version", 0x01, "What this map is.", (Field("contract", 0, 16, Access.READ, "version of the contract"),)),
    Register(
        "control",
        0x02,
        "Commands; each bit stays 1 until the command is complete.",
        _bits(
            Access.READ_WRITE,
            ("clear", "write 1 to remove every subscription"),
            ("reset", "write 1 to reset the broker and the streams before and after it; counters begin again"),
        ),
    ),
    Register(
        "status",
        0x03,
        "What is the case now.",
        _bits(
            Access.READ,
            *_EVENTS[:3],
            ("full", "the latest subscription was refused for want of room [T-Fig 5.17]"),
            ("hcd", "some name has a high commonality degree [T 5.3.3.4]"),
            ("interrupt", "an interrupt is enabled and flagged"),
        ),
    ),
    Register("interrupt", 0x04, "What has been the case since the flag was cleared by writing 1 to it.", _bits(Access.CLEAR, *_EVENTS)),
    Register("interrupt_enable", 0x05, "Which flags raise the interrupt.", _bits(Access.READ_WRITE, *_EVENTS)),
    Register(
        "error",
        0x06,
        "The first access that failed since this register was written; any value written clears it.",
        (
            Field(
                "cause", 0, 4, Access.CLEAR, "why, 0 when none has failed: " + ", ".join(f"{e.value} {e.name.lower()}" for e in BusError)
            ),
            Field("write", 4, 1, Access.CLEAR, "it was a write"),
            Field("address", 16, 13, Access.CLEAR, "its word address"),
        ),
    ),
    Register("errors", 0x07, "Accesses that failed.", _whole(Access.READ, "since the reset, modulo 2**32")),
    Register("scratch", 0x08, "Holds what is written, for tests of the bus.", _whole(Access.READ_WRITE, "anything")),
    *(
        Register(f"config_{field.name}", 0x10 + place, "A limit that this broker was built with.", _whole(Access.READ, f"`{field.name}`"))
        for place, field in enumerate(fields(BrokerConfig))
    ),
    _counter("clocks", 0x40, "Clocks."),
    Register("registered", 0x41, "Subscriptions held.", _whole(Access.READ, "now")),
    Register("steps_used", 0x42, "Steps and tests that they take, common ones counted once.", _whole(Access.READ, "now")),
    _counter("accepted", 0x43, "SUBSCRIBE frames accepted."),
    _counter("cancelled", 0x44, "UNSUBSCRIBE frames done."),
    _counter("refused", 0x45, "Frames refused."),
    _counter("dropped", 0x46, "Raw frames dropped from the store."),
    _counter("verdicts", 0x47, "Documents by the parser's verdict: well-formed, not well-formed, unsupported, over limit.", 4),
    _counter("forgotten", 0x4B, "How often the learned part of the skeleton was forgotten."),
    _counter("notified", 0x4C, "Notifications by link.", 4),
    _counter("without_content", 0x50, "Notifications that carry less than was asked for."),
    _counter("pinned", 0x51, "Names of a skeleton that were loaded."),
    _counter("unpinned", 0x52, "Names of a skeleton that found no room."),
    _counter("segments", 0x53, "Segments of the host link that were taken."),
    _counter("damaged", 0x54, "Segments of the host link with a wrong check sum or length."),
    _counter("repeated", 0x55, "Segments of the host link that had to be sent again."),
    _counter("misfits", 0x56, "Frames on the host link that no unit takes; each is answered with a refusal."),
    *_inbound("publication", 0x100, "an XML document"),
    *_inbound("subscription", 0x110, "a SUBSCRIBE or UNSUBSCRIBE frame"),
    *_inbound("skeleton", 0x120, "a name of the skeleton [T 4.3]"),
    *_outbound("result", 0x180, "RESULT frames"),
    *_outbound("verdict", 0x182, "VERDICT frames, whose reference counts publications from 0"),
    *_outbound("notification", 0x190, "NOTIFY frames, by link", Header.LINKS),
)
"""The register map, in rising order of the offsets."""


def register(name: str) -> Register:
    """The register of that name."""
    for one in REGISTERS:
        if one.name == name:
            return one
    raise KeyError(f"name must be that of a register, not {name!r}")
