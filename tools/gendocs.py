"""Generate the pages of the documentation that must not drift from the code.

``python -m tools.gendocs`` writes ``docs/formats.md``, ``docs/limits.md``, ``docs/registers.md`` and ``docs/host-link.md`` from
:mod:`hdl.contract` and :mod:`hdl.config`, ``docs/language-codes.md`` from :mod:`sim.golden.languages`, and ``mutants.md``,
``languages.md``, ``ablation.md``, ``simulation.md`` and ``soak.md`` in ``docs/results`` from the JSON files beside them. With ``--check``
it writes nothing and fails when a page is stale.
"""

import argparse
import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from hdl import config, contract
from hdl.config import PRESETS, BrokerConfig
from hdl.contract import (
    PARTS,
    REGISTERS,
    BusError,
    Code,
    Content,
    Field,
    Format,
    Header,
    Kind,
    Language,
    OSid,
    PropertyType,
    Refusal,
    Register,
    Segment,
    SegmentKind,
    Semantics,
    VerdictBody,
    WordClass,
    WordType,
)
from sim.bench.rows import shown
from sim.golden.languages import LanguageRefusal, Limits, MessageCode
from tools.frame_examples import EXAMPLES
from tools.measured import ablation, simulation, soak
from tools.tables import table

__all__ = [
    "PAGES",
    "field_notes",
    "formats",
    "hexdump",
    "host_link",
    "language_codes",
    "limits",
    "main",
    "registers",
    "stale",
]

DOCS = Path(__file__).parents[1] / "docs"

_NOTICE = "<!-- Written by python -m tools.gendocs; change hdl/contract, hdl/config.py or tools/gendocs.py instead. -->\n"

_FIELDS = (
    ("0", "kind", "what the frame is, see Kinds"),
    ("1", "options", "by kind, see Options and aux"),
    ("2-3", "aux", "by kind, see Options and aux"),
    ("4-11", "osid", "who subscribed, and the brokers crossed; zero where nobody did"),
    ("12-15", "reference", "chosen by the sender, stored with a subscription, returned in every answer to it; of ROUTE a number"),
    ("16-19", "length", "bytes of the body that follows"),
)

_PARTS: dict[str, str] = {
    "semantics": ", ".join(f"{s.value} {s.name.lower()}" for s in Semantics),
    "format": "of the publication: " + ", ".join(f"{f.value} {f.name.lower()}" for f in Format),
    "remove": "take the entry out instead of adding it",
    "settled": "every interest of the sender has been sent since the link came up",
    "content": ", ".join(f"{c.value} {c.name.lower()}" for c in Content) + "; 3 is not a frame",
    "attached": "the body starts with a length and ends in an attachment; of SUBSCRIBE: attachments are asked for",
    "link": f"the local link that notifications take, 0 to {Header.LINKS - 1}; of FORWARD one of the broker that it goes back to",
    "language": "of the text, see Languages",
    "lease": "0: until it is cancelled; n: until 4\\*\\*(n-1) units of the register `lease_unit` have passed since it was last sent",
    "neighbour": "the BID of the neighbour that the frame is for, 0 from a subscriber",
    "aux": "what the kind says",
    "hops": "brokers that the publication may still cross, 0 for any number",
    "origin": "the BID of the broker where the publication was published; with the reference it is the publication's identity",
    "solicit": "matched subscriptions that the criterion is for send a SOLICIT there too",
    "more": "the next frame belongs to the same change, and nothing is forwarded by the new entries before it",
}

_WORDS: dict[WordType, str] = {
    WordType.ELEMENT: "the name in a start tag",
    WordType.ATTRIBUTE: "the name of an attribute, namespace declarations included",
    WordType.VALUE: "its value: references decoded, white space normalised",
    WordType.TEXT: "one text node: references decoded, CDATA merged, line ends normalised",
    WordType.END: "an element ends; one word of length 0, for an empty-element tag too",
}

