"""Emitted Verilog in the spelling that Verilator simulates fastest: registers are written where they change.

Yosys gives each register a block of its own that computes the next value, with all the conditions of the design round it, and a copy of
that value in each clock. A state machine with eighty registers so looks at its state eighty times a clock, and mostly to find nothing.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

__all__ = ["merge_registers"]

_NAME = r"\\\S+|[A-Za-z_][\w$]*"
_NAMES = re.compile(_NAME)
_COPY = re.compile(rf"    ({_NAME}) *<= ({_NAME}) *;")
_ASSIGNMENT = re.compile(rf"({_NAME}) ?(\[[\d:]+\])? = (.*);")
_IF = re.compile(r"(?:end else )?if \((.*)\) begin")
_ITEM = re.compile(r"(\d+'[hdb][0-9a-f]+):")
_ATTRIBUTE = "(* full_case = 32'd1 *)"


class _UnknownError(Exception):
    """A statement that is left as it stands."""


@dataclass(frozen=True)
class _Assignment:
    name: str
    part: str
    value: str


@dataclass
class _If:
    condition: str
    then: "_Body"
    otherwise: "_Body"


@dataclass
class _Case:
    """One that has constants only and no default, so that the order of its items does not count."""

    subject: str
    items: "dict[str, _Body]" = field(default_factory=dict)


_Statement: TypeAlias = _Assignment | _If | _Case
_Body: TypeAlias = list[_Statement]


class _Reader:
    """Reads the statements of a block of Yosys, line by line."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [line.strip() for line in lines if line.strip() != _ATTRIBUTE]
        self._at = 0

    def body(self) -> _Body:
        """The statements up to the end of what they are in."""
        found: _Body = []
        while (line := self._next()) not in ("end", "endcase") and not line.startswith("end else") and not _ITEM.fullmatch(line):
            self._at += 1
            if line == "/* empty */;" or line.endswith(" begin end"):
                continue
            if match := _IF.fullmatch(line):
                found.append(self._if(match[1]))
            elif line.startswith("casez (") and line.endswith(")"):
                found.append(self._case(line[len("casez (") : -1]))
            elif match := _ASSIGNMENT.fullmatch(line):
                found.append(_Assignment(match[1], match[2] or "", match[3]))
            else:
                raise _UnknownError
        return found

    def _next(self) -> str:
        return self._lines[self._at] if self._at < len(self._lines) else "end"

    def _if(self, condition: str) -> _If:
        then, line = self.body(), self._next()
        self._at += 1
        if line == "end":
            return _If(condition, then, [])
        if line == "end else begin":
            otherwise, line = self.body(), self._next()
            self._at += 1
            if line == "end":
                return _If(condition, then, otherwise)
        elif match := _IF.fullmatch(line):
            return _If(condition, then, [self._if(match[1])])
        raise _UnknownError

    def _case(self, subject: str) -> _Case:
        found = _Case(subject)
        while (line := self._next()) != "endcase":
            match = _ITEM.fullmatch(line)
            if match is None or match[1] in found.items:
                raise _UnknownError
            self._at += 1
            grouped = self._next() == "begin"
            self._at += grouped
            found.items[match[1]] = self.body()
            if grouped and self._next() != "end":
                raise _UnknownError
            self._at += grouped
        self._at += 1
        return found


def _assignments(body: _Body) -> Iterator[_Assignment]:
    for one in body:
        if isinstance(one, _Assignment):
            yield one
        else:
            for inner in (one.then, one.otherwise) if isinstance(one, _If) else one.items.values():
                yield from _assignments(inner)


def _renamed(body: _Body, name: str) -> _Body:
    """The statements with all assignments to this name, without conditions that lead to none."""
    found: _Body = []
    for one in body:
        if isinstance(one, _Assignment):
            found.append(_Assignment(name, one.part, one.value))
        elif isinstance(one, _If):
            found.append(_If(one.condition, _renamed(one.then, name), _renamed(one.otherwise, name)))
        else:
            items = {constant: _renamed(inner, name) for constant, inner in one.items.items()}
            found.append(_Case(one.subject, {constant: inner for constant, inner in items.items() if inner}))
    return [one for one in found if isinstance(one, _Assignment) or any(True for _ in _assignments([one]))]


