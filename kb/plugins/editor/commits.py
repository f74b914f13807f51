"""Committing saved records to git, where the records have a repository."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

from kb.core.problems import KbError, posix_path

# Longest time for git with the repository's hooks, in seconds.
_TIMEOUT = 60


def has_repository(root: Path) -> bool:
    """Return whether the records are in a git work tree."""
    try:
        return _git(root, "rev-parse", "--is-inside-work-tree").strip() == "true"
    except KbError:
        return False


def commit_files(root: Path, paths: Sequence[Path], message: str) -> dict[str, str]:
    """Commit only these files; without a message, do nothing.

    Returns members of the response: the short `revision`, or the reason as `not_committed`.
    """
    if not message:
        return {}
    names = [posix_path(path.resolve()) for path in paths]
    try:
        _git(root, "add", "--all", "--", *names)
        _git(root, "commit", "--quiet", "--only", "--message", message, "--", *names)
        return {"revision": _git(root, "rev-parse", "--short", "HEAD").strip()}
    except KbError as error:
        return {"not_committed": str(error)}


def _git(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}
    try:
        run = subprocess.run(
            ["git", "-c", "core.fsmonitor=false", *arguments],
            cwd=root,
            env=environment,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=_TIMEOUT,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise KbError(f"git: {error}") from error
    output = run.stdout.decode("utf-8", "replace")
    if run.returncode:
        lines = (run.stderr.decode("utf-8", "replace") or output).strip().splitlines()
        raise KbError(f"git: {lines[-1] if lines else 'it failed without a message'}")
    return output
