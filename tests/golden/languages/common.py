"""What the tests of all languages do alike."""

import pytest

from sim.golden.languages import AnyRefusal, Limits, Message, Refused, compile
from tests.golden.languages.departures import MATCH, NONE, REFUSED, Departure

__all__ = ["ours", "refusal", "shown"]


def refusal(language: str, text: str | bytes, limits: Limits | None = None) -> tuple[AnyRefusal, int]:
    """The code and the place with which a text is refused."""
    with pytest.raises(Refused) as caught:
        compile(language, text, limits)
    assert str(caught.value) == caught.value.code.sentence
    return caught.value.code, caught.value.position


def shown(matches: bool) -> str:
    return MATCH if matches else NONE


def ours(departure: Departure) -> str:
    """What the golden model says to a departure's witness."""
    try:
        subscription = compile(departure.language, departure.text)
    except Refused:
        return REFUSED
    return shown(subscription.matches(Message(departure.topic, departure.properties)))
