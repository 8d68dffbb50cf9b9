"""Random trees: deep ones with recursion of few names, wide ones with many siblings and attributes, odd ones with every character."""

from sim.vectors.families.sensor import number
from sim.vectors.families.tree import WORDS, Element, weight
from sim.vectors.seeds import Draw

__all__ = ["DEPTH", "deep", "odd", "wide"]

DEPTH = 32
"""Levels of the deepest tree: the limit of the smallest broker."""

_FEW = ("a", "b", "c", "ab", "abcd", "abcde")
_NAMES = ("a", "é", "名前", "x-1.y_z", "_", "p:a", "p:é", "q:b", "Ωmega", "a·b", "L" + "o" * 62 + "g", "a1", "aB")
_ATTRIBUTES = ("i", "p:i", "ключ", "v", "w", "xml:space", "n" * 64, "href")
_TEXTS = (
    " ",
    "  \n ",
    "x < y & z > 1",
    "日本語",
    "𝄞 clef",
    "quote ' and \" quote",
    "tab\tline\nend",
    "ÿ\u00a0",
    "]]",
    "--",
    "&amp;",
    "1.50",
    "\r",
)


def deep(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of chains down to the depth limit, over a handful of names."""
    root = Element(_FEW[draw.zipf(len(_FEW), 0.5)])
    total = weight(root)
    while True:
        at, depth = root, 1
        goal = draw.between(2, DEPTH)
        while depth < goal and total < size:
            inner = [child for child in at.children if isinstance(child, Element)]
            if inner and draw.chance(0.6):
                at = inner[-1]
            else:
                attributes = [("i", str(draw.below(10)))] if draw.chance(0.3) else []
                child = Element(_FEW[draw.zipf(len(_FEW), 0.5)], attributes)
                total += weight(child)
                at.children.append(child)
                at = child
            depth += 1
        if draw.chance(0.7):
            text = str(draw.below(100))
            total += len(text)
            at.children.append(text)
        if total >= size:
            return root


def wide(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of siblings, some with as many as 32 attributes."""
    root = Element("wide", [("n", "1")])
    total = weight(root)
    while total < size or not root.children:
        many = 32 if draw.chance(0.05) else draw.below(6)
        attributes = [(f"a{place}", draw.choice(WORDS) if draw.chance(0.5) else number(draw)) for place in range(many)]
        child = Element(f"w{draw.zipf(60, 0.7)}", attributes)
        if draw.chance(0.5):
            child.children.append(number(draw))
        if draw.chance(0.2):
            child.children.append(Element(f"w{draw.zipf(60, 0.7)}", [], [draw.choice(WORDS)]))
        total += weight(child)
        root.children.append(child)
    return root


def odd(draw: Draw, size: int) -> Element:
    """About ``size`` bytes over names, prefixes and values that use everything XML allows; mixed content."""
    root = Element("p:root" if draw.chance(0.3) else "root", [("xmlns:p", "urn:p"), ("xmlns:q", "urn:q?of=1&more=2")])
    total = weight(root)
    open_elements = [root]
    while total < size:
        at = draw.choice(open_elements[-8:])
        if draw.chance(0.4):
            text = number(draw) if draw.chance(0.4) else draw.choice(_TEXTS)
            total += len(text.encode())
            at.children.append(text)
            continue
        names = list(_ATTRIBUTES)
        draw.shuffle(names)
        attributes = []
        for name in names[: draw.below(4)]:
            if name == "xml:space":
                value = draw.choice(("default", "preserve"))
            else:
                value = number(draw) if draw.chance(0.5) else draw.choice(_TEXTS)
            attributes.append((name, value))
        child = Element(draw.choice(_NAMES), attributes)
        total += weight(child)
        at.children.append(child)
        depth_room = len(open_elements) < DEPTH - 2
        if depth_room and draw.chance(0.6):
            open_elements.append(child)
        elif len(open_elements) > 1 and draw.chance(0.5):
            open_elements.pop()
    return root
