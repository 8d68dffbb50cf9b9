"""Subscriptions that a broker must refuse, each made for one refusal code."""

from hdl.config import BrokerConfig
from hdl.contract import Refusal
from sim.vectors.seeds import Draw

__all__ = ["REFUSALS", "refused_text"]

_TEXTS: dict[Refusal, tuple[str, ...]] = {
    Refusal.SYNTAX: ("/a/]", "/a[@b=]", "/a[@=1]", "/a,b", "///a", "/a[]", "/a$"),
    Refusal.AXIS: ("/a/..", "/a/../b", "/child::a", "/a/descendant::b", "./a", "/a/."),
    Refusal.FUNCTION: ("/a[contains(@b,'c')]", "/a/node()", "/a/text()", "count(/a)", "/a[last()]", "/a/comment()"),
    Refusal.OPERATOR: ("/a[@b=1 or @c=2]", "//a b", "/a|/b", "/a[@b+1=2]", "/a[@b=@c]"),
    Refusal.POSITION: ("/a[1]", "//b[12]/c"),
    Refusal.UNTERMINATED: ("/a/", "//", "/a[@b", "/a[@b='c", "/a[@b=1", "/a[", "/a/@"),
    Refusal.TEXT_TEST: ("/a[.='x']/b", "/a[text()=1]//c", "/a[@i and .=1]/b"),
    Refusal.ATTRIBUTE_STEP: ("/a/@b/c", "/a/@b[.=1]", "/@b//c"),
}

REFUSALS: tuple[Refusal, ...] = (
    *_TEXTS,
    Refusal.EMPTY,
    Refusal.TEXT_LENGTH,
    Refusal.NAME_LENGTH,
    Refusal.LITERAL_LENGTH,
    Refusal.NUMBER_DIGITS,
    Refusal.STEPS,
)
"""The refusals that a text alone can earn."""


def refused_text(draw: Draw, turn: int, config: BrokerConfig) -> tuple[str, Refusal]:
    """A text that earns the refusal whose turn it is."""
    refusal = REFUSALS[(turn + draw.below(len(REFUSALS))) % len(REFUSALS)]
    if refusal in _TEXTS:
        return draw.choice(_TEXTS[refusal]), refusal
    if refusal is Refusal.EMPTY:
        return "", refusal
    if refusal is Refusal.TEXT_LENGTH:
        return "/" + "/".join(["long"] * (config.xpath_bytes // 5 + 1)), refusal
    if refusal is Refusal.NAME_LENGTH:
        return "//" + "n" * (config.name_bytes + 1), refusal
    if refusal is Refusal.LITERAL_LENGTH:
        return "//a[@b='" + "v" * (config.value_bytes + 1) + "']", refusal
    if refusal is Refusal.NUMBER_DIGITS:
        return "//a[@b>1" + "2" * config.digits + "]", refusal
    return "/a" * (config.subscription_steps + 1), refusal
