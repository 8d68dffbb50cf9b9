"""The cyclic policy at its boundaries: crowds, long paths, rings, what comes too late, and what cannot be right."""

from collections import Counter as Tally

import pytest

from hdl.contract import Kind, Semantics
from sim.golden.network.codes import SOLICIT_FLAG, Counter, NetworkKind
from sim.golden.network.frames import Message
from sim.golden.network.network import Network
from sim.golden.network.osid import OSid
from sim.golden.network.settings import Cyclic
from sim.vectors.documents import thesis_document
from sim.vectors.queries import thesis_set
from tests.golden.network.cycles import P_F, broker, cyclic, frames, line, modes, notified


def kinds(network: Network) -> Tally[str]:
    return Tally(crossing.message.text for crossing in network.crossings)


# crowds [T-Fig 5.20 l.37-38]


@pytest.mark.parametrize("sampling", ["sound", "literal"])
@pytest.mark.parametrize(("alike", "sent"), [(31, 31), (32, 1)])
def test_a_crowd_begins_at_32_alike(sampling: str, alike: int, sent: int) -> None:
    network = line(2, sampling=sampling)
    for sid in range(1, alike + 1):
        network.subscribe(1, sid, "//F")
    network.settle()
    assert kinds(network) == {"SUBSCRIBE": sent}
    assert frames(network)[0] == ("SUBSCRIBE {0|1} 1>2" if sent == 1 else "SUBSCRIBE {1|1} 1>2")


@pytest.mark.parametrize(("sampling", "sent"), [("sound", ["{0|1}", "{0|1}", "{91|1}", "{92|1}", "{93|1}"]), ("literal", ["{0|1}"])])
def test_a_mixed_crowd_loses_nobody_by_sound_sampling(sampling: str, sent: list[str]) -> None:
    network = line(2, sampling=sampling)
    network.topology(1, b"*", 2)
    for sid in range(1, 91):
        network.subscribe(1, sid, "//F" if sid % 2 else "F[@a]")
    for sid in (91, 92, 93):
        network.subscribe(1, sid, f"//G{sid}")
    network.publish(2, P_F)
    network.publish(2, b"<G91/>")
    network.settle()
    assert [str(crossing.message.osid) for crossing in network.crossings if crossing.message.text == "SUBSCRIBE"] == sent
    got = {1: Tally(dict.fromkeys(range(1, 91, 2), 1) | ({91: 1} if sampling == "sound" else {}))}
    assert notified(network) == got


def test_below_the_threshold_a_high_commonality_degree_makes_no_sample() -> None:
    network = line(2)
    network.publish(1, b"<F><hit/></F>")
    for sid in range(1, 51):
        network.subscribe(1, sid, "//F/miss" if sid > 25 else "//F/hit")
    network.settle()
    assert broker(network, 1).registry.commonality
    assert kinds(network) == {"SUBSCRIBE": 25}


def test_the_threshold_is_a_setting() -> None:
    network = line(2, threshold=41)
    for sid in range(1, 41):
        network.subscribe(1, sid, "//F")
    network.settle()
    assert kinds(network) == {"SUBSCRIBE": 40}


def test_a_remote_crowd_is_answered_through_the_broker_that_samples() -> None:
    """40 subscriptions of two neighbours are a crowd in B2 only: its sample is {0|2}, so that the publication stops there."""
    network = cyclic([1, 2, 3, 4], (1, 2), (2, 3), (4, 2))
    for at, to in ((1, 2), (4, 2), (2, 3)):
        network.topology(at, b"F", to)
    network.publish(3, P_F)
    for sid in range(1, 21):
        network.subscribe(1, sid, "//F")
        network.subscribe(4, sid, "//F")
    network.settle()
    assert kinds(network) == {"SUBSCRIBE": 41, "ROUTE": 1, "FORWARD": 40}
    assert [frame for frame in frames(network) if frame.endswith(("2>3", "3>2"))] == ["SUBSCRIBE {0|2} 2>3", "ROUTE {0|2,3} 3>2"]
    assert [frame for frame in frames(network) if frame.startswith("FORWARD {20|")] == ["FORWARD {20|1,2} 2>1", "FORWARD {20|4,2} 2>4"]
    assert notified(network) == {1: Tally(range(1, 21)), 4: Tally(range(1, 21))}


