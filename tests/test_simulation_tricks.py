"""What is done for the speed of the simulation changes nothing of what comes out: the programs beside the plain build."""

import json
from pathlib import Path

import pytest

from hdl.config import BrokerConfig
from sim.bench.tricks import RESULTS, gains
from sim.engines.simulated_filter import items_of
from sim.interface import Subscription
from sim.vectors.documents import document
from sim.vectors.queries import PathParameters, subscription_set
from sim.verilated.broker import run
from sim.verilated.builder import TRICKS, program

CONFIG = BrokerConfig.preset("small")


@pytest.fixture(scope="module")
def plain() -> Path:
    return program(top="x2cbbr", main="filter_main.cpp", config=CONFIG, without=TRICKS)


@pytest.mark.parametrize(("copies", "stalls"), [(1, None), (1, 5), (3, None), (3, 6)])
def test_the_plain_build_gives_the_same(plain: Path, copies: int, stalls: int | None) -> None:
    """Every answer, its clocks included."""
    wanted = subscription_set(seed=11, number=0, count=40, parameters=PathParameters(), config=CONFIG)
    entries = [Subscription(one.sid, one.text, one.semantics) for one in wanted]
    documents = [document(seed=11, row=row, config=CONFIG, largest=1024).data for row in range(24)]
    items = items_of(entries, documents, CONFIG, selecting=(2, 5))
    found = run(items, CONFIG, copies=copies, stalls=stalls)
    assert found == run(items, CONFIG, copies=copies, stalls=stalls, executable=plain)
    assert len(found) == len(items)


def test_the_plain_build_is_another_program(plain: Path) -> None:
    assert plain.read_bytes() != program(top="x2cbbr", main="filter_main.cpp", config=CONFIG).read_bytes()


def test_every_trick_is_worth_it() -> None:
    """By the committed figures, of instructions with one broker or of time with several."""
    found = gains(json.loads(RESULTS.read_text(encoding="utf-8"))["runs"])
    for trick in TRICKS:
        assert max(part for (name, _), saved in found.items() if name == trick for part in saved.values()) >= 0.03
