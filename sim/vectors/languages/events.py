"""Properties and filters on them, drawn at the corners, each filter with a condition that means the same to SQLite.

Property ``p`` is column ``p`` of a row: numbers are numbers, strings text, booleans the blobs 00 and 01, and a missing property is NULL.
"""

from decimal import Decimal

from sim.golden.languages import Value
from sim.vectors.seeds import Draw

__all__ = ["COLUMNS", "NAMES", "Events", "number", "quoted"]

NAMES = ("temp", "area", "wind", "and", "or", "exists", "true", "a b", "größe", "x-1.y", "NULL", "id")
COLUMNS = {name: f"c{place}" for place, name in enumerate(NAMES)}
NUMBERS = (
    *("0", "-0", "1", "-1", "5", "5.0", "05", "5.", ".5", "0.50", "-.5", "4.999", "5.0001", "100", "30", "20", "25"),
    *("123456789012345", "123456789012344", "-123456789012345", "12345678901234.5", "0.000000000000123", "1000000000000000000000"),
)
STRINGS = (
    "",
    "a",
    "b",
    "aa",
    "ab",
    "area1",
    "area2",
    "area",
    "a1",
    "rea",
    "5",
    "true",
    "é",
    "éa",
    "日本",
    "本",
    "😀",
    "A",
    "it's",
    '"',
    "%",
    "_",
    " a",
    "\n",
)


def number(spelling: str) -> Decimal:
    value = Decimal(spelling)
    return value if value else Decimal(0)


def quoted(text: str) -> str:
    """A string of SQL."""
    return "'" + text.replace("'", "''") + "'"


class Events:
    """Draws properties and filters."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def value(self) -> Value:
        kind = self.draw.fraction()
        if kind < 0.45:
            return number(self.draw.choice(NUMBERS))
        return self.draw.choice(STRINGS) if kind < 0.85 else self.draw.chance(0.5)

    def properties(self) -> dict[str, Value]:
        """As many as [P Tab 1] has on average."""
        return {name: self.value() for name in self.draw.sample(NAMES, self.draw.choice((0, 1, 3, 4, 5, 8)))}

    def _space(self, *, needed: bool) -> str:
        return self.draw.choice((" ", " ", " ", "\t", "\r\n")) if needed or self.draw.chance(0.5) else ""

    def _name(self, name: str) -> str:
        plain = " " not in name
        return name if plain and self.draw.chance(0.9) else f'"{name}"'

    def _string(self) -> tuple[str, str]:
        value = self.draw.choice(STRINGS)
        quote = self.draw.choice([one for one in "\"'" if one not in value])
        return quote + value + quote, value

    def constraint(self) -> tuple[str, str]:
        """A constraint's text and its SQL."""
        name = self.draw.choice(NAMES)
        column, text = COLUMNS[name], self._name(name)
        kind = self.draw.fraction()
        if kind < 0.08:
            return f"{text}{self._space(needed=True)}exists", f"{column} IS NOT NULL"
        if kind < 0.5:
            sign, spelling = self.draw.choice(("=", "!=", "<", "<=", ">", ">=")), self.draw.choice(NUMBERS)
            judge = f"(typeof({column}) IN ('integer', 'real') AND {column} {sign} {spelling})"
            shown = spelling.replace("-", "- ") if self.draw.chance(0.2) else spelling
            return f"{text}{self._space(needed=False)}{sign}{self._space(needed=False)}{shown}", judge
        if kind < 0.6:
            sign, word = self.draw.choice(("=", "!=")), self.draw.choice(("true", "false"))
            judge = f"(typeof({column}) = 'blob' AND {column} {sign} x'0{int(word == 'true')}')"
            return f"{text}{self._space(needed=False)}{sign}{self._space(needed=False)}{word}", judge
        spelling, value = self._string()
        how = self.draw.choice(("=", "!=", "prefix", "substring", "suffix"))
        held = {
            "=": f"{column} = {quoted(value)}",
            "!=": f"{column} != {quoted(value)}",
            "prefix": f"substr({column}, 1, {len(value)}) = {quoted(value)}",
            "substring": f"instr({column}, {quoted(value)}) > 0",
            "suffix": f"substr({column}, length({column}) + 1 - {len(value)}) = {quoted(value)} AND length({column}) >= {len(value)}",
        }[how]
        space = self._space(needed=how.isalpha())
        return f"{text}{space}{how}{self._space(needed=False)}{spelling}", f"(typeof({column}) = 'text' AND {held})"

    def filter(self) -> tuple[str, str]:
        """A predicate's text and its SQL, without parentheses round what ``and`` joins, because SQL binds alike."""
        text, judge = self.constraint()
        for _ in range(self.draw.choice((0, 0, 1, 1, 2, 4))):
            joint, (more, more_judge) = self.draw.choice(("and", "and", "or")), self.constraint()
            text += f"{self._space(needed=True)}{joint}{self._space(needed=True)}{more}"
            judge += f" {joint} {more_judge}"
        return self._space(needed=False) + text + self._space(needed=False), judge
