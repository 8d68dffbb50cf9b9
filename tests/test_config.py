"""The limits: presets pinned by literals, and one message for every rule between them."""

from dataclasses import FrozenInstanceError, asdict

import pytest

from hdl.config import PRESETS, BrokerConfig

DEFAULT = {
    "subscriptions": 255,
    "steps": 1024,
    "slices": 8,
    "names": 256,
    "learned": 352,
    "values": 256,
    "numbers": 256,
    "name_bytes": 64,
    "value_bytes": 64,
    "depth": 32,
    "attributes": 32,
    "prefixes": 32,
    "subscription_steps": 16,
    "xpath_bytes": 1024,
    "digits": 15,
    "links": 4,
    "brokers": 7,
    "xram_bytes": 2048,
    "pram_words": 512,
    "selected": 512,
}
SMALL = DEFAULT | {
    "subscriptions": 127,
    "steps": 512,
    "slices": 16,
    "names": 128,
    "learned": 192,
    "values": 128,
    "numbers": 128,
    "links": 1,
    "selected": 0,
}
LARGE = DEFAULT | {
    "subscriptions": 1024,
    "steps": 4096,
    "slices": 16,
    "names": 1024,
    "learned": 1280,
    "values": 1024,
    "numbers": 1024,
    "depth": 64,
    "pram_words": 1024,
}


def test_presets_are_these() -> None:
    assert list(PRESETS) == ["small", "default", "large"]
    assert asdict(PRESETS["small"]) == SMALL
    assert asdict(PRESETS["default"]) == asdict(BrokerConfig()) == DEFAULT
    assert asdict(PRESETS["large"]) == LARGE


def test_preset_with_changes() -> None:
    assert asdict(BrokerConfig.preset("large", depth=16)) == LARGE | {"depth": 16}
    with pytest.raises(ValueError, match=r"^depth must be at most 255, not 256$"):
        BrokerConfig.preset("default", depth=256)
    with pytest.raises(ValueError, match=r"^preset must be one of small, default, large, not 'tiny'$"):
        BrokerConfig.preset("tiny")
    with pytest.raises(TypeError, match="colour"):
        BrokerConfig.preset("default", colour=1)


def test_frozen_and_keyword_only() -> None:
    with pytest.raises(FrozenInstanceError):
        BrokerConfig().depth = 3  # type: ignore[misc]
    with pytest.raises(TypeError):
        BrokerConfig(255)  # type: ignore[call-arg]


@pytest.mark.parametrize("field", DEFAULT)
@pytest.mark.parametrize("value", [1.0, "1", True, None])
def test_every_field_must_be_an_integer(field: str, value: object) -> None:
    with pytest.raises(TypeError) as caught:
        BrokerConfig(**{field: value})  # type: ignore[arg-type]
    assert str(caught.value) == f"{field} must be an integer, not {value!r}"


@pytest.mark.parametrize("field", [field for field in DEFAULT if field != "selected"])
@pytest.mark.parametrize("value", [0, -1])
def test_every_field_must_be_at_least_one(field: str, value: int) -> None:
    with pytest.raises(ValueError) as caught:
        BrokerConfig(**{field: value})
    assert str(caught.value) == f"{field} must be at least 1, not {value}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"subscriptions": 4096}, "subscriptions must be at most 4095, not 4096"),
        ({"steps": 1022}, "steps must be a multiple of the 8 slices, not 1022"),
        ({"slices": 3}, "steps must be a multiple of the 3 slices, not 1024"),
        ({"steps": 8, "slices": 4}, "steps must be at least the 16 steps of a subscription, not 8"),
        ({"names": 255}, "names must be a power of two, not 255"),
        ({"values": 100}, "values must be a power of two, not 100"),
        ({"xram_bytes": 2000}, "xram_bytes must be a power of two, not 2000"),
        ({"pram_words": 511}, "pram_words must be a power of two, not 511"),
        ({"selected": 500}, "selected must be 0 or a power of two of at least 16, not 500"),
        ({"selected": 8}, "selected must be 0 or a power of two of at least 16, not 8"),
        ({"selected": -1}, "selected must be 0 or a power of two of at least 16, not -1"),
        ({"learned": 41}, "learned must be at least 10 more than the 32 attributes of a tag, not 41"),
        ({"name_bytes": 63}, "name_bytes must be a multiple of 4, at most 64, not 63"),
        ({"name_bytes": 68}, "name_bytes must be a multiple of 4, at most 64, not 68"),
        ({"value_bytes": 62}, "value_bytes must be a multiple of 4, at most 64, not 62"),
        ({"value_bytes": 68}, "value_bytes must be a multiple of 4, at most 64, not 68"),
        ({"depth": 256}, "depth must be at most 255, not 256"),
        ({"attributes": 33}, "attributes must be at most 32, not 33"),
        ({"digits": 16}, "digits must be at most 15, where decimal and IEEE double order agree, not 16"),
        ({"links": 5}, "links must be at most 4, not 5"),
        ({"brokers": 8}, "brokers must be at most 7, the bytes left in an o-SID, not 8"),
        ({"xram_bytes": 512}, "xram_bytes must be 1024 to 4096, not 512"),
        ({"xram_bytes": 8192}, "xram_bytes must be 1024 to 4096, not 8192"),
    ],
)
def test_rule(changes: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError) as caught:
        BrokerConfig(**changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    "changes",
    [
        {"subscriptions": 4095},
        {"subscriptions": 1},
        {"steps": 16, "slices": 1},
        {"attributes": 31, "learned": 41},
        {"name_bytes": 4, "value_bytes": 4},
        {"depth": 255},
        {"depth": 1},
        {"xram_bytes": 1024},
        {"xram_bytes": 4096},
        {"digits": 1, "links": 1, "brokers": 1, "pram_words": 1, "selected": 16, "names": 1},
        {"selected": 0},
    ],
)
def test_just_inside_every_rule(changes: dict[str, int]) -> None:
    assert asdict(BrokerConfig(**changes)) == DEFAULT | changes
