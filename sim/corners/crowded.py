"""Streams that crowd the matching engine: rows of many slices, long matched sets, string-values of every length, long tags."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Item, Publication

__all__ = ["crowded", "crowded_beside"]


def spread(config: BrokerConfig, names: tuple[bytes, ...], slices: int, *, first: int = 1) -> list[Item]:
    """Subscriptions of the greatest length, below a root that no document has, so that each name has bits in so many slices."""
    longest, runs = config.subscription_steps, config.steps // config.slices // config.subscription_steps
    items: list[Item] = []
    for number in range(runs * slices):
        steps = [names[(number + place) % len(names)] for place in range(longest - 1)]
        # Which steps are far tells the runs from each other.
        axes = [b"//" if number >> place & 1 else b"/" for place in range(longest - 1)]
        items.append(subscribe(first + number, b"/z" + b"".join(map(b"".join, zip(axes, steps, strict=True)))))
    return items


def _wide(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Tags that are looked at in many slices in vain, round and between tags that need none; attributes that are selected there."""
    items = spread(config, (b"a", b"b"), config.slices // 2)
    inner = b"<q/>" * 120
    # Text before the first child gives the time in which it becomes known that the element holds nothing.
    later = b"<!--" + b"." * 100 + b"-->"
    items += [Publication(b"<a>" + pause + inner + b"</a>") for pause in (later, b"")]
    items += [Publication(b"<r><a/>" + inner + later + b"<a>" + inner + b"</a></r>")]
    items += [subscribe(200, b"//b//q"), Publication(b"<r><a>" + inner[:200] + b"</a><b>" + inner[:200] + b"</b></r>")]
    items.append(subscribe(201, b"//a/@x", content=Content.SELECTED))
    items.append(subscribe(202, b"//a[@x]/@y", content=Content.SELECTED, link=1 % config.links))
    items.append(subscribe(203, b"//b[@y]", content=Content.SELECTED))
    tags = (b"<b x='1'/>", b"<a x='2'/>", b"<c x='3' y='4'/>", b"<a y='5'/>", b"<b y='6' x='7'><a x='8' y='9'/></b>", b"<a/>")
    for turn in range(len(tags)):
        items.append(Publication(b"<r>" + b"".join(tags[(turn * step + step) % len(tags)] for step in range(6)) + b"</r>"))
    yield tuple(items)
    # Attributes that might be selected, more than there are places for; their tags are not, so that they take no place for long.
    axes = (b"/", b"//") * 8
    items = spread(config, (b"a", b"b"), 2)
    for number in range(5):
        steps = b"".join(axes[number * place % 7] + b"a" for place in range(config.subscription_steps - 2))
        items.append(subscribe(100 + number, b"/z" + steps + b"/@x", content=Content.SELECTED))
    items.append(subscribe(110, b"//a/@x", content=Content.SELECTED))
    items += [Publication(b"<r>" + b"<b x=''/>" * count + b"<a x='7'/></r>") for count in (1, config.selected // 3, 4)]
    yield tuple(items)
    # Steps with a star have no row to be cleared.
    items = []
    for number in range(12):
        text = b"".join((b"//*", b"/*")[number >> place & 1] for place in range(config.subscription_steps - 1)) + b"//*"
        items += [subscribe(number, text), cancel(number)]
    for number in range(6):
        text = b"//*" + b"".join(b"[%s>%d]" % ((b"@a", b".", b"text()")[place % 3], number + place) for place in range(15))
        items += [subscribe(number, text), cancel(number)]
    yield tuple(items)


def _rows(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Each tag matches in every slice, several subscriptions a time, faster than the matched sets are handed on."""
    longest, names = config.subscription_steps, (b"e", b"f")
    runs = config.steps // longest
    copies = min(3, config.subscriptions // runs)
    items: list[Item] = []
    for number in range(runs):
        # Which steps are far tells the runs from each other.
        far = [b"//" if number // 2 >> place & 1 else b"/" for place in range(longest - 2)]
        text = b"/r" + b"".join(one + b"a" for one in far) + b"//" + names[number % 2]
        for copy in range(copies):
            items.append(subscribe(copies * number + copy, text, link=(number + copy) % config.links))
    for inner in (b"<e/><f/>", b"<f><e/></f><a><e/></a>", b"<e/>" * 3 + b"<g/><f/>", b"<a><a><f/></a></a><e/>"):
        items.append(Publication(b"<r>" + b"<a>" * (longest - 2) + inner + b"</a>" * (longest - 2) + b"</r>"))
    yield tuple(items)


def _dense(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Beats with a text and a tag, a value and a tag, and all three, one behind the other for a long time."""
    items: list[Item] = [subscribe(1, b"//zz[text()='7']"), subscribe(2, b"//zz[@b='7']"), subscribe(3, b"//b[@c='1']")]
    for body in (b"a<b/>", b"7<b>8</b>", b"a<d b='1'/>", b"7<b c='1'/>", b"<b b='' c=''/>a", b"a</b><b>"):
        body *= 1200 // len(body)
        items.append(Publication(b"<r><b>" + body + b"</b></r>"))
    yield tuple(items)
    # Values that are compared, right behind each other: found late and at once, of one word and of many, numbers of many bytes.
    values = (b"kkkkkkkkkkkkkkkk", b"k", b"123456789012", b"kkkkkkkkkkkkkkkl", b"1x")
    items = [subscribe(number, b"//v[@a%d='%s']" % (number % 8, one)) for number in range(16) for one in [values[number % 4]]]
    items += [subscribe(20 + number, b"//v[@a%d>7]" % number) for number in range(4)]
    for turn, value in enumerate(values):
        tag = b"<v" + b"".join(b" a%d='%s'" % (number, (value, values[number % 5])[turn % 2]) for number in range(8)) + b"/>"
        items.append(Publication(b"<r>" + tag * (1400 // len(tag)) + b"</r>"))
    yield tuple(items)


def _string_values(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """String-values in several pieces, of lengths round the multiples of the positions that are kept, as text and as numbers."""
    ring = 4 * config.value_bytes
    literals = (b"'abc'", b"'x'", b"''", b"0", b"5", b"12.5")
    wanted = [b"//v[.%s%s]" % (operator, one) for one in literals for operator in (b"=", b"!=")] + [b"//v[.<6]", b"//*[.>4]"]
    subscribed: list[Item] = [subscribe(number, text, link=number % config.links) for number, text in enumerate(wanted, 1)]
    sizes = [config.value_bytes + step for step in (-3, -1, 0, 1, 3)] + [k * ring + step for k in (1, 2, 3) for step in (-1, 0, 1)]
    fillers = ((b"x", b"abc"), (b"0", b"5"), (b"0", b"0"), (b" ", b"5"), (b"x", b""))
    for turn, (filler, tail) in enumerate(fillers):
        items = list(subscribed)
        for number, size in enumerate(sizes):
            cut = (size // 2, size, 1)[(number + turn) % 3]
            inner = (b"<i/>", b"<i>%s</i>" % tail[:1])[(number + turn) % 2]
            rest = tail if inner == b"<i/>" else tail[1:]
            items.append(Publication(b"<r>ab<v>" + filler * cut + b"<j/>" + filler * (size - cut) + inner + rest + b"</v></r>"))
            items.append(Publication(b"<r><v><v>" + filler * size + b"</v><v>" + tail + b"<i/></v></v></r>"))
        yield tuple(items)


def _foreign(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """String-values with too many digits, which are no number because of one byte, in each lane of a word of each length."""
    items: list[Item] = [subscribe(number, text) for number, text in enumerate((b"//v[.=1]", b"//v[.<5]", b"//v[.!=1]"))]
    digits = b"1" * (config.value_bytes + 6)
    for length in range(1, 5):
        for lane in range(length):
            for byte in (b"x", b" "):
                word = b"1" * lane + byte + b"1" * (length - lane - 1)
                items.append(Publication(b"<r><v>%s<i/>%s</v></r>" % (word, digits)))
                items.append(Publication(b"<r><v>2<i/>%s<i/>%s</v></r>" % (word, digits)))
    yield tuple(items)


def _named_alike(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Elements and attributes of one name, with tests on each of them; the latest of them is the first of its list."""
    tests = (b"//%s[.>3]", b"//%s[text()>3]", b"//*[@%s>3]", b"//%s[.!='5']", b"//%s[text()!='5']", b"//*[@%s!='5']", b"//%s[.='7']")
    names = (b"a", b"b", b"c")
    for turn in range(2):
        items: list[Item] = []
        for number, name in enumerate(names):
            order = (*tests[number * 2 + turn :], *tests[: number * 2 + turn])
            items += [subscribe(20 * number + place, test % name, link=place % config.links) for place, test in enumerate(order)]
        documents = []
        for value in (b"5", b"7", b"2", b"x"):
            for name in names:
                documents.append(Publication(b"<r><%s %s='%s'>1</%s><%s>%s</%s></r>" % (name, name, value, name, name, value, name)))
                documents.append(Publication(b"<r><d %s='%s'/><%s>%s<i/></%s></r>" % (name, value, name, value, name)))
        items += documents
        for number in range(len(names)):
            items += [cancel(20 * number + place) for place in range(turn, len(tests), 2)]
        yield (*items, *documents[turn::2])


def _held_up(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """A value is compared with a long list of strings, while the tags behind it fill the queue, one tag more each time."""
    items: list[Item] = [subscribe(number, b"//v[@w!='k%d']" % number, link=number % config.links) for number in range(1, 90)]
    items += [subscribe(100, b"//t[text()='5']"), subscribe(101, b"//t[@x='5']")]
    for count in range(22):
        items.append(Publication(b"<r><v w='k1'/><t x='5'>5" + b"<u/>" * count + b"</t></r>"))
    yield tuple(items)


def _declarations(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Namespace declarations with prefixes of every length, which are no attributes, and attributes with nearly such names."""
    names = [b"xmlns" + b":"[:number] + b"abcdefghijkl"[: max(0, number - 1)] for number in range(14) if number != 1]
    near = (b"xmln", b"xmlnsa", b"xmlnsabcdefg", b"xmlmsxx", b"xmlnt", b"Xmlns", b"xmln.abcd", b"xmlnssssssss")
    items: list[Item] = []
    for number, name in enumerate((*names, *near)):
        items += [subscribe(2 * number, b"//*[@%s]" % name), subscribe(2 * number + 1, b"//*[@%s='u']" % name, link=number % config.links)]
    for name in (*names, *near):
        items += [Publication(b"<a %s='u'/>" % name), Publication(b"<a b='' %s='u'><c/></a>" % name)]
    yield tuple(items)


def crowded(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Those that run in turns with their frames."""
    yield from _wide(config)
    yield from _rows(config)
    yield from _dense(config)
    yield from _string_values(config)
    yield from _foreign(config)
    yield from _named_alike(config)
    yield from _held_up(config)
    yield from _declarations(config)


def _changed(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Subscriptions that no document matches come and go while long matched sets leave, containment is decided, and values wait for
    long lists of tests."""
    shared = [subscribe(1 + number, b"//e", link=number % config.links) for number in range(60)]
    contained = [b"//a//b", b"/r//c/d", b"//d/*//a", b"//b//c//d", b"/r/a/b/c/d"]
    held = [subscribe(100 + number, text, exact=False) for number, text in enumerate(contained)]
    compared = [subscribe(110 + number, b"//v[@w='k%d']" % number, link=number % config.links) for number in range(16)]
    compared += [subscribe(130 + number, b"//v[@w!='k%d'][@u]" % number) for number in range(24)]
    compared += [subscribe(160 + number, b"//v[.='k%d']" % number) for number in range(8)]
    for turn in range(3):
        documents: list[Item] = []
        for number in range(60):
            values = [b"k%d" % ((number * step + turn) % 16) for step in (1, 3, 7)]
            bodies = (
                b"<e/>",
                b"<d><c><b/></c><a/></d>",
                b"".join(b"<v w='%s'>%s</v>" % (one, other) for one, other in zip(values, values[1:] + values[:1], strict=True)),
                b"<v w='%s'/><e/><d><b/><c/><a/></d>" % values[0],
            )
            documents.append(Publication(b"<r>" + bodies[(number + turn) % 4] + b"</r>"))
        flowing: list[Item] = []
        for number in range(150):
            texts = (b"//zz[@q='k%d']" % (number % 16), b"/zz/y", b"//zz[.='k%d']" % (number % 16), b"//zz//yy")
            flowing.append(subscribe(300 + number, texts[(number + turn) % 4], exact=number % 4 != 3))
            if number % 3:
                flowing.append(cancel(300 + number - number % 2))
        stays = (shared + held, compared + held, shared[:20] + held + compared)[turn]
        yield (*stays, *documents, *flowing)
    # A value is found and waits for the tests of the one before, while literals are found that other strings share their bucket with.
    listed = [subscribe(1 + number, b"//v[@w='k%d']" % number, link=number % config.links) for number in range(24)]
    listed += [subscribe(30 + number, b"//v[@w!='k%d'][@u]" % number) for number in range(40)]
    documents = []
    for number in range(12):
        documents.append(Publication(b"<r>" + b"".join(b"<v w='k%d'/>" % ((number + 5 * step) % 19) for step in range(14)) + b"</r>"))
    flowing = []
    for number in range(24):
        text = b"//zz" + b"".join(b"[@q='k%d']" % ((number + 7 * step) % 24) for step in range(14))
        flowing += [subscribe(300 + number, text), cancel(300 + number)]
    yield (*listed, *documents, *flowing)
    # What the end of a publication decides comes long after the rest of it, and a change waits for it.
    whole = (b"/r[text()='5']", b"/r[.='5']", b"//r[@x='1']", b"//*[.='5']", b"//r")
    ends = (b"5", b"<a/><b/>5", b"<c x='1'/>", b"", b"<a><c><b/></c></a>")
    for turn in range(2):
        stays = [subscribe(1 + number, text, link=number % config.links) for number, text in enumerate(whole)]
        stays += [subscribe(10 + number, text, exact=False) for number, text in enumerate((b"//a//b", b"//a//r", b"/r//c", b"//b//c//r"))]
        late = b"<!--" + b"." * (500 + 100 * turn) + b"-->"
        documents = []
        for number in range(30):
            end = ends[number % 5]
            documents.append(Publication(b"<r x='1'>" + (end + late if number % 2 else late + end) + b"</r>"))
        flowing = []
        for number in range(60):
            flowing += [subscribe(300 + number, (b"/zz", b"//zz[@q='5']", b"//zz//yy")[number % 3], exact=number % 4 != 1)]
            flowing += [cancel(300 + number)] * (number % 2)
        yield (*stays, *documents, *flowing)


def _next(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """A subscription that is accepted long before the end of a publication counts for the one that waits right behind it."""
    for more in range(2):
        items = [*spread(config, (b"f", b"g"), config.slices // 2), subscribe(300, b"/m"), subscribe(301, b"/f")]
        slow = b"<r><!--%s-->" % (b"." * 2400) + b"<f/>" * (150 + more) + b"</r>"
        items += [Publication(one) for one in (slow, b"<m/>", b"<f/>", b"<m/>")]
        yield (*items, subscribe(400, b"/m"))


def crowded_beside(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Those whose frames do not wait for publications."""
    yield from _changed(config)
    yield from _next(config)
