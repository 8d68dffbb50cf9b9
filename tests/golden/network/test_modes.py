"""The operation modes edge by edge, and the sequences of [T 5.4.3.3.1]."""

from collections.abc import Iterator
from itertools import product

import pytest

from hdl.config import BrokerConfig
from sim.golden.network.codes import Counter
from sim.golden.network.modes import HISTORY, Mode, Modes, Signals, following
from tests.golden.network.cycles import P_F, broker, cyclic, line, modes, notified

FULL = ["NOP", "nPnS", "nPoS", "oPoS", "oPnS", "nPnS"]


@pytest.mark.parametrize(
    ("mode", "signals", "after"),
    [
        (Mode.NOP, Signals(), Mode.NOP),
        (Mode.NOP, Signals(pmax=3), Mode.NOP),
        (Mode.NOP, Signals(sa=1), Mode.NPNS),
        (Mode.NPNS, Signals(s=0, smax=255, sa=0), Mode.NPNS),
        (Mode.NPNS, Signals(s=4, smax=255, sa=2), Mode.NPNS),
        (Mode.NPNS, Signals(s=4, smax=255, sa=0), Mode.NPOS),
        (Mode.NPNS, Signals(s=4, smax=255, sa=0, gathered=False), Mode.NPNS),
        (Mode.NPNS, Signals(s=4, smax=4, sa=2), Mode.NPOS),
        (Mode.NPOS, Signals(s=1, p=1, pmax=2), Mode.NPOS),
        (Mode.NPOS, Signals(s=1, p=2, pmax=2), Mode.OPOS),
        (Mode.NPOS, Signals(s=1, p=0, pmax=0), Mode.OPOS),
        (Mode.NPOS, Signals(s=1, p=1, pmax=2, timeout=True), Mode.NPOS),
        (Mode.NPOS, Signals(s=1, p=1, pmax=2, sa=1), Mode.NPOS),
        (Mode.NPOS, Signals(s=1, p=1, pmax=2, sa=1, timeout=True), Mode.OPNS),
        (Mode.NPOS, Signals(s=1, p=2, pmax=2, sa=1, timeout=True), Mode.OPNS),
        (Mode.OPOS, Signals(s=1, p=2, pmax=2), Mode.OPOS),
        (Mode.OPOS, Signals(s=1, p=2, pmax=2, timeout=True), Mode.OPOS),
        (Mode.OPOS, Signals(s=1, p=2, pmax=3), Mode.NPOS),
        (Mode.OPOS, Signals(s=1, p=2, pmax=3, sa=1), Mode.NPOS),
        (Mode.OPOS, Signals(s=1, p=2, pmax=2, sa=1), Mode.OPNS),
        (Mode.OPNS, Signals(sa=1, s=2), Mode.OPNS),
        (Mode.OPNS, Signals(clear_end=True), Mode.NPNS),
    ],
)
def test_edges(mode: Mode, signals: Signals, after: Mode) -> None:
    assert following(mode, signals) is after


def every_signal() -> Iterator[Signals]:
    for s, smax, sa, p, pmax in product((0, 1, 2), (1, 2), (0, 1), (0, 1), (0, 1)):
        for gathered, timeout, clear_end in product((False, True), repeat=3):
            yield Signals(s, smax, sa, p, pmax, gathered, timeout, clear_end)


def test_no_edge_leads_back_to_nop_and_none_out_of_the_figure() -> None:
    edges = {(mode, following(mode, signals)) for mode in Mode for signals in every_signal()}
    assert {(a.text, b.text) for a, b in edges if a is not b} == {
        ("NOP", "nPnS"),
        ("nPnS", "nPoS"),
        ("nPoS", "oPoS"),
        ("nPoS", "oPnS"),
        ("oPoS", "nPoS"),
        ("oPoS", "oPnS"),
        ("oPnS", "nPnS"),
    }


