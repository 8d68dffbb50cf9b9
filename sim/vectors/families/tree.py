"""A document as a tree of its XML values, and two ways of writing it: plainly, and with everything XML allows."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sim.vectors.seeds import Draw

__all__ = ["Element", "WORDS", "dress", "sentence", "walk", "weight", "write"]


@dataclass
class Element:
    """An element; its children are elements and text, attribute names are distinct."""

    name: str
    attributes: list[tuple[str, str]] = field(default_factory=list)
    children: list["Element | str"] = field(default_factory=list)


# fmt: off
WORDS: tuple[str, ...] = (
    "market", "share", "price", "quality", "signal", "river", "morning", "committee", "report", "minister", "energy", "station",
    "network", "record", "balance", "channel", "weather", "holding", "company", "council", "transport", "machine", "harvest",
    "science", "company", "index", "northern", "system", "growth", "museum", "village", "agreement", "light",
)
# fmt: on


def sentence(draw: Draw, words: int) -> str:
    """A few words with a capital and a full stop."""
    text = " ".join(draw.choice(WORDS) for _ in range(words))
    return text[:1].upper() + text[1:] + "."


def walk(root: Element) -> Iterator[tuple[tuple[Element, ...], Element]]:
    """Every element with its ancestors, in document order."""
    stack: list[tuple[tuple[Element, ...], Element]] = [((), root)]
    while stack:
        above, element = stack.pop()
        yield above, element
        inner = (*above, element)
        stack.extend((inner, child) for child in reversed(element.children) if isinstance(child, Element))


def weight(root: Element) -> int:
    """About the bytes of the tree when written compactly."""
    total = 0
    stack = [root]
    while stack:
        element = stack.pop()
        total += 2 * len(element.name) + 5 + sum(len(name) + len(value) + 4 for name, value in element.attributes)
        for child in element.children:
            if isinstance(child, str):
                total += len(child)
            else:
                stack.append(child)
    return total


def _text(value: str) -> str:
    return value.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\r", "&#13;")


def _attribute(value: str) -> str:
    quoted = value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    return quoted.replace("\t", "&#9;").replace("\n", "&#10;").replace("\r", "&#13;")


def write(root: Element, *, indent: int | None = None, declaration: bool = False) -> bytes:
    """The document in UTF-8; with ``indent``, an element that holds no text has each child on a line of its own [T-Fig 4.3]."""
    parts: list[str] = ['<?xml version="1.0" encoding="UTF-8"?>\n'] if declaration else []

    def put(element: Element, depth: int, own_line: bool) -> None:
        pad = "\n" + " " * (indent * depth) if own_line and indent is not None else ""
        tag = "".join([element.name, *(f' {name}="{_attribute(value)}"' for name, value in element.attributes)])
        if not element.children:
            parts.append(f"{pad}<{tag}/>")
            return
        parts.append(f"{pad}<{tag}>")
        apart = indent is not None and not any(isinstance(child, str) for child in element.children)
        for child in element.children:
            if isinstance(child, str):
                parts.append(_text(child))
            else:
                put(child, depth + 1, apart)
        if apart and indent is not None:
            parts.append("\n" + " " * (indent * depth))
        parts.append(f"</{element.name}>")

    put(root, 0, False)
    if indent is not None:
        parts.append("\n")
    return "".join(parts).encode()


def _dressed_character(draw: Draw, character: str, forms: str) -> str:
    if character in forms or draw.chance(0.03):
        named = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
        form = draw.below(4)
        if form == 0 and character in named:
            return named[character]
        code = ord(character)
        return (f"&#{code};", f"&#x{code:x};", f"&#x{code:X};", f"&#{code:07d};")[form]
    return character


def _dressed_text(draw: Draw, value: str) -> str:
    if "]]>" not in value and "\r" not in value and draw.chance(0.25):
        cut = draw.below(len(value) + 1)
        return "".join(_dressed_character(draw, c, "&<>\r") for c in value[:cut]) + f"<![CDATA[{value[cut:]}]]>"
    return "".join(_dressed_character(draw, c, "&<>\r") for c in value)


_ASIDES = (
    "<!-- a comment with <tags> & marks -->",
    "<!---->",
    "<?print page break?>",
    "<?go?>",
    "<!-- - é 語 -->",
    "<?xml-stylesheet href='a.xsl' >?>",
)


def _aside(draw: Draw) -> str:
    return draw.choice(_ASIDES)


_DOCTYPES = (
    "<!DOCTYPE {0}>",
    '<!DOCTYPE {0} SYSTEM "grammar.dtd">',
    "<!DOCTYPE {0} PUBLIC '-//X//DTD of {1}//EN' \"grammar.dtd\">",
    '<!DOCTYPE {0} [ <!ELEMENT {0} ANY> <!-- ]> " --> <!ENTITY unused "a > ]\' b"> ]>',
    "<!DOCTYPE\n{0} [\n<!NOTATION n SYSTEM 'x'>\n<?keep ]> '?>\n]\n>",
)


def dress(root: Element, draw: Draw) -> bytes:
    """The same tree with everything XML allows around its values.

    References in every spelling, CDATA, comments, processing instructions, both quotes, white space in tags, all three
    line ends, a declaration and a DOCTYPE; comments and instructions split text nodes, as the seed has it.
    """
    parts: list[str] = []
    space = (" ", "  ", "\n", "\t", "\r\n")

    def put(element: Element) -> None:
        parts.append(f"<{element.name}")
        for name, value in element.attributes:
            quote = draw.choice("\"'")
            equals = draw.weighted((("=", 8), (" =", 1), ("= ", 1), ("\n=\n", 1)))
            inside = "".join(_dressed_character(draw, c, f"&<{quote}\t\n\r") for c in value)
            parts.append(f"{draw.choice(space)}{name}{equals}{quote}{inside}{quote}")
        trailing = draw.weighted((("", 8), (" ", 1), ("\n", 1)))
        if not element.children and draw.chance(0.6):
            parts.append(trailing + "/>")
            return
        parts.append(trailing + ">")
        for child in element.children:
            if draw.chance(0.08):
                parts.append(_aside(draw))
            if isinstance(child, Element):
                put(child)
            else:
                parts.append(_dressed_text(draw, child))
                if draw.chance(0.05):
                    parts.append("]]" + draw.choice(("]", " >", "&gt;")))
        if draw.chance(0.05):
            parts.append(_aside(draw))
        parts.append(f"</{element.name}{draw.weighted((('', 8), (' ', 1), (chr(10), 1)))}>")

    if draw.chance(0.1):
        parts.append("\ufeff")
    if draw.chance(0.6):
        parts.append(
            draw.choice(
                (
                    '<?xml version="1.0"?>',
                    "<?xml version='1.0' encoding='utf-8' ?>",
                    '<?xml version = "1.0" encoding="UTF-8" standalone="yes"?>',
                    "<?xml version='1.0' standalone='no'?>",
                )
            )
        )
    if draw.chance(0.4):
        parts.append("\n" + _aside(draw) + "\n")
    if draw.chance(0.4):
        parts.append(draw.choice(_DOCTYPES).format(root.name, draw.choice(WORDS)) + "\n")
    put(root)
    if draw.chance(0.4):
        parts.append(draw.choice(("\n", "\r\n", " \t\r")) + _aside(draw) + "\n")
    return "".join(parts).encode()
