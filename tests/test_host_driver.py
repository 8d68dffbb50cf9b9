"""The host driver against the hardware: simulated, or with X2CBBR_PORT=/dev/ttyUSB0 a board. Every match is judged by libxml2."""

import asyncio
import io
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner

from fpga.host import registers
from fpga.host.asynchronous import AsyncBroker
from fpga.host.broker import AccessError, Broker, Refused, Subscription
from fpga.host.link import LinkClosed, LinkError
from fpga.host.transport import Recorder, SerialTransport, TraceError, TraceTransport, Transport
from hdl.config import BrokerConfig
from hdl.contract import BusError, Code, Content, Format, Frame, Header, Kind, Language, Message, Refusal, Verdict, attach
from sim.cli import app
from sim.cli.shell import Shell
from sim.engines.serial import DriverEngine
from sim.interface import Subscription as Wanted
from sim.verilated.board import SimulationTransport
from tests.noise import Noise

PORT = os.environ.get("X2CBBR_PORT")
CONFIG = BrokerConfig(
    subscriptions=31, steps=64, slices=4, names=32, learned=64, values=16, numbers=16, xpath_bytes=256, xram_bytes=1024, pram_words=64
)
TEXTS = ("/stock/share", "//price", "//share[@id='7']/price", "//price[.>20]", "/share/stock", "//*[@id!='7']", "//note")


def line(**options: object) -> Transport:
    """A board where there is one, the simulated one otherwise."""
    return SerialTransport(PORT) if PORT else SimulationTransport(CONFIG, **options)  # type: ignore[arg-type]


@pytest.fixture
def broker() -> Iterator[Broker]:
    with Broker(line()) as one:
        yield one


def shares(chance: random.Random) -> bytes:
    items = [
        f'<share id="{chance.randrange(5, 9)}"><price>{chance.choice(("20.5", "5", "100"))}</price></share>'
        for _ in range(chance.randrange(4))
    ]
    return f"<stock>{''.join(items)}{chance.choice(('', '<note/>'))}</stock>".encode()


def due(document: bytes, texts: tuple[str, ...] = TEXTS) -> set[str]:
    tree = etree.fromstring(document).getroottree()
    return {text for text in texts if tree.xpath(text)}


def notified(broker: Broker, known: dict[int, str], count: int) -> set[str]:
    return {known[note.reference] for note in broker.notifications(count=count)}


def test_says_what_it_is(broker: Broker) -> None:
    if not PORT:
        assert broker.config == CONFIG
    assert broker.read_register(0) == 0x58324342
    broker.write_register(registers.SCRATCH, 0x12345678)
    assert broker.read_register(registers.SCRATCH) == 0x12345678
    with pytest.raises(AccessError, match="the access to register 0x0fff failed"):
        broker.read_register(0x0FFF)
    with pytest.raises(AccessError):
        broker.write_register(registers.ID, 1)
    with pytest.raises(AccessError):
        broker.write_register(registers.PUBLICATION_DATA, 1)
    assert broker.read_register(registers.ERRORS) == 3


def test_notifies_what_libxml2_finds(broker: Broker) -> None:
    chance = random.Random(5)
    found = broker.subscribe_all(TEXTS, content=Content.WHOLE)
    known = {one.reference: one.xpath for one in found if isinstance(one, Subscription)}
    assert list(known.values()) == list(TEXTS)
    for number in range(12):
        document = shares(chance)
        outcome = broker.publish(document)
        assert (outcome.number, outcome.code, outcome.bytes) == (number, Code.OK, len(document))
        notes = list(broker.notifications(count=outcome.matches))
        assert {known[note.reference] for note in notes} == due(document)
        assert len(notes) == len(due(document))
        assert all((note.publication, note.body, note.content) == (number, document, Content.WHOLE) for note in notes)
    assert list(broker.notifications()) == []


