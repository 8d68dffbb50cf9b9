"""The distilled regression: what the hardware answers to the vectors that kill what all vectors kill.

The answers were compared with the judges when they were written down: the corner documents by tests/test_corner_documents.py, the corner
streams by tests/test_corner_streams.py, the fronts by tests/test_front_vectors.py.
"""

import pytest

from sim.mutants.benches import BENCHES
from sim.mutants.distilled import distilled, output_digest
from sim.mutants.trials import reference, slower
from sim.mutants.vectors import Vector, vectors
from sim.verilated.builder import program


def made() -> dict[str, Vector]:
    wanted = distilled()
    return {one.name: one for one in vectors() if one.name in wanted}


def test_the_vectors_are_those_that_were_distilled() -> None:
    found = made()
    assert {name: one.key for name, one in found.items()} == {name: one.key for name, one in distilled().items()}
    assert {one.bench for one in found.values()} == set(BENCHES)


@pytest.mark.parametrize("bench", BENCHES)
def test_the_hardware_answers_as_it_did(bench: str) -> None:
    """What comes out is the same to the byte, and takes no longer. make distil writes new answers down once they have been judged."""
    chosen = BENCHES[bench]
    executable = str(program(top=chosen.top, main=chosen.main, config=chosen.config))
    wrong = []
    for name, vector in made().items():
        if vector.bench == bench:
            output, clocks, _ = reference(executable, vector, watching=False)
            due = distilled()[name]
            wrong += [f"{name}: other answers"] * (output_digest(output) != due.output)
            wrong += [f"{name}: {clocks} clocks, not {due.clocks}"] * slower(clocks, due.clocks)
    assert wrong == []
