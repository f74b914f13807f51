"""The browser's search modules, joined into one script.

They are classic scripts that register on one object, in any order: a page opened from a file
cannot load ES modules.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from kb.core.json import compact, data_hash
from kb.search.browser.settings import settings

# The folder of the modules below templates/static, and the script that they make.
FOLDER = "search-core"
SCRIPT = f"{FOLDER}.js"


@lru_cache(maxsize=1)
def version() -> str:
    """What the scripts and an index must have in common: a hash of all that makes the index.

    While a site is copied, a browser may get the scripts of one build and the index of another.
    """
    sources = sorted(Path(__file__).parent.glob("*.py"))
    return data_hash([settings(()), *(path.read_text(encoding="utf-8") for path in sources)])


def joined(static: Path) -> str:
    """The modules below `static` as one script, without comments and indentation."""
    paths = sorted((static / FOLDER).glob("*.js"))
    text = "".join(bare(path.read_text(encoding="utf-8")) for path in paths)
    return f"{text}globalThis.KBSearchModules.version = {compact(version())};\n"


def bare(script: str) -> str:
    """A script without comments on lines of their own and indentation: a sixth of its gzip."""
    return _without(script, lambda line: line.startswith("//"))


def bare_sheet(sheet: str) -> str:
    """The same of a style sheet: a fourteenth."""
    return _without(sheet, lambda line: line[:2] == "/*" and line.find("*/", 2) == len(line) - 2)


def _without(text: str, is_comment: Callable[[str], bool]) -> str:
    lines = map(str.strip, text.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not is_comment(line))
