"""Names by number: the name table, and what registration asks of it [T 4.3, T 5.3.3.2]."""

from hdl.names.pins import PinPort
from hdl.names.skeleton import SkeletonLoader
from hdl.names.table import NameTable

__all__ = ["NameTable", "PinPort", "SkeletonLoader"]
