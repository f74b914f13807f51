"""`kb pack`: the rulings of some games in one HTML file for an event."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kb.commands import options
from kb.commands.deck import read_deck
from kb.commands.options import PATH, count_noun, notify, paths_for, split_list
from kb.core.problems import KbError, NotBuilt, Problem, WrongUsage

if TYPE_CHECKING:
    from kb.language import FormTable
    from kb.pipeline.paths import Paths
    from kb.records.library import Library


@click.command()
@click.argument(
    "further", nargs=-1, type=PATH, metavar="[FILE]...", help="Further deck lists, after --deck."
)
@click.option(
    "--deck",
    multiple=True,
    type=PATH,
    metavar="FILE",
    help="Only what matters for this deck list; repeatable.",
)
@options.game(multiple=True, help="A game's id; repeatable (default: all).")
@options.lang(default="", metavar="LANGS", help="Text languages, such as pl,en (default: all).")
@click.option(
    "--interface",
    default="",
    metavar="LANG",
    help="The language of headings and labels (default: the first of --lang, else the games’ only"
    " language, else English).",
)
@options.output(required=True, metavar="FILE", help="The HTML file to write.")
@options.overwrite()
@options.rulings()
def pack(
    further: tuple[Path, ...],
    deck: tuple[Path, ...],
    game: tuple[str, ...],
    lang: str,
    interface: str,
    output: Path,
    force: bool,
    rulings: Path | None,
) -> None:
    """Write the rulings of some games to one file for an event: searchable, ready to print.

    With --deck it has only the rulings that matter for a deck, or for all decks of an event.

    \b
    Examples:
    kb pack --game swtcg --lang pl,en --output pack.html
    kb pack --deck deck.txt --lang pl --output deck.html
    """
    if output.suffix.lower() not in ("", ".html", ".htm"):
        raise click.BadParameter(
            f"{output.suffix}: a pack is an .html file; a browser prints it, also to PDF",
            param_hint="--output",
        )
    if further and not deck:
        raise click.BadParameter("deck lists come after --deck", param_hint="FILE")
    languages = split_list(lang)
    count, unknown = write_pack(
        paths_for(rulings), output, game, languages, interface, (*deck, *further), force=force
    )
    for line in unknown:
        notify(str(line))
    megabytes = output.stat().st_size / 1e6
    print(f"{count_noun(count, 'ruling')}, {megabytes:.1f} MB: {output}")


def write_pack(
    paths: Paths,
    output: Path,
    games: Sequence[str],
    languages: Sequence[str],
    interface: str = "",
    decks: Sequence[Path] = (),
    *,
    force: bool = False,
) -> tuple[int, list[Problem]]:
    """Write a pack of some games and languages, by default of all.

    Returns the number of its rulings, and the lines of deck lists that name no card. With deck
    lists it has only the rulings that matter for them. `interface`: the language of headings, by
    default the first of `languages` that the interface has, else the games' only language, else
    English. `force`: overwrite another file than an earlier pack. Raises KbError for problems in
    the records, an unknown game or language, a list without cards, or a file that must not be
    overwritten.
    """
    from kb.commands.output_files import output_file
    from kb.language import FormTable
    from kb.linking.autolink import autolink
    from kb.pipeline.inputs import build_date
    from kb.pipeline.paths import find_templates
    from kb.records.library import load
    from kb.records.site_config import read_site_files
    from kb.site.branding import Branding
    from kb.site.i18n import interface_languages, read_words
    from kb.site.pack import PackSettings, subset
    from kb.site.pack import pack as render_pack

    library = load(paths.rulings)
    if library.problems:
        raise KbError("a pack needs records without problems", tuple(library.problems))
    _require_known("game", games, list(library.games))
    packed = [one for one in library.rulings.values() if not games or one.game in games]
    available = {text.lang for ruling in packed for text in ruling.texts}
    _require_known("language", languages, sorted(available))
    templates = find_templates(paths.rulings)
    interfaces = interface_languages(templates)
    spoken = {lang for game in games or library.games for lang in library.games[game].languages}
    wanted = languages or (spoken if len(spoken) == 1 else ())
    interface = interface or next((lang for lang in wanted if lang in interfaces), "en")
    _require_known("interface", [interface], interfaces)
    brand = Branding(read_site_files(paths.rulings))
    build = (library.build_id, build_date())
    settings = PackSettings(templates, *build, tuple(languages), brand)
    with FormTable(_form_table(paths)) as table:
        keys, unknown = _rulings_for(decks, library, games, table) if decks else (None, [])
        selection = subset(autolink(library, table), games, languages, keys)
        words = read_words(templates, interface).with_messages(brand.messages(interface))
        html = render_pack(selection, table, settings, words)
    with output_file(output, "html", paths.rulings, force=force) as file:
        file.write(html.encode())
    return len(selection.rulings), unknown


def _rulings_for(
    decks: Sequence[Path], library: Library, games: Sequence[str], table: FormTable
) -> tuple[set[str], list[Problem]]:
    """Return the keys of the rulings that matter for decks, and the lines without a card."""
    from kb.decks.answer import Deck, choose_deck
    from kb.decks.base import base_of_library

    by_game = {
        game: Deck(base_of_library(game, library, table), table) for game in games or library.games
    }
    keys: set[str] = set()
    unknown: list[Problem] = []
    for path in decks:
        text = read_deck(path)
        deck = choose_deck(text, by_game)
        if deck is None:
            raise KbError(f"{path}: no line names a card of {', '.join(by_game)}")
        answer = deck.answer(text)
        keys.update(answer.keys())
        unknown += [
            Problem(str(path), line.line, f"no card is named {line.text!r}")
            for line in answer.unknown
        ]
    if not keys:
        raise KbError("there are no rulings on the cards of these decks")
    return keys, unknown


def _require_known(kind: str, names: Sequence[str], available: Sequence[str]) -> None:
    from kb.language import language_hint

    unknown = [name for name in names if name not in available]
    if unknown:
        raise WrongUsage(f"no {kind} {unknown[0]!r}{language_hint(unknown[0], available)}")


def _form_table(paths: Paths) -> Path:
    """Return the form table of the current records; build it if it is missing or stale."""
    from kb.language import FORMS_FILE
    from kb.pipeline.build import derive

    with suppress(NotBuilt):
        table = paths.current / FORMS_FILE
        if table.is_file() and not paths.changed_since_build():
            return table
    derive(paths)
    return paths.current / FORMS_FILE
