"""Every page that is made from kept figures."""

from collections.abc import Callable
from pathlib import Path

from tools.results.ablation import ablation
from tools.results.area import area, block
from tools.results.exactness import exactness
from tools.results.languages import languages
from tools.results.mutants import mutants
from tools.results.scale import scale
from tools.results.simulation import simulation
from tools.results.soak import soak
from tools.results.speed import speed

__all__ = ["RESULTS", "readme"]

_README = Path(__file__).resolve().parents[2] / "README.md"
_BEGIN, _END = "<!-- figures: python -m tools.gendocs -->\n", "<!-- end of figures -->\n"


def readme() -> str:
    """``README.md`` with the figures of now between its marks."""
    before, begin, rest = _README.read_text(encoding="utf-8").partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if not begin or not end:
        raise ValueError(f"README.md must have the lines {_BEGIN!r} and {_END!r}")
    return f"{before}{begin}\n{block()}\n{end}{after}"


RESULTS: dict[str, Callable[[], str]] = {
    "results/speed.md": speed,
    "results/area.md": area,
    "results/exactness.md": exactness,
    "results/scale.md": scale,
    "results/languages.md": languages,
    "results/mutants.md": mutants,
    "results/soak.md": soak,
    "results/ablation.md": ablation,
    "results/simulation.md": simulation,
    "../README.md": readme,
}
"""Page to what writes it."""
