"""Frames that subscribe and cancel, as items of a broker's stream."""

from hdl.contract import Content, Frame, Header, Kind, OSid, Semantics
from sim.verilated import broker
from sim.verilated.broker import Item

__all__ = ["cancel", "subscribe"]


def subscribe(number: int, text: bytes, *, content: Content = Content.HEADER, link: int = 0, exact: bool = True) -> Item:
    """Subscribe to ``text`` under the reference ``number``."""
    semantics = Semantics.EXACT if exact else Semantics.CONTAINMENT
    header = Header(kind=Kind.SUBSCRIBE, osid=OSid(1), reference=number, semantics=semantics, content=content, link=link)
    return broker.Frame(Frame(header, text).pack())


def cancel(number: int) -> Item:
    """Cancel what :func:`subscribe` subscribed under ``number``."""
    return broker.Frame(Frame(Header(kind=Kind.UNSUBSCRIBE, osid=OSid(1), reference=number)).pack())