_CLASSES: dict[WordClass, str] = {
    WordClass.I: "invalid: dropped, no part of a name",
    WordClass.U: "unmatched: not in the skeleton, learned as it passes",
    WordClass.V: "valid: in the skeleton",
}

_GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Subscriptions", ("subscriptions", "subscription_steps", "xpath_bytes", "steps", "slices", "values", "digits")),
    ("Documents", ("name_bytes", "value_bytes", "depth", "attributes", "prefixes", "names", "learned")),
    ("Memories and links", ("xram_bytes", "pram_words", "selected", "links", "brokers")),
)

_THESIS: dict[str, str] = {
    "subscriptions": "255 [T 5.3.2.2]",
    "subscription_steps": "16 words of 32 bits [T 5.3.3.4]",
    "xpath_bytes": "64 bytes of filters [T 5.3.3.4]",
    "steps": "256 CAM words [T 5.3.3.4]",
    "slices": "none",
    "values": "within the 256 CAM words",
    "digits": "not stated",
    "name_bytes": "20 in the parser, 16 in the CRT [T 4.4.5, 5.3.3.2]",
    "value_bytes": "16 [T 5.3.3.2]",
    "depth": "5 levels with a machine of their own, then slower [T 4.4.5]",
    "attributes": "not stated",
    "prefixes": "3, of 4 bytes each [T 4.4.3.2]",
    "names": "256 words of skeleton [T 6.1]",
    "learned": "none: the skeleton is loaded",
    "xram_bytes": "1024 [T 6.1]",
    "pram_words": "256 [T 6.1]",
    "selected": "-",
    "links": "4 local subscribers at once [T 5.4.4.5]",
    "brokers": "7 [T 5.4.3.5.1]",
}

_MEANING: dict[str, str] = {
    "name_bytes": "Bytes of an element or attribute name, in a document and in a subscription.",
    "value_bytes": "Bytes of a string that a subscription compares with; document values may have any length.",
    "depth": "Elements open at once; the root is at depth 1.",
    "attributes": "Attributes of one tag, namespace declarations included.",
    "xpath_bytes": "Bytes of one subscription's XPath text.",
    "links": "Local links that notifications leave on.",
}
"""For the fields whose name says enough in the code."""


def hexdump(data: bytes) -> str:
    """Sixteen bytes a line: offset, the bytes in hexadecimal, and what they are in ASCII."""
    lines = []
    for start in range(0, len(data), 16):
        piece = data[start : start + 16]
        ascii_ = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in piece)
        lines.append(f"{start:04x}  {piece.hex(' '):<47}  {ascii_}\n")
    return "".join(lines)


def _plain(sentence: str) -> str:
    return sentence.replace("<", "\\<").replace("[T", "\\[T").replace("[XML", "\\[XML").replace("[Names", "\\[Names")


