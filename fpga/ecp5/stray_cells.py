"""Cells that nextpnr left far from what they are connected with, moved to a free place beside it.

On a full device nextpnr's legaliser evicts cells that stand in its way; one that is evicted again and again may end half of the device off,
and the refinement afterwards, which looks a few tiles around, does not bring it back. A single one of them on a slow path decides the clock
of the whole design, while there are free places where it belongs. Here each of these cells goes to the free place that makes its wires
shortest.
"""

from fpga.ecp5.placement import Placement, Site, Tile, Unit

__all__ = ["bring_home"]

WORTH = 6
"""Tiles of wire that a move must save."""
_ROUNDS = 4
_FARTHEST = 12
"""Tiles from where a cell belongs within which a place is looked for."""

_Box = tuple[int, int, int, int]


def _boxes(placement: Placement, unit: Unit) -> list[_Box]:
    """Where the other cells of the unit's nets lie: left, right, top, bottom."""
    own = set(unit.cells)
    found = []
    for net in placement.nets(unit):
        others = [placement.tile[name] for name in placement.pins[net] - own]
        if others:
            columns, rows = zip(*others, strict=True)
            found.append((min(columns), max(columns), min(rows), max(rows)))
    return found


def _better(placement: Placement, unit: Unit, worth: int) -> Site | None:
    """The place with the shortest wires, if that saves enough."""
    boxes = _boxes(placement, unit)
    if not boxes:
        return None

    def wires(tile: Tile) -> int:
        x, y = tile
        return sum(max(left - x, 0, x - right) + max(up - y, 0, y - down) for left, right, up, down in boxes)

    columns = sorted(edge for box in boxes for edge in box[:2])
    rows = sorted(edge for box in boxes for edge in box[2:])
    x, y = columns[len(columns) // 2], rows[len(rows) // 2]
    enough = wires(placement.tile[unit.cells[0]]) - worth
    if wires((x, y)) > enough:
        return None
    return placement.best(unit, near=(x, y), within=_FARTHEST, cost=wires, enough=enough)


def bring_home(placement: Placement, worth: int = WORTH) -> int:
    """Move what is far off; returns the number of moves."""
    units = list(placement.units())
    moves = 0
    for _ in range(_ROUNDS):
        before = moves
        for unit in units:
            if (site := _better(placement, unit, worth)) is not None:
                placement.move(unit, site)
                moves += 1
        if moves == before:
            break
    return moves
