"""Subscriptions: paths derived from sample documents, so that they really hit, and the thesis's XPath sets."""

from dataclasses import asdict, dataclass, field
from functools import lru_cache

from hdl.config import BrokerConfig
from hdl.contract import Refusal, Semantics
from sim.vectors.documents import FAMILIES, tree_of
from sim.vectors.families.tree import Element, walk
from sim.vectors.refusals import refused_text
from sim.vectors.seeds import Draw

__all__ = ["ORIGINS", "PathParameters", "Subscription", "THESIS_SETS", "subscription_set", "thesis_set"]

ORIGINS = ("path", "directed", "identical", "covering", "refused", "thesis")
"""How a subscription came about."""

_SAMPLES = 24
_SAMPLE_BYTES = 700
_OPERATORS = ("=", "!=", "<", "<=", ">", ">=")
_LITERAL_BYTES = 64
_NAME_BYTES = 64


@dataclass(frozen=True, kw_only=True)
class PathParameters:
    """The parameters of the XML-filtering literature; probabilities are 0 to 1."""

    depth: int = 8
    """Steps of the longest path."""
    wildcard: float = 0.12
    """Probability of ``*`` at a step."""
    descendant: float = 0.25
    """Probability of ``//`` before a step."""
    predicates: float = 0.4
    """Probability of a test on a step, and of each further one."""
    distinct: bool = False
    """Whether all texts of a set differ."""
    skew: float = 0.7
    """Zipf exponent over sample documents, their elements and values; 0 is uniform."""
    identical: float = 0.05
    """Share of subscriptions with the text of an earlier one."""
    covering: float = 0.1
    """Share of subscriptions that cover an earlier one."""
    containment: float = 0.1
    """Share with containment semantics."""
    foreign: float = 0.25
    """Probability that a name or a value is replaced by one that is not in the sample."""
    refused: float = 0.03
    """Share that is outside the grammar or the limits."""

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if name not in ("depth", "distinct", "skew") and not 0 <= value <= 1:
                raise ValueError(f"{name} must be 0 to 1, not {value!r}")
        if self.depth < 1:
            raise ValueError(f"depth must be at least 1, not {self.depth!r}")
        if self.skew < 0:
            raise ValueError(f"skew must be at least 0, not {self.skew!r}")


@dataclass(frozen=True)
class Subscription:
    """One subscription of a set; ``aim`` is the refusal it was made for, None where it is to be accepted."""

    sid: int
    text: str
    semantics: Semantics
    origin: str
    aim: Refusal | None = None


@dataclass
class _Step:
    axis: str
    name: str
    tests: list[tuple[str, str, str]] = field(default_factory=list)
    joined: bool = True


@dataclass
class _Path:
    steps: list[_Step]
    attribute: str = ""

    @property
    def cost(self) -> int:
        return sum(1 + len(step.tests) for step in self.steps) + bool(self.attribute)

    def text(self, draw: Draw) -> str:
        parts: list[str] = []
        for step in self.steps:
            parts += [step.axis, step.name]
            tests = [_spaced(draw, test) for test in step.tests]
            if step.joined and tests:
                parts.append("[" + " and ".join(tests) + "]")
            else:
                parts += [f"[{test}]" for test in tests]
        return "".join(parts) + self.attribute


def _spaced(draw: Draw, test: tuple[str, str, str]) -> str:
    return draw.weighted((("", 6), (" ", 2))).join(test)


@lru_cache(maxsize=1024)
def _sample(seed: int, kind: str, row: int) -> tuple[tuple[tuple[Element, ...], Element], ...]:
    return tuple(walk(tree_of(kind, seed=seed, row=row, size=_SAMPLE_BYTES)))


def _is_number(text: str) -> bool:
    whole, _, part = text.removeprefix("-").partition(".")
    return text.isascii() and (whole + part).isdigit() and len((whole + part).strip("0")) <= 15 and len(text) <= 20


def _literal(draw: Draw, value: str, foreign: float) -> str:
    """A literal near a value of the sample: a number where it is one, a quoted string otherwise."""
    bare = value.strip(" \n\t")
    if _is_number(bare) and draw.chance(0.7):
        if draw.chance(foreign):
            bare = draw.choice((str(draw.below(300)), f"{draw.below(100)}.5", f".{draw.between(1, 99)}", f"{draw.below(100)}.", "0"))
        if bare.startswith("-"):
            return draw.choice((bare, f"- {bare[1:]}", f"'{bare}'"))
        longer = f"{bare}0" if "." in bare else f"{bare}.0"
        return draw.weighted(((bare, 6), (f"0{bare}", 1), (longer, 1), (f"-{bare}", 1), (f"'{bare}'", 1)))
    if draw.chance(foreign):
        value = draw.choice(("", "none", value[:-1], value + " ", value.upper(), "1e3", "-5", " 7 "))
    if '"' in value and "'" in value:
        value = value.replace('"', "")
    if len(value.encode()) > _LITERAL_BYTES:
        value = value.encode()[:_LITERAL_BYTES].decode(errors="ignore")
    quote = "'" if '"' in value else '"' if "'" in value else draw.choice("\"'")
    return quote + value + quote


