"""Commands for readers: search, show, card, link."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kb.cli.common import (
    AsJson,
    AsOf,
    DatabaseOption,
    GameOption,
    Rulings,
    app,
    date_of,
    say,
    target_of,
)


@app.command(context_settings={"ignore_unknown_options": True})
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            help='Words, "a phrase", pre*, -not, OR, game: card: topic: kind: authority: status: lang: source: rules:'
            " before: after: asof:"
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="Only this game, by its id, such as swtcg."),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar="LANG", help="Only texts in this language, such as pl."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="How many results at most.")
    ] = 10,
    as_of: AsOf = "",
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="Search with this engine, where the build has its index.",
        ),
    ] = None,
    as_json: AsJson = False,
    database: DatabaseOption = "",
    rulings: Rulings = None,
) -> None:
    """Find rulings, in whatever form of the words.

    Example: kb search pilotów w strefie budowy
    """
    from kb.commands.lookup import search as run

    strange = next((word for word in query if word.startswith("--")), None)
    if strange:
        raise typer.BadParameter(f"no such option: {strange.split('=')[0]}", param_hint="search")
    day = date_of(as_of)
    answer = run(
        target_of(database, rulings),
        " ".join(query),
        game=game,
        lang=lang,
        limit=limit,
        say=say,
        as_of=day,
        engine=engine,
    )
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.answers import found

        print(dumps(found(answer)))
    else:
        from kb.commands.terminal import show_answer

        show_answer(answer)
    if not answer.results:
        raise typer.Exit(1)


@app.command()
def show(
    ruling_id: Annotated[str, typer.Argument(metavar="ID", help="A ruling's id, or game/id.")],
    lang: Annotated[
        str | None,
        typer.Option("--lang", "-l", metavar="LANG", help="Only the text in this language."),
    ] = None,
    as_of: AsOf = "",
    as_json: AsJson = False,
    database: DatabaseOption = "",
    rulings: Rulings = None,
) -> None:
    """Show one ruling whole.

    Example: kb show hidden-cost
    """
    from kb.commands.lookup import find_ruling
    from kb.core.json import dumps
    from kb.serialize.ruling import stored_ruling_to_json

    found = find_ruling(target_of(database, rulings), ruling_id, say=say, as_of=date_of(as_of))
    if as_json:
        print(dumps(stored_ruling_to_json(found)))
    else:
        from kb.commands.terminal import show_ruling

        show_ruling(found, lang)


@app.command()
def card(
    name: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="A card's name, misprint or nickname, in any case form."
        ),
    ],
    game: GameOption = None,
    as_json: AsJson = False,
    database: DatabaseOption = "",
    rulings: Rulings = None,
) -> None:
    """Show a card's versions and the rulings on it.

    Example: kb card darth sidious
    """
    from kb.commands.lookup import find_cards
    from kb.core.json import dumps

    found = find_cards(target_of(database, rulings), " ".join(name), game, say=say)
    if as_json:
        print(dumps({"query": " ".join(name), "results": found}))
    else:
        from kb.commands.terminal import show_card

        for one in found:
            show_card(one)
    if not found:
        say(f"kb: no card is named {' '.join(name)!r}")
        raise typer.Exit(1)


@app.command()
def link(
    game: Annotated[
        str,
        typer.Option("--game", "-g", metavar="GAME", help="The game whose cards are looked for."),
    ],
    lang: Annotated[
        str,
        typer.Option("--lang", "-l", metavar="LANG", help="The language of the text, such as pl."),
    ],
    as_json: AsJson = False,
    database: DatabaseOption = "",
    rulings: Rulings = None,
) -> None:
    """Find card names in the text on standard input, in whatever case form they stand.

    Example: kb link --game swtcg --lang pl < text.txt
    """
    from kb.commands.lookup import find_mentions
    from kb.core.json import dumps

    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    found = find_mentions(target_of(database, rulings), text, game, lang, say)
    if as_json:
        print(dumps(found))
    else:
        for one in found:
            print(
                f"{one['start']}-{one['end']}\t{one['surface']}\t{' or '.join(one['candidates'])}"
            )
    if not found:
        raise typer.Exit(1)
