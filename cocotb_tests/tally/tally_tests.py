"""Coroutines for the counters: short counts in, whole ones out."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from cocotb_tests.streams import Bench, parameters

LAG = 18
CHANCES = [1.0, 1.0, 0.9, 0.5, 0.5, 0.3, 0.1, 0.1, 0.05, 0.02, 0.01, 0.01, 0.003, 0.001, 0.0, 0.0]


class TallyBench(Bench):
    """Counts at each place with a chance of its own, up to one in every clock; ``past`` has the counts of each clock."""

    def __init__(self, dut):
        super().__init__(dut)
        self.places = len(CHANCES) * parameters()["banks"]
        self.counted = [0] * self.places
        self.past: list[list[int]] = []
        for place in range(self.places):
            getattr(dut, f"counts__{place}").value = 0
        dut.place.value = 0

    async def run(self, clocks: int, chances: list[float]) -> None:
        """Each clock some count goes on, and one place, any of them, is read: it has what was counted between LAG clocks ago and now."""
        for _ in range(clocks):
            await RisingEdge(self.dut.clk)
            self.counted = [count + (self.random.random() < chance) for count, chance in zip(self.counted, chances, strict=True)]
            self.past.append(self.counted)
            for place, count in enumerate(self.counted):
                getattr(self.dut, f"counts__{place}").value = count % 32
            place = self.random.randrange(self.places)
            self.dut.place.value = place
            await FallingEdge(self.dut.clk)
            then = self.past[-1 - LAG] if len(self.past) > LAG else [0] * self.places
            assert then[place] <= int(self.dut.count.value) <= self.counted[place], place

    async def check(self) -> None:
        """What has been counted shows when it has had its time."""
        await self.run(LAG + 1, [0.0] * self.places)
        for place in range(self.places):
            self.dut.place.value = place
            await RisingEdge(self.dut.clk)
            await FallingEdge(self.dut.clk)
            assert int(self.dut.count.value) == self.counted[place]


@cocotb.test()
async def counts_add_up(dut):
    """Places that count in every clock, now and then, hardly ever and never; after a reset all of them begin again."""
    bench = TallyBench(dut)
    for clocks in (3000, 40, 7, 700):
        await bench.reset()
        bench.counted, bench.past = [0] * bench.places, []
        chances = CHANCES * parameters()["banks"]
        bench.random.shuffle(chances)
        await bench.run(clocks, chances)
        await bench.check()
        for place in range(bench.places):
            getattr(dut, f"counts__{place}").value = 0