def test_a_publication_that_comes_back_after_its_crowd_was_cleared_finds_nobody() -> None:
    network = line(2, retained=0)
    network.publish(2, P_F)
    for sid in range(1, 33):
        network.subscribe(1, sid, "//F")
    while not network.crossings:
        network.step()
    network.subscribe(1, 99, "//G")
    network.settle()
    assert frames(network) == ["SUBSCRIBE {0|1} 1>2", "ROUTE {0|1,2} 2>1"]
    assert notified(network) == {}
    assert modes(network, 1).count("oPnS") == 1


def test_two_samples_of_one_origin_bring_a_publication_once() -> None:
    network = line(2)
    network.publish(2, b"<F><G/></F>")
    for sid in range(1, 41):
        network.subscribe(1, sid, "//F")
    for sid in range(41, 81):
        network.subscribe(1, sid, "//F/G")
    network.settle()
    assert kinds(network) == {"SUBSCRIBE": 2, "ROUTE": 1}
    assert notified(network) == {1: Tally(range(1, 81))}


def test_a_publication_is_not_taken_twice_while_it_is_still_here() -> None:
    network = line(2)
    network.publish(2, P_F)
    for sid in range(1, 41):
        network.subscribe(1, sid, "//F")
    network.settle()
    again = next(crossing.message for crossing in network.crossings if crossing.message.kind is Kind.ROUTE)
    network.put(2, 1, again)
    network.settle()
    assert network.counted(1)[Counter.DUPLICATES] == 1
    assert notified(network) == {1: Tally(range(1, 41))}


def test_a_publication_longer_than_the_ring_is_not_routed_and_counted() -> None:
    network = line(2)
    network.publish(2, b"<F>" + b"x" * 2042 + b"</F>")
    network.publish(2, b"<F>" + b"x" * 2041 + b"</F>")
    for sid in range(1, 41):
        network.subscribe(1, sid, "//F")
    network.settle()
    assert (network.counted(2)[Counter.TOO_LONG], kinds(network)["ROUTE"]) == (1, 1)
    assert [loss.publication for loss in network.losses] == [0]
    assert {one.publication for one in network.deliveries} == {1}


# paths and rings


@pytest.mark.parametrize(("bid_bits", "fits"), [(8, 7), (4, 14), (2, 28)])
@pytest.mark.parametrize("over", [-1, 0, 1])
def test_the_longest_path(bid_bits: int, fits: int, over: int) -> None:
    count = fits + over
    bids = {at: at if bid_bits > 2 else at % 3 + 1 for at in range(1, count + 1)}
    network = Network(bids, [(at, at + 1) for at in range(1, count)], Cyclic(bid_bits=bid_bits, unique=bid_bits > 2))
    for at in range(1, count):
        network.topology(at, b"F", bids[at + 1])
    network.publish(count, P_F)
    network.subscribe(1, 7, "//F")
    network.settle()
    if over <= 0:
        assert kinds(network) == {"SUBSCRIBE": count - 1, "FORWARD": count - 1}
        assert notified(network) == {1: {7: 1}}
    else:
        assert kinds(network) == {"SUBSCRIBE": fits - 1}
        assert network.counted(fits) == {Counter.PATH_FULL: 1}


def test_a_full_path_is_refused_where_it_comes() -> None:
    network = line(2)
    network.put(1, 2, Message(Kind.SUBSCRIBE, OSid(3, (9, 8, 7, 6, 5, 4, 1)), 3, body=b"//F"))
    network.settle()
    assert frames(network) == ["SUBSCRIBE {3|9,8,7,6,5,4,1} 1>2", "RESULT {3|9,8,7,6,5,4,1} 2>1"]
    assert network.crossings[1].message.aux == 65
    assert network.counted(1) == {Counter.NEIGHBOUR_REFUSED: 1}


def test_a_ring_of_three_ends_where_it_began() -> None:
    network = cyclic([1, 2, 3], (1, 2), (2, 3), (3, 1))
    for at, to in ((1, 2), (2, 3), (3, 1)):
        network.topology(at, b"F", to)
    network.subscribe(1, 4, "//F")
    network.settle()
    assert frames(network) == ["SUBSCRIBE {4|1} 1>2", "SUBSCRIBE {4|1,2} 2>3"]
    assert network.counted() == {Counter.NO_ROUTE: 1}


