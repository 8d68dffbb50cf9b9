"""Widths of numbers that several units know."""

from amaranth.hdl import unsigned
from amaranth.lib import data
from amaranth.utils import ceil_log2, exact_log2

from hdl import contract

__all__ = [
    "ByteCount",
    "LinkNumber",
    "RefusalCode",
    "ShortCount",
    "learned_name_width",
    "log_width",
    "name_id_width",
    "node_width",
    "number_shape",
    "pinned_name_width",
    "row_width",
    "step_width",
    "tsid_place_width",
    "tsid_width",
    "value_width",
]

ByteCount = unsigned(3)
"""0 to 4 bytes of a word; they come first byte in the low bits."""

LinkNumber = range(contract.Header.LINKS)
"""A local link, as frames and the SMT name it; a broker has the first of them."""

RefusalCode = unsigned(8)
""":class:`hdl.contract.Refusal` or the code of a front end to come."""

ShortCount = unsigned(5)
"""What a unit counts since the reset, modulo 32 and at most one a clock; :class:`hdl.tally.Tally` has the whole count."""


def pinned_name_width(config) -> int:
    """Width of the token ID of a name that subscriptions or the skeleton hold; 0 is none."""
    return config.names.bit_length()


def learned_name_width(config) -> int:
    """Width of the number by which the parser has learned a name; 0 is none."""
    return config.learned.bit_length()


def name_id_width(config) -> int:
    """Width of a name's token ID: 0 is no name, then those of the name table, then those that the parser has learned."""
    return (config.names + config.learned).bit_length()


def tsid_width(config) -> int:
    """Width of a t-SID: 0 is none, then 1 to the number of subscriptions."""
    return config.subscriptions.bit_length()


def tsid_place_width(config) -> int:
    """Width of a place in a table by t-SID, the low bits of the t-SID: because none is 0, the last one may take its place."""
    return max(1, (config.subscriptions - 1).bit_length())


def row_width(config) -> int:
    """Bits of a slice of a row of visitors."""
    return config.steps // config.slices


def step_width(config) -> int:
    """Width of the number of a step's bit: the slice, then the bit in the slice."""
    return ceil_log2(config.slices) + ceil_log2(row_width(config))


def node_width(config) -> int:
    """Width of a node's number in its document: the elements and attributes of a document that fits the X-RAM have four bytes each."""
    return exact_log2(config.xram_bytes // contract.WORD_BYTES)


def log_width(config) -> int:
    """Width of an address in the selection log."""
    return exact_log2(config.selected) if config.selected else 1


def value_width(config) -> int:
    """Width of the number of a stored string; 0 is none."""
    return ceil_log2(config.values)


def number_shape(config) -> data.StructLayout:
    """A decimal as an orderable key: of two keys of one sign the greater magnitude has the greater ``exponent``, then the
    greater ``digits`` (BCD, the first one not 0). Zero has neither sign, exponent nor digits; ``nan`` is no number."""
    return data.StructLayout({"digits": 4 * config.digits, "exponent": 8, "negative": 1, "nan": 1})
