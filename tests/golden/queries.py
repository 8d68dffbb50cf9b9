"""Expressions from the whole grammar and small documents to try them on, drawn from a given source of randomness.

An expression comes with two more spellings for libxml2, in which names are ``name()`` tests, so that they compare as written whatever
the namespaces: the expression itself, and the conjunction of its filters anywhere in the document. All are written here, none is
derived from what the front end understood.
"""

import random
from dataclasses import dataclass
from xml.sax.saxutils import escape

__all__ = ["Expression", "Source"]

ELEMENTS = ("a", "b", "c", "item", "and", "text", "p:a", "q:b", "été", "日本", "_x-1.y", "n" * 64)
ATTRIBUTES = ("id", "x", "y", "or", "p:x", "q:id", "xml:lang", "größe")
OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
VALUES = (
    *("0", "-0", "5", "5.0", "05", "5.", " 5 ", "\n5\t", ".5", "0.5", "-.5", "-5", "-5.00", "7", "4.999", "5.0001", "100", "1000000"),
    *("123456789012345", "123456789012344", "12345678901234.5", "0.000000000000123", "999999999999999", "1000000000000000000"),
    *("", " ", "+5", "- 5", "5 5", "--5", "-", ".", "5-", "5.5.5", "0x5", "1,5", "NaN", "Infinity", "-Infinity", "\u00a05", "\u0665"),
    *("abc", "ABC", "abc ", "é", "x'y", 'x"y', "a<b&c>d", "]]", "v" * 64, "v" * 65, "日" * 21, "true"),
)
NUMBERS = (
    "0",
    "5",
    "5.",
    "5.0",
    "05",
    ".5",
    "0.50",
    "-5",
    "-.5",
    "- 5",
    "7",
    "100",
    "123456789012345",
    "12345678901234.5",
    "1000000000000000000",
)
FAVOURITES = ("5", "5.0", "7", "abc", "-5", ".5", "")


def judge_name(name: str) -> str:
    """A step or attribute of that name as written."""
    return "*" if name == "*" else f"*[name()='{name}']"


def judge_filter(name: str) -> str:
    """An element or attribute of that name anywhere."""
    return f"boolean(//{judge_name(name)} | //@{judge_name(name)})"


@dataclass(frozen=True)
class Expression:
    """``text`` is a subscription, ``judge`` means the same to libxml2 and ``contained`` means containment to it; ``size`` counts steps
    and tests."""

    text: str
    judge: str
    contained: str
    size: int


