"""The driver: a broker as an object, whatever carries its bytes."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields

from fpga.host import registers
from fpga.host.link import HostLink
from fpga.host.transport import Transport
from hdl.config import BrokerConfig
from hdl.contract import (
    CONTRACT_VERSION,
    IDENTITY,
    Code,
    Content,
    Frame,
    FrameError,
    Header,
    Kind,
    Language,
    OSid,
    Refusal,
    Semantics,
    Verdict,
    VerdictBody,
)

__all__ = ["AccessError", "Broker", "BrokerError", "Notification", "Outcome", "Refused", "Subscription"]

_WRITE, _FAILED = 1 << 15, 1 << 14
_COUNTERS = (
    "clocks",
    "registered",
    "steps_used",
    "accepted",
    "cancelled",
    "refused",
    "dropped",
    "forgotten",
    "without_content",
    "pinned",
    "unpinned",
    "segments",
    "damaged",
    "repeated",
    "misfits",
)
_ARRAYS = ("verdicts", "notified")
_PATIENCE = 400
"""Looks at the link in a row that bring no frame before an answer is missed; every second one of them is a silence."""


class BrokerError(Exception):
    """The broker did something that the contract does not allow, or does not answer; the message is one sentence."""


class AccessError(BrokerError):
    """An access to a register failed."""


class Refused(Exception):
    """A subscription was refused, or its cancellation; nothing has changed."""

    def __init__(self, code: Refusal, xpath: str) -> None:
        super().__init__(f"{xpath!r} is refused ({code.text}): {code.sentence}")
        self.code = code
        self.xpath = xpath


@dataclass(frozen=True)
class Subscription:
    """A registered subscription."""

    reference: int
    osid: OSid
    xpath: str


@dataclass(frozen=True)
class Outcome:
    """How a publication ended. ``offset`` is 0 when it is well-formed; ``number`` counts publications since the session began."""

    number: int
    code: Code
    offset: int
    bytes: int
    matches: int

    @property
    def verdict(self) -> Verdict:
        return self.code.verdict


@dataclass(frozen=True)
class Notification:
    """A publication matched a subscription. ``publication`` is the number of the outcome; ``body`` is what ``content`` says."""

    publication: int
    reference: int
    osid: OSid
    link: int
    content: Content
    body: bytes


class Broker:
    """A broker over a transport. Making one begins a session with an empty broker; when that fails, the transport is closed.

    Not safe for threads: one call at a time. An error of the link ends the session; :meth:`reset` begins a new one.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._link = HostLink(transport)
        try:
            self._start()
            self.config = self._configuration()
        except BaseException:
            transport.close()
            raise

    def _start(self) -> None:
        self._raw = bytearray()
        self._results: dict[int, deque[Refusal]] = {}
        self._answers: dict[int, Frame] = {}
        self._outcomes: dict[int, Outcome] = {}
        self._numbers: dict[int, int] = {}
        self._notifications: deque[Notification] = deque()
        self._published = self._judged = 0
        self._tag = 0
        self._subscribed = 0
        self._registered: dict[int, Subscription] = {}
        self._link.open()

    # --- Frames.

    def _send(self, header: Header, body: bytes = b"") -> None:
        self._link.send(Frame(header, body).pack())

    def _pump(self, timeout: float | None = None) -> bool:
        """Carry bytes; whether some of a frame came."""
        self._link.pump(timeout)
        arrived = self._link.received()
        self._raw += arrived
        while len(self._raw) >= Header.BYTES:
            size = Header.BYTES + int.from_bytes(self._raw[16:20], "big")
            if len(self._raw) < size:
                break
            try:
                frame = Frame.unpack(bytes(self._raw[:size]))
            except FrameError as error:
                raise BrokerError(f"the broker sent no frame of the contract: {error}") from None
            del self._raw[:size]
            self._arrive(frame)
        return bool(arrived)

    def _arrive(self, frame: Frame) -> None:
        header = frame.header
        match header.kind:
            case Kind.RESULT:
                self._results.setdefault(header.reference, deque()).append(Refusal(header.aux))
            case Kind.VERDICT:
                body = VerdictBody.unpack(frame.body)
                code = Code(header.aux & 0xFF)
                self._outcomes[header.reference] = Outcome(self._judged, code, body.offset, body.length, body.matches)
                self._judged += 1
            case Kind.NOTIFY:
                # The number is modulo 65536: it is the latest such number that has been published.
                number = header.aux + (self._published - 1 - header.aux) // 65536 * 65536
                self._notifications.append(Notification(number, header.reference, header.osid, header.link, header.content, frame.body))
            case Kind.ACCESS:
                self._answers[header.reference] = frame
            case _:
                raise BrokerError(f"the broker sent a frame of kind {header.kind.name}")

    def _until(self, wanted: dict[int, Frame] | dict[int, Outcome] | dict[int, deque[Refusal]], key: int, what: str) -> None:
        silences = 0
        while key not in wanted:
            silences = 0 if self._pump() else silences + 1
            if silences > _PATIENCE:
                raise BrokerError(f"the broker does not answer {what}")

    def _next_tag(self) -> int:
        self._tag = (self._tag + 1) & 0xFFFFFFFF
        return self._tag

    def _next_subscription(self) -> int:
        """A reference that no subscription has: they are counted from 1, apart from the tags of other frames."""
        while True:
            self._subscribed = self._subscribed % 0xFFFFFFFF + 1
            if self._subscribed not in self._registered:
                return self._subscribed

    # --- Registers.

    def read_register(self, address: int) -> int:
        """The word at a word address of :mod:`fpga.host.registers`."""
        return self._access(address)

    def write_register(self, address: int, word: int) -> None:
        self._access(address | _WRITE, word.to_bytes(4, "big"))

    def _access(self, aux: int, body: bytes = b"") -> int:
        tag = self._next_tag()
        self._send(Header(Kind.ACCESS, reference=tag, aux=aux), body)
        self._until(self._answers, tag, "an access to a register")
        answer = self._answers.pop(tag)
        if answer.header.aux & _FAILED:
            raise AccessError(f"the access to register 0x{aux & 0x1FFF:04x} failed")
        return int.from_bytes(answer.body, "big")

    def _configuration(self) -> BrokerConfig:
        identity, version = self.read_register(registers.ID), self.read_register(registers.VERSION)
        if identity != IDENTITY:
            raise BrokerError(f"the board must have the identity 0x{IDENTITY:08x}, not 0x{identity:08x}")
        if version != CONTRACT_VERSION:
            raise BrokerError(f"the board must have contract version {CONTRACT_VERSION}, not {version}")
        limits = {field.name: self.read_register(getattr(registers, f"CONFIG_{field.name.upper()}")) for field in fields(BrokerConfig)}
        return BrokerConfig(**limits)

    def counters(self) -> dict[str, int | list[int]]:
        """Everything that the broker counts, by the register's name."""
        found: dict[str, int | list[int]] = {name: self.read_register(getattr(registers, name.upper())) for name in _COUNTERS}
        counts = {"verdicts": len(Verdict), "notified": self.config.links}
        for name in _ARRAYS:
            found[name] = [self.read_register(getattr(registers, name.upper()) + place) for place in range(counts[name])]
        return found

    # --- Subscriptions.

    def subscribe(
        self,
        xpath: str,
        *,
        reference: int | None = None,
        osid: OSid | None = None,
        semantics: Semantics = Semantics.EXACT,
        content: Content = Content.HEADER,
        link: int = 0,
        language: Language = Language.XPATH,
    ) -> Subscription:
        """Register a subscription; raises :class:`Refused`. Without a reference it gets one of its own."""
        references = None if reference is None else [reference]
        (found,) = self.subscribe_all(
            [xpath], references=references, osid=osid, semantics=semantics, content=content, link=link, language=language
        )
        if isinstance(found, Refused):
            raise found
        return found

    def subscribe_all(
        self,
        xpaths: Sequence[str],
        *,
        references: Sequence[int] | None = None,
        osid: OSid | None = None,
        semantics: Semantics = Semantics.EXACT,
        content: Content = Content.HEADER,
        link: int | None = None,
        language: Language = Language.XPATH,
    ) -> list[Subscription | Refused]:
        """Register subscriptions, sent together; what became of each, in order. Without ``link`` they are spread over the links."""
        asked = []
        for place, xpath in enumerate(xpaths):
            tag = self._next_subscription() if references is None else references[place]
            who = osid or OSid(1 + tag % 255)
            way = place % self.config.links if link is None else link
            header = Header(Kind.SUBSCRIBE, osid=who, reference=tag, semantics=semantics, content=content, link=way, language=language)
            self._send(header, xpath.encode("utf-8", "surrogateescape"))
            asked.append(Subscription(tag, who, xpath))
        found: list[Subscription | Refused] = []
        for one in asked:
            code = self._result(one.reference, "a subscription")
            if code is Refusal.NONE:
                self._registered[one.reference] = one
                found.append(one)
            else:
                found.append(Refused(code, one.xpath))
        return found

    def unsubscribe(self, subscription: Subscription) -> None:
        """Cancel a subscription; raises :class:`Refused`."""
        self._send(Header(Kind.UNSUBSCRIBE, osid=subscription.osid, reference=subscription.reference))
        code = self._result(subscription.reference, "a cancellation")
        if code is not Refusal.NONE:
            raise Refused(code, subscription.xpath)
        self._registered.pop(subscription.reference, None)

    def _result(self, reference: int, what: str) -> Refusal:
        self._until(self._results, reference, what)
        waiting = self._results[reference]
        code = waiting.popleft()
        if not waiting:
            del self._results[reference]
        return code

    @property
    def subscriptions(self) -> list[Subscription]:
        """Those registered in this session."""
        return list(self._registered.values())

    # --- Publications.

    def post(self, document: bytes) -> int:
        """Send a publication without waiting; the key is for :meth:`outcome`."""
        tag = self._next_tag()
        self._published += 1
        self._send(Header(Kind.PUBLISH, reference=tag), document)
        return tag

    def outcome(self, key: int) -> Outcome:
        """Wait for the outcome of a publication that was posted."""
        self._until(self._outcomes, key, "a publication")
        return self._outcomes.pop(key)

    def publish(self, document: bytes) -> Outcome:
        """Send a publication and wait for its outcome."""
        return self.outcome(self.post(document))

    def notifications(self, *, count: int | None = None, timeout: float = 0.0) -> Iterator[Notification]:
        """Those that have come, oldest first, each once.

        Waits for the next one at most ``timeout`` seconds; with ``count``, gives that many and raises :class:`BrokerError` when they do
        not come.
        """
        given = silences = 0
        while count is None or given < count:
            if self._notifications:
                yield self._notifications.popleft()
                given, silences = given + 1, 0
                continue
            arrived = self._pump(None if count is not None else timeout)
            silences = 0 if arrived else silences + 1
            if count is None and not arrived:
                return
            if silences > _PATIENCE:
                raise BrokerError(f"{count} notifications were due, and {given} have come")

    def configure_skeleton(self, names: Iterable[str]) -> int:
        """Let the parser know names beforehand [T 4.3]; how many of them found room."""
        before = self.read_register(registers.PINNED), self.read_register(registers.UNPINNED)
        sent = 0
        for name in names:
            self._send(Header(Kind.SKELETON), name.encode())
            sent += 1
        for _ in range(_PATIENCE):
            after = self.read_register(registers.PINNED), self.read_register(registers.UNPINNED)
            if ((after[0] - before[0]) + (after[1] - before[1])) & 0xFFFF == sent & 0xFFFF:
                return (after[0] - before[0]) & 0xFFFF
        raise BrokerError("the broker does not take the skeleton")

    # --- The session.

    def clear(self) -> None:
        """Remove every subscription, between two publications."""
        self.write_register(registers.CONTROL, 1 << registers.CONTROL__CLEAR[0])
        for _ in range(_PATIENCE):
            if not self.read_register(registers.CONTROL):
                self._registered.clear()
                return
        raise BrokerError("the broker does not clear its subscriptions")

    def reset(self) -> None:
        """Begin a new session with an empty broker; what was under way is forgotten. Also after an error of the link."""
        self._start()

    @property
    def link(self) -> HostLink:
        return self._link

    def close(self) -> None:
        self._transport.close()

    def __enter__(self) -> "Broker":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()
