"""Whether a subscription matches a document, and the nodes it selects.

Exact semantics are those of XPath 1.0 with the document node as context. Names compare as written, byte by byte; namespace
declarations are no attributes [XPath 5.3]. Containment asks that each filter of the subscription occurs somewhere in the
document [T 5.3.1]:

- a name, of a step or of an attribute without comparison, occurs as an element or as an attribute; ``*`` always does;
- ``@n op literal`` holds for some attribute n of any element;
- ``. op literal`` and ``text() op literal`` hold for some element with the step's name (any element for ``*``).

A value that is compared as a number and has too many digits (:func:`sim.golden.number.from_string`) puts the whole document over
the limit. That is decided by name alone, the same for both semantics, whatever the path and the other tests say: the
values of every attribute with the test's name, and the string-values or text nodes of every element with the step's name. A
comparison with a string that is no number looks at nothing.
"""

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from hdl.config import BrokerConfig
from hdl.contract import Semantics
from sim.golden.number import NumberDigits, from_string
from sim.golden.query import Axis, Operator, Query, Step, Subject, Test
from sim.golden.tree import Document, Element

__all__ = ["Attribute", "Indexed", "NumberDigits", "Selected", "comparison", "matched", "matches", "select"]


class Attribute(NamedTuple):
    """A selected attribute."""

    element: Element
    name: bytes


Selected: TypeAlias = Element | Attribute

_COMPARISONS: dict[Operator, Callable[[Decimal, Decimal], bool]] = {
    Operator.EQ: Decimal.__eq__,
    Operator.NE: Decimal.__ne__,
    Operator.LT: Decimal.__lt__,
    Operator.LE: Decimal.__le__,
    Operator.GT: Decimal.__gt__,
    Operator.GE: Decimal.__ge__,
}


def comparison(test: Test) -> Callable[[bytes, Decimal | None], bool]:
    """Whether the test holds for a value that is present, given its number, None for NaN [XPath 3.4]."""
    operator, literal, number = test.operator, test.literal, test.number
    if operator is Operator.NONE:
        return lambda value, _: True
    if not test.numeric:
        equal = operator is Operator.EQ
        return lambda value, _: (value == literal) is equal
    of_nan = operator is Operator.NE
    if number is None:
        return lambda value, _: of_nan
    compare, limit = _COMPARISONS[operator], number
    return lambda _, number: of_nan if number is None else compare(number, limit)


def _is_declaration(name: bytes) -> bool:
    return name == b"xmlns" or name.startswith(b"xmlns:")


class Indexed:
    """A document laid out for many subscriptions: elements in document order with their parents, names, attributes and texts."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.elements: list[Element] = []
        self.parents: list[int] = []
        self.last: list[int] = []
        """The last descendant of each element, itself if it has none."""
        self.names: dict[bytes, list[int]] = {}
        self.attributes: list[dict[bytes, bytes]] = []
        self.values: dict[bytes, list[bytes]] = {}
        """The values of each attribute name."""
        self.texts: list[list[bytes]] = []
        self._spans: list[tuple[int, int]] = []
        self._stream = bytearray()
        self._numbers: dict[bytes, Decimal | None] = {}
        self._checked: set[tuple[Subject, bytes | None]] = set()
        self._lay_out(document.root)
        self._text = bytes(self._stream)

    def _lay_out(self, root: Element) -> None:
        open_elements = [(self._enter(root, -1), iter(root.children))]
        while open_elements:
            index, children = open_elements[-1]
            for child in children:
                if isinstance(child, Element):
                    open_elements.append((self._enter(child, index), iter(child.children)))
                    break
                self.texts[index].append(child.value)
                self._stream += child.value
            else:
                open_elements.pop()
                self.last[index] = len(self.elements) - 1
                self._spans[index] = (self._spans[index][0], len(self._stream))

    def _enter(self, element: Element, parent: int) -> int:
        index = len(self.elements)
        self.elements.append(element)
        self.parents.append(parent)
        self.last.append(index)
        self.names.setdefault(element.name, []).append(index)
        attributes = {name: value for name, value in element.attributes if not _is_declaration(name)}
        self.attributes.append(attributes)
        for name, value in attributes.items():
            self.values.setdefault(name, []).append(value)
        self.texts.append([])
        self._spans.append((len(self._stream), 0))
        return index

    def named(self, name: bytes | None) -> Iterable[int]:
        """The elements of that name in document order, all of them for None."""
        return range(len(self.elements)) if name is None else self.names.get(name, ())

    def string_value(self, index: int) -> bytes:
        start, end = self._spans[index]
        return self._text[start:end]

    def number(self, value: bytes, config: BrokerConfig) -> Decimal | None:
        """The value's number; the limits are those of the first subscription that asks."""
        try:
            return self._numbers[value]
        except KeyError:
            number = self._numbers[value] = from_string(value, config=config)
            return number

    def check_numbers(self, query: Query) -> None:
        """Raises :class:`NumberDigits` when a value that the subscription compares as a number is over the limit."""
        for place in query.compared:
            if place not in self._checked:
                for value in self._compared(*place):
                    self.number(value, query.config)
                self._checked.add(place)

    def _compared(self, subject: Subject, name: bytes | None) -> Iterable[bytes]:
        if subject is Subject.ATTRIBUTE:
            return self.values.get(name or b"", ())
        if subject is Subject.SELF:
            return (self.string_value(index) for index in self.named(name))
        return (value for index in self.named(name) for value in self.texts[index])

    def passing(self, test: Test, elements: Iterable[int], config: BrokerConfig) -> list[int]:
        """The elements on which the test holds; its numbers are checked already."""
        holds = comparison(test)
        if test.numeric and test.number is not None:

            def accept(value: bytes) -> bool:
                return holds(value, self.number(value, config))

        else:

            def accept(value: bytes) -> bool:
                return holds(value, None)

        if test.subject is Subject.ATTRIBUTE:
            name, attributes = test.name, self.attributes
            return [index for index in elements if (value := attributes[index].get(name)) is not None and accept(value)]
        if test.subject is Subject.SELF:
            return [index for index in elements if accept(self.string_value(index))]
        return [index for index in elements if any(map(accept, self.texts[index]))]


