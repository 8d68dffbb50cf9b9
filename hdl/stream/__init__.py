"""Building blocks of streams; they know nothing of XML."""

from hdl.stream.block_ram import BankedRam, BlockRam
from hdl.stream.fifo import StreamFifo
from hdl.stream.register import Register, Relay

__all__ = ["BankedRam", "BlockRam", "Register", "Relay", "StreamFifo"]
