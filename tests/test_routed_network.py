"""Networks of RTL brokers on Verilator under the steady policy, against the golden network and against literals."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

from hdl.config import BrokerConfig
from hdl.contract import Content, Frame, Header, Kind, OSid
from sim.golden.network.network import Network
from sim.golden.network.settings import Steady
from sim.vectors.networks import network_scenario
from sim.verilated.network import NetworkRun, play

CONFIG = BrokerConfig(
    subscriptions=31,
    steps=128,
    slices=4,
    names=32,
    learned=32,
    values=32,
    numbers=32,
    name_bytes=32,
    value_bytes=32,
    depth=16,
    attributes=8,
    prefixes=8,
    subscription_steps=8,
    xpath_bytes=128,
    links=1,
    xram_bytes=1024,
    selected=0,
)
P_F = b"<F/>"
SHOWN = (Kind.SUBSCRIBE, Kind.UNSUBSCRIBE, Kind.ROUTE)
Event = tuple[Any, ...]


def subscribe(at: int, sid: int, text: str) -> Event:
    return "subscribe", at, Frame(Header(Kind.SUBSCRIBE, OSid(sid), sid, content=Content.WHOLE), text.encode()).pack()


def unsubscribe(at: int, sid: int) -> Event:
    return "subscribe", at, Frame(Header(Kind.UNSUBSCRIBE, OSid(sid), sid)).pack()


def frames(run: NetworkRun) -> list[str]:
    """Each frame that came over a link but for HELLO, with its o-SID: KIND {SID|path} sender>receiver."""
    found = []
    for one in run.crossings:
        header = one.frame.header
        if header.kind is not Kind.HELLO:
            path = ",".join(map(str, header.osid.path))
            found.append(f"{header.kind.name} {{{header.osid.sid}|{path}}} {one.sender}>{one.receiver}")
    return found


def notified(run: NetworkRun) -> list[tuple[int, int, bytes]]:
    return [(one.at, one.frame.header.osid.sid, one.frame.body) for one in run.notified]


def apart(events: Sequence[Event]) -> list[Event]:
    """The events, each after the one before has had all its effects."""
    return [one for event in events for one in (event, ("settle",))]


def golden(bids: Sequence[int], links: Sequence[tuple[int, int]], tree: Sequence[tuple[int, int]], events: Sequence[Event]) -> Network:
    """The golden network after the events, each on its own."""
    network = Network(bids, links, Steady(), CONFIG)
    for one, other in tree:
        network.topology(one, b"*", other)
        network.topology(other, b"*", one)
    network.settle()
    for what, at, data in events:
        if what == "publish":
            network.publish(at, data)
        else:
            frame = Frame.unpack(data)
            header = frame.header
            if header.kind is Kind.UNSUBSCRIBE:
                network.unsubscribe(at, header.osid.sid)
            else:
                network.subscribe(at, header.osid.sid, frame.body, content=header.content)
        network.settle()
    return network


def compared(run: NetworkRun, network: Network) -> None:
    """Every notification in order, and the frames of each direction of each link: interests by their texts, publications whole."""
    deliveries: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for delivery in network.deliveries:
        deliveries[delivery.at, delivery.sid].append(delivery.body)
    came: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for at, sid, body in notified(run):
        came[at, sid].append(body)
    assert came == deliveries
    ours: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for one in run.crossings:
        header = one.frame.header
        if header.kind in SHOWN:
            ours[one.sender, one.receiver].append((header.kind, header.osid.path, header.reference, one.frame.body))
    theirs: dict[tuple[int, int], list[Any]] = defaultdict(list)
    for crossing in network.crossings:
        message = crossing.message
        if message.kind in SHOWN:
            theirs[crossing.sender, crossing.receiver].append((message.kind, message.osid.path, message.reference, message.body))
    assert {way: named(found) for way, found in ours.items()} == {way: named(found) for way, found in theirs.items()}


def named(found: list[Any]) -> list[Any]:
    """Frames in which an interest's reference is replaced by its text, because each network numbers its interests in its own way."""
    texts: dict[int, bytes] = {}
    given = []
    for kind, path, reference, body in found:
        if kind is Kind.SUBSCRIBE:
            texts[reference] = body
        given.append(
            (kind.name, path, texts[reference] if kind is Kind.UNSUBSCRIBE else None if kind is Kind.SUBSCRIBE else reference, body)
        )
    return given


