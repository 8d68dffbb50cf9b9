"""The engines that run the hardware: equal to the golden model and to each other, whatever the stalls; and what they are built with."""

import json
import multiprocessing
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.parsers import expat

import pytest
import typer
from typer.testing import CliRunner

from figures.record import RESULTS
from hdl.config import BrokerConfig
from hdl.contract import Code, WordType
from sim.bench import peers
from sim.bench.clock import Clock, clock
from sim.bench.parser import CASE_I, CASE_II
from sim.bench.rows import Group, Row, write_json
from sim.bench.samples import names_of, renamed, samples
from sim.cache import cached, digest
from sim.cli import app
from sim.engines.model import ModelEngine
from sim.golden.words import Word
from sim.icarus import parser as icarus
from sim.interface import EngineError, ParseResult
from sim.rtl import rtl
from sim.vectors import documents as vectors
from sim.vectors.families.stock import THESIS_SIZES
from sim.verilated import parser as verilated
from sim.verilated.layout import cpp_header, verilog_header
from sim.volume import Sample, compare, difference
from spark_vectors.errors import JobError
from spark_vectors.runs import bench
from tests.golden import generate

CONFIG = BrokerConfig()
BASIC = b'<quote day="5 &lt; 6">\r\n<bid>12</bid></quote>'


def mixed() -> list[bytes]:
    """Good and broken documents of both generators, limits reached and passed, and the smallest ones."""
    limits = {"name_bytes": CONFIG.name_bytes, "depth": CONFIG.depth, "attributes": CONFIG.attributes, "prefixes": CONFIG.prefixes}
    found = [vectors.document(seed=5, row=row, largest=1500).data for row in range(160)]
    found += generate.documents(51, 50, size=8) + generate.mutations(52, 60) + generate.soups(53, 30) + generate.edges(54, 20, **limits)
    return [*found, b"", b"<", b"<a/>", b"\xef\xbb\xbf<a/>", b"<a></a >", BASIC]


def expected(documents: Sequence[bytes]) -> list[ParseResult]:
    return ModelEngine(CONFIG).parse(documents, words=True)


def without_cycles(found: Sequence[verilated.Parsed]) -> list[ParseResult]:
    return [ParseResult(one.code, None if one.code is Code.OK else one.offset, one.bytes, words=one.words) for one in found]


def expat_accepts(data: bytes) -> bool:
    parser = expat.ParserCreate("utf-8", " ")
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return False
    return True


# the Verilated parser


@pytest.mark.parametrize("stalls", [None, 3])
def test_verilated_parser_equals_the_model(stalls: int | None) -> None:
    documents = mixed()
    found = verilated.parse(documents, CONFIG, words=True, stalls=stalls)
    assert without_cycles(found) == expected(documents)
    broken = sum(one.code is not Code.OK for one in found)
    assert len(documents) > 300
    assert broken > 90
    assert len(found) - broken > 120


def test_literal_words_and_offsets() -> None:
    """Worked by hand: references decoded, the line end normalised, the byte that decides."""
    good, bad = verilated.parse([BASIC, b"<a>\n<b></a>"], CONFIG, words=True, apart=True)
    assert good.words == (
        Word(WordType.ELEMENT, 0, b"quot"),
        Word(WordType.ELEMENT, 1, b"e"),
        Word(WordType.ATTRIBUTE, 0, b"day"),
        Word(WordType.VALUE, 0, b"5 < "),
        Word(WordType.VALUE, 1, b"6"),
        Word(WordType.TEXT, 0, b"\n"),
        Word(WordType.ELEMENT, 0, b"bid"),
        Word(WordType.TEXT, 0, b"12"),
        Word(WordType.END, 0, b""),
        Word(WordType.END, 0, b""),
    )
    assert (bad.code, bad.offset, bad.bytes, bad.words) == (Code.MISMATCHED_END, 10, 11, ())


def test_expat_agrees_on_real_documents() -> None:
    paths = [Path("/usr/share/xml/iso-codes") / f"iso_{name}.xml" for name in ("15924", "4217", "639-5", "3166-3")]
    documents = [path.read_bytes() for path in paths]
    found = verilated.parse(documents, CONFIG)
    assert [one.code is Code.OK for one in found] == [expat_accepts(data) for data in documents] == [True, True, True, False]


def test_clocks_of_one_document_and_of_many() -> None:
    """A document cannot be parsed in fewer clocks than it has words; back to back the pipeline's depth counts once only."""
    document = vectors.thesis_document(seed=1, size=1008)
    alone = verilated.parse([document], CONFIG)[0].cycles
    many = verilated.parse([document] * 12, CONFIG)
    between = (many[-1].verdict - many[3].verdict) / 8
    assert 1008 / 4 <= between < alone < 2 * 1008 / 4
    assert 1008 / between >= 3.7


def test_loaded_skeleton_saves_learning() -> None:
    document = renamed(vectors.thesis_document(seed=1, size=224), 3)
    (learned,) = verilated.parse([document], CONFIG, words=True)
    (known,) = verilated.parse([document], CONFIG, words=True, skeleton=names_of(document))
    assert known.words == learned.words
    assert known.cycles <= learned.cycles


