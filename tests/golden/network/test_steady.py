"""The steady policy frame by frame: interests, one copy a link, identities, leases, exchanges, covering."""

from collections.abc import Iterable
from typing import Any

import pytest

from hdl.config import BrokerConfig
from hdl.contract import Content, Kind, Semantics
from sim.golden import xpath
from sim.golden.network.codes import LOSSES, MORE_FLAG, Counter
from sim.golden.network.frames import Message
from sim.golden.network.interests import Interests
from sim.golden.network.network import Network
from sim.golden.network.osid import OSid
from sim.golden.network.settings import Steady
from sim.golden.network.steady import SteadyBroker


def steady(links: Iterable[tuple[int, int]], config: BrokerConfig | None = None, **settings: Any) -> Network:
    """Brokers that are joined one link after the other; what they sent for that is forgotten."""
    pairs = list(links)
    network = Network({bid: bid for pair in pairs for bid in pair}, pairs, Steady(**settings), config)
    for pair in pairs:
        join(network, *pair)
    network.records.clear()
    return network


def join(network: Network, one: int, other: int) -> None:
    network.topology(one, b"*", other)
    network.topology(other, b"*", one)
    network.settle()


def frames(network: Network) -> list[str]:
    """The frames on links since the last look."""
    found = [f"{crossing} {crossing.message.body.decode()}".strip() for crossing in network.crossings]
    network.records.clear()
    return found


def notified(network: Network) -> list[tuple[int, int, int | None]]:
    found = [(one.at, one.sid, one.publication) for one in network.deliveries]
    network.records.clear()
    return found


def do(network: Network, action: str, *arguments: Any, **more: Any) -> list[str]:
    """What one action sends until the network is quiet."""
    getattr(network, action)(*arguments, **more)
    network.settle()
    return frames(network)


LINE = [(1, 2), (2, 3)]


def test_an_interest_goes_everywhere_once_with_the_senders_bid_alone() -> None:
    network = steady(LINE)
    assert do(network, "subscribe", 1, 7, "//x") == ["SUBSCRIBE {0|1} 1>2 //x", "SUBSCRIBE {0|2} 2>3 //x"]
    assert do(network, "subscribe", 1, 8, " // x ") == []


def test_a_second_source_is_told_to_the_first() -> None:
    network = steady(LINE)
    do(network, "subscribe", 1, 7, "//x")
    assert do(network, "subscribe", 3, 9, "//x") == ["SUBSCRIBE {0|3} 3>2 //x", "SUBSCRIBE {0|2} 2>1 //x"]
    assert do(network, "subscribe", 2, 5, "//x") == []


def test_the_last_member_withdraws() -> None:
    network = steady(LINE)
    for sid in (7, 8):
        do(network, "subscribe", 1, sid, "//x")
    do(network, "subscribe", 3, 9, "//x")
    assert do(network, "unsubscribe", 1, 7) == []
    assert do(network, "unsubscribe", 1, 8) == ["UNSUBSCRIBE {0|1} 1>2", "UNSUBSCRIBE {0|2} 2>3"]
    assert do(network, "unsubscribe", 3, 9) == ["UNSUBSCRIBE {0|3} 3>2", "UNSUBSCRIBE {0|2} 2>1"]
    assert [broker.interests.classes for broker in network.brokers.values() if isinstance(broker, SteadyBroker)] == [{}, {}, {}]


def test_semantics_keep_expressions_apart_and_go_with_them() -> None:
    network = steady([(1, 2)])
    do(network, "subscribe", 1, 1, "//x/y")
    do(network, "subscribe", 1, 2, "//x/y", semantics=Semantics.CONTAINMENT)
    network.publish(2, b"<y><x/></y>")
    network.settle()
    assert notified(network) == [(1, 2, 0)]


def test_one_copy_a_link_and_one_notification_a_subscriber() -> None:
    network = steady([*LINE, (2, 4)])
    for at, sid, text in ((1, 1, "//x"), (1, 2, "//x[@a]"), (3, 3, "//x"), (3, 4, "//x[@b]"), (4, 5, "//y")):
        do(network, "subscribe", at, sid, text)
    network.publish(1, b"<x a=''/>")
    network.settle()
    assert [str(crossing) for crossing in network.crossings] == ["ROUTE {0|1} 1>2", "ROUTE {0|1} 2>3"]
    assert notified(network) == [(1, 1, 0), (1, 2, 0), (3, 3, 0)]


