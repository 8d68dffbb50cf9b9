# amaranth: UnusedElaboratable=no
"""The whole parser on both simulators."""

import pytest

from cocotb_tests.runner import shared, simulate
from cocotb_tests.scbxp.bench import CONFIG
from hdl.parsing import ParsingSystem

TESTS = ",".join(f"cocotb_tests.scbxp.{name}_tests" for name in ("parser", "names", "overflow", "reset"))

RUNS = {
    "verilator": (1, None),
    "icarus": (
        20,
        "documents_parse/idle=0.0/stall=0.6,documents_parse/idle=0.6/stall=0.0,empty_documents,limits_are_exact,"
        "pins_beside_documents/stall=0.4,reset_at_every_offset",
    ),
}
"""For each simulator the share of documents and resets, one in so many, and the coroutines. Icarus needs some milliseconds for a clock."""


@pytest.mark.parametrize("simulator", RUNS)
def test_scbxp(simulator: str) -> None:
    share, testcase = RUNS[simulator]
    simulate(
        shared(ParsingSystem, CONFIG),
        tests=TESTS,
        simulator=simulator,
        seed=7,
        parameters={"share": share},
        testcase=testcase,
        ports_only=True,
    )
