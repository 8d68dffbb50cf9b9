"""The page of exactness: what was compared with independent judges, and what differed."""

import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from tools.results.kept import about, count, notice, read
from tools.tables import table

__all__ = ["exactness"]

_EXACTNESS = """\
# Exactness

What was compared with independent judges, and how much of it differed. A pair is one publication and one subscription. See also
[the soak](soak.md), which adds up rounds with ever new seeds, and [the mutants](mutants.md), which say what the vectors would notice.
The whole commands, machines and tool versions are in `exactness.json`.

## Matching, judged by libxml2

`python -m sim.volume_filter --record` registers sets of subscriptions drawn from the whole grammar and publishes the set's own documents.

- A quarter of the documents has a bad verdict. libxml2 alone says what a well-formed document matches.
- With `--stalls` every second set has random idle clocks and waits on every stream.
- *Subscriptions* counts distinct ones.
- *Bodies* are notifications with selected nodes, compared with the golden model's. A notification goes *without* where the limits allow it.

{filter}
## The regression, judged by libxml2, expat and the golden model

`make regress ARGS=--record` and `make sim ARGS=--record`: Spark makes vectors and golden results, the broker's RTL runs over them on
Verilator. Results, verdicts, offsets and matches are compared, with *words* the parsed words too.

{regression}
{kinds}## Parsing, judged by the golden model, libxml2 and expat

`make volume ARGS=--record`: verdict, code, offset, length and every word must be the golden model's. libxml2 and expat are asked whether
a document is well-formed, except where it is unsupported or over a limit. The real documents are all XML files of the Debian packages
shared-mime-info, xkb-data, iso-codes and osinfo-db. *Judges split* counts documents on which libxml2 and expat differ from each other;
[the XML subset](../xml-subset.md) lists why.

{parser}"""


def _options(command: str) -> str:
    """The options that choose the vectors; where files lie and who runs the job changes no count."""
    words = iter(shlex.split(command)[3:])
    shown = []
    for word in words:
        if word in ("--vectors", "--results", "--report", "--master", "--engine"):
            next(words)
        else:
            shown.append(word)
    return shlex.join(shown)


def _table(runs: Mapping[str, Mapping[str, Any]], columns: Iterable[str], heads: Mapping[str, str]) -> str:
    """A row for each run, and beneath it the options of each."""
    names = list(columns)
    rows = [
        (str(number), one["commit"], *(one[name] if isinstance(one[name], str) else count(one[name]) for name in names))
        for number, one in enumerate(runs.values(), start=1)
    ]
    options = "".join(f"{number}. `{_options(command)}`\n" for number, command in enumerate(runs, start=1))
    return f"{table(('run', 'commit', *(heads.get(name, name) for name in names)), rows)}\n{options}"


def _kinds(runs: Mapping[str, Mapping[str, Any]]) -> str:
    """The documents of the last run that has them, by kind."""
    found = [(command, one) for command, one in runs.items() if one.get("kinds")]
    if not found:
        return ""
    command, one = found[-1]
    head = list(one["kinds"][0])
    rows = [[str(row[name]) if name == "kind" else count(row[name]) for name in head] for row in one["kinds"]]
    return f"Documents of the run with `{_options(command)}` by kind:\n\n{table(head, rows, numbers=True)}\n"


def _parser(command: str, one: Mapping[str, Any]) -> str:
    columns = {
        "documents": "documents",
        "broken": "not well-formed",
        "bytes": "bytes",
        "split": "judges split",
        "differences": "differences",
    }
    rows = [(row["name"], *(count(row[name]) for name in columns)) for row in one["comparisons"]]
    return f"`{command}`. {about(one)}\n\n" + table(("comparison", *columns.values()), rows, numbers=True)


def exactness() -> str:
    """``docs/results/exactness.md``."""
    kept = read("exactness.json")
    filters = {command: one for command, one in kept["filter"].items() if not one["bodies"]}
    selecting = {command: one for command, one in kept["filter"].items() if one["bodies"]}
    heads = {"body_bytes": "bytes of bodies", "bare": "without"}
    compared = ("documents", "subscriptions", "pairs", "matches", "differences")
    return notice("exactness.json") + _EXACTNESS.format(
        filter=_table(filters, compared, heads) + "\n" + _table(selecting, (*compared, "bodies", "body_bytes", "bare"), heads),
        regression=_table(
            {command: {**one, "words": "yes" if one["words"] else "no"} for command, one in kept["regression"].items()},
            ("engine", "preset", "documents", "bytes", "words", "pairs", "matches", "differences"),
            {},
        ),
        kinds=_kinds(kept["regression"]),
        parser="\n".join(_parser(command, one) for command, one in kept["parser"].items()),
    )
