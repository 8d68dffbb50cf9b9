"""Claims that many units share."""

from amaranth.hdl import Assert, Assume, Module, Signal, Value

__all__ = ["constant", "keeps_order", "keeps_rules", "obeys_rules", "past"]


def past(m: Module, value: Value, name: str) -> Signal:
    """The value of the clock before; 0 in the first."""
    before = Signal(len(Value.cast(value)), name=f"past_{name}")
    m.d.sync += before.eq(value)
    return before


def _rules(m: Module, stream, name: str) -> Value:
    payload = Value.cast(stream.payload)
    pending = past(m, stream.valid & ~stream.ready, f"{name}_pending")
    return ~pending | (stream.valid & (payload == past(m, payload, f"{name}_payload")))


def keeps_rules(m: Module, stream, name: str) -> None:
    """Claim that an offered payload stays offered and unchanged until it is taken."""
    m.d.comb += Assert(_rules(m, stream, name))


def obeys_rules(m: Module, stream, name: str) -> None:
    """Assume the same of a stream that the prover drives."""
    m.d.comb += Assume(_rules(m, stream, name))


def constant(m: Module, signal: Signal) -> None:
    """Assume that a free signal never changes."""
    started = Signal(name=f"{signal.name}_started")
    m.d.sync += started.eq(1)
    m.d.comb += Assume(~started | (signal == past(m, signal, signal.name)))


def keeps_order(m: Module, source, sink, *, depth: int, latency: int, mark: Signal) -> Signal:
    """Claim that what ``sink`` hands over is what ``source`` took, in order, none lost or doubled, at most ``depth`` inside, and that
    a payload inside is offered within ``latency`` clocks of its turn. ``mark`` is free: the payload taken when it first rises is
    followed. Returns the number of payloads inside."""
    takes = source.valid & source.ready
    gives = sink.valid & sink.ready
    inside = Signal(range(depth + 2))
    m.d.sync += inside.eq(inside + takes - gives)
    m.d.comb += [Assert(inside <= depth), Assert((inside != 0) | ~sink.valid)]

    marked = Signal()
    followed = Signal(len(Value.cast(source.payload)))
    before = Signal(range(depth + 2))
    with m.If(~marked & mark & takes):
        m.d.sync += [marked.eq(1), followed.eq(source.payload), before.eq(inside - gives)]
    with m.Elif(marked & gives & (before != 0)):
        m.d.sync += before.eq(before - 1)
    gone = Signal()
    with m.If(marked & ~gone & (before == 0) & sink.valid):
        m.d.comb += Assert(Value.cast(sink.payload) == followed)
        with m.If(sink.ready):
            m.d.sync += gone.eq(1)

    waits = Signal(range(latency + 2))
    with m.If((inside == 0) | sink.valid):
        m.d.sync += waits.eq(0)
    with m.Else():
        m.d.sync += waits.eq(waits + 1)
    m.d.comb += Assert(waits < latency)
    return inside
