"""Bench of the whole parser: documents in, and everything that comes out judged against the golden model."""

from dataclasses import dataclass

from cocotb_tests.scbxp.skeleton import Skeleton
from cocotb_tests.streams import Bench
from hdl.config import BrokerConfig
from hdl.contract import INDEX_MAX, Code, WordType
from hdl.shapes.names import NameOp, NameRequest, NameResponse
from hdl.shapes.publication import DocumentWord, ParsedBeat, VerdictWord
from sim.golden.xml import Parsed, parse

__all__ = ["CONFIG", "Output", "ParserBench", "Token", "as_words"]

CONFIG = BrokerConfig(names=8, learned=64, depth=6, attributes=4, prefixes=3, name_bytes=32, pram_words=64, xram_bytes=1024)
"""Small enough that every limit is near."""

_CLOCKS_PER_BYTE = 4
_PATIENCE = 1500


def as_words(document: bytes) -> list[dict[str, int]]:
    """A document as the loader writes it."""
    pieces = [document[start : start + 4] for start in range(0, len(document), 4)] or [b""]
    return [
        {"data": int.from_bytes(piece, "little"), "count": len(piece), "last": int(index == len(pieces) - 1)}
        for index, piece in enumerate(pieces)
    ]


@dataclass(frozen=True)
class Token:
    """A token put together from its words; ``name`` and ``known`` are those of its last word."""

    type: WordType
    value: bytes
    close: bool
    name: int
    known: bool


@dataclass(frozen=True)
class Output:
    """What came of one document: its tokens, if it was good, and those of a bad one up to where the parser noticed."""

    code: Code
    offset: int
    length: int
    tokens: tuple[Token, ...]

    @property
    def good(self) -> bool:
        """Whether the document is well-formed."""
        return self.code is Code.OK

    def names(self) -> dict[bytes, list[Token]]:
        """The names of elements and attributes, in order of appearance, and their tokens."""
        found: dict[bytes, list[Token]] = {}
        for token in self.tokens:
            if token.type in (WordType.ELEMENT, WordType.ATTRIBUTE):
                found.setdefault(token.value, []).append(token)
        return found


def _word(part: dict[str, int], kind: WordType) -> tuple[WordType, int, bytes, bool]:
    padded = part["data"].to_bytes(4, "little")
    data = padded[: part["count"]]
    assert padded == data.ljust(4, b"\0"), f"the bytes above {part['count']} must be zero, not {padded!r}"
    return kind, part["index"], data, bool(part["last"])


def _output(beats: list[dict], verdict: dict[str, int]) -> Output:
    """Put one document together; the rules of words and tokens are judged on the way, whatever its verdict."""
    code = Code(verdict["code"])
    done = beats[-1]
    assert verdict["verdict"] == code.verdict
    assert done["good"] == (code is Code.OK)
    assert not done["text"]["valid"]
    assert not done["mark"]["valid"]
    parts: list[tuple[WordType, dict[str, int]]] = []
    for beat in beats[:-1]:
        assert not beat["good"]
        assert beat["text"]["valid"] or beat["mark"]["valid"]
        if beat["text"]["valid"]:
            parts.append((WordType.TEXT, beat["text"]))
        if beat["mark"]["valid"]:
            parts.append((WordType(beat["mark"]["type"]), beat["mark"]))
    tokens: list[Token] = []
    under_way: tuple[WordType, bytes, int] | None = None
    for kind, part in parts:
        _, index, data, last = _word(part, kind)
        if under_way is None:
            under_way = (kind, b"", 0)
        begun, value, count = under_way
        assert kind is begun
        assert index == min(count, INDEX_MAX)
        assert last or len(data) == 4
        under_way = (kind, value + data, count + 1)
        if last:
            assert data or not value, "a token must not end in an empty word"
            tokens.append(Token(kind, value + data, bool(part.get("close", 0)), part.get("name", 0), bool(part.get("known", 0))))
            under_way = None
        else:
            assert not any(part.get(name) for name in ("close", "name", "known")), "only the last word of a token says more"
    assert under_way is None or not done["good"]
    return Output(code, verdict["offset"], verdict["bytes"], tuple(tokens))


