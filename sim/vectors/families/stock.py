"""Stock quotes, the thesis's example document, to the byte in each of the sizes that it measures [T-Fig 4.3, T-Tab 6.1]."""

from sim.vectors.families.tree import WORDS, Element, weight, write
from sim.vectors.seeds import Draw

__all__ = ["THESIS_SIZES", "build", "exact"]

THESIS_SIZES = (224, 236, 536, 684, 768, 832, 916, 932, 980, 1008, 1324, 1912, 2904, 6696, 15228)
"""Bytes of the fifteen documents of T-Tab 6.1 and 6.2."""

_CURRENCIES = ("USD", "EUR", "CAD", "GBP", "JPY")
_COMPANIES = ("somecompany", "northwind", "acme", "globex", "initech", "umbrella", "contoso", "fabrikam", "stark", "wayne")


def _item(draw: Draw, number: int) -> Element:
    company = _COMPANIES[draw.zipf(len(_COMPANIES), 1.0)]
    return Element(
        "stockitem",
        [("stockid", str(number))],
        [
            Element("share", [("val", str(draw.between(1, 999)))], [Element("name", [], [company])]),
            Element("qty", [], [f" {draw.between(1, 500)} "]),
            Element("price", [("type", _CURRENCIES[draw.zipf(len(_CURRENCIES), 1.0)])], [f" {draw.between(1, 300)} "]),
        ],
    )


def build(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of quotes."""
    root = Element("stock")
    total = 15
    while total < size or not root.children:
        item = _item(draw, len(root.children) + 1)
        total += weight(item)
        root.children.append(item)
    return root


def exact(draw: Draw, size: int) -> bytes:
    """A document of exactly ``size`` bytes, indented as in the thesis; longer company names fill it up."""
    if size < 216:
        raise ValueError(f"size must be at least 216, not {size!r}")
    root = Element("stock")
    while True:
        root.children.append(_item(draw, len(root.children) + 1))
        if len(write(root, indent=2)) > size:
            root.children.pop()
            break
    names = [
        name
        for item in root.children
        if isinstance(item, Element)
        for share in item.children
        if isinstance(share, Element) and share.name == "share"
        for name in share.children
        if isinstance(name, Element)
    ]
    missing = size - len(write(root, indent=2))
    for place, name in enumerate(names):
        room = missing // (len(names) - place)
        missing -= room
        filler = ""
        while len(filler) < room:
            filler += " " + draw.choice(WORDS)
        filler = filler[:room]
        if filler.endswith(" "):
            filler = filler[:-1] + "s"
        name.children = ["".join(str(child) for child in name.children) + filler]
    return write(root, indent=2)
