"""A subscription's XPath expression taken apart."""

import enum
from dataclasses import dataclass, field
from decimal import Decimal

from hdl.config import BrokerConfig

__all__ = ["Axis", "Operator", "Query", "Step", "Subject", "Test"]


class Axis(enum.IntEnum):
    """What stands in front of a step."""

    CHILD = 0
    DESCENDANT = 1

    @property
    def text(self) -> str:
        return "//" if self else "/"


class Operator(enum.IntEnum):
    """Comparison of a test; NONE asks for presence."""

    NONE = 0
    EQ = 1
    NE = 2
    LT = 3
    LE = 4
    GT = 5
    GE = 6

    @property
    def text(self) -> str:
        return ("", "=", "!=", "<", "<=", ">", ">=")[self]

    @property
    def relational(self) -> bool:
        """Whether both sides are always compared as numbers [XPath 3.4]."""
        return self >= Operator.LT


class Subject(enum.Enum):
    """What a test looks at."""

    ATTRIBUTE = "@"
    SELF = "."
    TEXT = "text()"


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a predicate.

    ``name`` is the attribute's; ``literal`` is the string between the quotes, or the number as spelled without white space.
    ``number`` is the literal's number, None where it has none (a string compared as one, or NaN).
    """

    __test__ = False

    subject: Subject
    name: bytes = b""
    operator: Operator = Operator.NONE
    literal: bytes = b""
    spelled_as_number: bool = False
    number: Decimal | None = None

    @property
    def numeric(self) -> bool:
        """Whether values are compared as numbers."""
        return self.spelled_as_number or self.operator.relational

    @property
    def canonical(self) -> str:
        """The same spelling for all tests that differ only in white space, quotes and the spelling of a number."""
        subject = self.subject.value + self.name.decode()
        if self.operator is Operator.NONE:
            return subject
        if not self.numeric:
            literal = self.literal.decode()
            quote = "'" if '"' in literal else '"'
            return f"{subject}{self.operator.text}{quote}{literal}{quote}"
        return f"{subject}{self.operator.text}" + ('"NaN"' if self.number is None else format(self.number.normalize(), "f"))


@dataclass(frozen=True, slots=True)
class Step:
    """An element step; ``name`` is None for ``*``. The tests of all its predicates hold together."""

    axis: Axis
    name: bytes | None
    tests: tuple[Test, ...] = ()

    @property
    def canonical(self) -> str:
        tests = sorted({test.canonical for test in self.tests})
        name = "*" if self.name is None else self.name.decode()
        return self.axis.text + name + "".join(f"[{test}]" for test in tests)


@dataclass(frozen=True, slots=True)
class Query:
    """An accepted expression: steps, then perhaps a final attribute step.

    Two are equal when they are the same expression apart from its spelling; :attr:`canonical` is that expression.
    """

    text: bytes = field(compare=False)
    config: BrokerConfig = field(compare=False, repr=False)
    steps: tuple[Step, ...] = field(compare=False)
    attribute: bytes | None = field(default=None, compare=False)
    attribute_axis: Axis = field(default=Axis.CHILD, compare=False)
    canonical: str = field(init=False, repr=False)
    names: frozenset[bytes] = field(init=False, repr=False, compare=False)
    """The names of the steps, all of which must occur among a document's elements for anything to be selected."""
    compared: tuple[tuple[Subject, bytes | None], ...] = field(init=False, repr=False, compare=False)
    """Where values are compared as numbers: the attributes of a name, or the elements of a name, None for all."""

    def __post_init__(self) -> None:
        final = "" if self.attribute is None else f"{self.attribute_axis.text}@{self.attribute.decode()}"
        object.__setattr__(self, "canonical", "".join(step.canonical for step in self.steps) + final)
        object.__setattr__(self, "names", frozenset(step.name for step in self.steps if step.name is not None))
        tests = ((step, test) for step in self.steps for test in step.tests if test.numeric and test.number is not None)
        places = ((test.subject, test.name if test.subject is Subject.ATTRIBUTE else step.name) for step, test in tests)
        object.__setattr__(self, "compared", tuple(dict.fromkeys(places)))

    @property
    def size(self) -> int:
        """Steps and tests together, as the limit counts them."""
        return sum(1 + len(step.tests) for step in self.steps) + (self.attribute is not None)
