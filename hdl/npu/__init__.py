"""The notification processing unit: matched sets to notifications on the links [T 5.3.4]."""

from hdl.npu.npu import Npu
from hdl.npu.outcome import Outcome
from hdl.npu.watch import ContentWatch

__all__ = ["ContentWatch", "Npu", "Outcome"]
