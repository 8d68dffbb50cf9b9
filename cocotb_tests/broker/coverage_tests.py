"""Functional coverage of the broker: every kind of test and of step, matched and not matched, judged by libxml2."""

from dataclasses import dataclass
from itertools import islice, product

import cocotb
from cocotb_coverage.coverage import CoverCross, CoverPoint, coverage_db
from lxml import etree

from cocotb_tests.broker.bench import BrokerBench

SUBJECTS = ("attribute", "string-value", "text node")
OPERATORS = ("present", "=", "!=", "<", "<=", ">", ">=")
LITERALS = ("none", "string", "number")
AXES = ("/", "//")
POSITIONS = ("first", "middle", "last", "attribute step")
NODES = ("name", "*")
OUTCOMES = ("matched", "not matched")

BATCH = 14
"""Subscriptions registered at once; four bits each fill the small configuration's rows."""

VALUES = ("5", "5.0", " 5 ", "-3", "7", "x", "")


@dataclass(frozen=True)
class Cell:
    """A kind of test on a step at a place, and how that step is written."""

    subject: str
    operator: str
    literal: str
    axis: str
    position: str
    node: str

    def text(self) -> str:
        """A subscription with this test: three steps of which one is tested."""
        steps = []
        for place, name in zip(POSITIONS, ("a", "b", "c"), strict=False):
            tested = place == self.position
            axis = self.axis if tested else "/" if place == "first" else "//"
            steps.append(f"{axis}{'*' if tested and self.node == '*' else name}{self._test() if tested else ''}")
        if self.position == "attribute step":
            steps.append(f"{self.axis}@p")
        return "".join(steps)

    def _test(self) -> str:
        subject = {"attribute": "@p", "string-value": ".", "text node": "text()"}[self.subject]
        literal = {"none": "", "string": "'5'", "number": "5"}[self.literal]
        return f"[{subject}{'' if self.operator == 'present' else self.operator}{literal}]"


def hole(cell: Cell) -> str:
    """Why the cell cannot be filled, or nothing; these are the holes."""
    if cell.subject != "attribute" and cell.operator == "present":
        return "string-values and text nodes are compared, never just asked for"
    if cell.subject != "attribute" and cell.position != "last":
        return "string-values and text nodes are compared on the last step only"
    if (cell.operator == "present") != (cell.literal == "none"):
        return "presence has no literal, a comparison has one"
    if cell.position == "attribute step" and cell.operator != "present":
        return "nothing is compared after the final attribute"
    if cell.position == "attribute step" and cell.node == "*":
        return "the final attribute has a name"
    return ""


CELLS = [Cell(*parts) for parts in product(SUBJECTS, OPERATORS, LITERALS, AXES, POSITIONS, NODES)]


def documents() -> list[bytes]:
    """Each value in every place; values missing; text split by a comment; the path broken."""
    whole = '<a p="{v}"><b p="{v}"><c p="{v}">{v}</c></b></a>'
    found = [whole.format(v=value) for value in VALUES]
    found += ["<a><b><c/></b></a>", "<a p='5'><b><c>5<!-- -->7</c></b></a>", "<a><x><b p='5'><y><c p='7'>5<d>1</d></c></y></b></x></a>"]
    found += ["<b p='5'><c p='5'>5</c></b>", "<a><b p='6'/><b p='5'><c>4<![CDATA[]]></c><c p='5'>7</c></b></a>"]
    return [text.encode() for text in found]


@CoverPoint("broker.subject", xf=lambda cell, matched: cell.subject, bins=list(SUBJECTS))
@CoverPoint("broker.operator", xf=lambda cell, matched: cell.operator, bins=list(OPERATORS))
@CoverPoint("broker.literal", xf=lambda cell, matched: cell.literal, bins=list(LITERALS))
@CoverPoint("broker.axis", xf=lambda cell, matched: cell.axis, bins=list(AXES))
@CoverPoint("broker.position", xf=lambda cell, matched: cell.position, bins=list(POSITIONS))
@CoverPoint("broker.node", xf=lambda cell, matched: cell.node, bins=list(NODES))
@CoverPoint("broker.outcome", xf=lambda cell, matched: OUTCOMES[not matched], bins=list(OUTCOMES))
@CoverCross(
    "broker.tests",
    items=[f"broker.{name}" for name in ("subject", "operator", "literal", "axis", "position", "node", "outcome")],
    ign_bins=[(*vars(cell).values(), outcome) for cell in CELLS if hole(cell) for outcome in OUTCOMES],
)
def sample(cell, matched):
    """Counts a subscription's fate on one document."""


@cocotb.test()
async def every_test_is_matched_and_not_matched(dut):
    """All cells that the grammar allows, in batches, with the same documents; a cell without a match or without a miss fails the run."""
    bench = BrokerBench(dut)
    await bench.reset()
    cells = iter([cell for cell in CELLS if not hole(cell)])
    published = documents()
    trees = [etree.fromstring(document).getroottree() for document in published]
    answered = 0
    due: dict[int, list[int]] = {}
    fate: list[tuple[Cell, bool]] = []
    reference = 0
    while batch := list(islice(cells, BATCH)):
        references = {}
        for cell in batch:
            reference += 1
            references[reference] = cell
            bench.subscribe(reference, cell.text(), link=reference % bench.config.links)
        answered += len(batch)
        assert set(await bench.answers(answered)) == {0}
        for document, tree in zip(published, trees, strict=True):
            hits = [number for number, cell in references.items() if tree.xpath(cell.text())]
            due[bench.publish(document)] = hits
            fate += [(cell, number in hits) for number, cell in references.items()]
        await bench.verdict.receive(len(bench.documents), within=40000)
        dut.clear.value = 1
        while dut.cleared.value != 1:
            await bench.clocks(1)
        dut.clear.value = 0
        await bench.clocks(1)
    found = await bench.settled()
    assert {number: sorted(found[number]) for number in due} == due
    for cell, matched in fate:
        sample(cell, matched)
    cross = coverage_db["broker.tests"]
    empty = [cell for cell, count in cross.detailed_coverage.items() if not count]
    coverage_db.export_to_xml(filename="coverage.xml")
    assert not empty, f"{len(empty)} of {cross.size} cells are empty, such as {empty[:4]}"
