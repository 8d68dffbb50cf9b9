"""Streams of frames and publications at the broker's corners: what it registers, matches, cuts out and forgets."""

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hdl.config import BrokerConfig
from hdl.contract import Content, Frame, Header, Kind, OSid, Semantics
from sim.corners import texts
from sim.corners.begun import begun
from sim.corners.collisions import collisions
from sim.corners.crowded import crowded, crowded_beside
from sim.corners.deliveries import deliveries
from sim.corners.givenback import given_back
from sim.corners.halted import halted
from sim.corners.nodes import nodes
from sim.corners.numbered import numbered
from sim.corners.registered import registered
from sim.corners.resets import resets
from sim.corners.sharing import clashes, sharing
from sim.corners.stages import stages, stages_beside
from sim.corners.waiting import waiting
from sim.verilated import broker
from sim.verilated.broker import Clear, Item, Name, Publication, Reset

__all__ = ["Stream", "streams"]

_TEXTS = 160
"""Texts in a stream of them."""


@dataclass(frozen=True)
class Stream:
    """Items for one run of a broker; with ``beside`` frames and publications do not wait for each other from the first publication on.

    The documents in ``clashes`` end because the name table cannot hold their names.
    """

    kind: str
    items: tuple[Item, ...]
    beside: bool = False
    clashes: frozenset[bytes] = frozenset()


def _subscribe(
    number: int, text: bytes, *, content: Content = Content.HEADER, link: int = 0, exact: bool = True, osid: OSid | None = None
) -> Item:
    semantics = Semantics.EXACT if exact else Semantics.CONTAINMENT
    identity = osid or OSid(1 + number % 255)
    header = Header(kind=Kind.SUBSCRIBE, osid=identity, reference=number, semantics=semantics, content=content, link=link)
    return broker.Frame(Frame(header, text).pack())


def _cancel(number: int, *, osid: OSid | None = None) -> Item:
    return broker.Frame(Frame(Header(kind=Kind.UNSUBSCRIBE, osid=osid or OSid(1 + number % 255), reference=number)).pack())


def _batches(found: Iterable[bytes], size: int) -> Iterator[list[bytes]]:
    source = iter(dict.fromkeys(found))
    while batch := list(itertools.islice(source, size)):
        yield batch


_SHOWN = (
    b"<abc gh='jk'><de l='1'><f ghi='jk' l=''>x</f></de></abc>",
    b"<a:b xmlns:a='u' xmlns:c='v' c:d='1'>7<a b='c'>7</a><ab c='2' d='1'><x e='0'/></ab></a:b>",
    b"<a b='1' c='d'><ab c='d'>1.5<e/></ab><s t='' u='1'><s/><t>x</t></s><a>b</a>1</a>",
)