def run(machine: Modes) -> list[str]:
    """Modes passed until none is due, clearing at once."""
    found: list[str] = []
    while True:
        if machine.mode is Mode.OPNS:
            machine.cleared()
        if not machine.advance():
            return found
        found.append(machine.mode.text)


def register(machine: Modes, count: int = 1) -> None:
    for _ in range(count):
        machine.buffered()
    machine.advance()
    for _ in range(count):
        machine.registered()


def test_sequence_a_dense_publications_and_a_timeout() -> None:
    machine = Modes(255)
    machine.available(100)
    register(machine)
    assert run(machine) == ["nPoS"]
    machine.matching_end()
    machine.expire()
    assert run(machine) == []
    machine.buffered()
    assert run(machine) == ["oPnS", "nPnS"]
    assert (machine.p, machine.s, machine.sa, machine.pmax, machine.timeout) == (0, 0, 1, 100, False)


def test_sequence_b_dense_subscriptions() -> None:
    machine = Modes(255)
    machine.available(1)
    register(machine)
    assert run(machine) == ["nPoS"]
    machine.buffered()
    assert run(machine) == []
    machine.matching_end()
    assert run(machine) == ["oPoS", "oPnS", "nPnS"]


def test_sequence_c_both_sparse() -> None:
    machine = Modes(255)
    machine.available(1)
    register(machine)
    assert run(machine) == ["nPoS"]
    machine.matching_end()
    assert run(machine) == ["oPoS"]
    machine.pass_time(1000)
    assert run(machine) == []
    machine.buffered()
    assert run(machine) == ["oPnS", "nPnS"]


def test_sequence_d_a_late_publication() -> None:
    machine = Modes(255)
    register(machine)
    assert run(machine) == ["nPoS", "oPoS"]
    machine.available(1)
    assert run(machine) == ["nPoS"]
    machine.matching_end()
    assert run(machine) == ["oPoS"]


def test_gathering_waits_until_no_subscription_came_for_long_enough() -> None:
    machine = Modes(255, gather=3)
    register(machine)
    machine.pass_time(2)
    assert run(machine) == []
    machine.buffered()
    machine.registered()
    machine.pass_time(2)
    assert run(machine) == []
    machine.pass_time(1)
    assert run(machine) == ["nPoS", "oPoS"]


def test_the_timeout_counts_from_the_end_of_registration_and_stays() -> None:
    machine = Modes(255, timeout=5)
    machine.available(9)
    register(machine)
    machine.pass_time(50)
    assert run(machine) == ["nPoS"]
    machine.pass_time(4)
    machine.buffered()
    assert (run(machine), machine.timeout) == ([], False)
    machine.pass_time(1)
    assert (run(machine), machine.timeout) == (["oPnS", "nPnS"], False)


def test_smax_is_the_limit_until_a_table_is_full() -> None:
    machine = Modes(255)
    register(machine, 3)
    assert machine.smax == 255
    machine.full = True
    assert machine.smax == 3
    machine.cancelled()
    assert (machine.s, machine.smax) == (2, 255)


def test_the_ring_holds_the_latest_modes() -> None:
    machine = Modes(255)
    for _ in range(20):
        register(machine)
        run(machine)
        machine.buffered()
        run(machine)
        machine.refused()
    assert len(machine.history) == HISTORY == 16
    assert machine.history[-1][0] is Mode.NPNS


# a whole broker


def test_a_broker_takes_sequence_c_and_d() -> None:
    network = cyclic([1])
    network.publish(1, P_F)
    network.subscribe(1, 1, "//F")
    network.settle()
    assert modes(network, 1) == FULL[:4]
    network.publish(1, P_F)
    network.settle()
    assert modes(network, 1) == [*FULL[:4], "nPoS", "oPoS"]
    network.subscribe(1, 2, "//G")
    network.settle()
    assert modes(network, 1) == [*FULL[:4], "nPoS", "oPoS", "oPnS", "nPnS", "nPoS", "oPoS"]
    assert notified(network) == {1: {1: 2}}


