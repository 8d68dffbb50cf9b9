"""The field's bus models behind one small interface: ``read`` and ``write`` of a word, and whether it failed."""

import warnings

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from cocotb_bus.drivers.avalon import AvalonMaster
    from cocotbext.axi import AxiLiteBus, AxiLiteMaster, AxiResp
    from cocotbext.wishbone.driver import WBOp, WishboneMaster

__all__ = ["MASTERS"]

ERROR, ERRORS = 6, 7


class _Avalon(AvalonMaster):
    _signals = ("address",)
    _optional_signals = {name: name for name in ("readdata", "read", "write", "waitrequest", "writedata", "byteenable")} | {
        "cs": "chipselect"
    }


class Avalon:
    """cocotb-bus; ``begintransfer`` is made beside it, 1 in the first clock of each transfer."""

    def __init__(self, dut, chance):
        self.dut, self.chance = dut, chance
        dut.avs_begintransfer.value = 0
        self.model = _Avalon(dut, "avs", dut.clk)
        self.begins = True
        cocotb.start_soon(self._begin())

    async def _begin(self):
        dut, waiting = self.dut, False
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            asked = dut.avs_chipselect.value == 1 and (dut.avs_read.value == 1 or dut.avs_write.value == 1)
            await FallingEdge(dut.clk)
            dut.avs_begintransfer.value = int(asked and not waiting and self.begins)
            await ReadOnly()
            waiting = asked and dut.avs_waitrequest.value == 1

    async def _idle(self):
        while self.chance.random() < 0.3:
            await RisingEdge(self.dut.clk)

    async def _word(self, address):
        word = int(await self.model.read(address))
        await RisingEdge(self.dut.clk)
        return word

    async def _failed(self, before):
        return await self._word(ERRORS) != before

    async def read(self, address):
        before = await self._word(ERRORS)
        await self._idle()
        word = await self._word(address)
        return word, await self._failed(before)

    async def write(self, address, word):
        before = await self._word(ERRORS)
        await self._idle()
        await self.model.write(address, word)
        return await self._failed(before)

    async def partial(self, address, word):
        """A write that does not enable all bytes, and one that never began."""
        before = await self._word(ERRORS)
        dut = self.dut
        for enabled, begins in ((0b0111, 1), (0b1111, 0)):
            await RisingEdge(dut.clk)
            self.begins = bool(begins)
            dut.avs_address.value, dut.avs_writedata.value = address, word
            dut.avs_write.value, dut.avs_chipselect.value, dut.avs_byteenable.value = 1, 1, enabled
            await RisingEdge(dut.clk)
            dut.avs_write.value = dut.avs_chipselect.value = 0
            await RisingEdge(dut.clk)
            self.begins = True
        return await self._word(ERRORS) == before + 2


class Wishbone:
    """cocotbext-wishbone, in pipelined mode."""

    def __init__(self, dut, chance):
        self.chance = chance
        names = ("cyc", "stb", "we", "adr", "sel", "ack", "err", "stall")
        inward = ("cyc", "stb", "we", "adr", "sel")
        signals = {name: f"{name}_{'i' if name in inward else 'o'}" for name in names} | {"datwr": "dat_i", "datrd": "dat_o"}
        self.model = WishboneMaster(dut, "wb", dut.clk, timeout=2000, signals_dict=signals)

    async def _do(self, operation):
        (reply,) = await self.model.send_cycle([operation])
        return reply

    async def read(self, address):
        reply = await self._do(WBOp(address, idle=self.chance.randrange(3)))
        return int(reply.datrd), reply.ack == 2

    async def write(self, address, word):
        return (await self._do(WBOp(address, dat=word, idle=self.chance.randrange(3)))).ack == 2

    async def partial(self, address, word):
        return (await self._do(WBOp(address, dat=word, sel=0b1110))).ack == 2


class Axi:
    """cocotbext-axi, each channel with pauses of its own."""

    def __init__(self, dut, chance):
        self.model = AxiLiteMaster(AxiLiteBus.from_prefix(dut, "s_axi"), dut.clk, dut.rst)
        channels = (
            self.model.write_if.aw_channel,
            self.model.write_if.w_channel,
            self.model.write_if.b_channel,
            self.model.read_if.ar_channel,
            self.model.read_if.r_channel,
        )
        for channel in channels:
            channel.set_pause_generator(chance.random() < 0.3 for _ in iter(int, 1))

    async def read(self, address):
        reply = await self.model.read(4 * address, 4)
        return int.from_bytes(reply.data, "little"), reply.resp != AxiResp.OKAY

    async def write(self, address, word):
        return (await self.model.write(4 * address, word.to_bytes(4, "little"))).resp != AxiResp.OKAY

    async def partial(self, address, word):
        return (await self.model.write(4 * address + 1, bytes(3))).resp != AxiResp.OKAY


MASTERS = {"avalon": Avalon, "wishbone": Wishbone, "axi": Axi}
