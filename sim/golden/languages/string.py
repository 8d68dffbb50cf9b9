"""Topics that are one string [N 7.1.1]: the message's topic is the text of the subscription, byte by byte. There are no sub-topics."""

from dataclasses import dataclass

from hdl.contract import Refusal
from sim.golden.languages.message import Message
from sim.golden.languages.refusal import Limits, check_length

__all__ = ["Exactly", "compile"]


@dataclass(frozen=True, slots=True)
class Exactly:
    """The topic asked for, which may be empty."""

    topic: str

    def matches(self, message: Message) -> bool:
        return message.topic == self.topic


def compile(text: str, limits: Limits) -> Exactly:
    check_length(Refusal.LITERAL_LENGTH, text, limits.value_bytes, text, 0)
    return Exactly(text)
