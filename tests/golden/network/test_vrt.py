"""The vicinity routing table: what an entry may be, and which one a subscription finds."""

import pytest

from sim.golden import xpath
from sim.golden.network.codes import NetworkRefusal
from sim.golden.network.vrt import Route, RoutingTable, criteria, is_criterion


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/a/b/c", ["c", "b", "a"]),
        ("//a[@p='1']/b[@q=\"x\" and @r > 2]/@s", ["@q=x", "@p=1", "s", "b", "a"]),
        ("//a[@p = 07]/*[@q][. = 'x']", ["@p=07", "a"]),
        ("//a[@p != 'x']", ["a"]),
        ("//*", []),
    ],
)
def test_criteria_in_order(text: str, found: list[str]) -> None:
    assert [x.decode() for x in criteria(xpath.compile(text))] == found


@pytest.mark.parametrize("x", [b"*", b"price", b"n:price", "größe".encode(), b"@a=", b"@a=x=y", b"@n:a= b ", b"a.b-c"])
def test_criteria_that_are_some(x: bytes) -> None:
    assert is_criterion(x)


@pytest.mark.parametrize("x", [b"", b"**", b"a b", b"1a", b"@a", b"@=x", b"@1=x", b":a", b"a:", b"a:b:c", b"\xff", b"//a", b" a"])
def test_criteria_that_are_none(x: bytes) -> None:
    assert not is_criterion(x)
    assert RoutingTable().write(Route(x, 1)) is NetworkRefusal.BAD_TOPOLOGY


def test_values_before_names_and_all_before_everything() -> None:
    table = RoutingTable()
    for x, bid in ((b"*", 9), (b"a", 1), (b"b", 2), (b"b", 3), (b"@p=x", 4)):
        assert table.write(Route(x, bid)) is None
    query = xpath.compile("/a[@p='x']/b")
    assert [route.bid for route in table.hits(query)] == [4, 2, 3, 1, 9]
    assert next(table.hits(query, lambda route: route.bid not in (4, 2))).bid == 3
    assert (table.known(query), table.known(xpath.compile("//z"))) == (frozenset({1, 2, 3, 4}), frozenset({9}))


def test_an_entry_keeps_its_place_when_it_is_written_again() -> None:
    table = RoutingTable(2)
    for route in (Route(b"a", 1), Route(b"a", 2), Route(b"a", 1, solicit=True)):
        assert table.write(route) is None
    assert list(table) == [Route(b"a", 1, solicit=True), Route(b"a", 2)]
    assert table.write(Route(b"b", 1)) is NetworkRefusal.FULL_ROUTES
    table.remove(b"a", 1)
    table.remove(b"a", 7)
    assert table.write(Route(b"b", 1)) is None
    assert (len(table), list(table)) == (2, [Route(b"a", 2), Route(b"b", 1)])