def field_notes(cls: type) -> dict[str, str]:
    """The strings that stand right under the fields of a dataclass, by field."""
    (node,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(node, ast.ClassDef)
    notes: dict[str, str] = {}
    for first, second in zip(node.body, node.body[1:], strict=False):
        if isinstance(first, ast.AnnAssign) and isinstance(first.target, ast.Name):
            match second:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    notes[first.target.id] = text
    return notes


_FORMATS = """\
# Frames, codes and words

Contract version {version}. Everything here is defined in `hdl/contract/`; the bytes of each example are pinned by
`tests/test_contract.py`. Numbers of several bytes have the most significant byte first.

## The header

A frame is a header of {header_bytes} bytes and a body \\[T-Fig 5.7].

{fields}
## Kinds

The three high bits of the first byte are one more than the version of the contract. So a frame of version 1, which begins with a capital
letter, is known as such; it is refused with `unsupported-version`. Its header was as long and had its length in the same place.

{kinds}
## Options and aux

Bits of byte 1 and of aux that a kind uses; all others are zero, or it is no frame.

{parts}
| field | meaning |
| --- | --- |
{meanings}
## Languages

{languages}
## The o-SID

{osid_bytes} bytes: the SID, then the identities (BID) of the brokers crossed, in order, then zeros \\[T-Fig 5.21].

- SID 1 to 255 is a subscriber's number. SID 0 marks a sample that stands for many subscriptions.
- A BID has 8 bits, or in a network that agrees on it 7, 4 or 2, and is not 0. BIDs fill the seven bytes from the high bit on, without gaps:
  after the first zero there are only zeros.
- At most {max_path} brokers of 8 bits fit, 8 of 7 bits, 14 of 4 and 28 of 2. No broker means that the subscription is local.
- The broker that answers adds itself. So a subscription that arrives with a full path is refused with `path-full`; the limit `brokers`
  counts the broker that answers, too.
- A subscription is known by its o-SID and its reference together.

{osids}
## Bodies

- SUBSCRIBE, SOLICIT: the text in UTF-8, no terminator.
- PUBLISH, ROUTE: the XML document or the message. With *attached*: its length in 4 bytes, that, the attachment. A body has at most
  2\\*\\*32 - 1 bytes.
- VERDICT: {verdict_bytes} bytes, three numbers of 4: offset, bytes of the document, subscriptions matched.
- NOTIFY, FORWARD: the content that the subscription asked for, or none, and then the content field is *header*: the publication is
  longer than the X-RAM, its selected nodes do not fit the selection log, or nodes are asked for by a subscription with
  containment semantics, which selects none. With *attached*: its length in 4 bytes, the content, the attachment; an attachment of no bytes
  says that there was one which had no room on its way.
- TOPOLOGY: the criterion X of `top(X, BID)`, see below.
- SKELETON: a name.
- ACCESS: a word of a register, most significant byte first; nothing in a request to read.
- UNSUBSCRIBE, RESULT, HELLO: nothing.

## Messages

Everything begins at a multiple of four bytes; what lies between is zero.

| bytes | field | meaning |
| --- | --- | --- |
| 2 | topic length | bytes of the topic |
| 2 | count | number of properties |
| topic length, then zeros | topic | UTF-8, may be empty |
| for each property: 1 | type | {property_types} |
| 1 | name length | 1 to 255 |
| 2 | value length | |
| name length, then zeros | name | UTF-8; no two properties have the same name |
| value length, then zeros | value | as text, also numbers (`-12.50`) and booleans (`true`, `false`) |
| the rest | body | opaque, no zeros behind it |

## Criteria of a route

UTF-8 without quotes.

| bytes | the entry is for |
| --- | --- |
| `name` | subscriptions with a step of this name, or with a topic that begins with it |
| `@name=value` | subscriptions that ask whether this attribute or property has this value, which is all behind the first `=` |
| `*` | whatever no other entry is for |

## What this broker does not do yet

It refuses what it cannot do:

| what | answer |
| --- | --- |
| a frame of another version | `unsupported-version` |
| FORWARD, ROUTE, SOLICIT, TOPOLOGY, HELLO | `unsupported-kind` |
| a subscription in a language other than XPath | `unsupported-language` |
| a message | `unsupported-format` |
| an attachment, asked for or sent | `unsupported-attachment` |
| a lease | `unsupported-lease` |
| a frame for a neighbour by its BID | `wrong-broker` |
| an access to a register of routing | it fails; the cause is ABSENT |

A subscription of a neighbour, which has brokers in its o-SID, is registered, and its notifications are NOTIFY frames with that o-SID; the
way back is left to who carries the frames.

## Examples

Offset, bytes, ASCII. The first {header_bytes} bytes are the header.

{examples}
## Verdicts and codes

A document ends in one verdict with one code and one offset. [The XML subset](xml-subset.md) describes the accepted language.

- The offset is that of the byte that decides, counted from 0. Where the end of the document decides, it is the document's length.
- A character of several bytes is decided by its last byte. Bytes that are not UTF-8 are decided by the first one that cannot
  continue.
- Of several errors the one with the smallest offset counts; at one byte, the one with the smallest code.

{codes}
## Refusals

A refused frame changes nothing. Of several reasons to refuse a header the first of `HeaderInspector.FAULTS` in `hdl/spu/inspector.py`
is told.
Codes 32 to 63 are kept for languages to come. [The XPath subset](xpath-subset.md) describes the accepted language.

{refusals}
## Parsed words

The parser delivers each token as words of {word_bytes} bytes, zero-padded at the end. A token of n bytes has max(1, ceil(n/4))
words. The location l of a word is its place in the token, from 0, and stays at {index_max} from there on \\[T 4.4.6, 5.3.3.2].
Order: ELEMENT, then ATTRIBUTE and VALUE for each attribute, then the content, then END.

{words}
A name's words are classified by the skeleton CAM \\[T 4.4.4].

{classes}"""

_LIMITS = """\
# Limits

One frozen object, `hdl.config.BrokerConfig`, is read by every part. `small` is meant for an LFE5U-25F with the host link, `default` for
one to itself, `large` for an LFE5U-85F;
`BrokerConfig.preset(name, field=value)` changes single fields. What breaks a rule is refused when the object is made, with a
message of the form *X must be Y, not Z*. A document over a limit gets the verdict *over-limit*; a subscription over a limit is
refused.

{groups}
## Rules between limits

{rules}"""


def _parts() -> Iterable[Sequence[str]]:
    """For each kind the fields in its options and in its aux, with the place of each."""

    def bits(low: int, width: int) -> str:
        return str(low) if width == 1 else f"{low + width - 1}..{low}"

    for kind in Kind:
        parts = sorted(PARTS[kind], key=lambda part: -part.low)
        options = [f"{part.name} {bits(part.low - 16, part.width)}" for part in parts if part.low >= 16]
        aux = [f"{part.name} {bits(part.low, part.width)}" for part in parts if part.low < 16]
        yield kind.name, ", ".join(options) or "-", ", ".join(aux) or "-"


def formats() -> str:
    """``docs/formats.md``."""
    osids = (
        (OSid(5), "subscription 5, local"),
        (OSid(5, (1,)), "the same as broker 2 sees it: it came through broker 1"),
        (OSid(5, (1, 2)), "the same as broker 3 sees it"),
        (OSid(5, (1, 2, 3, 4, 5, 6, 7)), "in the notification that broker 7 sends back: full"),
        (OSid(0, (1,)), "a sample sent by broker 1"),
    )
    return _NOTICE + _FORMATS.format(
        version=contract.CONTRACT_VERSION,
        header_bytes=Header.BYTES,
        fields=table(("bytes", "field", "meaning"), _FIELDS),
        parts=table(("kind", "options, bits of byte 1", "aux, bits of bytes 2-3"), _parts()),
        meanings=table((), [(name, _plain(says)) for name, says in _PARTS.items()]).partition("\n")[2].partition("\n")[2],
        languages=table(("number", "language", "meaning"), [(str(one.value), one.text, one.sentence) for one in Language]),
        property_types=", ".join(f"{one.value} {one.name.lower()}" for one in PropertyType),
        kinds=table(("byte", "letter", "kind", "meaning"), [(f"`{k:02x}`", chr(k), k.name, _plain(k.sentence)) for k in Kind]),
        osid_bytes=OSid.BYTES,
        max_path=OSid.most(),
        osids=table(("bytes", "meaning"), [(f"`{osid.pack().hex(' ')}`", meaning) for osid, meaning in osids]),
        verdict_bytes=VerdictBody.BYTES,
        examples="".join(f"### {name}\n\n{says}\n\n```text\n{hexdump(frame.pack())}```\n\n" for name, says, frame in EXAMPLES),
        codes=table(
            ("code", "spelling", "verdict", "sentence, with the deciding byte"),
            [(str(c.value), f"`{c.text}`", c.verdict.text, _plain(c.sentence)) for c in Code],
        ),
        refusals=table(("code", "spelling", "sentence"), [(str(r.value), f"`{r.text}`", _plain(r.sentence)) for r in Refusal]),
        word_bytes=contract.WORD_BYTES,
        index_max=contract.INDEX_MAX,
        words=table(("t", "type", "token"), [(str(t.value), t.name, _WORDS[t]) for t in WordType]),
        classes=table(("number", "class", "meaning"), [(str(c.value), c.name, _CLASSES[c]) for c in WordClass]),
    )


def limits() -> str:
    """``docs/limits.md``."""
    notes = field_notes(BrokerConfig) | _MEANING
    names = {field.name for field in fields(BrokerConfig)}
    grouped = {name for _, group in _GROUPS for name in group}
    if grouped != names:
        raise ValueError(f"the groups of limits must be the fields of BrokerConfig, not differ in {sorted(grouped ^ names)}")
    groups = []
    for title, group in _GROUPS:
        rows = [
            (f"`{name}`", _plain(" ".join(notes[name].split())), *(str(getattr(p, name)) for p in PRESETS.values()), _plain(_THESIS[name]))
            for name in group
        ]
        groups.append(f"## {title}\n\n" + table(("limit", "meaning", *PRESETS, "thesis"), rows))
    rules = table(("limit", "must be"), [(name, wanted) for name, wanted in _rules()])
    return _NOTICE + _LIMITS.format(groups="\n".join(groups), rules=rules)


def _rules() -> list[tuple[str, str]]:
    """The rules as the configuration itself words them: each probe breaks one."""
    probes: tuple[dict[str, int], ...] = (
        {"subscriptions": 4096},
        {"steps": 1023},
        {"steps": 4},
        {"names": 3},
        {"learned": 2},
        {"values": 3},
        {"name_bytes": 68},
        {"value_bytes": 68},
        {"depth": 256},
        {"attributes": 33},
        {"digits": 16},
        {"links": 5},
        {"brokers": 8},
        {"xram_bytes": 3000},
        {"xram_bytes": 512},
        {"pram_words": 3},
        {"selected": 48},
    )
    rules = [("every limit but `selected`", "an integer, at least 1")]
    for probe in probes:
        try:
            config.BrokerConfig(**probe)
        except ValueError as error:
            name, wanted = str(error).rsplit(", not ", 1)[0].split(" must be ", 1)
            rules.append((f"`{name}`", wanted + (" (default preset)" if name in ("steps", "learned") and "power" not in wanted else "")))
        else:
            raise ValueError(f"a probe must break a rule of BrokerConfig, not pass: {probe}")
    return rules


_HOST_LINK = """\
# The host link

How a host and a board exchange [frames](formats.md) over a line that loses and damages bytes, such as a UART. It carries one stream of
frames each way:
SUBSCRIBE, UNSUBSCRIBE, PUBLISH, SKELETON and ACCESS to the board, RESULT, VERDICT, NOTIFY and ACCESS to the host. The board's end is
`hdl/link/window.py`, the host's `fpga/host/link.py`; `hdl/contract/segments.py` has the format.

## Segments

The stream is cut into segments. Each stands between two flags `7e`; one flag may end a segment and begin the next.

| byte | field | meaning |
| --- | --- | --- |
| 0 | kind | see below |
| 1 | session | chosen by the host |
| 2 | a | by kind |
| 3 | b | by kind |
| 4 | length | bytes of the payload, 0 to {longest} |
| 5 | payload | |
| last 4 | check | CRC-32 of Ethernet over everything before it, least significant byte first |

A byte `7e` or `7d` between the flags is sent as `7d` and the byte with bit 5 inverted. So `7e` is always a border, and a receiver that
has lost its place
finds the next segment at the next flag. A segment with a wrong check sum or length is dropped and counted; nothing of it is handed on.

{kinds}
## Rules

- A session begins with OPEN and its answer OPENED. OPEN resets the broker: a session begins with no subscription, because a frame that
was cut short can
  only be forgotten with what it was part of. A segment of another session is answered with CLOSED and changes nothing.
- DATA is numbered from 0, modulo 256, in each direction. At most {window} are under way each way: those sent and not yet gone from their
  places at the other end. The receiver takes the one it expects and nothing else; one that came before is acknowledged again, and one that
  comes too early is answered with REPEAT, once.
- ACK says in a which DATA is expected next, and in b which places are free again. The board frees a place when the broker has taken its
bytes. So a
  broker that waits holds the host back, and nothing is dropped for want of room.
- Who hears nothing for a while does something about it: the host sends POLL and repeats what the answering ACK says is missing; the
board repeats all that is
  not acknowledged. A host that hears nothing twenty times in a row gives up with an error.
- A board that was reset has no session: the host hears CLOSED, and its driver raises `LinkClosed`.

So a frame arrives whole, once and in order, or the session ends with an error that both sides see. What CRC-32 does not notice, one damaged
segment in 2\\*\\*32, is not noticed.

## The UART

Eight bits, no parity, one stop bit, by default 3 Mbaud; the divisor is chosen so that the rate is met within 2 %. No flow control lines
are needed.
"""


def host_link() -> str:
    """``docs/host-link.md``."""
    return _NOTICE + _HOST_LINK.format(
        longest=Segment.MAX_PAYLOAD,
        window=Segment.WINDOW,
        kinds=table(("kind", "name", "sent by, and meaning"), [(str(kind.value), kind.name, kind.sentence) for kind in SegmentKind]),
    )


_REGISTERS = """\
# Registers

Words of 32 bits. XAVI and Wishbone count words, AXI4-Lite counts bytes: four times the address given here. All of it is defined in
`hdl/contract/registers.py`;
`python -m tools.genregs` makes SystemRDL, a C header and Python constants of it (`fpga/registers/`, `fpga/host/registers.py`), and
PeakRDL's pages with `--html FOLDER`. [Integration](integrate.md) shows how they are used.

An access fails when there is no register at its address, when it does not select all four bytes, when it goes the wrong way, when a
stream does not take
its word within 256 clocks, or when a stream has no word to give. It then changes nothing but `error` and `errors`, and the bus answers
with an error where it has one (Wishbone `err`, AXI `SLVERR`).

The counters from `accepted` to `unpinned` and `notified` lie in one memory: an event shows there 20 clocks after it at the latest. A read
gives the whole word as it is in one clock.

Registers of routing exist in brokers that route. This one does not yet: an access to them fails with the cause ABSENT.

{table}
## Fields

{fields}
## Causes of an error

{causes}
## What is not reachable

The thesis's interface loads and reads back the memories of its broker \\[T 7.6.2]. Here publications, subscriptions and the skeleton are
loaded
through streams, and results, verdicts, notifications and counters are read. The contents of the X-RAM, the P-RAM, the SMT and the CRT
cannot be read word by
word: a second read port on each of them would cost block RAM that the smaller devices do not have. What they hold shows in `registered`,
`steps_used`, `pinned` and in the notifications.
"""


def registers() -> str:
    """``docs/registers.md``."""

    def address(one: Register) -> str:
        return f"`{one.offset:04x}`" if one.count == 1 else f"`{one.offset:04x}`-`{one.offset + one.count - 1:04x}`"

    def way(one: Register) -> str:
        return " ".join(word for word, holds in (("read", one.readable), ("write", one.writable)) if holds)

    def bits(field: Field) -> str:
        return str(field.low) if field.width == 1 else f"{field.low + field.width - 1}..{field.low}"

    parts = [one for one in REGISTERS if len(one.fields) > 1 or one.fields[0].width < 32]
    return _NOTICE + _REGISTERS.format(
        table=table(
            ("word", "register", "way", "meaning"), [(address(one), f"`{one.name}`", way(one), _plain(one.sentence)) for one in REGISTERS]
        ),
        fields=table(
            ("register", "bits", "field", "meaning"),
            [(f"`{one.name}`", bits(field), f"`{field.name}`", _plain(field.sentence)) for one in parts for field in one.fields],
        ),
        causes=table(("number", "cause", "sentence"), [(str(cause.value), cause.name, cause.sentence) for cause in BusError]),
    )


_LANGUAGE_CODES = """\
<!-- Written by python -m tools.gendocs; change sim/golden/languages/ or tools/gendocs.py instead. -->
# Codes and limits of languages

What [languages for messages](languages.md) add to the [codes](formats.md) and [limits](limits.md) of documents and XPath. The refusals have
numbers that `hdl/contract/codes.py` keeps for languages, the verdicts go on where it ends. They move there when the hardware has these
languages, and may change until then.

## Refusals

A subscription can also be refused with `empty`, `text-length`, `bad-utf8`, `syntax`, `unterminated`, `name-length`, `literal-length`,
`number-digits` and `steps` of [the other table](formats.md).

{refusals}
## Verdicts of messages

{codes}
## Limits

Limits that a preset has too are the preset's.

{limits}"""


def language_codes() -> str:
    """``docs/language-codes.md``."""
    notes = field_notes(Limits)
    return _LANGUAGE_CODES.format(
        refusals=table(("code", "spelling", "sentence"), [(str(r.value), f"`{r.text}`", _plain(r.sentence)) for r in LanguageRefusal]),
        codes=table(
            ("code", "spelling", "verdict", "sentence, with the deciding byte"),
            [(str(c.value), f"`{c.text}`", c.verdict.text, _plain(c.sentence)) for c in MessageCode],
        ),
        limits=table(("limit", "meaning", "default"), [(f"`{f.name}`", notes[f.name], str(f.default)) for f in fields(Limits)]),
    )


_MUTANTS = """\
<!-- Written by python -m tools.gendocs from mutants.json. -->
# Mutants

What [mutants](../verification.md) the vectors notice: `make mutate N=... SEED=... ARGS=--record`.

- *Distilled* are those that the vectors in `make test` notice.
- *Proved* and *redundant* survivors are in `sim/mutants/classified.json` with the proof's method or the reason.
- The score is of the mutants that are neither.
- Only the survivors of seed 1 have been gone through one by one.

{campaigns}
{units}"""


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _counted(row: dict[str, Any]) -> list[str]:
    names = ("mutants", "killed", "distilled", "proved", "redundant", "unexplained")
    return [*(str(row[name]) for name in names), _share(row["killed"], row["mutants"] - row["proved"] - row["redundant"])]


def mutants() -> str:
    """``docs/results/mutants.md``."""
    campaigns = json.loads((DOCS / "results" / "mutants.json").read_text(encoding="utf-8"))
    counts = ("mutants", "killed", "distilled", "proved", "redundant", "unexplained", "score")
    return _MUTANTS.format(
        campaigns=table(("commit", "seed", *counts), [(one["commit"], str(one["seed"]), *_counted(one)) for one in campaigns]),
        units="\n".join(
            f"## Seed {one['seed']}, by unit\n\n" + table(("unit", *counts), [(name, *_counted(row)) for name, row in one["units"].items()])
            for one in campaigns
        ),
    )


_LANGUAGES = """\
<!-- Written by python -m tools.gendocs from languages.json. -->
# Languages for messages

What [the languages for messages](../languages.md) give in software. Each table names the commit that measured it. The machine has two
cores. *Load* is how many processes wanted one before the work began. Times that were taken under a load of more than 1 are rough.

## Every pair judged

`make languages ARGS=--record`: sets of subscriptions and messages at the corners of each language, and sets in which all languages take
turns. An engine matches them, and every judge is asked about the same pairs. *Refused* subscriptions are over a limit or outside the
language, and count no pairs.

{regression}
## PCM as a Spark job

`make match ARGS="--workload numbers --output build/match --record"`, with `--scale 2` for twice the interfaces. A message's time is the
processor time of the tasks from its line of JSON to the SIDs. The wall clock is that of all messages. *Deployment* is the wall clock from
texts to the table.

{matching}
## The papers' algorithms beside it

`make bench ARGS="--only languages --record"`. What a peer finds is compared first. P, G, H and N are the papers of
[the seeds map](../seeds-map.md).

{bench}"""


def _regression(engine: str, kept: dict[str, Any]) -> str:
    rows = [
        (f"`{language}`", *(f"{one[key]:,}" for key in ("pairs", "matches", "refused", "differences")), ", ".join(one["judges"]))
        for language, one in kept["languages"].items()
    ]
    head = ("language", "pairs", "matches", "refused", "differences", "judges")
    return f"Engine `{engine}`, preset `{kept['preset']}`, seed {kept['seed']}, commit {kept['commit']}.\n\n" + table(head, rows)


def _matching(kept: dict[str, dict[str, Any]]) -> str:
    head = ("workload", "filters", "MB", "messages", "matches", "ms a message", "cores", "wall clock, s", "deployment, s", "commit", "load")
    rows = [
        (
            *(name, f"{one['filters']:,}", f"{one['table_bytes'] / 1e6:.1f}", f"{one['messages']:,}", f"{one['matches']:,}"),
            *(f"{one['milliseconds_a_message']:.4f}", str(one["cores"]), f"{one['seconds']:.1f}", f"{one['deployment_seconds']:.1f}"),
            *(one["commit"], str(one.get("load", "not noted"))),
        )
        for name, one in kept.items()
    ]
    return table(head, rows)


def _bench_group(group: dict[str, Any]) -> str:
    more = list(dict.fromkeys(key for row in group["rows"] for key in row["more"]))
    compared = any(row["thesis"] is not None for row in group["rows"])
    head = ("row", *((group["against"], "here", "ratio") if compared else ("here",)), *more)
    figures = [
        [row["name"], *([row["thesis"], row["ours"], row["ratio"]] if compared else [row["ours"]]), *(row["more"].get(key) for key in more)]
        for row in group["rows"]
    ]
    rows = [(name, *(shown(one) or "-" for one in cells)) for name, *cells in figures]
    note = ". ".join(line[:1].upper() + line[1:] for line in group["note"].split("\n"))
    about = f"Commit {group['commit']}, load {group['load']}, seed {group['seed']}"
    missing = "".join(f"\n{name} is not measured: {reason}.\n" for name, reason in group["left_out"].items())
    return f"### {group['title']} ({group['unit']})\n\n{note}. {about}.\n\n{table(head, rows)}{missing}"


def languages() -> str:
    """``docs/results/languages.md``."""
    kept = json.loads((DOCS / "results" / "languages.json").read_text(encoding="utf-8"))
    return _LANGUAGES.format(
        regression="\n".join(_regression(engine, one) for engine, one in kept["regression"].items()),
        matching=_matching(kept["matching"]),
        bench="\n".join(_bench_group(group) for group in kept["bench"].values()),
    )


PAGES: dict[str, Callable[[], str]] = {
    "formats.md": formats,
    "limits.md": limits,
    "registers.md": registers,
    "host-link.md": host_link,
    "language-codes.md": language_codes,
    "results/mutants.md": mutants,
    "results/ablation.md": ablation,
    "results/simulation.md": simulation,
    "results/languages.md": languages,
    "results/soak.md": soak,
}


def stale() -> list[str]:
    """Names of the pages that differ from what the code says now."""

    def fresh(page: Path, text: str) -> bool:
        return page.exists() and page.read_text(encoding="utf-8") == text

    return [name for name, make in PAGES.items() if not fresh(DOCS / name, make())]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.gendocs", description="write the generated pages of docs/")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a page is stale")
    options = parser.parse_args(arguments)
    old = stale()
    if options.check:
        if old:
            print(f"stale: {', '.join(old)}; run python -m tools.gendocs", file=sys.stderr)
        return int(bool(old))
    for name in old:
        (DOCS / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"wrote docs/{name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
