"""New records and games, to be filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from kb.core.files import folder_lock, write_file, write_new_folder
from kb.core.problems import KbError, WrongUsage
from kb.core.similar import name_hint
from kb.language import LANGUAGES, language_of, valid_language
from kb.records.checks.texts import TODO
from kb.records.fields import Authority, Kind
from kb.records.library import load
from kb.records.model import Game
from kb.records.syntax import quoted, record_text
from kb.records.tables import CARD_COLUMNS
from kb.records.values import game_id_error, id_error, read_citation

_ANSWER_TO_WRITE = f"{TODO}: the answer, in a sentence or two that can be read out at a table."
_GAME = """\
# The game: its names, languages, topics in the order a judge needs them.
id: {game}
name:
{names}# The language that this game's rulings are written in; others are translations.
language: {own}
languages:
{languages}topics:
  - id: general
{titles}"""
_SOURCES = """\
# The documents that rulings cite as id#provision.
- id: rulebook
  title:
{title}  language: {own}
  authority: official
  provisions:
    - first-provision
"""


def new_ruling(
    root: Path,
    game: str,
    topic: str,
    ruling_id: str,
    *,
    kind: Kind,
    authority: Authority,
    sources: Sequence[str],
    titles: Mapping[str, str] | None = None,
    asked: str = "",
) -> Path:
    """Write a record with a section for each language, to be filled in; return its path.

    `titles` by language. `asked`: the day of a question without an answer. Raises KbError for an
    unknown word or an id that is taken.
    """
    try:
        citations = tuple(read_citation(source) for source in sources)
    except ValueError as error:
        raise WrongUsage(f"--source: {error}") from None
    header = {
        "kind": kind,
        "authority": authority,
        "status": "unanswered" if asked else "current",
        "topics": (topic,),
        "sources": tuple(map(str, citations)),
        "asked": asked,
    }
    with folder_lock(root):
        owner = _require_free_id(root, game, topic, ruling_id)
        for citation in citations:
            _require_document(owner, citation.source)
        texts = tuple(
            (lang, (titles or {}).get(lang, TODO), _ANSWER_TO_WRITE) for lang in owner.languages
        )
        path = root / game / topic / f"{ruling_id}.md"
        _write_new(path, record_text(header, texts))
        return path


def _require_free_id(root: Path, game: str, topic: str, ruling_id: str) -> Game:
    """Return the game of a new ruling. Raises KbError for an unknown word or a taken id."""
    library = load(root)
    owner = library.games.get(game)
    if owner is None:
        raise WrongUsage(f"{root} has no game {game!r}; choose one of {', '.join(library.games)}")
    if topic not in owner.topics:
        raise WrongUsage(f"{game} has no topic {topic!r}; choose one of {', '.join(owner.topics)}")
    if id_error(ruling_id):
        raise WrongUsage(id_error(ruling_id))
    if fault := library.id_fault(f"{game}/{ruling_id}"):
        raise KbError(fault)
    return owner


def _require_document(owner: Game, source: str) -> None:
    if source not in owner.sources_by_id:
        hint = name_hint(source, owner.sources_by_id)
        raise WrongUsage(f"--source: {source} is not in {owner.file('sources.yaml')}{hint}")


def new_game(root: Path, game: str, name: str, languages: Sequence[str]) -> list[Path]:
    """Write the files of a new game below `root`, which may be new; return their paths.

    Raises KbError as `game_files` does, and for an id that is taken.
    """
    texts = game_files(game, name, languages)
    try:
        write_new_folder(root / game, {file: text.encode() for file, text in texts.items()})
    except FileExistsError:
        raise KbError(f"{root / game} already exists") from None
    except OSError as error:
        raise KbError(f"{error.filename or root / game}: {error.strerror}") from error
    return [root / game / file for file in texts]


def game_files(game: str, name: str, languages: Sequence[str]) -> dict[str, str]:
    """Return the files of a new game by name.

    `languages`: the game's own first. Raises WrongUsage for an invalid id and an unknown language.
    """
    if game_id_error(game):
        raise WrongUsage(game_id_error(game))
    languages = known_languages(languages)
    spoken = "".join(f"  - {lang}\n" for lang in languages)
    titles = "".join(_title(lang, 0) for lang in languages)
    return {
        "game.yaml": _GAME.format(
            game=game,
            names=names_in(languages, name or game),
            own=languages[0],
            languages=spoken,
            titles=titles,
        ),
        "sources.yaml": _SOURCES.format(own=languages[0], title=_title(languages[0], 1)),
        "cards.tsv": "\t".join(CARD_COLUMNS) + "\n",
    }


def known_languages(languages: Sequence[str]) -> list[str]:
    """Return the codes of languages. Raises WrongUsage for an unknown one."""
    try:
        return [*map(valid_language, languages)]
    except ValueError as error:
        raise WrongUsage(f"--lang: {error}") from None


def names_in(languages: Sequence[str], name: str) -> str:
    """Return the lines of a name that is the same in several languages."""
    return "".join(f"  {lang}: {quoted(name)}\n" for lang in languages)


def _title(lang: str, number: int) -> str:
    """The line of a title; in English, below a comment, for a language without one here."""
    own, english = language_of(lang), LANGUAGES["en"]
    titles = own.first_titles if own.code == lang else None
    comment = "" if titles else "    # To be translated:\n"
    return f"{comment}    {lang}: {(titles or english.first_titles or ('', ''))[number]}\n"


def _write_new(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(exist_ok=True)
        write_file(path, text, exclusive=True)
    except OSError as error:
        raise KbError(f"{path}: {error.strerror}") from error
