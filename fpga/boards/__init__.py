"""The boards by name; a new one joins with an entry in ``BOARDS``."""

import importlib
from collections.abc import Mapping
from dataclasses import dataclass

from hdl.config import BrokerConfig

__all__ = ["BOARDS", "Board", "board"]

BAUD = 3_000_000


@dataclass(frozen=True)
class Board:
    """A board: its platform in amaranth-boards as ``module:class``, the clock and the limits that it is built with, and where things are.

    ``leds`` are resources as (name, number, part) that show an open session, bytes from the host, bytes to it, and a fault, as far as
    there are some. ``button`` is one that resets the board. ``loader`` are the options of openFPGALoader that reach it. ``fast`` maps for
    the clock; otherwise for area, where there is none to spare.
    """

    name: str
    sentence: str
    platform: str
    mhz: float
    config: BrokerConfig
    leds: tuple[tuple[str, int, str], ...] = ()
    button: tuple[str, int] | None = None
    loader: tuple[str, ...] = ("-c", "ft2232")
    baud: int = BAUD
    fast: bool = True

    def make_platform(self):
        module, _, name = self.platform.partition(":")
        return getattr(importlib.import_module(module), name)()


_SMALL, _DEFAULT = (BrokerConfig.preset(name) for name in ("small", "default"))
_FOUR_LEDS = tuple(("led", number, "") for number in range(4))

BOARDS: Mapping[str, Board] = {
    one.name: one
    for one in (
        Board(
            "ulx3s-85f",
            "Radiona ULX3S with LFE5U-85F",
            "amaranth_boards.ulx3s:ULX3S_85F_Platform",
            100,
            _DEFAULT,
            _FOUR_LEDS,
            ("button_fire", 0),
            ("-b", "ulx3s"),
        ),
        Board(
            "ulx3s-25f",
            "Radiona ULX3S with LFE5U-25F",
            "amaranth_boards.ulx3s:ULX3S_25F_Platform",
            80,
            _SMALL,
            _FOUR_LEDS,
            ("button_fire", 0),
            ("-b", "ulx3s"),
            fast=False,
        ),
        Board(
            "ecpix5-85",
            "LambdaConcept ECPIX-5 with LFE5UM5G-85F",
            "amaranth_boards.ecpix5:ECPIX585Platform",
            100,
            _DEFAULT,
            (("rgb_led", 0, "g"), ("rgb_led", 1, "g"), ("rgb_led", 2, "g"), ("rgb_led", 3, "r")),
            ("rst", 0),
            ("-b", "ecpix5"),
        ),
        Board(
            "versa-ecp5",
            "Lattice Versa with LFE5UM-45F",
            "amaranth_boards.versa_ecp5:VersaECP5Platform",
            100,
            _DEFAULT,
            _FOUR_LEDS,
            ("rst", 0),
            ("-b", "ecp5_evn"),
        ),
        Board(
            "colorlight-5a75b",
            "Colorlight 5A-75B revision 7.0 with LFE5U-25F; its UART takes the pins of the LED and the button",
            "amaranth_boards.colorlight_5a75b_r7_0:Colorlight_5A75B_R70Platform",
            80,
            _SMALL,
            fast=False,
        ),
        Board(
            "icesugar-pro",
            "MuseLab iCESugar-Pro with LFE5U-25F",
            "amaranth_boards.icesugar_pro:ICESugarProPlatform",
            80,
            _SMALL,
            (("rgb_led", 0, "g"), ("rgb_led", 0, "b"), ("rgb_led", 0, "r")),
            loader=("-c", "cmsisdap"),
            fast=False,
        ),
    )
}


def board(name: str) -> Board:
    """The board of that name."""
    if name not in BOARDS:
        raise ValueError(f"board must be one of {', '.join(BOARDS)}, not {name!r}")
    return BOARDS[name]