def test_bad_documents_and_subscriptions_are_told(broker: Broker) -> None:
    with pytest.raises(Refused, match="positional predicates are not accepted") as refused:
        broker.subscribe("//price[2]")
    assert refused.value.code is Refusal.POSITION
    one = broker.subscribe("//a", reference=7)
    with pytest.raises(Refused, match="registered already"):
        broker.subscribe("//b", reference=7)
    outcome = broker.publish(b"<a></b>")
    assert (outcome.verdict, outcome.code, outcome.offset, outcome.matches) == (Verdict.NOT_WELL_FORMED, Code.MISMATCHED_END, 6, 0)
    assert broker.publish(b"").code is Code.NO_ROOT
    assert broker.publish(b"<a/>").matches == 1
    broker.unsubscribe(one)
    with pytest.raises(Refused, match="no such subscription"):
        broker.unsubscribe(one)
    assert broker.publish(b"<a/>").matches == 0
    assert [note.publication for note in broker.notifications()] == [2]
    counters = broker.counters()
    assert (counters["accepted"], counters["cancelled"], counters["refused"], counters["registered"]) == (1, 1, 3, 0)
    assert counters["verdicts"] == [2, 2, 0, 0]
    assert sum(counters["notified"]) == 1  # type: ignore[arg-type]
    assert counters["misfits"] == 0


def test_what_the_broker_cannot_do_is_told(broker: Broker) -> None:
    with pytest.raises(Refused, match="this broker does not know the subscription's language") as refused:
        broker.subscribe("home/+/temp", language=Language.MQTT)
    assert refused.value.code is Refusal.UNSUPPORTED_LANGUAGE
    with pytest.raises(AccessError):
        broker.read_register(registers.BROKER)
    assert broker.read_register(registers.ERROR) & 15 == BusError.ABSENT
    # A subscription as it was in version 1, a message, and an attachment.
    broker.link.send(bytes.fromhex("53000000 0700000000000000 7fffff01 00000003 2f2f61"))
    broker.link.send(Frame(Header(Kind.PUBLISH, reference=0x7FFFFF02, format=Format.MESSAGE), Message("a").pack()).pack())
    broker.link.send(Frame(Header(Kind.PUBLISH, reference=0x7FFFFF03, attached=True), attach(b"<a/>", b"x")).pack())
    answers = [broker._result(0x7FFFFF00 + number, "a frame that no unit takes") for number in (1, 2, 3)]
    assert answers == [Refusal.UNSUPPORTED_VERSION, Refusal.UNSUPPORTED_FORMAT, Refusal.UNSUPPORTED_ATTACHMENT]
    assert broker.publish(b"<a/>").code is Code.OK
    counters = broker.counters()
    assert (counters["misfits"], counters["registered"], counters["refused"]) == (3, 0, 1)


def test_skeleton_clear_and_reset(broker: Broker) -> None:
    assert broker.configure_skeleton(["stock", "price", "a" * 64, "b" * 65, ""]) == 3
    broker.subscribe("//price")
    broker.clear()
    assert broker.subscriptions == []
    assert broker.publish(b"<price/>").matches == 0
    broker.subscribe("//price")
    assert broker.publish(b"<price/>").matches == 1
    broker.reset()
    assert broker.publish(b"<price/>").matches == 0
    assert list(broker.notifications()) == []
    assert broker.counters()["accepted"] == 0


@pytest.mark.skipif(PORT is not None, reason="the noise and the reset button are simulated")
def test_noise_and_a_reset_deliver_nothing_wrong() -> None:
    noise = Noise(random.Random(3), 0.002)
    transport = SimulationTransport(CONFIG, noise=noise)
    with Broker(transport) as broker:
        chance = random.Random(8)
        for turn in range(2):
            known = {one.reference: one.xpath for one in broker.subscribe_all(TEXTS) if isinstance(one, Subscription)}
            for _ in range(6):
                document = shares(chance)
                outcome = broker.publish(document)
                assert notified(broker, known, outcome.matches) == due(document)
            if turn == 0:
                broker.post(shares(chance))
                transport.reset_board()
                with pytest.raises(LinkClosed, match="the board was reset"):
                    broker.publish(b"<stock/>")
                broker.reset()
        assert noise.events > 5
        assert broker.link.statistics.damaged + int(str(broker.counters()["damaged"])) > 0


def test_a_trace_is_replayed(tmp_path: Path) -> None:
    def session(transport: Transport) -> list[str]:
        with Broker(transport) as broker:
            broker.subscribe("//price", content=Content.WHOLE)
            broker.publish(b"<price>1</price>")
            return [repr(note) for note in broker.notifications(count=1)]

    recorded = session(Recorder(line(), tmp_path / "trace"))
    assert session(TraceTransport(tmp_path / "trace")) == recorded
    with Broker(TraceTransport(tmp_path / "trace")) as broker, pytest.raises(TraceError, match=r"the driver writes .* where the trace has"):
        broker.subscribe("//other")
    lines = (tmp_path / "trace").read_text().splitlines()
    assert json.loads(lines[0]) == {"patience": line_patience()}


