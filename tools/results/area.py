"""The page of area and clock, and the block of figures in the README."""

from collections.abc import Iterator, Mapping
from typing import Any

from tools.results.kept import about, count, notice, places, read
from tools.tables import table

__all__ = ["area", "block", "configurations"]

_AREA = """\
# Area and clock

How large the hardware is and at what clock it closes, by configuration and device.

- *Places* are those of look-up tables of four inputs: a LUT4 takes one, a carry cell (CCU2C) two, a distributed memory (TRELLIS_DPR16X4)
  six. DP16KD is block RAM of 18 kbit.
- MHz is what nextpnr says that closes. Another seed of the same netlist gives another clock; the worst seed counts.
- The reset goes over the clock network, on which nextpnr counts no delay. The device takes about that of the clock.
- A native nextpnr and the WASM build in `.venv` have one version, and place the same netlist otherwise. The version of Debian's native
  build contains `+dfsg`.

## The broker and its units, out of context

`python -m fpga.measure COMPONENT --params ... --record`: the component alone, its ports in registers.

{components}
## Boards

`make bitstream BOARD=... ARGS=--record`: pins, PLL, host link, synthesis, place and route, packing. No board was at hand
to load any. The design of a board is simulated through its UART pins, and its netlist beside its description
([verification](../verification.md)).

{boards}
Places / flip-flops / DP16KD of each board by unit:

{units}
## What limits the clock

The slowest path between flip-flops.

{paths}
## Beside the thesis

{thesis}
An LE of Stratix and of Cyclone IV E is a look-up table of four inputs with a flip-flop, and so is half a slice of an ECP5: LE and places
may be set side by side. The thesis's CAMs are flip-flops and comparators; ours are hash tables in block RAM. A DP16KD is counted whole even
where a memory fills a part of it, while the thesis counts bits. The open tools have no estimate of power for ECP5.
"""

_PRESETS = ("small", "default", "large")


def _name(one: Mapping[str, Any]) -> str:
    """A component and its limits."""
    return f"{one['component'].rpartition(':')[2]}, {one['params'].get('config', 'no preset')}"


def _components(kept: Mapping[str, Mapping[str, Any]]) -> str:
    def row(one: Mapping[str, Any]) -> tuple[str, ...]:
        used, clocks = one["resources"], [run["mhz"] for run in one["runs"]]
        cells = (used.get(name) for name in ("LUT4", "TRELLIS_FF", "DP16KD"))
        worst = f"{min(clocks)}, of {len(clocks)}" if len(clocks) > 1 else str(clocks[0])
        return (_name(one), one["device"], count(places(used)), *map(count, cells), worst, one["commit"])

    def told(command: str, one: Mapping[str, Any]) -> str:
        seeds = ", ".join(f"{run['mhz']} with seed {run['seed']}" for run in one["runs"])
        return f"{_name(one)}, {one['device']}: {seeds} MHz. {about(one)} `{command}`\n"

    head = ("component", "device", "places", "LUT4", "FF", "DP16KD", "MHz, worst seed", "commit")
    lines = "".join(f"- {told(command, one)}" for command, one in kept.items())
    return f"{table(head, map(row, kept.values()))}\n{lines}"


