"""The register map: no two registers meet, and everything made from it is fresh and says the same."""

import re
from pathlib import Path
from typing import Any

import pytest

from fpga.host import registers
from hdl.contract import COUNTERS, REGISTER_WORDS, REGISTERS, Access, register
from tools import genregs

ROOT = Path(__file__).parents[1]


def test_registers_do_not_meet() -> None:
    taken: dict[int, str] = {}
    for one in REGISTERS:
        for word in range(one.offset, one.offset + one.count):
            assert word not in taken, f"{one.name} meets {taken[word]}"
            assert word < REGISTER_WORDS
            taken[word] = one.name
    assert list(taken) == sorted(taken)
    assert len({one.name for one in REGISTERS}) == len(REGISTERS)


def test_fields_do_not_meet() -> None:
    for one in REGISTERS:
        bits = [bit for field in one.fields for bit in range(field.low, field.low + field.width)]
        assert len(bits) == len(set(bits))
        assert max(bits) < 32


def test_addresses_that_software_relies_on() -> None:
    places = {name: register(name).offset for name in ("id", "version", "control", "error", "config_subscriptions", "registered")}
    assert places == {"id": 0x00, "version": 0x01, "control": 0x02, "error": 0x06, "config_subscriptions": 0x10, "registered": 0x41}
    windows = (
        "publication_data",
        "publication_end4",
        "subscription_data",
        "skeleton_data",
        "result_data",
        "verdict_data",
        "notification_data",
    )
    assert [register(name).offset for name in windows] == [0x101, 0x106, 0x111, 0x121, 0x181, 0x183, 0x1A0]
    with pytest.raises(KeyError, match="name must be that of a register, not 'none'"):
        register("none")


def test_counters_have_places_of_their_own() -> None:
    """A counter's place is the low bits of its offset; the first bank of 16 has all of a broker that does not route and has four links."""
    counted = ("accepted", "cancelled", "refused", "dropped", "forgotten", "without_content", "pinned", "unpinned")
    first = [register(name).offset for name in counted] + [register("verdicts").offset + place for place in range(4)]
    first += [register("notified").offset + link for link in range(4)]
    assert all(offset in COUNTERS for offset in first)
    assert sorted(offset % 16 for offset in first) == list(range(16))
    routing = [one.offset for one in REGISTERS if one.feature == "routing" and one.offset in COUNTERS]
    assert len(routing) == 15
    assert len({offset % len(COUNTERS) for offset in (*first, *routing)}) == 31


def test_artefacts_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert genregs.stale() == []
    assert genregs.main(["--check"]) == 0
    assert capsys.readouterr().err == ""


def test_a_stale_artefact_is_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert genregs.main([], root=tmp_path) == 0
    assert genregs.main(["--check"], root=tmp_path) == 0
    header = tmp_path / "fpga/registers/x2cbbr.h"
    header.write_text(header.read_text(encoding="utf-8").replace("_bw 13", "_bw 14"), encoding="utf-8")
    (tmp_path / "fpga/host/registers.py").unlink()
    assert genregs.main(["--check"], root=tmp_path) == 1
    assert capsys.readouterr().err == "stale: fpga/registers/x2cbbr.h, fpga/host/registers.py; run python -m tools.genregs\n"


def test_constants_say_what_the_contract_says() -> None:
    for one in REGISTERS:
        assert getattr(registers, one.name.upper()) == one.offset
        for field in one.fields:
            assert getattr(registers, f"{one.name}__{field.name}".upper()) == (field.low, field.width)
    assert (registers.NOTIFIED, registers.NOTIFIED_COUNT) == (0x6C, 16)


def test_header_has_the_masks_of_every_field() -> None:
    text = (ROOT / "fpga/registers/x2cbbr.h").read_text(encoding="utf-8")
    for one in REGISTERS:
        for field in one.fields:
            mask = ((1 << field.width) - 1) << field.low
            assert re.search(rf"#define X2CBBR__{one.name.upper()}__{field.name.upper()}_bm 0x{mask:x}\n", text), (one.name, field.name)


def test_compiler_sees_every_register_where_it_is() -> None:
    found: dict[str, tuple[int, Any]] = {}
    node: Any
    for node in genregs.compiled(ROOT / "fpga/registers/x2cbbr.rdl").children():
        found[node.inst_name] = (node.raw_absolute_address if node.is_array else node.absolute_address, node)
    assert {name: place for name, (place, _) in found.items()} == {one.name: 4 * one.offset for one in REGISTERS}
    for one in REGISTERS:
        for field in found[one.name][1].fields():
            wanted = next(given for given in one.fields if given.name == field.inst_name).access
            assert (field.is_sw_readable, field.is_sw_writable) == (wanted is not Access.WRITE, wanted is not Access.READ)


def test_pages_are_made(tmp_path: Path) -> None:
    assert genregs.main(["--html", str(tmp_path)]) == 0
    assert (tmp_path / "index.html").exists()
