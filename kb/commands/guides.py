"""`kb help`: the guides that ship with the program as Markdown files in `kb/help/`."""

from __future__ import annotations

from pathlib import Path

from kb.core.problems import KbError

GUIDES = Path(__file__).resolve().parent.parent / "help"


def guide_purposes() -> dict[str, str]:
    """Return the guides by name, in order of name, each with the sentence below its title."""
    return {
        path.stem: path.read_text(encoding="utf-8").split("\n", 3)[2]
        for path in sorted(GUIDES.glob("*.md"))
    }


def read_guide(topic: str) -> str:
    """Return a guide's Markdown. Raises KbError for an unknown topic."""
    purposes = guide_purposes()
    if topic not in purposes:
        raise KbError(f"there is no guide {topic!r}; choose one of {', '.join(purposes)}")
    return (GUIDES / f"{topic}.md").read_text(encoding="utf-8")
