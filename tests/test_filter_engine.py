"""The broker's hardware behind ``x2cbbr filter --engine verilator``, judged by libxml2 and by literal results."""

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from lxml import etree

from hdl.config import PRESETS, BrokerConfig
from hdl.contract import Code, Content, Frame, Header, Kind, OSid, Refusal, Semantics
from sim.bench import cases
from sim.bench.peers import PEERS, Timed
from sim.engines.icarus import IcarusEngine
from sim.engines.simulated_filter import filter_documents, items_of, subscribe
from sim.engines.verilator import VerilatorEngine
from sim.interface import EngineError, Subscription
from sim.vectors import oracle
from sim.vectors.queries import subscription_set
from sim.verilated import broker
from sim.verilated.broker import Answered, Clear, Item, Matched, Publication, run
from sim.volume_filter import Tally, check_set

CONFIG = PRESETS["default"]
ROOT = Path(__file__).parent.parent

STOCK = b'<stock><share stockid="7"><price currency="EUR">20.5</price></share><share stockid="8"/></stock>'


def subscriptions(*texts: str, semantics: Semantics = Semantics.EXACT) -> list[Subscription]:
    return [Subscription(number, text, semantics) for number, text in enumerate(texts, start=1)]


def test_command_line(tmp_path: Path) -> None:
    (tmp_path / "subs").write_text("70000\t/stock/share\n3\t//price[. > 21]\n4\t//price[@currency='EUR']\n9\t/stock[1]\n")
    (tmp_path / "good.xml").write_bytes(STOCK)
    (tmp_path / "bad.xml").write_bytes(b"<stock><share></stock>")
    command = [sys.executable, "-m", "sim.cli", "filter", "--engine", "verilator", "--json", "--subscriptions", str(tmp_path / "subs")]
    files = [str(tmp_path / "good.xml"), str(tmp_path / "bad.xml")]
    done = subprocess.run([*command, *files], cwd=ROOT, capture_output=True, text=True, check=True)
    refused, good, bad = (json.loads(line) for line in done.stdout.splitlines())
    assert refused == {"sid": 9, "refused": "position"}
    assert 0 < good.pop("cycles") < 400
    assert good == {"file": files[0], "verdict": "well-formed", "code": None, "offset": None, "bytes": len(STOCK), "matches": [4, 70000]}
    assert bad.pop("cycles") > 0
    assert bad == {"file": files[1], "verdict": "not-well-formed", "code": "mismatched-end", "offset": 21, "bytes": 22, "matches": []}


def test_thesis_example() -> None:
    """The expressions of T 3.1 and T-Fig 5.12 on a stock document: containment is blind to the place, exact matching is not."""
    texts = ("/stock/share", "/stock/share/price", "/stock/price/@stockid", "/share/stock/price/@stockid", "/stock/share/@stockid", "/tag")
    exact = filter_documents(subscriptions(*texts), [STOCK], CONFIG)
    assert exact.documents[0].matches == (1, 2, 5)
    contained = filter_documents(subscriptions(*texts, semantics=Semantics.CONTAINMENT), [STOCK], CONFIG)
    assert contained.documents[0].matches == (1, 2, 3, 4, 5)


def test_back_to_back_differs_in_clocks_alone() -> None:
    """Documents overlap, each gets its own results, and the clocks that each adds are those of the whole run."""
    documents = [STOCK, b"<stock><share></stock>", STOCK.replace(b"20.5", b"21.5"), b"<stock/>"] * 5
    engine, entries = VerilatorEngine(CONFIG), subscriptions("/stock/share", "//price[. > 21]", "/stock[not(share)]", "/stock[1]", "/stock")
    alone, together = engine.filter(entries, documents), engine.filter_back_to_back(entries, documents)
    assert together.refused == alone.refused
    for one, other in zip(alone.documents, together.documents, strict=True):
        assert (one.result.code, one.result.offset, one.matches) == (other.result.code, other.result.offset, other.matches)
    answers = run(items_of(entries, documents, CONFIG), CONFIG)
    published = [answer for answer in answers if isinstance(answer, Matched)]
    clocks = [sum(one.result.cycles or 0 for one in result.documents) for result in (alone, together)]
    assert clocks[1] == published[-1].clock - published[0].first_word < 0.8 * clocks[0]


