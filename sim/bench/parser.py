"""The parser's rows: T-Tab 6.1 and 6.2, further kinds of documents, and software beside them.

Cycles are those of the RTL, with input always available and output never held. Throughput is the distance of the verdicts of documents
that come back to back; latency is from a document's first word to its verdict, for a document that has the parser to itself.
"""

from collections.abc import Sequence

from hdl.config import BrokerConfig
from hdl.contract import Code
from sim.bench.clock import clock
from sim.bench.rows import Group, Row
from sim.bench.samples import REAL, names_of, renamed, samples
from sim.bench.software import PARSERS, bytes_per_second
from sim.vectors.documents import thesis_document
from sim.verilated.parser import Parsed, parse

__all__ = ["CASE_I", "CASE_II", "groups"]

CASE_I = {
    224: 2.133, 236: 2.247, 536: 2.038, 684: 2.171, 768: 2.092, 832: 2.248, 916: 2.058, 932: 2.099, 980: 2.305, 1008: 2.091,
    1324: 2.111, 1912: 2.131, 2904: 2.129, 6696: 2.140, 15228: 2.145,
}  # fmt: skip
"""Bytes per clock by size of document [T-Tab 6.1]."""

CASE_II = {
    224: 0.363, 236: 0.382, 536: 0.691, 684: 0.827, 768: 0.873, 832: 0.943, 916: 0.957, 932: 0.974, 980: 1.045, 1008: 1.014,
    1324: 1.162, 1912: 1.356, 2904: 1.547, 6696: 1.839, 15228: 2.001,
}  # fmt: skip
"""Bytes per clock by size of document [T-Tab 6.2]."""

_WARM, _COUNTED = 6, 24
"""Copies that fill the pipeline and the buffers, and copies between whose verdicts clocks are counted."""


def _measured(documents: Sequence[bytes], skeleton: Sequence[bytes]) -> list[Parsed]:
    found = parse(documents, BrokerConfig(), skeleton=skeleton)
    for one in found:
        if one.code is not Code.OK:
            raise ValueError(f"a document of the bench must be well-formed, not {one.code.text} at {one.offset}")
    return found


def _throughput(copies: Sequence[bytes], skeleton: Sequence[bytes] = ()) -> float:
    """Clocks between verdicts once documents follow each other."""
    found = _measured(copies, skeleton)
    return (found[-1].verdict - found[_WARM - 1].verdict) / (len(found) - _WARM)


def _latency(document: bytes, skeleton: Sequence[bytes] = ()) -> int:
    return _measured([document], skeleton)[0].cycles


def _rows(seed: int, thesis: dict[int, float], *, known: bool) -> tuple[Row, ...]:
    rows = []
    for size, figure in thesis.items():
        document = thesis_document(seed=seed, size=size)
        skeleton = names_of(document) if known else []
        copies = [document if known else renamed(document, copy) for copy in range(_WARM + _COUNTED)]
        clocks, latency = _throughput(copies, skeleton), _latency(copies[0], skeleton)
        more = {"clocks": clocks, "latency": float(latency), "bytes/latency": size / latency}
        rows.append(Row(f"{size} B", size / clocks, figure, more))
    return tuple(rows)


def _kinds() -> dict[str, tuple[bytes, float, int]]:
    """Each sample document with its bytes per clock and its latency; large real ones alone, others back to back."""
    found = {}
    for name, document in samples().items():
        copies = [document] * (_WARM + _COUNTED)
        found[name] = document, len(document) / _throughput(copies), _latency(document)
    for path in REAL.values():
        if path.is_file():
            document = path.read_bytes()
            latency = _latency(document)
            found[path.name] = document, len(document) / latency, latency
    return found


def groups(seed: int) -> Sequence[Group]:
    """All groups of the parser."""
    rate = clock("Scbxp", device="LFE5U-85F-6", assumed=120.0)
    kinds = _kinds()
    software = []
    for name, (document, ours, _) in {**kinds, **_thesis_kinds(seed)}.items():
        speeds = {parser: bytes_per_second(run, document) / 1e6 for parser, run in PARSERS.items()}
        mine = ours * rate.mhz
        more = {f"{parser} MB/s": speed for parser, speed in speeds.items()}
        more |= {f"ratio to {parser}": mine / speed for parser, speed in speeds.items()}
        more |= {"Gbit/s": mine * 8 / 1000}
        if rate.luts:
            more["Mbit/s per 1000 LUT4"] = mine * 8 / rate.luts * 1000
        software.append(Row(name, mine, None, more))
    return [
        Group(
            "case-1",
            "T-Tab 6.1, Case I: the skeleton is loaded beforehand",
            "bytes/clock",
            f"clocks between the verdicts of {_COUNTED} back-to-back copies; latency of one alone, first word in to verdict out",
            _rows(seed, CASE_I, known=True),
        ),
        Group(
            "case-2",
            "T-Tab 6.2, Case II: every document brings a skeleton never seen before, which is learned",
            "bytes/clock",
            f"{_COUNTED} back-to-back copies, each with names of its own; latency of one alone after reset",
            _rows(seed, CASE_II, known=False),
        ),
        Group(
            "kinds",
            "kinds of documents, skeleton learned",
            "bytes/clock",
            "samples back to back, real files once",
            tuple(
                Row(name, ours, None, {"bytes": float(len(data)), "latency": float(latency)})
                for name, (data, ours, latency) in kinds.items()
            ),
            {path.name: f"apt-get install {package}" for package, path in REAL.items() if not path.is_file()},
        ),
        Group(
            "software",
            f"one parser at {rate.mhz:g} MHz ({rate.origin}) beside software on one core of this machine",
            "MB/s",
            "expat without handlers, libxml2 building its tree; processor time, best of several rounds, same run",
            tuple(software),
        ),
    ]


def _thesis_kinds(seed: int) -> dict[str, tuple[bytes, float, int]]:
    document = thesis_document(seed=seed, size=1008)
    return {"thesis, 1008 B": (document, 1008 / _throughput([document] * (_WARM + _COUNTED)), _latency(document))}
