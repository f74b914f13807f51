"""`kb check`: which records a path means, and their problems. Imports neither SQLModel nor Whoosh."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.build.paths import Paths, find_paths
from kb.core.problems import KbError, NotBuilt, Problem, posix_path
from kb.records.library import Library, load
from kb.records.parse import read_ruling
from kb.records.roots import is_root, root_of

# Comparing every ruling with every other takes about a second at this many.
_FEW = 3_000


@dataclass(frozen=True)
class CheckResult:
    """The problems, sorted, and what else a curator may want to know (no problem in itself)."""

    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def check(paths: Sequence[Path], rulings: Path | None = None) -> CheckResult:
    """The problems of everything in `paths`, each judged within the records it belongs to; of all records by default.

    Raises KbError for a path that does not exist or a folder without records.
    """
    if not paths:
        places = find_paths(rulings)
        library = load(places.rulings)
        return CheckResult(
            tuple(library.problems),
            (*_coverage(library), *_left_open(library, places), *_worth_a_look(library)),
        )
    problems: set[Problem] = set()
    libraries: dict[Path, Library] = {}
    for path in paths:
        if not path.exists() and not path.is_symlink():
            raise KbError(f"{posix_path(path)}: no such file or folder")
        root = _root(path, rulings)
        if root is None:
            problems.update(_alone(path))
            continue
        if root not in libraries:
            libraries[root] = load(root)
        inside = path.absolute()
        problems.update(
            one
            for one in libraries[root].problems
            if Path(one.path).absolute().is_relative_to(inside)
        )
    return CheckResult(tuple(sorted(problems)), ())


def lists(places: Paths, *, similar: bool, stale: bool, review: bool) -> list[str]:
    """What a curator may want to look at, no problem in itself: rulings that look alike, stale translations, unreviewed ones."""
    from kb.commands import changes
    from kb.records.similarity import similar_pairs

    library = load(places.rulings)
    found = [str(pair) for pair in similar_pairs(library)] if similar else []
    found += changes.stale(library) if stale else ()
    return [*found, *(changes.to_review(library) if review else ())]


def _root(path: Path, rulings: Path | None) -> Path | None:
    if rulings is not None and path.absolute().is_relative_to(rulings.absolute()):
        return rulings
    if is_root(path):
        return path
    found = root_of(path)
    if (
        found
        and not path.is_absolute()
        and found.is_absolute()
        and found.is_relative_to(Path.cwd())
    ):
        return found.relative_to(Path.cwd())
    return found


def _alone(path: Path) -> list[Problem]:
    """The problems of records that belong to no game: their form can be judged, what they name cannot."""
    files = sorted(path.rglob("*.md")) if path.is_dir() else [path]
    if not files:
        raise KbError(
            f"{posix_path(path)}: no records in this folder; a game is a folder with a game.yaml"
        )
    found: list[Problem] = []
    for file in files:
        name = posix_path(file)
        if file.is_symlink() or not file.is_file():
            found.append(Problem(name, 1, "not a plain file; a record is one"))
            continue
        try:
            data = file.read_bytes()
        except OSError as error:
            found.append(Problem(name, 1, f"cannot be read: {error.strerror}"))
            continue
        _, problems = read_ruling(data, name, "unknown", file.parent.name)
        found += problems
        found.append(
            Problem(
                name,
                1,
                "belongs to no game: no folder above it has a game.yaml, so that its cards, topics and sources cannot be checked",
            )
        )
    return found


def _left_open(library: Library, places: Paths) -> tuple[str, ...]:
    """Names in texts that may be one of several cards, for a curator to mark. Found with the table of forms of the last build."""
    from kb.language import FormTable
    from kb.linking.autolink import ambiguous_mentions

    try:
        with FormTable.open(places.current / "forms.sqlite") as table:
            return tuple(str(one) for one in ambiguous_mentions(library, table))
    except NotBuilt:
        return ()


def _worth_a_look(library: Library) -> Iterator[str]:
    """Counts of what the lists of `kb check` hold; looking for alike rulings is left to its own option in large bases."""
    from kb.commands import changes
    from kb.records.similarity import similar_pairs

    found = {
        "--similar": sum(1 for _ in similar_pairs(library)) if len(library.rulings) <= _FEW else 0,
        "--stale": sum(1 for _ in changes.stale(library)),
        "--review": sum(1 for _ in changes.to_review(library)),
    }
    words = {
        "--similar": "pairs of rulings look alike",
        "--stale": "translations are stale",
        "--review": "rulings await review",
    }
    for option, many in found.items():
        if many:
            yield f"{many} {words[option]}; kb check {option} lists them"


def _coverage(library: Library) -> tuple[str, ...]:
    from kb.serialize.answers import covered

    notes = []
    for game in library.games.values():
        done, all_of_them = covered(game, library)
        if all_of_them:
            notes.append(
                f"{game.id}: {len(library.of_game(game.id))} rulings, {done} of {all_of_them} provisions covered"
            )
    return tuple(notes)