@pytest.mark.parametrize("stalls", [None, 3])
def test_copies_are_brokers_of_their_own(stalls: int | None) -> None:
    """Each copy does clock by clock what a broker does that has taken the same frames and then the same documents."""
    texts = ("/stock/share", "//price[. > 21]", "/stock[1]", "//share[@stockid='8']", "//*", "/stock/new")
    entries = subscriptions(*texts)
    kinds = [STOCK, STOCK.replace(b"20.5", b"21.5"), STOCK.replace(b"<share", b"<s:are", 1), STOCK.replace(b"stock", b"stick")]
    documents = [random.Random(number).choice(kinds) for number in range(31)]
    items = items_of(entries, documents, CONFIG, selecting=(2, 5))

    def behind(answers: Sequence[Answered | Matched]) -> list[Matched]:
        """The publications' answers, with clocks that begin at the first of them."""
        found = [answer for answer in answers if isinstance(answer, Matched)]
        names = ("first_word", "last_word", "clock", "notified")
        return [replace(one, **{name: getattr(one, name) - found[0].first_word for name in names}) for one in found]

    frames = items[: len(entries)]
    many = run(items, CONFIG, copies=4, stalls=stalls)
    assert [one.refusal for one in many if isinstance(one, Answered)] == [Refusal.NONE] * 2 + [Refusal.POSITION] + [Refusal.NONE] * 3
    published = [answer for answer in many if isinstance(answer, Matched)]
    assert [one.clock for one in published] == sorted(one.clock for one in published)
    expected = [tuple(sid for sid in (1, 2, 4, 5, 6) if oracle_matches(data, texts[sid - 1])) for data in documents]
    assert [one.references for one in published] == expected
    if stalls is None:  # with them, the frames of the others have used up some of the random numbers
        for first in range(0, 31, 8):  # documents of the same size: 8, 8, 8 and 7
            alone = run([*frames, *items[len(entries) :][first : first + 8]], CONFIG)
            assert behind(many[len(entries) :][first : first + 8]) == behind(alone)


def oracle_matches(data: bytes, text: str) -> bool:
    root = oracle.parse(data)
    return root is not None and bool(root.xpath(text))


def test_copies_of_few_documents() -> None:
    entries = subscriptions("/stock")
    found = filter_documents(entries, [STOCK, b"<stock"], CONFIG, apart=False, copies=8)
    assert [(one.result.code, one.matches) for one in found.documents] == [(Code.OK, (1,)), (Code.UNCLOSED, ())]
    assert filter_documents(entries, [], CONFIG, apart=False, copies=8).documents == ()


def test_copies_need_frames_first() -> None:
    frame = subscribe(Subscription(1, "/stock"))
    with pytest.raises(EngineError, match="copies need all frames before the first publication"):
        run([Publication(STOCK), frame], CONFIG, copies=2)


def test_number_too_long_is_over_limit() -> None:
    documents = [b"<a x='1234567890123456'/>", b"<a y='1234567890123456'/>", b"<a x='123456789012345'/>"]
    found = filter_documents(subscriptions("/a", "/a[@x > 5]"), documents, CONFIG)
    assert [(one.result.code, one.result.offset, one.matches) for one in found.documents] == [
        (Code.NUMBER_DIGITS, None, ()),
        (Code.OK, None, (1,)),
        (Code.OK, None, (1, 2)),
    ]


def pieces_of(text: str, draw: random.Random) -> str:
    """The text as the content of an element: whole, or with comments in it and parts of it in children."""
    cuts = sorted(draw.randrange(len(text) + 1) for _ in range(draw.choice((0, 0, 1, 2, 3))))
    first, *parts = (text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True))
    return first + "".join(draw.choice(("<b/>{}", "<b>{}</b>", "<!--c-->{}", "<c><b>{}</b></c>")).format(part) for part in parts)


