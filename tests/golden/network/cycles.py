"""Networks under the cyclic policy, set up in a line."""

from collections import Counter as Tally
from collections.abc import Iterable
from typing import Any

from hdl.config import BrokerConfig
from sim.golden.network.cyclic import CyclicBroker
from sim.golden.network.network import Network
from sim.golden.network.settings import Cyclic

__all__ = ["broker", "cyclic", "frames", "line", "modes", "notified"]

P_F = b"<F/>"


def cyclic(brokers: Iterable[int], *links: tuple[int, int], config: BrokerConfig | None = None, **settings: Any) -> Network:
    """Brokers that wait for as long as it takes before registration ends, unless told otherwise."""
    return Network(brokers, links, Cyclic(**{"gather": 64, **settings}), config)


def line(count: int, **settings: Any) -> Network:
    """Brokers 1 to ``count`` in a line, each of which knows that F is to be had from the next one."""
    network = cyclic(range(1, count + 1), *((at, at + 1) for at in range(1, count)), **settings)
    for at in range(1, count):
        network.topology(at, b"F", at + 1)
    return network


def broker(network: Network, at: int) -> CyclicBroker:
    found = network.brokers[at]
    assert isinstance(found, CyclicBroker)
    return found


def frames(network: Network) -> list[str]:
    """Each frame on a link, with its o-SID: {SID|path} sender>receiver."""
    return [str(crossing) for crossing in network.crossings]


def notified(network: Network) -> dict[int, Tally[int]]:
    """How often each subscriber of each broker was notified."""
    found: dict[int, Tally[int]] = {}
    for delivery in network.deliveries:
        found.setdefault(delivery.at, Tally())[delivery.sid] += 1
    return found


def modes(network: Network, at: int) -> list[str]:
    """The latest modes of a broker."""
    return [mode.text for mode, _ in broker(network, at).modes.history]
