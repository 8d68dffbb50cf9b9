"""Sensor readings: attributes and numbers in every spelling that a decimal has."""

from sim.vectors.families.tree import Element, weight
from sim.vectors.seeds import Draw

__all__ = ["build", "number"]

_QUANTITIES = ("temperature", "humidity", "pressure", "voltage", "flow")
_UNITS = ("C", "percent", "hPa", "V", "m3/h")


def number(draw: Draw) -> str:
    """A value as a sensor may print it: signs, leading and trailing zeros, bare points, white space, sometimes not a number."""
    whole, part = draw.below(200), draw.below(1000)
    form = draw.below(12)
    if form < 4:
        return f"{whole}.{part // 10:02d}"
    return (
        str(whole),
        f"-{whole}",
        f"-{whole}.{part}",
        f"0{whole}.{part}0",
        f".{part:03d}",
        f"{whole}.",
        f" {whole}.5\n",
        draw.choice(("NaN", "", "-", "1e3", "+5", "- 5", "12 7", ".", "0x10", "-.5", "--1")),
    )[form - 4]


def _reading(draw: Draw, number_of: int) -> Element:
    kind = draw.zipf(len(_QUANTITIES), 0.7)
    attributes = [("seq", str(number_of)), ("q", _QUANTITIES[kind]), ("value", number(draw))]
    if draw.chance(0.6):
        attributes.append(("unit", _UNITS[kind]))
    if draw.chance(0.3):
        attributes.append(("alarm", draw.choice(("yes", "no"))))
    if draw.chance(0.4):
        return Element("r", attributes)
    parts: list[Element | str] = [Element("v", [], [number(draw)])]
    if draw.chance(0.5):
        parts.append(Element("min", [], [number(draw)]))
    if draw.chance(0.5):
        parts.append(Element("max", [], [number(draw)]))
    return Element("r", attributes, parts)


def build(draw: Draw, size: int) -> Element:
    """About ``size`` bytes of one station's readings."""
    place = f"{draw.below(90)}.{draw.below(1000)}"
    root = Element("station", [("id", f"s{draw.below(40)}"), ("lat", place), ("up", str(draw.below(100000)))])
    total = weight(root)
    while total < size or not root.children:
        reading = _reading(draw, len(root.children))
        total += weight(reading)
        root.children.append(reading)
    return root
