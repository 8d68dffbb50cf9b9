"""Bench of the broker: frames, documents and links as plain calls."""

from collections import defaultdict

from cocotb_tests.streams import Bench, parameters
from hdl.config import BrokerConfig
from hdl.contract import register
from hdl.shapes.publication import DocumentWord, Outcome
from hdl.shapes.subscription import SubscriptionResult

__all__ = ["HEADER", "SELECTED", "WHOLE", "BrokerBench"]

SELECTED, WHOLE, HEADER = 0, 1, 2


def _words(document: bytes) -> list[dict[str, int]]:
    pieces = [document[start : start + 4] for start in range(0, len(document), 4)] or [b""]
    return [
        {"data": int.from_bytes(piece, "little"), "count": len(piece), "last": int(index == len(pieces) - 1)}
        for index, piece in enumerate(pieces)
    ]


class BrokerBench(Bench):
    """The broker with an agent on every stream; ``begins`` and ``starts`` are the places of documents and frames among the words sent,
    ``carried`` is the content field of each notification by number and reference."""

    def __init__(self, dut, *, idle: float = 0.0, stall: float = 0.0):
        super().__init__(dut)
        self.config = BrokerConfig(**parameters()["config"])
        self.publication = self.source("publication", DocumentWord, idle=idle)
        self.subscription = self.source("subscription", DocumentWord, idle=idle)
        self.verdict = self.sink("verdict", Outcome(self.config), stall=stall)
        self.result = self.sink("result", SubscriptionResult(self.config), stall=stall)
        self.links = [self.sink(f"notification__{link}", DocumentWord, stall=stall) for link in range(self.config.links)]
        self.skeleton = self.source("skeleton", DocumentWord, idle=idle)
        dut.clear.value = dut.counter.value = 0
        self.documents: list[bytes] = []
        self.begins: list[int] = []
        self.starts: list[int] = []
        self.carried: dict[tuple[int, int], int] = {}
        self._words = self._frame_words = 0

    def publish(self, document: bytes) -> int:
        """Queue a document; returns its number."""
        self.publication.send(_words(document))
        self.documents.append(document)
        self.begins.append(self._words)
        self._words += len(_words(document))
        return len(self.documents) - 1

    def _frame(self, kind: bytes, reference: int, body: bytes, *, flags: int = 0) -> int:
        osid = bytes([1 + reference % 255]).ljust(8, b"\0")
        frame = kind + bytes([flags, 0, 0]) + osid + reference.to_bytes(4, "big") + len(body).to_bytes(4, "big") + body
        self.subscription.send(_words(frame))
        self.starts.append(self._frame_words)
        self._frame_words += len(_words(frame))
        return len(self.starts) - 1

    def subscribe(self, reference: int, text: str, *, content: int = HEADER, link: int = 0, containment: bool = False) -> int:
        """Queue a SUBSCRIBE frame; returns its number among the frames."""
        return self._frame(b"s", reference, text.encode(), flags=containment | content << 1 | link << 4)

    def unsubscribe(self, reference: int) -> int:
        """Queue an UNSUBSCRIBE frame; returns its number among the frames."""
        return self._frame(b"u", reference, b"")

    def learn(self, *names: str) -> None:
        """Queue names of a skeleton."""
        for name in names:
            self.skeleton.send(_words(name.encode()))

    async def counted(self, name: str) -> int:
        """A counter, by the name of its register, once what has happened is counted."""
        self.dut.counter.value = register(name).offset % 16
        await self.clocks(20)
        return int(self.dut.count.value)

    async def answers(self, count: int, *, within: int = 20000) -> list[int]:
        """The refusals of the first ``count`` frames."""
        items = await self.result.receive(count, within=within)
        return [item["refusal"] for item in items[:count]]

    async def settled(self, *, within: int = 40000) -> dict[int, dict[int, tuple[int, bytes]]]:
        """Wait for every document and until nothing comes any more; what was notified: by number of the publication, then by reference,
        link and body."""
        await self.verdict.receive(len(self.documents), within=within)
        quiet, before = 0, -1
        while quiet < 4:
            await self.clocks(200)
            arrived = sum(len(sink.items) for sink in self.links)
            quiet = quiet + 1 if arrived == before else 0
            before = arrived
        found: dict[int, dict[int, tuple[int, bytes]]] = defaultdict(dict)
        for link, sink in enumerate(self.links):
            current = b""
            for word in sink.items:
                current += word["data"].to_bytes(4, "little")[: word["count"]]
                if not word["last"]:
                    continue
                number, reference = int.from_bytes(current[2:4], "big"), int.from_bytes(current[12:16], "big")
                assert current[:1] == b"n"
                assert current[1] >> 4 == link
                assert current[4:12] == bytes([1 + reference % 255]).ljust(8, b"\0")
                assert len(current) == 20 + int.from_bytes(current[16:20], "big")
                assert reference not in found[number], f"{reference} was notified twice of {number}"
                found[number][reference] = (link, current[20:])
                self.carried[number, reference] = current[1] >> 1 & 3
                current = b""
            assert not current, f"link {link} ends inside a frame"
        for number, outcome in enumerate(self.verdict.items):
            assert outcome["matches"] == len(found[number])
        return found