def line_patience() -> float:
    return SerialTransport.patience if PORT else SimulationTransport.patience


def test_calls_can_be_awaited() -> None:
    async def session() -> list[int]:
        broker = await AsyncBroker.open(line())
        one = await broker.subscribe("//a")
        outcomes = await asyncio.gather(*(broker.publish(b"<a/>") for _ in range(3)))
        assert [outcome.matches for outcome in outcomes] == [1, 1, 1]
        seen = []
        async for note in broker.notifications():
            seen.append(note.publication)
            if len(seen) == 3:
                break
        await broker.unsubscribe(one)
        assert await broker.configure_skeleton(["x"]) == 1
        assert (await broker.counters())["cancelled"] == 1
        await broker.reset()
        await broker.close()
        return seen

    assert asyncio.run(session()) == [0, 1, 2]


def test_shell(tmp_path: Path) -> None:
    (tmp_path / "quotes.xml").write_text("<quotes><price>115</price></quotes>")
    given = f"subscribe //price\nsubscribe //price[1]\nlist\npublish {tmp_path}/quotes.xml\nxml <a></b>\n"
    given += "unsubscribe 1\nunsubscribe 9\nnonsense\n"
    out = io.StringIO()
    with Broker(line()) as broker:
        Shell(broker, stdin=io.StringIO(given + "skeleton quotes\nclear\nreset\nwatch 0\nquit\n"), stdout=out).cmdloop()
    lines = out.getvalue().splitlines()
    assert lines[1:] == [
        "1: //price",
        "'//price[1]' is refused (position): positional predicates are not accepted",
        "1: //price",
        f"{tmp_path}/quotes.xml: well-formed, 35 bytes, 1 matches",
        "  subscription 1, publication 0, link 0: whole <quotes><price>115</price></quotes>",
        "document: not-well-formed (mismatched-end at byte 6: the end tag names another element; decided by the byte after the name), "
        "7 bytes, 0 matches",
        "1: cancelled",
        "there is no subscription '9'; 'list' lists them",
        "there is no command 'nonsense'; 'help' lists them",
        "1 of 1 names found room",
        "no subscription is left",
        "a new session has begun",
    ]


def test_engine_filters_as_the_others_do() -> None:
    engine = DriverEngine(line())
    chance = random.Random(2)
    documents = [shares(chance) for _ in range(20)] + [b"<bad"]
    found = engine.filter([Wanted(10 * place, text) for place, text in enumerate((*TEXTS, "//x[1]"), start=1)], documents)
    assert [(one.subscription.sid, one.code) for one in found.refused] == [(80, Refusal.POSITION)]
    for document, one in zip(documents[:-1], found.documents, strict=False):
        assert one.matches == tuple(10 * place for place, text in enumerate(TEXTS, start=1) if text in due(document))
    assert found.documents[-1].result.code is Code.UNCLOSED
    assert [one.code for one in engine.parse([b"<a/>", b"<a>"])] == [Code.OK, Code.UNCLOSED]
    engine.close()


def test_what_is_no_board_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("<a/>")
    cases = {
        ("shell", "--engine", "model"): "the shell cannot use the engine 'model'; choose verilator, or serial:PORT.",
        ("parse", "--engine", "serial:", f"{tmp_path}/a.xml"): "'' is not a serial port; write serial:/dev/ttyUSB0",
        ("parse", "--engine", f"serial:{tmp_path}/none", f"{tmp_path}/a.xml"): f"the port '{tmp_path}/none' cannot be opened",
        ("shell", "--engine", f"serial:{tmp_path}/none@115200"): f"the port '{tmp_path}/none' cannot be opened",
        ("parse", "--engine", "serial:/dev/x@fast", f"{tmp_path}/a.xml"): "'/dev/x@fast' is not a serial port",
    }
    for command, message in cases.items():
        done = CliRunner().invoke(app, list(command))
        assert done.exit_code in (1, 2), command
        assert message in " ".join(done.stderr.split()), command


def test_a_silent_line_is_given_up() -> None:
    class Silent:
        patience = 0.0

        def session(self) -> int:
            return 1

        def write(self, data: bytes) -> None: ...

        def read(self, timeout: float) -> bytes:
            return b""

        def close(self) -> None: ...

    with pytest.raises(LinkError, match="the board does not answer"):
        Broker(Silent())
