"""The notification processing unit: matched sets to notifications on the links [T 5.3.4]."""

from hdl.npu.npu import Npu

__all__ = ["Npu"]