def test_identity_and_links_left_of_a_publication() -> None:
    network = steady(LINE, hop_limit=9)
    do(network, "subscribe", 3, 3, "//x")
    for number in (0, 1):
        network.publish(1, b"<x/>")
        network.settle()
        sent = [(one.message.osid, one.message.reference, one.message.aux, one.message.body) for one in network.crossings]
        assert sent == [(OSid(0, (1,)), number, 8, b"<x/>"), (OSid(0, (1,)), number, 7, b"<x/>")]
        network.records.clear()


def test_numbers_of_a_broker_that_was_started_again_are_new() -> None:
    network = steady([(1, 2)])
    do(network, "subscribe", 2, 3, "//x")
    assert do(network, "publish", 1, b"<x/>") == ["ROUTE {0|1} 1>2 <x/>"]
    network.broker(1, up=False)
    network.broker(1, up=True)
    join(network, 1, 2)
    network.records.clear()
    network.publish(1, b"<x/>")
    network.settle()
    assert [one.message.reference for one in network.crossings] == [1 << 24]
    assert notified(network) == [(2, 3, 1)]


def test_the_hop_limit_ends_a_publication() -> None:
    network = steady(LINE, hop_limit=1)
    do(network, "subscribe", 3, 3, "//x")
    assert do(network, "publish", 1, b"<x/>") == ["ROUTE {0|1} 1>2 <x/>"]
    network.publish(1, b"<x/>")
    network.settle()
    assert network.counted() == {Counter.LOST_HOPS: 1}


def test_in_a_ring_nothing_is_notified_twice() -> None:
    network = steady([(1, 2), (2, 3), (3, 1)])
    for bid in (1, 2, 3):
        do(network, "subscribe", bid, bid, "//x")
    network.publish(1, b"<x/>")
    network.settle()
    assert network.counted() == {Counter.DUPLICATES: 2}
    assert notified(network) == [(1, 1, 0), (2, 2, 0), (3, 3, 0)]


def test_the_window_forgets_the_oldest() -> None:
    network = steady([(1, 2)], window=2)
    do(network, "subscribe", 2, 2, "//x")
    first = Message(Kind.ROUTE, OSid(0, (9,)), 1, 5, b"<x/>", publication=0)
    for reference in (1, 2, 1, 3, 4, 1):
        network.put(1, 2, Message(Kind.ROUTE, first.osid, reference, 5, b"<x/>", publication=reference))
    network.settle()
    assert [one.publication for one in network.deliveries] == [1, 2, 3, 4, 1]
    assert network.counted() == {Counter.DUPLICATES: 1}


def test_content_is_cut_where_the_subscriber_is() -> None:
    network = steady(LINE)
    for sid, content in enumerate(Content, start=1):
        do(network, "subscribe", 3, sid, "//x", content=content, link=sid - 1)
    network.publish(1, b"<a><x>1</x><x/></a>")
    network.settle()
    assert [(one.sid, one.link, one.body) for one in network.deliveries] == [
        (1, 0, b"<x>1</x><x/>"),
        (2, 1, b"<a><x>1</x><x/></a>"),
        (3, 2, b""),
    ]


def test_a_publication_that_is_no_document_stays_where_it_is() -> None:
    network = steady([(1, 2)])
    do(network, "subscribe", 2, 2, "//x")
    network.publish(1, b"<x>")
    network.settle()
    assert (network.crossings, network.counted()) == ([], {Counter.REJECTED: 1})


# leases


def test_a_lease_ends_and_can_be_renewed() -> None:
    network = steady([(1, 2)])
    do(network, "subscribe", 1, 1, "//x", lease=10)
    do(network, "subscribe", 1, 2, "//y")
    network.pass_time(9)
    assert do(network, "subscribe", 1, 1, "//x", lease=10) == []
    assert do(network, "pass_time", 9) == []
    network.pass_time(1)
    network.settle()
    assert network.counted() == {Counter.LEASES_ENDED: 1}
    assert frames(network) == ["UNSUBSCRIBE {0|1} 1>2"]
    assert do(network, "pass_time", 1000) == []


def test_what_cannot_be_registered_is_refused() -> None:
    network = steady([(1, 2)], BrokerConfig(subscriptions=2))
    for sid, text in ((0, "//x"), (1, "//x["), (1, "//x"), (1, "//x"), (2, "//y"), (3, "//x")):
        network.subscribe(1, sid, text)
    network.unsubscribe(1, 9)
    network.accept(1, Message(Kind.SUBSCRIBE, OSid(4, (2,)), body=b"//x"))
    network.accept(1, Message(Kind.TOPOLOGY, aux=9, body=b"*"))
    network.accept(1, Message(Kind.TOPOLOGY, aux=2, body=b"**"))
    codes = [(one.sid, one.code.text) for one in network.refusals]
    assert codes == [
        (0, "bad-header"),
        (1, "unterminated"),
        (1, "duplicate-sid"),
        (3, "full-subscriptions"),
        (9, "unknown-sid"),
        (4, "bad-header"),
        (0, "not-a-neighbour"),
        (0, "bad-topology"),
    ]


