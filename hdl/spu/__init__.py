"""The subscription processing unit: buffers, inspects, maps and stores subscriptions [T 5.3.2]."""

from hdl.spu.interlock import RegistrationInterlock
from hdl.spu.spu import Spu

__all__ = ["RegistrationInterlock", "Spu"]
