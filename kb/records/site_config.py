"""`site.yaml` and `pages/`: the webmaster's settings and pages, beside the folder of records."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator, Field, StringConstraints

from kb.core.files import read_bounded
from kb.core.problems import Problem, listed, posix_path
from kb.records.colours import Colour, dark_shade
from kb.records.model import Record
from kb.records.parse import read_single
from kb.records.pictures import svg_error
from kb.records.roots import PAGES_FOLDER, SITE_FILE, is_root, root_of, site_folder
from kb.records.syntax import decode, split_page
from kb.records.text import Text
from kb.records.types import Lang, Line, Slug
from kb.records.values import id_error

LOGO_TYPES = (".svg", ".png", ".webp", ".jpg")
_MAX_LOGO = 200_000
_MAX_FILE = 1_000_000
# Markdown, in characters.
Prose = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4_000)]
# The placeholders of `report`.
REPORT_PARTS = ("title", "id", "url", "text")


def report_address(value: str) -> str:
    """Check where readers report: the address of a forge's new-issue page, or a mail address.

    Returns it; one of a mail without placeholders gets `subject={title}&body={text}`. Raises
    ValueError for another scheme or an unknown placeholder.
    """
    for part in re.findall(r"\{([^{}]*)\}", _contact(value)):
        if part not in REPORT_PARTS:
            known = ", ".join(f"{{{each}}}" for each in REPORT_PARTS)
            raise ValueError(f"{{{part}}} is unknown; write an address with {known}")
    if value.startswith("mailto:") and "{" not in value:
        return f"{value}{'&' if '?' in value else '?'}subject={{title}}&body={{text}}"
    return value


def filled_report(address: str, values: Mapping[str, str]) -> str:
    """Return an address of `report` with its placeholders filled in.

    Line ends become CR LF as in mails (RFC 6068), which forms on the web take too.
    """
    return re.sub(r"\{(\w+)\}", lambda part: quote(values[part[1]].replace("\n", "\r\n")), address)


def _contact(value: str) -> str:
    if not re.fullmatch(r"(?:https?://|mailto:)[^\s<>\"']{3,2000}", value):
        raise ValueError(f"{value!r} is not a URL; it must start with https:// or mailto:")
    return value


def _logo(value: str) -> str:
    if not re.fullmatch(r"[\w-]+(?:[./][\w-]+)*", value) or not value.endswith(LOGO_TYPES):
        types = ", ".join(LOGO_TYPES)
        raise ValueError(f"{value!r} is not a file beside site.yaml that ends in {types}")
    return value


class SiteConfig(Record):
    """`site.yaml`. Texts are by language, introductions by game and language."""

    name: dict[Lang, Line] = Field(default_factory=dict)
    short_name: dict[Lang, Line] = Field(default_factory=dict, alias="short-name")
    description: dict[Lang, Line] = Field(default_factory=dict)
    logo: Annotated[str, AfterValidator(_logo)] = ""
    accent: Colour = ""
    contact: Annotated[str, AfterValidator(_contact)] = ""
    report: Annotated[str, AfterValidator(report_address)] = ""
    footer: dict[Lang, Prose] = Field(default_factory=dict)
    legal: dict[Lang, Prose] = Field(default_factory=dict)
    introductions: dict[Slug, dict[Lang, Prose]] = Field(default_factory=dict)

    @property
    def dark_accent(self) -> str:
        """The accent colour on dark pages."""
        return dark_shade(self.accent)


@dataclass(frozen=True)
class SiteFiles:
    """The site's own files beside the records; `checksums` by path."""

    config: SiteConfig = field(default_factory=SiteConfig)
    pages: dict[str, tuple[Text, ...]] = field(default_factory=dict)
    logo: bytes = b""
    checksums: dict[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()


def read_site_files(rulings: Path, games: Collection[str] = ()) -> SiteFiles:
    """Read site.yaml and pages/; values and pages with problems are left out.

    With `games`, introductions of other games are problems.
    """
    reader = _Reader(site_folder(rulings), rulings)
    config, logo = reader.config(games)
    pages = reader.pages()
    return SiteFiles(config, pages, logo, reader.checksums, tuple(sorted(reader.problems)))


def site_file_problems(path: Path) -> list[Problem] | None:
    """Return the problems of site.yaml, of pages/ or of a file in it; None for any other path."""
    is_page = path.parent.name == PAGES_FOLDER and path.suffix == ".md"
    folder = path.parent.parent if is_page else path.parent
    if path.name != SITE_FILE and not is_page and path.name != PAGES_FOLDER:
        return None
    rulings = next((entry for entry in sorted(folder.iterdir()) if is_root(entry)), None)
    is_own = rulings is not None or (folder / SITE_FILE).is_file()
    if not is_own or root_of(path) is not None:
        return None
    games = [file.parent.name for file in rulings.glob("*/game.yaml")] if rulings else []
    files = read_site_files(rulings or folder / "rulings", games)
    return listed(files.problems, [path])


class _Reader:
    def __init__(self, folder: Path, rulings: Path) -> None:
        self.folder, self.rulings = folder, rulings
        self.checksums: dict[str, str] = {}
        self.problems: list[Problem] = []

    def _read(self, name: str, limit: int = _MAX_FILE) -> bytes | None:
        path = self.folder / name
        try:
            if path.is_symlink() or not path.is_file():
                return None
            if path.resolve() != self.folder.resolve() / name:
                self._report(name, "behind a symbolic link; put the file itself here")
                return None
            data = read_bounded(path, limit)
        except OSError as error:
            self._report(name, f"cannot be read: {error.strerror}")
            return None
        self.checksums[name] = hashlib.sha256(data).hexdigest()
        if len(data) > limit:
            self._report(name, f"larger than {limit // 1000} KB, the limit for this file")
            return None
        return data

    def _report(self, name: str, message: str) -> None:
        self.problems.append(Problem(posix_path(self.folder / name), 1, message))

    def config(self, games: Collection[str]) -> tuple[SiteConfig, bytes]:
        """Read site.yaml and the logo that it names."""
        data = self._read(SITE_FILE)
        if data is None:
            return SiteConfig(), b""
        path = posix_path(self.folder / SITE_FILE)
        config, document, problems = read_single(SiteConfig, data, path)
        self.problems += problems
        # The unchecked values, so that a problem of one key hides no problem of another.
        values = document.value if isinstance(document.value, dict) else {}
        name = values.get("logo", "")
        is_bad = any(problem.message.startswith("logo:") for problem in problems)
        logo = self._read(name, _MAX_LOGO) if name and not is_bad else b""
        if name and not is_bad and not logo:
            self.problems.append(document.problem(f"logo: no file {name}", "logo"))
        if logo and name.endswith(".svg") and (error := svg_error(logo)):
            self.problems.append(document.problem(f"logo: {name} {error}", "logo"))
            logo = None
        introductions = values.get("introductions")
        for game in introductions if games and isinstance(introductions, dict) else ():
            # A game that cannot be read has problems of its own.
            if game not in games and not (self.rulings / game / "game.yaml").is_file():
                known = ", ".join(games)
                message = f"introductions: no game {game}; delete it, or choose one of {known}"
                self.problems.append(document.problem(message, "introductions", game))
        return config or SiteConfig(), logo or b""

    def pages(self) -> dict[str, tuple[Text, ...]]:
        """Read the pages, by id, each with a section for every language."""
        pages: dict[str, tuple[Text, ...]] = {}
        for path in sorted((self.folder / PAGES_FOLDER).glob("*.md")):
            name = f"{PAGES_FOLDER}/{path.name}"
            if id_error(path.stem):
                self._report(name, id_error(path.stem))
                continue
            data = self._read(name)
            if data is None:
                continue
            whole = posix_path(path)
            text, problems = decode(data, whole)
            if not problems:
                texts, problems = split_page(text, whole)
                if not problems:
                    pages[path.stem] = tuple(texts)
            self.problems += problems
        return pages