def test_an_interest_that_does_not_fit_is_answered_and_counted() -> None:
    network = steady([(1, 2)], BrokerConfig(subscriptions=2))
    for sid in (1, 2):
        do(network, "subscribe", 2, sid, "//y")
    network.subscribe(1, 1, "//x")
    network.settle()
    assert [str(one) for one in network.crossings] == ["SUBSCRIBE {0|1} 1>2", "RESULT {0|1} 2>1"]
    assert network.crossings[1].message.aux == 19
    assert network.counted(1) == {Counter.NEIGHBOUR_REFUSED: 1}


def test_frames_that_the_policy_has_no_use_for_are_counted() -> None:
    network = steady([(1, 2)])
    network.put(1, 2, Message(Kind.FORWARD, OSid(4, (2, 1))))
    network.put(1, 2, Message(Kind.UNSUBSCRIBE, OSid(0, (1,)), 44))
    network.put(1, 2, Message(Kind.SUBSCRIBE, OSid(0, (1,)), 45, body=b"//x["))
    network.settle()
    assert network.counted(2) == {Counter.UNEXPECTED: 1, Counter.UNKNOWN_INTEREST: 1}
    assert network.crossings[-1].message.aux == 10


# links that go and come back


def test_a_broken_link_loses_nothing_silently_and_heals() -> None:
    network = steady(LINE)
    do(network, "subscribe", 3, 3, "//x")
    do(network, "subscribe", 1, 1, "//x")
    network.link(2, 3, up=False)
    network.publish(1, b"<x/>")
    network.settle()
    assert [(one.at, one.counter, one.publication) for one in network.losses] == [(2, Counter.LOST_NO_LINK, 0)]
    network.unsubscribe(1, 1)
    network.settle()
    network.records.clear()
    network.link(2, 3, up=True)
    assert do(network, "publish", 1, b"<x/>") == ["ROUTE {0|1} 1>2 <x/>"]
    join(network, 2, 3)
    assert frames(network) == ["MARKER {0|2} 2>3", "SUBSCRIBE {0|3} 3>2 //x", "MARKER {0|3} 3>2"]
    assert do(network, "publish", 1, b"<x/>") == ["ROUTE {0|1} 1>2 <x/>", "ROUTE {0|1} 2>3 <x/>"]


def test_frames_on_a_link_that_is_cut_are_counted() -> None:
    network = steady([(1, 2)])
    do(network, "subscribe", 2, 2, "//x")
    network.publish(1, b"<x/>")
    network.subscribe(1, 1, "//y")
    network.link(1, 2, up=False)
    assert network.counted(1) == {Counter.LOST_ON_LINK: 1, Counter.CONTROL_LOST: 1}
    assert network.quiet


def test_what_was_cancelled_meanwhile_goes_with_the_marker() -> None:
    network = steady(LINE)
    do(network, "subscribe", 3, 3, "//x")
    do(network, "subscribe", 3, 4, "//y")
    network.link(2, 3, up=False)
    network.unsubscribe(3, 3)
    network.settle()
    network.link(2, 3, up=True)
    network.records.clear()
    join(network, 2, 3)
    sent = ["MARKER {0|2} 2>3", "SUBSCRIBE {0|3} 3>2 //y", "MARKER {0|3} 3>2", "UNSUBSCRIBE {0|2} 2>1"]
    assert frames(network) == sent


def test_taking_the_entry_out_forgets_the_neighbour() -> None:
    network = steady(LINE)
    do(network, "subscribe", 3, 3, "//x")
    network.link(2, 3, up=False)
    assert do(network, "topology", 2, b"*", 3, remove=True) == ["UNSUBSCRIBE {0|2} 2>1"]
    network.publish(1, b"<x/>")
    network.settle()
    assert network.losses == []


def test_a_link_that_leaves_the_tree_alive_is_emptied() -> None:
    network = steady(LINE)
    do(network, "subscribe", 3, 3, "//x")
    do(network, "subscribe", 1, 1, "//x")
    network.topology(2, b"*", 3, remove=True)
    sent = do(network, "topology", 3, b"*", 2, remove=True)
    assert sorted(sent) == ["UNSUBSCRIBE {0|2} 2>1", "UNSUBSCRIBE {0|2} 2>3", "UNSUBSCRIBE {0|3} 3>2"]


