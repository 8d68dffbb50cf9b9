"""Filtering with a simulated broker: subscriptions become frames, notifications become SIDs."""

from collections.abc import Collection, Sequence
from pathlib import Path

from hdl.config import BrokerConfig
from hdl.contract import Code, Content, Header, Kind, OSid, Refusal
from hdl.contract import Frame as ContractFrame
from sim.interface import Filtered, FilterResult, ParseResult, Refused, Subscription
from sim.verilated.broker import Answered, Frame, Item, Matched, Publication, run

__all__ = ["cancel", "filter_documents", "items_of", "result_of", "stream_items", "subscribe"]


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
    return Frame(ContractFrame(header, subscription.text.encode("utf-8", "surrogateescape")).pack())


def cancel(subscription: Subscription) -> Frame:
    """The frame that cancels it."""
    header = Header(kind=Kind.UNSUBSCRIBE, osid=OSid(1 + subscription.sid % 255), reference=subscription.sid)
    return Frame(ContractFrame(header).pack())


def _filtered(found: Matched, cycles: int) -> Filtered:
    located = found.code is not Code.OK and found.code is not Code.NUMBER_DIGITS
    result = ParseResult(found.code, found.offset if located else None, found.bytes, cycles=cycles)
    pairs = zip(found.contents, found.bodies, strict=True)
    bodies = tuple(body if content is Content.SELECTED else None for content, body in pairs)
    return Filtered(result, found.references, bodies)


def filter_documents(
    subscriptions: Sequence[Subscription],
    documents: Sequence[bytes],
    config: BrokerConfig,
    *,
    apart: bool = True,
    copies: int = 1,
    stalls: int | None = None,
    executable: Path | None = None,
    selecting: Collection[int] = (),
    waves: Path | None = None,
    options: Sequence[str] = (),
) -> FilterResult:
    """Register the subscriptions, then publish the documents, in one run of the Verilated broker from its start.

    Notifications are spread over the links; the subscriptions whose SIDs are ``selecting`` want the nodes that they select, the others the
    header alone. The clocks of a document are from its first word to its matched set: with ``apart`` it has the broker for itself,
    otherwise documents follow back to back, and clocks before the matched set of the one before are that one's. ``copies`` are those of
    :func:`sim.verilated.broker.run`.
    """
    items = items_of(subscriptions, documents, config, selecting=selecting)
    answers = run(items, config, apart=apart, copies=copies, stalls=stalls, executable=executable, waves=waves, options=options)
    return result_of(subscriptions, answers)


def stream_items(
    items: Sequence[Item], config: BrokerConfig, *, executable: Path | None = None, waves: Path | None = None, options: Sequence[str] = ()
) -> list[Refusal | Filtered]:
    """Frames and publications in turns, each answered before the next of the other kind, in one run of the Verilated broker."""
    answers = run(items, config, executable=executable, waves=waves, options=options)
    return [answer.refusal if isinstance(answer, Answered) else _filtered(answer, answer.cycles) for answer in answers]


def items_of(
    subscriptions: Sequence[Subscription], documents: Sequence[bytes], config: BrokerConfig, *, selecting: Collection[int] = ()
) -> list[Item]:
    """What a simulated broker is given to filter the documents: frames, spread over the links, then publications."""
    frames = [
        subscribe(one, link=number % config.links, content=Content.SELECTED if one.sid in selecting else Content.HEADER)
        for number, one in enumerate(subscriptions)
    ]
    return [*frames, *(Publication(document) for document in documents)]


def result_of(subscriptions: Sequence[Subscription], answers: Sequence[Answered | Matched]) -> FilterResult:
    """The result of those items from the broker's answers to them."""
    results = [answer for answer in answers if isinstance(answer, Answered)]
    pairs = zip(subscriptions, results, strict=True)
    refused = [Refused(one, result.refusal) for one, result in pairs if result.refusal is not Refusal.NONE]
    documents, ended = [], 0
    for answer in answers:
        if isinstance(answer, Matched):
            documents.append(_filtered(answer, answer.clock - max(answer.first_word, ended)))
            ended = answer.clock
    return FilterResult(tuple(refused), tuple(documents))