@pytest.mark.parametrize("stalls", [None, 4])
def test_string_values_round_the_limits(stalls: int | None) -> None:
    """Values as long as a literal may be, one byte less and more, and round the multiples of that; numbers among much white space."""
    draw = random.Random(5)
    text = "".join(draw.choice("abcdefghij klmnopqrstuvwxyz") for _ in range(300))
    limit = CONFIG.value_bytes
    literals = [text[:length] for length in (0, 1, 3, 4, 5, limit - 4, limit - 3, limit - 2, limit - 1, limit)]
    tests = [f"//v[. = '{one}']" for one in literals] + [f"//w[. != '{one}']" for one in literals[-3:]]
    tests += ["//v[. = 12345]", "//v[. > 5]", f"//*[. = '{literals[-1]}']", f"//v[text() = '{literals[-2]}']"]
    lengths = [multiple * limit + more for multiple in range(5) for more in (-5, -2, -1, 0, 1, 2, 5) if multiple * limit + more >= 0]
    documents = []
    for length in lengths * 8:
        value = text[:length]
        if draw.random() < 0.3:
            before, after = (" " * draw.choice((0, 3, limit - 2, limit, 2 * limit)) for _ in range(2))
            value = before + draw.choice(("12345", "6", "-3", "7.5", "1 2", "x")) + after
        name = draw.choice("vw")
        head = "p" * draw.randrange(limit + 4)
        documents.append(f"<r>{head}<{name}>{pieces_of(value, draw)}</{name}><v>{draw.choice(literals)}</v></r>".encode())
    found = filter_documents(subscriptions(*tests), documents, CONFIG, apart=False, stalls=stalls)
    expected = [tuple(sid for sid, one in enumerate(tests, start=1) if etree.fromstring(data).xpath(one)) for data in documents]
    assert [one.matches for one in found.documents] == expected
    assert {sid for sids in expected for sid in sids} == set(range(1, len(tests) + 1))


@pytest.mark.parametrize("stalls", [None, 5])
def test_refusals_leave_nothing_behind(stalls: int | None) -> None:
    """Refused in the middle of names, values and tests, one after the other; what follows each is registered as if alone."""
    bad = {
        "/stock(": Refusal.FUNCTION,
        "/stock/share/@sto:": Refusal.UNTERMINATED,
        "//price[@currency='EU": Refusal.UNTERMINATED,
        "/stock/share[2]": Refusal.POSITION,
        "": Refusal.EMPTY,
        "//share[@stockid='7' or @b]": Refusal.OPERATOR,
        f"/{'n' * 65}": Refusal.NAME_LENGTH,
        "/a" * 17: Refusal.STEPS,
    }
    texts = [text for one in bad for text in (one, "/stock/share[@stockid='8']")]
    found = filter_documents(subscriptions(*texts), [STOCK, b"<stock/>"], CONFIG, stalls=stalls)
    assert {one.subscription.text: one.code for one in found.refused} == bad
    assert found.documents[0].matches == tuple(range(2, 2 * len(bad) + 1, 2))
    assert found.documents[1].matches == ()


def unsubscribe(sid: int) -> broker.Frame:
    return broker.Frame(Frame(Header(kind=Kind.UNSUBSCRIBE, osid=OSid(1 + sid % 255), reference=sid)).pack())


def test_subscriptions_come_and_go() -> None:
    first, second = subscriptions("//price", "/stock")
    stock = Publication(STOCK)
    items: list[Item] = [subscribe(first), stock, subscribe(second), unsubscribe(1), stock, subscribe(first), stock]
    answers = run([*items, unsubscribe(2), unsubscribe(2), stock], CONFIG)
    refusals = [answer.refusal for answer in answers if isinstance(answer, Answered)]
    assert refusals == [Refusal.NONE] * 5 + [Refusal.UNKNOWN_SID]
    assert [answer.references for answer in answers if isinstance(answer, Matched)] == [(1,), (2,), (1, 2), (1,)]


