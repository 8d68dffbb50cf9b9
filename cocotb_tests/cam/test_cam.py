# amaranth: UnusedElaboratable=no
"""Both exact-match memories on both simulators, and the hashes on their own."""

import random

import pytest

from cocotb_tests.cam.model import HashRoom
from cocotb_tests.runner import SIMULATORS, simulate
from hdl.cam import HashCam, RegisterCam
from hdl.cam.hashing import columns, row_of


def _hash(**changes):
    cam = HashCam(**({"key_width": 20, "value_width": 5, "rows": 4, "spares": 2, "epoch_width": 2} | changes))
    return cam, {
        "row_width": cam.row_width,
        "slots": cam.slots,
        "spares": cam.spares,
        "insert_clocks": 8,
        "forget_clocks": 1,
        "patience": cam.patience,
    }


def _register():
    cam = RegisterCam(key_width=20, value_width=5, entries=6)
    return cam, {"entries": cam.entries, "insert_clocks": 3, "forget_clocks": 3, "patience": 0}


UNITS = {"hash": _hash, "register": _register}


@pytest.mark.parametrize("simulator", SIMULATORS)
@pytest.mark.parametrize("unit", UNITS)
def test_cam(unit: str, simulator: str) -> None:
    cam, facts = UNITS[unit]()
    facts |= {"key_width": cam.key_width, "value_width": cam.value_width, "latency": cam.LATENCY, "capacity": cam.capacity}
    simulate(cam, tests="cocotb_tests.cam.cam_tests", simulator=simulator, seed=5, parameters=facts)


def _rank(vectors: list[int]) -> int:
    basis: list[int] = []
    for vector in vectors:
        for known in basis:
            vector = min(vector, vector ^ known)
        if vector:
            basis.append(vector)
    return len(basis)


@pytest.mark.parametrize(("key_width", "row_width"), [(48, 9), (64, 9), (100, 9), (52, 10), (20, 3)])
def test_hashes_are_independent(key_width: int, row_width: int) -> None:
    first, second = (columns(key_width, row_width, which) for which in (0, 1))
    assert _rank([a | b << row_width for a, b in zip(first, second, strict=True)]) == 2 * row_width
    if key_width < 1 << row_width:
        assert len(set(first)) == len(set(second)) == key_width
        assert 0 not in first + second


def test_hash_is_pinned() -> None:
    assert [row_of(0x123456789ABC, key_width=48, row_width=9, which=which) for which in (0, 1)] == PINNED
    assert row_of(0, key_width=48, row_width=9, which=0) == 0


PINNED = [110, 135]


@pytest.mark.parametrize("which", [0, 1])
def test_row_and_the_other_bits_give_the_key_back(which: int) -> None:
    """Keys that share all bits but the first nine never share a row."""
    for rest in (0, 1, 0x2A5A5A, 0x7FFFFF):
        assert len({row_of(rest << 9 | first, key_width=32, row_width=9, which=which) for first in range(512)}) == 512


@pytest.mark.parametrize("kind", ["random", "counting", "text"])
def test_filled_without_a_refusal(kind: str) -> None:
    """600 keys fit in 4 x 512 places and 2 spare ones, also when they are anything but random."""
    chance = random.Random(3)
    keys = {
        "random": lambda _: chance.getrandbits(52),
        "counting": lambda index: index << 20 | index,
        "text": lambda index: int.from_bytes(f"n{index:05d}".encode(), "little"),
    }[kind]
    room = HashRoom(key_width=52, row_width=9, slots=2, spares=2)
    assert all(room.take(keys(index)) for index in range(600))


def test_parameters_are_checked() -> None:
    with pytest.raises(ValueError, match=r"^rows must be a power of two of at least 2, not 12$"):
        HashCam(key_width=8, value_width=4, rows=12)
    with pytest.raises(ValueError, match=r"^slots must be an integer of at least 1, not 0$"):
        HashCam(key_width=8, value_width=4, slots=0)
    with pytest.raises(ValueError, match=r"^key_width must be an integer of at least 1, not 0$"):
        RegisterCam(key_width=0, value_width=4)
    with pytest.raises(ValueError, match=r"^entries must be an integer of at least 1, not 0$"):
        RegisterCam(key_width=8, value_width=4, entries=0)