def checked(
    bids: Sequence[int], links: Sequence[tuple[int, int]], events: Sequence[Event], *, tree: Sequence[tuple[int, int]] | None = None
) -> NetworkRun:
    run = play(CONFIG, bids, links, apart(events), tree=tree)
    compared(run, golden(bids, links, links if tree is None else tree, events))
    for counts in run.counts.values():
        assert (counts["lost"], counts["misrouted"], counts["broken"], counts["limited"], counts["oversized"]) == (0,) * 5
    return run


def test_scenario_1a_one_local_subscription() -> None:
    """No frame between brokers, one notification: by itself, and in a broker whose neighbours have no subscribers [T 5.4.4]."""
    run = checked([1], [], [subscribe(1, 9, "//F"), ("publish", 1, P_F)])
    assert (frames(run), notified(run)) == ([], [(1, 9, P_F)])
    run = checked([1, 2], [(1, 2)], [subscribe(1, 9, "//F"), ("publish", 1, P_F)])
    assert (frames(run), notified(run)) == (["SUBSCRIBE {0|1} 1>2"], [(1, 9, P_F)])


def test_a_publication_comes_from_another_broker() -> None:
    run = checked([1, 2], [(1, 2)], [subscribe(1, 5, "//F"), ("publish", 2, P_F), ("publish", 2, b"<G/>")])
    assert frames(run) == ["SUBSCRIBE {0|1} 1>2", "ROUTE {0|2} 2>1"]
    assert notified(run) == [(1, 5, P_F)]
    assert [one.frame.body for one in run.crossings if one.frame.header.kind is Kind.ROUTE] == [P_F]


def test_one_copy_a_link_over_three_brokers_and_the_end_of_interests() -> None:
    events = [
        *(subscribe(1, sid, "//F") for sid in (1, 2)),
        subscribe(1, 3, "//F[@a='1']"),
        subscribe(3, 7, "//F"),
        ("publish", 2, b"<F a='1'/>"),
        ("publish", 3, P_F),
        unsubscribe(1, 1),
        ("publish", 3, P_F),
        unsubscribe(1, 2),
        ("publish", 3, P_F),
        ("publish", 3, b"<F a='1'/>"),
        unsubscribe(1, 3),
        ("publish", 3, b"<F a='1'/>"),
        ("publish", 3, b"<F"),
    ]
    run = checked([1, 2, 3], [(1, 2), (2, 3)], events)
    routes = [frame for frame in frames(run) if frame.startswith("ROUTE")]
    assert sorted(routes[:2]) == ["ROUTE {0|2} 2>1", "ROUTE {0|2} 2>3"]
    assert routes[2:] == ["ROUTE {0|3} 3>2", "ROUTE {0|3} 2>1"] * 3
    assert {bid: counts["registered"] for bid, counts in run.counts.items()} == {1: 1, 2: 1, 3: 1}


def test_a_ring_uses_its_tree_and_joins_are_settled() -> None:
    links, tree = [(1, 2), (2, 3), (1, 3)], [(1, 2), (2, 3)]
    run = checked([1, 2, 3], links, [subscribe(1, 1, "//F"), subscribe(3, 1, "//F"), ("publish", 2, P_F)], tree=tree)
    assert not [one for one in run.crossings if {one.sender, one.receiver} == {1, 3} and one.frame.header.kind is not Kind.HELLO]
    assert [run.counts[bid]["joined"].bit_count() for bid in (1, 2, 3)] == [1, 2, 1]
    assert [run.counts[bid]["settled"].bit_count() for bid in (1, 2, 3)] == [1, 2, 1]