def _texts(kind: str, found: Iterable[bytes], config: BrokerConfig, *, size: int = _TEXTS) -> Iterator[Stream]:
    """The texts are registered in turns with publications that some of them match, then cancelled or cleared."""
    for batch_number, batch in enumerate(_batches(found, size)):
        items: list[Item] = []
        for number, text in enumerate(batch, 1):
            items.append(_subscribe(number, text, link=number % config.links, exact=(number + batch_number) % 5 != 0))
            if number % 40 == 0:
                items.append(Publication(_SHOWN[number // 40 % 3]))
        items += [Publication(one) for one in _SHOWN]
        items += [_cancel(number) for number in range(1, len(batch) + 1, 2)]
        items += [Publication(_SHOWN[batch_number % 3]), Clear(), Publication(_SHOWN[0])]
        yield Stream(kind, tuple(items))


def _headers(config: BrokerConfig) -> Iterator[Stream]:
    """Every field of a header one bit off, frames of every length, o-SIDs and references that differ in one bit."""
    good = Frame(Header(kind=Kind.SUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304, content=Content.HEADER), b"//price").pack()
    cancel = Frame(Header(kind=Kind.UNSUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304)).pack()
    stock = Publication(b"<stock><price>1</price></stock>")
    items: list[Item] = [broker.Frame(good), stock]
    for frame in (good, cancel):
        for bit in range(8 * Header.BYTES):
            # A length in the header that the frame does not have is refused as soon as the frame ends.
            raw = bytearray(frame)
            raw[bit // 8] ^= 1 << bit % 8
            items.append(broker.Frame(bytes(raw)))
        for length in range(len(frame)):
            items.append(broker.Frame(frame[:length]))
        items += [broker.Frame(frame + b"x" * more) for more in range(1, 6)]
        items += [stock, Clear(), broker.Frame(good)]
    yield Stream("headers", (*items, stock))

    items = []
    identities = [OSid(1 << bit) for bit in range(8)] + [OSid(9, tuple(range(1, n + 1))) for n in range(8)]
    identities += [OSid(9, (1, 2, 3, 4, 5, 6 ^ 1 << bit)) for bit in range(8) if 6 ^ 1 << bit] + [OSid(9, (1 << bit,)) for bit in range(8)]
    identities += [OSid(0), OSid(0, (3,)), OSid(255, (255,) * 6), OSid(255, (255,) * 7)]
    references = [0, *(1 << bit for bit in range(32)), 0xFFFFFFFF]
    keys = [(one, 5) for one in identities] + [(OSid(9), one) for one in references]
    for turn in range(2):
        for number, (osid, reference) in enumerate(keys):
            items.append(_subscribe(reference, b"//price" if number % 2 else b"/stock", link=number % config.links, osid=osid))
        items.append(stock)
        items += [_subscribe(reference, b"//price", osid=osid) for osid, reference in keys[turn::3]]
        items += [_cancel(reference, osid=osid) for osid, reference in keys[turn::2]]
        items += [_cancel(reference, osid=osid) for osid, reference in keys[turn::5]]
        items.append(stock)
        items += [_cancel(reference, osid=osid) for osid, reference in keys[1 - turn :: 2]]
        items.append(stock)
    yield Stream("headers", tuple(items))


def _orders(numbers: Sequence[int], draw: random.Random) -> list[list[int]]:
    shuffled = list(numbers)
    draw.shuffle(shuffled)
    return [list(numbers), list(reversed(numbers)), [*numbers[::2], *numbers[1::2]], shuffled]


def _tables(config: BrokerConfig) -> Iterator[Stream]:
    """Each table filled to its last place and one beyond, emptied in another order and filled again."""
    draw = random.Random("tables")
    most = config.subscriptions
    document = Publication(b"<r a='v3' b='5'><s a='v7' b='9'/><n1/><n2><n3/></n2></r>")
    fillings: dict[str, list[bytes]] = {
        "subscriptions": [b"/r", b"//s", b"//n%d", b"/r[@a='v%d']", b"//*[@b>%d]"],
        "names": [b"//n%d"],
        "values": [b"/r[@a='v%d' and @b!='w%d']"],
        "numbers": [b"//s[@b>%d]", b"/r[@b<=%d.5]"],
    }
    orders = _orders(range(1, most + 1), draw)
    for name, forms in fillings.items():
        orders = orders[1:] + orders[:1]
        found = [form % ((number,) * form.count(b"%d")) for number in range(most + 2) for form in [forms[number % len(forms)]]]
        for order in orders[: 2 if name == "subscriptions" else 1]:
            items: list[Item] = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(found, 1)]
            items.append(document)
            third = len(order) // 3
            items += [_cancel(number) for number in order[:third]]
            items.append(document)
            items += [_subscribe(number, found[-number], link=number % config.links) for number in order[:third]]
            items += [document, *(_cancel(number) for number in order), document]
            yield Stream("tables", tuple(items))
    # Runs of steps of all lengths, so that the free places are scattered when they are taken again.
    for turn in range(3):
        items = []
        held: list[int] = []
        for number in range(1, 260):
            steps = draw.choice((1, 2, 3, 5, 8, 13, 15, 16))
            text = b"".join(b"/%s" % draw.choice((b"r", b"s", b"*", b"n1", b"n2", b"n3")) for _ in range(steps - 1)) + b"//k%d" % (
                number % 90
            )
            items.append(_subscribe(number, text if turn < 2 else b"/" + b"/r" * (steps - 1) + b"//s", link=number % config.links))
            held.append(number)
            while len(held) > 110 or (held and draw.random() < 0.25):
                items.append(_cancel(held.pop(draw.randrange(len(held)))))
            if number % 70 == 0:
                items.append(document)
        yield Stream("tables", (*items, Clear(), document))
    # As many of one expression as make it common, one fewer and one more; then away again.
    items = []
    for number in range(1, 36):
        items.append(_subscribe(number, b"//s[@b>3]", link=number % config.links, exact=number % 7 != 0))
        if number > 29:
            items.append(document)
    items += [one for number in range(35, 28, -1) for one in (_cancel(number), document)]
    items += [_subscribe(number, b"//n3", exact=False) for number in range(100, 200)]
    items += [document, Clear(), document]
    items += [_subscribe(number, b"/r//s/@a", content=Content.SELECTED) for number in range(1, 40)]
    yield Stream("tables", (*items, document))


def _slices(config: BrokerConfig) -> Iterator[Stream]:
    """Each slice has a step and an attribute of its own that must be there, or one that is compared in many of them; documents have them.

    Runs of the greatest length and a short one leave too little of a slice for another long one: so few bits reach the last slice. The
    compared attribute has no bit in a row, and elements of its name must not take longer for it.
    """
    longest, slices = config.subscription_steps, config.slices
    runs = config.steps // slices // longest - 1
    for used, compared in ((slices, range(0)), (slices // 2, range(slices // 2)), (slices, range(slices // 2, slices))):
        texts: list[bytes] = []
        for place in range(used):
            # Which steps are far tells the runs of a slice from those of the others.
            far = b"".join((b"/*", b"//*")[place >> bit & 1] for bit in range(4))
            for number in range(runs if place < used - 1 else 1):
                head = (b"/z/*", b"/z//*", b"//z/*")[number % 3]
                texts.append(head + far + b"/*" * (longest - 6 - (number == runs - 1)))
            texts.append(b"//e[@p>%d]" % place if place in compared else b"//e[@f%d]" % place)
        items: list[Item] = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(texts, 1)]
        if compared:
            items.append(Publication(b"<r>" + b"<p/>" * 50 + b"<e p='99'/>" * (used < slices) + b"</r>"))
        else:
            items.append(Publication(b"<r><e" + b"".join(b" f%d=''" % place for place in range(slices)) + b"/><e/></r>"))
        yield Stream("tables", tuple(items))


def _pool(config: BrokerConfig) -> Iterator[Stream]:
    """Long strings, until the room for their words is full: one without room for its last words, one that fits, one word more."""
    longest = config.value_bytes
    most = longest // 4
    together = min(config.xpath_bytes // (longest + 16), config.subscription_steps - 1)

    def spelled(number: int, words: int = most) -> bytes:
        return (b"%d-" % number + b"abcdefghijklmnopqrstuvwxyz" * 4)[: 4 * words - number % 4]

    groups: list[list[bytes]] = [[spelled(900, 5)]]
    left, number = 4 * config.values - 5, 0
    while left >= together * most:
        groups.append([spelled(number + place) for place in range(together)])
        left, number = left - together * most, number + together
    # As many of the longest as have room and one more; without that one; then a word too many, as many words as are left, and one more.
    groups += [[spelled(500 + place) for place in range(left // most + 1)], [spelled(600 + place) for place in range(left // most)]]
    groups += [[spelled(700, left % most + 1)], [spelled(704, left % most)], [spelled(708, 1)]]
    items: list[Item] = [
        _subscribe(number, b"/v" + b"".join(b"[.!='%s']" % one for one in group), link=number % config.links)
        for number, group in enumerate(groups, 1)
    ]
    documents = [Publication(b"<v>%s</v>" % one) for one in (b"none", *groups[0], *groups[1][:2], *(group[0] for group in groups[-4:]))]
    items += [*documents, _cancel(len(groups) - 1), _cancel(1)]
    items += [_subscribe(200 + number, b"/v[.='%s']" % spelled(800 + number, most - 8 * number)) for number in range(2)]
    items += [Publication(b"<v>%s</v>" % spelled(800 + number, most - 8 * number)) for number in range(2)]
    yield Stream("tables", (*items, *documents))


def _longer(found: int, low: bytes, high: bytes) -> int:
    """The hash by which the string store finds a string, a word of these two halves further."""
    upper = int.from_bytes(high, "little")
    return ((found << 3 | found >> 13) ^ int.from_bytes(low, "little") ^ (upper << 6 | upper >> 10)) & 0xFFFF


def _hashed(string: bytes) -> int:
    found = 0
    for at in range(0, len(string), 4):
        found = _longer(found, string[at : at + 2], string[at + 2 : at + 4])
    return found


def _buckets(config: BrokerConfig) -> Iterator[Stream]:
    """Strings that share a bucket and its mask: found, missed, too long, and taken from the front, the middle and the end of the chain."""
    pairs = [bytes(one) for one in itertools.product(b"abcdefghijklmnopqrstuvwxyz0123456789", repeat=2)]
    ends = [(_longer(0, b"", pair), pair) for pair in pairs]

    def place(found: int) -> int:
        return (found ^ found >> 8) % 256 % config.values | found >> 13 << 16

    wanted = frozenset(found for found in range(1 << 16) if place(found) == place(_hashed(b"aaaa")))

    def sharing(start: bytes, count: int) -> list[bytes]:
        begun = ((start + pair, _longer(_hashed(start), pair, b"")) for pair in pairs)
        return list(itertools.islice((string + end for string, found in begun for other, end in ends if found ^ other in wanted), count))

    held = [*sharing(b"", 12), *sharing(b"xy--", 12), *sharing(b"a" * (config.value_bytes - 4), 2)]
    # As long as a stored string may be, and words longer, so that the last word decides the bucket.
    missed = [*sharing(b"qq--", 2), *(one for words in (0, 1, 2) for one in sharing(b"z" * (config.value_bytes - 4 + 4 * words), 2))]
    for turn, order in enumerate(_orders(range(len(held)), random.Random("buckets"))[1:3]):
        subject, shape = ((b"@w", b"<v w='%s'/>"), (b"text()", b"<v>%s</v>"))[turn]
        items: list[Item] = [
            _subscribe(number, b"//v[%s='%s']" % (subject, one), link=number % config.links) for number, one in enumerate(held, 1)
        ]
        shown = [
            Publication(b"<r>" + b"".join(shape % one for one in group) + b"</r>") for group in (held[:3], held[-4:], missed, missed * 2)
        ]
        items += [*shown, *(_cancel(1 + number) for number in order[::2]), *shown[:3]]
        items += [_subscribe(100 + number, b"//v[%s='%s']" % (subject, held[number])) for number in order[::4]]
        yield Stream("tables", (*items, *shown[:2]))


def _reused(config: BrokerConfig) -> Iterator[Stream]:
    """Tests of every kind come, go and leave their bits and names to others, from the first and from the last of their lists."""
    kinds = (
        b"//%s[@%s>3]",
        b"//%s[@%s='5']",
        b"//%s[@%s!='5']",
        b"//%s[.>3][@%s]",
        b"//%s[text()='5'][@%s]",
        b"//*[@%s<=5]",
        b"//%s[@%s!=4]",
    )
    names = (b"a", b"b", b"c", b"d")
    documents = [Publication(b"<r><%s %s='5'>5</%s><%s/></r>" % (one, other, one, other)) for one in names for other in names[:3]]
    for turn, kind in enumerate(kinds):
        found = [kind % ((one, other) if kind.count(b"%s") == 2 else (other,)) for one in names for other in names]
        orders = _orders(range(len(found)), random.Random(f"reused {turn}"))
        items: list[Item] = []
        for number, order in enumerate(orders[turn % 2 :: 2]):
            # From an empty table on, so that the same bits are taken for other tests.
            held = order[: 3 + 2 * number]
            items += [_subscribe(1 + one, found[one], link=one % config.links) for one in held]
            items += [_cancel(1 + one) for one in (*held[1:], held[0])]
            held = list(reversed(order))[:5]
            items += [_subscribe(100 + one, found[one], link=one % config.links) for one in held]
            items += [*documents[number::2], *(_cancel(100 + one) for one in held)]
        yield Stream("tables", tuple(items))


_STRINGS = (
    b"",
    b"a",
    b"ab",
    b"abc",
    b"abcd",
    b"abcde",
    b"abcdefgh",
    b"abcdefghi",
    b"bbcd",
    b"abce",
    b"aXcd",
    b"abcdefgX",
    b"Xbcdefgh",
    b" abcd",
)
_NUMBERS = b"0 -0 1 -1 2 10 1.5 -1.5 .5 0.50 1.25 100 99.99 123456789012345 -123456789012345 .000000000000001 12345678.9012345".split()
_VALUES = (
    *_STRINGS,
    *_NUMBERS,
    *b" 1 |01|1.0|1.|-.5|- 1|1e3|+1|.|-|1 1|NaN|Infinity|0x1|1.5.2|--1|1-|\t1\n".split(b"|"),
    b"00000000000000000000001",
    b"1.50000000000000000000",
    b"1234567890123450000",
    b"x" * 63,
    b"x" * 64,
    b"x" * 65,
    b"x" * 200,
    b"1" + b"0" * 63,
    b"0" * 70 + b"1",
    b" " * 66 + b"1",
    b"1" + b" " * 66,
)


def _compared(config: BrokerConfig) -> Iterator[Stream]:
    """Every operator on strings and numbers, against values that are equal, a step off, no number, or too long."""
    operators = (b"=", b"!=", b"<", b"<=", b">", b">=")
    literals = [b"'" + one + b"'" for one in (*_STRINGS, b"x" * 63, b"x" * 64)] + [one for one in _NUMBERS if one != b"-0"]
    for place, (before, after) in enumerate(((b"//v[@w", b"]"), (b"//v[.", b"]"), (b"//v[text()", b"]"))):
        wanted = [before + operator + literal + after for literal in literals for operator in operators]
        for part in range(2):
            batch = wanted[part::2][: config.subscriptions]
            items: list[Item] = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(batch, 1)]
            for at in range(0, len(_VALUES), 3):
                group = _VALUES[at : at + 3]
                if place == 0:
                    body = b"".join(b"<v w='%s'/>" % one for one in group)
                elif place == 1:
                    body = b"".join(b"<v>%s<i>%s</i></v>" % (one[: at % 3], one[at % 3 :]) for one in group)
                else:
                    body = b"".join(b"<v>%s<!--c-->%s<i/>%s</v>" % (one, one[:2], one[2:]) for one in group)
                items.append(Publication(b"<r>" + body + b"</r>"))
            yield Stream("compared", tuple(items))
    # Numbers that differ in one digit, or in where the point is.
    base = 271828182845904
    near = [base, *(base + 10**place for place in range(15)), *(base - 10**place for place in range(15))]
    spelled = [b"%d" % one for one in near] + [b"%d.%d" % divmod(base, 10**place) for place in range(1, 15)]
    spelled += [b".%d" % base, b"-%d" % base]
    for part in range(2):
        wanted = [b"//v[@w" + operators[(number + 3 * part) % 6] + literal + b"]" for number, literal in enumerate(spelled)]
        wanted += [b"//v[@w" + operators[(number + 3 * part + 2) % 6] + literal + b"]" for number, literal in enumerate(spelled)]
        items = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(wanted, 1)]
        items += [Publication(b"<r><v w='%s'/></r>" % value) for value in spelled[part::2]]
        yield Stream("compared", tuple(items))
    # Several tests of a name, of a tag and of a path at a time.
    names = (b"u", b"v", b"w")
    draw = random.Random("compared")

    def test() -> bytes:
        kind = draw.random()
        if kind < 0.2:
            return b"@" + draw.choice(names)
        literal = draw.choice((b"1", b"2", b"'1'", b"'x'", b"1.5", b"''"))
        return b"@" + draw.choice(names) + draw.choice(operators) + literal

    for _ in range(2):
        found = []
        for _ in range(100):
            path = b"".join(
                draw.choice((b"/", b"//")) + draw.choice((b"a", b"b", b"*")) + b"".join(b"[%s]" % test() for _ in range(draw.randrange(3)))
                for _ in range(draw.randrange(1, 4))
            )
            found.append(path + draw.choice((b"", b"", b"/@u", b"//@v", b"[.='x']", b"[text()>1]")))
        items = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(found, 1)]
        items += [
            Publication(_tree(draw, depth=4, names=(b"a", b"b"), attributes=names, values=(b"1", b"2", b"x", b"", b"1.50")))
            for _ in range(40)
        ]
        yield Stream("compared", tuple(items))


def _numerals(config: BrokerConfig) -> Iterator[Stream]:
    """Strings compared by order, which makes numbers of them: those of digits, those with a byte too many, those that are none."""
    odd = b"1|1x|x1|1 1|- 1|1-|-1|--1|1.|.1|.|-|-.|1.1.1|1e1|+1|0x1| 1|1 | 1 |NaN||\t2\n|2\xc2\xa0|01|1.0|-0|0|12a3|..1|1,5".split(b"|")
    operators = (b"<", b"<=", b">", b">=", b"=", b"!=")
    subjects = (b"@w", b".", b"text()")
    for turn, subject in enumerate(subjects):
        wanted = [
            b"//v[%s%s'%s']" % (subject, operators[place % 4 if place < 8 else place % 6], one)
            for number, one in enumerate(odd)
            for place in (number + turn, number + turn + 2)
        ]
        items: list[Item] = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(wanted, 1)]
        shape = (b"<v w='%s'/>", b"<v>%s</v>", b"<v><i/>%s</v>")[turn]
        items += [Publication(b"<r>" + shape % one + b"</r>") for one in (b"1", b"-5", b"0.5", b"2", b"x", b"")]
        yield Stream("compared", tuple(items))


def _spaced(config: BrokerConfig) -> Iterator[Stream]:
    """Numbers with white space of every length before and behind them, in one text node and cut into two at every place."""
    wanted = [b"//v[%s%s]" % (subject, test) for subject in (b".", b"text()", b"@w") for test in (b"=12.5", b"<13", b"!=12.5", b">5")]
    subscribed: list[Item] = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(wanted, 1)]
    cuts = (b"<i/>", b"<!--c-->", b"<i>%s</i>", b"<![CDATA[]]>")
    for turn in range(2):
        items = list(subscribed)
        for before in range(6):
            cases = []
            for behind in range(6):
                spaces = (b" \t\n  \r\n \t"[(before + turn) % 3 :])[:before], (b"\n \t   \t\n"[turn:])[:behind]
                value = spaces[0] + b"12.5" + spaces[1]
                cut = (before + 2 * behind + turn) % (len(value) + 1)
                element = cuts[(before + behind + turn) % len(cuts)]
                if b"%s" in element:
                    cases.append(b"<v>" + value[:cut] + element % value[cut : cut + 2] + value[cut + 2 :] + b"</v>")
                else:
                    cases.append(b"<v>" + value[:cut] + element + value[cut:] + b"</v>")
                cases.append(b"<v w='%s'><i>%s</i><i/></v>" % (value, value) if turn else b"<v w='%s'>%s</v>" % (value, value))
            items += [Publication(b"<r>" + case + b"</r>") for case in cases]
        yield Stream("compared", tuple(items))
    # White space between digits makes no number, wherever it lies in its word and whatever comes between.
    wanted = [b"//v[%s%s]" % (subject, test) for subject in (b".", b"text()") for test in (b">0", b"!=12")]
    for turn in range(2):
        items = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(wanted, 1)]
        for digits in range(1, 6):
            for blanks in range(4):
                first, second = b"12345"[:digits], b"67"[turn:]
                blank = (b" \t \n", b"\n  \t")[turn][:blanks]
                values = (first + blank + b"<i/>" + second, first + b"<i/>" + blank + second, first + b"<i>" + blank + b"</i>" + second)
                items += [Publication(b"<r><v>" + value + b"</v></r>") for value in (*values, first + blank + second + b"<i/>")]
        yield Stream("compared", tuple(items))


def _tree(draw: random.Random, *, depth: int, names: Sequence[bytes], attributes: Sequence[bytes], values: Sequence[bytes]) -> bytes:
    name = draw.choice(names)
    tag = b"<" + name
    for attribute in draw.sample(list(attributes), draw.randrange(len(attributes) + 1)):
        tag += b" %s='%s'" % (attribute, draw.choice(values))
    children = []
    for _ in range(draw.randrange(4) if depth else 0):
        children.append(_tree(draw, depth=depth - 1, names=names, attributes=attributes, values=values))
    for _ in range(draw.randrange(3)):
        children.insert(draw.randrange(len(children) + 1), draw.choice((*values, b"<!--c-->", b"<![CDATA[1]]>", b"&#49;")))
    inside = b"".join(children)
    return tag + (b"/>" if not inside else b">" + inside + b"</" + name + b">")


def _paths(config: BrokerConfig) -> Iterator[Stream]:
    """All shapes of paths over two names and ``*``, in exact and containment semantics, on trees of the same names, to the deepest."""
    steps = [axis + name for axis in (b"/", b"//") for name in (b"a", b"b", b"*")]
    found = [b"".join(one) for length in (1, 2, 3) for one in itertools.product(steps, repeat=length)]
    draw = random.Random("paths")
    deep = config.depth
    documents = [_tree(draw, depth=5, names=(b"a", b"b", b"c"), attributes=(b"a", b"x"), values=(b"a", b"b")) for _ in range(20)]
    documents += [b"<a>" * n + b"<b/>" + b"</a>" * n for n in (deep - 2, deep - 1, deep)] + [b"<a>" * deep + b"</a>" * deep]
    documents += [b"<c>" * (deep // 2) + b"<a><b/></a>" * 3 + b"</c>" * (deep // 2), b"<b>" * deep + b"</b>" * deep]
    for part in range(2):
        batch = found[part::2][:130]
        items = [_subscribe(number, text, link=number % config.links, exact=number % 9 != 0) for number, text in enumerate(batch, 1)]
        yield Stream("paths", (*items, *map(Publication, documents[part::2])))
    # Sixteen steps each, so that runs lie at the ends of slices.
    long = [
        b"".join(draw.choice(steps) for _ in range(config.subscription_steps - 1)) + b"//a"
        for _ in range(config.steps // config.subscription_steps)
    ]
    items = [_subscribe(number, text) for number, text in enumerate(long, 1)]
    chains = [b"".join(draw.choice((b"<a>", b"<b>")) for _ in range(deep - 1)) for _ in range(10)]
    closed = [
        chain + b"<a/>" + b"".join(b"</" + one[1:2] + b">" for one in reversed(chain.split(b"<")[1:]) for one in [b"<" + one])
        for chain in chains
    ]
    yield Stream("paths", (*items, *map(Publication, closed)))


def _contents(config: BrokerConfig) -> Iterator[Stream]:
    """Notifications with every content on every link; nodes that nest, repeat and are attributes; documents about as long as the ring."""
    wanted = (b"//a", b"//a/b", b"//@x", b"/r/a/@x", b"//b[.='7']", b"/r", b"//*", b"//c[@x]//b", b"//b/@y", b"/r/@x", b"//d")
    bodies = [
        b"<a x='1'><b y=\"2\">7</b><b>8</b></a>",
        b"<a><a x='1' ><a/></a ></a><b  y = '3'\n/>",
        b"<c x='1'><!--b--><b>7</b><?b b?><![CDATA[<b/>]]><d x='2' y='3'/></c>",
        b"<a x='\xc3\xa9' y=\"'\"/>t<b/>&lt;",
    ]
    sizes = [0, 1, 2, 3, 400, *(config.xram_bytes - 64 + step for step in (0, 20, 40, 41, 42, 43, 64, 65, 120)), 3 * config.xram_bytes]
    for turn in range(3):
        items: list[Item] = []
        for number, text in enumerate(wanted * 3, 1):
            content = Content((number + number // len(wanted) + turn) % 3)
            items.append(_subscribe(number, text, content=content, link=(number * (turn + 1)) % config.links, exact=number % 10 != 9))
        for number, size in enumerate(sizes):
            items.append(Publication(b"<r x='0'>" + bodies[number % 4] + b"." * size + bodies[(number + turn) % 4] + b"</r>"))
            if number % 4 == turn:
                items.append(Publication(b"<r><a><b></r>"))
        yield Stream("contents", tuple(items))
    # More nodes than there are places for, one expression and many.
    items = [
        _subscribe(number, b"//%s" % (b"a", b"b", b"*", b"@x")[number % 4], content=Content.SELECTED, link=number % config.links)
        for number in range(1, 21)
    ]
    for count in (config.selected // 8, config.selected // 2, config.selected):
        items.append(Publication(b"<r>" + b"<a x=''/><b/>" * (count // 2) + b"</r>"))
        items.append(Publication(b"<r><a/></r>"))
    yield Stream("contents", tuple(items))
    # All on one link, so that its queue fills; whole publications behind each other.
    for link in range(config.links):
        items = [
            _subscribe(number, b"//a", content=Content.WHOLE if number % 8 == 0 else Content.HEADER, link=link) for number in range(1, 60)
        ]
        yield Stream("contents", (*items, *[Publication(b"<r><a>%s</a></r>" % (b"z" * size)) for size in (1, 2, 3, 4, 5, 90, 7)]))


def _places(config: BrokerConfig) -> Iterator[Stream]:
    """Nodes that two subscriptions in different groups of steps select: more entries than there are places, but bytes that are all held."""
    if not config.selected:
        return
    between = _subscribe(9, b"/z" + b"/*" * (config.subscription_steps - 1))
    items = [
        _subscribe(1, b"//a", content=Content.SELECTED),
        between,
        _subscribe(2, b"/r/a", content=Content.SELECTED, link=config.links - 1),
    ]
    for more in (1, 2):
        nodes = (2, config.selected // 2 + more, 1, 3)
        yield Stream("contents", (*items, *(Publication(b"<r>" + b"<a/>" * count + b"</r>") for count in nodes)))


def _names(config: BrokerConfig) -> Iterator[Stream]:
    """Names that a skeleton brings, that documents teach, that subscriptions pin and release, with the table full and forgetting."""
    draw = random.Random("names")
    unseen = itertools.count(1)

    def teaching(count: int) -> bytes:
        return b"<r>" + b"".join(b"<n%d a%d=''/>" % (next(unseen), draw.randrange(9)) for _ in range(count)) + b"<k1/><k2 k3='1'/></r>"

    skeleton: list[Item] = [Name(b"k%d" % number) for number in range(1, 20)]
    skeleton += [
        Name(b"k1"),
        Name(b""),
        Name(b"x" * config.name_bytes),
        Name(b"x" * (config.name_bytes + 1)),
        Name(b"p:q"),
        Name("é".encode()),
    ]
    wanted = [
        b"//k1",
        b"//k2/@k3",
        b"//n5",
        b"/r//n9",
        b"//n%d" % (config.learned + 3),
        b"//k2[@k3=1]",
        b"//*[@a3]",
        b"//p:q",
        b"//" + b"x" * config.name_bytes,
    ]
    for turn in range(3):
        items: list[Item] = list(skeleton) if turn != 1 else []
        items += [Publication(teaching(20))] * 2
        items += [_subscribe(number, text, exact=number % 4 != 0) for number, text in enumerate(wanted, 1)]
        for count in (5, 30, config.learned, 40, 60, 3, config.learned // 2):
            items += [Publication(teaching(count)), _cancel(1 + count % len(wanted)), Publication(b"<r><k1/><k2 k3='1'/><n5/><n9/></r>")]
            items.append(_subscribe(1 + count % len(wanted), wanted[count % len(wanted)]))
        if turn == 2:
            items += [Clear(), *skeleton, Publication(teaching(10)), *(_subscribe(number, text) for number, text in enumerate(wanted, 1))]
        items.append(Publication(b"<r><k1/><k2 k3='1'/><n5/><n9/><p:q xmlns:p='u'/></r>"))
        yield Stream("names", tuple(items))
    items = [Name(b"m%d" % number) for number in range(config.names + 4)]
    items += [_subscribe(number, b"//m%d" % (number * 50)) for number in range(1, 8)] + [
        Publication(b"<m50><m100/><m7/></m50>"),
        Publication(teaching(30)),
    ]
    yield Stream("names", (*items, Clear(), Publication(b"<m50/>"), _subscribe(1, b"//fresh"), Publication(b"<fresh/>")))
    # Names that fit and names that are refused, in every order: beside a registration, after a cancellation, and right behind each other.
    most = config.name_bytes
    forms = (b"", b"w%d", b"w%d" + b"x" * (most - 4), b"w%d" + b"x" * (most - 3), b"w%d" + b"x" * (2 * most), b"k1")
    items = [Name(b"k1")]
    for number, (first, second) in enumerate(itertools.product(forms, repeat=2), 1):
        one, two = (form % turn if b"%d" in form else form for form, turn in ((first, 100 + 2 * number), (second, 101 + 2 * number)))
        shown = Publication(b"<w%d><c1><c2><c3 k1=''/></c2></c1></w%d>" % ((100 + 2 * number,) * 2))
        items += [Name(one), _subscribe(number, b"//w%d//c1/c2/c3/@k1" % (100 + 2 * number)), Name(two), shown]
        items += [_cancel(number), Name(two), Name(one)]
    yield Stream("names", tuple(items))


def _beside(config: BrokerConfig) -> Iterator[Stream]:
    """Subscriptions that no document matches come and go while documents flow; those that match stay, so that clocks decide nothing."""
    draw = random.Random("beside")
    stay = [b"/r", b"//a[@x='1']", b"//b[.>2]", b"//a//b", b"//*[@y]", b"//b[text()='3']", b"/r/a/@x"]
    for _ in range(3):
        items: list[Item] = [
            _subscribe(number, text, content=Content(number % 3), link=number % config.links) for number, text in enumerate(stay, 1)
        ]
        held: list[int] = []
        flowing: list[Item] = []
        for number in range(100, 260):
            text = draw.choice(
                (
                    b"/a//zz",
                    b"//zz[@x='1']",
                    b"/zz",
                    b"//a[@x='none %d']",
                    b"//b[.='none']",
                    b"//qq%d",
                    b"//*[@x=77]",
                )
            )
            flowing.append(_subscribe(number, text % (number % 50) if b"%d" in text else text, link=number % config.links))
            held.append(number)
            while held and draw.random() < 0.5:
                flowing.append(_cancel(held.pop(draw.randrange(len(held)))))
        documents: list[Item] = []
        for number in range(150):
            tree = _tree(draw, depth=3, names=(b"a", b"b", b"u%d" % number), attributes=(b"x", b"y"), values=(b"1", b"2", b"3"))
            documents.append(Publication(b"<r>" + tree + b"</r>" if number % 11 else b"<r><a x='1'>"))
        yield Stream("beside", (*items, *documents, *flowing), beside=True)
    # Names are pinned and released while they are given twice in long tags: a name has the same token ID in all of a tag.
    others = b" ".join(b"f%d=''" % number for number in range(config.attributes - 2))
    documents = []
    for number in range(48):
        name = b"k%d" % (number % 2)
        documents.append(Publication(b"<r><e %s='' %s %s=''/></r>" % (name, others, name if number % 5 else b"g")))
    flowing = []
    for number in range(100, 132):
        flowing += [_subscribe(number, b"/zz//*[@k%d]" % (number % 2)), _cancel(number)]
    yield Stream("beside", (_subscribe(1, b"/r"), *documents, *flowing), beside=True)


def _resets(config: BrokerConfig) -> Iterator[Stream]:
    """A reset in the middle of a frame, of its registration, of a document, of notifications; nothing before it counts."""
    wanted = [b"//a[@x='1']/b", b"/r//c[.>5]", b"//*[@y]", b"/r/a/b/c", b"//b[text()='7']"]
    busy: list[Item] = [
        _subscribe(number, text, content=Content(number % 3), link=number % config.links) for number, text in enumerate(wanted * 3, 1)
    ]
    busy += [Publication(b"<r><a x='1' y='2'><b>7<c>8</c></b></a>" + b"<d/>" * 40 + b"</r>"), Name(b"later"), _cancel(3), _cancel(4)]
    busy += [Publication(b"<r><a x='1'><b>" + b"7" * 300 + b"</b></a></r>"), Clear()]
    after: list[Item] = [_subscribe(number, text, link=number % config.links) for number, text in enumerate(reversed(wanted), 1)]
    after += [Publication(b"<r><a x='1' y='2'><b>7<c>8</c></b></a></r>"), _cancel(2), Publication(b"<r><c>9</c></r>"), Publication(b"<r>")]
    for clocks in range(0, 1100, 157):
        items: list[Item] = []
        for step in range(3):
            items += [*busy, Reset(clocks + 53 * step + 20)]
        yield Stream("resets", (*items, *after))
    # Inside every construct of a document; the first document after it is one that what is left over would change.
    begun = (
        b"<?xml version='1.0' encoding='" + b"u" * 200,
        b"\xef\xbb\xbf<?xml version='1.0'?><!DOCTYPE r [<!--" + b"c" * 200,
        b"<!DOCTYPE r><r>" + b"<r>" * (config.depth - 1) + b"t" * 200,
        b"<r><!--" + b"c" * 300,
        b"<r><?p " + b"d" * 300,
        b"<r><![CDATA[" + b"]\r" * 150,
        b"<r>" + b"&#x20ac;" * 50,
        b"<r>" + "\U0001f600".encode() * 80,
        b"<r>" + b"t" * 400,
        b"<r><a x='" + b"v" * 300,
        b'<r><a x="' + b"&lt;" * 80,
        b"<r><" + b"n" * 300,
        b"<r><a " + b" ".join(b"x%d='1'" % number for number in range(config.attributes)) + b" " * 200,
        b"<r xmlns:p='u'>" + b"<p:a xmlns:q='v' q:x='1'>" * (config.depth - 1),
        b"<r q:x='' p:x='' " + b"xmlns:p='u' " * 20,
        b"<r></r>" + b" " * 300,
        b"<r></s>" + b"t" * 300,
        b"<r>" + b"".join(b"<n%d/>" % number for number in range(100)),
    )
    firsts = (
        b"<?xml version='1.0'?><!DOCTYPE r><r x='1'><a><b>7</b></a></r>",
        b"\n<p:r q:x=''/>",
        b"<r><a x='1'>t</b></r>",
        b"\n<!--c-->",
        b"",
    )
    for number, document in enumerate(begun):
        for turn in range(2):
            first = Publication(firsts[0 if turn else 1 + number % (len(firsts) - 1)])
            items = [Publication(document), Reset(60 + (number * 23 + turn * 71) % 110), first]
            yield Stream("resets", (*items, _subscribe(1, b"//b[.=7]", content=Content.SELECTED), Publication(firsts[0])))


def streams(config: BrokerConfig) -> Iterator[Stream]:
    """All streams for the limits of ``config``, always in the same order."""
    yield from _texts("text-faults", texts.faults(), config)
    yield from _texts("text-characters", texts.characters(), config)
    yield from _texts("text-tokens", texts.tokens(), config)
    yield from _texts("text-limits", texts.limits(config), config)
    yield from _headers(config)
    yield from _tables(config)
    yield from _slices(config)
    yield from _pool(config)
    yield from _reused(config)
    yield from _buckets(config)
    yield from _compared(config)
    yield from _numerals(config)
    yield from _spaced(config)
    yield from _paths(config)
    yield from _contents(config)
    yield from _places(config)
    yield from _names(config)
    yield from _beside(config)
    yield from _resets(config)
    yield from _texts("text-numbers", texts.numbers(config), config, size=_TEXTS // 4)
    yield from (Stream(*one) for one in deliveries(config))
    yield from (Stream("resets", items) for items in resets(config))
    yield from (Stream("nodes", items) for items in nodes(config))
    yield from (Stream("registered", items) for items in registered(config))
    yield from (Stream("resets", items) for items in begun(config))
    yield from (Stream("given-back", items) for items in given_back(config))
    yield from (Stream("collisions", items) for items in collisions(config))
    yield from (Stream("crowded", items) for items in crowded(config))
    yield from (Stream("changed", items, beside=True) for items in crowded_beside(config))
    yield from (Stream(*one) for one in sharing(config))
    yield from (Stream("clashes", items, clashes=ends) for items, ends in clashes(config))
    yield from (Stream(*one) for one in waiting(config))
    yield from (Stream("numbered", items) for items in numbered(config))
    yield from (Stream("stages", items) for items in stages(config))
    yield from (Stream("changed", items, beside=True) for items in stages_beside(config))
    yield from (Stream(*one) for one in halted(config))
