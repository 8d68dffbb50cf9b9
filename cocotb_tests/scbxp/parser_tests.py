"""Coroutines for the whole parser: the golden model's words and verdicts, whatever the stalls and the neighbours."""

import itertools

import cocotb

from cocotb_tests.scbxp.bench import CONFIG, ParserBench, as_words
from cocotb_tests.streams import parameters
from hdl.contract import Code
from tests.golden.generate import documents, edges, mutations, soups, tags

RICH = (
    b'<!DOCTYPE a [<!--\']>--><!ENTITY e "]>">]><!--c--><a xmlns:p=\'u\' p:b = "x&lt;&#x20AC;\r\n">t\r\n&amp;<![CDATA[<]]]>]] >'
    b"<p:b  c='' /><?q r?>\xc3\xa9 <\xe5\x90\x8d\xe5\x89\x8d\n>\xf0\x9f\x98\x80</\xe5\x90\x8d\xe5\x89\x8d ></a>\n<!--d-->"
)
"""Every construct of the language, closely packed."""


def _scaled(count: int) -> int:
    """A part of ``count`` on a slow simulator."""
    return max(1, count // parameters()["share"])


def _mixed(seed: int, count: int) -> list[bytes]:
    """``count`` documents of each kind in a random order: good, broken, with colliding names, at the limits, soup, empty."""
    limits = {name: getattr(CONFIG, name) for name in ("name_bytes", "depth", "attributes", "prefixes")}
    made = [
        *documents(seed, count, size=5),
        *mutations(seed, count, size=4),
        *tags(seed, count),
        *edges(seed, count, **limits),
        *soups(seed, count // 2),
        *[b""] * (count // 8),
    ]
    cocotb.log.info(f"{len(made)} documents of {sum(map(len, made))} bytes")
    return made


@cocotb.test()
@cocotb.parametrize(idle=[0.0, 0.6], stall=[0.0, 0.6])
async def documents_parse(dut, idle, stall):
    """Documents of all kinds back to back: words, verdicts and token IDs are those of the models, and the counters add up."""
    bench = ParserBench(dut, idle=idle, stall=stall)
    await bench.reset()
    made = _mixed(int(1 + 2 * idle + 4 * stall), _scaled(40))
    bench.random.shuffle(made)
    outputs = await bench.parse(made)
    kinds = [sum(output.code.verdict == kind for output in outputs) for kind in range(4)]
    assert [int(dut.verdicts.value) >> 5 * kind & 31 for kind in range(4)] == [count % 32 for count in kinds]
    assert len({output.code for output in outputs}) >= (15 if len(made) > 100 else 4)
    assert int(dut.forgotten.value) in {count % 32 for count in bench.skeleton.forgotten}


@cocotb.test()
async def truncations_end(dut):
    """A document cut at every offset has the golden model's verdict each time, with the next one right behind it."""
    bench = ParserBench(dut)
    await bench.reset()
    outputs = await bench.parse([RICH[:end] for end in range(len(RICH) + 1)])
    assert [at for at, output in enumerate(outputs) if output.good] == [len(RICH) - 9, len(RICH) - 8, len(RICH)]
    assert {output.code for output in outputs} == {Code.OK, Code.UNCLOSED, Code.NO_ROOT}


@cocotb.test()
async def every_alignment(dut):
    """The same document at each place in a word, and cut where each byte of a word is the last."""
    bench = ParserBench(dut, idle=0.3, stall=0.3)
    await bench.reset()
    outputs = await bench.parse([b" " * before + RICH + b"\n" * after for before in range(4) for after in range(4)])
    assert all(output.good for output in outputs)
    assert len({tuple((token.type, token.value) for token in output.tokens) for output in outputs}) == 1


@cocotb.test()
async def empty_documents(dut):
    """Documents without a byte: one verdict each, also next to others and many in a row."""
    bench = ParserBench(dut)
    await bench.reset()
    outputs = await bench.parse([b"", b"<a/>", b"", b"", b"<a", b"", *[b""] * 40, b"<b>t</b>"])
    empty = (Code.NO_ROOT, 0, 0)
    assert [(output.code, output.offset, output.length) for output in outputs] == [
        empty, (Code.OK, 0, 4), empty, empty, (Code.UNCLOSED, 2, 2), *[empty] * 41, (Code.OK, 0, 8)
    ]  # fmt: skip


def _attributes(count: int) -> bytes:
    return b"<r>" + b"<e" + b"".join(b" a%d=''" % number for number in range(count)) + b"/></r>"


def _prefixes(count: int, *, inner: int) -> bytes:
    """That many declarations in scope, the last ``inner`` of them in the inner element; a sibling after it has room again."""
    written = [b" xmlns:p%d='u'" % number for number in range(count)]
    return b"<r" + b"".join(written[: count - inner]) + b"><e" + b"".join(written[count - inner :]) + b"/><e xmlns:q='u' xmlns=''/></r>"


def _nested(depth: int) -> bytes:
    return b"<d>" * depth + b"</d>" * depth


def _name(length: int, place: int) -> bytes:
    return [b"<%b/>", b"<r %b='v'/>", b"<r><%b></%b></r>"][place].replace(b"%b", b"n" * length)


@cocotb.test()
async def limits_are_exact(dut):
    """Depth, names, attributes and prefixes: one below and at the limit it passes, one above has its code, far above too."""
    bench = ParserBench(dut, stall=0.2)
    await bench.reset()
    cases: list[tuple[bytes, Code]] = []
    for more in (-1, 0, 1, 2, 9):
        over = more > 0
        cases += [
            (_nested(CONFIG.depth + more), Code.DEPTH if over else Code.OK),
            (_attributes(CONFIG.attributes + more), Code.ATTRIBUTES if over else Code.OK),
            (_prefixes(CONFIG.prefixes + more, inner=2), Code.PREFIXES if over else Code.OK),
        ]
        cases += [(_name(CONFIG.name_bytes + more, place), Code.NAME_LENGTH if over else Code.OK) for place in range(3)]
    # A name of characters of two bytes jumps over the limit.
    room = (CONFIG.name_bytes - 1) // 2
    cases += [(f"<n{'é' * room}/>".encode(), Code.OK), (f"<n{'é' * (room + 1)}/>".encode(), Code.NAME_LENGTH)]
    bench.random.shuffle(cases)
    outputs = await bench.parse([document for document, _ in cases])
    assert [output.code for output in outputs] == [code for _, code in cases]


@cocotb.test()
async def entities_are_spelled_exactly(dut):
    """The five entities are known in small letters only, in text and in values."""
    bench = ParserBench(dut)
    await bench.reset()
    known = [b"lt", b"gt", b"amp", b"apos", b"quot"]
    unknown = [b"Lt", b"lT", b"LT", b"Gt", b"AMP", b"Amp", b"apoS", b"Quot", b"l", b"ltt", b"am", b"amps", b"quo", b"xquot"]
    for form in (b"<a>&%b;</a>", b"<a b='&%b;'/>"):
        outputs = await bench.parse([form % name for name in known + unknown])
        assert [output.code for output in outputs] == [Code.OK] * len(known) + [Code.ENTITY] * len(unknown)


@cocotb.test()
@cocotb.parametrize(stall=[0.0, 0.4])
async def attributes_are_given_once(dut, stall):
    """An attribute is found again at every distance, with a prefix too, after any number of tags with the same attributes."""
    bench = ParserBench(dut, stall=stall)
    await bench.reset()
    names = [b"a", b"p:b", b"longer-name", b"c"][: CONFIG.attributes]
    good = b" ".join(b"%b=''" % name for name in names)
    made = []
    for first, second in itertools.combinations(range(len(names)), 2):
        twice = [names[first] if at == second else name for at, name in enumerate(names)]
        tags_before = (0, 1, 15, 16, 17)[(first + second) % 5]
        bad = b" ".join(b"%b=''" % name for name in twice)
        made.append(b"<r xmlns:p='u'>" + b"<e %b/>" % good * tags_before + b"<e %b/></r>" % bad)
    outputs = await bench.parse([made[0].replace(b"<e a='' a=''", b"<e a=''"), *made])
    assert [output.code for output in outputs[1:]] == [Code.DUPLICATE_ATTRIBUTE] * len(made)


@cocotb.test()
async def long_tokens_pass(dut):
    """Text and values without a limit: longer than every memory on the way, and the index stays at its largest value."""
    bench = ParserBench(dut, stall=0.1)
    await bench.reset()
    text = bytes(97 + number % 26 for number in range(1500))
    outputs = await bench.parse([b"<a b='" + text + b"'>" + text + b"</a>"])
    assert [token.value for token in outputs[0].tokens] == [b"a", b"b", text, text, b""]


@cocotb.test()
async def verdicts_wait(dut):
    """Nobody takes a verdict, or nobody takes beats: the parser waits, and nothing is lost when it goes on."""
    bench = ParserBench(dut)
    await bench.reset()
    made = [b"<a/>", b"<b>t</b>", b"<", b"<c d='e'/>"] * 3
    for port in (bench.verdicts, bench.beats):
        port.stall = 1.0
        for document in made:
            bench.loader.send(as_words(document))
        await bench.clocks(600)
        assert not port.items
        port.stall = 0.0
        for document, output in zip(made, await bench.take(made), strict=True):
            bench.judge(document, output)