def _boards(kept: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [
        (
            *(one["board"], one["device"], one["preset"].removeprefix("preset ")),
            *(count(one[name]) for name in ("luts", "ffs", "brams")),
            *(f"{one['fmax_mhz']:.1f} ({one['requested_mhz']:g})", one["commit"]),
        )
        for one in kept.values()
    ]
    lines = "".join(
        f"- {one['board']}: seed {one['seed']}, mapped {one['mapped']}, nextpnr {one.get('nextpnr', 'not noted')}. `{one['command']}`\n"
        for one in kept.values()
    )
    return f"{table(('board', 'device', 'preset', 'places', 'FF', 'DP16KD', 'MHz (asked for)', 'commit'), rows)}\n{lines}"


def _units(kept: Mapping[str, Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(unit for one in kept.values() for unit in one["units"]))

    def cell(one: Mapping[str, Any], unit: str) -> str:
        used = one["units"].get(unit)
        return "-" if used is None else f"{used['luts']:,} / {used['ffs']:,} / {used['brams']}"

    return table(
        ("unit", *(one["board"] for one in kept.values())), ((unit, *(cell(one, unit) for one in kept.values())) for unit in names)
    )


def _paths(components: Mapping[str, Mapping[str, Any]], boards: Mapping[str, Mapping[str, Any]]) -> str:
    def line(what: str, seed: int, path: Mapping[str, Any]) -> str:
        times = f"{path['logic_ns']:g} ns of logic and {path['routing_ns']:g} ns of wires"
        return f"- {what}, seed {seed}: {times}, from `{path['from']}` to `{path['to']}`\n"

    lines = [
        line(f"{_name(one)}, {one['device']}", run["seed"], run["critical"])
        for one in components.values()
        for run in one["runs"]
        if run.get("critical")
    ]
    lines += [line(one["board"], one["seed"], one["critical_path"]) for one in boards.values() if one.get("critical_path")]
    return "".join(lines)


def _thesis(boards: Mapping[str, Mapping[str, Any]]) -> str:
    ours = max((one for one in boards.values() if one["preset"] == "preset default"), key=lambda one: one["board"] == "ulx3s-85f")
    parser, bits = ours["units"]["scbxp"]["luts"], ours["brams"] * 18432
    head = ("", "thesis, Stratix \\[T 7.2, 7.3]", "thesis, Cyclone IV E \\[T 7.11, 7.12]", f"{ours['board']}, default")
    rows = [
        ("device", "EP1S40F780C5, 130 nm", "EP4CE115F29C7, 60 nm", f"{ours['device']}, 40 nm"),
        (
            "logic",
            "40,835 LE, of which the parser 22,221",
            "79,072 LE with XAVI",
            f"{ours['luts']:,} places, of which the parser {parser:,}",
        ),
        ("memory", "not stated", "1,580,588 bits", f"{ours['brams']} DP16KD, {bits:,} bits"),
        ("clock", "50 MHz", "50 MHz parser and XAVI, 150 MHz core", f"{ours['fmax_mhz']:g} MHz, one clock"),
        ("power", "2,034 mW: 580 dynamic, 730 static, 725 I/O", "1,804 mW: 1,180 dynamic, 124 static, 501 I/O", "not estimated"),
    ]
    return table(head, rows)


def area() -> str:
    """``docs/results/area.md``."""
    components, boards = read("area.json"), read("boards.json")
    return notice("area.json", "boards.json") + _AREA.format(
        components=_components(components),
        boards=_boards(boards),
        units=_units(boards),
        paths=_paths(components, boards),
        thesis=_thesis(boards),
    )


def configurations() -> Iterator[tuple[str, ...]]:
    """The rows of the README's block: the broker by itself, and with the host link on boards, by preset."""
    paces = {row["name"]: row["ours"] for row in read("bench.json")["broker-presets"]["rows"]}

    def pace(preset: str) -> str:
        return f"{paces[preset]:.2f}" if preset in paces else "not measured"

    found = [
        (
            one["params"]["config"],
            (f"`{one['params']['config']}`", one["device"]),
            (places(one["resources"]), one["resources"].get("TRELLIS_FF"), one["resources"]["DP16KD"]),
            min(one["mhz"]),
        )
        for one in read("area.json").values()
        if one["component"].endswith(":Broker")
    ]
    for one in read("boards.json").values():
        preset = one["preset"].removeprefix("preset ")
        cells = (f"`{preset}` with host link, board {one['board']}", one["device"])
        found.append((preset, cells, (one["luts"], one["ffs"], one["brams"]), one["fmax_mhz"]))
    for preset, cells, used, mhz in sorted(found, key=lambda row: _PRESETS.index(row[0])):
        yield (*cells, *map(count, used), f"{mhz:.0f}", pace(preset))


def block() -> str:
    """What stands between the marks of the README."""
    head = ("configuration", "device", "LUT4", "FF", "DP16KD", "MHz", "bytes a clock")
    compared = read("soak.json")["totals"]
    soaked = f"[The soak](docs/results/soak.md) compared {compared['pairs']:,} pairs of a publication and a subscription: "
    return f"{table(head, configurations())}\n{soaked}{compared['differences']:,} differences.\n"