class Source:
    """Draws expressions and documents."""

    def __init__(self, randomness: random.Random) -> None:
        self.random = randomness

    def _often(self, share: float) -> bool:
        return self.random.random() < share

    def _space(self) -> str:
        return self.random.choice(("", "", "", "", "", "", " ", "\t", "\r\n ")) if self._spaced else ""

    def _join(self, *tokens: str) -> str:
        return "".join(self._space() + token for token in tokens)

    def _element_name(self) -> str:
        return self.random.choice(ELEMENTS[:4]) if self._often(0.8) else self.random.choice(ELEMENTS)

    def _attribute_name(self) -> str:
        return self.random.choice(ATTRIBUTES[:3]) if self._often(0.8) else self.random.choice(ATTRIBUTES)

    def value(self) -> str:
        return self.random.choice(FAVOURITES) if self._often(0.5) else self.random.choice(VALUES)

    def literal(self) -> str:
        """A number, or a string in the quotes that it allows."""
        if self._often(0.5):
            return self.random.choice(NUMBERS)
        value = self.value()
        while len(value.encode()) > 64:
            value = self.value()
        quotes = [quote for quote in "\"'" if quote not in value]
        quote = self.random.choice(quotes)
        return quote + value + quote

    def _test(self, step: str, *, last: bool) -> tuple[str, str, str]:
        """A test's text, what it means on its step, and what it means anywhere."""
        operator, literal = self.random.choice(OPERATORS), self.literal()
        if last and self._often(0.5):
            tokens, judge = ((".",), f".{operator}{literal}") if self._often(0.5) else (("text", "(", ")"), f"text(){operator}{literal}")
            return self._join(*tokens, operator, literal), judge, f"boolean(//{judge_name(step)}[{judge}])"
        name = self._attribute_name()
        judge = f"@{judge_name(name)}"
        if self._often(0.3):
            return self._join("@", name), judge, judge_filter(name)
        return self._join("@", name, operator, literal), f"{judge}{operator}{literal}", f"boolean(//{judge}[.{operator}{literal}])"

    def expression(self) -> Expression:
        """Any accepted expression of up to five steps."""
        self._spaced = self._often(0.2)
        random = self.random
        count = random.choice((1, 1, 1, 2, 2, 2, 3, 4, 5))
        text, judge, size = "", "", 0
        filters = []
        final = self._often(0.2)
        for number in range(count):
            name = "*" if self._often(0.2) else self._element_name()
            axis = random.choice(("/", "//", "//")) if number == 0 else random.choice(("/", "/", "//"))
            relative = number == 0 and axis == "/" and self._often(0.3)
            text += self._join(*([] if relative else [axis]), name)
            judge += axis + judge_name(name)
            filters.append(judge_filter(name))
            size += 1
            for _ in range(random.choice((0, 0, 0, 1, 1, 2)) if size < 11 else 0):
                tests = [self._test(name, last=number == count - 1 and not final) for _ in range(random.choice((1, 1, 1, 2)))]
                text += self._join("[", " and ".join(test for test, _, _ in tests), "]")
                judge += "[" + " and ".join(test for _, test, _ in tests) + "]"
                filters += [test for _, _, test in tests]
                size += len(tests)
        if final:
            name, axis = self._attribute_name(), random.choice(("/", "//"))
            text += self._join(axis, "@", name)
            judge += f"{axis}@{judge_name(name)}"
            filters.append(judge_filter(name))
            size += 1
        return Expression(text + self._space(), judge, " and ".join(filters), size)

    def _characters(self, value: str) -> str:
        """A value as character data: escaped, as references, or in CDATA sections."""
        pieces = []
        for character in value:
            if self._often(0.05):
                pieces.append(self.random.choice((f"&#{ord(character)};", f"&#x{ord(character):x};")))
            elif self._often(0.05) and character not in "]>":
                pieces.append(f"<![CDATA[{character}]]>")
            else:
                pieces.append(escape(character))
        return "".join(pieces)

    def _split(self) -> str:
        return self.random.choice(("<!-- 5 -->", "<?pi 5?>", "7<![CDATA[]]>"))

    def _attribute(self, name: str) -> str:
        value, quote = escape(self.value()), self.random.choice("\"'")
        value = value.replace(quote, "&quot;" if quote == '"' else "&apos;").replace("\n", "&#10;").replace("\t", "&#9;")
        space = self.random.choice(("", "", " "))
        return f"{self.random.choice((' ', ' ', chr(10)))}{name}{space}={space}{quote}{value}{quote}"

    def _content(self, depth: int) -> str:
        pieces = []
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 3, 4)) if depth < 6 else 1):
            kind = self.random.random()
            if kind < 0.5 and depth < 6:
                pieces.append(self._element(depth + 1))
            elif kind < 0.9:
                pieces.append(self._characters(self.value()))
            else:
                pieces.append(self._split())
        return "".join(pieces)

    def _element(self, depth: int) -> str:
        name = self._element_name()
        names = {self._attribute_name() for _ in range(self.random.choice((0, 0, 1, 1, 2, 3)))}
        attributes = "".join(self._attribute(attribute) for attribute in sorted(names))
        if depth == 1:
            attributes += ' xmlns:p="urn:p" xmlns:q="urn:q"'
        if self._often(0.03):
            attributes += self.random.choice((' xmlns="urn:d"', ' xmlns=""', ' xmlns:p="urn:other"')) if depth > 1 else ' xmlns="urn:d"'
        content = self._content(depth)
        return f"<{name}{attributes}/>" if not content and self._often(0.5) else f"<{name}{attributes}>{content}</{name} >"

    def document(self) -> bytes:
        """A well-formed document."""
        return self._element(1).encode()