def test_a_link_that_is_cut_and_mended() -> None:
    """While it is cut nothing comes; afterwards interests are exchanged anew, and what was cancelled meanwhile is gone."""
    events: list[Event] = [
        *apart([subscribe(1, 1, "//F"), subscribe(1, 2, "//G"), ("publish", 2, P_F)]),
        *apart([("cut", 0), ("publish", 2, P_F), unsubscribe(1, 2)]),
        *apart([("mend", 0), ("publish", 2, P_F), ("publish", 2, b"<G/>")]),
    ]
    run = play(CONFIG, [1, 2], [(1, 2)], events)
    assert notified(run) == [(1, 1, P_F), (1, 1, P_F)]
    assert frames(run) == ["SUBSCRIBE {0|1} 1>2", "SUBSCRIBE {0|1} 1>2", "ROUTE {0|2} 2>1", "SUBSCRIBE {0|1} 1>2", "ROUTE {0|2} 2>1"]
    assert {bid: counts["registered"] for bid, counts in run.counts.items()} == {1: 1, 2: 1}


@pytest.mark.parametrize("brokers", [2, 3])
def test_brokers_that_route_to_each_other_do_not_lock_up(brokers: int) -> None:
    """Publications without a pause at every broker of a line, for subscribers at all: every one comes, once, in its publisher's order."""
    bids, count = list(range(1, brokers + 1)), 60 // brokers
    documents = {bid: [b"<F b='%d' n='%d'/>" % (bid, number) + b" " * (number * 37 % 700) for number in range(count)] for bid in bids}
    events: list[Event] = [*apart([subscribe(bid, 1, "//F") for bid in bids])]
    events += [("publish", bid, documents[bid][number]) for number in range(count) for bid in bids]
    run = play(CONFIG, bids, [(bid, bid + 1) for bid in bids[:-1]], [*events, ("settle",)])
    for at in bids:
        bodies = [body for broker, _, body in notified(run) if broker == at]
        for bid in bids:
            assert [body for body in bodies if b"b='%d'" % bid in body] == documents[bid]
        assert len(bodies) == brokers * count
    assert all(counts["lost"] == counts["duplicates"] == 0 for counts in run.counts.values())


def scenario(row: int, *, brokers: int, rounds: int) -> tuple[list[int], list[tuple[int, int]], list[tuple[int, int]], list[Event]]:
    """A random network on a tree of its links, and what is done in it."""
    made = network_scenario(seed=31, row=row, failures=False, brokers=brokers, rounds=rounds, settings={})
    bids = {name: broker["bid"] for name, broker in made.topology["brokers"].items()}
    links = [(bids[one], bids[other]) for one, other, *_ in made.topology["links"]]
    tree: list[tuple[int, int]] = []
    joined = {next(iter(bids.values()))}
    while len(joined) < len(bids):
        link = next(link for link in links if len(joined & set(link)) == 1)
        tree.append(link)
        joined |= set(link)
    events: list[Event] = []
    for event in made.events:
        if "subscribe" in event:
            events.append(subscribe(bids[event["at"]], event["sid"], event["subscribe"]))
        elif "unsubscribe" in event:
            events.append(unsubscribe(bids[event["at"]], event["unsubscribe"]))
        elif "xml" in event:
            events.append(("publish", bids[event["at"]], event["xml"].encode()))
    return list(bids.values()), links, tree, events


@pytest.mark.parametrize("row", range(6))
def test_random_networks_are_the_golden_network(row: int) -> None:
    bids, links, tree, events = scenario(row, brokers=2 + row % 3, rounds=4)
    checked(bids, links, events, tree=tree)


@pytest.mark.long
@pytest.mark.parametrize("part", range(8))
def test_random_networks_are_the_golden_network_at_size(part: int) -> None:
    for row in range(100 + part, 500, 8):
        bids, links, tree, events = scenario(row, brokers=2 + row % 4, rounds=5)
        checked(bids, links, events, tree=tree)
