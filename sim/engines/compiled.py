"""Subscriptions of any language, taken apart by the golden model's front ends."""

from hdl.config import BrokerConfig
from sim.golden import languages, xpath
from sim.golden.query import Query
from sim.interface import XPATH, Subscription

__all__ = ["REFUSED", "compile_message", "compile_xpath", "refusal"]

REFUSED = (xpath.Refused, languages.Refused)
"""What the front ends raise, each with a ``code`` and a ``position``."""


def compile_xpath(subscription: Subscription, config: BrokerConfig) -> Query:
    return xpath.compile(_bytes(subscription), config)


def compile_message(subscription: Subscription, config: BrokerConfig) -> languages.Compiled:
    """One in a language for messages."""
    return languages.compile(subscription.language, _bytes(subscription), languages.Limits.of(config))


def refusal(subscription: Subscription, config: BrokerConfig) -> xpath.Refused | languages.Refused | None:
    """Why the golden model refuses the text, None where it takes it."""
    try:
        (compile_xpath if subscription.language == XPATH else compile_message)(subscription, config)
    except REFUSED as reason:
        return reason
    return None


def _bytes(subscription: Subscription) -> bytes:
    return subscription.text.encode("utf-8", "surrogateescape")
