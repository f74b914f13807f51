"""`kb help`: the guides that ship with the program as Markdown files in `kb/help/`."""

from __future__ import annotations

from pathlib import Path

from kb.core.files import remove_temporary_files, write_files
from kb.core.problems import KbError
from kb.site.templates import PACKAGED

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


def write_guides(folder: Path) -> int:
    """Write the guides as HTML pages; return how many. Raises KbError when a file is not ours."""
    from kb.site.guides import guide_pages
    from kb.site.templates import Templates

    guides = {name: read_guide(name) for name in guide_purposes()}
    pages = guide_pages(guides, Templates((PACKAGED,)))
    remove_temporary_files(folder)
    if folder.is_dir() and (foreign := {path.name for path in folder.iterdir()} - pages.keys()):
        raise KbError(f"{folder} has other files, such as {min(foreign)}; name another folder")
    try:
        write_files({folder / name: text for name, text in pages.items()})
    except OSError as error:
        raise KbError(f"{error.filename or folder}: {error.strerror or error}") from error
    return len(guides)
