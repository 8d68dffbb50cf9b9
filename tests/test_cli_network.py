"""``x2cbbr network run``: its output for people and programs, and every error in a sentence."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from sim.cli import app

ROOT = Path(__file__).parent.parent
TOPOLOGY = "brokers: {A: {bid: 1}, B: {bid: 2}}\nlinks: [[A, B]]\n"


def run(*arguments: object) -> Result:
    return CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, ["network", "run", *map(str, arguments)], prog_name="x2cbbr")


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Writes both files and runs the command in their folder."""
    monkeypatch.chdir(tmp_path)

    def play(topology: str, events: list[dict[str, Any]] | str, *options: str) -> Result:
        text = events if isinstance(events, str) else "\n".join(json.dumps(event) for event in events)
        Path("net.yaml").write_text(topology, encoding="utf-8")
        Path("do.jsonl").write_text(text, encoding="utf-8")
        return run("net.yaml", "do.jsonl", *options)

    return play


def rows(result: Result) -> list[dict[str, Any]]:
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def summary(delivered: int = 0, lost: int = 0, duplicates: int = 0, refused: int = 0) -> dict[str, Any]:
    return {"delivered": delivered, "lost": lost, "duplicates_suppressed": duplicates, "refused": refused, "clocks": None}


SUBSCRIBED = [
    {"at": "A", "subscribe": "//x", "sid": 7},
    {"at": "A", "subscribe": "//x[", "sid": 8},
    {"settle": True},
    {"at": "B", "xml": "<x/>"},
]


def test_who_was_notified_of_what(play: Any) -> None:
    Path("doc.xml").write_text("<a><x/></a>")
    result = play(TOPOLOGY, [*SUBSCRIBED, {"at": "A", "publish": "doc.xml"}, {"at": "B", "unsubscribe": 1}], "--json")
    found = rows(result)
    assert found == [
        {"sid": 8, "at": "A", "refused": "unterminated"},
        {"at": "A", "sid": 7, "publication": 0},
        {"at": "A", "sid": 7, "publication": 1},
        {"sid": 1, "at": "B", "refused": "unknown-sid"},
        summary(delivered=2, refused=2),
    ]
    assert [list(row) for row in found[:2]] == [["sid", "at", "refused"], ["at", "sid", "publication"]]


def test_trace_shows_each_frame(play: Any) -> None:
    frame = {"link": ["A", "B"], "frame": "marker", "osid": "0001000000000000", "clock": None}
    found = rows(play(TOPOLOGY, SUBSCRIBED, "--json", "--trace"))
    assert found == [
        frame,
        frame | {"link": ["B", "A"], "osid": "0002000000000000"},
        frame | {"frame": "subscribe"},
        {"sid": 8, "at": "A", "refused": "unterminated"},
        {"link": ["B", "A"], "frame": "route", "osid": "0002000000000000", "clock": None},
        {"at": "A", "sid": 7, "publication": 0},
        summary(delivered=1, refused=1),
    ]
    assert list(found[0]) == ["link", "frame", "osid", "clock"]


def test_table(play: Any) -> None:
    result = play(TOPOLOGY, SUBSCRIBED, "--trace")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "│ notified │ A │ 7 │ 0 │ │" in lines
    assert "│ refused: unterminated │ A │ 8 │ │ │" in lines
    assert "│ route │ B > A │ │ 0 │ {0|2} │" in lines
    assert lines[-1] == "1 delivered, 0 lost, 0 duplicates suppressed, 1 refused"


def test_losses_and_healing(play: Any) -> None:
    topology = "brokers: {A: {bid: 1}, B: {bid: 2}, C: {bid: 3}}\nlinks: [[A, B], [B, C], [A, C]]\n"
    events = [
        {"at": "A", "subscribe": "//x", "sid": 7},
        {"settle": True},
        {"at": "B", "xml": "<x/>"},
        {"link": ["A", "B"], "state": "down"},
        {"at": "B", "xml": "<x/>"},
        {"settle": True},
        {"at": "B", "xml": "<x/>"},
        {"broker": "B", "state": "down"},
        {"at": "B", "xml": "<x/>"},
        {"at": "B", "subscribe": "//x", "sid": 1},
        {"broker": "B", "state": "up"},
        {"settle": True},
        {"at": "B", "xml": "<x/>"},
    ]
    found = rows(play(topology, events, "--json"))
    assert [row.get("publication") for row in found if "publication" in row] == [0, 2, 4]
    assert found[-1] == summary(delivered=3, lost=2, refused=1)
    assert {"sid": 1, "at": "B", "refused": "broker-down"} in found


