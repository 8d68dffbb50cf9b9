"""Values compared by subscriptions: the same unit reads literals and documents, so that they cannot differ."""

from hdl.values.decimal import Comparison, DecimalReader, compare, ordered

__all__ = ["Comparison", "DecimalReader", "compare", "ordered"]
