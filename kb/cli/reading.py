"""Commands for readers: search, show, card, link."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from kb.cli.options import (
    AsOf,
    Database,
    Game,
    Interface,
    Json,
    Rulings,
    app,
    interface_language,
    notify,
    parse_date,
    target_for,
)


@app.command(context_settings={"ignore_unknown_options": True})
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            help='Words, "a phrase", pre*, -not, OR, and filters: game: card: topic: kind:'
            " authority: status: lang: source: rules: before: after: asof:"
        ),
    ],
    # No -g here: a word such as -game in a query excludes it.
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="GAME", help="Only this game, by id, such as swtcg."),
    ] = None,
    lang: Annotated[
        str | None,
        typer.Option("--lang", metavar="LANG", help="Only texts in this language, such as pl."),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=1000, help="Maximum number of results.")
    ] = 10,
    as_of: AsOf = "",
    engine: Annotated[
        str | None,
        typer.Option("--engine", metavar="NAME", help="Use this engine; the build must have it."),
    ] = None,
    interface: Interface = "",
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Find rulings by words in any form.

    Example: kb search pilotów w strefie budowy
    """
    from kb.commands import lookup

    unknown = next((word for word in query if word.startswith("--")), None)
    if unknown:
        raise typer.BadParameter(f"no such option: {unknown.split('=')[0]}", param_hint="search")
    language = interface_language(interface)
    answer = lookup.search(
        target_for(database, rulings),
        " ".join(query),
        game=game,
        lang=lang,
        limit=limit,
        say=notify,
        as_of=parse_date(as_of),
        engine=engine,
        interface=language,
    )
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.answers import search_answer_to_json

        print(dumps(search_answer_to_json(answer)))
    else:
        from kb.commands.terminal import show_answer

        show_answer(answer, language)
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
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Show one ruling in full.

    Example: kb show hidden-cost
    """
    from kb.commands.lookup import find_ruling

    ruling = find_ruling(
        target_for(database, rulings), ruling_id, say=notify, as_of=parse_date(as_of)
    )
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.ruling import stored_ruling_to_json

        print(dumps(stored_ruling_to_json(ruling)))
    else:
        from kb.commands.terminal import show_ruling

        show_ruling(ruling, lang)


@app.command()
def card(
    name: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME", help="A card's name, misprint or nickname, in any case form."
        ),
    ],
    game: Game = None,
    interface: Interface = "",
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Show a card's versions and the rulings on it.

    Example: kb card darth sidious
    """
    from kb.commands.cards import find_cards

    wanted = " ".join(name)
    cards = find_cards(target_for(database, rulings), wanted, game, say=notify)
    if as_json:
        from kb.core.json import dumps

        print(dumps({"query": wanted, "results": cards}))
    else:
        from kb.commands.terminal import show_card

        for match in cards:
            show_card(match, interface_language(interface))
    if not cards:
        notify(f"kb: no card is named {wanted!r}")
        raise typer.Exit(1)


@app.command()
def link(
    game: Annotated[
        str, typer.Option("--game", "-g", metavar="GAME", help="The game whose cards to find.")
    ],
    lang: Annotated[
        str,
        typer.Option("--lang", "-l", metavar="LANG", help="The language of the text, such as pl."),
    ],
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Find card names, in any case form, in the text on standard input.

    Example: kb link --game swtcg --lang pl < text.txt
    """
    from kb.commands.lookup import find_mentions

    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    mentions = find_mentions(target_for(database, rulings), text, game, lang, notify)
    if as_json:
        from kb.core.json import dumps

        print(dumps(mentions))
    else:
        for mention in mentions:
            place = f"{mention['start']}-{mention['end']}"
            print(f"{place}\t{mention['surface']}\t{' or '.join(mention['candidates'])}")
    if not mentions:
        raise typer.Exit(1)
