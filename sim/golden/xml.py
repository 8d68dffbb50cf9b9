"""The golden XML parser: the byte machine with shortcuts through what is ordinary, and the one call that parses a document."""

import gc
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import WordType
from sim.golden import fast
from sim.golden.events import Event
from sim.golden.machine import Machine, Parsed

__all__ = ["Event", "Parsed", "Parser", "parse"]

_LT, _AMPERSAND, _SLASH, _BANG, _QUESTION = b"<&/!?"
_SPACES = bytes.maketrans(b"\t\n", b"  ")
_ELEMENT, _ATTRIBUTE, _VALUE, _TEXT, _END = WordType.ELEMENT, WordType.ATTRIBUTE, WordType.VALUE, WordType.TEXT, WordType.END
_START_TAG, _ATTRIBUTES = fast.START_TAG.match, fast.ATTRIBUTE.finditer
_SPACE_RUN, _TEXT_RUN = fast.SPACE_RUN.match, fast.TEXT_RUN.match
_event = tuple.__new__


class _Tag(NamedTuple):
    """A start tag seen to be right that has no prefix: its events as if it stood at 0, what the limits apply to, and if it is empty."""

    events: tuple[tuple[WordType, bytes, int, int], ...]
    longest: int
    attributes: int
    empty: bool


_TAGS: dict[bytes, _Tag] = {}
_TAG_ENTRIES = 1 << 14
_TAG_BYTES = 96


_ONCE: set[bytes] = set()


def _again(tag: bytes) -> bool:
    """Whether the tag was here before; most are not seen twice, and need not be kept."""
    if tag in _ONCE:
        return True
    if len(_ONCE) == _TAG_ENTRIES:
        _ONCE.clear()
    _ONCE.add(tag)
    return False


@lru_cache(maxsize=4096)
def _closing(name: bytes) -> bytes:
    return b"</" + name + b">"