@pytest.mark.parametrize("stalls", [None, 3])
def test_whole_publications_reach_every_link(stalls: int | None) -> None:
    """The program compares the bodies itself; documents shorter and longer than the ring follow each other without a gap."""
    frames = [subscribe(one, link=one.sid % 4, content=Content.WHOLE) for one in subscriptions("/stock", "//share", "//price", "//*", "/a")]
    sizes = (0, 1, 500, 1800, 2500, 60, 6000, 7, 1900, 3)
    documents = [Publication(STOCK.replace(b"20.5", b"20.5" + b" " * size)) for size in sizes]
    answers = run([*frames, *documents], CONFIG, stalls=stalls)
    assert [answer.references for answer in answers if isinstance(answer, Matched)] == [(1, 2, 3, 4)] * len(sizes)


@pytest.mark.parametrize("stalls", [None, 11])
def test_random_sets_equal_libxml2(stalls: int | None) -> None:
    tally = Tally()
    check_set(tally, seed=4, number=0, count=CONFIG.subscriptions, documents=24, largest=1200, config=CONFIG, stalls=stalls)
    assert not tally.differences, tally.differences[:5]
    assert tally.matches > 100


def test_cleared_subscriptions_match_no_more() -> None:
    """Clearing leaves nothing that matches, and room for as many again."""
    everything = [subscribe(Subscription(number, "//price")) for number in range(1, CONFIG.subscriptions + 1)]
    found = run([*everything, Publication(STOCK), Clear(), Publication(STOCK), *everything, Publication(STOCK)], CONFIG)
    assert [one.refusal for one in found if isinstance(one, Answered)] == [Refusal.NONE] * (2 * CONFIG.subscriptions + 1)
    assert [len(one.references) for one in found if isinstance(one, Matched)] == [CONFIG.subscriptions, 0, CONFIG.subscriptions]


def test_full_table_refuses_and_recovers() -> None:
    """Capacity, one more, then a place is given up and taken by another."""
    limit = BrokerConfig().subscriptions
    wanted = [Subscription(sid, "/stock") for sid in range(1, limit + 2)]
    items: list[Item] = [*(subscribe(one) for one in wanted), unsubscribe(5), subscribe(wanted[-1]), Publication(STOCK)]
    answers = run(items, CONFIG)
    codes = [answer.refusal for answer in answers if isinstance(answer, Answered)]
    assert codes == [Refusal.NONE] * limit + [Refusal.FULL_SUBSCRIPTIONS, Refusal.NONE, Refusal.NONE]
    assert isinstance(answers[-1], Matched)
    assert answers[-1].references == tuple(sid for sid in range(1, limit + 2) if sid != 5)


def codes_of(items: list[Item]) -> list[Refusal]:
    return [answer.refusal for answer in run(items, CONFIG) if isinstance(answer, Answered)]


