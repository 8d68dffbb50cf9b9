"""What brokers, their neighbours and a topology entity must agree on: policies, modes and the criterion of a route."""

import enum
import re
from dataclasses import dataclass

from hdl.contract.identity import FrameError
from hdl.contract.sentences import Sentenced

__all__ = ["Criterion", "Mode", "Policy", "Sampling"]


class Policy(Sentenced):
    """When subscriptions travel; it can be changed while the broker is empty."""

    STEADY = (0, "subscriptions live until they are cancelled and are forwarded when they are registered")
    CYCLIC = (1, "the operation modes of the thesis: only subscriptions that matched nothing are forwarded [T 5.4.3.3]")


class Sampling(Sentenced):
    """Which mismatched subscriptions one sample stands for when a name has a high commonality degree."""

    SOUND = (0, "one sample for each class of identical expressions; the rest are sent one by one")
    LITERAL = (1, "one sample for all of them, as the thesis prints it [T-Fig 5.20]")


class Mode(enum.IntEnum):
    """The operation modes of the cyclic policy: n is new or unprocessed, o is old or processed [T-Fig 5.18]."""

    NOP = 0
    NPNS = 1
    NPOS = 2
    OPOS = 3
    OPNS = 4


_START = (
    ":A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02ff\u0370-\u037d\u037f-\u1fff\u200c-\u200d\u2070-\u218f\u2c00-\u2fef\u3001-\ud7ff"
    "\uf900-\ufdcf\ufdf0-\ufffd\U00010000-\U000effff"
)
_NAME = re.compile(f"[{_START}][{_START}\\-.0-9\u00b7\u0300-\u036f\u203f-\u2040]*")


@dataclass(frozen=True)
class Criterion:
    """X of ``top(X, BID)``: what the subscriptions are about that go to a broker [T 5.4.3.6.1].

    ================  ===============================================================================================
    bytes             meaning
    ================  ===============================================================================================
    ``*``             whatever no other entry is for
    ``name``          subscriptions with a step of this name, or with a topic that begins with it
    ``@name=value``   subscriptions that compare this attribute or property with this value for equality
    ================  ===============================================================================================

    The text is UTF-8. A name is one of XML [XML 2.3]. The value is all that follows the first ``=``, without quotes; it may be empty.
    """

    name: str = ""
    value: str | None = None

    def __post_init__(self) -> None:
        if (self.name or self.value is not None) and not _NAME.fullmatch(self.name):
            raise FrameError(f"a criterion must have a name of XML, not {self.name!r}")

    @property
    def anything(self) -> bool:
        """Whether this is ``*``."""
        return not self.name

    def pack(self) -> bytes:
        if self.anything:
            return b"*"
        return (self.name if self.value is None else f"@{self.name}={self.value}").encode()

    @classmethod
    def unpack(cls, data: bytes) -> "Criterion":
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise FrameError(f"a criterion must be UTF-8, not {data!r}") from None
        if text == "*":
            return cls()
        if not text.startswith("@"):
            return cls(text) if text else cls(text, "")
        name, equals, value = text[1:].partition("=")
        if not equals:
            raise FrameError(f"a criterion must be a name, @name=value or *, not {text!r}")
        return cls(name, value)
