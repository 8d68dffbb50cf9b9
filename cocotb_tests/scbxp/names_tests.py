"""Coroutines for the parser's names: token IDs, learned names and their limit, PIN and UNPIN beside documents."""

import cocotb

from cocotb_tests.scbxp.bench import CONFIG, Output, ParserBench, as_words
from hdl.cam.words import key_of
from hdl.contract import Code, WordType


def elements(*names: bytes) -> bytes:
    """A document with these names, one tag each."""
    return b"<%b>" % names[0] + b"".join(b"<%b/>" % name for name in names[1:]) + b"</%b>" % names[0]


def numbered(first: int, count: int) -> list[bytes]:
    return [b"n%d" % number for number in range(first, first + count)]


def _spare() -> int:
    """Names that may be learned before the next start tag finds too few places left."""
    return CONFIG.learned - CONFIG.attributes - 10


@cocotb.test()
async def learned_names_are_forgotten(dut):
    """One below and at the limit the next tag still knows the learned names; one above, all are forgotten, and learned anew."""
    bench = ParserBench(dut)
    for more in (-1, 0, 1):
        await bench.reset()
        names = numbered(0, _spare() + more)
        # Text between the last tags lets each name be looked at before the next one comes.
        document = elements(*names)
        last = document.index(b"<%b/>" % names[-12])
        outputs = await bench.parse([document[:last] + document[last:].replace(b"<", b" " * 100 + b"<")])
        assert [found[0].name for found in outputs[0].names().values()] == [CONFIG.names + 1 + at for at in range(len(names))]
        assert int(dut.forgotten.value) == 0
        outputs = await bench.parse([elements(names[0], names[1]), elements(*names[:3])])
        assert int(dut.forgotten.value) == int(more > 0)
        assert [tokens[0].known for tokens in outputs[0].names().values()] == [more <= 0] * 2
        assert [tokens[0].known for tokens in outputs[1].names().values()] == [True, True, more <= 0]


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.5])
async def pinned_names_stay(dut, stall):
    """As many names as there are places get IDs of their own, one more is refused, an ID given back is given to the next; pinned names
    keep theirs while learned ones come and go."""
    bench = ParserBench(dut, stall=stall)
    await bench.reset()
    # One word, a whole word, several words, bytes beyond ASCII, the longest; one is learned before.
    names = [b"a", b"abcd", b"abcde", b"p:q", "é".encode(), "名前".encode(), b"n" * CONFIG.name_bytes, b"learned"][: CONFIG.names]
    await bench.parse([b"<learned a=''/>"])
    bench.pin(*names, b"refused", names[2], b"refused")
    answers = await bench.answers(CONFIG.names + 3)
    numbers = [answer["name"] for answer in answers[: CONFIG.names]]
    assert [answer["ok"] for answer in answers] == [1] * CONFIG.names + [0, 1, 0]
    assert sorted(numbers) == list(range(1, CONFIG.names + 1))
    assert answers[CONFIG.names + 1]["name"] == numbers[2]
    bench.skeleton.pinned = dict(zip(names, numbers, strict=True))
    probe = b"<a xmlns:p='u'><abcd abcde=''/><p:q/>" + "<é/><名前/>".encode() + b"<" + names[6] + b"/><learned refused=''/></a>"
    churn = [elements(*numbered(40 * turn, 40)) for turn in range(5)]
    await bench.parse([probe, *churn, probe])
    assert int(dut.forgotten.value) >= 2

    # The place of one is free again; the name itself is learned like any other.
    bench.unpin(numbers[1])
    bench.pin(b"new", b"refused")
    answers = await bench.answers(2)
    assert [(answer["ok"], answer["name"]) for answer in answers[:1]] == [(1, numbers[1])]
    assert answers[1]["ok"] == 0
    del bench.skeleton.pinned[names[1]]
    bench.skeleton.pinned[b"new"] = numbers[1]
    outputs = await bench.parse([probe, b"<new abcd=''/>", *churn[:3], probe])
    assert outputs[0].names()[b"abcd"][0].name > CONFIG.names


