"""The judge of a broker's stream: what every frame and publication must have got, from the texts alone.

A plain table of registered subscriptions follows the frames. libxml2 says which of them match, the golden parser gives verdicts. The
sizes of the step, name and value tables are not modelled: a frame may be refused as one too many of them only when the stream has come
near the limit. Where frames and publications do not wait for each other, a subscription may be in force for any row of publications.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from lxml import etree

from hdl.config import BrokerConfig
from hdl.contract import Code, Frame, FrameError, Kind, Refusal, Semantics
from sim.corners.names import TWINS
from sim.corners.streams import Stream
from sim.golden import xpath
from sim.golden.frames import frame_refusal
from sim.golden.match import matches
from sim.golden.xml import Parser
from sim.vectors import oracle
from sim.vectors.golden import refusal_of
from sim.verilated import broker
from sim.verilated.broker import Answered, Clear, Matched, Name, Publication, Reset

__all__ = ["differences"]

_PREFIX = re.compile(r"([^\W\d][\w.-]*):")
_STRING = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_NUMBER = re.compile(r"[<>=]\s*['\"]?\s*(-?(?:\d+\.?\d*|\.\d+))")
_FULL = {Refusal.FULL_STEPS: "steps", Refusal.FULL_NAMES: "names", Refusal.FULL_VALUES: "values"}


@dataclass
class _Table:
    """The subscriptions that are registered, by o-SID and reference, and how far the broker's tables may be filled."""

    config: BrokerConfig
    held: dict[bytes, tuple[int, str, Semantics]] = field(default_factory=dict)
    judge: oracle.Judge | None = None
    loaded: int = 0

    def take(self, raw: bytes, given: Refusal) -> Refusal:
        """Follow a frame that the broker answered so; the answer that is due."""
        config = self.config
        wrong = frame_refusal(raw, config)
        if wrong is not Refusal.NONE:
            return wrong
        frame, key = Frame.unpack(raw), raw[4:16]
        header = frame.header
        if header.kind == Kind.UNSUBSCRIBE:
            if key not in self.held:
                return Refusal.UNKNOWN_SID
            del self.held[key]
            self.judge = None
            return Refusal.NONE
        if key in self.held:
            return Refusal.DUPLICATE_SID
        due = refusal_of(frame.body, config)
        if due is Refusal.NONE and len(self.held) == config.subscriptions:
            return Refusal.FULL_SUBSCRIPTIONS
        text = frame.body.decode(errors="replace")
        if due is Refusal.NONE and given in _FULL and self._near(_FULL[given], text):
            return given
        if due is Refusal.NONE:
            self.held[key] = (header.reference, text, header.semantics)
            self.judge = None
        return due

    def _near(self, table: str, text: str) -> bool:
        """Whether what is held, with this text, may be too much for a table; steps lie in runs, and free places between them are lost."""
        texts = [*(held for _, held, _ in self.held.values()), text]
        if table == "steps":
            return sum(one.count("/") + one.count("@") + one.count("[") for one in texts) > self.config.steps // 2
        if table == "names":
            if all(any(twin.decode() in one for one in texts) for twin in TWINS):
                return True
            return self.loaded + len(texts) > self.config.names // 2
        strings = {string for one in texts for pair in _STRING.findall(one) for string in pair if string}
        # A string takes words of four bytes, of which there are four for each string on average.
        words = sum((len(one.encode()) + 3) // 4 for one in strings)
        numbers = {Decimal(spelt) for one in texts for spelt in _NUMBER.findall(one)}
        return len(strings) >= self.config.values - 2 or words > 4 * self.config.values or len(numbers) > self.config.numbers

    def matches(self, data: bytes) -> tuple[Code, int, Counter[int]]:
        """Verdict, offset and the references that are to be notified."""
        parser = Parser(self.config, tree=False)
        parser.feed(data)
        parsed = parser.close()
        if not parsed.well_formed:
            return parsed.code, parsed.offset or 0, Counter()
        root = oracle.parse(data)
        if root is None:
            raise ValueError(f"libxml2 must accept what the model accepts, but not {data[:80]!r}")
        listed = list(self.held.values())
        numbered = [(place, text, semantics) for place, (_, text, semantics) in enumerate(listed)]
        if self.judge is None:
            self.judge = oracle.Judge([one for one in numbered if _known(one[1])], self.config)
        judged = self.judge.judge(data, root)
        if judged.over_limit:
            return Code.NUMBER_DIGITS, 0, Counter()
        found = Counter(listed[place][0] for place in judged.matches)
        odd = [one for one in numbered if not _known(one[1])]
        return Code.OK, 0, found + Counter(listed[place][0] for place, text, semantics in odd if self._modelled(text, semantics, data))

    def _modelled(self, text: str, semantics: Semantics, data: bytes) -> bool:
        parser = Parser(self.config)
        parser.feed(data)
        document = parser.close().document
        return document is not None and matches(xpath.compile(text, self.config), document, semantics)


def _known(text: str) -> bool:
    """Whether libxml2 reads the text: it knows the names of XML's fourth edition only. The golden model judges the others."""
    try:
        etree.XPath(text, namespaces=dict.fromkeys(_PREFIX.findall(text), "u"))
    except etree.XPathSyntaxError:
        return False
    return True


def _late(stream: Stream, answers: Sequence[Answered | Matched], config: BrokerConfig) -> _Table:
    """The subscriptions that are accepted while publications flow: each counts for a row of publications that the clocks decide."""
    table = _Table(config)
    first = next((place for place, item in enumerate(stream.items) if isinstance(item, Publication)), 0)
    for item, answer in list(zip(stream.items, answers, strict=True))[first:] if stream.beside else []:
        accepted = isinstance(item, broker.Frame) and isinstance(answer, Answered) and answer.refusal is Refusal.NONE
        if accepted and Frame.unpack(item.data).header.kind == Kind.SUBSCRIBE:
            table.take(item.data, Refusal.NONE)
    return table


def _numbered(where: str, raw: bytes, answer: Answered, numbers: dict[bytes, int], config: BrokerConfig) -> Iterator[str]:
    """What is wrong with the t-SID of a result, and with what it says of the frame; ``numbers`` are the t-SIDs that are held."""
    key, due = raw[4:16], 0
    try:
        header = Frame.unpack(raw).header
        if (answer.cancel, answer.link) != (header.kind == Kind.UNSUBSCRIBE, header.link):
            yield f"{where}: a result for link {answer.link}, not {header.link}, or cancel {answer.cancel}: {header.kind.name}"
    except FrameError:
        pass
    if answer.refusal is Refusal.NONE and not answer.cancel:
        if not 1 <= answer.tsid <= config.subscriptions or answer.tsid in numbers.values():
            yield f"{where}: t-SID {answer.tsid} is not one that is free"
        due = numbers[key] = answer.tsid
    elif answer.refusal is Refusal.NONE:
        due = numbers.pop(key, 0)
    if answer.tsid != due:
        yield f"{where}: t-SID {answer.tsid}, not {due}"


def differences(stream: Stream, answers: Sequence[Answered | Matched], config: BrokerConfig) -> Iterator[str]:
    """What is wrong with the answers to a stream; those before its last reset are not there."""
    cut = max((place + 1 for place, item in enumerate(stream.items) if isinstance(item, Reset)), default=0)
    table = _Table(config)
    late = _late(stream, answers, config)
    rows: dict[int, str] = {}
    numbers: dict[bytes, int] = {}
    for place, (item, answer) in enumerate(zip(stream.items[cut:], answers, strict=True)):
        where = f"{stream.kind} item {place}"
        if isinstance(item, broker.Frame):
            assert isinstance(answer, Answered)
            due = table.take(item.data, answer.refusal)
            if answer.refusal is not due:
                yield f"{where} {item.data[20:]!r}: {answer.refusal.text}, not {due.text}"
            yield from _numbered(where, item.data, answer, numbers, config)
        elif isinstance(item, Clear):
            table = _Table(config, loaded=table.loaded)
            numbers.clear()
        elif isinstance(item, Name):
            table.loaded += 1
        elif isinstance(item, Publication):
            assert isinstance(answer, Matched)
            code, offset, references = table.matches(item.data)
            if item.data in stream.clashes and answer.code is Code.NAME_CLASH and 0 < answer.offset < len(item.data):
                # Which name it was that the table could not hold any more depends on the clock in which an earlier one was refused.
                code, offset, references = answer.code, answer.offset, Counter()
            elif item.data in stream.clashes:
                code = Code.NAME_CLASH
            located = code is not Code.NUMBER_DIGITS
            if answer.code is not code or (located and answer.offset != offset):
                yield f"{where}: {answer.code.text} at {answer.offset}, not {code.text} at {offset}: {item.data[:80]!r}"
            found = Counter(answer.references)
            possible = late.matches(item.data)[2] if late.held and code is Code.OK else Counter()
            wrong = (sorted((found - references - possible).elements()), sorted((references - found).elements()))
            if wrong != ([], []):
                yield f"{where}: notified {wrong[0]} too many and not {wrong[1]}: {item.data[:80]!r}"
            for reference in possible:
                rows[reference] = rows.get(reference, "") + "01"[reference in found]
    for reference, row in rows.items():
        if "0" in row.strip("0"):
            yield f"{stream.kind}: of the publications that {reference} matches it was notified of {row}, which is not one row"