def test_the_marker_waits_for_those_of_the_other_neighbours() -> None:
    """Broker 2 comes back and is joined to both neighbours at once: what 3 wants is with 1 before 2's marker."""
    network = steady(LINE)
    do(network, "subscribe", 3, 3, "//x")
    network.broker(2, up=False)
    network.broker(2, up=True)
    network.records.clear()
    network.topology(2, b"*", 1, aux=MORE_FLAG)
    for at, to in ((2, 3), (1, 2), (3, 2)):
        network.topology(at, b"*", to)
    network.settle()
    assert [frame for frame in frames(network) if frame.endswith(("2>1", "2>1 //x"))] == ["SUBSCRIBE {0|2} 2>1 //x", "MARKER {0|2} 2>1"]


def test_a_broker_that_knows_no_neighbour_yet_counts_what_it_takes_as_lost() -> None:
    network = steady([(1, 2)])
    do(network, "subscribe", 2, 2, "//x")
    network.broker(1, up=False)
    network.broker(1, up=True)
    network.publish(1, b"<x/>")
    network.settle()
    assert [(one.counter, one.publication) for one in network.losses] == [(Counter.LOST_UNREADY, 0)]
    assert Counter.LOST_UNREADY in LOSSES


# covering


def test_a_wide_interest_hides_the_narrow_and_its_end_reveals_them() -> None:
    network = steady([(1, 2)], covering=True)
    assert do(network, "subscribe", 1, 1, "//x[@a > 5]") == ["SUBSCRIBE {0|1} 1>2 //x[@a > 5]"]
    assert do(network, "subscribe", 1, 2, "//x[@a > 2]") == ["SUBSCRIBE {0|1} 1>2 //x[@a > 2]", "UNSUBSCRIBE {0|1} 1>2"]
    assert do(network, "subscribe", 1, 3, "//x[@a > 7]") == []
    assert do(network, "unsubscribe", 1, 2) == ["SUBSCRIBE {0|1} 1>2 //x[@a > 5]", "UNSUBSCRIBE {0|1} 1>2"]
    assert do(network, "unsubscribe", 1, 1) == ["SUBSCRIBE {0|1} 1>2 //x[@a > 7]", "UNSUBSCRIBE {0|1} 1>2"]


def test_containment_subscriptions_are_not_hidden() -> None:
    network = steady([(1, 2)], covering=True)
    do(network, "subscribe", 1, 1, "//x")
    assert do(network, "subscribe", 1, 2, "/a/x", semantics=Semantics.CONTAINMENT) == ["SUBSCRIBE {0|1} 1>2 /a/x"]


def test_of_equivalent_expressions_one_is_sent() -> None:
    """``//a//*//b`` and ``//a/*//b`` match the same documents."""
    interests = Interests(covering=True)
    for place, text in enumerate(("//a//*//b", "//a/*//b", "//a/*/b", "//a//b")):
        interests.hold((xpath.compile(text), Semantics.EXACT)).locals.add((place, 0))
    wanted = [expression[0].text for expression in interests.wanted(2, lambda expression: True)]
    assert wanted == [b"//a//b"]


# narrowing by the VRT


def test_an_entry_for_something_narrows_the_way_and_adds_none() -> None:
    network = steady([(1, 2), (1, 3)])
    do(network, "topology", 1, b"price", 3)
    assert do(network, "subscribe", 1, 1, "//stock/price") == ["SUBSCRIBE {0|1} 1>3 //stock/price"]
    assert do(network, "subscribe", 1, 2, "//stock") == ["SUBSCRIBE {0|1} 1>2 //stock", "SUBSCRIBE {0|1} 1>3 //stock"]
    assert do(network, "topology", 1, b"stock", 2) == ["SUBSCRIBE {0|1} 1>2 //stock/price", "UNSUBSCRIBE {0|1} 1>3"]
    assert do(network, "topology", 1, b"stock", 2, remove=True) == ["UNSUBSCRIBE {0|1} 1>2", "SUBSCRIBE {0|1} 1>3 //stock"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"window": 0}, "window must be 1 to 65536, not 0"),
        ({"hop_limit": True}, "hop_limit must be 1 to 65535, not True"),
        ({"covering": "yes"}, "covering must be true or false, not 'yes'"),
    ],
)
def test_bad_settings(settings: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        Steady(**settings)
