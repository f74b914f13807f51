"""The figures that are kept, and the guide that is written from them.

`figures.json` has the reports of several runs. A run that is kept replaces the figures of the same
family and size, so that each figure stands there once, beside the peers of its own run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.benchmarks.measure import PROJECT
from tests.benchmarks.revisions import sentence
from tests.benchmarks.table import markdown, size_name, write_json

KEPT = Path(__file__).with_name("figures.json")
GUIDE = PROJECT / "kb" / "help" / "figures.md"
Report = dict[str, Any]
_HEAD = """# Figures

Compare kb with its peers: every table is written by the benchmark that measured it.

    python -m tests.benchmarks --only build --sizes 20000 --keep  # measure, and show it here
    python -m tests.benchmarks --guide                            # write this page again

[Speed](speed.md) says how they are measured, and what they mean. A ratio above 1 means that kb is
better by so much. Compare figures of one table only: machines differ, and from hour to hour.
"""


def kept(path: Path = KEPT) -> list[Report]:
    """The reports of the runs that are kept, in the order of the families."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def keep(report: Report, path: Path = KEPT) -> None:
    """Keep a report in place of what earlier ones say of the same families and sizes."""
    new = {_subject(figure) for figure in report["figures"]}
    others = [_without(other, new) for other in kept(path)]
    reports = [*(other for other in others if other["figures"]), report]
    reports.sort(key=lambda one: [_subject(figure) for figure in one["figures"]][:1])
    write_json(path, reports)


def _subject(figure: dict[str, Any]) -> tuple[str, int]:
    return figure["family"], figure["size"]


def _without(report: Report, subjects: set[tuple[str, int]]) -> Report:
    sizes = {size for _, size in subjects}
    return {
        **report,
        "figures": [one for one in report["figures"] if _subject(one) not in subjects],
        "targets": [one for one in report.get("targets", ()) if one["size"] not in sizes],
    }


def guide(reports: list[Report]) -> str:
    """The guide that shows some reports.

    Raises LookupError where git does not know a revision of theirs.
    """
    measured_at = sorted({one["machine"]["kb"] for one in reports if "kb" in one["machine"]})
    parts = [_HEAD, sentence(measured_at) + "\n"]
    for report in reports:
        subjects = dict.fromkeys(map(_subject, report["figures"]))
        families = ", ".join(dict.fromkeys(family.partition(",")[0] for family, _ in subjects))
        sizes = ", ".join(dict.fromkeys(size_name(size) for _, size in subjects))
        title = f"## {families.capitalize()}: {sizes} rulings"
        parts.append(f"{title}\n\n`{report['command']}`\n\n{markdown(report)}")
    return "\n".join(parts)
