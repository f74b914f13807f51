"""`kb check --unanswered` and `kb new --asked`: make records of queries without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from kb.commands.backend import with_searcher
from kb.core.files import folder_lock, write_file
from kb.core.problems import KbError, WrongUsage, posix_path
from kb.language import language_hint
from kb.pipeline.paths import Paths
from kb.records import question_file
from kb.records.changed import find_ruling_of
from kb.records.library import load
from kb.records.model import Game
from kb.records.question_file import line_faults, question_key
from kb.records.scaffold import new_ruling

if TYPE_CHECKING:
    from kb.search.searcher import Answer, Searcher
    from kb.search.unanswered import QueryGroup

# Groups of queries that are shown, the most frequent ones, because each is searched for again.
_MAX_GROUPS = 500
_MAX_SPELLINGS = 5


def review(paths: Paths, file: Path) -> tuple[list[str], list[str]]:
    """Group the queries of a file, each with the nearest ruling of the current build.

    Returns the lines to print, and notes.
    """
    from kb.search.unanswered import grouped, read_log

    queries, damaged = read_log(file)

    def run(searcher: Searcher) -> tuple[list[str], list[str]]:
        groups = grouped(queries, searcher)
        open_groups = []
        for group in groups[:_MAX_GROUPS]:
            answer = searcher.search(group.spellings[0], limit=1)
            if answer.match in ("near", "none"):
                open_groups.append((group, answer))
        shown = min(len(groups), _MAX_GROUPS)
        answered = shown - len(open_groups)
        lines = [line for group, answer in open_groups for line in _lines(group, answer)]
        rest = len(groups) - _MAX_GROUPS
        notes = [
            *([f"answered by now: {answered} of {shown} questions"] if answered else ()),
            *([f"{rest} rarer questions are not shown"] if rest > 0 else ()),
            *([f"{file}: {damaged} lines are no queries"] if damaged else ()),
        ]
        return lines, notes

    return with_searcher(paths, run)


def _lines(group: QueryGroup, answer: Answer) -> Iterator[str]:
    """Yield count, match and days of a question, its other spellings, and the nearest ruling."""
    days = dict.fromkeys((group.first_day, group.last_day))
    yield f"{group.count:>5}  {answer.match:<4}  {group.spellings[0]}  ({' to '.join(days)})"
    if len(group.spellings) > 1:
        yield f"{'':13}also: {' | '.join(group.spellings[1 : _MAX_SPELLINGS + 1])}"
    for hit in answer.results[:1]:
        yield f"{'':13}nearest: {hit.ruling.key}  {hit.ruling.texts[0].title}"


def add_question(paths: Paths, key: str, question: str, lang: str) -> tuple[Path, str]:
    """Add a question to a ruling, named by id or `game/id`, in the game's questions.tsv.

    Nothing else in the file changes. An empty language stands for the most likely one. Returns the
    file's path and the language of the question. Raises KbError for an unknown ruling, or one that
    has the question already.
    """
    with folder_lock(paths.rulings):
        library = load(paths.rulings)
        ruling = find_ruling_of(library, key)
        lang = _language(library.games[ruling.game], question, lang)
        path = paths.rulings / ruling.game / question_file.NAME
        texts = ruling.asked_as.get(lang, ())
        faults = line_faults(question, 0, {question_key(text): 1 for text in texts})
        if faults:
            raise KbError(f"{ruling.key}: {faults[-1]}")
        try:
            text = question_file.file_text(path)
            write_file(path, question_file.with_added(text, {ruling.id: {lang: [question]}}))
        except (OSError, ValueError) as error:
            raise KbError(f"{posix_path(path)}: {error}") from error
        return path, lang


def new_question(
    paths: Paths, ids: tuple[str, str, str], question: str, lang: str, sources: Sequence[str]
) -> Path:
    """Write a record of a question that was asked today; see `new_ruling`.

    `ids`: of the game, the topic and the ruling.
    """
    owner = load(paths.rulings).games.get(ids[0])
    lang = _language(owner, question, lang) if owner else ""
    return new_ruling(
        paths.rulings,
        *ids,
        kind="question",
        authority="community",
        sources=sources,
        titles={lang: question},
        asked=datetime.now(UTC).date().isoformat(),
    )


def _language(game: Game, question: str, lang: str) -> str:
    """Return the language of a question: as given, the most likely one, else the game's own.

    Raises WrongUsage for one that the game has no texts in.
    """
    from kb.importers.text_rows import language

    lang = lang or language(question, game.language, game.languages)
    if lang not in game.languages:
        hint = language_hint(lang, game.languages)
        raise WrongUsage(f"{game.id} has no texts in {lang!r}{hint}")
    return lang
