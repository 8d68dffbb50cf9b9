"""The seeded generators always make the same bytes."""

from hashlib import sha256

from hdl.contract import Code
from sim.golden.xml import parse
from tests.golden import generate


def digest(documents: list[bytes]) -> str:
    return sha256(b"\xff".join(documents)).hexdigest()[:16]


def test_generators_repeat_themselves() -> None:
    assert digest(generate.documents(1, 20)) == "7ee708adc18915c4"
    assert digest(generate.mutations(1, 20)) == "5fc7806774f61401"
    assert digest(generate.soups(1, 20)) == "e9595aae79795b5c"
    assert digest(generate.tags(1, 20)) == "9cc363c9922097db"
    assert digest(generate.edges(1, 20, name_bytes=64, depth=32, attributes=32, prefixes=32)) == "b64ef4e2eab19a76"


def test_the_first_documents_do_not_depend_on_how_many_follow() -> None:
    assert generate.documents(5, 3) == generate.documents(5, 30)[:3]
    assert generate.mutations(5, 3) == generate.mutations(5, 30)[:3]


def test_edges_meet_each_limit_and_nothing_else() -> None:
    made = generate.edges(6, 300, name_bytes=64, depth=32, attributes=32, prefixes=32)
    codes = {parse(data).code for data in made}
    assert codes == {Code.OK, Code.NAME_LENGTH, Code.DEPTH, Code.ATTRIBUTES, Code.PREFIXES}
