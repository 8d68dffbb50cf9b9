"""Registers behind block RAM, moved into the block RAM.

The output of an ECP5 block RAM is slow (5.8 ns after the clock), that of its own output register is not (about 1 ns). yosys maps
memories without these registers; the flip-flops that it leaves behind the outputs are moved into them here, on the netlist.
"""

from collections import defaultdict
from typing import Any

__all__ = ["pack_output_registers"]

_Cell = dict[str, Any]
_Readers = dict[Any, list[tuple[str, str]]]
_WIDE = 36
"""Data width of the mode in which one port writes and the other reads, through the outputs of both."""


def _width(cell: _Cell, port: str) -> int:
    return int(cell["parameters"][f"DATA_WIDTH_{port}"], 2)


def _plain(cell: _Cell, clock: Any) -> bool:
    """Whether it is a flip-flop on that clock that begins as 0 and is never reset."""
    parameters, nets = cell["parameters"], cell["connections"]
    return bool(
        cell["type"] == "TRELLIS_FF"
        and nets["CLK"] == clock
        and parameters.get("CLKMUX", "CLK") == "CLK"
        and parameters.get("REGSET") == "RESET"
        and nets.get("LSR", ["0"]) == ["0"]
        and parameters.get("LSRMUX", "LSR") == "LSR"
    )


def _enable(cell: _Cell) -> Any:
    """The net that enables a flip-flop; None if it is inverted."""
    mux = cell["parameters"].get("CEMUX", "1").strip()
    return ["1"] if mux == "1" else cell["connections"]["CE"] if mux == "CE" else None


def _registers(cells: dict[str, _Cell], readers: _Readers, ram: _Cell, ports: str) -> dict[str, str] | None:
    """For each output of these ports that is used, the flip-flop behind it; None unless all have one, alike, and nobody else reads them."""
    clock = ram["connections"][f"CLK{ports[-1]}"]
    found: dict[str, str] = {}
    for output, nets in ram["connections"].items():
        if output[:2] != "DO" or output[2] not in ports or not nets or not readers[nets[0]]:
            continue
        users = readers[nets[0]]
        if len(users) != 1 or users[0][1] != "DI" or not _plain(cells[users[0][0]], clock):
            return None
        found[output] = users[0][0]
    enables = [_enable(cells[register]) for register in found.values()]
    if not found or None in enables or any(enable != enables[0] for enable in enables):
        return None
    return found


def pack_output_registers(design: dict[str, Any]) -> int:
    """Change a netlist of yosys; returns the number of flip-flops saved.

    A block RAM is changed when every output in use of a port goes to a flip-flop and nowhere else, and these flip-flops have the clock
    of the port, the same enable, and no reset.
    """
    saved = 0
    for module in design["modules"].values():
        cells: dict[str, _Cell] = module["cells"]
        readers: _Readers = defaultdict(list)
        for name, cell in cells.items():
            for port, nets in cell["connections"].items():
                if cell["port_directions"].get(port) == "input":
                    for net in nets:
                        readers[net].append((name, port))
        for port in module["ports"].values():
            for net in port["bits"]:
                readers[net].append(("", "port"))
        for ram in [cell for cell in cells.values() if cell["type"] == "DP16KD"]:
            wide = _WIDE in (_width(ram, "A"), _width(ram, "B"))
            for ports in ("AB",) if wide else ("A", "B"):
                found = _registers(cells, readers, ram, ports)
                if found is None:
                    continue
                for port in ports:
                    ram["parameters"][f"REGMODE_{port}"] = "OUTREG"
                    ram["connections"][f"OCE{port}"] = _enable(cells[next(iter(found.values()))])
                for output, register in found.items():
                    ram["connections"][output] = cells.pop(register)["connections"]["Q"]
                saved += len(found)
    return saved