def _own_text(element: Element) -> str:
    return "".join(child for child in element.children if isinstance(child, str))


def _string_value(element: Element) -> str:
    return "".join(child if isinstance(child, str) else _string_value(child) for child in element.children)


def _tests(draw: Draw, element: Element, last: bool, parameters: PathParameters) -> list[tuple[str, str, str]]:
    tests: list[tuple[str, str, str]] = []
    attributes = [(name, value) for name, value in element.attributes if not name.startswith("xmlns")]
    while len(tests) < 4 and draw.chance(parameters.predicates):
        if last and draw.chance(0.5):
            dot = draw.chance(0.5)
            value = _string_value(element) if dot else _own_text(element)
            tests.append(("." if dot else "text()", draw.choice(_OPERATORS), _literal(draw, value, parameters.foreign)))
        elif attributes:
            name, value = attributes[draw.zipf(len(attributes), parameters.skew)]
            if draw.chance(parameters.foreign / 4):
                name = draw.choice(("missing", "xmlns", "id", "no:such"))
            if draw.chance(0.25):
                tests.append((f"@{name}", "", ""))
            else:
                tests.append((f"@{name}", draw.choice(_OPERATORS), _literal(draw, value, parameters.foreign)))
        else:
            break
    return tests


def _path(draw: Draw, seed: int, parameters: PathParameters) -> _Path:
    kind = draw.choice(tuple(FAMILIES))
    elements = _sample(seed, kind, draw.zipf(_SAMPLES, parameters.skew))
    above, element = elements[draw.zipf(len(elements), parameters.skew)]
    chain = (*above, element)
    steps: list[_Step] = []
    axis = draw.weighted((("/", 3), ("//", 2), ("", 1)))
    if len(chain) > parameters.depth:
        chain = chain[-parameters.depth :]
        axis = "//"
    for place, at in enumerate(chain):
        last = place == len(chain) - 1
        if not last and draw.chance(parameters.descendant / 2):
            axis = "//"
            continue
        if steps and axis == "/" and draw.chance(parameters.descendant / 2):
            axis = "//"
        name = "*" if draw.chance(parameters.wildcard) else at.name
        if name != "*" and draw.chance(parameters.foreign / 8):
            longer = f"{at.name}x" if len(at.name.encode()) < _NAME_BYTES else f"{at.name[:-1]}x"
            name = draw.choice(("unknown", "x:unknown", longer, at.name[:1]))
        tests = _tests(draw, at, last, parameters) if last or draw.chance(0.4) else []
        steps.append(_Step(axis, name, tests, draw.chance(0.6)))
        axis = "/"
    attribute = ""
    named = [name for name, _ in element.attributes if not name.startswith("xmlns")]
    if named and not any(left in (".", "text()") for left, _, _ in steps[-1].tests) and draw.chance(0.15):
        attribute = draw.choice(("/@", "//@")) + draw.choice(named)
    return _Path(steps, attribute)


_DIRECTED_EVERY = 5
_FORMS = tuple(
    (subject, operator, quoted) for subject in ("@version", ".", "text()") for operator in _OPERATORS for quoted in (False, True)
)
_BELOW = ("ProgramDescription", "ProgramInformationTable", "ProgramInformation", "AVAttributes", "AudioAttributes", "NumOfChannels")


def _directed(draw: Draw, turn: int) -> _Path:
    """A path that hits most programme tables with the comparison whose turn it is."""
    subject, operator, quoted = _FORMS[turn % len(_FORMS)]
    literal = {"=": "2", "!=": "3", "<": "2.5", "<=": "2.0", ">": "-1", ">=": "02"}[operator]
    if quoted:
        literal = f"'{literal if operator not in ('=', '!=') else '2'}'"
    test = (subject, operator, literal)
    if subject == "@version":
        return _Path([_Step(draw.choice(("/", "//", "")), "TVAMain", [test])])
    if turn % 3 == 0:
        steps = [_Step("/", "TVAMain"), *(_Step("/", name) for name in _BELOW)]
    else:
        steps = [_Step("//", draw.choice(_BELOW[2:5])), _Step("//", _BELOW[-1])]
    steps[-1].tests.append(test)
    return _Path(steps)


def _generalise(draw: Draw, path: _Path) -> _Path:
    """A path that covers the given one: what that one selects in a document makes this one match too."""
    steps = [_Step(step.axis, step.name, list(step.tests), step.joined) for step in path.steps]
    step = draw.choice(steps)
    if step.tests:
        step.tests.pop(draw.below(len(step.tests)))
    elif step.name != "*" and draw.chance(0.5):
        step.name = "*"
    else:
        step.axis = "//"
    return _Path(steps, path.attribute)


