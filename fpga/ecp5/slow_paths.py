"""Cells on the slowest paths of a placed netlist, moved to free places that make these paths shorter.

nextpnr weighs wires and time against each other for all cells at once; on a full device that leaves a few paths that go back and forth
over ten tiles and more, and they decide the clock. Here the time of every path is estimated from where its cells are, and the cells on
the slowest ones go, one after the other, to the free place near by that makes the slowest path through them shortest.
"""

from collections import defaultdict
from collections.abc import Iterator

from fpga.ecp5.placement import Placement, Site, Tile, Unit
from fpga.ecp5.timing import ALONG, CARRY, TABLE, clock_to_output

__all__ = ["PlacedTiming", "shorten_paths"]

_NEAR = 10
_WITHIN, _ENTRY, _TILE, _FAR_TILE = 0.45, 0.3, 0.09, 0.05
"""Nanoseconds of a wire: within a tile; besides, to what is no input of a look-up table; for each of the first tiles; for each one more. A
rough fit to a dozen wires of slow paths on a full LFE5U-25F-6: good for choosing a place, no claim about the clock."""
_TABLE_INPUTS, _MUX_INPUTS = ("A", "B", "C", "D", "FCI"), ("FXA", "FXB", "F1", "M")
_INPUTS = _TABLE_INPUTS + _MUX_INPUTS
_OUTPUTS = {"F": ("F", "FCO"), "OFX": ("OFX",)}
_WITHIN_SLICE = ("DI", "FXA", "FXB", "F1")
_STILL = ("DCCA", "TRELLIS_RAMW")

_SLOW = 0.9
"""Part of the slowest path's time from which on a path is worth a move."""
_GAIN = 0.1
"""Nanoseconds that a move must save."""
_ROUNDS = 30
_FARTHEST = 8
"""Tiles from the middle of what a unit is connected with within which a place is looked for."""

_Pin = tuple[str, str]
_Node = tuple[str, str]
"""A cell of logic and the output that is meant."""


