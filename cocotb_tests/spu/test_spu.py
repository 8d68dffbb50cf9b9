# amaranth: UnusedElaboratable=no
"""The SPU and the registration interlock on both simulators, Verilator in `make test-long`."""

import pytest

from cocotb_tests.runner import simulate
from cocotb_tests.spu.model import CONFIGS
from cocotb_tests.spu.registration import Registration
from hdl.config import BrokerConfig
from hdl.spu import RegistrationInterlock, Spu

BOTH = ("icarus", pytest.param("verilator", marks=pytest.mark.long))
"""Building the models for Verilator is what takes long here."""

INTERLOCK = {"subscriptions": 31, "xram_bytes": 1024, "selected": 64}
ROUNDS = {"verilator": 12, "icarus": 3}


@pytest.mark.parametrize("simulator", BOTH)
def test_spu(simulator: str) -> None:
    simulate(
        Spu(CONFIGS["small"], store_words=64),
        tests="cocotb_tests.spu.spu_tests",
        simulator=simulator,
        seed=5,
        parameters={"config": "small", "store_words": 64, "rounds": ROUNDS[simulator]},
    )


@pytest.mark.parametrize("simulator", BOTH)
def test_registration(simulator: str) -> None:
    simulate(
        Registration(CONFIGS["default"]),
        tests="cocotb_tests.spu.registration_tests",
        simulator=simulator,
        seed=6,
        parameters={"config": "default"},
    )


@pytest.mark.parametrize("simulator", BOTH)
def test_interlock(simulator: str) -> None:
    simulate(
        RegistrationInterlock(BrokerConfig(**INTERLOCK)),
        tests="cocotb_tests.spu.interlock_tests",
        simulator=simulator,
        seed=8,
        parameters={"config": INTERLOCK, "commands": {"verilator": 400, "icarus": 60}[simulator]},
        ports_only=True,
    )


@pytest.mark.parametrize("words", [0, 512, 1000])
def test_store_is_checked(words: int) -> None:
    with pytest.raises(ValueError, match=f"^store_words must be a power of two of at least 524, not {words}$"):
        Spu(BrokerConfig(), store_words=words)
