"""News items with mixed content, in the manner of NITF and NewsML."""

from sim.vectors.families.tree import WORDS, Element, sentence, weight
from sim.vectors.seeds import Draw

__all__ = ["build"]

_CITIES = ("Ottawa", "Zürich", "Kraków", "Nairobi", "東京", "Lima", "São Paulo")
_SUBJECTS = ("sport", "politics", "weather", "science", "economy")


def _paragraph(draw: Draw) -> Element:
    parts: list[Element | str] = []
    for _ in range(draw.between(1, 4)):
        parts.append(sentence(draw, draw.between(4, 12)) + " ")
        mark = draw.below(4)
        if mark == 0:
            parts.append(Element("person", [], [draw.choice(WORDS).title()]))
        elif mark == 1:
            parts.append(Element("org", [("value", draw.choice(WORDS))], [draw.choice(WORDS).title() + " & Sons"]))
        elif mark == 2:
            parts.append(Element("num", [("units", draw.choice(("percent", "km", "EUR")))], [f"{draw.below(1000)}.{draw.below(100):02d}"]))
    return Element("p", [("lede", "true")] if draw.chance(0.2) else [], parts)


def build(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of one news item."""
    date = f"20{draw.between(10, 29)}{draw.between(1, 12):02d}{draw.between(1, 28):02d}"
    meta = Element(
        "docdata",
        [],
        [
            Element("urgency", [("ed-urg", str(draw.between(1, 8)))]),
            Element("date.issue", [("norm", date)]),
            Element("key-list", [], [Element("keyword", [("key", draw.choice(WORDS))]) for _ in range(draw.between(1, 4))]),
        ],
    )
    subject = Element("tobject", [("tobject.type", "news")], [Element("tobject.subject", [("code", draw.choice(_SUBJECTS))])])
    head = Element("head", [], [Element("title", [], [sentence(draw, draw.between(2, 5))]), subject, meta])
    place = Element("dateline", [], [Element("location", [], [_CITIES[draw.zipf(len(_CITIES), 1.0)]])])
    headline = Element("hedline", [], [Element("hl1", [], [sentence(draw, 3)])])
    content = Element("body.content")
    body = Element("body", [], [Element("body.head", [], [headline, place]), content])
    root = Element("nitf", [("version", "3.5")], [head, body])
    total = weight(root)
    while total < size or not content.children:
        paragraph = _paragraph(draw)
        if draw.chance(0.2):
            paragraph = Element("block", [("class", draw.choice(_SUBJECTS))], [paragraph])
        total += weight(paragraph)
        content.children.append(paragraph)
    return root