# Icarus, and the command line


def test_icarus_equals_verilator_and_the_model() -> None:
    documents = [data for data in mixed() if len(data) < 400][::9][:20]
    assert len(documents) == 20
    found = icarus.parse(documents, CONFIG, words=True, apart=True)
    assert without_cycles(found) == expected(documents)
    assert [one.cycles for one in found] == [one.cycles for one in verilated.parse(documents, CONFIG, apart=True)]
    assert without_cycles(icarus.parse(documents[:8], CONFIG, words=True, stalls=5)) == expected(documents[:8])


def test_command_line_prints_the_same_for_every_engine(tmp_path: Path) -> None:
    paths = []
    for number, data in enumerate([BASIC, b"<a><b></a>", "<é/>".encode("utf-16"), b"", b"<d>" * 33 + b"</d>" * 33]):
        paths.append(tmp_path / f"{number}.xml")
        paths[-1].write_bytes(data)

    def lines(engine: str) -> list[dict[str, Any]]:
        arguments = ["parse", "--engine", engine, "--json", "--words", *map(str, paths)]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 0, result.output
        return [json.loads(line) for line in result.stdout.splitlines()]

    on_verilator = lines("verilator")
    assert on_verilator == lines("icarus")
    assert all(line["cycles"] > line["bytes"] / 4 for line in on_verilator)
    assert [{**line, "cycles": None} for line in on_verilator] == lines("model")
    table = CliRunner(env={"COLUMNS": "200"}).invoke(app, ["parse", "--engine", "verilator", str(paths[0])])
    assert "bytes/clock" in table.stdout


# volume and bench


def test_a_wrong_parser_is_noticed() -> None:
    """The comparison at volume sees a wrong verdict, offset, length or word, and what both judges contradict."""
    good = expected([BASIC])[0]
    assert good.words is not None
    assert difference(good, good) is None
    assert (
        difference(good, ParseResult(good.code, None, good.bytes + 1, words=good.words))
        == f"bytes must be {good.bytes}, not {good.bytes + 1}"
    )
    assert difference(good, ParseResult(Code.BAD_TAG, 3, good.bytes)) == "code must be ok, not bad-tag"
    assert "word 9 must be" in str(difference(good, ParseResult(good.code, None, good.bytes, words=good.words[:9])))
    broken = expected([b"<a>"])[0]
    assert difference(broken, ParseResult(broken.code, 2, 3, words=())) == "offset must be 3, not 2"
    outcome = compare(
        "wrong", [Sample("a", b"<a/>")], lambda data: [ParseResult(Code.UNCLOSED, 4, 4)], CONFIG, judges=True, log=lambda line: None
    )
    assert len(outcome.differences) == 2
    assert outcome.differences[1] == "a: not-well-formed, but libxml2 and expat both say otherwise"


def test_bench_documents() -> None:
    """The tables have the thesis's sizes; a renamed copy has the same shape and no name of another copy; samples are XML."""
    assert tuple(CASE_I) == tuple(CASE_II) == THESIS_SIZES
    document = vectors.thesis_document(seed=1, size=684)
    copies = [renamed(document, copy) for copy in range(3)]
    assert names_of(document) == [b"stock", b"stockitem", b"stockid", b"share", b"val", b"name", b"qty", b"price", b"type"]
    assert len({name for copy in copies for name in names_of(copy)}) == 3 * 9
    assert [len(copy) for copy in copies] == [684] * 3
    assert all(expat_accepts(data) for data in [*copies, *samples().values()])


def test_bench_figures(tmp_path: Path) -> None:
    write_json(tmp_path / "b.json", [Group("g", "t", "u", "n", (Row("r", 3.0, 2.0), Row("s", 1.0)))], seed=1)
    found = json.loads((tmp_path / "b.json").read_text())
    assert (found["seed"], [row["ratio"] for row in found["groups"][0]["rows"]]) == (1, [1.5, None])


def test_clock_of_the_bench_is_that_of_its_device_and_preset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(RESULTS, str(tmp_path))
    assert clock("Scbxp", device="LFE5U-85F-6", assumed=120.0) == Clock(120.0, None, "assumed")
    placed: dict[str, Any] = {"component": "hdl.scbxp.parser:Scbxp", "params": {"config": "default"}, "device": "LFE5U-85F-6"}
    placed |= {"mhz": [121.5, 130.0], "resources": {"LUT4": 7000}}
    others = [placed | change for change in ({"device": "LFE5U-25F-6"}, {"params": {"config": "small"}}, {"component": "hdl.npu:Npu"})]
    rows = [*(one | {"mhz": [1.0, 2.0]} for one in others), placed]
    (tmp_path / "area.json").write_text(json.dumps({str(number): row for number, row in enumerate(rows)}))
    measured = clock("Scbxp", device="LFE5U-85F-6", assumed=120.0)
    assert (measured.mhz, measured.luts) == (121.5, 7000)


