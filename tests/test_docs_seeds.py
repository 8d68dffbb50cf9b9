"""The map of the four other source documents has a row for everything that they print, and says nothing of files that do not exist."""

import re

import pytest

from tests.test_docs import DOCS, PLACE, ROOT, rows

TEXT = (DOCS / "seeds-map.md").read_text(encoding="utf-8")
FIGURES = {"P": 10, "G": 11, "H": 8, "N": 13}
TABLES = {"P": 2, "G": 2, "H": 0, "N": 0}
ALGORITHMS = {"P": 1, "G": 1, "H": 0, "N": 0}


def chapter(letter: str) -> list[list[str]]:
    return [row for row in rows(TEXT.split(f"\n## {letter}: ", 1)[1].split("\n## ", 1)[0]) if len(row) == 5]


@pytest.mark.parametrize("letter", FIGURES)
def test_a_row_for_everything(letter: str) -> None:
    expected = [f"Fig {number}" for number in range(1, FIGURES[letter] + 1)]
    expected += [f"Tab {number}" for number in range(1, TABLES[letter] + 1)]
    expected += [f"Alg {number}" for number in range(1, ALGORITHMS[letter] + 1)]
    found = chapter(letter)
    assert sorted(row[0] for row in found) == sorted(expected)
    assert all(cell for row in found for cell in row)


@pytest.mark.parametrize("letter", FIGURES)
def test_what_is_built_exists(letter: str) -> None:
    for item, _, lives, shown, _ in chapter(letter):
        for cell in (lives, shown):
            if not cell.startswith(("planned:", "none")):
                places = PLACE.findall(cell)
                assert places, f"{item}: {cell}"
                for place in places:
                    assert (ROOT / place).exists(), f"{item}: {place}"
        assert lives.startswith(("planned:", "none")) == shown.startswith(("planned:", "none")), item


def test_names_in_parentheses_stand_in_the_files() -> None:
    named = [pair for letter in FIGURES for row in chapter(letter) for pair in re.findall(r"`([\w/]+\.\w+)` \(`([^`]+)`\)", row[2])]
    assert len(named) > 12
    for place, name in named:
        source = (ROOT / place).read_text(encoding="utf-8")
        for part in name.split("."):
            assert re.search(rf"\b{re.escape(part)}\b" if part[0] != "-" else re.escape(part), source), (place, name)