def test_a_broker_takes_sequence_a_when_publications_never_end() -> None:
    network = cyclic([1], gather=0, timeout=4, retained=0)
    for _ in range(20):
        network.publish(1, P_F)
    network.subscribe(1, 1, "//G")
    network.subscribe(1, 2, "//F")
    for _ in range(4):
        network.step()
    network.subscribe(1, 3, "//F")
    while len(modes(network, 1)) < 5:
        network.step()
    assert modes(network, 1) == ["NOP", "nPnS", "nPoS", "oPnS", "nPnS"]
    assert network.counted(1)[Counter.EXPIRED_UNROUTED] == 1
    matched = len(network.deliveries)
    assert 0 < matched < 20
    network.settle()
    assert notified(network) == {1: {2: matched, 3: 20 - matched}}


def test_without_gathering_each_subscription_gets_a_cycle_of_its_own() -> None:
    network = cyclic([1], gather=0)
    network.publish(1, P_F)
    for sid in (1, 2):
        network.subscribe(1, sid, "//F")
        network.settle()
    assert modes(network, 1) == [*FULL, "nPoS", "oPoS"]
    assert notified(network) == {1: {1: 1, 2: 1}}


def test_pmax_is_zero() -> None:
    network = line(2)
    network.subscribe(1, 1, "//F")
    network.settle()
    assert modes(network, 1) == FULL[:4]
    assert broker(network, 1).modes.pmax == 0
    assert [str(crossing) for crossing in network.crossings] == ["SUBSCRIBE {1|1} 1>2"]


def test_a_timeout_beats_the_last_publication_when_subscriptions_wait() -> None:
    network = cyclic([1], gather=0)
    network.publish(1, P_F)
    network.subscribe(1, 1, "//G")
    while modes(network, 1)[-1] != "nPoS":
        network.step()
    broker(network, 1).modes.expire()
    network.subscribe(1, 2, "//G")
    network.step()
    assert broker(network, 1).modes.signals.p == broker(network, 1).modes.pmax == 1
    assert modes(network, 1) == ["NOP", "nPnS", "nPoS", "oPnS"]
    network.settle()
    assert network.counted(1)[Counter.EXPIRED_UNROUTED] == 1


def test_what_does_not_fit_waits_for_the_next_cycle_and_what_never_fits_is_refused() -> None:
    network = cyclic([1], config=BrokerConfig(subscriptions=2, steps=16, slices=16, subscription_steps=16))
    network.publish(1, b"<a><b/></a>")
    for sid, text in enumerate(("//a", "//b", "//a", "/a" * 10, "//b", "/a" * 17), start=1):
        network.subscribe(1, sid, text)
    network.settle()
    assert notified(network) == {1: {1: 1, 2: 1, 3: 1, 5: 1}}
    assert [(one.sid, one.code.text) for one in network.refusals] == [(6, "steps")]
    assert modes(network, 1).count("oPnS") == 2


def test_the_crowd_of_publications_may_be_capped() -> None:
    network = cyclic([1], publications=1, retained=0, gather=0)
    for _ in range(3):
        network.publish(1, P_F)
    for sid in (1, 2, 3, 4):
        network.subscribe(1, sid, "//F")
        network.settle()
        assert broker(network, 1).modes.pmax == (sid < 4)
    assert [(one.sid, one.publication) for one in network.deliveries] == [(1, 0), (2, 1), (3, 2)]


@pytest.mark.parametrize(("retained", "found"), [(0, []), (1, [2]), (2, [1, 2]), (3, [0, 1, 2])])
def test_retained_publications_meet_the_subscriptions_of_later_cycles(retained: int, found: list[int]) -> None:
    network = cyclic([1], retained=retained)
    network.subscribe(1, 1, "//x")
    network.settle()
    for _ in range(3):
        network.publish(1, P_F)
    network.settle()
    network.subscribe(1, 2, "//F")
    network.settle()
    assert [one.publication for one in network.deliveries] == found
    assert broker(network, 1).modes.pmax == retained
