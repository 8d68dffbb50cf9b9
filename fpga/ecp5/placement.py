"""A netlist that nextpnr has placed, while cells are moved: what moves together, and which places take it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from fpga.ecp5.nets import driven, top

__all__ = ["Placement", "Site", "Tile", "Unit"]

_SLICES = "ABCD"
_WIDE = ("F1", "FXA", "FXB")
"""Inputs of the multiplexers behind look-up tables, over wires within a tile."""
_BEL = re.compile(r"X(\d+)/Y(\d+)/(?:SLICE([A-D])\.(K|FF)([01]))?")

_MANY = 64
"""Cells on a net, from which on its wires do not depend on any single one."""
_LOCKED = 5
"""nextpnr's STRENGTH_LOCKED."""

Tile = tuple[int, int]


class Site(NamedTuple):
    """A look-up table and the flip-flop behind it."""

    tile: Tile
    number: int

    def bel(self, kind: str) -> str:
        """As nextpnr names it; ``kind`` is K or FF."""
        return f"X{self.tile[0]}/Y{self.tile[1]}/SLICE{_SLICES[self.number // 2]}.{kind}{self.number % 2}"

    @property
    def beside(self) -> "Site":
        """The other one of the slice."""
        return Site(self.tile, self.number ^ 1)


class Unit(NamedTuple):
    """What moves together: a look-up table, a flip-flop, or a flip-flop with the look-up table before it."""

    table: str | None
    register: str | None

    @property
    def cells(self) -> tuple[str, ...]:
        """The names of both, or of the one."""
        return tuple(name for name in self if name is not None)


def _shared_by_tile(cell: dict[str, Any]) -> tuple[Any, ...]:
    """What the flip-flops of a tile have in common."""
    nets, parameters = cell["connections"], cell["parameters"]
    return (*(tuple(nets.get(port, ())) for port in ("CLK", "LSR")), *(parameters.get(name) for name in ("CLKMUX", "LSRMUX", "SRMODE")))


def _shared_by_slice(cell: dict[str, Any]) -> tuple[Any, ...]:
    """What the flip-flops of a slice have in common."""
    return (tuple(cell["connections"].get("CE", ())), *(cell["parameters"].get(name) for name in ("CEMUX", "GSR")))


class Placement:
    """Where the cells of a design are. Changes the design as cells are moved.

    Members
    -------
    cells : by name, as nextpnr writes them.
    tile : of each cell that has a place.
    tiles : those with logic.
    pins : the cells on each net.
    """

    def __init__(self, design: dict[str, Any]):
        self.cells: dict[str, Any] = top(design)["cells"]
        self.tile: dict[str, Tile] = {}
        self.pins: dict[int, set[str]] = defaultdict(set)
        self._site: dict[str, Site] = {}
        self._at: dict[tuple[Site, str], str] = {}
        for name, cell in self.cells.items():
            found = _BEL.match(cell["attributes"].get("NEXTPNR_BEL", ""))
            if found is None:
                continue
            self.tile[name] = int(found[1]), int(found[2])
            if found[3]:
                self._site[name] = Site(self.tile[name], 2 * _SLICES.index(found[3]) + int(found[5]))
                self._at[self._site[name], found[4]] = name
            for bits in cell["connections"].values():
                for bit in bits:
                    if isinstance(bit, int):
                        self.pins[bit].add(name)
        self.tiles = {site.tile for site in self._site.values()}

    def _mode(self, name: str) -> str:
        mode: str = self.cells[name]["parameters"].get("MODE", "LOGIC")
        return mode

    def units(self) -> Iterator[Unit]:
        """All that can be moved by itself: not what is part of a carry chain, of a memory or of a wide table."""
        behind: dict[int, str] = {}
        wide: set[int] = set()
        for name, cell in self.cells.items():
            behind.update(dict.fromkeys(cell["connections"].get("DI", ()) if cell["type"] == "TRELLIS_FF" else (), name))
            wide.update(bit for port in _WIDE for bit in cell["connections"].get(port, ()))
        for name in self._site:
            cell = self.cells[name]
            if cell["type"] == "TRELLIS_COMB" and self._mode(name) == "LOGIC":
                outputs = driven(cell)
                if not wide.intersection(outputs) and not any(cell["connections"].get(port) for port in (*_WIDE, "OFX", "M")):
                    yield Unit(name, next((behind[bit] for bit in outputs if bit in behind), None))
            elif cell["type"] == "TRELLIS_FF" and not cell["connections"].get("DI"):
                yield Unit(None, name)

    def nets(self, unit: Unit) -> set[int]:
        """The nets of a unit, but for those with so many cells that none of them matters."""
        found = {bit for name in unit.cells for bits in self.cells[name]["connections"].values() for bit in bits if isinstance(bit, int)}
        return {bit for bit in found if len(self.pins[bit]) <= _MANY}

    def best(self, unit: Unit, *, near: Tile, within: int, cost: Callable[[Tile], float], enough: float) -> Site | None:
        """The place near a tile that costs least of those that take the unit and cost no more than is ``enough``."""
        x, y = near
        found = sorted(
            (price, tile)
            for across in range(-within, within + 1)
            for along in range(abs(across) - within, within - abs(across) + 1)
            if (tile := (x + across, y + along)) in self.tiles and (price := cost(tile)) <= enough
        )
        return next((site for _, tile in found if (site := self.free(tile, unit)) is not None), None)

    def free(self, tile: Tile, unit: Unit) -> Site | None:
        """A place in a tile that takes the unit."""
        return next((site for site in (Site(tile, index) for index in range(8)) if self._takes(site, unit)), None)

    def _takes(self, site: Site, unit: Unit) -> bool:
        if unit.table is not None:
            beside = self._at.get((site.beside, "K"))
            if (site, "K") in self._at or (beside and self._mode(beside) != "LOGIC"):
                return False
        if unit.register is None:
            return True
        table = self._at.get((site, "K"))
        # The wire past a look-up table to its flip-flop chooses in a wide one.
        if (site, "FF") in self._at or (unit.table is None and table and self.cells[table]["connections"].get("M")):
            return False
        cell = self.cells[unit.register]
        beside = self._at.get((site.beside, "FF"))
        if beside and _shared_by_slice(self.cells[beside]) != _shared_by_slice(cell):
            return False
        others = [self._at[place] for index in range(8) if (place := (Site(site.tile, index), "FF")) in self._at]
        # In a tile with memory only a flip-flop that stands there already tells which others it takes.
        return bool(others or not self._has_memory(site.tile)) and all(
            _shared_by_tile(self.cells[name]) == _shared_by_tile(cell) for name in others
        )

    def _has_memory(self, tile: Tile) -> bool:
        tables = (self._at.get((Site(tile, index), "K")) for index in range(8))
        return any(name is not None and self._mode(name) in ("DPRAM", "RAMW_BLOCK") for name in tables)

    def move(self, unit: Unit, site: Site) -> None:
        """Put a unit into a place that takes it."""
        for name, kind in ((unit.table, "K"), (unit.register, "FF")):
            if name is not None:
                del self._at[self._site[name], kind]
                self._site[name], self.tile[name], self._at[site, kind] = site, site.tile, name
                self.cells[name]["attributes"]["NEXTPNR_BEL"] = site.bel(kind)

    def lock(self) -> None:
        """Let nextpnr, when it reads the design, leave every cell where it is."""
        for name in self.tile:
            self.cells[name]["attributes"]["BEL_STRENGTH"] = f"{_LOCKED:032b}"
