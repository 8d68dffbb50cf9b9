"""Building blocks of streams; they know nothing of XML."""

from hdl.stream.block_ram import BankedRam, BlockRam, PairedRam
from hdl.stream.fifo import StreamFifo
from hdl.stream.level import counted
from hdl.stream.register import Register, Relay

__all__ = ["BankedRam", "BlockRam", "PairedRam", "Register", "Relay", "StreamFifo", "counted"]
