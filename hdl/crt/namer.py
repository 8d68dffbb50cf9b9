"""Names of programs to token IDs, ahead of registration [T 5.3.3.2]."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value, unsigned
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from hdl.contract import WORD_BYTES
from hdl.shapes.names import NameOp, NameRequest, NameResponse
from hdl.shapes.program import ProgramOp, ProgramWord
from hdl.stream import Register, Relay, StreamFifo

__all__ = ["NamedWord", "Namer"]

_AHEAD = 4
"""Names asked for ahead."""
_PIECES = 16
"""Words that wait for the names among them."""


class NamedWord(data.Struct):
    """A word of a program with its name looked up, and what it is: the end of the program, a literal and whether that is a number, a
    test of text, a step with ``*``."""

    word: ProgramWord
    ends: unsigned(1)
    literal: unsigned(1)
    numeric: unsigned(1)
    text: unsigned(1)
    wild: unsigned(1)


class Namer(wiring.Component):
    """Stands before the CRT's registration and pins the names of a program, while registration works on what came before.

    The words of a name become one word with its token ID, modulo the number of names, in the low bits of ``data``, and count 0 if the name
    table is full. Other words pass; ``wildcard`` does not count on ABORT. A name that is cut short by ABORT leaves nothing behind.
    Four names are asked for before the first of them is handed on. A word is taken every other clock at most.

    Registration must visit every token ID that it takes and give back each one that has no visits left. One that it gives back while
    the namer already has it for a later program stays pinned. What is given back waits in a queue, so that ``release`` takes as many
    token IDs as a subscription may have names without the name table's help, once ``settled`` has been 1.

    Parameters
    ----------
    config : BrokerConfig

    Members
    -------
    i, o : In(stream.Signature(ProgramWord)), Out(stream.Signature(NamedWord))
        While ``o.valid`` is 0 its payload is the word taken last, or the next one without its name.
    release : In(stream)
        Token IDs, modulo the number of names, without visits.
    settled : Out(1)
        Everything given back two clocks ago or earlier has been dealt with. ``o`` waits for that.
    o_request, i_response : Out(stream.Signature(NameRequest(config))), In(stream.Signature(NameResponse(config)))
        The name table.
    """

    def __init__(self, config):
        self._config = config
        super().__init__(
            {
                "i": In(stream.Signature(ProgramWord)),
                "o": Out(stream.Signature(NamedWord)),
                "release": In(stream.Signature(ceil_log2(config.names))),
                "settled": Out(1),
                "o_request": Out(stream.Signature(NameRequest(config))),
                "i_response": In(stream.Signature(NameResponse(config))),
            }
        )

    def elaborate(self, platform):
        m = Module()
        config = self._config
        bits = ceil_log2(config.names)
        found_shape = data.StructLayout({"ok": 1, "name": bits})

        def is_name(word):
            op = Value.cast(word.op)
            return ((word.op == ProgramOp.STEP) & ~word.wildcard) | op.matches(ProgramOp.ATTRIBUTE_TEST, ProgramOp.ATTRIBUTE_STEP)

        # Names asked for whose pieces still wait, those among them that are answered, and the piece on offer.
        piece_shape = data.StructLayout({"word": ProgramWord, "named": 1, "cut": 1})
        m.submodules.pieces = pieces = StreamFifo(piece_shape, _PIECES)
        asked, answered = Signal(range(_AHEAD + 1)), Signal(range(_AHEAD + 1))
        found = [Signal(found_shape, name=f"found{n}") for n in range(_AHEAD)]
        held, offered, offers_name = Signal(), Signal(NamedWord), Signal()
        asks, pops, may_ask = Signal(), Signal(), Signal()
        response = self.i_response.payload
        m.d.comb += self.i_response.ready.eq(1)
        m.d.sync += [asked.eq(asked + asks - pops), answered.eq(answered + self.i_response.valid - pops)]
        # Words come every other clock at most, and go to the queue of pieces a clock later.
        puts, cuts = Signal(), Signal()
        m.d.sync += may_ask.eq((asked != _AHEAD) & pieces.i.ready & ~puts)
        for n, one in enumerate(found):
            with m.If(self.i_response.valid & (answered - pops == n)):
                m.d.sync += [one.ok.eq(response.ok), one.name.eq(response.name)]
            with m.Elif(pops & (n + 1 < _AHEAD)):
                m.d.sync += one.eq(found[(n + 1) % _AHEAD])

        # What is given back, by registration or here, and whether a later program has it.
        m.submodules.releases = releases = StreamFifo(bits, config.subscription_steps + 1)
        m.submodules.inlet = inlet = Register(bits)
        wiring.connect(m, wiring.flipped(self.release), inlet.i)
        drops = Signal()
        m.d.comb += [
            releases.i.valid.eq(inlet.o.valid | drops),
            releases.i.payload.eq(Mux(drops, found[0].name, inlet.o.payload)),
            inlet.o.ready.eq(releases.i.ready & ~drops),
        ]
        m.d.sync += self.settled.eq((releases.level == 0) & ~inlet.o.valid & ~drops)
        back = releases.o.payload
        wanted, judged, kept = Signal(), Signal(), Signal()
        with m.If(~judged):
            m.d.sync += kept.eq(wanted)
        m.d.comb += wanted.eq(
            (held & offers_name & (offered.word.data[:bits] == back))
            | Cat((answered > n) & one.ok & (one.name == back) for n, one in enumerate(found)).any()
        )

        # Words go to the queue of pieces, those of names to the name table; of a name the last one goes to both. The relay still has a
        # word in the clock after it was taken.
        m.submodules.words = words = Relay(data.StructLayout({"word": ProgramWord, "named": 1}))
        m.d.comb += [
            words.i.valid.eq(self.i.valid),
            words.i.payload.word.eq(self.i.payload),
            words.i.payload.named.eq(is_name(self.i.payload)),
            self.i.ready.eq(words.i.ready),
        ]
        m.submodules.requests = requests = Relay(NameRequest(config))
        wiring.connect(m, requests.o, wiring.flipped(self.o_request))
        word, request = words.o.payload.word, requests.i.payload
        opened = Signal()
        named, closes = Signal(), Signal()
        m.d.comb += [
            named.eq(words.o.payload.named),
            # The name table is owed the end of a name: it gets one that no document can have.
            closes.eq(opened & ~named),
            pieces.i.payload.word.eq(word),
            pieces.i.payload.named.eq(named),
            pieces.i.payload.cut.eq(cuts),
            pieces.i.valid.eq(puts),
            request.data.eq(word.data),
            request.count.eq(word.count),
            request.last.eq(word.last),
            request.name.eq(Mux(back == 0, config.names, back)),
        ]
        with m.If(closes):
            m.d.comb += [request.data.eq(0), request.count.eq(1)]
        # What is given back has its turn between names, also when a name must wait.
        returns, begins, passes_on = Signal(), Signal(), Signal()
        m.d.comb += [
            begins.eq(words.o.valid & ~returns & (opened | (named & may_ask))),
            passes_on.eq(words.o.valid & ~returns & ~opened & ~named & pieces.i.ready),
            request.op.eq(NameOp.PIN),
            requests.i.valid.eq(begins),
            asks.eq(begins & requests.i.ready & word.last),
            words.o.ready.eq((begins & requests.i.ready) | passes_on),
        ]
        m.d.sync += [puts.eq(asks | passes_on), cuts.eq(closes & (word.op == ProgramOp.ABORT))]
        with m.If(begins & requests.i.ready):
            m.d.sync += opened.eq(~word.last)
        with m.If(returns):
            m.d.comb += [request.op.eq(NameOp.UNPIN), request.last.eq(1)]
            # Judged in one clock, when no answer is due, and dealt with in the next: no name is asked for meanwhile.
            with m.If(judged):
                m.d.comb += [requests.i.valid.eq(~kept), releases.o.ready.eq(kept | requests.i.ready)]
            with m.If(~judged):
                m.d.sync += judged.eq(asked == answered)
            with m.Elif(kept | requests.i.ready):
                m.d.sync += [judged.eq(0), returns.eq(0)]
        with m.Else():
            m.d.sync += returns.eq(releases.o.valid & ~opened & ~begins)

        # Pieces leave in order, with their names. The end of one that was cut short is given back. What has been offered or given back
        # leaves its queue in the clock after.
        piece = pieces.o.payload.word
        needs, cut, dropped = Signal(), Signal(), Signal()
        leaves, passes = Signal(), Signal()
        m.d.comb += [
            self.o.valid.eq(held & self.settled),
            self.o.payload.eq(offered),
            needs.eq(pieces.o.payload.named),
            cut.eq(pieces.o.payload.cut & ~dropped),
            passes.eq(pieces.o.valid & ~held & ((answered != 0) | ~needs) & ~cut),
            pieces.o.ready.eq(leaves),
        ]
        m.d.sync += [leaves.eq(passes), pops.eq(passes & needs), drops.eq(0)]
        with m.If(pieces.o.valid & ~held & (answered != 0) & cut & ~inlet.o.valid & releases.i.ready):
            m.d.sync += [drops.eq(found[0].ok), dropped.eq(1), pops.eq(1)]
        with m.If(passes):
            m.d.sync += [held.eq(1), dropped.eq(0)]
        with m.Elif(self.o.ready & self.settled):
            m.d.sync += held.eq(0)
        with m.If(pieces.o.valid & ~held):
            kind = Value.cast(piece.op)
            m.d.sync += [
                offered.word.eq(piece),
                offered.ends.eq(kind.matches(ProgramOp.DONE, ProgramOp.ABORT)),
                offered.literal.eq(piece.op == ProgramOp.LITERAL),
                offered.numeric.eq(piece.numeric),
                offered.text.eq(kind.matches(ProgramOp.SELF_TEST, ProgramOp.TEXT_TEST)),
                offered.wild.eq((piece.op == ProgramOp.STEP) & piece.wildcard),
                offers_name.eq(needs & found[0].ok),
            ]
            with m.If(needs):
                m.d.sync += [offered.word.data[:bits].eq(found[0].name), offered.word.count.eq(Mux(found[0].ok, WORD_BYTES, 0))]
        return m