def test_tables_are_empty_after_registering_and_removing() -> None:
    """Random subscriptions come and go; then names, steps and strings can each be filled to the last place."""
    draw = random.Random(8)
    pool = [one for one in subscription_set(seed=8, number=0, count=255) if one.aim is None]
    items: list[Item] = []
    held: list[int] = []
    for sid in range(1, 501):
        one = draw.choice(pool)
        items.append(subscribe(Subscription(sid, one.text, one.semantics), link=sid % 4))
        held.append(sid)
        while held and (len(held) > 150 or draw.random() < 0.4 or sid == 500):
            items.append(unsubscribe(held.pop(draw.randrange(len(held)))))
    fillings = (
        [f"/name{number}" for number in range(CONFIG.subscriptions)],
        [f"/{'a/' * 15}b{number}" for number in range(CONFIG.steps // 16)],
        [f"/a[@b='value {number}']" for number in range(CONFIG.values - 1)],
    )
    for texts in fillings:
        items += [subscribe(one) for one in subscriptions(*texts)]
        items += [unsubscribe(sid) for sid in range(1, len(texts) + 1)]
    assert set(codes_of(items)) == {Refusal.NONE}


def test_subscriptions_change_while_documents_flow() -> None:
    """Nothing waits for anything: what begins after a frame's result heeds it, what ended before the frame's first word does not."""
    document = Publication(STOCK)
    frames: list[Item] = []
    for sid, text in enumerate(("//price", "/stock", "//share[@stockid='7']", "/stock//@currency", "//price[. < 21]") * 8, start=1):
        frames.append(subscribe(Subscription(sid, text), link=sid % 4, content=Content.WHOLE if sid % 5 == 0 else Content.HEADER))
        if sid > 10:
            frames.append(unsubscribe(sid - 10))
    answers = run([*frames, *[document] * 120], CONFIG, together=True, stalls=2)
    entered: dict[int, Answered] = {}
    left: dict[int, Answered] = {}
    for item, answer in zip(frames, answers, strict=False):
        assert isinstance(answer, Answered)
        assert answer.refusal is Refusal.NONE
        (entered if item.data[:1] == b"s" else left)[answer.reference] = answer
    heard = 0
    for answer in answers[len(frames) :]:
        assert isinstance(answer, Matched)
        for sid, came in entered.items():
            gone = left.get(sid)
            if answer.clock < came.first_word or (gone and answer.first_word > gone.clock):
                assert sid not in answer.references
            elif answer.first_word > came.clock and (gone is None or answer.clock < gone.first_word):
                assert sid in answer.references
                heard += 1
    assert heard > 100


def test_a_document_that_ends_inside_a_tag_leaves_nothing_to_the_next() -> None:
    wanted = [one for one in subscription_set(seed=1, number=2, count=255) if one.aim is None]
    document = b"<abcde>\n  </abcde>"
    found = filter_documents([Subscription(one.sid, one.text, one.semantics) for one in wanted], [b'<a><c i="2', document], CONFIG)
    root = oracle.parse(document)
    assert root is not None
    due = oracle.Judge([(one.sid, one.text, one.semantics) for one in wanted], CONFIG).judge(document, root)
    assert found.documents[0].matches == ()
    assert found.documents[1].matches == due.matches != ()


def test_icarus_filters_as_verilator_does() -> None:
    """The same refusals, verdicts, matches and clocks from the other simulator, judged by libxml2 through the first."""
    texts = (
        "/stock/share",
        "//price[. > 21]",
        "//price[@currency='EUR']",
        "/stock[1]",
        "//share[@stockid != 7]",
        "stock//price[text()='20.5']",
    )
    documents = [STOCK, b"<stock><share></stock>", b"<stock/>", STOCK.replace(b"20.5", b"21.5"), b""]
    found = IcarusEngine(CONFIG).filter(subscriptions(*texts), documents)
    assert found == VerilatorEngine(CONFIG).filter(subscriptions(*texts), documents)
    assert [(one.subscription.sid, one.code) for one in found.refused] == [(4, Refusal.POSITION)]
    trees = [etree.fromstring(one).getroottree() for one in (STOCK, documents[2], documents[3])]
    due = [
        tuple(n for n, text in enumerate(texts, start=1) if n != 4 and tree.xpath("/" * (not text.startswith("/")) + text))
        for tree in trees
    ]
    assert [found.documents[index].matches for index in (0, 2, 3)] == due == [(1, 3, 5, 6), (), (1, 2, 3, 5)]


def test_bench_of_the_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row is there with the thesis's figure beside it, and libxml2 finds as many matches as the broker.

    What cannot be had for a row is said in its place, and the other rows go on.
    """

    def absent(*_: object) -> Timed:
        raise EngineError("there is no pugixml", hint="install it")

    monkeypatch.setitem(PEERS, "pugixml", absent)
    groups = cases.groups(1)
    found = {group.name: group.rows for group in groups}
    assert [row.thesis for row in found["broker-cases"]] == [460.37, 151.67, 95.35, 95.35]
    assert [row.thesis for row in found["broker-millions"]] == [1.12, 39.01, 151.67]
    broker_row, peer = found["broker-peers"]
    assert broker_row.more["matches"] == peer.more["matches"] > 1000
    assert groups[-1].left_out == {"pugixml, one core": "there is no pugixml (install it)"}
