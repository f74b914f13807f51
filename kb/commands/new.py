"""`kb new`: create a record, a game or a base, or note a question that was asked."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.options import notify, paths_for, split_list
from kb.core.problems import KbError, WrongUsage, posix_path
from kb.records.fields import AUTHORITIES, KINDS, Authority, Kind

if TYPE_CHECKING:
    from kb.pipeline.paths import Paths
    from kb.records.model import Game

# The files of a new base: one small game, a site.yaml and a workflow.
_STARTER = Path(__file__).resolve().parent / "starter"
# Stands for a dot at the start of a name, because some tools leave hidden files out of packages.
_DOT = "dot-"
_EXAMPLE = "rulings/example/"


@click.command()
@click.argument(
    "game",
    help="The game's id, such as swtcg; `game` or `base` to create one; with --asked"
    " alone, a ruling's id.",
)
@click.argument(
    "topic",
    default="",
    help="The topic's id, such as pilots; the new game's id; or the new base's folder.",
)
@click.argument(
    "ruling_id",
    default="",
    metavar="[ID]",
    help="The new ruling's id: its file name and URL, which never change.",
)
@options.choice("--kind", words=KINDS, default="ruling", metavar="KIND")
@options.choice("--authority", words=AUTHORITIES, default="official", metavar="AUTHORITY")
@click.option("--source", multiple=True, metavar="DOC#PROVISION", help="A citation; repeatable.")
@click.option(
    "--name", default="", metavar="NAME", help="The name of the new game, or of the new base."
)
@options.game("base_game", help="The id of the new base's game, in place of an example.")
@options.lang(
    default="",
    metavar="LANGS",
    help="The new game's languages, its own first (default: en); the language of --asked.",
)
@click.option(
    "--asked",
    default="",
    metavar="QUESTION",
    help="Make a record of this open question, or add it to the ruling with an id.",
)
@options.rulings()
def new(
    game: str,
    topic: str,
    ruling_id: str,
    kind: Kind,
    authority: Authority,
    source: tuple[str, ...],
    name: str,
    base_game: str,
    lang: str,
    asked: str,
    rulings: Path | None,
) -> None:
    """Create a record, the files of a game, or a repository; or note a question that was asked.

    \b
    Examples:
    kb new swtcg pilots pilot-and-mission --source swtcg-clarifications#pilots-one-per-unit
    kb new game mygame --name "My Game" --lang sk,en
    kb new base my-rulings --game mygame --name "My Game" --lang sk,en
    kb new hidden-cost --asked "do I pay for a hidden card?"
    """
    from kb.records.scaffold import new_game, new_ruling

    if asked.strip():
        _note_question(paths_for(rulings, own=True), (game, topic, ruling_id), asked, lang, source)
        return
    if game == "base" and topic and not ruling_id:
        if lang and not base_game:
            raise WrongUsage("--lang is for the game of a new base: name it with --game")
        _new_base(Path(topic), base_game, name, _languages(lang))
        return
    if game == "base" and not topic:
        raise click.BadParameter("the new base's folder is missing", param_hint="FOLDER")
    if game == "game" and topic:
        for path in new_game(rulings or Path("rulings"), topic, name, _languages(lang)):
            print(path)
        notify(
            "Next: add topics to game.yaml and cards to cards.tsv,"
            f" then run: kb new {topic} general my-first-ruling --source rulebook#first-provision"
        )
        return
    if not topic:
        raise click.BadParameter("the topic's id is missing", param_hint="TOPIC")
    if not ruling_id:
        raise click.BadParameter("the new ruling's id is missing", param_hint="ID")
    record = new_ruling(
        paths_for(rulings, own=True).rulings,
        game,
        topic,
        ruling_id,
        kind=kind,
        authority=authority,
        sources=source,
    )
    print(record)
    notify("Write the answer where it says TODO, then run: kb check")


def _languages(lang: str) -> list[str]:
    return list(dict.fromkeys(split_list(lang))) or ["en"]


def _new_base(folder: Path, game: str, name: str, languages: Sequence[str]) -> None:
    """Write the files of a new base into a new or empty folder.

    Without `game` the base has an example. Raises KbError for a folder with other files.
    """
    from kb.core.files import write_new_folder
    from kb.records.scaffold import game_files, known_languages, names_in

    contents = {
        "/".join(map(_visible, source.relative_to(_STARTER).parts)): source.read_bytes()
        for source in sorted(path for path in _STARTER.rglob("*") if path.is_file())
    }
    names = names_in(known_languages(languages), name or folder.resolve().name)
    contents["site.yaml"] = contents["site.yaml"].replace(b"{names}\n", names.encode())
    if game:
        contents = {path: data for path, data in contents.items() if _EXAMPLE not in path}
        files = game_files(game, name, languages)
        contents |= {f"rulings/{game}/{file}": text.encode() for file, text in files.items()}
    try:
        write_new_folder(folder, contents)
    except FileExistsError:
        raise KbError(f"{posix_path(folder)}: not empty; choose an empty or new folder") from None
    for path in sorted(contents):
        print(folder / path)
    notify(f"Next: cd {folder} && git init -b main, then: kb check && kb build --output public")


def _visible(part: str) -> str:
    return f".{part.removeprefix(_DOT)}" if part.startswith(_DOT) else part


def _note_question(
    paths: Paths, ids: tuple[str, str, str], question: str, lang: str, sources: Sequence[str]
) -> None:
    name, topic, ruling_id = ids
    asked = " ".join(question.split())
    if not topic:
        path, language = _add_question(paths, name, asked, lang)
        print(path)
        notify(f"Added to the questions in {language}; --lang names another language")
        return
    if not ruling_id:
        raise click.BadParameter("the new question's id is missing", param_hint="ID")
    print(_new_question(paths, ids, asked, lang, sources))
    notify("Replace each TODO with what is known, then run: kb check")


def _add_question(paths: Paths, key: str, question: str, lang: str) -> tuple[Path, str]:
    """Add a question to a ruling, named by id or `game/id`, in the game's questions.tsv.

    Nothing else in the file changes. An empty language stands for the most likely one. Returns the
    file's path and the language of the question. Raises KbError for an unknown ruling, or one that
    has the question already.
    """
    from kb.core.decoding import read_own
    from kb.core.files import folder_lock, write_file
    from kb.records import tables
    from kb.records.library import load

    with folder_lock(paths.rulings):
        library = load(paths.rulings)
        ruling = library.find(key)
        game = library.games[ruling.game]
        lang = _language(game, question, lang)
        path = paths.rulings / game.id / tables.QUESTIONS_FILE
        known = {
            tables.question_key(asked.text): asked.line
            for asked in game.questions
            if (asked.ruling, asked.lang) == (ruling.id, lang)
        }
        faults = tables.line_faults(question, 0, known)
        if faults:
            raise KbError(f"{ruling.key}: {faults[-1]}")
        try:
            before = path.read_bytes() if path.is_file() else None
            file = read_own(path)
            text = tables.with_added(file.text, {ruling.id: {lang: [question]}})
            write_file(path, file.data(text), exclusive=before is None, expected=before)
        except (OSError, ValueError) as error:
            raise KbError(f"{posix_path(path)}: {error}") from error
        return path, lang


def _new_question(
    paths: Paths, ids: tuple[str, str, str], question: str, lang: str, sources: Sequence[str]
) -> Path:
    """Write a record of a question that was asked today; see `new_ruling`.

    `ids`: of the game, the topic and the ruling.
    """
    from kb.records.library import load
    from kb.records.scaffold import new_ruling

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
    from kb.language import language_hint
    from kb.language.registry import guess_language

    lang = lang or guess_language(question, game.language, game.languages)
    if lang not in game.languages:
        hint = language_hint(lang, game.languages)
        raise WrongUsage(f"{game.id} has no texts in {lang!r}{hint}")
    return lang
