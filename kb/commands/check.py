"""`kb check`: the problems of records, and lists for reviews."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from kb.commands import options
from kb.commands.backend import with_searcher
from kb.commands.options import PATH, count_noun, notify, paths_for
from kb.core.problems import NotBuilt, Problem, WrongUsage, listed, posix_path

if TYPE_CHECKING:
    from kb.pipeline.paths import Paths
    from kb.records.library import Library

# Rulings of a base that are all compared for the notes, because that takes about a second.
_MAX_COMPARED = 3_000
_NO_GAME = "belongs to no game: no folder above it has a game.yaml"


@click.command()
@click.argument(
    "paths",
    nargs=-1,
    type=PATH,
    metavar="[PATH]...",
    help="Files or folders (default: all records).",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Check the content of all games too, as `checks: strict` in game.yaml does.",
)
@click.option(
    "--suggest", is_flag=True, help="List unmarked card names in texts, with the mark to paste."
)
@click.option("--similar", is_flag=True, help="List rulings that repeat or contradict another.")
@click.option(
    "--stale",
    is_flag=True,
    help="List translations whose original has changed, and texts that catalogues lack.",
)
@click.option(
    "--review",
    is_flag=True,
    help="List rulings that were not reviewed against the newest rulebook.",
)
@options.rulings()
def check(
    paths: tuple[Path, ...],
    strict: bool,
    suggest: bool,
    similar: bool,
    stale: bool,
    review: bool,
    rulings: Path | None,
) -> None:
    """List every problem of the records as path:line: message.

    \b
    Examples:
    kb check rulings/swtcg
    kb check --strict
    """
    if similar or stale or review:
        _print(_review_lists(paths_for(rulings, own=True), similar, stale, review))
    elif suggest:
        _print(_suggestions(paths_for(rulings, own=True)))
    else:
        result = check_records(paths, rulings, strict=strict)
        _print(*result)
        if result.problems:
            files = len({problem.path for problem in result.problems})
            problems = count_noun(len(result.problems), "problem")
            notify(f"{problems} in {count_noun(files, 'file')}")
            sys.exit(1)


def _print(lines: Iterable[object], notes: Iterable[str] = ()) -> None:
    for line in lines:
        print(line)
    for note in notes:
        notify(note)


class CheckResult(NamedTuple):
    """Sorted problems, and notes about the base."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def check_records(
    paths: Sequence[Path], rulings: Path | None = None, *, strict: bool = False
) -> CheckResult:
    """Check the records in `paths`, each within its own base; by default all records.

    A path may also be site.yaml or pages/*.md next to the records. `strict`: check the content of
    all games too. Raises KbError for a missing path or a folder without records.
    """
    from kb.records.library import load
    from kb.records.site_config import read_site_files, site_file_problems

    if not paths:
        base = paths_for(rulings, own=True)
        library = load(base.rulings)
        notes = (
            *_coverage(library),
            *_unknown_languages(library),
            *_ambiguous(library, base),
            *_review_counts(library),
        )
        site_files = read_site_files(base.rulings, library.games)
        return CheckResult((*_problems(library, strict), *site_files.problems), notes)
    problems: set[Problem] = set()
    by_root: dict[Path, list[Path]] = {}
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise WrongUsage(f"{posix_path(path)}: no such file or folder")
        site_problems, root = site_file_problems(path), _records_root(path, rulings)
        if site_problems is not None:
            problems.update(site_problems)
        elif root is None:
            problems.add(Problem(posix_path(path), 1, _NO_GAME))
        else:
            by_root.setdefault(root, []).append(path)
    for root, paths_in_root in by_root.items():
        problems.update(_problems(load(root, only=paths_in_root), strict, paths_in_root))
    return CheckResult(tuple(sorted(problems)), ())


def _problems(library: Library, strict: bool, only: Sequence[Path] = ()) -> tuple[Problem, ...]:
    from kb.records.checks.texts import check_content

    if not strict:
        return tuple(library.problems)
    content = check_content(library.games, library.rulings)
    return tuple(listed([*library.problems, *content], only))


def _review_lists(paths: Paths, similar: bool, stale: bool, review: bool) -> list[str]:
    from kb.pipeline.paths import find_templates
    from kb.records import reviews
    from kb.records.library import load
    from kb.records.similarity import similar_pairs
    from kb.site.po_files import untranslated

    library = load(paths.rulings)
    rows = [*similar_pairs(library)] if similar else []
    if stale:
        catalogues = find_templates(paths.rulings).files("locale").values()
        rows += [*reviews.stale_translations(library), *untranslated(catalogues)]
    rows += reviews.unreviewed(library) if review else ()
    return [*map(str, rows)]


def _suggestions(paths: Paths) -> list[Problem]:
    """List unmarked card names in texts, each with its line and the mark to paste."""
    from kb.linking import autolink
    from kb.records.library import load

    library = load(paths.rulings)
    return with_searcher(
        paths, lambda searcher: list(autolink.suggestions(library, searcher.table))
    )


def _records_root(path: Path, rulings: Path | None) -> Path | None:
    """Return the folder of records of a path, as the user would name it; None without one."""
    from kb.records.roots import root_of

    if rulings is not None and path.absolute().is_relative_to(rulings.absolute()):
        return rulings
    root = root_of(path)
    if root and not path.is_absolute() and root.is_relative_to(Path.cwd()):
        return root.relative_to(Path.cwd())
    return root


def _ambiguous(library: Library, paths: Paths) -> list[str]:
    """List names in texts that may mean several cards; uses the form table of the last build."""
    from kb.language import FORMS_FILE, FormTable
    from kb.linking.autolink import suggestions

    try:
        with FormTable(paths.current / FORMS_FILE) as table:
            return [*map(str, listed(suggestions(library, table, only_ambiguous=True)))]
    except NotBuilt:
        return []


def _review_counts(library: Library) -> Iterator[str]:
    """Yield the length of each review list; large bases skip the slow comparison."""
    from kb.records import reviews
    from kb.records.similarity import similar_pairs

    pairs = similar_pairs(library) if len(library.rulings) <= _MAX_COMPARED else ()
    stale, unreviewed = reviews.stale_translations(library), reviews.unreviewed(library)
    for option, rows, one, many in (
        ("--similar", pairs, "pair of rulings looks alike", "pairs of rulings look alike"),
        ("--stale", stale, "translation is stale", "translations are stale"),
        ("--review", unreviewed, "ruling awaits review", "rulings await review"),
    ):
        count = sum(1 for _ in rows)
        if count:
            yield f"{count} {one if count == 1 else many}; list with kb check {option}"


def _unknown_languages(library: Library) -> Iterator[str]:
    """Yield the languages of games in which search knows no word forms."""
    from kb.language import LANGUAGES

    for game in library.games.values():
        for lang in game.languages:
            if lang not in LANGUAGES:
                known = ", ".join(LANGUAGES)
                yield f"{game.id}: search knows no word forms in {lang}; it knows {known}"


def _coverage(library: Library) -> Iterator[str]:
    for game in library.games.values():
        cited, provisions = library.coverage(game)
        if provisions:
            rulings = count_noun(len(library.of_game(game.id)), "ruling")
            yield f"{game.id}: {rulings}, {cited} of {provisions} provisions covered"