def test_a_publication_that_is_rejected_is_named(play: Any) -> None:
    result = play(TOPOLOGY, [{"at": "A", "xml": "<x>"}], "--json")
    assert json.loads(result.stdout) == summary()
    assert result.stderr.startswith("publication 0 notifies nobody at A: it is not-well-formed (unclosed): ")


def test_containment_and_the_cyclic_policy(play: Any) -> None:
    topology = TOPOLOGY + "policy: cyclic\ncyclic: {gather: 4, bid_bits: 4}\npreset: small\n"
    events = [
        {"topology": {"at": "A", "x": "b", "bid": 2}},
        {"at": "B", "xml": "<b><a/></b>"},
        {"at": "A", "subscribe": "//a/b", "sid": 7, "semantics": "containment", "language": "xpath"},
    ]
    found = rows(play(topology, events, "--json", "--trace"))
    assert [(row["frame"], row["osid"]) for row in found if "frame" in row] == [
        ("subscribe", "0710000000000000"),
        ("forward", "0712000000000000"),
    ]
    assert found[-2:] == [{"at": "A", "sid": 7, "publication": 0}, summary(delivered=1)]


def test_the_preset_limits_a_broker(play: Any) -> None:
    events = [{"at": "A", "subscribe": f"//x{sid}", "sid": sid} for sid in range(1, 129)]
    found = rows(play("brokers: {A: {bid: 1}}\npreset: small\n", events, "--json"))
    assert found == [{"sid": 128, "at": "A", "refused": "full-subscriptions"}, summary(refused=1)]


def refusal(result: Result) -> str:
    """The one line of a command that was used wrongly."""
    assert (result.exit_code, result.stdout) == (2, ""), result.output
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("x2cbbr: ")
    return result.stderr.removeprefix("x2cbbr: ").removesuffix(".\n")


def test_engines_that_there_are_not(play: Any) -> None:
    said = refusal(play(TOPOLOGY, [], "--engine", "verilator"))
    assert said == "no engine 'verilator' plays networks; the engines that do are: model"


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refusal(run("no.yaml", "no.jsonl")) == "the topology file 'no.yaml' does not exist; check the path"
    Path("net.yaml").write_text(TOPOLOGY)
    assert refusal(run("net.yaml", "no.jsonl")) == "the scenario file 'no.jsonl' does not exist; check the path"
    Path("do.jsonl").write_bytes(b"\xff")
    assert refusal(run("net.yaml", "do.jsonl")) == "the scenario file 'do.jsonl' is not UTF-8 (byte 0); save it as UTF-8"


A, AB = "{A: {bid: 1}}", "{A: {bid: 1}, B: {bid: 2}}"


