"""Regular expressions at the corners of the language, and topics of the characters that they are about."""

from sim.vectors.seeds import Draw

__all__ = ["Expressions"]

LETTERS = "aab-]^é日😀 \n{}:"
ATOMS = (
    *("a", "b", "ab", "é", "日", "😀", " ", ".", ".", "^", "$", "\n", "]", "}", "-", ":", ",", "\\.", "\\\\", "\\d", "\\D"),
    *("\\w", "\\W", "\\s", "\\S", "\\n", "\\t", "\\(", "\\[", "\\{", "\\-", "\\/", "\\_", "\\ ", "[ab]", "[^ab]", "[a-z]"),
    *("[^a]", "[]a]", "[^]]", "[a-]", "[-a]", "[+--]", "[a-b-é]", "[\\d-a]", "[^\\d\\s]", "[\\]]", "[\\n.]", "[.^$*]", "[é-日]"),
    *("[^é-😀]", "[\\D\\d]", "[[]", "[a\\-z]", "[\\--a]", "()", "(?:)"),
)


class Expressions:
    """Draws expressions, and topics of the characters that they are about."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw

    def expression(self, depth: int) -> str:
        kind = self.draw.fraction()
        if depth == 0 or kind < 0.25:
            return self.draw.choice(ATOMS)
        if kind < 0.6:
            return "".join(self.expression(depth - 1) for _ in range(self.draw.choice((0, 2, 2, 3))))
        if kind < 0.75:
            inner = "|".join(self.expression(depth - 1) for _ in range(self.draw.choice((2, 2, 3))))
        else:
            inner = self.expression(depth - 1)
        opening = self.draw.choice(("(", "(", "(?:"))
        repeat = self.draw.choice(("", "?", "*", "+", "*?", "??", "+?")) if kind >= 0.75 or self.draw.chance(0.3) else ""
        return f"{opening}{inner}){repeat}"

    def whole(self) -> str:
        text = self.expression(self.draw.choice((1, 2, 2, 3, 4)))
        if self.draw.chance(0.3):
            text = "^" + text
        return text + "$" if self.draw.chance(0.3) else text

    def spoilt(self, text: str) -> str:
        place = self.draw.between(0, len(text))
        return text[:place] + self.draw.choice("()[]*+?{}|\\-^:da1é") + text[place + self.draw.between(0, 1) :]

    def topic(self) -> str:
        return "".join(self.draw.some(LETTERS, self.draw.choice((0, 1, 1, 2, 3, 4, 6, 10))))