class Parser(Machine):
    """A :class:`~sim.golden.machine.Machine` that is many times as fast and has the same results.

    Whole tags, comments, sections and runs of text that regular expressions recognise are passed at once; near anything else, the byte
    machine decides.
    """

    def _shortcut(self, data: bytes, at: int, base: int) -> int:
        state = self._state
        if state is Machine._content:
            return at if self._utf8.pending or self._return else self._pass_content(data, at, base)
        if state is Machine._cdata:
            if not (self._brackets or self._utf8.pending or self._return) and (run := fast.CDATA_RUN.match(data, at)):
                return self._pass_run(run[0], self._text, at)
        elif state is Machine._in_value:
            if not (self._utf8.pending or self._return) and (run := fast.VALUE_RUNS[self._quote].match(data, at)):
                return self._pass_run(run[0], self._value, at)
        elif state is Machine._start and base + at == 0 and data[:1] == b"<" and data[1:2] not in (b"", b"\0"):
            self._state = Machine._content
            return self._pass_content(data, at, base)
        return at

    @staticmethod
    def _pass_run(run: bytes, into: bytearray, at: int) -> int:
        into += run
        return at + len(run)

    def _pass_content(self, data: bytes, at: int, base: int) -> int:
        """Text, tags and all else between them, as far as it is ordinary."""
        size, text, opened = len(data), self._text, self._open
        while at < size:
            byte = data[at]
            beyond = at
            if byte == _LT:
                beyond = self._pass_markup(data, at, base)
            elif not opened:
                if run := _SPACE_RUN(data, at):
                    beyond = run.end()
            elif byte == _AMPERSAND:
                if (found := fast.REFERENCE.match(data, at)) and (value := fast.decoded(found[0])) is not None:
                    text += value
                    self._brackets = 0
                    beyond = found.end()
            elif not self._brackets and (run := _TEXT_RUN(data, at)):
                beyond = run.end()
                if text or data[beyond : beyond + 1] != b"<" or data[beyond + 1 : beyond + 2] in (b"", b"!"):
                    text += run[0]
                elif beyond > at:  # whatever follows ends the text
                    self._events.append(_event(Event, (_TEXT, run[0], self._text_start, base + beyond)))
            if beyond == at:
                break
            at = beyond
        return at

    def _pass_markup(self, data: bytes, at: int, base: int) -> int:
        """A whole tag, comment, CDATA section or processing instruction from its '<' on."""
        following = data[at + 1] if at + 1 < len(data) else 0
        if following == _SLASH:
            if not self._open:
                return at
            name, scope = self._open[-1]
            closing = _closing(name)
            if data.startswith(closing, at):
                end = at + len(closing)
            else:
                match = fast.END_TAG.match(data, at)
                if match is None or match[1] != name:
                    return at
                end = match.end()
            if self._text:
                self._pass_text(base + at)
            self._open.pop()
            if len(self._prefixes) > scope:
                del self._prefixes[scope:]
            self._events.append(_event(Event, (_END, b"", base + at, base + end)))
        elif following == _BANG:
            match = fast.COMMENT.match(data, at)
            if match is None:
                match = fast.CDATA.match(data, at)
                if match is None or not self._open:
                    return at
                self._text += match[1]
                self._brackets = 0
                return match.end()
            self._pass_text(base + at)
            end = match.end()
        elif following == _QUESTION:
            match = fast.INSTRUCTION.match(data, at)
            if match is None and base + at == self._origin:
                match = fast.DECLARATION.match(data, at)
            if match is None:
                return at
            self._pass_text(base + at)
            end = match.end()
        else:
            return self._pass_start_tag(data, at, base)
        self._text_start = base + end
        self._brackets = 0
        return end

    def _pass_text(self, lt: int) -> None:
        """The text node, if any, ends at the '<' at that offset."""
        if self._text:
            self._events.append(_event(Event, (_TEXT, bytes(self._text), self._text_start, lt)))
            self._text.clear()

    def _pass_start_tag(self, data: bytes, at: int, base: int) -> int:
        if len(self._open) == self._config.depth or (self._root_seen and not self._open):
            return at
        end = data.find(b">", at) + 1
        known = _TAGS.get(data[at:end])
        if known is not None and known.longest <= self._config.name_bytes and known.attributes <= self._config.attributes:
            lt = base + at
            if self._text:
                self._pass_text(lt)
            self._root_seen = True
            append = self._events.append
            for kind, value, start, stop in known.events:
                append(_event(Event, (kind, value, lt + start, lt + stop)))
            if not known.empty:
                self._open.append((known.events[0][1], len(self._prefixes)))
            self._text_start = base + end
            self._brackets = 0
            return end
        match = _START_TAG(data, at)
        if match is None:
            return at
        name, inside, slash = match.groups()
        limit = self._config.name_bytes
        if len(name) > limit or name.startswith(b"xmlns:"):
            return at
        lt, end = base + at, base + match.end()
        events = [_event(Event, (_ELEMENT, name, lt, lt + 1 + len(name)))]
        declared: list[bytes] = []
        prefixed = b":" in name
        if inside:
            names: set[bytes] = set()
            for found in _ATTRIBUTES(data, *match.span(2)):
                key, value = found.groups()
                if len(key) > limit or key in names:
                    return at
                names.add(key)
                if b":" in key:
                    prefixed = True
                    if key.startswith(b"xmlns:"):
                        if not value or key == b"xmlns:xmlns":
                            return at
                        declared.append(key[6:])
                normal: bytes | None = value.translate(_SPACES)
                if b"&" in value and (normal := fast.decoded(value.translate(_SPACES))) is None:
                    return at
                start = base + found.start(1)
                first, last = found.span(2)
                events.append(_event(Event, (_ATTRIBUTE, key, start, start + len(key))))
                events.append(_event(Event, (_VALUE, normal, base + first, base + last)))
            if len(names) > self._config.attributes or len(self._prefixes) + len(declared) > self._config.prefixes:
                return at
            if prefixed and not self._all_bound((name, *names), declared):
                return at
        elif prefixed and not self._all_bound((name,), declared):
            return at
        if self._text:
            self._pass_text(lt)
        self._root_seen = True
        if slash:
            events.append(_event(Event, (_END, b"", lt, end)))
        else:
            self._open.append((name, len(self._prefixes)))
            self._prefixes += declared
        self._events += events
        if not prefixed and end - lt <= _TAG_BYTES and len(_TAGS) < _TAG_ENTRIES and _again(match[0]):
            longest = max(len(value) for kind, value, _, _ in events if kind is not _VALUE)
            placed = tuple((kind, value, start - lt, stop - lt) for kind, value, start, stop in events)
            _TAGS[match[0]] = _Tag(placed, longest, (len(events) - 1) // 2, bool(slash))
        self._text_start = end
        self._brackets = 0
        return end - base

    def _all_bound(self, names: Iterable[bytes], declared: list[bytes]) -> bool:
        """Whether all prefixes are bound, with those that the tag declares."""
        known = {b"", b"xml", b"xmlns", *self._prefixes, *declared}
        prefixes = (name.rpartition(b":")[0] for name in names)
        return all(prefix in known for prefix in prefixes)


def parse(data: bytes, config: BrokerConfig = PRESETS["default"], *, tree: bool = True, shortcuts: bool = True) -> Parsed:
    """What becomes of a whole document; without ``shortcuts`` the byte machine alone decides, and the result is the same."""
    parser = (Parser if shortcuts else Machine)(config, tree=tree)
    # No garbage collection meanwhile: parsing makes many small tuples and no cycles, and looking for some takes a third of its time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        parser.feed(data)
        return parser.close()
    finally:
        if collecting:
            gc.enable()