def _indexed(document: Document | Indexed) -> Indexed:
    return document if isinstance(document, Indexed) else Indexed(document)


def _walk(step: Step, index: Indexed, context: list[int], config: BrokerConfig) -> list[int]:
    """The elements that a step reaches from the context (-1 is the document node), in document order."""
    if step.axis is Axis.CHILD:
        parents = set(context)
        found = [element for element in index.named(step.name) if index.parents[element] in parents]
    elif context == [-1]:
        found = list(index.named(step.name))
    else:
        found = _below(index, context, index.named(step.name), itself=False)
    for test in step.tests:
        found = index.passing(test, found, config)
    return found


def _below(index: Indexed, context: list[int], candidates: Iterable[int], *, itself: bool) -> list[int]:
    """The candidates that are descendants of a context element (or such an element ``itself``); both in document order."""
    found = []
    position, reach = 0, -1
    for candidate in candidates:
        while position < len(context) and (context[position] < candidate or (itself and context[position] == candidate)):
            reach = max(reach, index.last[context[position]])
            position += 1
        if candidate <= reach:
            found.append(candidate)
    return found


def _selected(query: Query, index: Indexed) -> list[int]:
    """The elements that are selected, or bear the selected attribute."""
    if not query.names <= index.names.keys():
        return []
    context = [-1]
    for step in query.steps:
        context = _walk(step, index, context, query.config)
        if not context:
            return []
    name = query.attribute
    if name is None:
        return context
    if query.attribute_axis is Axis.DESCENDANT:
        context = _below(index, context, index.named(None), itself=True)
    return [element for element in context if name in index.attributes[element]]


def _contained(query: Query, index: Indexed) -> bool:
    def occurs(name: bytes | None) -> bool:
        return name is None or name in index.names or name in index.values

    def satisfied(step: Step, test: Test) -> bool:
        if test.operator is Operator.NONE:
            return occurs(test.name)
        elements = index.named(None if test.subject is Subject.ATTRIBUTE else step.name)
        return bool(index.passing(test, elements, query.config))

    return occurs(query.attribute) and all(occurs(step.name) and all(satisfied(step, test) for test in step.tests) for step in query.steps)


def select(query: Query, document: Document | Indexed) -> list[Selected]:
    """The nodes that the expression selects by XPath 1.0, in document order; raises :class:`NumberDigits`."""
    index = _indexed(document)
    index.check_numbers(query)
    elements = [index.elements[element] for element in _selected(query, index)]
    if query.attribute is None:
        return list(elements)
    return [Attribute(element, query.attribute) for element in elements]


def matches(query: Query, document: Document | Indexed, semantics: Semantics = Semantics.EXACT) -> bool:
    """Whether the subscription matches; raises :class:`NumberDigits` when the document is over the limit for it."""
    index = _indexed(document)
    index.check_numbers(query)
    return _holds(query, index, semantics)


def _holds(query: Query, index: Indexed, semantics: Semantics) -> bool:
    return bool(_selected(query, index)) if semantics is Semantics.EXACT else _contained(query, index)


def matched(subscriptions: Iterable[tuple[Query, Semantics]], document: Document | Indexed) -> list[bool]:
    """Which of the registered subscriptions match; raises :class:`NumberDigits` when the document is over the limit for any."""
    index = _indexed(document)
    registered = list(subscriptions)
    for query, _ in registered:
        index.check_numbers(query)
    return [_holds(query, index, semantics) for query, semantics in registered]