class PlacedTiming:
    """Times of paths in a placed netlist. What depends on the netlist alone is found once, the times anew after each round of moves."""

    def __init__(self, placement: Placement):
        self._tile, self._cells = placement.tile, placement.cells
        self._driver: dict[int, _Pin] = {}
        self._readers: dict[int, list[_Pin]] = defaultdict(list)
        for name in self._tile:
            cell = self._cells[name]
            for port, bits in cell["connections"].items():
                for bit in bits:
                    if isinstance(bit, int):
                        if cell["port_directions"][port] == "output":
                            self._driver[bit] = name, port
                        elif not port.startswith("CLK") and port != "WCK":
                            self._readers[bit].append((name, port))
        self._in: dict[_Node, list[tuple[int, _Pin]]] = {}
        self._out: dict[_Node, list[int]] = {}
        self._logic: dict[_Pin, list[_Node]] = defaultdict(list)
        for name in filter(self._is_logic, self._tile):
            for output, inputs in self._functions(name):
                node = (name, output)
                self._in[node] = [(bit, (name, port)) for port in inputs for bit in self._bits(name, port)]
                self._out[node] = [bit for port in _OUTPUTS[output] for bit in self._bits(name, port)]
                for port in inputs:
                    self._logic[name, port].append(node)
        self._begin = {
            bit: clock_to_output(self._cells[name], port) for bit, (name, port) in self._driver.items() if not self._is_logic(name)
        }
        # Wires that take no time: within a slice, along carries, of a memory and of the clock network.
        self._still = {bit for bit, (name, port) in self._driver.items() if port == "FCO" or self._cells[name]["type"] in _STILL}
        self._order = self._sorted()
        self.arrival: dict[int, float] = {}
        self._after: dict[int, float] = {}
        self.update()

    def _is_logic(self, name: str) -> bool:
        cell = self._cells[name]
        return bool(cell["type"] == "TRELLIS_COMB" and cell["parameters"].get("MODE") != "RAMW_BLOCK")

    def _functions(self, name: str) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The table of a cell, and the multiplexer behind it, which chooses between its own table and another or between two others."""
        yield "F", _TABLE_INPUTS
        if self._bits(name, "OFX"):
            yield "OFX", _MUX_INPUTS if self._bits(name, "FXA") else (*_TABLE_INPUTS, *_MUX_INPUTS)

    def _bits(self, name: str, port: str) -> list[int]:
        return [bit for bit in self._cells[name]["connections"].get(port, ()) if isinstance(bit, int)]

    def _sorted(self) -> list[_Node]:
        """Logic, each part behind those that it reads; a loop is cut somewhere."""
        drivers = {bit: node for node, bits in self._out.items() for bit in bits}
        found: dict[_Node, None] = {}
        begun: set[_Node] = set()
        for root in self._in:
            stack = [root]
            while stack:
                node = stack[-1]
                if node in found:
                    stack.pop()
                    continue
                begun.add(node)
                missing = [drivers[bit] for bit, _ in self._in[node] if bit in drivers and drivers[bit] not in begun]
                if missing:
                    stack += missing
                else:
                    found[node] = None
                    stack.pop()
        return list(found)

    def _wire(self, bit: int, pin: _Pin, moved: dict[str, Tile]) -> float:
        """From the driver of a net to a pin, with some cells elsewhere."""
        if bit in self._still or pin[1] in _WITHIN_SLICE or bit not in self._driver:
            return 0.0
        name = self._driver[bit][0]
        here = moved.get(name) or self._tile[name]
        there = moved.get(pin[0]) or self._tile[pin[0]]
        away = abs(here[0] - there[0]) + abs(here[1] - there[1])
        entry = 0.0 if pin[1] in _INPUTS else _ENTRY
        return _WITHIN + entry + _TILE * min(away, _NEAR) + _FAR_TILE * max(away - _NEAR, 0)

    def _through(self, pin: _Pin) -> float:
        """From a pin of logic to its outputs."""
        if self._cells[pin[0]]["parameters"].get("MODE") == "CCU2":
            return ALONG if pin[1] == "FCI" else CARRY
        return TABLE

    def update(self) -> None:
        """All times, with the cells where they are now."""
        self.arrival = dict(self._begin)
        for node in self._order:
            self.arrival.update(dict.fromkeys(self._out[node], self._ready(node, {})))
        self._after = {}
        for node in reversed(self._order):
            self._after.update((bit, self._left(bit, {})) for bit in self._out[node])
        self._after.update((bit, self._left(bit, {})) for bit in self._begin)

    def _ready(self, node: _Node, moved: dict[str, Tile]) -> float:
        """When the outputs of logic are."""
        times = (self.arrival.get(bit, 0.0) + self._wire(bit, pin, moved) + self._through(pin) for bit, pin in self._in[node])
        return max(times, default=0.0)

    def _left(self, bit: int, moved: dict[str, Tile]) -> float:
        """From a net's driver to the slowest end behind it."""
        return max((self._wire(bit, pin, moved) + self._behind(pin) for pin in self._readers[bit]), default=0.0)

    def _behind(self, pin: _Pin) -> float:
        """From a pin to the slowest end behind it."""
        if pin not in self._logic:
            return 0.0
        return self._through(pin) + max((self._after.get(bit, 0.0) for node in self._logic[pin] for bit in self._out[node]), default=0.0)

    def slowest(self) -> float:
        """The time of the slowest path."""
        return max(self.arrival.get(bit, 0.0) + after for bit, after in self._after.items())

    def through(self, unit: Unit) -> float:
        """The time of the slowest path through a unit."""
        outputs = [*(self._out[unit.table, "F"] if unit.table else ()), *(self._bits(unit.register, "Q") if unit.register else ())]
        return max([*(self.arrival[bit] + self._after[bit] for bit in outputs), *self._at_register(unit, {})], default=0.0)

    def moved(self, unit: Unit, tile: Tile) -> float:
        """What that would be with the unit in another tile."""
        moved = dict.fromkeys(unit.cells, tile)
        found = self._at_register(unit, moved)
        if unit.table is not None:
            ready = self._ready((unit.table, "F"), moved)
            found += [ready + self._left(bit, moved) for bit in self._out[unit.table, "F"]]
        if unit.register is not None:
            found += [self.arrival[bit] + self._left(bit, moved) for bit in self._bits(unit.register, "Q")]
        return max(found, default=0.0)

    def _at_register(self, unit: Unit, moved: dict[str, Tile]) -> list[float]:
        """Times of paths that end in the register of a unit, but for those through its table."""
        pins = [(unit.register, port) for port in ("M", "CE", "LSR")] if unit.register is not None else []
        return [self.arrival.get(bit, 0.0) + self._wire(bit, pin, moved) for pin in pins for bit in self._bits(*pin)]

    def middle(self, unit: Unit) -> Tile:
        """Between what the slowest path through a unit comes from and what it goes to."""
        own = set(unit.cells)
        sources, targets = [], []
        for name in unit.cells:
            for port in self._cells[name]["connections"]:
                for bit in self._bits(name, port):
                    if self._driver.get(bit, ("",))[0] == name:
                        targets += [
                            (self._wire(bit, pin, {}) + self._behind(pin), pin[0]) for pin in self._readers[bit] if pin[0] not in own
                        ]
                    elif bit in self._driver and self._driver[bit][0] not in own and port in (*_INPUTS, "CE"):
                        sources.append((self.arrival.get(bit, 0.0) + self._wire(bit, (name, port), {}), self._driver[bit][0]))
        ends = [self._tile[max(found)[1]] for found in (sources, targets) if found]
        x, y = (sum(tile[axis] for tile in ends) // max(len(ends), 1) for axis in (0, 1))
        return (x, y) if ends else self._tile[unit.cells[0]]


def _better(placement: Placement, timing: PlacedTiming, unit: Unit) -> Site | None:
    """The place near by with the shortest paths, if that saves enough."""
    enough = timing.through(unit) - _GAIN
    return placement.best(unit, near=timing.middle(unit), within=_FARTHEST, cost=lambda tile: timing.moved(unit, tile), enough=enough)


def shorten_paths(placement: Placement) -> int:
    """Move what is on slow paths; returns the number of moves."""
    timing = PlacedTiming(placement)
    units = list(placement.units())
    slowest = timing.slowest()
    moves = 0
    for _ in range(_ROUNDS):
        slow = sorted(((time, unit) for unit in units if (time := timing.through(unit)) > _SLOW * slowest), key=lambda found: -found[0])
        moved: set[int] = set()
        for _, unit in slow:
            nets = placement.nets(unit)
            # Times of what is connected with a unit that was moved are not known before the next round.
            if not nets & moved and (site := _better(placement, timing, unit)) is not None:
                placement.move(unit, site)
                moved |= nets
                moves += 1
        if not moved:
            break
        timing.update()
        slowest = timing.slowest()
    return moves
