"""What an exact-match memory should hold: a dictionary, and a separate account of the places for the one that hashes."""

from typing import Protocol

from hdl.cam.hashing import HASHES, row_of

__all__ = ["CamModel", "HashRoom", "PlainRoom", "Room"]


class Room(Protocol):
    """Says whether a new key still fits."""

    def take(self, key: int) -> bool: ...

    def free(self, key: int) -> None: ...


class PlainRoom:
    """Any key fits in any of ``size`` places."""

    def __init__(self, size: int):
        self.size = size
        self.keys: set[int] = set()

    def take(self, key: int) -> bool:
        if len(self.keys) == self.size:
            return False
        self.keys.add(key)
        return True

    def free(self, key: int) -> None:
        self.keys.remove(key)


class HashRoom:
    """A key fits in ``slots`` places of either of its two rows and goes to the emptier one, to the first at a tie; when both are
    full it takes one of ``spares`` places."""

    def __init__(self, *, key_width: int, row_width: int, slots: int, spares: int):
        self.key_width, self.row_width, self.slots = key_width, row_width, slots
        self.spare = PlainRoom(spares)
        self.rows: dict[tuple[int, int], set[int]] = {}

    def _places(self, key: int) -> list[tuple[int, int]]:
        return [(which, row_of(key, key_width=self.key_width, row_width=self.row_width, which=which)) for which in range(HASHES)]

    def take(self, key: int) -> bool:
        place = min(self._places(key), key=lambda place: len(self.rows.get(place, ())))
        row = self.rows.setdefault(place, set())
        if len(row) == self.slots:
            return self.spare.take(key)
        row.add(key)
        return True

    def free(self, key: int) -> None:
        for place in self._places(key):
            self.rows.get(place, set()).discard(key)
        self.spare.keys.discard(key)


class CamModel:
    """Executes commands one after the other; ``keys`` maps a key to its value and whether it is pinned."""

    def __init__(self, room: Room):
        self.room = room
        self.keys: dict[int, tuple[int, bool]] = {}
        self.failed = 0

    def _drop(self, keys: list[int]) -> None:
        for key in keys:
            del self.keys[key]
            self.room.free(key)

    def execute(self, op: str, key: int = 0, value: int = 0, pinned: int = 0) -> dict[str, int]:
        """The response to a command."""
        found = key in self.keys and op in ("INSERT", "DELETE")
        if op == "INSERT":
            if not found and not self.room.take(key):
                self.failed += 1
                return {"ok": 0, "found": 0}
            self.keys[key] = (value, bool(pinned))
        elif op == "DELETE":
            self._drop([key] if found else [])
            return {"ok": int(found), "found": int(found)}
        elif op == "CLEAR":
            self._drop(list(self.keys))
        else:
            self._drop([key for key, (_, pin) in self.keys.items() if not pin])
        return {"ok": 1, "found": int(found)}

    @property
    def status(self) -> dict[str, int]:
        """The counts."""
        pinned = sum(pin for _, pin in self.keys.values())
        return {"pinned": pinned, "unpinned": len(self.keys) - pinned, "failed": self.failed}
