"""Names by number: what registration asks of the name table [T 4.3, T 5.3.3.2]."""

from hdl.names.pins import PinPort

__all__ = ["PinPort"]
