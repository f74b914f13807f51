"""`kb new`: create a record, a game or a base, or note a question that was asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kb.commands.options import Rulings, lang_option, notify, paths_for, split_list
from kb.core.problems import KbError, posix_path
from kb.records.fields import AUTHORITIES, KINDS, Authority, Kind, choices

if TYPE_CHECKING:
    from kb.pipeline.paths import Paths

# The files of a new base: one small game, a site.yaml and a workflow.
_STARTER = Path(__file__).resolve().parent / "starter"
# Stands for a dot at the start of a name, because some tools leave hidden files out of packages.
_DOT = "dot-"


def new(
    game: Annotated[
        str,
        typer.Argument(
            help="The game's id, such as swtcg; `game` or `base` to create one; with --asked"
            " alone, a ruling's id."
        ),
    ],
    topic: Annotated[
        str,
        typer.Argument(
            metavar="TOPIC",
            help="The topic's id, such as pilots; or the new game's; or the new base's folder.",
        ),
    ] = "",
    ruling_id: Annotated[
        str,
        typer.Argument(
            metavar="ID", help="The new ruling's id: its file name and URL, which never change."
        ),
    ] = "",
    kind: Annotated[Kind, typer.Option(metavar="KIND", help=f"{choices(KINDS)}.")] = "ruling",
    authority: Annotated[
        Authority, typer.Option(metavar="AUTHORITY", help=f"{choices(AUTHORITIES)}.")
    ] = "official",
    source: Annotated[
        list[str] | None, typer.Option(metavar="DOC#PROVISION", help="A citation; repeatable.")
    ] = None,
    name: Annotated[str, typer.Option(metavar="NAME", help="The new game's name.")] = "",
    lang: Annotated[
        str,
        lang_option(
            metavar="LANGS",
            help="The new game's languages, its own first (default: en); the language of --asked.",
        ),
    ] = "",
    asked: Annotated[
        str,
        typer.Option(
            metavar="QUESTION",
            help="Make a record of this open question, or add it to the ruling with an id.",
        ),
    ] = "",
    rulings: Rulings = None,
) -> None:
    """Create a record, the files of a game, or a repository; or note a question that was asked.

    Examples:
    kb new swtcg pilots pilot-and-mission --source swtcg-clarifications#pilots-one-per-unit
    kb new game mygame --name "My Game" --lang sk,en
    kb new base my-rulings
    kb new hidden-cost --asked "do I pay for a hidden card?"
    """
    from kb.records.scaffold import new_game, new_ruling

    if asked.strip():
        _note_question(
            paths_for(rulings, own=True), (game, topic, ruling_id), asked, lang, source or []
        )
        return
    if game == "base" and topic and not ruling_id:
        _new_base(Path(topic))
        return
    if game == "base" and not topic:
        raise typer.BadParameter("the new base's folder is missing", param_hint="FOLDER")
    if game == "game" and topic:
        languages = list(dict.fromkeys(split_list(lang))) or ["en"]
        for path in new_game(rulings or Path("rulings"), topic, name, languages):
            print(path)
        notify(
            "Next: add topics to game.yaml and cards to cards.tsv,"
            f" then run: kb new {topic} general my-first-ruling"
        )
        return
    if not topic:
        raise typer.BadParameter("the topic's id is missing", param_hint="TOPIC")
    if not ruling_id:
        raise typer.BadParameter("the new ruling's id is missing", param_hint="ID")
    record = new_ruling(
        paths_for(rulings, own=True).rulings,
        game,
        topic,
        ruling_id,
        kind=kind,
        authority=authority,
        sources=source or [],
    )
    print(record)
    notify("Write the answer where it says TODO, then run: kb check")


def _new_base(folder: Path) -> None:
    """Write the files of a new base into a new or empty folder.

    Completes a run that was killed. Raises KbError for a folder with other files.
    """
    from kb.core.files import write_new_files

    contents = {
        folder.joinpath(*map(_visible, source.relative_to(_STARTER).parts)): source.read_bytes()
        for source in sorted(path for path in _STARTER.rglob("*") if path.is_file())
    }
    try:
        write_new_files(folder, contents)
    except FileExistsError:
        raise KbError(f"{posix_path(folder)}: not empty; choose an empty or new folder") from None
    for path in contents:
        print(path)
    notify(f"Next: cd {folder} && git init -b main, then: kb check && kb build --output public")


def _visible(part: str) -> str:
    return f".{part.removeprefix(_DOT)}" if part.startswith(_DOT) else part


def _note_question(
    paths: Paths, ids: tuple[str, str, str], question: str, lang: str, sources: list[str]
) -> None:
    from kb.commands.unanswered import add_question, new_question

    name, topic, ruling_id = ids
    asked = " ".join(question.split())
    if not topic:
        path, language = add_question(paths, name, asked, lang)
        print(path)
        notify(f"Added to the questions in {language}; --lang names another language")
        return
    if not ruling_id:
        raise typer.BadParameter("the new question's id is missing", param_hint="ID")
    print(new_question(paths, ids, asked, lang, sources))
    notify("Write what is known where it says TODO, then run: kb check")
