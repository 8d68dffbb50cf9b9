"""The engine under test, by name, opened once a worker."""

import importlib
from functools import lru_cache
from typing import cast

from hdl.config import BrokerConfig
from sim.engines import open_engine
from sim.engines.interface import Engine

__all__ = ["engine"]


@lru_cache(maxsize=4)
def engine(name: str, config: BrokerConfig) -> Engine:
    """The engine of :mod:`sim.engines` with that name, or ``package.module:Factory`` for any other that has its interface."""
    module, colon, factory = name.partition(":")
    if colon and "." in module and "/" not in module:
        return cast(Engine, getattr(importlib.import_module(module), factory)(config))
    return open_engine(name, config)
