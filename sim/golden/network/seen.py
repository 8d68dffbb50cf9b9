"""A window of things seen lately."""

from collections import OrderedDict
from collections.abc import Hashable

__all__ = ["Seen"]


class Seen:
    """Remembers the latest ``size`` different things."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._things: OrderedDict[Hashable, None] = OrderedDict()

    def again(self, thing: Hashable) -> bool:
        """Whether the thing is in the window; it is from now on."""
        known = thing in self._things
        self._things[thing] = None
        self._things.move_to_end(thing)
        if len(self._things) > self._size:
            self._things.popitem(last=False)
        return known
