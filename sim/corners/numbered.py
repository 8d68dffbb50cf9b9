"""Streams about the numbers of names and strings: a name whose number is 0 in tables, as that of ``*`` is; names that the name table has no
place for although it is not full; strings of several words."""

from collections.abc import Iterator, Sequence

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Item, Publication

__all__ = ["ALIKE", "numbered"]

ALIKE = (b"full", b"aaaasoya", b"nameigig", b"roadcgqo", b"treeapls", b"yearenfi", b"moonnzyz", b"starhprl", b"rainakqb", b"snowfaze")
"""Names with the same rows of the name table, which has room for six of them."""

_STRINGS = 48


def _filled(config: BrokerConfig) -> list[Item]:
    """Subscriptions of strings and of all names but one."""
    tests = config.subscription_steps - 1
    strings = [b"s%d" % number for number in range(_STRINGS)]
    items: list[Item] = []
    for number, at in enumerate(range(0, _STRINGS, tests), 200):
        items.append(subscribe(number, b"//v" + b"".join(b"[@w!='%s']" % one for one in strings[at : at + tests])))
    names = [b"n%d" % number for number in range(config.names - 3)]
    for number, at in enumerate(range(0, len(names), tests + 1), 220):
        items.append(subscribe(number, b"".join(b"/" + name for name in names[at : at + tests + 1])))
    return items


def _last(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The last name, tests of any element beside tests of that name, and subscriptions that differ in which of the two a test is."""
    shown = [b"3.5", b"4.5", b"2", b"s33", b"s34", b"s41", b"s42"]
    documents = [Publication(b"<r><z>%s</z><q>%s</q></r>" % (one, other)) for one in shown[:4] for other in shown[:3]]
    for value in shown[3:]:
        places = (b"<z>%s<q/></z>", b"<z>t<q>%s</q></z>", b"<q>%s<z>t</z></q>", b"<q>t<z>%s</z></q>")
        documents += [Publication(one % value) for one in places]
    forms = ((b".='s33'", b"//z[.>3]"), (b".!='s34'", b"//z[@w]"), (b"text()='s41'", b"//*[@z]"), (b"text()!='s42'", b"//z[text()>3]"))
    for turn in range(2):
        items = _filled(config)
        for number, (test, own) in enumerate(forms):
            pair = (b"/*/z[%s]" % test, b"/z/*[%s]" % test)
            items += [subscribe(10 * number + place, text, link=number % config.links) for place, text in enumerate((own, *pair))]
            items += [subscribe(10 * number + 5, b"//*[.>4]"), subscribe(10 * number + 6, b"//*[text()>3]")]
            items += documents[turn::2]
            items += [cancel(10 * number + place) for place in ((5, 0, 1), (6, 2))[turn]]
            items += documents[1 - turn :: 2]
        # Declarations and other names that have no number.
        items += [subscribe(100, b"//*[@z]"), subscribe(101, b"//*[@z='u']"), Publication(b"<r xmlns='u' xmlns:zz='u' xmlns:long='u'/>")]
        yield tuple(items)


def _alike(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Names with the same rows are refused one by one, with free places from other names or without; those that come after them get a
    place of their own."""
    held: list[Item] = [subscribe(400 + number, b"//p") for number in range(config.names // 2 + 2)]
    for freed in range(4):
        items = list(held)
        spare = [b"one", b"two", b"three"]
        items += [subscribe(300 + number, b"//" + name) for number, name in enumerate(spare)]
        items += [subscribe(number, b"//" + name) for number, name in enumerate(ALIKE[:6])]
        items += [cancel(300 + number) for number in range(freed)]
        items += [subscribe(10 + number, b"//" + name) for number, name in enumerate(ALIKE[6:9])]
        others = [b"later%d" % number for number in range(5)]
        items += [subscribe(20 + number, b"//" + name, link=number % config.links) for number, name in enumerate(others)]
        for name in (*ALIKE[:6], *spare, *others):
            items.append(Publication(b"<r><%s/></r>" % name))
        items += [cancel(2), subscribe(30, b"//" + ALIKE[7]), Publication(b"<%s/>" % ALIKE[7]), Publication(b"<%s/>" % ALIKE[2])]
        yield tuple(items)


def _words(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Strings of one to four words, each of which is asked for as an attribute, as a text and as a string-value in pieces."""

    def spelled(number: int) -> bytes:
        letters = b"qwertyuiopasdfghjklzxcvbnm0123456789"
        return bytes(letters[(number * number * 7 + place * (number + 11)) % len(letters)] for place in range(5 + number % 12))

    strings: Sequence[bytes] = sorted({spelled(number) for number in range(40)})
    items: list[Item] = []
    for number, one in enumerate(strings):
        text = (b"//v[@w='%s']", b"//v[text()='%s']", b"//v[.='%s']")[number % 3] % one
        items.append(subscribe(number, text, link=number % config.links, content=Content(number % 3)))
    for one in strings:
        items.append(Publication(b"<r><v w='%s'>%s</v><v>%s<i/>%s</v></r>" % (one, one, one[:3], one[3:])))
    yield tuple(items)


def _stars(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Short paths of stars, all of them; they come and go."""
    texts = [b""]
    for _ in range(5):
        texts = [*texts, *(text + axis + b"*" for text in texts for axis in (b"/", b"//"))]
    texts = list(dict.fromkeys(text for text in texts if text))
    items = [subscribe(number, text, link=number % config.links) for number, text in enumerate(texts)]
    yield (*items, Publication(b"<a><b/></a>"))
    gone = [cancel(number) for number in range(0, len(texts), 2)]
    yield (*items[:30], Publication(b"<a><b/></a>"), *gone[:15], Publication(b"<a><b><c/></b></a>"))


def numbered(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """All of them."""
    yield from _last(config)
    yield from _alike(config)
    yield from _words(config)
    yield from _stars(config)
