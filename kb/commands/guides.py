"""`kb help`: the guides that ship with the program as Markdown files in `kb/help/`."""

from __future__ import annotations

from pathlib import Path

from kb.core.problems import KbError

GUIDES = Path(__file__).resolve().parent.parent / "help"


def guide_titles() -> dict[str, str]:
    """Return the guides by name, each with its title (the first heading), in order of name."""
    return {
        path.stem: path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        for path in sorted(GUIDES.glob("*.md"))
    }


def read_guide(topic: str) -> str:
    """Return a guide's Markdown. Raises KbError for an unknown topic."""
    titles = guide_titles()
    if topic not in titles:
        raise KbError(f"no guide {topic!r}; there are {', '.join(titles)}")
    return (GUIDES / f"{topic}.md").read_text(encoding="utf-8")
