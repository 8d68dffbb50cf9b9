"""Coroutines for the interests, against sets of members."""

import cocotb

from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.routing.interests import InterestChange, InterestTask

ADD, REMOVE, JOIN, LEAVE, LOSE, RETRY = range(6)
CONFIG = BrokerConfig(**parameters().get("config", {}))
PORTS, CLASSES = parameters().get("ports", 1), CONFIG.steps
LOCAL = -1


def task(number=0, port=0, tsid=0, *, withdraw=0, settled=0):
    return {"withdraw": withdraw, "settled": settled, "number": number, "port": port, "tsid": tsid}


class Model:
    """Members of each class in the order in which they came, each with its source, and what each neighbour knows."""

    def __init__(self):
        self.members: dict[int, dict[int, int]] = {}
        self.speaker: dict[int, int] = {}
        self.joined: set[int] = set()
        self.told: set[tuple[int, int]] = set()

    def update(self, number):
        """The tasks that a class needs now."""
        sources = set(self.members.get(number, {}).values())
        wanted = {port for port in self.joined if sources - {port}}
        known = {port for one, port in self.told if one == number}
        self.told = {pair for pair in self.told if pair[0] != number} | {(number, port) for port in wanted}
        speaker = self.speaker.get(number, 0)
        found = [task(number, port, speaker) for port in sorted(wanted - known)]
        return found + [task(number, port, speaker, withdraw=1) for port in sorted(known - wanted)]

    def add(self, number, tsid, source):
        if not self.members.get(number):
            self.speaker[number] = tsid
        self.members.setdefault(number, {})[tsid] = source
        return self.update(number)

    def remove(self, number, tsid, heir):
        del self.members[number][tsid]
        if self.speaker[number] == tsid:
            self.speaker[number] = heir
        return self.update(number)

    def every(self):
        return [one for number in range(CLASSES) for one in self.update(number)]

    def join(self, port):
        self.joined.add(port)
        return [*self.every(), task(port=port, settled=1)]

    def leave(self, port):
        self.joined.discard(port)
        return self.every()

    def lose(self, port):
        self.joined.discard(port)
        self.told = {pair for pair in self.told if pair[1] != port}
        return self.every()

    def retry(self, number, port):
        self.told.discard((number, port))
        return self.update(number)


def told(tasks):
    """Tasks without the member of those that end an interest, which says nothing."""
    return [one | {"tsid": 0} if one["withdraw"] else one for one in tasks]


async def _bench(dut, idle=0.0, stall=0.0):
    bench = Bench(dut)
    source, sink = bench.source("i", InterestChange(CONFIG), idle=idle), bench.sink("o", InterestTask(CONFIG), stall=stall)
    await bench.reset()
    return bench, source, sink


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.5], stall=[0.0, 0.6])
async def classes_come_and_go(dut, idle, stall):
    """Members of this broker and of neighbours, who join, leave and are lost: the tasks, in order."""
    bench, source, sink = await _bench(dut, idle, stall)
    chance, model = bench.random, Model()
    due, kinds = [], set()
    free = list(range(1, CONFIG.subscriptions + 1))
    for _ in range(parameters()["changes"]):
        live = [(number, tsid) for number, members in model.members.items() for tsid in members]
        number, port = chance.randrange(CLASSES), chance.randrange(PORTS)
        op = chance.choices((ADD, REMOVE, JOIN, LEAVE, LOSE, RETRY), (8, 6, 2, 1, 1, 1))[0]
        if op == ADD and free:
            takes = set(model.members.get(number, {}).values())
            where = chance.choice([LOCAL, LOCAL, *(one for one in range(PORTS) if one not in takes)])
            tsid = free.pop(chance.randrange(len(free)))
            found = model.add(number, tsid, where)
            change = {"op": ADD, "number": number, "local": int(where == LOCAL), "port": max(where, 0), "tsid": tsid}
        elif op == REMOVE and live:
            number, tsid = chance.choice(live)
            where = model.members[number][tsid]
            others = [one for one in model.members[number] if one != tsid]
            heir = chance.choice(others) if others else 0
            found = model.remove(number, tsid, heir)
            free.append(tsid)
            change = {"op": REMOVE, "number": number, "local": int(where == LOCAL), "port": max(where, 0), "tsid": tsid, "heir": heir}
        elif op == RETRY and model.told:
            number, port = chance.choice(sorted(model.told))
            found = model.retry(number, port)
            change = {"op": RETRY, "number": number, "port": port}
        elif op in (JOIN, LEAVE, LOSE):
            found = {JOIN: model.join, LEAVE: model.leave, LOSE: model.lose}[op](port)
            change = {"op": op, "port": port}
        else:
            continue
        kinds.add(op)
        source.send([change])
        due += found
        await sink.receive(len(due), within=40 * CLASSES + 400)
        assert {port for port in range(PORTS) if int(dut.joined.value) >> port & 1} == model.joined or source.queue
    await source.drained()
    await bench.clocks(8 * CLASSES)
    assert told(sink.items) == told(due)
    assert kinds == {ADD, REMOVE, JOIN, LEAVE, LOSE, RETRY}
    assert {one["withdraw"] for one in due} == {0, 1}


@cocotb.test()
async def a_second_source_is_told_to_the_first(dut):
    """The rule of the steady policy, as literals."""
    _, source, sink = await _bench(dut)
    source.send([{"op": JOIN, "port": 0}, {"op": JOIN, "port": 1}])
    await sink.receive(2, within=20 * CLASSES)
    source.send([{"op": ADD, "number": 3, "port": 0, "tsid": 5}])
    source.send([{"op": ADD, "number": 3, "local": 1, "tsid": 6}])
    source.send([{"op": ADD, "number": 3, "local": 1, "tsid": 7}])
    source.send([{"op": REMOVE, "number": 3, "port": 0, "tsid": 5, "heir": 6}])
    source.send([{"op": REMOVE, "number": 3, "local": 1, "tsid": 7, "heir": 6}])
    source.send([{"op": REMOVE, "number": 3, "local": 1, "tsid": 6}])
    await sink.receive(6, within=200)
    assert told(sink.items) == [
        *(task(port=0, settled=1), task(port=1, settled=1)),
        *(task(3, 1, 5), task(3, 0, 5), task(3, 0, withdraw=1), task(3, 1, withdraw=1)),
    ]


@cocotb.test()
async def a_reset_forgets_everything(dut):
    """In a change, and in the middle of a walk."""
    bench, source, sink = await _bench(dut)
    for clocks in (2, 5, 9, 40):
        source.send([{"op": ADD, "number": 1, "local": 1, "tsid": 1}, {"op": JOIN, "port": 1}])
        await bench.clocks(CLASSES + clocks)
        await bench.reset()
        source.send([{"op": JOIN, "port": 0}])
        await sink.receive(1, within=20 * CLASSES)
        assert sink.items == [task(port=0, settled=1)]
        assert int(dut.joined.value) == 1
        await bench.reset()
