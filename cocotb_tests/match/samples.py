"""Random documents and subscriptions over a small vocabulary, so that they meet often."""

import random

__all__ = ["paths", "random_document"]

_ELEMENTS = ("a", "b", "c", "price", "stockitem", "p:x")
_ATTRIBUTES = ("id", "b", "currency", "p:k")
_FOREIGN = ("zz", "nowhere", "stockitemx")
_VALUES = ("", "5", "5.0", "-3", " 7 ", "abc", "abcd", "x" * 63, "x" * 64, "x" * 65, "0.5", ".5", "12", "120", "é", "- 5", "1 2")
"""Without exponents and leading plus signs, which libxml2 takes for numbers and XPath does not."""
_TEXTS = (*_VALUES, " ", "\n  ", "a", "b")


def _escape(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def random_document(chance: random.Random, *, elements: int = 14) -> bytes:
    """A well-formed document; prefix p is bound at its root."""
    left = [chance.randint(1, elements)]

    def element(depth: int, root: bool) -> str:
        left[0] -= 1
        name = chance.choice(_ELEMENTS + _FOREIGN[:1])
        tag = f"<{name}" + (' xmlns:p="urn:p"' if root else "")
        for attribute in chance.sample(_ATTRIBUTES, chance.choice((0, 0, 1, 2, 3))):
            tag += f' {attribute}="{_escape(chance.choice(_VALUES))}"'
        body = ""
        while left[0] > 0 and depth < 12 and chance.random() < 0.75:
            body += text() + element(depth + 1, False)
        body += text()
        return f"{tag}/>" if not body else f"{tag}>{body}</{name}>"

    def text() -> str:
        made = ""
        while chance.random() < 0.45:
            made += _escape(chance.choice(_TEXTS))
            if chance.random() < 0.2:
                made += chance.choice(("<!-- c -->", "<?p i?>", "<![CDATA[5]]>"))
        return made

    return element(1, True).encode()


def _literal(chance: random.Random) -> str:
    value = chance.choice(_VALUES)
    if chance.random() < 0.5 and value.strip().replace(".", "").replace("-", "").isdigit() and not value.startswith("+"):
        return value.strip()
    if len(value) > 64:
        value = value[:64]
    return f"'{value}'" if chance.random() < 0.5 else f'"{value}"'


def _test(chance: random.Random, level: int, last: bool) -> str:
    """Level 1: presence; 2: equality; 3: string-values and text nodes; 4: every operator."""
    operators = ("=",) if level < 4 else ("=", "!=", "<", "<=", ">", ">=")
    if last and level >= 3 and chance.random() < 0.5:
        return f"{chance.choice(('.', 'text()'))}{chance.choice(operators)}{_literal(chance) if level >= 4 else _string(chance)}"
    name = chance.choice(_ATTRIBUTES + _FOREIGN[:1])
    if level >= 2 and chance.random() < 0.6:
        return f"@{name}{chance.choice(operators)}{_literal(chance) if level >= 4 else _string(chance)}"
    return f"@{name}"


def _string(chance: random.Random) -> str:
    return f"'{chance.choice(_VALUES)[:64]}'"


def paths(chance: random.Random, level: int) -> str:
    """A subscription; ``level`` 0 has names, axes and wildcards only."""
    text = ""
    if level >= 2 and chance.random() < 0.6:
        tests = "".join(f"[{_test(chance, level, True)}]" for _ in range(chance.choice((1, 1, 1, 2))))
        return f"//{chance.choice((*_ELEMENTS[:4], '*', '*'))}{tests}"
    steps = chance.choice((1, 1, 2, 2, 3, 4))
    final = level >= 1 and chance.random() < 0.2
    for number in range(steps):
        text += chance.choice(("/", "//", "//")) if number or chance.random() < 0.9 else ""
        text += chance.choice(_ELEMENTS + ("*", "*") + (_FOREIGN if chance.random() < 0.2 else ()))
        if level:
            for _ in range(chance.choice((0, 0, 0, 1, 1, 2, 3))):
                text += f"[{_test(chance, level, number == steps - 1 and not final)}]"
    if final:
        text += chance.choice(("/", "//")) + "@" + chance.choice(_ATTRIBUTES)
    return text
