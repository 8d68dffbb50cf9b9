"""Conditions of selectors, drawn at the corners: keywords in any case, precedence, NULL, LIKE with escapes, BETWEEN, IN, constants.

A condition comes with two more spellings. The one for ActiveMQ differs where ActiveMQ departs from the standard (see
:mod:`tests.golden.languages.departures`); the one for SQLite names columns and is None where a string, a boolean or an octal number is
in it.
"""

import re
from typing import NamedTuple

from sim.golden.languages import Value
from sim.vectors.languages.events import Events, quoted
from sim.vectors.seeds import Draw

__all__ = ["COLUMNS", "NAMES", "Drawn", "Selectors"]

NAMES = ("a", "b", "c", "temp", "Temp", "$x", "_y1", "room", "NOTE", "order")
COLUMNS = {name: f"c{place}" for place, name in enumerate(NAMES)}
INTEGERS = ("0", "1", "5", "00", "0x1F", "0X5", "017", "07", "100", "4711", "5L", "1l", "999999999999999", "123456789012345")
DECIMALS = ("0.0", "5.0", "5.", ".5", "0.50", "4.75", "5e0", "5E-1", "1.5e2", "15E+1", ".5e1", "12345678901234.5", "1e20")
STRINGS = (
    "",
    "a",
    "ab",
    "k",
    "kitchen",
    "k1",
    "it's",
    "%",
    "_",
    "a%b",
    "a_b",
    "\\",
    "a\\b",
    "é",
    "日本",
    "😀",
    "a.b",
    "[a]",
    "a\nb",
    "A",
    " ",
    "!",
    "NULL",
)
PATTERNS = (
    "",
    "%",
    "_",
    "k%",
    "%k%",
    "%n",
    "__",
    "a%b",
    "a_b",
    "_b",
    "%_%",
    "%%",
    "k_tch%",
    "é",
    "_本",
    ".",
    "a.b",
    "[a]",
    "^a",
    "a\\b",
    "it's%",
    "(",
    "*",
)
ESCAPED = ("!%", "!_", "a!%b", "a!_b", "%!%%", "!!", "!!a", "k_!!%", "!%_", "_!_", "a!!b", "%!!%")


class Drawn(NamedTuple):
    """A condition's text and what it is for the judges; ``binds`` is how strongly: 3 a comparison, 2 NOT, 1 AND, 0 OR."""

    text: str
    activemq: str
    sqlite: str | None
    binds: int = 3


