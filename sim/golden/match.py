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

import operator
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import NamedTuple, TypeAlias

from hdl.config import BrokerConfig
from hdl.contract import Semantics, WordType
from sim.golden.events import Event
from sim.golden.number import NumberDigits, from_string
from sim.golden.query import Axis, Operator, Query, Step, Subject, Test
from sim.golden.tree import Document, Element

__all__ = [
    "Attribute",
    "Condition",
    "Indexed",
    "NumberDigits",
    "Selected",
    "below",
    "comparison",
    "condition",
    "matched",
    "matches",
    "select",
]


_ELEMENT, _ATTRIBUTE, _TEXT, _END = WordType.ELEMENT, WordType.ATTRIBUTE, WordType.TEXT, WordType.END


class Attribute(NamedTuple):
    """A selected attribute."""

    element: Element
    name: bytes


Selected: TypeAlias = Element | Attribute

_COMPARISONS: dict[Operator, Callable[[Decimal, Decimal], bool]] = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
    Operator.GE: operator.ge,
}


def comparison(test: Test) -> Callable[[bytes, Decimal | None], bool]:
    """Whether the test holds for a value that is present, given its number, None for NaN [XPath 3.4]."""
    asked, literal, number = test.operator, test.literal, test.number
    if asked is Operator.NONE:
        return lambda value, _: True
    if not test.numeric:
        equal = asked is Operator.EQ
        return lambda value, _: (value == literal) is equal
    of_nan = asked is Operator.NE
    if number is None:
        return lambda value, _: of_nan
    compare, limit = _COMPARISONS[asked], number
    return lambda _, number: of_nan if number is None else compare(number, limit)


class Indexed:
    """A document laid out for many subscriptions: elements in document order with their parents, names, attributes and texts."""

    def __init__(self, document: Document) -> None:
        self._prepare(document.source)
        self._lay_out(document.root)
        self._text = b"".join(self._stream)

    @classmethod
    def of_events(cls, events: Iterable[Event], source: bytes, numbers: "dict[bytes, Decimal | None] | None" = None) -> "Indexed":
        """The same from a well-formed document's events, without a tree; ``numbers`` are known from other documents and added to."""
        index = cls.__new__(cls)
        index._prepare(source)
        if numbers is not None:
            index._numbers = numbers
        index._follow(events)
        index._text = b"".join(index._stream)
        return index

    def _prepare(self, source: bytes) -> None:
        self.source = source
        self.parents: list[int] = []
        self.last: list[int] = []
        """The last descendant of each element, itself if it has none."""
        self.names: dict[bytes, list[int]] = {}
        self.attributes: list[dict[bytes, bytes]] = []
        self.values: dict[bytes, list[bytes]] = {}
        """The values of each attribute name."""
        self.texts: list[list[bytes]] = []
        self.bounds: list[tuple[int, int]] = []
        """Where each element stands in the source."""
        self.elements: list[Element] = []
        """Those of the tree, none where the index was made without one."""
        self.labels: list[bytes] = []
        """The name of each element."""
        self._spans: list[tuple[int, int]] = []
        self._stream: list[bytes] = []
        self._length = 0
        self._numbers: dict[bytes, Decimal | None] = {}
        self._checked: set[tuple[Subject, bytes | None]] = set()

    def _lay_out(self, root: Element) -> None:
        open_elements = [(self._enter(root, -1), iter(root.children))]
        while open_elements:
            index, children = open_elements[-1]
            for child in children:
                if isinstance(child, Element):
                    open_elements.append((self._enter(child, index), iter(child.children)))
                    break
                self._add_text(index, child.value)
            else:
                open_elements.pop()
                self._leave(index, self.elements[index].end)

    def _enter(self, element: Element, parent: int) -> int:
        self.elements.append(element)
        index = self._open(element.name, element.start, parent)
        for name, value in element.attributes:
            self._add_attribute(index, name, value)
        return index

    def _follow(self, events: Iterable[Event]) -> None:
        """What :meth:`_lay_out` does, in one go because it is done for every document."""
        parents, labels, last, bounds, spans = self.parents, self.labels, self.last, self.bounds, self._spans
        names, attributes, values, texts, stream = self.names, self.attributes, self.values, self.texts, self._stream
        index, count, length, attribute = -1, 0, 0, b""
        own: dict[bytes, bytes] = {}
        for kind, value, start, end in events:
            if kind is _ELEMENT:
                parents.append(index)
                index = count
                count += 1
                labels.append(value)
                last.append(index)
                bounds.append((start, start))
                spans.append((length, length))
                own = {}
                attributes.append(own)
                texts.append([])
                if value in names:
                    names[value].append(index)
                else:
                    names[value] = [index]
            elif kind is _END:
                last[index] = count - 1
                bounds[index] = (bounds[index][0], end)
                spans[index] = (spans[index][0], length)
                index = parents[index]
            elif kind is _TEXT:
                texts[index].append(value)
                stream.append(value)
                length += len(value)
            elif kind is _ATTRIBUTE:
                attribute = value
            elif attribute[:5] != b"xmlns" or attribute[5:6] not in (b"", b":"):
                own[attribute] = value
                if attribute in values:
                    values[attribute].append(value)
                else:
                    values[attribute] = [value]

    def _open(self, name: bytes, start: int, parent: int) -> int:
        index = len(self.parents)
        self.parents.append(parent)
        self.labels.append(name)
        self.last.append(index)
        self.bounds.append((start, start))
        self.attributes.append({})
        self.texts.append([])
        self._spans.append((self._length, 0))
        if name in self.names:
            self.names[name].append(index)
        else:
            self.names[name] = [index]
        return index

    def _leave(self, index: int, end: int) -> None:
        self.last[index] = len(self.parents) - 1
        self.bounds[index] = (self.bounds[index][0], end)
        self._spans[index] = (self._spans[index][0], self._length)

    def _add_text(self, index: int, value: bytes) -> None:
        self.texts[index].append(value)
        self._stream.append(value)
        self._length += len(value)

    def _add_attribute(self, index: int, name: bytes, value: bytes) -> None:
        if name == b"xmlns" or name.startswith(b"xmlns:"):
            return
        self.attributes[index][name] = value
        if name in self.values:
            self.values[name].append(value)
        else:
            self.values[name] = [value]

    def element(self, index: int) -> Element:
        """The element of the tree, or one that stands for it, with its name, its own attributes and its place, where there is none."""
        if self.elements:
            return self.elements[index]
        return Element(self.labels[index], list(self.attributes[index].items()), [], *self.bounds[index])

    def named(self, name: bytes | None) -> Iterable[int]:
        """The elements of that name in document order, all of them for None."""
        return range(len(self.parents)) if name is None else self.names.get(name, ())

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
                self.check_place(place, query.config)
                self._checked.add(place)

    def check_place(self, place: tuple[Subject, bytes | None], config: BrokerConfig) -> None:
        """The same for the values of one place of :attr:`Query.compared`."""
        short = min(config.digits, config.value_bytes)  # nothing of so few bytes is over a limit
        subject, name = place
        if subject is Subject.ATTRIBUTE:
            values: Iterable[bytes] = self.values.get(name or b"", ())
        elif subject is Subject.SELF:
            spans = self._spans
            values = [self.string_value(index) for index in self.named(name) if spans[index][1] - spans[index][0] > short]
        else:
            values = [value for index in self.named(name) for value in self.texts[index]]
        for value in values:
            if len(value) > short:
                self.number(value, config)

    def passing(self, test: Test, elements: Iterable[int], config: BrokerConfig) -> list[int]:
        """The elements on which the test holds; its numbers are checked already."""
        return condition(test, config)(self, elements)