def test_a_subscription_that_was_here_before_is_refused() -> None:
    network = cyclic([1, 2], (1, 2))
    network.put(1, 2, Message(Kind.SUBSCRIBE, OSid(4, (2, 1)), 4, body=b"//F"))
    network.settle()
    assert network.crossings[1].message.aux == 66


def test_where_bids_are_not_unique_only_the_way_back_is_barred() -> None:
    network = Network({1: 1, 2: 2, 3: 3, 4: 1}, [(1, 2), (2, 3), (3, 4)], Cyclic(bid_bits=2, unique=False))
    for at, bid in ((1, 2), (2, 3), (3, 1)):
        network.topology(at, b"F", bid)
    network.publish(4, P_F)
    network.subscribe(1, 4, "//F")
    network.settle()
    assert frames(network)[2:4] == ["SUBSCRIBE {4|1,2,3} 3>4", "FORWARD {4|1,2,3,1} 4>3"]
    assert notified(network) == {1: {4: 1}}


def test_neighbours_must_have_different_bids() -> None:
    with pytest.raises(ValueError, match=r"^a broker and its neighbours must have different BIDs, and those round 2 have not$"):
        Network({1: 1, 2: 2, 3: 1}, [(1, 2), (2, 3)], Cyclic(bid_bits=2, unique=False))


# SRoA


def test_a_late_publication_suspends_routing_and_nothing_is_routed_twice() -> None:
    network = line(2, threshold=100)
    for sid in range(1, 9):
        network.subscribe(1, sid, "//F" if sid < 8 else "//F[@late]")
    while len(network.crossings) < 3:
        network.step()
    late = network.publish(1, b"<F late='1'/>")
    network.settle()
    assert modes(network, 1) == ["NOP", "nPnS", "nPoS", "oPoS", "nPoS", "oPoS"]
    sent = [crossing.message.osid.sid for crossing in network.crossings]
    assert sent == [1, 2, 3, 4, 5]
    assert [(one.sid, one.publication) for one in network.deliveries] == [(sid, late) for sid in range(1, 9)]


def test_new_subscriptions_wait_for_the_end_of_routing() -> None:
    network = line(2, threshold=100)
    for sid in range(1, 9):
        network.subscribe(1, sid, "//F")
    while len(network.crossings) < 3:
        network.step()
    network.subscribe(1, 9, "//F")
    network.settle()
    assert [crossing.message.osid.sid for crossing in network.crossings] == list(range(1, 10))
    assert modes(network, 1) == ["NOP", "nPnS", "nPoS", "oPoS", "oPnS", "nPnS", "nPoS", "oPoS"]
    assert network.counted(1) == {}


def when_routing(network: Network, at: int) -> None:
    """Go on until a broker is about to forward subscriptions."""
    while modes(network, at)[-1] != "oPoS":
        network.step()


def test_a_refused_subscription_goes_to_the_next_neighbour() -> None:
    network = cyclic([1, 2, 3], (1, 2), (1, 3))
    network.topology(1, b"F", 2)
    network.topology(1, b"F", 3)
    network.publish(3, P_F)
    network.subscribe(1, 5, "//F")
    when_routing(network, 1)
    network.put(1, 2, Message(Kind.SUBSCRIBE, OSid(5, (1,)), 5, body=b"//F"))
    network.settle()
    sent = ["SUBSCRIBE {5|1} 1>2", "RESULT {5|1} 2>1", "SUBSCRIBE {5|1} 1>3", "FORWARD {5|1,3} 3>1"]
    assert frames(network)[1:] == sent
    assert network.crossings[2].message.aux == 17
    assert notified(network) == {1: {5: 1}}
    assert network.counted(1) == {Counter.NEIGHBOUR_REFUSED: 1}


@pytest.mark.parametrize("sampling", ["sound", "literal"])
def test_a_refused_sample_goes_to_the_next_neighbour(sampling: str) -> None:
    network = cyclic([1, 2, 3], (1, 2), (1, 3), sampling=sampling)
    network.topology(1, b"F", 2)
    network.topology(1, b"F", 3)
    network.publish(3, P_F)
    for sid in range(1, 41):
        network.subscribe(1, sid, "//F")
    when_routing(network, 1)
    network.put(1, 2, Message(Kind.SUBSCRIBE, OSid(0, (1,)), 1, body=b"//F"))
    network.settle()
    sent = ["SUBSCRIBE {0|1} 1>2", "RESULT {0|1} 2>1", "SUBSCRIBE {0|1} 1>3", "ROUTE {0|1,3} 3>1"]
    assert frames(network)[1:] == sent
    assert notified(network) == {1: Tally(range(1, 41))}


