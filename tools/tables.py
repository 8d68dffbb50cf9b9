"""Tables of the generated pages."""

from collections.abc import Iterable, Sequence

__all__ = ["table"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> str:
    """A Markdown table; with ``numbers`` all columns but the first stand at the right."""
    rule = ["---", *(["---:" if numbers else "---"] * (len(head) - 1))]
    lines = [head, rule, *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)
