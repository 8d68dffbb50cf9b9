"""What a build took: cells by unit, the clock that closes, and the path that limits it."""

import re
from collections import Counter, defaultdict
from typing import Any

from fpga.ecp5.nets import driven, top
from fpga.ecp5.ranks import original_name

__all__ = ["critical_path", "resources", "summary", "units"]

_KINDS = {"LUT4": "luts", "CCU2C": "luts", "TRELLIS_DPR16X4": "luts", "TRELLIS_FF": "ffs", "DP16KD": "brams", "MULT18X18D": "dsps"}
_LUTS = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}
"""LUT4 places that a cell takes: a carry cell two, a distributed memory four and two for its addresses."""

UNITS = (
    "publications",
    "scbxp",
    "skeleton",
    "spu",
    "xpath",
    "crt",
    "engine",
    "interlock",
    "npu",
    "registers",
    "host",
    "receiver",
    "transmitter",
)
"""Instances that resources are told for, as they are called in the broker and in the board's top."""


def _cells(netlist: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    module = top(netlist)
    return module["cells"], module["netnames"]


def _unit(name: str) -> str | None:
    for part in re.split(r"[.\\$]", name):
        if part in UNITS:
            return part
    return None


def units(netlist: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Cells by unit. A cell without a name of its own counts for the unit of the net that it drives, or else of the cells that it feeds."""
    cells, nets = _cells(netlist)
    named: dict[int, str] = {}
    for name, net in nets.items():
        unit = _unit(name)
        if unit:
            for bit in net["bits"]:
                named.setdefault(bit, unit)
    outputs: dict[str, list[int]] = {}
    feeds: dict[int, list[str]] = defaultdict(list)
    owner: dict[str, str] = {}
    for name, cell in cells.items():
        if cell["type"] not in _KINDS and cell["type"] not in ("PFUMX", "L6MUX21"):
            continue
        directions = cell["port_directions"]
        drives = [bit for bit in driven(cell) if isinstance(bit, int)]
        outputs[name] = drives
        for port, bits in cell["connections"].items():
            if directions[port] == "input":
                for bit in bits:
                    if isinstance(bit, int):
                        feeds[bit].append(name)
        unit = _unit(name) or next((named[bit] for bit in drives if bit in named), None)
        if unit:
            owner[name] = unit
    pending = [name for name in outputs if name not in owner]
    while pending:
        left = []
        for name in pending:
            near = Counter(owner[other] for bit in outputs[name] for other in feeds[bit] if other in owner)
            if near:
                owner[name] = near.most_common(1)[0][0]
            else:
                left.append(name)
        if len(left) == len(pending):
            break
        pending = left
    found: dict[str, dict[str, int]] = {unit: dict.fromkeys(("luts", "ffs", "brams", "dsps"), 0) for unit in (*UNITS, "rest")}
    for name, cell in cells.items():
        if cell["type"] in _KINDS:
            found[owner.get(name, "rest")][_KINDS[cell["type"]]] += _LUTS.get(cell["type"], 1)
    return {unit: counts for unit, counts in found.items() if any(counts.values())}


def resources(netlist: dict[str, Any]) -> dict[str, int]:
    """Cells of the whole."""
    total = Counter(cell["type"] for cell in _cells(netlist)[0].values())
    found = dict.fromkeys(("luts", "ffs", "brams", "dsps"), 0)
    for kind, count in total.items():
        if kind in _KINDS:
            found[_KINDS[kind]] += count * _LUTS.get(kind, 1)
    return found


def critical_path(report: dict[str, Any]) -> dict[str, Any] | None:
    """The slowest path between flip-flops: its ends, how its time divides, and the nets on it."""
    paths = [path for path in report.get("critical_paths", ()) if "async" not in path["from"] + path["to"]]
    if not paths:
        return None
    path = max(paths, key=lambda path: sum(hop["delay"] for hop in path["path"]))["path"]
    return {
        "from": f"{original_name(path[0]['from']['cell'])}.{path[0]['from']['port']}",
        "to": f"{original_name(path[-1]['to']['cell'])}.{path[-1]['to']['port']}",
        "logic_ns": round(sum(hop["delay"] for hop in path if hop["type"] != "routing"), 2),
        "routing_ns": round(sum(hop["delay"] for hop in path if hop["type"] == "routing"), 2),
        "through": [hop["net"] for hop in path if "net" in hop],
    }


def summary(report: dict[str, Any]) -> str:
    """The report for people."""
    lines = [
        f"{report['board']}: {report['device']}, {report['preset']}",
        f"  clock   {report['fmax_mhz']:.1f} MHz closes, {report['requested_mhz']:.1f} asked for (seed {report['seed']}): "
        + ("met" if report["met"] else "NOT met"),
        f"  LUT4 {report['luts']}  FF {report['ffs']}  DP16KD {report['brams']}",
    ]
    used = report.get("utilisation", {})
    for name, (count, of) in used.items():
        lines.append(f"  {name:<14} {count:>6} of {of:>6}  {100 * count / of if of else 0:.0f} %")
    lines.append(f"  {'unit':<12} {'LUT4':>6} {'FF':>6} {'DP16KD':>6}")
    for unit, counts in sorted(report["units"].items(), key=lambda item: -item[1]["luts"]):
        lines.append(f"  {unit:<12} {counts['luts']:>6} {counts['ffs']:>6} {counts['brams']:>6}")
    path = report.get("critical_path")
    if path:
        lines.append(f"  limit   {path['from']} -> {path['to']}: {path['logic_ns']} ns logic, {path['routing_ns']} ns routing")
    return "\n".join(lines)