def _merged(bodies: Sequence[_Body]) -> _Body:
    """The statements of bodies that assign different registers, each condition once where it is next in several of them."""
    left = [list(body) for body in bodies if body]
    found: _Body = []
    while left:
        groups: dict[tuple[str, str], list[_Body]] = {}
        for body in left:
            head = body[0]
            if isinstance(head, _Assignment):
                found.append(body.pop(0))
            elif isinstance(head, _If):
                groups.setdefault(("if", head.condition), []).append(body)
            else:
                groups.setdefault(("case", head.subject), []).append(body)
        if groups:
            (kind, about), group = max(groups.items(), key=lambda item: len(item[1]))
            heads = [body.pop(0) for body in group]
            if kind == "if":
                ifs = [head for head in heads if isinstance(head, _If)]
                found.append(_If(about, _merged([one.then for one in ifs]), _merged([one.otherwise for one in ifs])))
            else:
                cases = [head for head in heads if isinstance(head, _Case)]
                constants = dict.fromkeys(constant for one in cases for constant in one.items)
                items = {constant: _merged([one.items.get(constant, []) for one in cases]) for constant in constants}
                found.append(_Case(about, items))
        left = [body for body in left if body]
    return found


def _lines(body: _Body, indent: str) -> Iterator[str]:
    for one in body:
        if isinstance(one, _Assignment):
            yield f"{indent}{one.name} {one.part} <= {one.value};"
        elif isinstance(one, _If):
            yield f"{indent}if ({one.condition}) begin"
            yield from _lines(one.then, indent + "  ")
            if one.otherwise:
                yield f"{indent}end else begin"
                yield from _lines(one.otherwise, indent + "  ")
            yield f"{indent}end"
        else:
            yield f"{indent}casez ({one.subject})"
            for constant, inner in one.items.items():
                yield f"{indent}  {constant}: begin"
                yield from _lines(inner, indent + "    ")
                yield f"{indent}  end"
            yield f"{indent}endcase"


def _module(lines: list[str]) -> list[str]:
    """A module's lines, from its head to the line before its end."""
    uses = Counter(name for line in lines for name in _NAMES.findall(line))
    copies = {}
    for place, line in enumerate(lines[:-1]):
        if line == "  always @(posedge clk)" and (match := _COPY.fullmatch(lines[place + 1])):
            copies[match[2]] = (match[1], place)
    dropped: set[int] = set()
    keeping, others = [], []
    for start in [place for place, line in enumerate(lines) if line == "  always @* begin"]:
        end = lines.index("  end", start)
        try:
            body = _Reader(lines[start + 1 : end]).body()
        except _UnknownError:
            continue
        targets = Counter(one.name for one in _assignments(body))
        name, count = next(iter(targets.items()), ("", 0))
        # the next value of a register and nothing else: it is declared, assigned here and copied
        if len(targets) != 1 or name not in copies or uses[name] != count + 2:
            continue
        register, copy = copies[name]
        dropped |= {*range(start, end + 1), copy, copy + 1}
        first, *rest = body
        if isinstance(first, _Assignment) and not first.part and first.value.strip() == register:
            keeping.append(_renamed(rest, register))
        else:
            others.append(_renamed(body, register))
    found = [line for place, line in enumerate(lines) if place not in dropped]
    for block in ([_merged(keeping)] if keeping else []) + others:
        found += ["  always @(posedge clk) begin", *_lines(block, "    "), "  end"]
    return found


def merge_registers(text: str) -> str:
    """The same hardware as the Verilog of :func:`hdl.emit.to_verilog`, in which registers are assigned in the clocked blocks themselves.

    Those of a module that keep their value unless something happens share one block, in which each condition stands once, as far as
    their statements allow; the others have a block each. What has another form than these is left as it is.
    """
    found: list[str] = []
    module: list[str] | None = None
    for line in text.split("\n"):
        if line.startswith("module "):
            module = [line]
        elif module is None:
            found.append(line)
        elif line == "endmodule":
            found += [*_module(module), line]
            module = None
        else:
            module.append(line)
    return "\n".join(found)
