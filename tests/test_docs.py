"""The documentation says what is true: generated pages are fresh, links and paths exist, examples give the results shown."""

import ast
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from lxml import etree
from typer.testing import CliRunner

from hdl.config import BrokerConfig
from hdl.contract import Code, Semantics, Verdict
from sim.cli import app
from sim.golden import xpath
from sim.golden.match import matches
from sim.golden.network.codes import NetworkRefusal
from sim.golden.network.settings import Cyclic, Steady
from sim.golden.xml import parse
from tests.golden import judges
from tools import gendocs

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))

# every figure and table of chapters 3 to 7 of the thesis, and the algorithms that it prints as figures
FIGURES = {3: 4, 4: 15, 5: 34, 6: 3, 7: 17}
TABLES = {4: 1, 6: 5, 7: 11}
ALGORITHMS = {
    "Rules of FIFO alignment": "Fig 4.5",
    "Subscription Registration (SReA)": "Fig 5.14",
    "Local Notification - Generation and Delivery": "Fig 5.16",
    "S_max Determination": "Fig 5.17",
    "Top-Level: Content-Based Registering, Matching, and Routing": "Fig 5.20",
    "Local & Remote Notification - Generation and Routing": "Fig 5.22",
    "Notification Re-Routing": "Fig 5.23",
    "Subscription Routing (SRoA)": "Fig 5.24",
}
PLACE = re.compile(r"`([A-Za-z_]\w*/[\w./-]*)`")


