"""Configuration to Verilog, with a description of the ports that software and other designs can rely on."""

import argparse
import dataclasses
import importlib
import json
import re
import warnings
from pathlib import Path

from amaranth.back import verilog
from amaranth.hdl import Const, Shape, ShapeCastable, Value
from amaranth.hdl._ir import PortDirection  # what conversion makes of a signature by itself has no public name
from amaranth.lib import data, wiring

from hdl.config import PRESETS, BrokerConfig

__all__ = ["TOPS", "Field", "Port", "component_of", "describe", "fields", "ports_of", "to_verilog"]

TOPS = {
    "scbxp": "hdl.parsing:ParsingSystem",
    "x2cbbr": "hdl.broker:Broker",
    "x2cbbr_avalon": "hdl.system:AvalonBroker",
    "x2cbbr_wishbone": "hdl.system:WishboneBroker",
    "x2cbbr_axi": "hdl.system:AxiBroker",
    "x2cbbr_host": "hdl.system:HostedBroker",
    "x2cbbr_uart": "hdl.system:UartBroker",
}
"""Module name in Verilog to ``module:class``; the class takes the configuration alone."""

_CONSTANT_BLOCK = re.compile(r"always @\*\n( *\S+(?: \S+)? = \d+'[hdb][0-9a-fx]+;)")


@dataclasses.dataclass(frozen=True)
class Field:
    """Bits ``low`` to ``low + width - 1`` of a port; ``members`` are the names of its values where they have some."""

    name: str
    low: int
    width: int
    members: dict[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Port:
    """A port of the Verilog module; ``direction`` is ``input`` or ``output``."""

    name: str
    direction: str
    width: int
    fields: tuple[Field, ...]


def component_of(top: str, config: BrokerConfig) -> wiring.Component:
    """The component of that name in :data:`TOPS`, or ``module:class`` for any other."""
    if top not in TOPS and ":" not in top:
        raise ValueError(f"top must be one of {', '.join(TOPS)} or module:class, not {top!r}")
    module, _, name = TOPS.get(top, top).partition(":")
    return getattr(importlib.import_module(module), name)(config)


def ports_of(component: wiring.Component) -> dict[str, tuple[Value, PortDirection]]:
    """The ports that conversion is to be given: all of the signature but constants, such as the ready of a stream that is always ready."""
    found = {}
    for path, member, port in component.signature.flatten(component):
        value = Value.cast(port)
        if not isinstance(value, Const):
            found["__".join(map(str, path))] = (value, PortDirection.Input if member.flow is wiring.In else PortDirection.Output)
    return found


def to_verilog(component: wiring.Component, *, name: str, sources: bool = False) -> str:
    """The component as Verilog, the same text for the same component; any warning is an error.

    With ``sources`` each part says in attributes which line of the hardware description it comes from.

    So is a part of a signal that is driven by a constant while other parts are not: it becomes a block that waits for a change of nothing,
    and simulators never run it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = verilog.convert(component, name=name, ports=ports_of(component), emit_src=sources, strip_internal_attrs=not sources)
    if found := _CONSTANT_BLOCK.search(text):
        raise ValueError(f"a signal must not be driven by a constant in part, as in {found[1].strip()!r}")
    return text


def _members(shape) -> dict[str, int]:
    """The names of an enumeration's values."""
    return {member.name: member.value for member in shape} if hasattr(shape, "__members__") else {}


def fields(shape, *, prefix: str = "", low: int = 0) -> list[Field]:
    """The fields of a layout, nested ones under names joined by ``_``; one without parts has none but itself."""
    while isinstance(shape, ShapeCastable) and not isinstance(shape, data.Layout) and not _members(shape):
        shape = shape.as_shape()
    if not isinstance(shape, data.Layout):
        return [Field(prefix, low, Shape.cast(shape).width, _members(shape))]
    found = []
    for key, field in shape:
        found += fields(field.shape, prefix=f"{prefix}_{key}" if prefix else str(key), low=low + field.offset)
    return found


def describe(component: wiring.Component) -> list[Port]:
    """The ports in the order of the signature, under their names in Verilog; clock and reset are ``clk`` and ``rst``."""
    found = []
    exist = ports_of(component)
    for path, member, _ in component.signature.flatten(component):
        name = "__".join(str(part) for part in path)
        if name not in exist:
            continue
        direction = "input" if member.flow is wiring.In else "output"
        width = Shape.cast(member.shape).width
        if width:
            found.append(Port(name, direction, width, tuple(field for field in fields(member.shape) if field.name)))
    return found


def _description(top: str, config: BrokerConfig, ports: list[Port]) -> str:
    """The JSON that lies beside the Verilog."""
    described = [dataclasses.asdict(port) for port in ports]
    return json.dumps({"top": top, "config": dataclasses.asdict(config), "ports": described}, indent=2) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Write ``<top>.v`` and ``<top>.json`` for each top asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m hdl.emit", description="Write a configuration as Verilog with a description of its ports."
    )
    parser.add_argument(
        "--top", action="append", help=f"module to write, of {', '.join(TOPS)}, or module:class; may be repeated; default: all of them"
    )
    limits = parser.add_mutually_exclusive_group()
    limits.add_argument("--preset", choices=list(PRESETS), default="default", help="limits to build in")
    limits.add_argument("--limits", type=json.loads, metavar="JSON", help="limits to build in as an object, in place of a preset")
    parser.add_argument("--sources", action="store_true", help="say in attributes which line each part comes from")
    parser.add_argument("--output", type=Path, default=Path("build/rtl"), help="folder to write to")
    chosen = parser.parse_args(arguments)
    config = PRESETS[chosen.preset] if chosen.limits is None else BrokerConfig(**chosen.limits)
    chosen.output.mkdir(parents=True, exist_ok=True)
    for top in chosen.top or TOPS:
        component = component_of(top, config)
        name = top if top in TOPS else type(component).__name__.lower()
        (chosen.output / f"{name}.json").write_text(_description(name, config, describe(component)), encoding="utf-8")
        (chosen.output / f"{name}.v").write_text(to_verilog(component, name=name, sources=chosen.sources), encoding="utf-8")
        print(chosen.output / f"{name}.v")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
