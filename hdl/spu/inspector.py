"""The subscription header inspector [T 5.3.2.1, T-Fig 5.7]."""

from itertools import pairwise

from amaranth.hdl import Cat, Module, signed, unsigned
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from hdl.contract import Kind
from hdl.shapes.subscription import SmtEntry

__all__ = ["HeaderInspector", "RawHeader"]


class RawHeader(data.Struct):
    """The bytes of :class:`hdl.contract.Header`, the first one in the low bits of the first field."""

    kind: unsigned(8)
    semantics: unsigned(1)
    content: unsigned(2)
    link: unsigned(2)
    attached: unsigned(1)
    remove: unsigned(1)
    zero: unsigned(1)
    aux: unsigned(16)
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
    faults : Out
        Not zero when the header is malformed: the frame is shorter than a header, is neither SUBSCRIBE nor UNSUBSCRIBE, has unused flags
        set or a link or more brokers than the configuration has, has a gap in its path, says another length than the frame has, or
        cancels and has a body.
    cancel : Out(1)
        It is an UNSUBSCRIBE.
    length, empty, long : Out
        The length of the body that it says: none, or more than that of an expression may be.
    entry : Out(SmtEntry)
        What the SMT is to hold.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "header": In(RawHeader),
                "body": In(signed(33)),
                "faults": Out(8),
                "cancel": Out(1),
                "length": Out(32),
                "empty": Out(1),
                "long": Out(1),
                "entry": Out(SmtEntry),
            }
        )

    def elaborate(self, platform):
        m = Module()
        header = self.header
        length = Cat(header.length[8 * byte : 8 * byte + 8] for byte in reversed(range(4)))
        path = [header.osid[8 * byte : 8 * byte + 8] for byte in range(1, 8)]
        gaps = Cat((near == 0) & (far != 0) for near, far in pairwise(path))
        m.d.sync += [
            self.faults.eq(
                Cat(
                    self.body < 0,
                    (header.kind != Kind.SUBSCRIBE) & (header.kind != Kind.UNSUBSCRIBE),
                    header.zero | (header.content == 3),
                    header.link >= self._config.links,
                    gaps.any(),
                    Cat(path[self._config.brokers :]).any(),
                    length != self.body,
                    (header.kind == Kind.UNSUBSCRIBE) & header.length.any(),
                )
            ),
            self.cancel.eq(header.kind == Kind.UNSUBSCRIBE),
            self.length.eq(length),
            self.empty.eq(length == 0),
            self.long.eq(length > self._config.xpath_bytes),
            self.entry.key.osid.eq(header.osid),
            self.entry.key.reference.eq(header.reference),
            self.entry.semantics.eq(header.semantics),
            self.entry.content.eq(header.content),
            self.entry.link.eq(header.link),
        ]
        return m
