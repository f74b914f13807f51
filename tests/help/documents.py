"""The README, the guides and the files for contributors, and what they quote."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROJECT = Path(__file__).resolve().parents[2]
README = PROJECT / "README.md"
GUIDES = sorted((PROJECT / "kb" / "help").glob("*.md"))
PLUGIN_GUIDES = sorted((PROJECT / "kb" / "plugins").glob("*/guide.md"))
DOCUMENTS = [README, *GUIDES, *PLUGIN_GUIDES, *sorted((PROJECT / ".github").glob("*.md"))]

_INDENTED = re.compile(r"^(?: {4}|\t)(.*)$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_END_OF_COMMAND = re.compile(r"\s(?:<|>|\||&&|;)\s|$")


class Quoted(NamedTuple):
    """A command line of a document: `words` follow the name of the program."""

    path: Path
    line: str
    words: list[str]
    whole: bool


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def command_lines(path: Path) -> Iterator[Quoted]:
    """Yield every `kb ...` of a document; those in code blocks are whole command lines."""
    text = text_of(path)
    for whole, lines in ((True, _INDENTED.findall(text)), (False, _SPAN.findall(text))):
        for line in lines:
            for part in line.split("&&"):
                quoted = re.match(r"\s*(?:\.venv/bin/)?kb(?=\s)(.*)", part)
                if quoted and not quoted[1].strip().startswith("..."):
                    command = quoted[1][: _END_OF_COMMAND.search(quoted[1]).start()]
                    words = shlex.split(command, comments=True)
                    yield Quoted(path, line.strip(), words, whole and "..." not in words)


def links_of(path: Path) -> Iterator[str]:
    """Yield the targets of a document's links, without those to other sites."""
    for target in _LINK.findall(text_of(path)):
        if not re.match(r"[a-z]+:", target):
            yield target
