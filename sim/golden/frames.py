"""What a broker answers to a subscription frame before it has looked at its text and at what it holds."""

from hdl.config import BrokerConfig
from hdl.contract import Refusal

__all__ = ["frame_refusal"]

_HEADER = 20


def frame_refusal(raw: bytes, config: BrokerConfig) -> Refusal:
    """The first reason to refuse a frame that a broker without routing takes for a SUBSCRIBE or UNSUBSCRIBE; NONE when there is none.

    It reads the bytes as docs/formats.md has them and knows nothing of the classes that pack them.
    """
    if len(raw) < _HEADER:
        return Refusal.BAD_HEADER
    if raw[0] >> 5 != 3:
        return Refusal.UNSUPPORTED_VERSION
    if raw[0] not in b"su":
        return Refusal.UNSUPPORTED_KIND
    cancels, path = raw[0] == ord("u"), raw[5:12]
    semantics, content, attached, link = raw[1] & 1, raw[1] >> 1 & 3, raw[1] >> 3 & 1, raw[1] >> 4
    size = len(raw) - _HEADER
    if content == 3 or link >= config.links or path.rstrip(b"\0").count(0) or int.from_bytes(raw[16:20], "big") != size:
        return Refusal.BAD_HEADER
    if cancels and (semantics or content or attached or raw[3] or size):
        return Refusal.BAD_HEADER
    if raw[2]:
        return Refusal.WRONG_BROKER
    if cancels:
        return Refusal.NONE
    due = (
        (raw[3] & 15, Refusal.UNSUPPORTED_LANGUAGE),
        (attached, Refusal.UNSUPPORTED_ATTACHMENT),
        (raw[3] >> 4, Refusal.UNSUPPORTED_LEASE),
        (len(path.rstrip(b"\0")) >= config.brokers, Refusal.PATH_FULL),
        (not raw[4] and not any(path), Refusal.LOCAL_SAMPLE),
        (not size, Refusal.EMPTY),
        (size > config.xpath_bytes, Refusal.TEXT_LENGTH),
    )
    return next((code for holds, code in due if holds), Refusal.NONE)
