"""Coroutines for the end of the name table: there is a place for every new name, and none is taken from another."""

import cocotb

from cocotb_tests.scbxp.bench import CONFIG, ParserBench, as_words
from cocotb_tests.scbxp.names_tests import elements, numbered
from hdl.contract import Code


@cocotb.test()
async def places_never_run_out(dut):
    """New names as fast as they come, in tags of every size up to the limit: each has a place, and the judge knows them all again."""
    bench = ParserBench(dut)
    await bench.reset()
    number = 0
    made = []
    for size in range(12):
        parts = []
        for _ in range(14):
            inside = size % (CONFIG.attributes + 1)
            names = numbered(number, 1 + inside)
            number += len(names)
            parts.append(b"<" + names[0] + b"".join(b" %b=''" % name for name in names[1:]) + b"/>")
        parts.append(b"<e" + b"".join(b" %b=''" % name for name in numbered(number, CONFIG.attributes)) + b"/>")
        number += CONFIG.attributes
        made.append(b"<r>" + b"".join(parts) + b"</r>")
    outputs = await bench.parse(made)
    assert all(output.good for output in outputs)
    assert int(dut.forgotten.value) in {count % 32 for count in bench.skeleton.forgotten}
    assert int(dut.forgotten.value) >= 6


@cocotb.test()
async def too_many_attributes_harm_nobody(dut):
    """A tag with more new names than there are places is refused; pinned and learned names are as before or learned anew."""
    bench = ParserBench(dut)
    for count in (CONFIG.learned, 2 * CONFIG.learned - CONFIG.names, 2 * CONFIG.learned + 1, 2 * CONFIG.learned + 9):
        await bench.reset()
        pinned = [b"pin%d" % number for number in range(CONFIG.names)]
        bench.pin(*pinned)
        numbers = [answer["name"] for answer in await bench.answers(len(pinned))]
        names = numbered(0, count)
        bad = b"<r" + b"".join(b" %b=''" % name for name in names) + b"/>"
        good = [elements(*names[at : at + 20]) for at in range(0, count - 20, 20)] + [elements(*pinned)]
        for document in (bad, *good):
            bench.loader.send(as_words(document))
        outputs = await bench.take([bad, *good])
        assert outputs[0].code is Code.ATTRIBUTES
        assert [output.code for output in outputs[1:]] == [Code.OK] * len(good), f"after {count} attributes"
        assert [tokens[0].name for tokens in outputs[-1].names().values()] == numbers, f"after {count} attributes"
        assert all(tokens[0].known for tokens in outputs[-1].names().values())


@cocotb.test()
async def names_of_any_length_end(dut):
    """Names far beyond the limit, in start tags, attributes and end tags, new and met before: refused, and the next document unharmed."""
    bench = ParserBench(dut)
    await bench.reset()
    for length in (CONFIG.name_bytes + 4, 2 * CONFIG.name_bytes, 4 * CONFIG.name_bytes + 1, 300):
        name = b"m" * length
        made = [b"<%b/>" % name, b"<a %b='v'/>" % name, b"<a></%b>" % name, b"<%b %b=''></%b>" % (name, name, name), b"<a/>"]
        outputs = await bench.parse(made)
        assert [output.code for output in outputs] == [Code.NAME_LENGTH] * 4 + [Code.OK]


@cocotb.test()
async def long_names_are_not_pinned(dut):
    """A request for a name beyond the limit is refused and takes no place; the names before and after it are served."""
    bench = ParserBench(dut)
    await bench.reset()
    longest = b"n" * CONFIG.name_bytes
    bench.pin(longest, longest + b"n", b"m" * 200, b"after")
    answers = await bench.answers(4)
    assert [answer["ok"] for answer in answers] == [1, 0, 0, 1]
    bench.skeleton.pinned = {longest: answers[0]["name"], b"after": answers[3]["name"]}
    assert sorted(bench.skeleton.pinned.values()) == [1, 2]
    await bench.parse([elements(b"r", longest, b"after")])
