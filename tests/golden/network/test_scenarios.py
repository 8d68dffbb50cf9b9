"""The routing scenarios of the thesis, frame by frame [T 5.4.4, T 5.4.3.7, T-Fig 5.34].

A frame is written KIND {SID|path} sender>receiver, BIDs 1, 2, 3 for B1, B2, B3.
"""

import pytest

from hdl.contract import Content
from sim.golden.network.codes import LOSSES, SOLICIT_FLAG, Counter
from sim.golden.network.network import Network
from tests.golden.network.cycles import P_F, cyclic, frames, line, notified


def osids(network: Network) -> list[str]:
    """The bytes of the o-SID of each frame on a link."""
    return [network.layout.pack(crossing.message.osid).hex() for crossing in network.crossings]


def nothing_lost(network: Network) -> bool:
    return not set(network.counted()) & {*LOSSES, Counter.EXPIRED_UNROUTED, Counter.NO_ROUTE, Counter.DUPLICATES}


def test_scenario_1a_one_local_subscription() -> None:
    network = cyclic([1])
    network.publish(1, P_F)
    network.subscribe(1, 9, "//F")
    network.settle()
    assert frames(network) == []
    assert notified(network) == {1: {9: 1}}
    assert nothing_lost(network)


def test_scenario_1b_255_local_subscriptions_that_match_the_last_of_several_publications() -> None:
    network = cyclic([1])
    for sid in range(1, 256):
        network.subscribe(1, sid, f"//F{sid}")
    for other in range(3):
        network.publish(1, f"<other{other}/>".encode())
    last = network.publish(1, "<all>{}</all>".format("".join(f"<F{sid}/>" for sid in range(1, 256))).encode())
    network.settle()
    assert frames(network) == []
    assert [(one.sid, one.publication) for one in network.deliveries] == [(sid, last) for sid in range(1, 256)]
    assert nothing_lost(network)


def test_scenario_2_a_path_of_two_brokers() -> None:
    network = line(2)
    network.publish(2, P_F)
    network.subscribe(1, 5, "//F", content=Content.WHOLE)
    network.settle()
    assert frames(network) == ["SUBSCRIBE {5|1} 1>2", "FORWARD {5|1,2} 2>1"]
    assert osids(network) == ["0501000000000000", "0501020000000000"]
    assert notified(network) == {1: {5: 1}}
    assert network.deliveries[0].body == P_F
    assert nothing_lost(network)


def test_scenario_3_a_path_of_three_brokers() -> None:
    network = line(3)
    network.publish(3, P_F)
    network.subscribe(1, 5, "//F")
    network.settle()
    assert frames(network) == ["SUBSCRIBE {5|1} 1>2", "SUBSCRIBE {5|1,2} 2>3", "FORWARD {5|1,2,3} 3>2", "FORWARD {5|1,2} 2>1"]
    assert osids(network) == ["0501000000000000", "0501020000000000", "0501020300000000", "0501020000000000"]
    assert notified(network) == {1: {5: 1}}
    assert nothing_lost(network)


@pytest.mark.parametrize("apart", [False, True], ids=["one registration", "two cycles with retention"])
def test_scenario_4_identical_subscriptions_through_two_brokers(apart: bool) -> None:
    network = cyclic([1, 2, 3], (1, 2), (2, 3))
    network.topology(1, b"F", 2)
    network.topology(3, b"F", 2)
    network.publish(2, P_F)
    network.subscribe(1, 11, "//F")
    if apart:
        network.settle()
    network.subscribe(3, 12, "//F")
    network.settle()
    expected = ["SUBSCRIBE {11|1} 1>2", "SUBSCRIBE {12|3} 3>2", "FORWARD {11|1,2} 2>1", "FORWARD {12|3,2} 2>3"]
    assert frames(network) == ([expected[place] for place in (0, 2, 1, 3)] if apart else expected)
    assert sorted(osids(network)) == sorted(["0b01000000000000", "0c03000000000000", "0b01020000000000", "0c03020000000000"])
    assert notified(network) == {1: {11: 1}, 3: {12: 1}}
    assert nothing_lost(network)


