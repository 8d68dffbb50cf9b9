"""The golden XML parser: the byte machine with shortcuts through what is ordinary, and the one call that parses a document."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from hdl.config import PRESETS, BrokerConfig
from sim.golden import fast
from sim.golden.events import Event
from sim.golden.machine import Machine, Parsed

__all__ = ["Event", "Parsed", "Parser", "parse"]

_SPACES = bytes.maketrans(b"\t\n", b"  ")


class Parser(Machine):
    """A :class:`~sim.golden.machine.Machine` that is several times as fast and has the same results.

    Whole tags, comments and runs of text that regular expressions recognise are passed at once; near anything else, the byte
    machine decides.
    """

    def _shortcut(self, data: bytes, at: int, base: int) -> int:
        if self._utf8.pending or self._return:
            return at
        state = self._state
        if state is Machine._content:
            return self._pass_content(data, at, base)
        if state is Machine._cdata and not self._brackets:
            run = fast.CDATA_RUN.match(data, at)
            return self._pass_run(run[0], self._text, at) if run else at
        if state is Machine._in_value:
            run = fast.VALUE_RUNS[self._quote].match(data, at)
            return self._pass_run(run[0], self._value, at) if run else at
        return at

    @staticmethod
    def _pass_run(run: bytes, into: bytearray, at: int) -> int:
        into += run
        return at + len(run)

    def _pass_content(self, data: bytes, at: int, base: int) -> int:
        """Text and whole tags, as far as they are ordinary."""
        while at < len(data):
            byte = data[at]
            beyond = at
            if byte == 0x3C:  # '<'
                beyond = self._pass_markup(data, at, base)
            elif not self._open:
                if run := fast.SPACE_RUN.match(data, at):
                    beyond = run.end()
            elif byte == 0x26:  # '&'
                if found := fast.PREDEFINED.match(data, at):
                    self._text += fast.PREDEFINED_VALUES[found[1]]
                    self._brackets = 0
                    beyond = found.end()
            elif not self._brackets and (run := fast.TEXT_RUN.match(data, at)):
                self._text += run[0]
                beyond = run.end()
            if beyond == at:
                break
            at = beyond
        return at

    def _pass_markup(self, data: bytes, at: int, base: int) -> int:
        """A whole tag or comment from its '<' on."""
        following = data[at + 1 : at + 2]
        if following == b"/":
            match = fast.END_TAG.match(data, at)
            if match is None or not self._open or match[1] != self._open[-1][0]:
                return at
            self._at_end(at, match.end(), base)
            self._flush_text()
            self._end_element()
        elif following == b"!":
            match = fast.COMMENT.match(data, at)
            if match is None:
                return at
            self._at_end(at, match.end(), base)
            self._flush_text()
            self._end_construct(b"")
        else:
            return self._pass_start_tag(data, at, base)
        return match.end()

    def _pass_start_tag(self, data: bytes, at: int, base: int) -> int:
        match = fast.START_TAG.match(data, at)
        if match is None or len(self._open) == self._config.depth or (self._root_seen and not self._open):
            return at
        name, inside, slash = match.groups()
        limit = self._config.name_bytes
        if len(name) > limit or not self._bound(name, declares=False):
            return at
        attributes = []
        names: set[bytes] = set()
        if inside:
            for found in fast.ATTRIBUTE.finditer(data, *match.span(2)):
                key, value = found.groups()
                if len(key) > limit or not self._bound(key, declares=False):
                    return at  # a declaration of a prefix is left to the byte machine as well
                names.add(key)
                attributes.append((key, value.translate(_SPACES), base + found.start(1), base + found.start(2), base + found.end(2)))
            if len(names) != len(attributes) or len(names) > self._config.attributes:
                return at
        self._at_end(at, match.end(), base)
        self._element = name
        self._attributes = attributes
        self._scope = len(self._prefixes)
        self._open_element(empty=bool(slash))
        return match.end()

    def _at_end(self, at: int, end: int, base: int) -> None:
        """The machine stands at the last byte of the markup from ``at`` to ``end``."""
        self._lt = base + at
        self._brackets = 0
        self._offset = base + end - 1


@contextmanager
def _uncollected() -> Iterator[None]:
    """No garbage collection meanwhile: parsing makes many small tuples and no cycles, and looking for some takes a third of its time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def parse(data: bytes, config: BrokerConfig = PRESETS["default"], *, tree: bool = True, shortcuts: bool = True) -> Parsed:
    """What becomes of a whole document; without ``shortcuts`` the byte machine alone decides, and the result is the same."""
    parser = (Parser if shortcuts else Machine)(config, tree=tree)
    with _uncollected():
        parser.feed(data)
        return parser.close()
