"""Filtering with the Verilated broker: subscriptions become frames, notifications become SIDs."""

from collections.abc import Collection, Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Header, Kind, OSid, Refusal
from hdl.contract import Frame as ContractFrame
from sim.engines.interface import Filtered, FilterResult, ParseResult, Refused, Subscription
from sim.verilated.broker import Answered, Frame, Item, Matched, Publication, run

__all__ = ["filter_documents", "subscribe"]


def subscribe(subscription: Subscription, *, link: int = 0, content: Content = Content.HEADER) -> Frame:
    """The frame of a subscription; its SID is the reference, and shows in the o-SID, so that the same SID is the same subscription."""
    header = Header(
        kind=Kind.SUBSCRIBE,
        osid=OSid(1 + subscription.sid % 255),
        reference=subscription.sid,
        semantics=subscription.semantics,
        content=content,
        link=link,
    )
    return Frame(ContractFrame(header, subscription.xpath.encode("utf-8", "surrogateescape")).pack())


def _filtered(found: Matched) -> Filtered:
    located = found.code is not Code.OK and found.code is not Code.NUMBER_DIGITS
    result = ParseResult(found.code, found.offset if located else None, found.bytes, cycles=found.cycles)
    pairs = zip(found.contents, found.bodies, strict=True)
    bodies = tuple(body if content is Content.SELECTED else None for content, body in pairs)
    return Filtered(result, found.references, bodies)


def filter_documents(
    subscriptions: Sequence[Subscription],
    documents: Sequence[bytes],
    config: BrokerConfig,
    *,
    apart: bool = True,
    stalls: int | None = None,
    executable: Path | None = None,
    selecting: Collection[int] = (),
) -> FilterResult:
    """Register the subscriptions, then publish the documents, in one run from reset on.

    Notifications are spread over the links; the subscriptions whose SIDs are ``selecting`` want the nodes that they select, the others the
    header alone. The clocks of a document are from its first word to its matched set; with ``apart`` it has
    the broker for itself.
    """
    frames = [
        subscribe(one, link=number % config.links, content=Content.SELECTED if one.sid in selecting else Content.HEADER)
        for number, one in enumerate(subscriptions)
    ]
    items: list[Item] = [*frames, *(Publication(document) for document in documents)]
    answers = run(items, config, apart=apart, stalls=stalls, executable=executable)
    results = [answer for answer in answers if isinstance(answer, Answered)]
    pairs = zip(subscriptions, results, strict=True)
    refused = [Refused(one, result.refusal) for one, result in pairs if result.refusal is not Refusal.NONE]
    return FilterResult(tuple(refused), tuple(_filtered(answer) for answer in answers if isinstance(answer, Matched)))
