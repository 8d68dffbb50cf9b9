"""Judge of filters and of selectors on numbers: SQLite, with a message a row.

Property ``p`` of a message is column ``p`` of a row: numbers are numbers, strings are text, booleans are the blobs 00 and 01, a missing
property is NULL.
"""

import sqlite3
from collections.abc import Mapping, Sequence
from decimal import Decimal

from sim.golden.languages import Value

__all__ = ["Rows"]


class Rows:
    """SQLite with the properties of some messages as rows."""

    def __init__(self, messages: Sequence[Mapping[str, Value]], columns: Mapping[str, str]) -> None:
        self._base = sqlite3.connect(":memory:")
        self._base.execute(f"CREATE TABLE m (n INTEGER PRIMARY KEY, {', '.join(columns.values())})")
        marks = ", ".join("?" * (1 + len(columns)))
        for place, properties in enumerate(messages):
            self._base.execute(f"INSERT INTO m VALUES ({marks})", [place, *(self._cell(properties.get(name)) for name in columns)])

    @staticmethod
    def _cell(value: Value | None) -> str | bytes | int | float | None:
        if isinstance(value, bool):
            return bytes([value])
        if isinstance(value, Decimal):
            return int(value) if value == value.to_integral_value() and abs(value) < 2**63 else float(value)
        return value

    def close(self) -> None:
        self._base.close()

    def matched(self, condition: str) -> set[int]:
        """The places of the messages for which the condition is true."""
        return {place for (place,) in self._base.execute(f"SELECT n FROM m WHERE {condition}")}

    def values(self, condition: str) -> list[bool | None]:
        """What the condition is for each message: true, false or unknown."""
        return [None if found is None else bool(found) for (found,) in self._base.execute(f"SELECT ({condition}) FROM m ORDER BY n")]
