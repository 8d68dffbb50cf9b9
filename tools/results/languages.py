"""The page of the languages for messages."""

from typing import Any

from tools.results.kept import group, notice, read
from tools.tables import table

__all__ = ["languages"]

_LANGUAGES = """\
# Languages for messages

What [the languages for messages](../languages.md) give in software. Each table names the commit that measured it. The machine has two
cores. *Load* is how many processes wanted one before the work began. Times that were taken under a load of more than 1 are rough.

## Every pair judged

`make languages ARGS=--record`: sets of subscriptions and messages at the corners of each language, and sets in which all languages take
turns. An engine matches them, and every judge is asked about the same pairs. *Refused* subscriptions are over a limit or outside the
language, and count no pairs.

{regression}
## PCM as a Spark job

`make match ARGS="--workload numbers --output build/match --record"`, with `--scale 2` for twice the interfaces. A message's time is the
processor time of the tasks from its line of JSON to the SIDs. The wall clock is that of all messages. *Deployment* is the wall clock from
texts to the table.

{matching}
## The papers' algorithms beside it

`make bench ARGS="--only languages --record"`. What a peer finds is compared first. P, G, H and N are the papers of
[the seeds map](../seeds-map.md).

{bench}"""


def _regression(engine: str, kept: dict[str, Any]) -> str:
    rows = [
        (f"`{language}`", *(f"{one[key]:,}" for key in ("pairs", "matches", "refused", "differences")), ", ".join(one["judges"]))
        for language, one in kept["languages"].items()
    ]
    head = ("language", "pairs", "matches", "refused", "differences", "judges")
    return f"Engine `{engine}`, preset `{kept['preset']}`, seed {kept['seed']}, commit {kept['commit']}.\n\n" + table(head, rows)


def _matching(kept: dict[str, dict[str, Any]]) -> str:
    head = ("workload", "filters", "MB", "messages", "matches", "ms a message", "cores", "wall clock, s", "deployment, s", "commit", "load")
    rows = [
        (
            *(name, f"{one['filters']:,}", f"{one['table_bytes'] / 1e6:.1f}", f"{one['messages']:,}", f"{one['matches']:,}"),
            *(f"{one['milliseconds_a_message']:.4f}", str(one["cores"]), f"{one['seconds']:.1f}", f"{one['deployment_seconds']:.1f}"),
            *(one["commit"], str(one.get("load", "not noted"))),
        )
        for name, one in kept.items()
    ]
    return table(head, rows)


def languages() -> str:
    """``docs/results/languages.md``."""
    kept = read("languages.json")
    return notice("languages.json") + _LANGUAGES.format(
        regression="\n".join(_regression(engine, one) for engine, one in kept["regression"].items()),
        matching=_matching(kept["matching"]),
        bench="\n".join(group(one) for one in kept["bench"].values()),
    )
