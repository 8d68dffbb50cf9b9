"""What the parser's beats become for the matching engine: everything but indices, V and U, and numbers of learned names."""

import pytest

from cocotb_tests.simulated import Part, run
from hdl.config import BrokerConfig
from hdl.scbxp.beats import ParsedToMatch

CONFIG = BrokerConfig(names=8, learned=64)


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_beats_pass(stall: float) -> None:
    async def bench(part: Part) -> None:
        dut, chance = part.dut, part.random
        for name in [*range(75), *(chance.randrange(75) for _ in range(100))]:
            word = {
                "valid": chance.getrandbits(1),
                "data": chance.getrandbits(32),
                "count": chance.randrange(5),
                "last": chance.getrandbits(1),
            }
            mark = word | {"data": chance.getrandbits(32), "type": chance.randrange(5), "close": chance.getrandbits(1)}
            ends = {"done": chance.getrandbits(1), "good": chance.getrandbits(1)}
            given = {"text": word | {"index": 3}, "mark": mark | {"index": 5, "known": chance.getrandbits(1), "name": name}, **ends}
            valid, ready = int(chance.random() >= stall), int(chance.random() >= stall)
            part.set(dut.i.payload, given)
            part.set(dut.i.valid, valid)
            part.set(dut.o.ready, ready)
            await part.clock()
            assert (part.get(dut.o.valid), part.get(dut.i.ready)) == (valid, ready)
            held = name if name <= CONFIG.names else 0
            assert part.value(dut.o.payload) == {"text": word, "mark": mark | {"name": held}, **ends}

    run(ParsedToMatch(CONFIG), bench, stall=stall)