def test_bench_goes_on_without_what_cannot_be_had(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A part that breaks down is named with its hint, the rows of the others are shown and written, and the exit status says so."""

    def broken(seed: int) -> list[Group]:
        raise JobError("there is no java", hint="install it")

    def whole(seed: int) -> list[Group]:
        return [Group("g", "t", "u", "n", (Row("r", 3.0, 2.0),), {"s": "there is no pugixml"})]

    monkeypatch.setenv(RESULTS, str(tmp_path / "kept"))
    monkeypatch.setattr(bench, "MAKERS", {"first": "tests.bench_parts:broken", "second": "tests.bench_parts:whole"})
    monkeypatch.setitem(sys.modules, "tests.bench_parts", SimpleNamespace(broken=broken, whole=whole))
    with pytest.raises(typer.Exit) as ended:
        bench.main(None, 1, tmp_path / "bench.json", keep=True)
    assert json.loads((tmp_path / "kept" / "bench.json").read_text())["g"]["rows"][0]["ratio"] == 1.5
    assert ended.value.exit_code == 1
    shown = capsys.readouterr()
    assert shown.err.splitlines() == [
        "x2cbbr: measuring first, part 1 of 2",
        "x2cbbr: first is left out: there is no java; install it.",
        "x2cbbr: measuring second, part 2 of 2",
    ]
    lines = [line.split() for line in shown.out.splitlines()]
    assert ["r", "2", "3", "1.500"] in [[cell for cell in line if cell != "│"] for line in lines]
    assert "s is not measured: there is no pugixml" in shown.out
    assert f"Figures: {tmp_path}/bench.json, without those of first" in " ".join(shown.out.split())
    (group,) = json.loads((tmp_path / "bench.json").read_text())["groups"]
    assert group["left_out"] == {"s": "there is no pugixml"}


def test_a_missing_compiler_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(peers, "BUILD", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match=r"^there is no C\+\+ compiler to build the comparison with$"):
        peers.PEERS["pugixml"]([b"<a/>"], ["/a"])
    (tmp_path / "c++").write_text("#!/bin/sh\necho 'peer.cpp:15:10: fatal error: pugixml.hpp: No such file' >&2\nexit 1\n")
    (tmp_path / "c++").chmod(0o755)
    with pytest.raises(EngineError, match=r"^the comparison cannot be built: pugixml\.hpp: No such file$") as caught:
        peers.PEERS["pugixml"]([b"<a/>"], ["/a"])
    assert caught.value.hint == "apt-get install libpugixml-dev"


# the builder


def test_headers_name_every_field() -> None:
    ports = [
        {"name": "i__payload", "width": 9, "fields": [{"name": "op", "low": 0, "width": 1, "members": {"PIN": 0, "UNPIN": 1}}]},
        {"name": "count", "width": 4, "fields": []},
    ]
    assert "constexpr Field I_OP{0, 1};\nconstexpr unsigned I_OP_PIN = 0;\nconstexpr unsigned I_OP_UNPIN = 1;\n" in cpp_header(ports)
    assert "`define I__PAYLOAD_WIDTH 9\n`define COUNT_WIDTH 4\n`define I_OP 0 +: 1\n`define I_OP_PIN 0\n" in verilog_header(ports)


def test_description_names_every_port() -> None:
    """The ports of the exported module are those described beside it, and a described field is where the layout puts it."""
    source = rtl("scbxp", CONFIG)
    (head,) = re.findall(r"^module scbxp\((.*?)\);", source.text, re.DOTALL | re.MULTILINE)
    assert {name.strip() for name in head.split(",")} == {port["name"] for port in source.ports} | {"clk", "rst"}
    ports = {port["name"]: port for port in source.ports}
    for name, port in ports.items():
        width = f"[{port['width'] - 1}:0] " if port["width"] > 1 else ""
        assert f"  {port['direction']} {width}{name};" in source.text
    assert ports["i__payload"]["fields"] == [
        {"name": "data", "low": 0, "width": 32, "members": {}},
        {"name": "count", "low": 32, "width": 3, "members": {}},
        {"name": "last", "low": 35, "width": 1, "members": {}},
    ]


def _slow(place: Path, log: Path) -> None:
    def make(folder: Path) -> None:
        with log.open("a") as file:
            file.write("made\n")
        time.sleep(0.3)
        (folder / "result").write_text("whole")

    assert (cached(place, make) / "result").read_text() == "whole"


def test_two_processes_build_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_slow, args=(tmp_path / "cache" / "one", tmp_path / "log")) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert (tmp_path / "log").read_text() == "made\n"


def test_a_failed_build_leaves_nothing_behind(tmp_path: Path) -> None:
    def broken(folder: Path) -> None:
        (folder / "half").write_text("")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        cached(tmp_path / "one", broken)
    assert [path.name for path in tmp_path.iterdir()] == ["one.lock"]
    assert digest(["ab", "c"]) != digest(["a", "bc"])