def test_no_route_a_link_that_is_down_and_a_raw_frame_that_is_gone() -> None:
    network = cyclic([1, 2], (1, 2), raw_bytes=23)
    network.subscribe(1, 1, "//F")
    network.settle()
    network.topology(1, b"F", 2)
    network.link(1, 2, up=False)
    network.subscribe(1, 2, "//F")
    network.settle()
    assert network.counted(1) == {Counter.NO_ROUTE: 2}
    network.link(1, 2, up=True)
    network.subscribe(1, 3, "//F")
    network.subscribe(1, 4, "//F")
    network.settle()
    assert network.counted(1) == {Counter.NO_ROUTE: 2, Counter.RAW_DROPPED: 1}
    assert frames(network) == ["SUBSCRIBE {4|1} 1>2"]


# solicitation


def test_a_solicitation_floods_a_ring_once() -> None:
    network = cyclic(range(1, 5), (1, 2), (2, 3), (3, 4), (4, 2))
    network.topology(1, b"F", 2, aux=SOLICIT_FLAG)
    network.publish(1, P_F)
    network.publish(4, P_F)
    network.subscribe(1, 1, "//F")
    network.subscribe(1, 2, "//F")
    network.settle()
    assert [frame for frame in frames(network) if frame.startswith("SOLICIT")] == [
        "SOLICIT {0|1} 1>2",
        "SOLICIT {0|1,2} 2>3",
        "SOLICIT {0|1,2} 2>4",
        "SOLICIT {0|1,2,3} 3>4",
        "SOLICIT {0|1,2,4} 4>3",
    ]
    assert network.counted() == {Counter.SAMPLES_REPEATED: 2}
    assert notified(network) == {1: {1: 2, 2: 2}}


def test_a_matched_subscription_is_asked_for_only_where_it_is_ordered() -> None:
    network = line(2)
    network.publish(1, P_F)
    network.publish(2, P_F)
    network.subscribe(1, 1, "//F")
    network.settle()
    assert (frames(network), notified(network)) == ([], {1: {1: 1}})


# on the way back, in any mode [T-Fig 5.23]


def test_a_notification_passes_a_broker_in_nop() -> None:
    network = cyclic([1, 2, 3], (1, 2), (2, 3))
    network.put(3, 2, Message(Kind.FORWARD, OSid(6, (1, 2, 3)), 77, body=b"<F/>", link=2))
    network.settle()
    assert frames(network) == ["FORWARD {6|1,2,3} 3>2", "FORWARD {6|1,2} 2>1"]
    assert [modes(network, at) for at in (1, 2, 3)] == [["NOP"]] * 3
    (delivery,) = network.deliveries
    assert (delivery.at, delivery.sid, delivery.reference, delivery.link, delivery.body) == (1, 6, 77, 2, b"<F/>")


@pytest.mark.parametrize(
    ("path", "counter"),
    [
        ((2,), Counter.SHORT_PATH),
        ((), Counter.SHORT_PATH),
        ((9, 3), Counter.NOT_OWN),
        ((2, 9), Counter.NOT_SENDER),
        ((9, 2, 3), Counter.NO_PORT),
    ],
)
@pytest.mark.parametrize(("kind", "sid"), [(Kind.FORWARD, 5), (Kind.ROUTE, 0)])
def test_what_cannot_be_right_on_its_way_back_is_dropped_and_counted(path: tuple[int, ...], counter: Counter, kind: Kind, sid: int) -> None:
    network = cyclic([1, 2, 3], (1, 2), (2, 3))
    network.put(3, 2, Message(kind, OSid(sid, path), body=P_F))
    network.settle()
    assert (len(network.crossings), network.counted(2)) == (1, {counter: 1})


@pytest.mark.parametrize(
    "message", [Message(Kind.FORWARD, OSid(0, (2, 3))), Message(Kind.ROUTE, OSid(4, (2, 3))), Message(NetworkKind.MARKER)]
)
def test_frames_that_the_policy_has_no_use_for_are_counted(message: Message) -> None:
    network = cyclic([2, 3], (2, 3))
    network.put(3, 2, message)
    network.settle()
    assert network.counted(2) == {Counter.UNEXPECTED: 1}


