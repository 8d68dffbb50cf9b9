"""Presence documents in the Presence Information Data Format, RFC 3863."""

from sim.vectors.families.tree import Element, sentence, weight
from sim.vectors.seeds import Draw

__all__ = ["build"]

_PEOPLE = ("alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi")
_HOSTS = ("example.com", "example.net", "im.example.org")
_ACTIVITIES = ("away", "busy", "meeting", "on-the-phone", "travel", "vacation")


def _tuple(draw: Draw, number: int, person: str) -> Element:
    status = Element("status", [], [Element("basic", [], [draw.weighted((("open", 2), ("closed", 1)))])])
    if draw.chance(0.4):
        status.children.append(Element("rpid:activities", [], [Element(f"rpid:{draw.choice(_ACTIVITIES)}")]))
    parts: list[Element | str] = [status]
    if draw.chance(0.8):
        scheme = draw.choice(("im", "sip", "tel", "mailto"))
        parts.append(Element("contact", [("priority", f"0.{draw.below(10)}")], [f"{scheme}:{person}@{draw.choice(_HOSTS)}"]))
    if draw.chance(0.5):
        parts.append(Element("note", [("xml:lang", draw.choice(("en", "fr", "ar")))], [sentence(draw, draw.between(2, 5))]))
    stamp = f"20{draw.between(10, 29)}-{draw.between(1, 12):02d}-{draw.between(1, 28):02d}T{draw.below(24):02d}:{draw.below(60):02d}:00Z"
    parts.append(Element("timestamp", [], [stamp]))
    return Element("tuple", [("id", f"t{number}")], parts)


def build(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of one entity's presence."""
    person = _PEOPLE[draw.zipf(len(_PEOPLE), 0.8)]
    root = Element(
        "presence",
        [
            ("xmlns", "urn:ietf:params:xml:ns:pidf"),
            ("xmlns:rpid", "urn:ietf:params:xml:ns:pidf:rpid"),
            ("entity", f"pres:{person}@{draw.choice(_HOSTS)}"),
        ],
    )
    total = weight(root)
    while total < size or not root.children:
        part = _tuple(draw, len(root.children) + 1, person)
        total += weight(part)
        root.children.append(part)
    return root
