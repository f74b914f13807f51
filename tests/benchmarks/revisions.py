"""Which figures of the guides are older than the code that they speak of."""

from __future__ import annotations

import re
import subprocess
import textwrap
from collections.abc import Iterable

from tests.benchmarks.measure import PROJECT

GUIDE = PROJECT / "kb" / "help" / "speed.md"
# What the figures speak of.
_CODE = ("kb/*.py", "templates/*")
_ROW = re.compile(r"^\|.*\| *([0-9a-f]{7,40}) *\|$", re.MULTILINE)
_SENTENCE = re.compile(r"^Older than the code: [^.]*\.$", re.MULTILINE)
_WIDTH = 100


def revisions(guide: str) -> list[str]:
    """Return the revisions that the guide's figures were measured at."""
    return sorted(set(_ROW.findall(guide)))


def sentence(measured_at: Iterable[str]) -> str:
    """Return what a guide must say of the age of figures that were measured at some revisions.

    Raises LookupError where git does not know a revision, such as in a copy without a history.
    """
    old = [revision for revision in measured_at if _has_changed_since(revision)]
    return textwrap.fill(f"Older than the code: {', '.join(old) or 'none'}.", _WIDTH)


def renew(guide: str) -> str:
    """Return the guide with the sentence as it must be; ValueError where it has none."""
    if not _SENTENCE.search(guide):
        raise ValueError("the guide does not say which figures are older than the code")
    return _SENTENCE.sub(sentence(revisions(guide)), guide)


def _has_changed_since(revision: str) -> bool:
    command = ["git", "diff", "--quiet", revision, "--", *_CODE]
    try:
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, check=False)
    except OSError as error:
        raise LookupError(f"no git: {error}") from error
    if done.returncode not in (0, 1):
        raise LookupError(done.stderr.decode(errors="replace").strip())
    return done.returncode == 1