def test_notifications_on_a_link_that_dies_are_counted_as_lost() -> None:
    network = line(2)
    network.publish(2, P_F)
    network.subscribe(1, 5, "//F")
    while not any(message.message.carries for message in network.links._underway):
        network.step()
    network.link(1, 2, up=False)
    network.settle()
    assert [(loss.at, loss.counter, loss.publication) for loss in network.losses] == [(2, Counter.LOST_ON_LINK, 0)]


def test_a_broker_that_dies_loses_the_publications_that_it_holds() -> None:
    network = cyclic([1])
    network.publish(1, P_F)
    network.broker(1, up=False)
    network.publish(1, P_F)
    assert [(loss.counter, loss.publication) for loss in network.losses] == [(Counter.LOST_DOWN, 0), (Counter.LOST_DOWN, 1)]
    network.subscribe(1, 5, "//F")
    assert network.refusals[0].code.text == "broker-down"


# users


def test_a_subscriber_cannot_have_sid_0_nor_a_path() -> None:
    network = cyclic([1])
    network.subscribe(1, 0, "//F")
    network.accept(1, Message(Kind.SUBSCRIBE, OSid(4, (2,)), body=b"//F"))
    assert [(one.sid, one.code.text) for one in network.refusals] == [(0, "bad-header"), (4, "bad-header")]
    assert network.quiet


def test_cancelling_what_is_registered_what_waits_and_what_is_not_there() -> None:
    network = cyclic([1])
    network.subscribe(1, 1, "//F")
    network.unsubscribe(1, 1)
    network.subscribe(1, 2, "//F")
    network.subscribe(1, 3, "//F")
    network.settle()
    network.unsubscribe(1, 3)
    network.unsubscribe(1, 4)
    network.publish(1, P_F)
    network.settle()
    assert notified(network) == {1: {2: 1}}
    assert [(one.sid, one.code.text) for one in network.refusals] == [(4, "unknown-sid")]


def test_a_sid_that_is_registered_is_refused_and_a_malformed_publication_matches_nobody() -> None:
    network = cyclic([1])
    network.subscribe(1, 1, "//F")
    network.subscribe(1, 1, "//F")
    network.publish(1, b"<F>")
    network.settle()
    assert [(one.sid, one.code.text) for one in network.refusals] == [(1, "duplicate-sid")]
    assert (network.counted(), notified(network)) == ({Counter.REJECTED: 1, Counter.NO_ROUTE: 1}, {})


def test_topology_frames_that_cannot_be_taken() -> None:
    network = cyclic([1, 2], (1, 2), routes=1)
    network.topology(1, b"F", 9)
    network.topology(1, b"a b", 2)
    network.topology(1, b"F", 2)
    network.topology(1, b"G", 2)
    network.topology(1, b"F", 2, remove=True)
    network.topology(1, b"G", 2)
    assert [one.code.text for one in network.refusals] == ["not-a-neighbour", "bad-topology", "full-routes"]
    assert [route.x for route in broker(network, 1).routes] == [b"G"]


# the thesis's XPath sets [T 7.7, 7.10]


@pytest.mark.parametrize(("number", "out", "back"), [(3, ("SUBSCRIBE", 18), ("FORWARD", 18)), (4, ("SUBSCRIBE", 1), ("ROUTE", 1))])
@pytest.mark.parametrize("apart", [False, True], ids=["gathered", "one by one"])
def test_the_xpath_sets_of_the_thesis(number: int, out: tuple[str, int], back: tuple[str, int], apart: bool) -> None:
    """Sets 3 and 4 six times, the publication of 1008 bytes at B1 and one with ``bond`` at B2."""
    network = cyclic([1, 2], (1, 2), gather=0 if apart else 64)
    network.topology(1, b"bond", 2)
    network.publish(1, thesis_document(seed=1, size=1008))
    network.publish(2, b"<bond/>")
    subscriptions = thesis_set(number, series=6)
    assert len(subscriptions) == 252
    for one in subscriptions:
        network.subscribe(1, one.sid, one.text, semantics=Semantics.CONTAINMENT)
    network.settle()
    assert kinds(network) == dict([out, back])
    assert notified(network) == {1: Tally(range(1, 253))}
    local = sum(one.publication == 0 for one in network.deliveries)
    assert local == (234 if number == 3 else 0)
    assert network.counted() == {}
