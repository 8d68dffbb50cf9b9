"""The register map."""

import enum
from dataclasses import dataclass, fields

from hdl.config import BrokerConfig
from hdl.contract.frames import Header
from hdl.contract.routing import Mode, Policy, Sampling
from hdl.contract.sentences import Sentenced

__all__ = ["COUNTERS", "IDENTITY", "REGISTERS", "REGISTER_WORDS", "Access", "BusError", "Field", "Register", "register"]


class BusError(Sentenced):
    """Why an access to a register was answered with an error; it changed nothing."""

    NONE = (0, "no access has failed")
    ADDRESS = (1, "there is no register at this address")
    PARTIAL = (2, "not all four bytes of the word were selected, or the transfer did not begin as the bus demands")
    DIRECTION = (3, "a register that can only be read was written, or the other way round")
    ROOM = (4, "a stream did not take the word in time")
    EMPTY = (5, "a stream had no word to read")
    ABSENT = (6, "this broker was built without what the register is for")


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
    """A word of 32 bits at a word address; with ``count`` that many of them in a row. Bits without a field read as 0.

    A register of a ``feature`` exists in brokers with that feature only; in others an access to it fails with :attr:`BusError.ABSENT`.
    """

    name: str
    offset: int
    sentence: str
    fields: tuple[Field, ...]
    count: int = 1
    feature: str = ""

    @property
    def readable(self) -> bool:
        return any(field.access is not Access.WRITE for field in self.fields)

    @property
    def writable(self) -> bool:
        return any(field.access is not Access.READ for field in self.fields)

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)


COUNTERS = range(0x40, 0x80)
"""Offsets of the counters: the low bits of an offset say which one."""

REGISTER_WORDS = 1 << 13
"""Words that the address of XAVI reaches [T 7.6.2]."""

IDENTITY = int.from_bytes(b"X2CB", "big")


def _whole(access: Access, sentence: str, name: str = "value") -> tuple[Field, ...]:
    return (Field(name, 0, 32, access, sentence),)


def _counter(name: str, offset: int, sentence: str, count: int = 1, feature: str = "") -> Register:
    return Register(name, offset, sentence, _whole(Access.READ, "since the reset, modulo 2**32"), count, feature)


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


_ROUTING_COUNTS = (
    ("forwarded_subscriptions", "Subscriptions sent to a neighbour."),
    ("forwarded_notifications", "Notifications sent to a neighbour, those on their way through included."),
    ("routed_publications", "Publications sent to a neighbour, those on their way through included."),
    ("sampled", "Samples sent in place of many subscriptions."),
    ("no_route", "Subscriptions that no entry of the topology is for."),
    ("path_full", "Subscriptions and samples whose path had no place left."),
    ("loops", "Frames that had been here before, by their path."),
    ("duplicates", "Samples and publications that had been here before, by their identity."),
    ("hop_limited", "Publications that had crossed as many brokers as they may."),
    ("misrouted", "Frames of neighbours with a path that does not lead through here."),
    ("expired", "Subscriptions that ended unrouted with their cycle, or with their lease."),
    ("lost", "Frames lost with a link that went down."),
    ("neighbour_refusals", "Refusals that came from neighbours."),
    ("oversized", "Publications too long to be sent to a neighbour."),
    ("attachments_dropped", "Notifications and publications that went without their attachment."),
)


def _routing(name: str, offset: int, sentence: str, access: Access, *parts: tuple[str, int, int, str], count: int = 1) -> Register:
    found = tuple(Field(part, low, width, access, says) for part, low, width, says in parts)
    return Register(name, offset, sentence, found, count, "routing")


def _setting(name: str, offset: int, sentence: str, *parts: tuple[str, int, int, str], count: int = 1) -> Register:
    return _routing(name, offset, sentence, Access.READ_WRITE, *parts, count=count)


def _shown(name: str, offset: int, sentence: str, *parts: tuple[str, int, int, str], count: int = 1) -> Register:
    return _routing(name, offset, sentence, Access.READ, *parts, count=count)


def _choices(members: type[Policy] | type[Sampling]) -> str:
    return ", ".join(f"{one.value} {one.name.lower()}" for one in members)


_CLOCKS = ("value", 0, 32, "clocks, 0 for never")

_CYCLE = (
    ("cycle_subscriptions", "S: subscriptions of this cycle."),
    ("cycle_subscriptions_most", "S_max: how many there may be."),
    ("cycle_waiting", "S_a: subscriptions that wait for registration."),
    ("cycle_matched", "S_m: subscriptions that some publication matched."),
    ("cycle_unmatched", "S_u: subscriptions that none has matched."),
    ("cycle_publications", "P: publications matched in this cycle."),
    ("cycle_publications_most", "P_max: publications there are."),
)