def _closes(parsed: Parsed) -> list[bool]:
    """For each event whether its start tag ends right after it."""
    kinds = [event.type for event in parsed.events]
    closing = (WordType.ELEMENT, WordType.VALUE)
    return [kind in closing and kinds[at + 1] is not WordType.ATTRIBUTE for at, kind in enumerate(kinds)]


class ParserBench(Bench):
    """Loader, matching side and verdicts; the golden model and the model of the skeleton judge."""

    def __init__(self, dut, *, idle: float = 0.0, stall: float = 0.0):
        super().__init__(dut)
        self.loader = self.source("i", DocumentWord, idle=idle)
        self.beats = self.sink("o", ParsedBeat(CONFIG), stall=stall)
        self.verdicts = self.sink("verdict", VerdictWord, stall=stall)
        self.requests = self.source("request", NameRequest(CONFIG), idle=idle)
        self.responses = self.sink("response", NameResponse(CONFIG), stall=stall)
        self.skeleton = Skeleton(CONFIG)
        dut.pram_read_position.value = 0
        dut.pram_documents__ready.value = 1

    async def reset(self, clocks: int = 2) -> None:
        """Reset, and expect an empty skeleton."""
        await super().reset(clocks)
        self.skeleton = Skeleton(CONFIG)

    def pin(self, *names: bytes) -> None:
        """Ask for names to be made permanent."""
        for name in names:
            self.requests.send({"op": NameOp.PIN, **word} for word in as_words(name))

    async def find(self, *names: bytes) -> list[int]:
        """Look names up, two at a time; the token IDs of those that are permanent, else 0."""
        found = []
        for at in range(0, len(names), 2):
            pair = names[at : at + 2]
            for name in pair:
                self.requests.send({"op": NameOp.FIND, **word} for word in as_words(name))
            found += [answer["name"] if answer["ok"] else 0 for answer in await self.answers(len(pair))]
        return found

    def unpin(self, *numbers: int) -> None:
        """Release names by their token IDs."""
        self.requests.send({"op": NameOp.UNPIN, "last": 1, "name": number} for number in numbers)

    async def answers(self, count: int) -> list[dict[str, int]]:
        """Wait for the answers to ``count`` PINs and take them out."""
        await self.responses.receive(count, within=_PATIENCE + 200 * count)
        taken, self.responses.items[:] = self.responses.items[:count], self.responses.items[count:]
        return taken

    async def take(self, documents: list[bytes]) -> list[Output]:
        """Wait for these documents, loaded before, and take out what came of them; nothing may be left over."""
        stretch = 1 / (1 - min(0.9, self.loader.idle)) / (1 - min(0.9, self.beats.stall))
        patience = _PATIENCE + int(stretch * sum(60 + _CLOCKS_PER_BYTE * len(document) for document in documents))
        verdicts = await self.verdicts.receive(len(documents), within=patience)
        for _ in range(patience):
            if sum(beat["done"] for beat in self.beats.items) >= len(documents):
                break
            await self.clocks(1)
        await self.clocks(2)
        outputs = []
        at = 0
        for verdict in verdicts:
            end = next(index for index in range(at, len(self.beats.items)) if self.beats.items[index]["done"])
            outputs.append(_output(self.beats.items[at : end + 1], verdict))
            at = end + 1
        assert len(verdicts) == len(documents)
        assert at == len(self.beats.items), "beats without a document"
        self.verdicts.items.clear()
        self.beats.items.clear()
        return outputs

    async def parse(self, documents: list[bytes]) -> list[Output]:
        """Load documents back to back, wait for them, and judge everything."""
        for document in documents:
            self.loader.send(as_words(document))
        outputs = await self.take(documents)
        for document, output in zip(documents, outputs, strict=True):
            self.judge(document, output)
        return outputs

    def judge(self, document: bytes, output: Output) -> None:
        """The golden model's verdict and tokens, and the skeleton's token IDs."""
        golden = parse(document, CONFIG, tree=False)
        assert (output.code, output.offset, output.length) == (golden.code, golden.offset, len(document)), f"{document!r}"
        if output.good:
            tokens = [(token.type, token.value, token.close) for token in output.tokens]
            expected = [(event.type, event.value, close) for event, close in zip(golden.events, _closes(golden), strict=True)]
            assert tokens == expected, f"{document!r}"
        self.skeleton.judge(document, output.tokens)
