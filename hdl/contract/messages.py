"""Messages: the publications that are no XML, byte by byte."""

import re
import struct
from dataclasses import dataclass
from typing import ClassVar

from hdl.contract.identity import FrameError
from hdl.contract.sentences import Sentenced

__all__ = ["Message", "Property", "PropertyType"]


class PropertyType(Sentenced):
    """What the value of a property is; it travels as text in any case."""

    NUMBER = (0, "a decimal number: an optional minus sign, digits, and optionally a point with digits before or after it")
    STRING = (1, "a string in UTF-8, which may be empty")
    BOOLEAN = (2, "`true` or `false`")


_VALUES = {
    PropertyType.NUMBER: re.compile(rb"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"),
    PropertyType.STRING: re.compile(rb".*", re.DOTALL),
    PropertyType.BOOLEAN: re.compile(rb"true|false"),
}


def _utf8(what: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FrameError(f"{what} must be UTF-8, not {data!r}") from None


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


@dataclass(frozen=True)
class Property:
    """A named value."""

    name: str
    type: PropertyType
    text: str

    NAME_MOST: ClassVar[int] = 255
    TEXT_MOST: ClassVar[int] = 65535

    def __post_init__(self) -> None:
        for what, text, most in (("name", self.name, self.NAME_MOST), ("value", self.text, self.TEXT_MOST)):
            if len(text.encode()) > most:
                raise FrameError(f"a property's {what} must have at most {most} bytes, not {len(text.encode())}")
        if not self.name:
            raise FrameError("a property must have a name")
        if not _VALUES[self.type].fullmatch(self.text.encode()):
            raise FrameError(f"the property {self.name!r} must be a {self.type.name.lower()}, not {self.text!r}")


@dataclass(frozen=True)
class Message:
    """A topic, properties, and a body that nobody looks at.

    Everything begins at a multiple of four bytes, so that it can be taken apart a word at a time; what lies between is zero.

    ==================  ===========================================================================================
    bytes               meaning
    ==================  ===========================================================================================
    2                   bytes of the topic
    2                   number of properties
    topic               in UTF-8, then zeros up to a multiple of four bytes
    each property       type (1), bytes of its name (1), bytes of its value (2), the name and zeros, the value and zeros
    the rest            the body, without zeros behind it
    ==================  ===========================================================================================

    No two properties have the same name.
    """

    topic: str = ""
    properties: tuple[Property, ...] = ()
    body: bytes = b""

    MOST: ClassVar[int] = 65535

    def __post_init__(self) -> None:
        for what, count in (("topic", len(self.topic.encode())), ("properties", len(self.properties))):
            if count > self.MOST:
                raise FrameError(f"{what} must be at most {self.MOST}, not {count}")
        names = [one.name for one in self.properties]
        for name in names:
            if names.count(name) > 1:
                raise FrameError(f"a message must have the property {name!r} once, not {names.count(name)} times")

    def pack(self) -> bytes:
        topic = self.topic.encode()
        parts = [struct.pack(">HH", len(topic), len(self.properties)), _padded(topic)]
        for one in self.properties:
            name, text = one.name.encode(), one.text.encode()
            parts += [struct.pack(">BBH", one.type, len(name), len(text)), _padded(name), _padded(text)]
        return b"".join([*parts, self.body])

    @classmethod
    def unpack(cls, data: bytes) -> "Message":
        at = 0

        def take(size: int) -> bytes:
            """So many bytes and the zeros behind them."""
            nonlocal at
            end = at + size + -size % 4
            if end > len(data):
                raise FrameError(f"a message must have at least {end} bytes, not {len(data)}")
            found, zeros = data[at : at + size], data[at + size : end]
            if zeros.strip(b"\0"):
                raise FrameError(f"a message must have zeros in front of byte {end}, not {zeros.hex()}")
            at = end
            return found

        topic_size, count = struct.unpack(">HH", take(4))
        topic = _utf8("a topic", take(topic_size))
        properties = []
        for _ in range(count):
            kind, name_size, text_size = struct.unpack(">BBH", take(4))
            if kind not in PropertyType._value2member_map_:
                raise FrameError(f"a property's type must be one of {', '.join(t.name for t in PropertyType)}, not {kind}")
            name = _utf8("a property's name", take(name_size))
            properties.append(Property(name, PropertyType(kind), _utf8("a property's value", take(text_size))))
        return cls(topic, tuple(properties), data[at:])
