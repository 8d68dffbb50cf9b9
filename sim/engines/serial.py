"""A board behind a serial port as an engine: ``serial:/dev/ttyUSB0`` or ``serial:/dev/ttyUSB0@115200``."""

from collections.abc import Sequence

from fpga.host.broker import Broker, BrokerError, Outcome
from fpga.host.link import LinkError
from fpga.host.transport import SerialTransport, Transport, TransportError
from hdl.config import BrokerConfig
from hdl.contract import Code, OSid
from sim.interface import EngineError, Filtered, FilterResult, ParseResult, Refused, Subscription

__all__ = ["DriverEngine", "SerialEngine", "open_port"]

_AHEAD = 16
"""Publications sent before the outcome of the first is waited for."""

_HINT = "check that the board is connected, programmed and not in use by another program"


def open_port(argument: str) -> SerialTransport:
    """The transport that the part of an engine's name after the colon stands for."""
    port, _, baud = argument.rpartition("@") if "@" in argument else (argument, "", "")
    if not port or (baud and not baud.isdigit()):
        raise EngineError(f"{argument!r} is not a serial port", hint="write serial:/dev/ttyUSB0, or serial:/dev/ttyUSB0@115200")
    try:
        return SerialTransport(port, baud=int(baud)) if baud else SerialTransport(port)
    except TransportError as error:
        raise EngineError(str(error), hint=_HINT) from error


def _result(found: Outcome) -> ParseResult:
    located = found.code is not Code.OK and found.code is not Code.NUMBER_DIGITS
    return ParseResult(found.code, found.offset if located else None, found.bytes)


class DriverEngine:
    """Parses and filters with a broker behind the host driver; its limits are those that it was built with. There are no clocks and no
    words."""

    def __init__(self, transport: Transport) -> None:
        try:
            self._broker = Broker(transport)
        except (BrokerError, LinkError, TransportError) as error:
            raise EngineError(str(error), hint=_HINT) from error

    def close(self) -> None:
        """Let the port go."""
        self._broker.close()

    def parse(self, documents: Sequence[bytes], *, words: bool = False) -> list[ParseResult]:
        if words:
            raise EngineError("a board gives verdicts but no words", hint="choose --engine verilator for words")
        return [one.result for one in self.filter([], documents).documents]

    def filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        try:
            return self._filter(subscriptions, documents)
        except (BrokerError, LinkError, TransportError) as error:
            raise EngineError(str(error), hint=_HINT) from error

    def _filter(self, subscriptions: Sequence[Subscription], documents: Sequence[bytes]) -> FilterResult:
        broker = self._broker
        broker.reset()
        refused = []
        for one in subscriptions:
            (found,) = broker.subscribe_all(
                [one.text], references=[one.sid], osid=OSid(1 + one.sid % 255), semantics=one.semantics, link=one.sid % broker.config.links
            )
            if isinstance(found, Exception):
                refused.append(Refused(one, found.code))
        outcomes: list[Outcome] = []
        keys: list[int] = []
        for document in documents:
            keys.append(broker.post(document))
            if len(keys) - len(outcomes) > _AHEAD:
                outcomes.append(broker.outcome(keys[len(outcomes)]))
        outcomes += [broker.outcome(key) for key in keys[len(outcomes) :]]
        matches: dict[int, list[int]] = {}
        for note in broker.notifications(count=sum(one.matches for one in outcomes)):
            matches.setdefault(note.publication, []).append(note.reference)
        found_all = [Filtered(_result(one), tuple(sorted(matches.get(one.number, ())))) for one in outcomes]
        return FilterResult(tuple(refused), tuple(found_all))


class SerialEngine(DriverEngine):
    """The board at a serial port."""

    def __init__(self, config: BrokerConfig, *, argument: str = "") -> None:
        super().__init__(open_port(argument))
