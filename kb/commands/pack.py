"""`kb pack`: the rulings of some games in one HTML file for an event, and in print."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.build.inputs import build_date, build_id
from kb.build.paths import Paths, find_templates
from kb.build.pipeline import derive
from kb.build.staging import write_atomically
from kb.core.problems import KbError, NotBuilt
from kb.records.library import load

_PRINT_SECONDS = 180


@dataclass(frozen=True)
class PackResult:
    """What was written: the file, how many rulings it holds, its bytes."""

    path: Path
    rulings: int
    size: int


def pack(
    places: Paths,
    output: Path,
    games: Sequence[str],
    languages: Sequence[str],
    interface: str = "en",
) -> PackResult:
    """Writes the pack; a PDF where the name ends so. No game stands for all, no language for all.

    Raises KbError for problems in the records, an unknown game or language, or a PDF without a browser to print it.
    """
    from kb.language import FormTable
    from kb.linking.autolink import autolink
    from kb.site.i18n import read_words
    from kb.site.pack import PackSettings, subset
    from kb.site.pack import pack as packed

    library = load(places.rulings)
    if library.problems:
        raise KbError("a pack is made from records without problems only", tuple(library.problems))
    _known("game", games, list(library.games))
    _known(
        "language",
        languages,
        sorted({text.lang for ruling in library.rulings.values() for text in ruling.texts}),
    )
    browser = _browser() if output.suffix.lower() == ".pdf" else ""
    templates = find_templates(places.rulings)
    words = read_words(templates, interface)
    with FormTable.open(_forms(places)) as table:
        chosen = subset(autolink(library, table), games, languages)
        text = packed(
            chosen,
            table,
            PackSettings(templates, build_id(library), build_date(), tuple(languages)),
            words,
        )
    try:
        if browser:
            _print(text, output, browser)
        else:
            write_atomically(output, text)
        return PackResult(output, len(chosen.rulings), output.stat().st_size)
    except OSError as error:
        raise KbError(f"{error.filename or output}: {error.strerror or error}") from error


def _known(kind: str, wanted: Sequence[str], there: Sequence[str]) -> None:
    missing = [one for one in wanted if one not in there]
    if missing:
        raise KbError(f"no {kind} {missing[0]!r}; there are {', '.join(there)}")


def _forms(places: Paths) -> Path:
    """The table of forms of the current records; made anew when it is missing or older than they are."""
    try:
        if not places.changed_since_build() and (places.current / "forms.sqlite").is_file():
            return places.current / "forms.sqlite"
    except NotBuilt:
        pass
    derive(places)
    return places.current / "forms.sqlite"


def _browser() -> str:
    program = os.environ.get("KB_BROWSER") or next(
        (
            found
            for name in ("chromium", "google-chrome", "chrome", "msedge")
            if (found := shutil.which(name))
        ),
        None,
    )
    if not program:
        raise KbError(
            "a PDF is printed by a browser, and there is no chromium or google-chrome; name one in KB_BROWSER,"
            " or write an .html and print that"
        )
    return program


def _print(text: str, output: Path, browser: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        page, made = Path(folder) / "pack.html", Path(folder) / "pack.pdf"
        page.write_text(text, encoding="utf-8")
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
        ]
        command = [browser, *flags, f"--print-to-pdf={made}", page.as_uri()]
        try:
            run = subprocess.run(command, capture_output=True, timeout=_PRINT_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise KbError(
                f"{browser} printed nothing within {_PRINT_SECONDS} s; write an .html and print that"
            ) from None
        if not made.is_file():
            last = run.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["no message"]
            raise KbError(f"{browser} printed nothing: {last[0]}")
        shutil.copyfile(made, output)
