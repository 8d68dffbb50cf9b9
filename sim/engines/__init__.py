"""The engines by name. A new one joins with a line in ``ENGINES``; the commands stay as they are."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any

from hdl.config import BrokerConfig
from sim.interface import Engine, EngineError, MessageEngine

__all__ = ["ENGINES", "MESSAGE_ENGINES", "open_engine", "open_message_engine"]

ENGINES: Mapping[str, str] = {
    "model": "sim.engines.model:ModelEngine",
    "verilator": "sim.engines.verilator:VerilatorEngine",
    "icarus": "sim.engines.icarus:IcarusEngine",
    "serial": "sim.engines.serial:SerialEngine",
}
"""Name to ``module:factory``. A factory takes the limits, and by keyword the ``argument`` after a colon in the name, if there is one."""


MESSAGE_ENGINES: Mapping[str, str] = {"model": ENGINES["model"], "pcm": "sim.engines.pcm:PcmEngine"}
"""Those that match messages, in the same way."""


def open_engine(name: str, config: BrokerConfig, **more: Any) -> Engine:
    """The engine of that name, such as ``model`` or ``serial:/dev/ttyUSB0``; its module is loaded only now.

    ``more`` is handed to the factory as it is.
    """
    kind, colon, argument = name.partition(":")
    if kind not in ENGINES:
        raise EngineError(f"there is no engine {name!r}", hint=f"choose one of {', '.join(ENGINES)}")
    engine: Engine = _factory(ENGINES[kind])(config, **({"argument": argument} if colon else {}), **more)
    return engine


def open_message_engine(name: str, config: BrokerConfig) -> MessageEngine:
    """The same for messages."""
    if name not in MESSAGE_ENGINES:
        wrong = f"the engine {name!r} cannot match messages" if name.partition(":")[0] in ENGINES else f"there is no engine {name!r}"
        raise EngineError(wrong, hint=f"choose one of {', '.join(MESSAGE_ENGINES)}")
    engine: MessageEngine = _factory(MESSAGE_ENGINES[name])(config)
    return engine


def _factory(place: str) -> Callable[..., Any]:
    module, _, factory = place.partition(":")
    made: Callable[..., Any] = getattr(importlib.import_module(module), factory)
    return made
