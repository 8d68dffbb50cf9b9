"""The subscription header inspector [T 5.3.2.1, T-Fig 5.7]."""

from itertools import pairwise

from amaranth.hdl import Cat, Module, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import VERSION_BITS, Kind, Language, OSid, Refusal
from hdl.shapes.subscription import SmtEntry

__all__ = ["HeaderInspector", "RawHeader"]


class RawHeader(data.Struct):
    """The bytes of a SUBSCRIBE or UNSUBSCRIBE header, see :data:`hdl.contract.PARTS`; the first byte is in the low bits."""

    kind: unsigned(8)
    semantics: unsigned(1)
    content: unsigned(2)
    attached: unsigned(1)
    link: unsigned(4)
    neighbour: unsigned(8)
    language: unsigned(4)
    lease: unsigned(4)
    osid: unsigned(64)
    reference: unsigned(32)
    length: unsigned(32)


class HeaderInspector(wiring.Component):
    """Judges a header against the frame that it came with; everything is registered, one clock after it.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    header : In(RawHeader)
        As far as the frame has it; zero beyond.
    body : In(signed(33))
        Bytes of the frame beyond the header.
    faults : Out(len(FAULTS))
        One bit for each of :attr:`FAULTS`, the refusals that a header can be due; the first of them counts.
    cancel : Out(1)
        It is an UNSUBSCRIBE.
    length : Out(32)
        The length of the body that it says.
    entry : Out(SmtEntry)
        What the SMT is to hold.
    """

    FAULTS = (
        (Refusal.BAD_HEADER, "the frame is shorter than a header"),
        (Refusal.UNSUPPORTED_VERSION, "it is of another version of the contract"),
        (Refusal.UNSUPPORTED_KIND, "it is neither SUBSCRIBE nor UNSUBSCRIBE"),
        (
            Refusal.BAD_HEADER,
            "it has content 3 or a link that the configuration has not, a gap in its path, another length than the frame has, or cancels "
            "and has a body or bits that UNSUBSCRIBE does not use",
        ),
        (Refusal.WRONG_BROKER, "it is for a neighbour, and this broker has no identity"),
        (Refusal.UNSUPPORTED_LANGUAGE, "its text is not XPath"),
        (Refusal.UNSUPPORTED_ATTACHMENT, "it asks for attachments"),
        (Refusal.UNSUPPORTED_LEASE, "it is to end by itself"),
        (Refusal.PATH_FULL, "with the broker that answers its path has more brokers than the configuration has"),
        (Refusal.LOCAL_SAMPLE, "it is local and has SID 0"),
        (Refusal.EMPTY, "it has no text"),
        (Refusal.TEXT_LENGTH, "its text is longer than an expression may be"),
    )
    """What makes a header wrong; those behind WRONG_BROKER are about SUBSCRIBE only."""

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "header": In(RawHeader),
                "body": In(signed(33)),
                "faults": Out(len(self.FAULTS)),
                "cancel": Out(1),
                "length": Out(32),
                "entry": Out(SmtEntry),
            }
        )

    def elaborate(self, platform):
        m = Module()
        header, config = self.header, self._config
        length = Cat(header.length[8 * byte : 8 * byte + 8] for byte in reversed(range(4)))
        path = [header.osid[8 * byte : 8 * byte + 8] for byte in range(1, OSid.BYTES)]
        gaps = Cat((near == 0) & (far != 0) for near, far in pairwise(path))
        subscribes, cancels = header.kind == Kind.SUBSCRIBE, header.kind == Kind.UNSUBSCRIBE
        unused = Cat(header.semantics, header.content, header.attached, header.language, header.lease)
        malformed = [
            header.content == 3,
            header.link >= config.links,
            gaps.any(),
            length != self.body,
            cancels & (unused.any() | length.any()),
        ]
        m.d.sync += [
            self.faults.eq(
                Cat(
                    self.body < 0,
                    header.kind[5:] != VERSION_BITS,
                    ~subscribes & ~cancels,
                    Cat(malformed).any(),
                    header.neighbour.any(),
                    *(
                        subscribes & fault
                        for fault in (
                            header.language != Language.XPATH,
                            header.attached,
                            header.lease.any(),
                            Cat(path[config.brokers - 1 :]).any(),
                            ~header.osid[:16].any(),
                            length == 0,
                            length > config.xpath_bytes,
                        )
                    ),
                )
            ),
            self.cancel.eq(cancels),
            self.length.eq(length),
            self.entry.key.osid.eq(header.osid),
            self.entry.key.reference.eq(header.reference),
            self.entry.semantics.eq(header.semantics),
            self.entry.content.eq(header.content),
            self.entry.link.eq(header.link),
        ]
        return m
