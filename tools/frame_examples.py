"""The frames that docs/formats.md shows, each with what it says."""

from hdl.contract import (
    Code,
    Content,
    Criterion,
    Format,
    Frame,
    Header,
    Kind,
    Language,
    Message,
    OSid,
    Property,
    PropertyType,
    Refusal,
    Semantics,
    VerdictBody,
    attach,
)

__all__ = ["EXAMPLES"]

_MESSAGE = Message("home/k1", (Property("temp", PropertyType.NUMBER, "21.5"), Property("open", PropertyType.BOOLEAN, "true")), b"\xff\x00")

EXAMPLES: tuple[tuple[str, str, Frame], ...] = (
    (
        "SUBSCRIBE, exact",
        "A subscriber with SID 7 asks for `/stock/price`; selected nodes are to come on link 0.",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7), reference=0x01020304), b"/stock/price"),
    ),
    (
        "SUBSCRIBE, containment",
        "Options `33`: containment (bit 0), the whole publication (1 in bits 2..1), link 3 (bits 7..4).",
        Frame(
            Header(Kind.SUBSCRIBE, osid=OSid(255), reference=1, semantics=Semantics.CONTAINMENT, content=Content.WHOLE, link=3),
            b"/price",
        ),
    ),
    (
        "SUBSCRIBE, in another language",
        "Options `f8`: attachments are asked for (bit 3), on link 15. Aux `0092`: lease 9, which is 4\\*\\*8 units, and language 2, MQTT.",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7), reference=2, attached=True, link=15, language=Language.MQTT, lease=9), b"home/+/temp"),
    ),
    (
        "SUBSCRIBE, between brokers",
        "The first subscription after broker 1 and broker 2 have forwarded it; it is on its way to broker 3.",
        Frame(Header(Kind.SUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304, neighbour=3), b"/stock/price"),
    ),
    (
        "UNSUBSCRIBE",
        "Cancels the first subscription. There is no body.",
        Frame(Header(Kind.UNSUBSCRIBE, osid=OSid(7), reference=0x01020304)),
    ),
    (
        "UNSUBSCRIBE, between brokers",
        "The same at broker 3.",
        Frame(Header(Kind.UNSUBSCRIBE, osid=OSid(7, (1, 2)), reference=0x01020304, neighbour=3)),
    ),
    (
        "RESULT, accepted",
        "The answer to either; o-SID and reference come back as they were sent.",
        Frame(Header(Kind.RESULT, osid=OSid(7), reference=0x01020304, aux=Refusal.NONE)),
    ),
    (
        "RESULT, refused",
        "Aux `0016` is refusal 22, the value table is full; the frame had named link 2.",
        Frame(Header(Kind.RESULT, osid=OSid(7), reference=0x01020304, aux=Refusal.FULL_VALUES, link=2)),
    ),
    (
        "PUBLISH",
        "The document `<a>1</a>`.",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0), b"<a>1</a>"),
    ),
    (
        "PUBLISH, with an attachment",
        "Option bit 3. The body has the document's length (4), the document `<a/>`, then two opaque bytes.",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0, attached=True), attach(b"<a/>", b"\xff\xd8")),
    ),
    (
        "PUBLISH, a message",
        "Option bit 0. Topic `home/k1`, the number `temp` = 21.5, the boolean `open` = true, and two bytes as the body.",
        Frame(Header(Kind.PUBLISH, reference=0xA0B0C0D0, format=Format.MESSAGE), _MESSAGE.pack()),
    ),
    (
        "VERDICT, well-formed",
        "Offset 0, 8 bytes long, 3 subscriptions matched.",
        Frame(Header(Kind.VERDICT, reference=0xA0B0C0D0, aux=VerdictBody.aux(Code.OK)), VerdictBody(0, 8, 3).pack()),
    ),
    (
        "VERDICT, not well-formed",
        "Aux `0116`: verdict 1, code 22. `<a></b>` is decided at offset 6, the byte after the end tag's name.",
        Frame(Header(Kind.VERDICT, reference=0xA0B0C0D0, aux=VerdictBody.aux(Code.MISMATCHED_END)), VerdictBody(6, 7, 0).pack()),
    ),
    (
        "NOTIFY",
        "Publication 1 matched; the selected element follows, on link 1.",
        Frame(Header(Kind.NOTIFY, osid=OSid(7), reference=0x01020304, aux=1, link=1), b"<price>115</price>"),
    ),
    (
        "NOTIFY, with an attachment",
        "Options `0a`: the whole publication 258 (bits 2..1) and its attachment (bit 3).",
        Frame(Header(Kind.NOTIFY, osid=OSid(7), reference=2, aux=258, content=Content.WHOLE, attached=True), attach(b"<a/>", b"\xff\xd8")),
    ),
    (
        "FORWARD",
        "A notification sent back by broker 3 to broker 2; link 3 is one of broker 1.",
        Frame(Header(Kind.FORWARD, osid=OSid(7, (1, 2, 3)), reference=0x01020304, aux=1, link=3), b"<price>115</price>"),
    ),
    (
        "ROUTE",
        "A publication on its way to broker 1, which had sent a sample: number `12345` of broker 4; it may cross 3 brokers more.",
        Frame(Header(Kind.ROUTE, osid=OSid(0, (1, 2)), reference=0x00012345, origin=4, hops=3), b"<a/>"),
    ),
    (
        "ROUTE, a message",
        "The same for an empty message.",
        Frame(Header(Kind.ROUTE, osid=OSid(0, (1, 2)), reference=6, origin=4, hops=1, format=Format.MESSAGE), Message().pack()),
    ),
    (
        "SOLICIT",
        "A sample that has crossed brokers 1, 2, 7 and 5 in search of publications, on its way to broker 4 \\[T-Fig 5.34].",
        Frame(Header(Kind.SOLICIT, osid=OSid(0, (1, 2, 7, 5)), reference=9, neighbour=4), b"/a"),
    ),
    (
        "TOPOLOGY, add",
        "`top(price, 2)`: subscriptions for `price` go to broker 2.",
        Frame(Header(Kind.TOPOLOGY, aux=2), Criterion("price").pack()),
    ),
    (
        "TOPOLOGY, remove",
        "Option bit 0: the entry of broker 255 for the value `S=7` of `symbol` is taken out.",
        Frame(Header(Kind.TOPOLOGY, aux=255, remove=True), Criterion("symbol", "S=7").pack()),
    ),
    (
        "TOPOLOGY, anything else",
        "Whatever no other entry is for goes to broker 3. Bit 8 of aux: matched subscriptions are solicited there too.",
        Frame(Header(Kind.TOPOLOGY, aux=3, solicit=True, reference=5), Criterion().pack()),
    ),
    (
        "HELLO",
        "Broker 2 tells broker 3 that it is alive. Option bit 0: all its interests have been sent.",
        Frame(Header(Kind.HELLO, osid=OSid(0, (2,)), neighbour=3, settled=True)),
    ),
    (
        "SKELETON",
        "The parser is to know the name `price`.",
        Frame(Header(Kind.SKELETON), b"price"),
    ),
    (
        "ACCESS, read",
        "Register `0041`, the subscriptions held; the answer has the same aux and a body of 4 bytes.",
        Frame(Header(Kind.ACCESS, reference=5, aux=0x0041)),
    ),
    (
        "ACCESS, write",
        "Bit 15 of aux: 1 is written to register `0002`.",
        Frame(Header(Kind.ACCESS, reference=6, aux=0x8002), bytes([0, 0, 0, 1])),
    ),
)
"""Name, what it says, and the frame; ``tests/test_contract.py`` pins the bytes of each by a literal."""
