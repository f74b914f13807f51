"""Tables of tab-separated cells, whose first line names the columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from kb.core.problems import Problem
from kb.core.similar import SimilarIds


def read_table(
    text: str,
    path: str,
    columns: Sequence[str],
    problems: list[Problem],
    required: Collection[str] = (),
    may_lack: str = "",
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of a table's lines by column, with the number of the line.

    `columns`: those that the first line may name; `required`: those that it must name, by default
    all. A line may end before a last column `may_lack`; other numbers of cells are problems.
    """
    first, *lines = text.split("\n")
    names = first.split("\t")
    unknown = next((name for name in names if name not in columns), "")
    is_known = set(required or columns) <= set(names) <= set(columns)
    if not is_known or len(set(names)) < len(names):
        hint = f"; {unknown!r} is none of them" if unknown else ""
        hint += "".join(
            f"; did you mean {name}?" for name in SimilarIds(columns).similar(unknown, 1)
        )
        message = f"the first line names the columns, separated by tabs: {' '.join(columns)}"
        problems.append(Problem(path, 1, message + hint))
        return
    counts = {len(names), len(names) - (names[-1] == may_lack)}
    for number, line in enumerate(lines, 2):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t")]
        if len(cells) in counts:
            yield number, dict(zip(names, cells, strict=False))
        else:
            count = f"{len(cells)} column{'s' if len(cells) > 1 else ''}"
            message = f"{count} instead of {len(names)} (tabs separate them)"
            problems.append(Problem(path, number, message))


def with_rows(text: str, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    """Add rows to a table in the order of its columns; an empty text gets a first line."""
    table = text if text.strip() else "\t".join(columns)
    names = table.splitlines()[0].split("\t")
    added = ("\t".join(" ".join(row.get(name, "").split()) for name in names) for row in rows)
    return "\n".join([table.removesuffix("\n"), *added]) + "\n"