@pytest.mark.parametrize(
    ("topology", "said"),
    [
        ("brokers: [", " line 1, column 11: expected the node content, but found '<stream end>'; see docs/network.md for an example"),
        ("", ": a topology must be a mapping, not nothing; for example `{brokers: {A: {bid: 1}, B: {bid: 2}}, links: [[A, B]]}`"),
        ("links: []", ": the topology has no brokers; write `brokers: {A: {bid: 1}}`"),
        ("brokers: {}", ": a network must have at least one broker; write `brokers: {A: {bid: 1}}`"),
        (
            f"brokers: {A}\nlink: []",
            ": the key 'link' in the topology is unknown; the keys are brokers, links, policy, preset, steady, cyclic",
        ),
        ("brokers: {A: {bid: 1}, A: {bid: 2}}", " line 1, column 24: the key 'A' is there twice; see docs/network.md for an example"),
        ("brokers: {A: 1}", ": broker 'A' must be a mapping, not 1; for example `{bid: 1}`"),
        ("brokers: {A: {}}", ": broker 'A' has no bid; give each broker a number of its own, `{bid: 1}`"),
        ("brokers: {A: {bid: '1'}}", ": the bid of broker 'A' must be a whole number, not '1'; write it without quotes"),
        ("brokers: {A: {bid: 256}}", ": the bid of broker 'A' must be 1 to 255, not 256; BIDs have 8 bits"),
        ("brokers: {on: {bid: 1}}", ": the keys of brokers must be text, not True; put it into quotes"),
        (
            "brokers: {A: {bid: 1, unit: 5}}",
            ": the unit of broker 'A' must be a name or a list of names, not 5; the outermost unit comes first",
        ),
        ("brokers: {A: {bid: 1}, B: {bid: 1}}", ": the brokers 'A' and 'B' have the same bid 1; give each broker a bid of its own"),
        (f"brokers: {A}\nlinks: x", ": links must be a list, not text; for example `[[A, B], [B, C]]`"),
        (
            f"brokers: {A}\nlinks: [[A]]",
            ": a link must be two brokers' names, and perhaps a cost, not ['A']; for example `[A, B]` or `[A, B, 3]`",
        ),
        (f"brokers: {A}\nlinks: [[A, B]]", ": the link A-B names the broker 'B', which there is not; the brokers are A"),
        (f"brokers: {A}\nlinks: [[A, A]]", ": a link must join two brokers, not 'A' with itself; take it out"),
        (f"brokers: {AB}\nlinks: [[A, B], [B, A]]", ": the link B-A is there twice; take one of them out"),
        (f"brokers: {AB}\nlinks: [[A, B, 0]]", ": the cost of the link A-B must be at least 1, not 0; leave it out for 1"),
        (f"brokers: {AB}\nlinks: [[A, B, 1.5]]", ": the cost of the link A-B must be a whole number, not 1.5; write it without quotes"),
        (
            f"brokers: {A}\npolicy: fast",
            ": the policy must be steady or cyclic, not 'fast'; steady is for use, cyclic for the thesis's modes",
        ),
        (
            f"brokers: {A}\ncyclic: {{}}",
            ": the settings 'cyclic' are there, but the policy is steady; take them out, or write `policy: cyclic`",
        ),
        (
            f"brokers: {A}\nsteady: {{windows: 3}}",
            ": the key 'windows' in the settings 'steady' is unknown; the keys are covering, window, hop_limit, routes",
        ),
        (
            f"brokers: {A}\nsteady: {{window: 0}}",
            ": the settings 'steady': window must be 1 to 65536, not 0; see docs/network.md for their meaning",
        ),
        (f"brokers: {A}\npreset: tiny", ": the preset must be one of small, default, large, not 'tiny'; see `x2cbbr config`"),
        (
            "brokers: {A: {bid: 1}, B: {bid: 2}, C: {bid: 3}}\nlinks: [[A, B], [B, C], [C, A]]\npolicy: cyclic\ncyclic: {unique: false}",
            ": a network whose BIDs are not unique must be a tree; take links out of its rings, or give BIDs more bits",
        ),
        (
            f"brokers: {A}\npolicy: cyclic\ncyclic: {{sampling: all}}",
            ": the settings 'cyclic': sampling must be sound or literal, not 'all'; see docs/network.md for their meaning",
        ),
        (
            f"brokers: {A}\npolicy: cyclic\ncyclic: {{bid_bits: 5}}",
            ": the settings 'cyclic': bits must be 8 more than a multiple of the 5 bits of a BID, not 64; "
            "see docs/network.md for their meaning",
        ),
    ],
)
def test_topologies_that_cannot_be_used(play: Any, topology: str, said: str) -> None:
    assert refusal(play(topology, [])) == f"net.yaml{said}"


SUBSCRIBE = {"at": "A", "subscribe": "//x", "sid": 1}


