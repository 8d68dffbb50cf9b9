"""Coroutines for the interests: what neighbours know in the end is what they must, whatever comes in between."""

import cocotb
from cocotb.triggers import RisingEdge

from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.routing.interests import InterestChange, InterestTask

ADD, REMOVE, JOIN, LEAVE, LOSE = range(5)
CONFIG = BrokerConfig(**parameters().get("config", {}))
PORTS, CLASSES = parameters().get("ports", 1), CONFIG.steps
LOCAL = -1


def task(number=0, port=0, tsid=0, *, withdraw=0, settled=0):
    return {"withdraw": withdraw, "settled": settled, "number": number, "port": port, "tsid": tsid}


class Network:
    """The members of each class, each with its source; the neighbours, and what each has been told. It answers the unit's tasks: an
    interest can be sent as long as its member is there and has its frame."""

    def __init__(self, bench, source, sink, answers, *, patient=0.0):
        self.bench, self.source, self.sink, self.answers, self.patient = bench, source, sink, answers, patient
        self.members: dict[int, dict[int, int]] = {number: {} for number in range(CLASSES)}
        self.frameless: set[int] = set()
        self.joined: set[int] = set()
        self.known: dict[int, set[int]] = {port: set() for port in range(PORTS)}
        self.settled: list[int] = []
        self.repeated = self.missed = self.answered = 0

    def wanted(self, port):
        return {number for number, members in self.members.items() if port in self.joined and set(members.values()) - {port}}

    def change(self, op, **what):
        """Hands a change over, and has its effect on the network."""
        port, number, tsid = what.get("port", 0), what.get("number", 0), what.get("tsid", 0)
        if op == ADD:
            self.members[number][tsid] = LOCAL if what.get("local") else port
        elif op == REMOVE:
            where = self.members[number].pop(tsid)
            what |= {"local": int(where == LOCAL), "port": max(where, 0), "heir": next(iter(self.members[number]), 0)}
        elif op == JOIN:
            self.joined.add(port)
        else:
            self.joined.discard(port)
            if op == LOSE:
                self.known[port].clear()
        self.source.send([{"op": op, **what}])

    async def run(self):
        while True:
            await RisingEdge(self.bench.dut.clk)
            if self.answered == len(self.sink.items) or self.bench.random.random() < self.patient:
                continue
            one = self.sink.items[self.answered]
            self.answered += 1
            number, port, tsid = one["number"], one["port"], one["tsid"]
            if one["settled"]:
                self.settled.append(port)
                continue
            sent = bool(one["withdraw"]) or (tsid in self.members[number] and tsid not in self.frameless)
            self.missed += not sent
            if port in self.joined or one["withdraw"]:
                if one["withdraw"]:
                    self.known[port].discard(number)
                elif sent:
                    self.repeated += number in self.known[port]
                    self.known[port].add(number)
            self.answers.send([int(sent)])

    async def quiet(self, within):
        """Waits until nothing has come for a while."""
        still, seen = 0, -1
        for _ in range(within):
            await RisingEdge(self.bench.dut.clk)
            busy = self.source.queue or self.answers.queue or len(self.sink.items) != seen or self.answered != seen
            still, seen = 0 if busy else still + 1, len(self.sink.items)
            if still > 8 * CLASSES + 60:
                return
        raise AssertionError("the unit does not come to rest")


async def _network(dut, idle=0.0, stall=0.0, patient=0.0):
    bench = Bench(dut)
    source, sink = bench.source("i", InterestChange(CONFIG), idle=idle), bench.sink("o", InterestTask(CONFIG), stall=stall)
    answers = bench.source("i_sent", 1, idle=idle)
    await bench.reset()
    network = Network(bench, source, sink, answers, patient=patient)
    return bench, network, cocotb.start_soon(network.run())


@cocotb.test()
@cocotb.parametrize((("idle", "stall", "patient"), [(0.0, 0.0, 0.0), (0.5, 0.6, 0.5), (0.0, 0.9, 0.98), (0.9, 0.0, 0.0)]))
async def classes_come_and_go(dut, idle, stall, patient):
    """Members of this broker and of neighbours, who join, leave and are lost while tasks are under way or wait."""
    bench, network, _ = await _network(dut, idle, stall, patient)
    chance, kinds = bench.random, set()
    free = list(range(1, CONFIG.subscriptions + 1))
    for at in range(parameters()["changes"]):
        live = [(number, tsid) for number, members in network.members.items() for tsid in members]
        number, port = chance.randrange(CLASSES), chance.randrange(PORTS)
        op = chance.choices((ADD, REMOVE, JOIN, LEAVE, LOSE), (8, 7, 2, 1, 1))[0]
        if op == ADD and free:
            takes = set(network.members[number].values())
            where = chance.choice([LOCAL, LOCAL, *(one for one in range(PORTS) if one not in takes)])
            tsid = free.pop(chance.randrange(len(free)))
            network.change(ADD, number=number, local=int(where == LOCAL), port=max(where, 0), tsid=tsid)
        elif op == REMOVE and live:
            number, tsid = chance.choice(live)
            network.change(REMOVE, number=number, tsid=tsid)
            free.append(tsid)
        elif op in (JOIN, LEAVE, LOSE) and (op == JOIN) != (port in network.joined):
            network.change(op, port=port)
        else:
            continue
        kinds.add(op)
        while len(network.source.queue) > chance.choice((0, 0, 3)):
            await RisingEdge(dut.clk)
        if at % 20 == 0:
            await network.quiet(80000)
            for port in range(PORTS):
                assert network.known[port] == network.wanted(port), (at, port)
    await network.quiet(80000)
    assert {port: network.known[port] for port in range(PORTS)} == {port: network.wanted(port) for port in range(PORTS)}
    assert {port for port in range(PORTS) if int(dut.joined.value) >> port & 1} == network.joined
    assert kinds == {ADD, REMOVE, JOIN, LEAVE, LOSE}
    assert network.repeated <= network.missed + parameters()["changes"] // 10


