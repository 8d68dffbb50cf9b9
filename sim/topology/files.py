"""Topology files: YAML with brokers, links, the policy and the preset."""

from collections.abc import Hashable, Mapping
from dataclasses import fields
from typing import Any

import yaml

from sim.golden.network.settings import Cyclic, Policy, Steady
from sim.topology.description import BrokerSpec, LinkSpec, NetworkDescription, TopologyError

__all__ = ["read_topology"]

_KEYS = ("brokers", "links", "policy", "preset", "steady", "cyclic")
_POLICIES: dict[str, type[Steady] | type[Cyclic]] = {"steady": Steady, "cyclic": Cyclic}


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """YAML in which a key that is there twice is an error."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for place, key in enumerate(keys):
            if key in keys[:place]:
                raise yaml.constructor.ConstructorError(None, None, f"the key {key!r} is there twice", node.value[place][0].start_mark)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


def read_topology(text: str, *, name: str) -> NetworkDescription:
    """The network that a file's text describes; raises :class:`TopologyError`."""
    try:
        content = yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = "" if mark is None else f" line {mark.line + 1}, column {mark.column + 1}"
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise TopologyError(f"{name}{place}: {problem}", hint="see docs/network.md for an example") from None
    try:
        return _network(content)
    except TopologyError as error:
        raise TopologyError(f"{name}: {error}", hint=error.hint) from None


def _mapping(value: object, what: str, example: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise TopologyError(f"{what} must be a mapping, not {_kind(value)}", hint=f"for example `{example}`")
    for key in value:
        if not isinstance(key, str):
            raise TopologyError(f"the keys of {what} must be text, not {key!r}", hint="put it into quotes")
    return value


def _kind(value: object) -> str:
    return {dict: "a mapping", list: "a list", str: "text", type(None): "nothing"}.get(type(value), repr(value))


def _known(value: Mapping[str, Any], what: str, keys: tuple[str, ...]) -> None:
    for key in value:
        if key not in keys:
            raise TopologyError(f"the key {key!r} in {what} is unknown", hint=f"the keys are {', '.join(keys)}")


def _number(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TopologyError(f"{what} must be a whole number, not {value!r}", hint="write it without quotes")
    return value


def _network(content: object) -> NetworkDescription:
    top = _mapping(content, "a topology", "{brokers: {A: {bid: 1}, B: {bid: 2}}, links: [[A, B]]}")
    _known(top, "the topology", _KEYS)
    if "brokers" not in top:
        raise TopologyError("the topology has no brokers", hint="write `brokers: {A: {bid: 1}}`")
    brokers = [_broker(name, value) for name, value in _mapping(top["brokers"], "brokers", "{A: {bid: 1}}").items()]
    links = top.get("links") or []
    if not isinstance(links, list):
        raise TopologyError(f"links must be a list, not {_kind(links)}", hint="for example `[[A, B], [B, C]]`")
    preset = top.get("preset", "default")
    return NetworkDescription(tuple(brokers), tuple(_link(value) for value in links), _policy(top), preset)


def _broker(name: str, value: object) -> BrokerSpec:
    found = _mapping(value, f"broker {name!r}", "{bid: 1}")
    _known(found, f"broker {name!r}", ("bid", "unit"))
    if "bid" not in found:
        raise TopologyError(f"broker {name!r} has no bid", hint="give each broker a number of its own, `{bid: 1}`")
    unit = found.get("unit", [])
    units = [unit] if isinstance(unit, str) else unit
    if not isinstance(units, list) or not all(isinstance(one, str) for one in units):
        raise TopologyError(
            f"the unit of broker {name!r} must be a name or a list of names, not {unit!r}", hint="the outermost unit comes first"
        )
    return BrokerSpec(name, _number(found["bid"], f"the bid of broker {name!r}"), tuple(units))


def _link(value: object) -> LinkSpec:
    if not isinstance(value, list) or len(value) not in (2, 3) or not all(isinstance(end, str) for end in value[:2]):
        raise TopologyError(
            f"a link must be two brokers' names, and perhaps a cost, not {value!r}", hint="for example `[A, B]` or `[A, B, 3]`"
        )
    return LinkSpec(value[0], value[1], _number(value[2], f"the cost of the link {value[0]}-{value[1]}") if len(value) == 3 else 1)


def _policy(top: Mapping[str, Any]) -> Policy:
    name = top.get("policy", "steady")
    if not isinstance(name, str) or name not in _POLICIES:
        raise TopologyError(f"the policy must be steady or cyclic, not {name!r}", hint="steady is for use, cyclic for the thesis's modes")
    for other in _POLICIES:
        if other != name and other in top:
            raise TopologyError(
                f"the settings {other!r} are there, but the policy is {name}", hint=f"take them out, or write `policy: {other}`"
            )
    settings = _mapping(top.get(name) or {}, f"the settings {name!r}", "{gather: 16}")
    kind = _POLICIES[name]
    _known(settings, f"the settings {name!r}", tuple(field.name for field in fields(kind)))
    try:
        return kind(**settings)
    except ValueError as error:
        raise TopologyError(f"the settings {name!r}: {error}", hint="see docs/network.md for their meaning") from None
