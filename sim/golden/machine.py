"""The byte machine: a streaming XML 1.0 parser that is exact about the verdict, the code and the deciding byte of every document."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Verdict, WordType
from sim.golden.chars import QUOTES, WHITE_SPACE, is_name_char, is_name_start, utf8_length
from sim.golden.constructs import Construct, Stop, comment, doctype, instruction, reference
from sim.golden.events import Event
from sim.golden.tree import Document, build
from sim.golden.utf8 import PENDING, Utf8

__all__ = ["Machine", "Parsed"]

_State: TypeAlias = "Callable[[Machine, int, int], None]"
_After: TypeAlias = "Callable[[Machine, bytes], None]"

_BOM = 0xFEFF


@dataclass(frozen=True, slots=True)
class Parsed:
    """What became of a document.

    ``offset`` is that of the deciding byte (the length where the end decides), and 0 for a well-formed document; ``length`` is that of
    the whole document whatever the verdict. ``events`` and ``document`` are those of a well-formed document only; ``document`` also
    needs ``tree``.
    """

    code: Code
    offset: int
    length: int
    events: tuple[Event, ...] = ()
    document: Document | None = None

    @property
    def verdict(self) -> Verdict:
        return self.code.verdict

    @property
    def well_formed(self) -> bool:
        return self.code is Code.OK


class Machine:
    """A parser that is fed a document in pieces of any size, and looks at every byte by itself.

    Memory grows with the events that it keeps and, with ``tree``, the source.
    """

    def __init__(self, config: BrokerConfig = PRESETS["default"], *, tree: bool = True) -> None:
        self._config = config
        self._source: bytearray | None = bytearray() if tree else None
        self._length = 0
        self._stopped: tuple[Code, int] | None = None
        self._offset = 0
        self._first = 0
        self._utf8 = Utf8()
        self._state: _State = Machine._start
        self._construct: Construct | None = None
        self._after: _After = Machine._end_construct
        self._expected = b""
        self._events: list[Event] = []
        # The document so far: where a declaration may stand, what has been seen, what is open.
        self._origin = 0
        self._doctype_seen = False
        self._root_seen = False
        self._open: list[tuple[bytes, int]] = []
        self._prefixes: list[bytes] = []
        # The text node at hand.
        self._text = bytearray()
        self._text_start = 0
        self._brackets = 0
        self._return = False
        # The tag at hand.
        self._lt = 0
        self._name = bytearray()
        self._element = b""
        self._attributes: list[tuple[bytes, bytes, int, int, int]] = []
        self._names: set[bytes] = set()
        self._scope = 0
        self._attribute = b""
        self._attribute_start = 0
        self._value = bytearray()
        self._value_start = 0
        self._quote = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the document; after an error they are only counted."""
        base = self._length
        self._length += len(data)
        if self._source is not None:
            self._source += data
        if self._stopped is not None:
            return
        try:
            at = 0
            while at < len(data):
                self._offset = base + at
                beyond = self._shortcut(data, at, base)
                if beyond == at:
                    self._step(data[at])
                    beyond = at + 1
                at = beyond
        except Stop as stop:
            self._stopped = stop.code, self._offset

    def close(self) -> Parsed:
        """The document is complete: what became of it."""
        if self._stopped is None:
            if self._state not in (Machine._start, Machine._content) or self._utf8.pending or self._open:
                self._stopped = Code.UNCLOSED, self._length
            elif not self._root_seen:
                self._stopped = Code.NO_ROOT, self._length
        if self._stopped is not None:
            return Parsed(*self._stopped, self._length)
        document = None if self._source is None else build(self._events, bytes(self._source))
        return Parsed(Code.OK, 0, self._length, tuple(self._events), document)

    def _shortcut(self, _data: bytes, at: int, _base: int) -> int:
        """Pass bytes from ``at`` on in some quicker way that has the same effect; where to go on, ``at`` when there is none.

        ``_base`` is the offset of the data's first byte in the document.
        """
        return at

    def _step(self, byte: int) -> None:
        """One byte through the byte machine.

        A state is called for every byte: with the code point where the byte completes a character, else with ``PENDING``.
        """
        if self._offset == 0:
            self._first = byte
            if byte in (0x00, 0xFE, 0xFF):
                raise Stop(Code.UTF16)
        elif self._offset == 1 and byte == 0x00 and self._first == ord("<"):
            raise Stop(Code.UTF16)
        self._state(self, byte, self._utf8.push(byte))

    # Outside tags.

    def _start(self, byte: int, char: int) -> None:
        """The first character: a byte order mark, or content."""
        if char == PENDING:
            return
        self._state = Machine._content
        if char == _BOM:
            self._origin = self._offset + 1
        else:
            self._content(byte, char)

    def _content(self, byte: int, char: int) -> None:
        """Character data, or '<'."""
        if char == PENDING:
            return
        if char == ord("<"):
            self._lt = self._offset
            self._brackets = 0
            self._return = False
            self._state = Machine._markup
        elif not self._open:
            if char not in WHITE_SPACE:
                raise Stop(Code.TEXT_OUTSIDE)
        elif char == ord("&"):
            self._brackets = 0
            self._return = False
            self._enter(reference(), Machine._end_text_reference)
        else:
            if char == ord(">") and self._brackets == 2:
                raise Stop(Code.CDATA_END)
            self._brackets = min(self._brackets + 1, 2) if char == ord("]") else 0
            self._append_text(char)

    def _append_text(self, char: int) -> None:
        """A literal character of a text node, with line ends normalised [XML 2.11]."""
        if char == ord("\r"):
            self._text += b"\n"
        elif char != ord("\n") or not self._return:
            self._text += chr(char).encode()
        self._return = char == ord("\r")

    def _end_text_reference(self, value: bytes) -> None:
        self._text += value
        self._state = Machine._content

    def _cdata(self, _byte: int, char: int) -> None:
        """Inside a CDATA section; ``_brackets`` counts the ']' held back because they may close it."""
        if char == PENDING:
            return
        if char == ord("]"):
            self._return = False
            if self._brackets == 2:
                self._text += b"]"
            else:
                self._brackets += 1
        elif char == ord(">") and self._brackets == 2:
            self._brackets = 0
            self._return = False
            self._state = Machine._content
        else:
            self._text += b"]" * self._brackets
            self._brackets = 0
            self._append_text(char)

    def _flush_text(self) -> None:
        """The text node, if any, ends at the '<' at hand."""
        if self._text:
            self._events.append(Event(WordType.TEXT, bytes(self._text), self._text_start, self._lt))
            self._text.clear()

    def _markup(self, byte: int, char: int) -> None:
        """Right after '<'."""
        if char == ord("!"):
            self._state = Machine._bang
        elif char == ord("?"):
            self._flush_text()
            self._enter(instruction(first=self._lt == self._origin), Machine._end_construct)
        elif char == ord("/"):
            if not self._open:
                raise Stop(Code.UNEXPECTED_END)
            self._state = Machine._end_tag
        elif char == PENDING or is_name_start(char):
            if not self._open and self._root_seen:
                raise Stop(Code.EXTRA_ROOT)
            if len(self._open) == self._config.depth:
                raise Stop(Code.DEPTH)
            self._begin_name(byte, Machine._element_name)
        else:
            raise Stop(Code.BAD_NAME)

    def _bang(self, _byte: int, char: int) -> None:
        """After '<!': the three ways on."""
        if char == PENDING:
            return
        expected = {ord("-"): b"-", ord("["): b"CDATA[", ord("D"): b"OCTYPE"}.get(char)
        if expected is None:
            raise Stop(Code.BAD_MARKUP)
        self._expected = expected
        self._state = Machine._keyword

    def _keyword(self, _byte: int, char: int) -> None:
        """The rest of '<!--', '<![CDATA[' or '<!DOCTYPE'."""
        if char == PENDING:
            return
        if char != self._expected[0]:
            raise Stop(Code.BAD_MARKUP)
        self._expected = self._expected[1:]
        if self._expected:
            return
        if char == ord("-"):
            self._flush_text()
            self._enter(comment(), Machine._end_construct)
        elif char == ord("["):
            if not self._open:
                raise Stop(Code.TEXT_OUTSIDE)
            self._state = Machine._cdata
        else:
            if self._doctype_seen or self._root_seen:
                raise Stop(Code.BAD_DOCTYPE)
            self._doctype_seen = True
            self._enter(doctype(), Machine._end_construct)

    def _enter(self, construct: Construct, after: _After) -> None:
        next(construct)
        self._construct = construct
        self._after = after
        self._state = Machine._within

    def _within(self, _byte: int, char: int) -> None:
        """Inside a construct that decides for itself where it ends."""
        if char == PENDING:
            return
        assert self._construct is not None
        try:
            self._construct.send(char)
        except StopIteration as end:
            self._construct = None
            self._after(self, end.value)

    def _end_construct(self, _value: bytes) -> None:
        """A comment, a processing instruction, a declaration ended with the byte at hand."""
        self._text_start = self._offset + 1
        self._state = Machine._content

    # Names.

    def _begin_name(self, byte: int, state: _State) -> None:
        self._name.clear()
        self._name.append(byte)
        self._state = state

    def _takes(self, byte: int, char: int, *, at_start: Code) -> bool:
        """Whether the byte is one more of the name at hand; ``at_start`` is the code when its first character cannot start a name."""
        if byte < 0x80 and not is_name_char(byte):
            return False
        self._name.append(byte)
        if len(self._name) > self._config.name_bytes:
            raise Stop(Code.NAME_LENGTH)
        if byte >= 0x80 and char != PENDING:
            if len(self._name) == utf8_length(char):
                if not is_name_start(char):
                    raise Stop(at_start)
            elif not is_name_char(char):
                raise Stop(Code.BAD_TAG)
        return True

    def _check_qname(self, name: bytes) -> None:
        """[Namespaces 3]: at most one colon, with an NCName on either side."""
        if b":" in name:
            prefix, local = name.decode().split(":", 1)
            if not prefix or not local or ":" in local or not is_name_start(ord(local[0])):
                raise Stop(Code.BAD_QNAME)

    # Start tags.

    def _element_name(self, byte: int, char: int) -> None:
        if self._takes(byte, char, at_start=Code.BAD_NAME):
            return
        if char not in WHITE_SPACE and char not in (ord("/"), ord(">")):
            raise Stop(Code.BAD_TAG)
        self._element = bytes(self._name)
        self._check_qname(self._element)
        self._attributes = []
        self._names = set()
        self._scope = len(self._prefixes)
        self._after_part(char)

    def _after_part(self, char: int) -> None:
        """White space, '/' or '>' after the element's name or an attribute."""
        if char in WHITE_SPACE:
            self._state = Machine._between
        elif char == ord("/"):
            self._state = Machine._slash
        elif char == ord(">"):
            self._end_start_tag(empty=False)
        else:
            raise Stop(Code.BAD_TAG)

    def _between(self, byte: int, char: int) -> None:
        """After white space in a start tag."""
        if char == PENDING or is_name_start(char):
            self._attribute_start = self._offset
            self._begin_name(byte, Machine._attribute_name)
        else:
            self._after_part(char)

    def _slash(self, _byte: int, char: int) -> None:
        """After the '/' of an empty-element tag."""
        if char == PENDING:
            return
        if char != ord(">"):
            raise Stop(Code.BAD_TAG)
        self._end_start_tag(empty=True)

    def _attribute_name(self, byte: int, char: int) -> None:
        if self._takes(byte, char, at_start=Code.BAD_TAG):
            return
        if char not in WHITE_SPACE and char != ord("="):
            raise Stop(Code.BAD_TAG)
        name = self._attribute = bytes(self._name)
        self._check_qname(name)
        if len(self._attributes) == self._config.attributes:
            raise Stop(Code.ATTRIBUTES)
        if name in self._names:
            raise Stop(Code.DUPLICATE_ATTRIBUTE)
        self._names.add(name)
        if name.startswith(b"xmlns:"):
            self._prefixes.append(name[6:])
            if len(self._prefixes) > self._config.prefixes:
                raise Stop(Code.PREFIXES)
            if name == b"xmlns:xmlns":
                raise Stop(Code.BAD_NS_DECL)
        self._state = Machine._opening if char == ord("=") else Machine._equals

    def _equals(self, _byte: int, char: int) -> None:
        """After white space behind an attribute's name."""
        if char == PENDING or char in WHITE_SPACE:
            return
        if char != ord("="):
            raise Stop(Code.BAD_TAG)
        self._state = Machine._opening

    def _opening(self, _byte: int, char: int) -> None:
        """After '=': the opening quote."""
        if char == PENDING or char in WHITE_SPACE:
            return
        if char not in QUOTES:
            raise Stop(Code.BAD_TAG)
        self._quote = char
        self._value.clear()
        self._value_start = self._offset + 1
        self._return = False
        self._state = Machine._in_value

    def _in_value(self, _byte: int, char: int) -> None:
        """Inside an attribute value, normalised as CDATA [XML 3.3.3]."""
        if char == PENDING:
            return
        if char == ord("<"):
            raise Stop(Code.LT_IN_VALUE)
        if char == self._quote:
            if not self._value and self._attribute.startswith(b"xmlns:"):
                raise Stop(Code.BAD_NS_DECL)
            self._attributes.append((self._attribute, bytes(self._value), self._attribute_start, self._value_start, self._offset))
            self._return = False
            self._state = Machine._after_value
        elif char == ord("&"):
            self._return = False
            self._enter(reference(), Machine._end_value_reference)
        else:
            if char not in WHITE_SPACE:
                self._value += chr(char).encode()
            elif char != ord("\n") or not self._return:
                self._value += b" "
            self._return = char == ord("\r")

    def _end_value_reference(self, value: bytes) -> None:
        self._value += value
        self._state = Machine._in_value

    def _after_value(self, _byte: int, char: int) -> None:
        if char != PENDING:
            self._after_part(char)

    def _bound(self, name: bytes, *, declares: bool) -> bool:
        """Whether the name's prefix, if any, is bound [Namespaces 3]; ``declares`` for attributes, where xmlns:p declares p."""
        if b":" not in name:
            return True
        prefix = name.partition(b":")[0]
        return prefix == b"xml" or prefix in self._prefixes or (declares and prefix == b"xmlns")

    def _end_start_tag(self, *, empty: bool) -> None:
        """The '>' of a start tag or an empty-element tag."""
        if not self._bound(self._element, declares=False):
            raise Stop(Code.UNBOUND_PREFIX)
        if not all(self._bound(name, declares=True) for name in self._names):
            raise Stop(Code.UNBOUND_PREFIX)
        self._open_element(empty=empty)

    def _open_element(self, *, empty: bool) -> None:
        """The start tag or empty-element tag at hand is complete and right."""
        self._root_seen = True
        self._flush_text()
        self._events.append(Event(WordType.ELEMENT, self._element, self._lt, self._lt + 1 + len(self._element)))
        for name, value, start, value_start, value_end in self._attributes:
            self._events.append(Event(WordType.ATTRIBUTE, name, start, start + len(name)))
            self._events.append(Event(WordType.VALUE, value, value_start, value_end))
        self._open.append((self._element, self._scope))
        if empty:
            self._end_element()
        else:
            self._end_construct(b"")

    # End tags.

    def _end_tag(self, byte: int, char: int) -> None:
        """Right after '</'."""
        if char != PENDING and not is_name_start(char):
            raise Stop(Code.BAD_NAME)
        self._begin_name(byte, Machine._end_name)

    def _end_name(self, byte: int, char: int) -> None:
        if self._takes(byte, char, at_start=Code.BAD_NAME):
            return
        if char not in WHITE_SPACE and char != ord(">"):
            raise Stop(Code.BAD_TAG)
        if self._name != self._open[-1][0]:
            raise Stop(Code.MISMATCHED_END)
        self._state = Machine._end_space
        self._end_space(byte, char)

    def _end_space(self, _byte: int, char: int) -> None:
        """After the name of an end tag."""
        if char == PENDING or char in WHITE_SPACE:
            return
        if char != ord(">"):
            raise Stop(Code.BAD_TAG)
        self._flush_text()
        self._end_element()

    def _end_element(self) -> None:
        """The '>' that ends an element."""
        _name, scope = self._open.pop()
        del self._prefixes[scope:]
        self._events.append(Event(WordType.END, b"", self._lt, self._offset + 1))
        self._end_construct(b"")