class Selectors:
    """Draws conditions, and properties for them."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.events = Events(draw)

    def properties(self) -> dict[str, Value]:
        return {name: self._value() for name in self.draw.sample(NAMES, self.draw.choice((0, 2, 4, 6, 8, 10)))}

    def numbers(self) -> dict[str, Value]:
        """Properties that are numbers."""
        return {name: value for name, value in self.properties().items() if not isinstance(value, bool | str)}

    def _value(self) -> Value:
        value = self.events.value()
        return self.draw.choice(STRINGS) if isinstance(value, str) else value

    def word(self, keyword: str) -> str:
        """A keyword in some case."""
        return self.draw.choice((keyword, keyword, keyword.lower(), keyword.title()))

    def _gap(self) -> str:
        return self.draw.choice((" ", " ", " ", "\t", "\r\n", "  ", "\f"))

    def _join(self, *parts: str) -> str:
        return self._gap().join(parts)

    def _literal(self) -> tuple[str, str, str]:
        """A number as we, ActiveMQ and SQLite spell it; ActiveMQ's zero has no sign and SQLite has neither L nor octal numbers."""
        spelling = self.draw.choice(INTEGERS + DECIMALS)
        plain = spelling.rstrip("lL")
        if plain.isdigit() and plain.startswith("0"):
            plain = str(int(plain, 8))
        sign = self.draw.choice(("", "", "", "-", "+", "- "))
        zero = float(int(plain, 16) if plain[:2] in ("0x", "0X") else float(plain)) == 0
        return sign + spelling, (sign.replace("-", "") if zero else sign) + spelling, sign + plain

    def _number(self) -> tuple[str, str, str]:
        """A number, or arithmetic on small ones, whose results doubles hold exactly."""
        if self.draw.chance(0.75):
            return self._literal()
        text, activemq, _ = self._arithmetic(self.draw.choice((1, 1, 2, 3)))
        return text, activemq, text

    def _arithmetic(self, depth: int) -> tuple[str, str, bool]:
        """Text, the same for ActiveMQ, which divides integers as doubles, and whether the result is an integer."""
        if not depth:
            text = self.draw.choice(("1", "2", "3", "5", "7", "10", "0.5", "2.25", "4.0"))
            return text, text, text.isdigit()
        left, left_theirs, left_integer = self._arithmetic(depth - 1)
        right, right_theirs, right_integer = self._arithmetic(self.draw.below(depth))
        sign, gap = self.draw.choice(("+", "-", "*", "*", "/")), self._gap()
        if sign == "/":
            right = right_theirs = self.draw.choice(("1", "2", "4", "8", "2.0", "0.5"))
            right_integer = right.isdigit()
        if sign in "*/":
            left, left_theirs, right, right_theirs = f"({left})", f"({left_theirs})", f"({right})", f"({right_theirs})"
        elif sign == "-":
            right, right_theirs = f"({right})", f"({right_theirs})"
        theirs = f"{left_theirs} {sign} {right_theirs}"
        if sign == "/" and left_integer and right_integer:
            theirs = f"(({left_theirs}) - ({left_theirs}) % ({right_theirs})) / ({right_theirs})"
        return f"{left}{gap}{sign}{gap}{right}", theirs, left_integer and right_integer

    def _comparison(self, name: str) -> Drawn:
        sign = self.draw.choice(("=", "<>", "<", "<=", ">", ">="))
        text, activemq, sqlite = self._number()
        theirs = f"{name} {sign} {activemq}"
        if sign == "<>":
            theirs = f"({name} >= -1e300 AND {theirs})"
        gap = self.draw.choice(("", " "))
        mine = f"{name}{gap}{sign}{gap}{text}"
        if self.draw.chance(0.2):
            flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}.get(sign, sign)
            mine = f"{text}{gap}{flipped}{gap}{name}"
        return Drawn(mine, theirs, f"{COLUMNS[name]} {sign} {sqlite}")

    def _between(self, name: str) -> Drawn:
        (low, low_theirs, low_sqlite), (high, high_theirs, high_sqlite) = self._number(), self._number()
        words = (self.word("NOT"), self.word("BETWEEN")) if self.draw.chance(0.4) else (self.word("BETWEEN"),)
        between = " ".join(words)
        mine = self._join(name, *words, low, self.word("AND"), high)
        return Drawn(
            mine, f"({name} {between} {low_theirs} AND {high_theirs})", f"{COLUMNS[name]} {between} {low_sqlite} AND {high_sqlite}"
        )

    def _text(self, name: str) -> Drawn:
        sign, value = self.draw.choice(("=", "<>")), quoted(self.draw.choice(STRINGS))
        theirs = f"{name} {sign} {value}"
        if sign == "<>":
            theirs = f"({name} LIKE '%' AND {theirs})"
        if self.draw.chance(0.1):
            return Drawn(f"{value}{sign}{name}", theirs, None)
        return Drawn(f"{name} {sign}{value}", theirs, None)

    def _like(self, name: str) -> Drawn:
        words = [self.word("NOT")] if self.draw.chance(0.3) else []
        if self.draw.chance(0.4):
            escape = self.draw.choice(("!", "\\", "%", "_", "a", "é"))
            pattern = self.draw.choice(ESCAPED).replace("!", escape)
            one = re.escape(escape)
            while not re.fullmatch(f"(?:{one}[%_{one}]|[^{one}])*", pattern):
                pattern = self.draw.choice(ESCAPED).replace("!", escape)
            shown = self._join(name, *words, self.word("LIKE"), quoted(pattern), self.word("ESCAPE"), quoted(escape))
        else:
            shown = self._join(name, *words, self.word("LIKE"), quoted(self.draw.choice(PATTERNS)))
        return Drawn(shown, shown, None)

    def _in(self, name: str) -> Drawn:
        inside = ", ".join(quoted(value) for value in self.draw.some(STRINGS, self.draw.choice((1, 2, 3))))
        if self.draw.chance(0.4):
            shown = self._join(name, self.word("NOT"), self.word("IN"), f"({inside})")
            return Drawn(shown, f"(NOT ({name} LIKE '%') OR {shown})", None)
        shown = self._join(name, self.word("IN"), f"( {inside})")
        return Drawn(shown, f"({name} LIKE '%' AND {shown})", None)

    def _null(self, name: str) -> Drawn:
        words = [self.word("IS"), *([self.word("NOT")] if self.draw.chance(0.5) else []), self.word("NULL")]
        shown = self._join(name, *words)
        return Drawn(shown, shown, self._join(COLUMNS[name], *words))

    def _flag(self, name: str) -> Drawn:
        word = self.word(self.draw.choice(("TRUE", "FALSE")))
        kind = self.draw.fraction()
        if kind < 0.4:
            return Drawn(name, f"({name})", None)
        if kind < 0.7:
            return Drawn(f"{name} = {word}", f"{name} = {word}", None)
        if kind < 0.85:
            return Drawn(f"{name} <> {word}", f"{name} = {'FALSE' if word.upper() == 'TRUE' else 'TRUE'}", None)
        if kind < 0.95:
            return Drawn(word, word, word)
        return Drawn("'a'='a'", "'a' = 'a'", None)

    def test(self, *, numeric: bool) -> Drawn:
        name = self.draw.choice(NAMES)
        kinds = [self._comparison, self._comparison, self._between, self._null]
        if not numeric:
            kinds += [self._text, self._like, self._like, self._in, self._flag]
        return self.draw.choice(kinds)(name)

    def condition(self, depth: int, *, numeric: bool = False) -> Drawn:
        """A condition of so many levels at most; parentheses stand where they must, and sometimes elsewhere."""
        if depth == 0 or self.draw.chance(0.15):
            return self.test(numeric=numeric)
        kind = self.draw.choice(("NOT", "AND", "OR", "OR", "AND"))
        if kind == "NOT":
            inner = self._bound(self.condition(depth - 1, numeric=numeric), 2)
            word = self.word("NOT")
            sqlite = None if inner.sqlite is None else f"{word} {inner.sqlite}"
            return Drawn(f"{word}{self._gap()}{inner.text}", f"(NOT ({inner.activemq}))", sqlite, 2)
        binds = int(kind == "AND")
        left = self._bound(self.condition(depth - 1, numeric=numeric), binds)
        right = self._bound(self.condition(depth - 1, numeric=numeric), binds + 1)
        word = self.word(kind)
        sqlite = None if left.sqlite is None or right.sqlite is None else f"{left.sqlite} {word} {right.sqlite}"
        return Drawn(self._join(left.text, word, right.text), f"({left.activemq} {word} {right.activemq})", sqlite, binds)

    def _bound(self, drawn: Drawn, binds: int) -> Drawn:
        """The same in parentheses where it must bind more strongly than it does."""
        if drawn.binds >= binds and self.draw.chance(0.9):
            return drawn
        gap = self.draw.choice(("", " "))
        return Drawn(f"({gap}{drawn.text}{gap})", drawn.activemq, None if drawn.sqlite is None else f"({drawn.sqlite})")