@pytest.mark.parametrize("sampling", ["sound", "literal"])
@pytest.mark.parametrize("apart", [False, True], ids=["one registration", "two cycles with retention"])
def test_scenario_5_a_sample_stands_for_254_subscriptions(sampling: str, apart: bool) -> None:
    network = cyclic([1, 2, 3], (1, 2), (2, 3), sampling=sampling, gather=400)
    network.topology(1, b"F", 2)
    network.topology(3, b"F", 2)
    network.publish(2, P_F)
    for sid in range(1, 255):
        network.subscribe(1, sid, "//F")
    if apart:
        network.settle()
    network.subscribe(3, 255, "//F")
    network.settle()
    expected = ["SUBSCRIBE {0|1} 1>2", "SUBSCRIBE {255|3} 3>2", "FORWARD {255|3,2} 2>3", "ROUTE {0|1,2} 2>1"]
    came = frames(network)
    if apart:
        assert came == [expected[place] for place in (0, 3, 1, 2)]
    else:
        assert sorted(came) == sorted(expected)
        assert came[2:] == expected[2:]
    assert sorted(osids(network)) == sorted(["0001000000000000", "ff03000000000000", "ff03020000000000", "0001020000000000"])
    assert notified(network) == {1: dict.fromkeys(range(1, 255), 1), 3: {255: 1}}
    assert next(crossing.message.body for crossing in network.crossings if crossing.message.text == "ROUTE") == P_F
    assert nothing_lost(network)


@pytest.mark.parametrize("apart", [False, True], ids=["one registration", "two cycles with retention"])
def test_the_example_of_two_subscriptions(apart: bool) -> None:
    network = cyclic([1, 2, 3], (1, 2), (2, 3), gather=500)
    network.topology(3, b"F", 2)
    network.topology(2, b"F", 1)
    network.publish(1, P_F)
    if apart:
        network.subscribe(1, 1, "//F")
        network.settle()
    network.subscribe(3, 2, "//F")
    if not apart:
        while len(network.crossings) < 2:
            network.step()
        network.subscribe(1, 1, "//F")
    network.settle()
    assert frames(network) == ["SUBSCRIBE {2|3} 3>2", "SUBSCRIBE {2|3,2} 2>1", "FORWARD {2|3,2,1} 1>2", "FORWARD {2|3,2} 2>3"]
    assert osids(network) == ["0203000000000000", "0203020000000000", "0203020100000000", "0203020000000000"]
    assert notified(network) == {1: {1: 1}, 3: {2: 1}}
    assert nothing_lost(network)


@pytest.mark.parametrize("known", [True, False], ids=["B5 knows F1", "B5 floods"])
def test_two_scopes_and_publication_solicitation(known: bool) -> None:
    """F is a subset of F1: B5's entry for F1 serves F, because one common filter is enough."""
    network = cyclic(range(1, 8), (1, 2), (2, 3), (2, 7), (7, 5), (5, 4), (5, 6))
    network.topology(1, b"F", 2, aux=SOLICIT_FLAG)
    if known:
        network.topology(5, b"F", 4)
        network.topology(5, b"more", 4)
    network.publish(4, b"<more><F/></more>")
    first = network.publish(1, P_F)
    for sid in range(1, 255):
        network.subscribe(1, sid, "//F")
    network.settle()
    out = ["SOLICIT {0|1} 1>2", "SOLICIT {0|1,2} 2>3", "SOLICIT {0|1,2} 2>7", "SOLICIT {0|1,2,7} 7>5", "SOLICIT {0|1,2,7,5} 5>4"]
    back = ["ROUTE {0|1,2,7,5,4} 4>5", "ROUTE {0|1,2,7,5} 5>7", "ROUTE {0|1,2,7} 7>2", "ROUTE {0|1,2} 2>1"]
    assert frames(network) == [*out, *([] if known else ["SOLICIT {0|1,2,7,5} 5>6"]), *back]
    assert notified(network) == {1: dict.fromkeys(range(1, 255), 2)}
    assert sum(one.publication == first for one in network.deliveries) == 254
    assert nothing_lost(network)
    assert osids(network)[:5] == ["0001000000000000", "0001020000000000", "0001020000000000", "0001020700000000", "0001020705000000"]
    assert osids(network)[-4:] == ["0001020705040000", "0001020705000000", "0001020700000000", "0001020000000000"]


def test_samples_that_match_nothing_expire() -> None:
    network = cyclic(range(1, 8), (1, 2), (2, 3), (2, 7), (7, 5), (5, 4), (5, 6), lifetime=1000)
    network.topology(1, b"F", 2, aux=SOLICIT_FLAG)
    network.publish(1, P_F)
    network.subscribe(1, 1, "//F")
    network.settle()
    assert network.counted()[Counter.SAMPLES_EXPIRED] == 0
    network.pass_time(1000)
    assert [at for at in network.brokers if network.counted(at)[Counter.SAMPLES_EXPIRED] == 1] == [2, 3, 4, 5, 6, 7]
