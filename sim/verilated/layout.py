"""The layouts of a component's ports for C++ and Verilog, so that a bench never repeats a bit position."""

from collections.abc import Iterator, Sequence
from typing import Any

__all__ = ["cpp_header", "verilog_header"]


def _fields(ports: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int, int, dict[str, int]]]:
    """Each field as name, low bit, width and members; the name is the port's without ``payload``, then the field's."""
    for port in ports:
        for field in port["fields"]:
            yield f"{port['name'].removesuffix('__payload')}_{field['name']}".upper(), field["low"], field["width"], field["members"]


def cpp_header(ports: Sequence[dict[str, Any]]) -> str:
    """``constexpr Field PORT_FIELD{low, width}`` for every field, and ``PORT_FIELD_MEMBER`` for the values that have names."""
    lines = ["#pragma once", "struct Field {", "    unsigned low, width;", "};"]
    for name, low, width, members in _fields(ports):
        lines.append(f"constexpr Field {name}{{{low}, {width}}};")
        lines += [f"constexpr unsigned {name}_{member} = {value};" for member, value in members.items()]
    return "\n".join(lines) + "\n"


def verilog_header(ports: Sequence[dict[str, Any]]) -> str:
    """```PORT_FIELD`` as a part-select ``low +: width`` for every field, ``PORT`` as a width and named values as numbers."""
    lines = [f"`define {port['name'].upper()}_WIDTH {port['width']}" for port in ports]
    for name, low, width, members in _fields(ports):
        lines.append(f"`define {name} {low} +: {width}")
        lines += [f"`define {name}_{member} {value}" for member, value in members.items()]
    return "\n".join(lines) + "\n"
