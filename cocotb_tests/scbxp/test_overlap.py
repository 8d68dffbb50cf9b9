# amaranth: UnusedElaboratable=no
"""Loading, parsing and reading run at the same time [T 4.5], seen in a waveform."""

import subprocess
from pathlib import Path

import pytest
from vcdvcd import VCDVCD

from cocotb_tests.runner import emit, kick
from cocotb_tests.scbxp.bench import CONFIG, as_words
from cocotb_tests.streams import pack
from hdl.parsing import ParsingSystem
from hdl.shapes.publication import DocumentWord

DOCUMENT = b"<list>" + b"".join(b"<item number='%d'>text of item %d</item>" % (number, number) for number in range(24)) + b"</list>"
"""About as long as the X-RAM."""


class _Wave:
    """The handshakes of a waveform: the times of the rising edges of the clock at which all of some signals are 1."""

    def __init__(self, path: Path):
        self._vcd = VCDVCD(str(path))
        self._edges = [time for time, value in self._vcd["bench.clk"].tv if value == "1"]

    def times(self, *names: str) -> list[int]:
        signals = [self._vcd[f"bench.{name}"] for name in names]
        # Just before the edge, where everything of the clock has settled.
        return [time for time in self._edges if time and all(signal[time - 1] == "1" for signal in signals)]


@pytest.fixture(scope="module")
def wave(tmp_path_factory: pytest.TempPathFactory) -> _Wave:
    """One document on Icarus."""
    folder = tmp_path_factory.mktemp("overlap")
    words = [pack(DocumentWord, word) for word in as_words(DOCUMENT)]
    (folder / "document.hex").write_text("".join(f"{word:09x}\n" for word in words))
    (folder / "top.v").write_text(kick(emit(ParsingSystem(CONFIG))))
    bench = Path(__file__).with_name("overlap.v")
    build = ["iverilog", "-g2012", "-o", "bench.vvp", "-s", "bench", f"-Pbench.WORDS={len(words)}", str(bench), "top.v"]
    for command in (build, ["vvp", "-n", "bench.vvp"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return _Wave(folder / "dump.vcd")


def test_loading_parsing_and_reading_overlap(wave: _Wave) -> None:
    loads = wave.times("i__valid", "i__ready")
    parses = wave.times("o__valid")
    reads = wave.times("pram_read_valid")
    verdicts = wave.times("verdict__valid")
    assert len(loads) == len(as_words(DOCUMENT))
    assert len(verdicts) == 1
    # The first beats are out and read back long before the last word is in, and all three happen in the same clocks.
    assert parses[0] < reads[0] < loads[len(loads) // 2]
    assert loads[-1] < verdicts[0]
    together = set(loads) & set(parses) & set(reads)
    assert len(together) > len(loads) // 4
    # After loading ends only what is in flight remains.
    assert sum(time > loads[-1] for time in parses) < len(parses) // 2
