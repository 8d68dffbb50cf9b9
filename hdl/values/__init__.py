"""Values compared by subscriptions: the same unit reads literals and documents, so that they cannot differ."""

from hdl.values.decimal import DecimalReader, compares

__all__ = ["DecimalReader", "compares"]
