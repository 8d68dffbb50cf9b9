"""The golden parser against expat and libxml2: seeded documents, damaged documents, and real files."""

import time
from collections import Counter
from pathlib import Path

import pytest

from hdl.config import PRESETS
from hdl.contract import Code, WordType
from sim.golden.tree import Element, Text
from sim.golden.xml import Parsed, Parser, parse
from tests.golden import generate
from tests.golden.judges import DEPARTURES, JUDGES, Departure, difference, expat_tokens, libxml2_tokens, tokens

LIMITS = {name: getattr(PRESETS["default"], name) for name in ("name_bytes", "depth", "attributes", "prefixes")}
XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"


def judged(data: bytes) -> tuple[Parsed, list[str]]:
    """Our result, the same with and without shortcuts and when its tags are known, and what no departure explains."""
    parsed = parse(data, tree=False)
    for _ in range(2):
        assert parse(data, tree=False) == parsed, data
    assert parse(data, tree=False, shortcuts=False) == parsed, data
    return parsed, [found for judge in JUDGES if (found := difference(judge, data, parsed))]


def expanded_tokens(root: Element) -> list[tuple[WordType, object]]:
    """Our tree as libxml2 tells it: attributes by expanded name, without namespace declarations."""
    found: list[tuple[WordType, object]] = []

    def walk(element: Element, scope: dict[bytes, str]) -> None:
        scope = scope | {name[6:]: value.decode() for name, value in element.attributes if name.startswith(b"xmlns:")}
        found.append((WordType.ELEMENT, element.name))
        attributes = {}
        for name, value in element.attributes:
            prefix, colon, local = name.partition(b":")
            if name != b"xmlns" and prefix != b"xmlns":
                attributes[f"{{{scope[prefix]}}}{local.decode()}" if colon else name.decode()] = value.decode()
        found.append((WordType.ATTRIBUTE, attributes))
        for child in element.children:
            if isinstance(child, Text):
                found.append((WordType.TEXT, child.value))
            else:
                walk(child, scope)
        found.append((WordType.END, b""))

    walk(root, {b"xml": XML_NAMESPACE})
    return found


def test_documents_have_the_judges_tokens() -> None:
    for data in generate.documents(1, 1500):
        parsed, unexplained = judged(data)
        assert parsed.well_formed
        assert unexplained == []
        assert all(accepts(data) for accepts in JUDGES.values()), data
        assert tokens(parsed.events) == expat_tokens(data), data
        document = parse(data).document
        assert document is not None
        assert expanded_tokens(document.root) == libxml2_tokens(data), data


def test_damaged_documents_have_the_judges_verdict() -> None:
    """More than 12,000 documents, which between them meet every code."""
    damaged = generate.mutations(2, 7000) + generate.soups(2, 3000) + generate.tags(2, 2500) + generate.edges(2, 300, **LIMITS)
    codes: Counter[Code] = Counter()
    unexplained = []
    for data in damaged:
        parsed, found = judged(data)
        codes[parsed.code] += 1
        unexplained += found
    assert unexplained == []
    assert set(codes) == set(Code) - {Code.NUMBER_DIGITS, Code.NAME_CLASH}
    assert codes[Code.OK] < len(damaged) // 2


def test_truncated_documents_have_the_judges_verdict() -> None:
    """Each offset of each document; what is cut inside the root element is never accepted."""
    for data in generate.documents(3, 25, size=4):
        document = parse(data).document
        assert document is not None
        for length in range(len(data)):
            parsed, unexplained = judged(data[:length])
            assert unexplained == []
            assert not parsed.well_formed or length >= document.root.end


def test_pieces_of_any_size_make_no_difference() -> None:
    for data in generate.documents(4, 60) + generate.mutations(4, 200):
        whole = parse(data)
        for size in (1, 2, 3, 7, 64):
            parser = Parser()
            for at in range(0, len(data), size):
                parser.feed(data[at : at + size])
            assert parser.close() == whole, (size, data)


@pytest.mark.parametrize(("departure", "judge"), [(departure, judge) for departure in DEPARTURES for judge in departure.judges])
def test_departures_are_real_and_needed(departure: Departure, judge: str) -> None:
    """Each row of the table is shown by its witness, and nothing else in the table explains it."""
    parsed = parse(departure.witness)
    assert JUDGES[judge](departure.witness) != parsed.well_formed
    assert difference(judge, departure.witness, parsed) is None
    others = [other for other in DEPARTURES if other is not departure and (other.rewrite is None or other.rewrite is not departure.rewrite)]
    assert difference(judge, departure.witness, parsed, others) is not None


REAL = {
    "shared-mime-info": ("/usr/share/mime/packages", 1),
    "xkb-data": ("/usr/share/X11/xkb/rules", 2),
    "iso-codes": ("/usr/share/xml/iso-codes", 5),
    "osinfo-db": ("/usr/share/osinfo", 500),
}


@pytest.mark.parametrize("package", REAL)
def test_real_files_have_the_judges_verdict_and_tokens(package: str) -> None:
    folder, least = REAL[package]
    paths = sorted(path for path in Path(folder).rglob("*.xml") if path.is_file() and not path.is_symlink())
    assert len(paths) >= least, f"{package} must be installed"
    codes: Counter[Code] = Counter()
    for path in paths:
        data = path.read_bytes()
        parsed = parse(data, tree=False)
        codes[parsed.code] += 1
        assert [found for judge in JUDGES if (found := difference(judge, data, parsed))] == [], path
        if parsed.well_formed:
            assert tokens(parsed.events) == expat_tokens(data), path
    assert codes[Code.OK] >= least


def test_a_megabyte_takes_less_than_a_second_of_processor_time() -> None:
    data = Path(REAL["shared-mime-info"][0], "freedesktop.org.xml").read_bytes()
    assert len(data) > 1e6
    rates: list[float] = []
    while len(rates) < 5 and max(rates, default=0.0) < 1e6:
        start = time.process_time()
        assert parse(data).well_formed
        rates.append(len(data) / (time.process_time() - start))
    assert max(rates) >= 1e6