_ROUTING: tuple[Register, ...] = (
    _setting(
        "broker",
        0x200,
        "Who this broker is; it can be changed while no subscription is held.",
        ("bid", 0, 8, "its identity, 0 for a broker by itself"),
        ("bits", 8, 4, "bits of a broker's identity in this network: 2, 4, 7 or 8"),
        ("unique", 12, 1, "no two brokers have the same identity: one's own in a path is a loop"),
    ),
    _setting(
        "policy",
        0x201,
        "When subscriptions travel; it can be changed while no subscription is held.",
        ("policy", 0, 1, _choices(Policy)),
        ("sampling", 1, 1, _choices(Sampling)),
        ("covering", 2, 1, "a subscription that a wider one covers is not forwarded"),
    ),
    _setting("hop_limit", 0x202, "Brokers that a publication may cross.", ("value", 0, 8, "0 for no limit")),
    _setting("sample_threshold", 0x203, "Mismatched subscriptions from which on a sample is sent.", ("value", 0, 16, "31 in the thesis")),
    _setting("publications_most", 0x204, "Publications of a cycle at most.", ("value", 0, 16, "0 for no limit")),
    _setting("retained", 0x205, "Publications kept for the cycles to come.", ("value", 0, 16, "number")),
    _setting("cycle_timeout", 0x206, "From nPnS to nPoS on, after which waiting subscriptions end the matching.", _CLOCKS),
    _setting("gather", 0x207, "Without a waiting subscription, before registration ends.", _CLOCKS),
    _setting("sample_lifetime", 0x208, "After which a neighbour's sample is removed.", _CLOCKS),
    _setting("link_patience", 0x209, "That the end of a cycle waits for a link.", _CLOCKS),
    _setting("hello_period", 0x20A, "Between two HELLO frames to a neighbour.", _CLOCKS),
    _setting("hello_patience", 0x20B, "Without a frame of a neighbour, after which its link is down.", _CLOCKS),
    _setting("lease_unit", 0x20C, "Of the unit of leases: those of a second if leases are to be in seconds.", _CLOCKS),
    _shown(
        "mode",
        0x210,
        "Where the cyclic policy is.",
        ("mode", 0, 3, ", ".join(f"{one.value} {one.name}" for one in Mode)),
        ("timeout", 3, 1, "the cycle's time is over"),
        ("route_end", 4, 1, "no mismatched subscription is being sent"),
        ("clear_end", 5, 1, "the tables are clear"),
        ("hcd", 6, 1, "some name has a high commonality degree"),
    ),
    *(_shown(name, 0x211 + place, says, ("value", 0, 32, "number")) for place, (name, says) in enumerate(_CYCLE)),
    _shown("history_mode", 0x220, "The latest modes, the newest first.", ("mode", 0, 3, "as in mode"), count=16),
    _shown("history_clock", 0x230, "When each of them began.", ("value", 0, 32, "clocks since the reset, modulo 2**32"), count=16),
    _setting(
        "neighbour",
        0x240,
        "The neighbours, by port.",
        ("bid", 0, 8, "identity, 0 for none"),
        ("tree", 8, 1, "the link belongs to the tree of the steady policy"),
        count=16,
    ),
    _shown(
        "neighbour_state", 0x250, "Their links.", ("up", 0, 1, "frames come"), ("settled", 1, 1, "its interests are complete"), count=16
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
    _counter("without_content", 0x50, "Notifications that carry less than was asked for."),
    _counter("pinned", 0x51, "Names of a skeleton that were loaded."),
    _counter("unpinned", 0x52, "Names of a skeleton that found no room."),
    _counter("segments", 0x53, "Segments of the host link that were taken."),
    _counter("damaged", 0x54, "Segments of the host link with a wrong check sum or length."),
    _counter("repeated", 0x55, "Segments of the host link that had to be sent again."),
    _counter("misfits", 0x56, "Frames on the host link that no unit takes; each is answered with a refusal."),
    *(_counter(name, 0x57 + place, says, feature="routing") for place, (name, says) in enumerate(_ROUTING_COUNTS)),
    _counter("notified", 0x6C, "Notifications by link.", Header.LINKS),
    *_inbound("publication", 0x100, "an XML document"),
    *_inbound("subscription", 0x110, "a SUBSCRIBE or UNSUBSCRIBE frame"),
    *_inbound("skeleton", 0x120, "a name of the skeleton [T 4.3]"),
    *_outbound("result", 0x180, "RESULT frames"),
    *_outbound("verdict", 0x182, "VERDICT frames, whose reference counts publications from 0"),
    *_outbound("notification", 0x190, "NOTIFY frames, by link", Header.LINKS),
    *_ROUTING,
)
"""The register map, in rising order of the offsets."""


def register(name: str) -> Register:
    """The register of that name."""
    for one in REGISTERS:
        if one.name == name:
            return one
    raise KeyError(f"name must be that of a register, not {name!r}")
