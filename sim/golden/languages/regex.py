"""Regular expressions [N 7.1.6]: ``[T]he [Qq]uick``. A match anywhere in the topic counts.

The syntax is a part of RE2's, with its meaning; characters are code points::

    Choice := Row ("|" Row)*
    Row    := (Atom (("?" | "*" | "+") "?"?)?)*
    Atom   := character | "." | "^" | "$" | Class | "\\" escaped | "(" Choice ")" | "(?:" Choice ")"
    Class  := "[" "^"? item+ "]", an item being a character, a range or an escape

``.`` is any character but a line feed, ``^`` and ``$`` are the ends of the whole topic. A ``?`` behind a repetition makes RE2 prefer
the shorter match, which changes no answer here. ``\\d``, ``\\w``, ``\\s`` and ``\\D``, ``\\W``, ``\\S`` are about ASCII.
"""

from dataclasses import dataclass, field
from typing import NoReturn

from hdl.contract import Refusal
from sim.golden.languages.message import Message
from sim.golden.languages.refusal import AnyRefusal, LanguageRefusal, Limits, Refused
from sim.golden.languages.regex_automaton import Anchor, Automaton, Choice, Node, Points, Repeat, Row

__all__ = ["Regex", "compile"]

_ALL = 0x10FFFF
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_DIGITS = ((0x30, 0x39),)
_WORDS = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
_SPACES = ((0x09, 0x0A), (0x0C, 0x0D), (0x20, 0x20))
_REPEATS = {"?": (False, False), "*": (False, True), "+": (True, True)}


def _complement(ranges: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """All other code points; the ranges rise and do not touch."""
    edges = [0, *(edge for low, high in ranges for edge in (low, high + 1)), _ALL + 1]
    return tuple((low, end - 1) for low, end in zip(edges[::2], edges[1::2], strict=True) if low < end)


_SETS = {"d": _DIGITS, "w": _WORDS, "s": _SPACES, "D": _complement(_DIGITS), "W": _complement(_WORDS), "S": _complement(_SPACES)}
_ANY = Points(_complement(((0x0A, 0x0A),)))


@dataclass(frozen=True, slots=True)
class Regex:
    """An expression and its automaton."""

    root: Node
    automaton: Automaton = field(repr=False, compare=False)

    def matches(self, message: Message) -> bool:
        return self.automaton.matches(message.topic)


def compile(text: str, limits: Limits) -> Regex:
    root = _Parser(text, limits).whole()
    return Regex(root, Automaton(root))


class _Parser:
    """One reading of an expression, from left to right."""

    def __init__(self, text: str, limits: Limits) -> None:
        self.text = text
        self.limits = limits
        self.place = 0
        self.open = 0
        self.positions = 0

    def refuse(self, code: AnyRefusal, place: int) -> NoReturn:
        raise Refused.at(code, self.text, place)

    @property
    def next(self) -> str:
        """The character that is looked at, empty at the end."""
        return self.text[self.place : self.place + 1]

    def take(self) -> str:
        """The character that is looked at, which there must be; the next one is looked at then."""
        if self.place == len(self.text):
            self.refuse(Refusal.UNTERMINATED, self.place)
        self.place += 1
        return self.text[self.place - 1]

    def whole(self) -> Node:
        root = self.choice()
        if self.next:
            self.refuse(Refusal.SYNTAX, self.place)
        return root

    def choice(self) -> Node:
        rows = [self.row()]
        while self.next == "|":
            self.place += 1
            rows.append(self.row())
        return rows[0] if len(rows) == 1 else Choice(tuple(rows))

    def row(self) -> Node:
        nodes: list[Node] = []
        while self.next not in ("", "|", ")"):
            nodes.append(self.repeated(self.atom()))
        return nodes[0] if len(nodes) == 1 else Row(tuple(nodes))

    def repeated(self, node: Node) -> Node:
        if self.next not in _REPEATS or not self.next:
            return node
        least, many = _REPEATS[self.take()]
        if self.next == "?":
            self.place += 1
        return Repeat(node, least, many)

    def atom(self) -> Node:
        begin = self.place
        character = self.take()
        match character:
            case "?" | "*" | "+":
                self.refuse(LanguageRefusal.REPETITION, begin)
            case "{":
                self.refuse(LanguageRefusal.COUNT, begin)
            case "(":
                return self.group(begin)
            case "^" | "$":
                return Anchor(character == "$")
        self.positions += 1
        if self.positions > self.limits.positions:
            self.refuse(LanguageRefusal.POSITIONS, begin)
        match character:
            case ".":
                return _ANY
            case "[":
                return self.characters()
            case "\\":
                ranges = self.escaped(begin)
                return Points(((ranges, ranges),) if isinstance(ranges, int) else ranges)
        return Points(((ord(character), ord(character)),))

    def group(self, begin: int) -> Node:
        if self.next == "?":
            if self.text[self.place : self.place + 2] == "?":
                self.refuse(Refusal.UNTERMINATED, len(self.text))
            if self.text[self.place : self.place + 2] != "?:":
                self.refuse(LanguageRefusal.GROUP, self.place + 1)
            self.place += 2
        self.open += 1
        if self.open > self.limits.nesting:
            self.refuse(LanguageRefusal.NESTING, begin)
        inner = self.choice()
        self.take()
        self.open -= 1
        return inner

    def escaped(self, begin: int) -> int | tuple[tuple[int, int], ...]:
        """The character behind a backslash, or the ranges that a letter stands for."""
        character = self.take()
        if character in _SETS:
            return _SETS[character]
        if character in _CONTROLS:
            return ord(_CONTROLS[character])
        if character.isalnum() or not character.isascii():
            self.refuse(LanguageRefusal.ESCAPE, begin)
        return ord(character)

    def characters(self) -> Points:
        """A class whose bracket is taken; a ``]`` that comes first is itself."""
        negated = self.next == "^"
        self.place += negated
        ranges: list[tuple[int, int]] = []
        while self.next != "]" or not ranges:
            begin = self.place
            if self.text[begin : begin + 2] == "[:":
                self.refuse(LanguageRefusal.CHARACTER_CLASS, begin)
            low = self.member()
            if not isinstance(low, int):
                ranges += low
            elif self.next == "-" and self.text[self.place + 1 : self.place + 2] not in ("", "]"):
                self.place += 1
                high = self.member()
                if not isinstance(high, int) or high < low:
                    self.refuse(LanguageRefusal.CHARACTER_CLASS, begin)
                ranges.append((low, high))
            else:
                ranges.append((low, low))
        self.place += 1
        return Points(tuple(ranges), negated)

    def member(self) -> int | tuple[tuple[int, int], ...]:
        begin = self.place
        character = self.take()
        return self.escaped(begin) if character == "\\" else ord(character)
