"""The engines by name. A new one joins with a line in ``ENGINES``; the commands stay as they are."""

import importlib
from collections.abc import Mapping
from typing import Any

from hdl.config import BrokerConfig
from sim.interface import Engine, EngineError

__all__ = ["ENGINES", "open_engine"]

ENGINES: Mapping[str, str] = {
    "model": "sim.engines.model:ModelEngine",
    "verilator": "sim.engines.verilator:VerilatorEngine",
    "icarus": "sim.engines.icarus:IcarusEngine",
    "serial": "sim.engines.serial:SerialEngine",
}
"""Name to ``module:factory``. A factory takes the limits, and by keyword the ``argument`` after a colon in the name, if there is one."""


def open_engine(name: str, config: BrokerConfig, **more: Any) -> Engine:
    """The engine of that name, such as ``model`` or ``serial:/dev/ttyUSB0``; its module is loaded only now.

    ``more`` is handed to the factory as it is.
    """
    kind, colon, argument = name.partition(":")
    if kind not in ENGINES:
        raise EngineError(f"there is no engine {name!r}", hint=f"choose one of {', '.join(ENGINES)}")
    module, _, factory = ENGINES[kind].partition(":")
    make = getattr(importlib.import_module(module), factory)
    engine: Engine = make(config, **({"argument": argument} if colon else {}), **more)
    return engine
