"""The grammar of subscriptions as a table: state and class of a character to the next state or a refusal [spec 3].

A row lists the classes that it knows; every other class goes to the row that the state *falls* to, or is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from amaranth.hdl import unsigned
from amaranth.lib import enum

from hdl.contract import Refusal
from hdl.xpath.characters import CharacterClass

__all__ = ["ACCEPTING", "NAME_BEGINS", "NAME_GOES_ON", "State", "outcome"]


class State(enum.Enum, shape=unsigned(6)):
    """What has been read of a subscription."""

    START = 0
    FIRST_SLASH = 1
    """Right after the leading '/'."""
    FIRST_STEP = 2
    """After the leading '//', or '/' and white space."""
    SLASH = 3
    STEP = 4
    NAME = 5
    NAME_COLON = 6
    NAME_END = 7
    STEP_END = 8
    ATTRIBUTE = 9
    """After the '@' of the final attribute step."""
    ATTRIBUTE_NAME = 10
    ATTRIBUTE_COLON = 11
    ATTRIBUTE_END = 12
    PREDICATE = 13
    """A test is due: after '[' or 'and'."""
    WORD = 14
    """In a name at the start of a test: only 'text()' will do."""
    WORD_COLON = 15
    WORD_END = 16
    TEXT = 17
    """After 'text('."""
    DOT = 18
    SUBJECT = 19
    """After '.' or 'text()'."""
    TEST = 20
    """After the '@' of a test."""
    TEST_NAME = 21
    TEST_COLON = 22
    TEST_NAME_END = 23
    BANG = 24
    RELATION = 25
    """Right after '<' or '>'."""
    LITERAL = 26
    NEGATIVE = 27
    POINT = 28
    INTEGER = 29
    FRACTION = 30
    DOUBLE = 31
    SINGLE = 32
    TEST_END = 33
    A = 34
    AN = 35
    AND = 36


@dataclass(frozen=True)
class _Row:
    known: Mapping[CharacterClass, State | Refusal]
    otherwise: State | Refusal = Refusal.SYNTAX
    """What every other class does."""
    falls: State | None = None
    """The row that every other class is looked up in instead."""


_C = CharacterClass

_LETTERS = (_C.START, _C.A, _C.N, _C.D)
"""The classes of NameStartChar."""
_NAME_CLASSES = (*_LETTERS, _C.NAME, _C.DIGIT, _C.DOT, _C.MINUS)
"""The classes of NameChar, the colon excepted."""
_OPERATORS = (_C.EQUAL, _C.BANG, _C.LESS, _C.GREATER, _C.OPERATOR, _C.STAR, _C.MINUS)
_EVERYTHING = tuple(_C)


def _to(classes, target):
    return dict.fromkeys(classes, target)


def _path(space, attribute):
    return {
        _C.SPACE: space,
        **_to(_LETTERS, State.NAME),
        _C.STAR: State.STEP_END,
        _C.AT: attribute,
        _C.DOT: Refusal.AXIS,
        _C.MINUS: Refusal.OPERATOR,
    }


def _name(stay, colon, end):
    return _Row({**_to(_NAME_CLASSES, stay), _C.COLON: colon}, falls=end)


def _colon(name):
    return _Row({**_to(_LETTERS, name), _C.COLON: Refusal.AXIS})


def _attribute(stay, name):
    return _Row({_C.SPACE: stay, **_to(_LETTERS, name), _C.MINUS: Refusal.OPERATOR})


_COMPARISON = {_C.EQUAL: State.LITERAL, _C.BANG: State.BANG, _C.LESS: State.RELATION, _C.GREATER: State.RELATION}
_AFTER_NAME = {_C.PAREN_OPEN: Refusal.FUNCTION, _C.COLON: Refusal.AXIS}
_NO_STEP = {_C.SLASH: Refusal.ATTRIBUTE_STEP, _C.BRACKET_OPEN: Refusal.ATTRIBUTE_STEP}
_FOREIGN = _to((*_LETTERS, *_OPERATORS), Refusal.OPERATOR)

_TABLE = {
    State.START: _Row({**_path(State.START, Refusal.ATTRIBUTE_STEP), _C.SLASH: State.FIRST_SLASH}),
    State.FIRST_SLASH: _Row({_C.SLASH: State.FIRST_STEP}, falls=State.FIRST_STEP),
    State.FIRST_STEP: _Row(_path(State.FIRST_STEP, Refusal.ATTRIBUTE_STEP)),
    State.SLASH: _Row({_C.SLASH: State.STEP}, falls=State.STEP),
    State.STEP: _Row(_path(State.STEP, State.ATTRIBUTE)),
    State.NAME: _name(State.NAME, State.NAME_COLON, State.NAME_END),
    State.NAME_COLON: _colon(State.NAME),
    State.NAME_END: _Row({_C.SPACE: State.NAME_END, **_AFTER_NAME}, falls=State.STEP_END),
    State.STEP_END: _Row({**_FOREIGN, _C.SPACE: State.STEP_END, _C.SLASH: State.SLASH, _C.BRACKET_OPEN: State.PREDICATE}),
    State.ATTRIBUTE: _attribute(State.ATTRIBUTE, State.ATTRIBUTE_NAME),
    State.ATTRIBUTE_NAME: _name(State.ATTRIBUTE_NAME, State.ATTRIBUTE_COLON, State.ATTRIBUTE_END),
    State.ATTRIBUTE_COLON: _colon(State.ATTRIBUTE_NAME),
    State.ATTRIBUTE_END: _Row({**_FOREIGN, _C.SPACE: State.ATTRIBUTE_END, **_AFTER_NAME, **_NO_STEP}),
    State.PREDICATE: _Row(
        {
            _C.SPACE: State.PREDICATE,
            _C.AT: State.TEST,
            _C.DOT: State.DOT,
            **_to(_LETTERS, State.WORD),
            _C.DIGIT: Refusal.POSITION,
            **_to((_C.DOUBLE, _C.SINGLE, _C.MINUS), Refusal.OPERATOR),
        }
    ),
    State.WORD: _name(State.WORD, State.WORD_COLON, State.WORD_END),
    State.WORD_COLON: _colon(State.WORD),
    State.WORD_END: _Row({_C.SPACE: State.WORD_END, _C.PAREN_OPEN: State.TEXT, _C.COLON: Refusal.AXIS}),
    State.TEXT: _Row({_C.SPACE: State.TEXT, _C.PAREN_CLOSE: State.SUBJECT}),
    State.DOT: _Row({_C.DOT: Refusal.AXIS, _C.DIGIT: Refusal.POSITION}, falls=State.SUBJECT),
    State.SUBJECT: _Row({**_FOREIGN, **_COMPARISON, _C.SPACE: State.SUBJECT}),
    State.TEST: _attribute(State.TEST, State.TEST_NAME),
    State.TEST_NAME: _name(State.TEST_NAME, State.TEST_COLON, State.TEST_NAME_END),
    State.TEST_COLON: _colon(State.TEST_NAME),
    State.TEST_NAME_END: _Row({**_COMPARISON, _C.SPACE: State.TEST_NAME_END, **_AFTER_NAME, **_NO_STEP}, falls=State.TEST_END),
    State.BANG: _Row({_C.EQUAL: State.LITERAL}),
    State.RELATION: _Row({_C.EQUAL: State.LITERAL}, falls=State.LITERAL),
    State.LITERAL: _Row(
        {
            _C.SPACE: State.LITERAL,
            _C.DOUBLE: State.DOUBLE,
            _C.SINGLE: State.SINGLE,
            _C.DIGIT: State.INTEGER,
            _C.DOT: State.POINT,
            _C.MINUS: State.NEGATIVE,
            **_to((*_LETTERS, _C.AT, _C.SLASH, _C.STAR, _C.PAREN_OPEN, _C.DOLLAR), Refusal.OPERATOR),
        }
    ),
    State.NEGATIVE: _Row(
        {_C.SPACE: State.NEGATIVE, _C.DIGIT: State.INTEGER, _C.DOT: State.POINT},
        otherwise=Refusal.OPERATOR,
    ),
    State.POINT: _Row({_C.DIGIT: State.FRACTION}, otherwise=Refusal.OPERATOR),
    State.INTEGER: _Row({_C.DIGIT: State.INTEGER, _C.DOT: State.FRACTION}, falls=State.TEST_END),
    State.FRACTION: _Row({_C.DIGIT: State.FRACTION}, falls=State.TEST_END),
    State.DOUBLE: _Row({_C.DOUBLE: State.TEST_END, _C.ILLEGAL: Refusal.SYNTAX}, otherwise=State.DOUBLE),
    State.SINGLE: _Row({_C.SINGLE: State.TEST_END, _C.ILLEGAL: Refusal.SYNTAX}, otherwise=State.SINGLE),
    State.TEST_END: _Row({**_FOREIGN, _C.SPACE: State.TEST_END, _C.BRACKET_CLOSE: State.STEP_END, _C.A: State.A}),
    State.A: _Row({_C.N: State.AN}, otherwise=Refusal.OPERATOR),
    State.AN: _Row({_C.D: State.AND}, otherwise=Refusal.OPERATOR),
    State.AND: _Row(_to((*_NAME_CLASSES, _C.COLON), Refusal.OPERATOR), falls=State.PREDICATE),
}


def outcome(state: State, kind: CharacterClass) -> State | Refusal:
    """Where a character of class ``kind`` leads from ``state``.

    Conditions beyond the two are left to the caller: a second ':' in a name, a '/' after a test of text, a word other than 'text'.
    A byte of an unfinished character leaves the state as it is.
    """
    if kind == CharacterClass.PART:
        return state
    row = _TABLE[state]
    if kind in row.known:
        return row.known[kind]
    return row.otherwise if row.falls is None else outcome(row.falls, kind)


ACCEPTING = (State.NAME, State.NAME_END, State.STEP_END, State.ATTRIBUTE_NAME, State.ATTRIBUTE_END)
"""The states that a subscription may end in."""

NAME_BEGINS = (State.START, State.FIRST_SLASH, State.FIRST_STEP, State.SLASH, State.STEP, State.PREDICATE, State.ATTRIBUTE, State.TEST)
"""The states in which the first byte of a NameStartChar begins a name."""

NAME_GOES_ON = (
    State.NAME,
    State.NAME_COLON,
    State.ATTRIBUTE_NAME,
    State.ATTRIBUTE_COLON,
    State.WORD,
    State.WORD_COLON,
    State.TEST_NAME,
    State.TEST_COLON,
)
"""The states inside a name."""
