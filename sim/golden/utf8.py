"""UTF-8, byte by byte, as strict as [XML 2.2] and the Unicode standard's table of well-formed sequences."""

from hdl.contract import Code
from sim.golden.chars import is_char
from sim.golden.constructs import Stop

__all__ = ["PENDING", "Utf8"]

PENDING = -1
"""What :meth:`Utf8.push` returns while a character is not complete."""


class Utf8:
    """A decoder that is given one byte at a time.

    ``pending`` tells whether a character is begun and not complete.
    """

    __slots__ = ("_high", "_low", "_need", "_point")

    def __init__(self) -> None:
        self._need = 0
        self._point = 0
        self._low = 0x80
        self._high = 0xBF

    @property
    def pending(self) -> bool:
        return self._need > 0

    def push(self, byte: int) -> int:
        """The code point that the byte completes, or ``PENDING``; raises ``Stop`` where the byte is no UTF-8 or the character no Char."""
        if self._need:
            if not self._low <= byte <= self._high:
                raise Stop(Code.BAD_UTF8)
            self._point = self._point << 6 | byte & 0x3F
            self._low, self._high = 0x80, 0xBF
            self._need -= 1
            if self._need:
                return PENDING
            if not is_char(self._point):
                raise Stop(Code.BAD_CHAR)
            return self._point
        if byte < 0x80:
            if not is_char(byte):
                raise Stop(Code.BAD_CHAR)
            return byte
        if 0xC2 <= byte <= 0xDF:
            self._need, self._point = 1, byte & 0x1F
        elif 0xE0 <= byte <= 0xEF:
            self._need, self._point = 2, byte & 0x0F
            if byte == 0xE0:
                self._low = 0xA0
            elif byte == 0xED:
                self._high = 0x9F
        elif 0xF0 <= byte <= 0xF4:
            self._need, self._point = 3, byte & 0x07
            if byte == 0xF0:
                self._low = 0x90
            elif byte == 0xF4:
                self._high = 0x8F
        else:
            raise Stop(Code.BAD_UTF8)
        return PENDING
