"""All subscriptions at once against each by itself."""

import random

import pytest

from hdl.config import BrokerConfig
from hdl.contract import Content, Refusal, Semantics
from sim.golden import match, notify, xml, xpath
from sim.golden.number import NumberDigits
from sim.golden.query import Query
from sim.golden.together import Together
from sim.vectors.documents import document
from sim.vectors.golden import refusal_of
from sim.vectors.queries import subscription_set

CONFIG = BrokerConfig()


def queries(seed: int) -> dict[int, tuple[Query, Semantics]]:
    entries = subscription_set(seed=seed, number=0, count=255)
    accepted = [entry for entry in entries if refusal_of(entry.text, CONFIG) is Refusal.NONE]
    return {entry.sid: (xpath.compile(entry.text, CONFIG), entry.semantics) for entry in accepted}


@pytest.mark.parametrize("seed", [1, 2])
def test_together_is_each_by_itself(seed: int) -> None:
    entries = queries(seed)
    everything = Together(entries)
    chance = random.Random(seed)
    hits = over = 0
    for row in range(150):
        parsed = xml.parse(document(seed=seed, row=row, largest=3000).data)
        if parsed.document is None:
            continue
        chosen = frozenset(chance.sample(sorted(entries), 40)) if row % 3 == 0 else None
        live = {sid: entry for sid, entry in entries.items() if chosen is None or sid in chosen}
        together = everything if chosen is None else Together(live)
        index = together.index(parsed.events, parsed.document.source)
        try:
            wanted = match.matched(live.values(), parsed.document)
        except NumberDigits:
            over += 1
            with pytest.raises(NumberDigits):
                together.found(index)
            continue
        found = {one.sid: one for one in together.found(index)}
        assert list(found) == [sid for sid, hit in zip(live, wanted, strict=True) if hit]
        for sid, one in found.items():
            query, semantics = live[sid]
            assert len(one.elements) == len(match.select(query, parsed.document))
            assert one.content(index) == notify.content(query, parsed.document, Content.SELECTED, semantics)
        hits += len(found)
    assert hits > 1000
    assert over > 0


def test_the_index_of_events_is_that_of_the_tree() -> None:
    data = b"<a xmlns='u' i='1'>x<b j='2' xmlns:p='v'/><!-- -->y<p:c xmlns:p='v' p:k='3'>z<b/></p:c></a>"
    parsed = xml.parse(data)
    assert parsed.document is not None
    one, two = match.Indexed(parsed.document), match.Indexed.of_events(parsed.events, data)
    for name in ("parents", "labels", "last", "names", "attributes", "values", "texts", "bounds", "_spans", "_text", "source"):
        assert getattr(one, name) == getattr(two, name), name
    assert two.attributes == [{b"i": b"1"}, {b"j": b"2"}, {b"p:k": b"3"}, {}]
    assert (two.element(1).name, two.element(1).start, two.element(1).end) == (b"b", 20, 42)