def _numbers(output: Output, name: bytes) -> list[tuple[int, bool]]:
    return [(token.name, token.known) for token in output.names()[name]]


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4])
async def pins_beside_documents(dut, stall):
    """Names are pinned and released while documents flow: words and verdicts do not change, and every document that begins after the answer
    carries the new ID from its first tag to its last."""
    bench = ParserBench(dut, stall=stall)
    await bench.reset()
    document = b"<alpha><beta alpha='1'/>text<gamma>&lt;</gamma><beta/></alpha>"
    made = [document] * 70
    length = len(as_words(document))
    for each in made:
        bench.loader.send(as_words(each))

    def begun() -> int:
        """Documents of which a word has been loaded."""
        return -(-len(bench.loader.clocks) // length)

    await bench.verdicts.receive(4, within=3000)
    unpinned = len(bench.verdicts.items)
    bench.pin(b"alpha", b"beta")
    alpha, beta = await bench.answers(2)
    pinned = begun()
    await bench.verdicts.receive(pinned + 3, within=6000)
    released = len(bench.verdicts.items)
    bench.unpin(alpha["name"])
    bench.pin(b"omega", b"gamma")
    omega, gamma = await bench.answers(2)
    renamed = begun()
    assert len(bench.verdicts.items) < len(made), "the documents ended too early to tell"
    outputs = await bench.take(made)
    for output in outputs:
        assert output.good
        assert [token.value for token in output.tokens if token.type is WordType.TEXT] == [b"text", b"<"]
    assert omega["name"] == alpha["name"]
    assert len({alpha["name"], beta["name"], gamma["name"]}) == 3
    assert all(answer["ok"] and 1 <= answer["name"] <= CONFIG.names for answer in (alpha, beta, omega, gamma))
    for at, output in enumerate(outputs):
        for name, answer, first, since, until, end in (
            (b"alpha", alpha, unpinned, pinned, released, renamed),
            (b"beta", beta, unpinned, pinned, len(made), len(made)),
            (b"gamma", gamma, released, renamed, len(made), len(made)),
        ):
            numbers = _numbers(output, name)
            if since <= at < until:
                assert numbers == [(answer["name"], True)] * len(numbers), f"{name!r} in document {at}"
            elif at < first or at >= end:
                assert all(number > CONFIG.names for number, _ in numbers), f"{name!r} in document {at}"
    assert pinned < released
    assert renamed < len(made)
    assert len({tuple(token.name for token in output.tokens) for output in outputs}) >= 3


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4])
async def look_ups_beside_documents(dut, stall):
    """Names are looked up among the marks of documents that follow each other: pinned ones are found, learned and unknown ones are not and
    stay what they are, and documents come out as they would without."""
    bench = ParserBench(dut, stall=stall)
    await bench.reset()
    long = b"n" * CONFIG.name_bytes
    bench.pin(b"alpha", long, b"be")
    alpha, longest, be = (answer["name"] for answer in await bench.answers(3))
    bench.skeleton.pinned = {b"alpha": alpha, long: longest, b"be": be}
    document = b"<alpha><learned alpha='1' be='a value of some words'/>text<" + long + b">&lt;</" + long + b"><be/></alpha>"
    made = [document] * 40
    for each in made:
        bench.loader.send(as_words(each))
    await bench.verdicts.receive(2, within=3000)
    asked = [b"alpha", b"learned", b"be", long, long[:-1], b"alph", b"alphb", b"never", b"b", b"alpha"]
    for _ in range(4):
        assert await bench.find(*asked) == [alpha, 0, be, longest, 0, 0, 0, 0, 0, alpha]
    assert len(bench.verdicts.items) < len(made), "the documents ended too early to tell"
    outputs = await bench.take(made)
    for each, output in zip(made, outputs, strict=True):
        bench.judge(each, output)
    shapes = [[(token.type, token.value, token.name) for token in output.tokens] for output in outputs]
    assert all(shape == shapes[0] for shape in shapes)
    assert all(output.good for output in outputs)
    # What was looked up and not found has not been learned: names still get the numbers that the model gives them.
    await bench.parse([b"<never alph='' b=''/>", document])
    bench.unpin(alpha)
    assert await bench.find(b"be", b"alpha") == [be, 0]


def _words(name: bytes) -> list[int]:
    return [int.from_bytes(name[start : start + 4], "little") for start in range(0, len(name), 4)]


def _twins() -> tuple[bytes, bytes]:
    """Two names with the same key: the difference in the first word, sent through the hash, is that in the second."""
    first, letters = b"abcdijkl", range(97, 123)
    for one in range(1, 1 << 7):
        for two in range(1, 1 << 7):
            change = one | two << 8
            words = _words(first)
            moved = key_of([words[0], 0]) ^ key_of([words[0] ^ change, 0])
            name = (words[0] ^ change).to_bytes(4, "little") + (words[1] ^ moved).to_bytes(4, "little")
            if all(byte in letters for byte in name):
                return first, name
    raise AssertionError("no name has the same key")


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4])
async def close_names_are_told_apart(dut, stall):
    """Names that differ in one byte, or only in the last word, one right after the other and new each time, have IDs of their own."""
    bench = ParserBench(dut, stall=stall)
    for turn in range(6):
        await bench.reset()
        short = [bytes([letter]) + b"%03d" % turn for letter in range(97, 117)]
        tail = [b"name%d%c" % (turn, letter) for letter in range(97, 107)]
        outputs = await bench.parse([elements(*short), elements(*tail, *short[:3])])
        for output in outputs:
            numbers = [tokens[0].name for tokens in output.names().values()]
            assert output.good
            assert len(set(numbers)) == len(numbers)


@cocotb.test()
async def the_same_key_is_refused(dut):
    """Two names with the same key: the second one is refused and not taken for the first, and each is served when it comes alone."""
    bench = ParserBench(dut)
    first, second = _twins()
    assert key_of(_words(first)) == key_of(_words(second))
    for one, other in ((first, second), (second, first)):
        await bench.reset()
        bench.loader.send(as_words(elements(b"r", one, one)))
        bench.loader.send(as_words(elements(b"r", one, other)))
        bench.loader.send(as_words(elements(b"r", one)))
        verdicts = await bench.verdicts.receive(3, within=3000)
        offset = len(b"<r><%b/><" % one) + len(other)
        assert [(verdict["code"], verdict["offset"]) for verdict in verdicts] == [(0, 0), (Code.NAME_CLASH, offset), (0, 0)]