def subscription_set(
    *,
    seed: int,
    number: int,
    count: int,
    parameters: PathParameters | None = None,
    config: BrokerConfig | None = None,
) -> tuple[Subscription, ...]:
    """Set ``number`` of ``count`` subscriptions, with SIDs from 1, which together fit into the broker's tables.

    Every fifth one is directed: all subjects, operators and kinds of literal take turns, on values that programme tables have. The last
    one always compares the sensors' values as numbers, so that a number too long is over the limit in every set.
    """
    chosen = parameters or PathParameters()
    limits = config or BrokerConfig()
    if not 1 <= count <= limits.subscriptions:
        raise ValueError(f"count must be 1 to {limits.subscriptions}, not {count!r}")
    draw = Draw(seed, "subscriptions", number)
    room = limits.steps
    tables: dict[str, set[str]] = {"names": set(), "values": set()}
    paths: list[tuple[_Path, str]] = []
    texts: set[str] = set()
    result: list[Subscription] = []
    while len(result) < count:
        sid = len(result) + 1
        directed = sid % _DIRECTED_EVERY == 0 and sid < count
        if sid < count and not directed and draw.chance(chosen.refused):
            text, aim = refused_text(draw, sid, limits)
            result.append(Subscription(sid, text, Semantics.EXACT, "refused", aim))
            continue
        semantics = Semantics.CONTAINMENT if draw.chance(chosen.containment) else Semantics.EXACT
        origin = "path"
        if directed:
            origin = "directed"
            path = _directed(draw, sid // _DIRECTED_EVERY - 1)
            text = path.text(draw)
        elif sid == count:
            path = _Path([_Step("//", "r", [("@value", draw.choice(_OPERATORS), str(draw.below(200)))])])
            text = path.text(draw)
        elif paths and draw.chance(chosen.identical) and not chosen.distinct:
            origin = "identical"
            path, text = draw.choice(paths)
        elif paths and draw.chance(chosen.covering):
            origin = "covering"
            path = _generalise(draw, draw.choice(paths)[0])
            text = path.text(draw)
        else:
            path = _path(draw, seed, chosen)
            text = path.text(draw)
        if chosen.distinct and text in texts and sid < count:
            continue
        left = count - sid
        short = path.cost <= min(limits.subscription_steps, room - 2 * left) and len(text.encode()) <= limits.xpath_bytes
        if not short or not _fits(path, tables, limits):
            path = _Path([_Step("//", draw.choice(_COMMON))])
            origin, text = "path", path.text(draw)
            if chosen.distinct and text in texts:
                continue
        _fits(path, tables, limits, keep=True)
        room -= path.cost
        paths.append((path, text))
        texts.add(text)
        result.append(Subscription(sid, text, semantics, origin))
    return tuple(result)


_COMMON = ("price", "tuple", "p", "r", "Title", "a", "w1", "root", "qty", "note", "num", "v", "Genre", "b", "w2")


def _fits(path: _Path, tables: dict[str, set[str]], limits: BrokerConfig, *, keep: bool = False) -> bool:
    """Whether the path's names and strings still fit into the broker's tables; with ``keep`` they are entered."""
    new: dict[str, set[str]] = {"names": {path.attribute.strip("/@")} - {""}, "values": set()}
    for step in path.steps:
        new["names"] |= {step.name} - {"*"}
        for left, operator, right in step.tests:
            if left.startswith("@"):
                new["names"].add(left[1:])
            if right[:1] in ("'", '"') and operator in ("=", "!="):
                new["values"].add(right[1:-1])
    if keep:
        for name, entries in new.items():
            tables[name] |= entries
        return True
    return all(len(tables[name] | entries) <= getattr(limits, name) * 3 // 4 for name, entries in new.items())


THESIS_SETS = (1, 2, 3, 4)
"""The numbers of the sets of T 7.1 and T 7.7."""

_SET1 = (
    "/stock/share",
    "/stock/share/price",
    "/stock/share/@stockid",
    "/stock/price/@stockid",
    "/stock/share/price/@stockid",
    "/share/stock/price/@stockid",
)


def thesis_set(number: int, *, series: int = 1) -> tuple[Subscription, ...]:
    """XPath Set 1 to 4 of the thesis over its stock vocabulary, loaded ``series`` times with new SIDs; containment semantics [T 5.3.1].

    Set 1: 24 subscriptions of two to four filters of 5 to 8 characters, all matching; Set 2: 42 of one filter of 4
    characters, all matching; Set 3: as Set 2, but three match nothing; Set 4: 42 identical ones that match nothing.
    """
    if number not in THESIS_SETS:
        raise ValueError(f"number must be one of {THESIS_SETS}, not {number!r}")
    if not 1 <= series <= 10:
        raise ValueError(f"series must be 1 to 10, not {series!r}")
    if number == 1:
        texts = [_SET1[place % len(_SET1)] for place in range(24)]
    elif number == 4:
        texts = ["bond"] * 42
    else:
        texts = [("name", "type")[place % 2] for place in range(42)]
        if number == 3:
            texts[13::14] = ["bond"] * 3
    return tuple(Subscription(sid, text, Semantics.CONTAINMENT, "thesis") for sid, text in enumerate(texts * series, start=1))