Condition: TypeAlias = Callable[[Indexed, Iterable[int]], list[int]]
"""The elements, of those given, on which a test holds."""


def condition(test: Test, config: BrokerConfig) -> Condition:
    """A test made ready for any number of documents, whose numbers are checked already."""
    holds, name = comparison(test), test.name
    numeric = test.numeric and test.number is not None
    if test.operator is Operator.NONE:
        return lambda index, elements: [element for element in elements if name in index.attributes[element]]
    if test.operator is Operator.EQ and not test.numeric:
        return _equality(test)

    def accepted(index: Indexed) -> Callable[[bytes], bool]:
        if not numeric:
            return lambda value: holds(value, None)
        numbers = index._numbers
        return lambda value: holds(value, numbers[value] if value in numbers else index.number(value, config))

    def of_attribute(index: Indexed, elements: Iterable[int]) -> list[int]:
        accept, attributes = accepted(index), index.attributes
        return [element for element in elements if (value := attributes[element].get(name)) is not None and accept(value)]

    def of_itself(index: Indexed, elements: Iterable[int]) -> list[int]:
        accept = accepted(index)
        return [element for element in elements if accept(index.string_value(element))]

    def of_texts(index: Indexed, elements: Iterable[int]) -> list[int]:
        accept, texts = accepted(index), index.texts
        return [element for element in elements if any(map(accept, texts[element]))]

    return {Subject.ATTRIBUTE: of_attribute, Subject.SELF: of_itself, Subject.TEXT: of_texts}[test.subject]


def _equality(test: Test) -> Condition:
    name, literal = test.name, test.literal
    if test.subject is Subject.ATTRIBUTE:
        return lambda index, elements: [element for element in elements if index.attributes[element].get(name) == literal]
    if test.subject is Subject.SELF:
        return lambda index, elements: [element for element in elements if index.string_value(element) == literal]
    return lambda index, elements: [element for element in elements if literal in index.texts[element]]


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
        found = below(index, context, index.named(step.name), itself=False)
    for test in step.tests:
        found = index.passing(test, found, config)
    return found


def below(index: Indexed, context: list[int], candidates: Iterable[int], *, itself: bool) -> list[int]:
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
        context = below(index, context, index.named(None), itself=True)
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
    elements = [index.element(element) for element in _selected(query, index)]
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
