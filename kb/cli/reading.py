"""Commands for readers: search, show, card, deck, link."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kb.cli.options import (
    INPUT,
    AsOf,
    Database,
    Game,
    Interface,
    Json,
    Rulings,
    command,
    interface_language,
    notify,
    parse_date,
    target_for,
)


@command()
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="QUERY...",
            help='Words, "a phrase", pre*, -not, OR, and filters: game: card: topic: kind:'
            " authority: status: lang: source: rules: before: after: asof:",
        ),
    ],
    game: Game = None,
    lang: Annotated[
        str | None,
        typer.Option(
            "--lang", "-l", metavar="LANG", help="Only texts in this language, such as pl."
        ),
    ] = None,
    limit: Annotated[
        int,
        typer.Option(
            "--limit", "-n", metavar="N", min=1, max=1000, help="Maximum number of results."
        ),
    ] = 10,
    as_of: AsOf = "",
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            rich_help_panel=INPUT,
            metavar="NAME",
            help="Use this engine; the build must have it.",
        ),
    ] = None,
    interface: Interface = "",
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Find rulings by words in any form.

    Write -- before words that begin with a dash.

    Example: kb search pilotów w strefie budowy

    Example: kb search --game swtcg "council quorum" kind:ruling

    Example: kb search -- pilot -space
    """
    from kb.commands import lookup

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


@command()
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

    Example: kb show swtcg/hidden-cost --lang en
    """
    from kb.commands.lookup import find_ruling

    ruling = find_ruling(
        target_for(database, rulings),
        ruling_id,
        say=notify,
        as_of=parse_date(as_of),
        lang=lang,
    )
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.ruling import stored_ruling_to_json

        print(dumps(stored_ruling_to_json(ruling)))
    else:
        from kb.commands.terminal import show_ruling

        show_ruling(ruling, lang)


@command()
def card(
    name: Annotated[
        list[str],
        typer.Argument(
            metavar="NAME...", help="A card's name, misprint or nickname, in any case form."
        ),
    ],
    game: Game = None,
    interface: Interface = "",
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Show a card's versions and the rulings on it.

    The beginning of a name, or a word of it, lists the cards that have it.

    Example: kb card darth sidious

    Example: kb card "Darth Sidious (C)"
    """
    from kb.commands.cards import find_cards

    wanted = " ".join(name)
    cards = find_cards(target_for(database, rulings), wanted, game, say=notify)
    if as_json:
        from kb.core.json import dumps

        print(dumps({"query": wanted, "results": cards}))
    else:
        from kb.commands.terminal import show_cards

        show_cards(cards, interface_language(interface))
    if not cards:
        notify(f"kb: no card is named {wanted!r}")
        raise typer.Exit(1)


@command()
def deck(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A deck list as text; - reads standard input.")
    ],
    game: Annotated[
        str | None,
        typer.Option(
            "--game", "-g", metavar="GAME", help="The deck's game (default: that of most cards)."
        ),
    ] = None,
    as_json: Json = False,
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Show the rulings that matter for a deck: by card, then the rules that its cards bring in.

    Example: kb deck my-deck.txt
    """
    from kb.commands.decks import answer_deck, read_deck

    result = answer_deck(target_for(database, rulings), read_deck(file), game, say=notify)
    if as_json:
        from kb.core.json import dumps
        from kb.serialize.answers import deck_answer_to_json

        print(dumps(deck_answer_to_json(result.answer)))
    else:
        from kb.commands.terminal import show_deck

        show_deck(result.answer, result.rulings)
    if not result.rulings:
        raise typer.Exit(1)


@command()
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
