"""Corner documents: the golden parser against expat and libxml2, and the parser's RTL against the golden parser."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest

from hdl.config import PRESETS
from hdl.contract import Code, Verdict
from sim.corners.documents import Document, documents
from sim.engines.model import ModelEngine
from sim.golden.xml import parse
from sim.interface import ParseResult
from sim.verilated import parser as verilated
from sim.volume import difference
from tests.golden import judges

CONFIG = PRESETS["default"]
STALLS = 11


@cache
def made() -> tuple[Document, ...]:
    return tuple(documents(CONFIG))


@cache
def expected() -> list[ParseResult]:
    return ModelEngine(CONFIG).parse([document.data for document in made()], words=True)


def differences(chosen: Sequence[Document], wanted: Sequence[ParseResult], *, stalls: int | None = None) -> list[str]:
    """What the RTL says of the documents otherwise than the golden model: code, offset, length, words."""
    found = verilated.parse([document.data for document in chosen], CONFIG, words=True, stalls=stalls)
    return [
        f"{document.kind}: {what}: {document.data!r}"
        for document, result, got in zip(chosen, wanted, found, strict=True)
        if (what := difference(result, got.result(words=True))) is not None
    ]


def test_the_documents_are_as_many_and_as_small_as_is_promised() -> None:
    assert tuple(documents(CONFIG)) == made()
    assert len({document.data for document in made()}) == len(made())
    assert 40_000 < len(made()) < 70_000
    assert sum(len(document.data) for document in made()) < 6_000_000
    kinds = Counter(document.kind for document in made())
    wanted = [
        "characters",
        "bytes",
        "references",
        "alignment",
        "neighbours",
        "limits",
        "namespaces",
        "pairing",
        "attributes",
        "faults",
        "courses",
        "unfinished",
    ]
    assert list(kinds) == wanted
    assert min(kinds.values()) > 700


def test_the_golden_parser_has_the_verdict_of_expat_and_libxml2() -> None:
    """Where no listed departure explains a difference; and every code but those of matching and of the name table occurs."""
    codes: Counter[Code] = Counter()
    unexplained = []
    for document in made():
        parsed = parse(document.data, CONFIG, tree=False)
        codes[parsed.code] += 1
        unexplained += [found for judge in judges.JUDGES if (found := judges.difference(judge, document.data, parsed))]
    assert unexplained == []
    assert set(codes) == set(Code) - {Code.NUMBER_DIGITS, Code.NAME_CLASH}
    assert min(codes.values()) >= 30, codes
    assert sum(code.verdict is Verdict.WELL_FORMED for code in codes.elements()) > len(made()) // 4


def test_the_golden_parser_needs_no_shortcut() -> None:
    for document in made()[::4]:
        assert parse(document.data, CONFIG, tree=False, shortcuts=False) == parse(document.data, CONFIG, tree=False), document.data


@pytest.mark.parametrize("stalls", [None, STALLS])
def test_the_rtl_equals_the_golden_parser(stalls: int | None) -> None:
    assert differences(made(), expected(), stalls=stalls) == []
