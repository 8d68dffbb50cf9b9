"""Streams in which one stage of the broker waits for another: tags behind a value that is compared for long, matched sets and selected
nodes that are not taken, rows in which containment alone holds something."""

from collections.abc import Iterator

from hdl.config import BrokerConfig
from hdl.contract import Content
from sim.corners.crowded import spread
from sim.corners.frames import cancel, subscribe
from sim.verilated.broker import Item, Publication

__all__ = ["stages", "stages_beside"]


def _ends(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Ends of elements whose text holds come to the queue of tags when it is full, at a place further on each time."""
    items: list[Item] = [subscribe(number, b"//v[@w!='k%d']" % number, link=number % config.links) for number in range(1, 90)]
    items += [subscribe(100, b"//t[text()='5']"), subscribe(101, b"//s[text()='6']", content=Content.SELECTED)]
    for count in range(20):
        inner = b"<u/>" * count
        items.append(Publication(b"<r><v w='k1'/><t>5" + inner + b"</t></r>"))
        items.append(Publication(b"<r><v w='k1'/>" + inner + b"<t>5</t></r>"))
        items.append(Publication(b"<r><v w='k1'/>" + inner + b"<s><u/>6</s></r>"))
    yield tuple(items)


def _shared(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Long matched sets, several subscriptions to a step, that are not taken as fast as they are found; each notification depends on its
    step."""
    items: list[Item] = []
    for number in range(40):
        text = (b"//e[@x>%d]", b"//a[@x>%d]/e")[number % 2] % number
        for copy in range(3):
            items.append(subscribe(number + 50 * copy, text, content=Content.SELECTED, link=(number + copy) % config.links))
    for count in (1, 2, 1):
        items.append(Publication(b"<r>" + b"<a x='77'><e x='99'>t</e><e/></a>" * count + b"</r>"))
    yield tuple(items)


def _behind(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """The places for selected nodes are all taken by a publication that is notified for long, and by one with a listed attribute behind it;
    a long one without any comes next."""
    items: list[Item] = []
    for number in range(4):
        # Each has 16 bits of its own; a node takes eight places for the four of them.
        tests = b"".join((b"[@p]", b"[@q]")[number >> place % 3 & 1] for place in range(config.subscription_steps - 1))
        items.append(subscribe(number + 1, b"//a" + tests, content=Content.SELECTED, link=number % config.links))
    items += [subscribe(100, b"//b/@x", content=Content.SELECTED), subscribe(101, b"//c", content=Content.SELECTED)]
    items.append(Publication(b"<s><b x=''/></s>"))
    # With two places more than these no other publication is let in.
    items.append(Publication(b"<r>" + b"<a p='' q=''/>" * (config.selected // 8 - 2) + b"<c/>" * 8 + b"</r>"))
    items += [Publication(b"<s><b x='1'/><c/><d/></s>"), Publication(b"<t>" + b"<q/>" * 220 + b"</t>")]
    yield tuple(items)


def _sets(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Containment subscriptions in every slice: a tag inside an element that they name has nothing to look for."""
    longest, runs = config.subscription_steps, config.steps // config.subscription_steps
    items: list[Item] = []
    for number in range(runs):
        steps = [b"%c" % (b"abcd"[(number + place) % 4]) for place in range(longest - 1)]
        far = [b"//" if number >> place & 1 else b"/" for place in range(longest - 1)]
        text = b"//a" + b"".join(one + step for one, step in zip(far, steps, strict=True))
        items.append(subscribe(number, text, exact=False, link=number % config.links))
    # Text before the first child gives the time in which it becomes known that the element holds nothing.
    later = b"<!--" + b"." * 100 + b"-->"
    for inner in (b"<q/>", b"<q><q/></q>", b"t<q/>"):
        items.append(Publication(b"<r><a>" + later + inner * (500 // len(inner)) + b"</a></r>"))
        items.append(Publication(b"<r><a/><b/>" + inner * (400 // len(inner)) + b"<d/><c/></r>"))
    yield tuple(items)


def _counted(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Tags at every distance from each other; then one whose children need not be looked at, once that is known."""
    items = spread(config, (b"a", b"b"), config.slices // 2)
    items += [subscribe(200, b"//zz[text()='7']"), subscribe(201, b"//zz[@b='7']"), subscribe(202, b"//b[@c='1']")]
    wide = Publication(b"<r><a><!--" + b"." * 100 + b"-->" + b"<q/>" * 60 + b"</a></r>")
    bodies = (b"a<b/>", b"a<d b='1'/>", b"7<b c='1'/>", b"<b b='' c=''/>a", b"a</b><b>", b"<zz b='7'>7</zz>", b"<b c='1'><a c='1'/></b>")
    for body in bodies:
        # Each waits for the answer to a frame, so that nothing is left of the one before.
        items += [Publication(b"<r><b>" + body * (100 // len(body)) + b"</b></r>"), cancel(300), wide, cancel(300)]
    yield tuple(items)


def stages(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Those that run in turns with their frames."""
    yield from _ends(config)
    yield from _shared(config)
    yield from _behind(config)
    yield from _sets(config)
    yield from _counted(config)


def stages_beside(config: BrokerConfig) -> Iterator[tuple[Item, ...]]:
    """Subscriptions come and go at the ends of publications that were quiet for long, which decide containment alone."""
    texts = (b"//a//b", b"//b//a", b"/r//b", b"//a//r", b"//r//b//a")
    for turn in range(2):
        stays = [subscribe(1 + number, texts[number % 5], exact=False, link=number % config.links) for number in range(12)]
        documents: list[Item] = []
        for number in range(40):
            quiet = b"<!--" + b"." * (60 + 40 * (number % 3)) + b"-->"
            documents.append(Publication(b"<r><a/><b/>" + quiet + b"</r>" + quiet * (number % 2 + turn)))
        flowing: list[Item] = []
        for number in range(60):
            flowing += [subscribe(300 + number, b"/zz" + b"/yy" * (number % 4)), cancel(300 + number)]
        yield (*stays, *documents, *flowing)
