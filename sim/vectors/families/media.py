"""Programme metadata with namespaces and long names, in the manner of TV-Anytime and MPEG-7."""

from sim.vectors.families.tree import WORDS, Element, sentence, weight
from sim.vectors.seeds import Draw

__all__ = ["build"]

_GENRES = ("3.1.1", "3.2", "3.4.6", "3.5.7", "3.6")


def _programme(draw: Draw, number: int) -> Element:
    description = Element(
        "BasicDescription",
        [],
        [
            Element("Title", [("type", draw.choice(("main", "episodeTitle")))], [sentence(draw, draw.between(1, 4))]),
            Element("Synopsis", [("length", draw.choice(("short", "long")))], [sentence(draw, draw.between(4, 14))]),
            Element("Genre", [("href", f"urn:tva:metadata:cs:ContentCS:2005:{draw.choice(_GENRES)}")]),
        ],
    )
    for _ in range(draw.below(3)):
        name = Element("mpeg7:GivenName", [], [draw.choice(WORDS).title()])
        agent = Element("tva:PersonName", [], [name, Element("mpeg7:FamilyName", [], [draw.choice(WORDS).title()])])
        description.children.append(Element("CreditsItem", [("role", draw.choice(("actor", "director")))], [agent]))
    audio = Element("AudioAttributes", [], [Element("NumOfChannels", [], [str(draw.choice((1, 2, 6)))])])
    video = Element("VideoAttributes", [], [Element("AspectRatio", [("type", "original")], [draw.choice(("16:9", "4:3"))])])
    return Element(
        "ProgramInformation",
        [("programId", f"crid://broadcaster.example/{number}"), ("xml:lang", draw.choice(("en", "de", "ja")))],
        [description, Element("AVAttributes", [], [audio, video])],
    )


def build(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of a programme table."""
    table = Element("ProgramInformationTable")
    root = Element(
        "TVAMain",
        [
            ("xmlns", "urn:tva:metadata:2005"),
            ("xmlns:tva", "urn:tva:metadata:2005"),
            ("xmlns:mpeg7", "urn:mpeg:mpeg7:schema:2001"),
            ("version", str(draw.between(1, 3))),
        ],
        [Element("ProgramDescription", [], [table])],
    )
    total = weight(root)
    while total < size or not table.children:
        programme = _programme(draw, len(table.children) + 1)
        total += weight(programme)
        table.children.append(programme)
    return root