@pytest.mark.parametrize(
    ("event", "said"),
    [
        ("{", "this is not JSON (column 2: Expecting property name enclosed in double quotes); write one JSON object a line"),
        ("[]", 'an event must be a JSON object, not []; for example {"at": "A", "xml": "<x/>"}'),
        (
            {},
            "an event must do exactly one thing, and this does none; "
            "the things are subscribe, unsubscribe, publish, xml, link, broker, topology, settle",
        ),
        (
            SUBSCRIBE | {"xml": "<x/>"},
            "an event must do exactly one thing, and this does subscribe and xml; "
            "the things are subscribe, unsubscribe, publish, xml, link, broker, topology, settle",
        ),
        ({"at": "A", "subscribe": "//x"}, "a subscription has no 'sid'; it needs at, subscribe, sid"),
        (SUBSCRIBE | {"at": "Z"}, "there is no broker 'Z'; the brokers are A, B"),
        (SUBSCRIBE | {"sid": 256}, "a SID must be a number from 1 to 255, not 256; an o-SID has 8 bits for it"),
        (SUBSCRIBE | {"sid": "1"}, "a SID must be a number from 1 to 255, not '1'; an o-SID has 8 bits for it"),
        (SUBSCRIBE | {"subscribe": 5}, "a subscription must be text, not 5; put it into quotes"),
        (SUBSCRIBE | {"language": "topic"}, "the language 'topic' cannot be played in a network yet; the one that can is xpath"),
        (SUBSCRIBE | {"semantics": "fuzzy"}, "the semantics must be one of exact, containment, not 'fuzzy'; leave it out for exact"),
        (SUBSCRIBE | {"name": "x"}, "a subscription has the unknown key 'name'; its keys are at, subscribe, sid, language, semantics"),
        ({"at": "A", "message": {}}, "messages cannot be played in a network yet; publish XML with 'publish' or 'xml'"),
        (
            {"at": "A", "publish": "no.xml"},
            "the file 'no.xml' cannot be read (No such file or directory); paths begin at the scenario's folder",
        ),
        ({"link": ["A"], "state": "up"}, 'a link must be two brokers\' names, not [\'A\']; for example "link": ["A", "B"]'),
        ({"link": ["A", "A"], "state": "up"}, "there is no link between 'A' and 'A'; add it to the topology"),
        ({"link": ["A", "B"], "state": "off"}, 'the state must be up or down, not \'off\'; write "state": "down"'),
        ({"broker": "A"}, "the change of a broker has no 'state'; it needs broker, state"),
        ({"topology": 1}, 'topology must be an object, not 1; for example {"at": "A", "x": "price", "bid": 2}'),
        ({"topology": {"at": "A", "x": "a b", "bid": 2}}, "x must be a name, @name=value or *, not 'a b'; see docs/network.md"),
        (
            {"topology": {"at": "A", "x": "*", "bid": 2}},
            "with the policy steady the topology entity alone writes *; name what is to be had there instead",
        ),
        (
            {"topology": {"at": "A", "x": "a", "bid": 0}},
            "a bid must be a number from 1 to 255, not 0; name a neighbour of the broker by its bid",
        ),
        ({"topology": {"at": "A", "x": "a", "bid": 2, "remove": 1}}, "remove must be true or false, not 1; leave it out for false"),
        ({"settle": False}, 'settle must be true, not False; write {"settle": true}'),
    ],
)
def test_events_that_cannot_be_played(play: Any, event: dict[str, Any] | str, said: str) -> None:
    text = event if isinstance(event, str) else json.dumps(event)
    assert refusal(play(TOPOLOGY, f"\n{text}\n")) == f"do.jsonl line 2: {said}"


def test_nothing_is_played_before_everything_is_read(play: Any) -> None:
    assert refusal(play(TOPOLOGY, [*SUBSCRIBED, {"settle": 1}], "--json")).startswith("do.jsonl line 5: settle must be true")


def test_help_names_the_command() -> None:
    shown = CliRunner(env={"COLUMNS": "200", "NO_COLOR": "1"}).invoke(app, ["network", "--help"], prog_name="x2cbbr")
    assert "run" in shown.stdout
    assert "Play a scenario and say who was notified of what." in shown.stdout