def rows(text: str) -> Iterator[list[str]]:
    """The cells of every table row but the heads and rules."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        head = number + 1 < len(lines) and lines[number + 1].startswith("| ---")
        if line.startswith("| ") and not line.startswith("| ---") and not head:
            yield [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def test_generated_pages_are_fresh() -> None:
    assert gendocs.stale() == []
    assert gendocs.main(["--check"]) == 0


def test_a_stale_page_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(DOCS / "results", tmp_path / "results")
    for name in gendocs.PAGES:
        (tmp_path / name).write_text((DOCS / name).read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr(gendocs, "DOCS", tmp_path)
    assert gendocs.main(["--check"]) == 0
    changed = (tmp_path / "limits.md").read_text(encoding="utf-8").replace("| 1024 |", "| 1025 |", 1)
    (tmp_path / "limits.md").write_text(changed, encoding="utf-8")
    (tmp_path / "formats.md").unlink()
    assert gendocs.main(["--check"]) == 1
    assert capsys.readouterr().err == "stale: formats.md, limits.md; run python -m tools.gendocs\n"
    assert gendocs.main([]) == 0
    assert gendocs.main(["--check"]) == 0


def test_every_page_is_reached_from_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in DOCS.glob("*.md"):
        assert page.stem == "index" or re.search(rf"^{re.escape(page.stem)}$", index, re.MULTILINE), page.name


def test_pages_build_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(DOCS), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert all((tmp_path / page.relative_to(DOCS).with_suffix(".html")).exists() for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_relative_links_resolve(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target.split("#")[0]).exists(), target


def test_thesis_map_has_a_row_for_everything() -> None:
    expected = [f"Fig {chapter}.{n}" for chapter, count in FIGURES.items() for n in range(1, count + 1)]
    expected += [f"Tab {chapter}.{n}" for chapter, count in TABLES.items() for n in range(1, count + 1)]
    cells = list(rows((DOCS / "thesis-map.md").read_text(encoding="utf-8")))
    found = [row[0] for row in cells if len(row) == 5]
    assert sorted(found) == sorted(expected)
    assert {row[0]: row[1] for row in cells if len(row) == 3} == ALGORITHMS
    assert all(cell for row in cells for cell in row), "no cell may be empty"


def status(cell: str) -> str:
    return next((word for word in ("planned", "model", "none") if cell.startswith(word)), "built")


def test_thesis_map_tells_built_from_planned() -> None:
    where = {}
    for row in rows((DOCS / "thesis-map.md").read_text(encoding="utf-8")):
        for cell in row[2:4]:
            if not cell.startswith(("planned:", "none")):
                assert PLACE.search(cell) or len(row) == 3, f"{row[0]}: {cell}"
                for place in PLACE.findall(cell):
                    assert (ROOT / place).exists(), f"{row[0]}: {place}"
                    assert cell.startswith("model:") == place.startswith(("sim/golden/network/", "tests/golden/network/")), (
                        f"{row[0]}: {place}"
                    )
        where[row[0]] = row[2]
    for name, figure in ALGORITHMS.items():
        assert status(where[name]) == status(where[figure]), name


@pytest.mark.parametrize("page", ["architecture.md", "verification.md"])
def test_status_tells_built_from_planned(page: str) -> None:
    statuses = set()
    for row in rows((DOCS / page).read_text(encoding="utf-8")):
        statuses.add(row[-1])
        if row[-1] not in ("being built", "planned"):
            for place in PLACE.findall(" ".join(row)):
                assert place.startswith("build/") or (ROOT / place).exists(), f"{row[0]}: {place}"
    assert "built" in statuses


def xpath_examples() -> tuple[list[tuple[bytes, str, bool, bool]], list[tuple[str, str]]]:
    """(document, subscription, exact, containment) and (subscription, refusal) from docs/xpath-subset.md."""
    text = (DOCS / "xpath-subset.md").read_text(encoding="utf-8").split("\n## Examples\n", 1)[1]
    accepted_part, refused_part = text.split("\nRefused:\n", 1)
    accepted = []
    for document, table in re.findall(r"```xml\n(.*?)```\n(.*?)(?=```xml|\Z)", accepted_part, re.DOTALL):
        for subscription, exact, containment, _ in rows(table):
            assert {exact, containment} <= {"yes", "no"}
            accepted.append((document.strip().encode(), subscription.strip("`"), exact == "yes", containment == "yes"))
    refused = [(subscription.strip("`"), refusal) for subscription, refusal, _ in rows(refused_part)]
    return accepted, refused


ACCEPTED, REFUSED = xpath_examples()


def test_there_are_examples() -> None:
    assert len(ACCEPTED) > 40
    assert len(REFUSED) > 20


@pytest.mark.parametrize(("document", "subscription", "exact"), [row[:3] for row in ACCEPTED], ids=[row[1] for row in ACCEPTED])
def test_example_is_what_libxml2_says(document: bytes, subscription: str, exact: bool) -> None:
    path = subscription if subscription.startswith("/") else "/" + subscription  # lxml starts relative paths at the root element
    assert bool(etree.fromstring(document).xpath(path)) is exact


@pytest.mark.parametrize(("document", "subscription", "exact", "containment"), ACCEPTED, ids=[row[1] for row in ACCEPTED])
def test_example_is_what_the_golden_model_says(document: bytes, subscription: str, exact: bool, containment: bool) -> None:
    tree = parse(document).document
    assert tree is not None
    query = xpath.compile(subscription)
    assert matches(query, tree, Semantics.EXACT) is exact
    assert matches(query, tree, Semantics.CONTAINMENT) is containment


@pytest.mark.parametrize(("subscription", "refusal"), REFUSED, ids=[row[0] for row in REFUSED])
def test_example_is_refused(subscription: str, refusal: str) -> None:
    with pytest.raises(xpath.Refused) as caught:
        xpath.compile(subscription)
    assert caught.value.code.text == refusal


def xml_examples() -> list[tuple[bytes, dict[str, int], str, int]]:
    """(document, changed limits, code, offset) from docs/xml-subset.md."""
    text = (DOCS / "xml-subset.md").read_text(encoding="utf-8").split("\n## Examples\n", 1)[1].split("\n## ", 1)[0]
    examples = []
    for document, change, code, offset in rows(text):
        data = ast.literal_eval("b'''" + document.strip("`").replace("'", "\\'") + "'''")
        limits = {name: int(value) for name, value in [change.strip("`").split("=")]} if change else {}
        examples.append((data, limits, code, int(offset)))
    return examples


DOCUMENTS = xml_examples()


@pytest.mark.parametrize(("data", "limits", "code", "offset"), DOCUMENTS, ids=[repr(row[0]) for row in DOCUMENTS])
def test_document_example(data: bytes, limits: dict[str, int], code: str, offset: int) -> None:
    parsed = parse(data, BrokerConfig(**limits))
    assert (parsed.code.text, parsed.offset) == (code, offset)
    if parsed.verdict in (Verdict.WELL_FORMED, Verdict.NOT_WELL_FORMED):
        for accepts in (judges.expat_accepts, judges.libxml2_accepts):
            assert accepts(data) is parsed.well_formed


def test_document_examples_show_every_code_of_the_parser() -> None:
    assert {code for _, _, code, _ in DOCUMENTS} == {code.text for code in Code} - {"number-digits", "name-clash"}


def test_documented_departures_are_those_of_the_tests() -> None:
    text = (DOCS / "xml-subset.md").read_text(encoding="utf-8").split("\n## Where expat and libxml2 differ\n", 1)[1]
    shown = {section.replace("\\", ""): (expat, libxml2) for section, _, expat, libxml2 in rows(text)}
    held = {departure.section: departure for departure in judges.DEPARTURES}
    assert shown.keys() == held.keys()
    assert len(held) == len(judges.DEPARTURES)
    for section, cells in shown.items():
        assert tuple(judge for judge, cell in zip(judges.JUDGES, cells, strict=True) if cell != "as here") == held[section].judges


def test_network_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / "network.md").read_text(encoding="utf-8")
    for name in ("triangle.yaml", "prices.jsonl", "scenario3.jsonl"):
        content = (ROOT / "examples" / "network" / name).read_text(encoding="utf-8")
        assert f"\n{content}```" in text, name
    monkeypatch.chdir(ROOT)
    sessions = re.findall(r"```console\n\$ x2cbbr (.*?)\n(.*?)```", text, re.DOTALL)
    assert len(sessions) == 2
    for command, output in sessions:
        done = CliRunner().invoke(app, shlex.split(command))
        assert (done.exit_code, done.stderr, done.stdout) == (0, "", output), command


def test_network_settings_and_refusals_are_those_of_the_model() -> None:
    cells = list(rows((DOCS / "network.md").read_text(encoding="utf-8")))
    shown = {row[0].strip("`"): row[1] for row in cells if len(row) == 3}
    held = {field.name: yaml.safe_dump(field.default).split("\n")[0] for kind in (Steady, Cyclic) for field in fields(kind)}
    assert shown == held
    refusals = [(code.text, code.sentence) for code in NetworkRefusal]
    assert [tuple(row) for row in cells if tuple(row) in {(f"`{text}`", sentence) for text, sentence in refusals}] == [
        (f"`{text}`", sentence) for text, sentence in refusals
    ]


def play(page: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], int]:
    """Writes a page's files, runs its sessions and compares what they print; the names of the files, and the number of sessions."""
    text = (DOCS / page).read_text(encoding="utf-8")
    files = re.findall(r"this `([a-z.]+)`[^`]*?:\n\n```\w+\n(.*?)```\n", text, re.DOTALL)
    for name, content in files:
        (folder / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(folder)
    sessions = re.findall(r"```console\n\$ x2cbbr (.*?)\n(.*?)```", text, re.DOTALL)
    for command, output in sessions:
        done = CliRunner().invoke(app, shlex.split(command))
        assert (done.stderr if done.exit_code else done.stdout) == output, command
        assert done.exit_code == (2 if "missing" in command else 0)
    return [name for name, _ in files], len(sessions)


def test_command_line_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert play("command-line.md", tmp_path, monkeypatch) == (["stock.xml", "bad.xml", "subs.txt"], 4)
    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    (refused,) = re.findall(r"```text\n(subscription 5 is refused.*?)```", text, re.DOTALL)
    assert CliRunner().invoke(app, ["filter", "--subscriptions", "subs.txt", "stock.xml"]).stderr == refused