@cocotb.test()
async def a_second_source_is_told_to_the_first(dut):
    """The rule of the steady policy, as literals."""
    _, network, _ = await _network(dut)
    for port in (0, 1):
        network.change(JOIN, port=port)
    for what in ({"port": 0, "tsid": 5}, {"local": 1, "tsid": 6}, {"local": 1, "tsid": 7}):
        network.change(ADD, number=3, **what)
        await network.quiet(2000)
    for tsid in (5, 7, 6):
        network.change(REMOVE, number=3, tsid=tsid)
        await network.quiet(2000)
    found = [one | {"tsid": 0} if one["withdraw"] else one for one in network.sink.items]
    assert found == [
        *(task(port=0, settled=1), task(port=1, settled=1)),
        *(task(3, 1, 5), task(3, 0, 5), task(3, 0, withdraw=1), task(3, 1, withdraw=1)),
    ]
    assert network.repeated == network.missed == 0


@cocotb.test()
async def a_neighbour_is_settled_when_it_knows_everything(dut):
    """The mark comes once, behind every interest, also when the neighbour was lost and joined again in between."""
    bench, network, _ = await _network(dut)
    for number in range(min(6, CLASSES)):
        network.change(ADD, number=number, local=1, tsid=number + 1)
    network.sink.stall = 1.0
    for op in (JOIN, LOSE, JOIN, LOSE, JOIN):
        network.change(op, port=1)
    await bench.clocks(60 * CLASSES)
    assert not network.source.queue
    network.sink.stall = 0.0
    await network.quiet(5000)
    assert network.settled == [1]
    assert network.sink.items[-1] == task(port=1, settled=1)
    assert network.known[1] == set(range(min(6, CLASSES)))


@cocotb.test()
async def changes_do_not_wait_for_tasks(dut):
    """With nobody to take a task, or to answer it, every change is taken in its time."""
    bench, network, running = await _network(dut)
    network.change(JOIN, port=0)
    await network.quiet(5000)
    network.sink.stall = 1.0
    for round_ in range(2):
        for number in range(CLASSES):
            network.change(ADD, number=number, local=1, tsid=number % CONFIG.subscriptions + 1)
            network.change(REMOVE, number=number, tsid=number % CONFIG.subscriptions + 1)
        await bench.clocks(2 * CLASSES * 7)
        assert not network.source.queue, round_
        network.sink.stall = 0.0
        running.cancel()
    running = cocotb.start_soon(network.run())
    await network.quiet(20000)
    assert network.known[0] == set()


@cocotb.test()
async def an_interest_without_a_frame_waits_for_another_member(dut):
    """A member whose frame was dropped cannot speak for its class; it is not tried for ever, and its heir speaks."""
    _, network, _ = await _network(dut)
    network.change(JOIN, port=0)
    network.frameless = {3}
    network.change(ADD, number=2, local=1, tsid=3)
    network.change(ADD, number=2, local=1, tsid=4)
    await network.quiet(5000)
    assert (network.known[0], network.missed) == (set(), 1)
    network.change(REMOVE, number=2, tsid=3)
    await network.quiet(5000)
    assert (network.known[0], network.missed) == ({2}, 1)


@cocotb.test()
async def a_reset_forgets_everything(dut):
    """In a change, and in the middle of a walk."""
    bench, network, running = await _network(dut)
    for clocks in (2, 5, 9, 40):
        network.change(ADD, number=1, local=1, tsid=1)
        network.change(JOIN, port=1)
        await bench.clocks(CLASSES + clocks)
        running.cancel()
        await bench.reset()
        network = Network(bench, network.source, network.sink, network.answers)
        running = cocotb.start_soon(network.run())
        network.change(JOIN, port=0)
        await network.quiet(5000)
        assert network.sink.items == [task(port=0, settled=1)]
        assert int(dut.joined.value) == 1
        running.cancel()
        await bench.reset()
        network = Network(bench, network.source, network.sink, network.answers)
        running = cocotb.start_soon(network.run())
