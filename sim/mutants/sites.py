"""Where the emitted Verilog can be mutated, and how.

A site is one expression of one statement: the value of an ``assign``, the value or the condition of a statement in an ``always`` block.
Yosys writes all of them in a few forms, one a line, which is what this module relies on.

Two constants are no sites. One is what a block begins with: Amaranth gives it to a signal where nothing drives it, nobody wrote it, and
mostly nobody looks at the signal then. The other is what a reset gives a register, its initial value: registers share one reset so that
flip-flops can share a tile, and most of them are written before they are read. That there is a reset is a condition, and a site.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Mutation", "Site", "live_sites"]

_NAME = r"\\\S+ ?|[A-Za-z_][\w$]*"
_NAMES = re.compile(r"\\(\S+)|(?<!')\b([A-Za-z_][\w$]*)")
_SOURCE = re.compile(r'\(\* src = "([^"]*)" \*\) ?')
_MODULE = re.compile(r"module (\\\S+|[A-Za-z_][\w$]*) ?\(")
_ASSIGN = re.compile(r"  assign (.*?) = (.*);")
_STATEMENT = re.compile(rf" +((?:{_NAME}) ?(?:\[[\d:]+\])?) = (.*);")
_IF = re.compile(r"( *(?:end else )?if )\((.*)\)( begin)?")
_DECLARATION = re.compile(rf"  (?:wire|reg) (?:\[\d+:\d+\] )?({_NAME})(?: = .*)?;")
_INSTANCE = re.compile(r"  (\\\S+) +(?:\\\S+|[A-Za-z_][\w$]*) +\(")
_CONNECTION = re.compile(r"    \.(\\\S+ ?|[A-Za-z_][\w$]*)\((.*)\),?")
_BINARY = re.compile(r"(.+?) (&|\||\^|\+|-|<=|>=|<|>|==|!=|<<|>>) (.+)")
_UNARY = re.compile(r"(~|!|\||&|\^|-) (.+)")
_CHOICE = re.compile(r"(.+?) \? (.+) : (.+)")
_CONSTANT = re.compile(r"(\d+)'[hd]([0-9a-f]+)")
_LITERAL = re.compile(r"\d+'[hdb][0-9a-f]+")
_RESET = re.compile(r" *(?:end else )?if \(\\?\w*rst ?\) begin")
_OTHER = {"&": "|", "|": "&", "^": "|", "+": "-", "-": "+", "<": "<=", "<=": "<", ">": ">=", ">=": ">"}
_ORDERED = {"-", "<", "<=", ">", ">=", "<<", ">>"}


@dataclass(frozen=True)
class Mutation:
    """Another expression in the place of a site's.

    ``kind`` is ``invert``, ``stuck-0``, ``stuck-1``, ``swap``, ``operator`` or ``constant``.
    """

    kind: str
    expression: str


@dataclass(frozen=True)
class Site:
    """An expression in line ``line`` of the Verilog, counted from 0, between columns ``start`` and ``end``.

    ``module`` is the path of its unit below the top, ``source`` the file and line in ``hdl`` that it comes from; for an expression that
    Amaranth's own library wrote, and for the statements of a block, it is where the signal was declared. ``key`` is the same for the same
    site in the Verilog of another top that has the unit too. ``targets`` are the signals that the expression has a part in.
    """

    line: int
    start: int
    end: int
    module: str
    source: str
    key: str
    targets: frozenset[str]
    mutations: tuple[Mutation, ...]


def _names(text: str) -> set[str]:
    return {first or second for first, second in _NAMES.findall(text)}


def _ours(source: str) -> bool:
    """It is a place in the hardware description and not in a library."""
    return bool(source) and "/site-packages/" not in source and "/lib/python" not in source


def _stepped(expression: str) -> Iterator[str]:
    """The expression with one of its constants a step up or down, as far as its width goes."""
    for found in _CONSTANT.finditer(expression):
        width, value = int(found[1]), int(found[2], 16)
        for other in {(value + 1) % (1 << width), (value - 1) % (1 << width)} - {value}:
            yield f"{expression[: found.start()]}{width}'h{other:x}{expression[found.end() :]}"


def _mutations(expression: str, *, condition: bool) -> Iterator[Mutation]:
    bare = _SOURCE.sub("", expression)
    constant = _CONSTANT.fullmatch(bare.strip())
    value = int(constant[2], 16) if constant else None
    ones = constant is not None and value == (1 << int(constant[1])) - 1
    yield Mutation("invert", f"!({bare})" if condition else f"~({bare})")
    if value != 0:
        yield Mutation("stuck-0", "1'h0")
    if not ones:
        yield Mutation("stuck-1", "1'h1" if condition else "~1'h0")
    if choice := _CHOICE.fullmatch(bare):
        yield Mutation("swap", f"{choice[1]} ? {choice[3]} : {choice[2]}")
    elif not _UNARY.fullmatch(bare) and (binary := _BINARY.fullmatch(bare)):
        left, operator, right = binary.groups()
        if operator in _ORDERED:
            yield Mutation("swap", f"{right} {operator} {left}")
        if operator in _OTHER:
            yield Mutation("operator", f"{left} {_OTHER[operator]} {right}")
    if constant is None or int(constant[1]) > 1:
        for other in _stepped(bare):
            yield Mutation("constant", other)


class _Reader:
    """Reads the text of one top; ``edges`` lead from a signal to those that are computed from it, both as (module, name)."""

    def __init__(self, text: str, root: str, path: str) -> None:
        self._lines = text.split("\n")
        self._root, self._path = root, path
        self.full: dict[str, str] = {}
        self.found: list[Site] = []
        self.edges: dict[tuple[str, str], set[tuple[str, str]]] = defaultdict(set)
        self._inputs: dict[str, set[str]] = defaultdict(set)
        self._directions()

    def _directions(self) -> None:
        module = ""
        for line in self._lines:
            if found := _MODULE.match(line):
                module = found[1].lstrip("\\")
            elif line.startswith("  input "):
                self._inputs[module] |= {name for name in _names(line) if name != "input"}

    def read(self) -> None:
        starts = [place for place, line in enumerate(self._lines) if _MODULE.match(line)]
        for start, end in zip(starts, [*starts[1:], len(self._lines)], strict=True):
            self._module(start, end)

    def _depend(self, module: str, written: Iterable[str], read: Iterable[str]) -> None:
        for source in read:
            self.edges[module, source].update((module, target) for target in written)

    def _module(self, start: int, end: int) -> None:
        header = _MODULE.match(self._lines[start])
        assert header is not None
        full = header[1].lstrip("\\")
        module = f"{self._path}.{full.removeprefix(self._root).lstrip('.')}".strip(".")
        self.full[module] = full
        declared = self._copies(start, end)
        source, place, counts = "", start + 1, dict[str, int]()
        while place < end:
            line = self._lines[place]
            only = _SOURCE.fullmatch(line.strip() + " ")
            if only:
                source, place = only[1], place + 1
                continue
            if found := _DECLARATION.fullmatch(line):
                declared.setdefault(found[1].strip().lstrip("\\"), source)
            elif found := _INSTANCE.fullmatch(line):
                place = self._instance(full, found[1].lstrip("\\"), place + 1)
            elif line.startswith("  always"):
                place = self._block(full, module, place, declared, counts)
            elif found := _ASSIGN.fullmatch(line):
                targets, right = _names(found[1]), found[2]
                bare = _SOURCE.sub("", right)
                self._depend(full, targets, _names(bare))
                operated = _CHOICE.fullmatch(bare) or _UNARY.fullmatch(bare) or _BINARY.fullmatch(bare)
                if operated and "$signed" not in bare:
                    inner = _SOURCE.search(right)
                    origins = [inner[1] if inner else "", *(declared.get(name, "") for name in sorted(targets))]
                    origin = next((one for one in origins if _ours(one)), "")
                    self._site(place, found.span(2), module, origin, targets, counts, condition=False)
            source = ""
            place += 1

    def _instance(self, outer: str, inner: str, place: int) -> int:
        while self._lines[place] != "  );":
            found = _CONNECTION.fullmatch(self._lines[place])
            if found:
                port, names = found[1].strip().lstrip("\\"), _names(found[2])
                for name in names:
                    if port in self._inputs[inner]:
                        self.edges[outer, name].add((inner, port))
                    else:
                        self.edges[inner, port].add((outer, name))
            place += 1
        return place

    def _block(self, full: str, module: str, start: int, declared: dict[str, str], counts: dict[str, int]) -> int:
        """Read an ``always`` block and return its last line."""
        end = start
        if self._lines[start].endswith(" begin"):
            while self._lines[end] != "  end":
                end += 1
        else:
            end += 1
        lines = [_SOURCE.sub("", line) for line in self._lines[start : end + 1]]
        written, read = set[str](), set[str]()
        for line in lines[1:]:
            if "$auto$verilog_backend" in line:
                continue
            if found := re.fullmatch(rf" +((?:{_NAME}) ?(?:\[.*\])?) <?= (.*);", line):
                head = re.match(_NAME, found[1])
                assert head is not None
                written.add(head[0].strip().lstrip("\\"))
                read |= _names(found[1][head.end() :]) | _names(found[2])
            else:
                read |= _names(line) - {"if", "else", "begin", "end", "casez", "endcase"}
        self._depend(full, written, read)
        origin = next((declared[name] for name in sorted(written) if _ours(declared.get(name, ""))), "")
        clocked = "posedge" in lines[0]
        if clocked and not any(" if (" in line for line in lines):
            return end
        implicit = True
        for place in range(start + 1, end):
            line = self._lines[place]
            if "$auto$verilog_backend" in line or "src = " in line:
                continue
            found = _STATEMENT.fullmatch(line)
            implicit = implicit and found is not None and _LITERAL.fullmatch(found[2]) is not None
            if implicit or (found is not None and _RESET.fullmatch(self._lines[place - 1])):
                continue
            if found := _IF.fullmatch(line):
                self._site(place, found.span(2), module, origin, written, counts, condition=True)
            elif not clocked and (found := _STATEMENT.fullmatch(line)) and "$signed" not in found[2]:
                self._site(place, found.span(2), module, origin, written, counts, condition=False)
        return end

    def _copies(self, start: int, end: int) -> dict[str, str]:
        """The next values that registers of a module copy, and where each register was declared."""
        found: dict[str, str] = {}
        source = ""
        for line, after in zip(self._lines[start:end], self._lines[start + 1 : end], strict=False):
            if only := _SOURCE.fullmatch(line.strip() + " "):
                source = only[1]
            elif line == "  always @(posedge clk)" and " <= " in after:
                found[after.strip().rstrip(";").split(" <= ")[1].strip().lstrip("\\")] = source
                source = ""
        return found

    def _site(
        self, line: int, span: tuple[int, int], module: str, source: str, targets: set[str], counts: dict[str, int], *, condition: bool
    ) -> None:
        text = re.sub(r"port\$\d+\$", "port$", _SOURCE.sub("", self._lines[line]).strip())
        counts[text] = counts.get(text, 0) + 1
        key = f"{module}|{text}|{counts[text]}"
        mutations = tuple(_mutations(self._lines[line][slice(*span)], condition=condition))
        self.found.append(Site(line, *span, module, source, key, frozenset(targets), mutations))


def _reaching(edges: dict[tuple[str, str], set[tuple[str, str]]], ends: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The signals from which one of the ends can be reached."""
    back: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for source, targets in edges.items():
        for target in targets:
            back[target].append(source)
    found, left = set(ends), list(ends)
    while left:
        for source in back[left.pop()]:
            if source not in found:
                found.add(source)
                left.append(source)
    return found


def live_sites(text: str, *, top: str, outputs: Sequence[str], path: str = "") -> list[Site]:
    """The sites of a top's Verilog that one of these outputs depends on, through registers and memories too, in the order of its lines.

    The modules' paths begin with ``path``.
    """
    reader = _Reader(text, top, path)
    reader.read()
    reaching = _reaching(reader.edges, {(top, name) for name in outputs})
    return [one for one in reader.found if any((reader.full[one.module], name) in reaching for name in one.targets)]
