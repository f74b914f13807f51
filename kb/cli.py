"""The command line: options, one call each, exit codes. 0 done, 1 problems found or nothing found, 2 wrong usage."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from kb.problems import KbError

if TYPE_CHECKING:
    from kb.commands.places import Places

app = typer.Typer(
    name="kb",
    help="Rulings of trading card games: checked, searched in any form of a word, rendered to a static site.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Rulings = Annotated[
    Path | None,
    typer.Option("--rulings", metavar="DIR", help="The folder of records (default: ./rulings, else those that come with kb)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on standard output and nothing else.")]
GameOption = Annotated[str | None, typer.Option("--game", "-g", metavar="GAME", help="Only this game, by its id, such as swtcg.")]


AsOf = Annotated[
    str, typer.Option("--as-of", metavar="DATE", help="What stood on that day: 2003-06-01, or at the end of 2003-06 or 2003.")
]


def main() -> None:
    """Runs the command line; failures that a user can act upon are a message, not a traceback."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        app()
    except KbError as error:
        _fail(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        print("kb: interrupted", file=sys.stderr)
        sys.exit(130)


def _fail(error: KbError) -> NoReturn:
    for problem in error.problems:
        print(problem, file=sys.stderr)
    if error.problems:
        print(f"{_many(len(error.problems), 'problem')}: {error}", file=sys.stderr)
    else:
        print(f"kb: {error}", file=sys.stderr)
    sys.exit(1)


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _date(value: str) -> str:
    from kb.records.model import dated_text

    try:
        return dated_text(value) if value else ""
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--as-of") from None


def _web_address(value: str, option: str, schemes: tuple[str, ...]) -> None:
    if value and not value.startswith(schemes):
        raise typer.BadParameter(f"{value!r} does not begin with {' or '.join(schemes)}", param_hint=option)


def _places(rulings: Path | None) -> Places:
    from kb.commands.places import find_places

    return find_places(rulings)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


@app.command()
def build(
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder for the static site.")] = Path("site"),
    rulings: Rulings = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Publish the good records although others have problems, and say which.")
    ] = False,
    base_url: Annotated[
        str,
        typer.Option("--base-url", metavar="URL", help="Where the site will be served: canonical addresses, QR codes, site map."),
    ] = "",
    report: Annotated[
        str,
        typer.Option("--report", metavar="URL", help="Where 'report a problem' leads; {id} stands for the ruling's game/id."),
    ] = "",
    interface: Annotated[
        str, typer.Option("--interface", metavar="LANGS", help="Languages of the site's own words, such as en,pl (default: all).")
    ] = "",
) -> None:
    """Make the store, the index and the static site from the records.

    Nothing is published while a record has problems. Example: kb build --output public
    """
    from kb.commands.build import SiteOptions
    from kb.commands.build import build as make
    from kb.commands.terminal import progress

    _web_address(base_url, "--base-url", ("http://", "https://"))
    _web_address(report, "--report", ("http://", "https://", "mailto:"))
    languages = tuple(lang.strip() for lang in interface.split(",") if lang.strip())
    options = SiteOptions(base_url, report, languages)
    with progress() as tell:
        built = make(_places(rulings), output, keep_going=keep_going, site=options, progress=tell)
    for problem in built.problems:
        _say(str(problem))
    for key in built.left_out:
        _say(f"left out: {key}")
    print(
        f"{_many(built.rulings, 'ruling')} of {_many(built.games, 'game')}, {_many(built.cards, 'card')},"
        f" {_many(built.pages, 'page')} in {built.seconds:.1f} s"
    )
    print(f"site:  {built.site / 'index.html'}")
    print(f"index: {built.data} (kb search, kb show, kb card)")


@app.command()
def check(
    paths: Annotated[
        list[Path] | None, typer.Argument(metavar="[PATH]...", help="Files or folders; by default all records.")
    ] = None,
    rulings: Rulings = None,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="List instead the cards that texts name and nobody has marked, with the mark to paste."),
    ] = False,
    similar: Annotated[
        bool,
        typer.Option("--similar", help="List instead rulings that repeat each other, or decide the same by other authority."),
    ] = False,
    stale: Annotated[bool, typer.Option("--stale", help="List instead translations whose original has changed since.")] = False,
    review: Annotated[
        bool, typer.Option("--review", help="List instead rulings that were not held against the newest edition of the rulebook.")
    ] = False,
) -> None:
    """List every problem of the records as path:line: message.

    Example: kb check rulings/swtcg
    """
    if similar or stale or review:
        from kb.commands.check import lists

        for line in lists(_places(rulings), similar=similar, stale=stale, review=review):
            print(line)
        return
    if suggest:
        from kb.commands.search import suggestions

        for one in suggestions(_places(rulings), _say):
            print(one)
        return
    from kb.commands.check import check as run

    result = run(paths or [], rulings)
    for problem in result.problems:
        print(problem)
    for note in result.notes:
        _say(note)
    if result.problems:
        _say(f"{_many(len(result.problems), 'problem')} in {_many(len({one.path for one in result.problems}), 'file')}")
        raise typer.Exit(1)


@app.command(context_settings={"ignore_unknown_options": True})
def search(
    query: Annotated[
        list[str],
        typer.Argument(
            help='Words, "a phrase", pre*, -not, OR, game: card: topic: kind: authority: status: lang: source: rules:'
            " before: after: asof:"
        ),
    ],
    game: Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only this game, by its id, such as swtcg.")] = None,
    lang: Annotated[str | None, typer.Option("--lang", metavar="LANG", help="Only texts in this language, such as pl.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="How many results at most.")] = 10,
    as_of: AsOf = "",
    as_json: AsJson = False,
    rulings: Rulings = None,
) -> None:
    """Find rulings, in whatever form of the words.

    Example: kb search pilotów w strefie budowy
    """
    from kb.commands.answers import found
    from kb.commands.search import search as run
    from kb.site.data import dumps

    strange = next((word for word in query if word.startswith("--")), None)
    if strange:
        raise typer.BadParameter(f"no such option: {strange.split('=')[0]}", param_hint="search")
    answer = run(_places(rulings), " ".join(query), game=game, lang=lang, limit=limit, say=_say, as_of=_date(as_of))
    if as_json:
        print(dumps(found(answer)))
    else:
        from kb.commands.terminal import show_answer

        show_answer(answer)
    if not answer.results:
        raise typer.Exit(1)


@app.command()
def show(
    ruling_id: Annotated[str, typer.Argument(metavar="ID", help="A ruling's id, or game/id.")],
    lang: Annotated[str | None, typer.Option("--lang", "-l", metavar="LANG", help="Only the text in this language.")] = None,
    as_of: AsOf = "",
    as_json: AsJson = False,
    rulings: Rulings = None,
) -> None:
    """Show one ruling whole.

    Example: kb show hidden-cost
    """
    from kb.commands.answers import shown
    from kb.commands.search import find_ruling
    from kb.site.data import dumps

    found = find_ruling(_places(rulings), ruling_id, say=_say, as_of=_date(as_of))
    if as_json:
        print(dumps(shown(found)))
    else:
        from kb.commands.terminal import show_ruling

        show_ruling(found, lang)


@app.command()
def card(
    name: Annotated[list[str], typer.Argument(metavar="NAME", help="A card's name, misprint or nickname, in any case form.")],
    game: GameOption = None,
    as_json: AsJson = False,
    rulings: Rulings = None,
) -> None:
    """Show a card's versions and the rulings on it.

    Example: kb card darth sidious
    """
    from kb.commands.search import find_cards
    from kb.site.data import dumps

    found = find_cards(_places(rulings), " ".join(name), game, say=_say)
    if as_json:
        print(dumps({"query": " ".join(name), "results": found}))
    else:
        from kb.commands.terminal import show_card

        for one in found:
            show_card(one)
    if not found:
        _say(f"kb: no card is named {' '.join(name)!r}")
        raise typer.Exit(1)


@app.command()
def link(
    game: Annotated[str, typer.Option("--game", "-g", metavar="GAME", help="The game whose cards are looked for.")],
    lang: Annotated[str, typer.Option("--lang", "-l", metavar="LANG", help="The language of the text, such as pl.")],
    as_json: AsJson = False,
    rulings: Rulings = None,
) -> None:
    """Find card names in the text on standard input, in whatever case form they stand.

    Example: kb link --game swtcg --lang pl < text.txt
    """
    from kb.commands.search import find_mentions
    from kb.site.data import dumps

    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    found = find_mentions(_places(rulings), text, game, lang, _say)
    if as_json:
        print(dumps(found))
    else:
        for one in found:
            print(f"{one['start']}-{one['end']}\t{one['surface']}\t{' or '.join(one['candidates'])}")
    if not found:
        raise typer.Exit(1)


@app.command()
def new(
    game: Annotated[str, typer.Argument(help="The game's id, such as swtcg.")],
    topic: Annotated[str, typer.Argument(help="The topic's id, such as pilots.")],
    ruling_id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the new ruling: it is its file name and its address, for ever.")
    ],
    kind: Annotated[str, typer.Option("--kind", help="ruling, errata, definition, example, note or question.")] = "ruling",
    authority: Annotated[str, typer.Option("--authority", help="official, translator or community.")] = "official",
    source: Annotated[
        list[str] | None, typer.Option("--source", metavar="DOC#PROVISION", help="Where it stands; may be given several times.")
    ] = None,
    rulings: Rulings = None,
) -> None:
    """Write a new record to fill in.

    Example: kb new swtcg pilots pilot-and-mission --source swtcg-clarifications#pilots-one-per-unit
    """
    from kb.records.new import new_ruling

    path = new_ruling(_places(rulings).rulings, game, topic, ruling_id, kind=kind, authority=authority, sources=source or [])
    print(path)
    _say("Write the answer where it says TODO, then run: kb check")


@app.command()
def export(
    form: Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="jsonl, csv or sqlite.")] = "jsonl",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="A file instead of standard output.")
    ] = None,
    rulings: Rulings = None,
) -> None:
    """Write all rulings for other programs.

    Example: kb export --format csv --output rulings.csv
    """
    from kb.commands.export import FORMATS
    from kb.commands.export import export as run

    if form not in FORMATS:
        raise typer.BadParameter(f"{form!r} is not one of {', '.join(FORMATS)}", param_hint="--format")
    if form == "sqlite" and output is None and sys.stdout.isatty():
        raise typer.BadParameter("a database cannot be shown; name a file with --output", param_hint="--format sqlite")
    problems = run(_places(rulings), form, output)
    if problems:
        for problem in problems:
            _say(str(problem))
        _say(f"{_many(len(problems), 'problem')}: the records concerned are left out")
        raise typer.Exit(1)


@app.command()
def pack(
    output: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="An .html file, or a .pdf where a browser is there.")
    ],
    game: Annotated[
        list[str] | None, typer.Option("--game", "-g", metavar="GAME", help="A game's id; may be repeated (default: all).")
    ] = None,
    lang: Annotated[str, typer.Option("--lang", "-l", metavar="LANGS", help="Languages, such as pl,en (default: all).")] = "",
    interface: Annotated[str, typer.Option("--interface", metavar="LANG", help="The language of the pack's own words.")] = "en",
    rulings: Rulings = None,
) -> None:
    """Write the rulings of some games into one file for an event: with search, contents and an index of cards, ready to print.

    Example: kb pack --game swtcg --lang pl,en --out pack.html
    """
    from kb.commands.pack import pack as run

    languages = [one.strip() for one in lang.split(",") if one.strip()]
    made = run(_places(rulings), output, game or [], languages, interface)
    print(f"{_many(made.rulings, 'ruling')}, {made.size / 1e6:.1f} MB: {made.path}")


@app.command()
def changes(
    since: Annotated[str, typer.Option("--since", metavar="DATE|REV", help="A date, or a revision of the records' git history.")],
    form: Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text, json or atom.")] = "text",
    rulings: Rulings = None,
) -> None:
    """List the rulings that changed since a date or a revision, newest first.

    Example: kb changes --since 2026-01
    """
    from kb.commands.answers import changed, changed_feed
    from kb.commands.changes import changed_since
    from kb.site.data import dumps

    if form not in ("text", "json", "atom"):
        raise typer.BadParameter(f"{form!r} is not one of text, json, atom", param_hint="--format")
    found = changed_since(_places(rulings), since)
    if form == "json":
        print(dumps([changed(one) for one in found]))
    elif form == "atom":
        print(changed_feed(found), end="")
    else:
        for one in found:
            title = one.ruling.original.title if one.ruling else ""
            print(f"{one.moment[:10]:<10}  {one.what:<10}  {one.key}  {title}".rstrip())
    if not found:
        _say(f"nothing has changed since {since}")
        raise typer.Exit(1)


@app.command()
def translated(
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="Rulings, by id or game/id; by default all.")] = None,
    rulings: Rulings = None,
) -> None:
    """Note that translations fit the original as it stands, so that a later change of it marks them stale.

    Example: kb translated hidden-cost
    """
    from kb.commands.changes import translated as run

    written = run(_places(rulings), ids or [])
    for path in written:
        print(path)
    _say(f"{_many(len(written), 'record')} noted")


@app.command()
def serve(
    port: Annotated[int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes a free one.")] = 8000,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="The folder of the static site.")] = Path("site"),
) -> None:
    """Show the built site in a browser, from this machine only.

    Example: kb serve --port 8080
    """
    from kb.server.static import serve as run

    run(output, port, _say)


def _version(value: bool) -> None:
    if value:
        from importlib.metadata import version

        print(f"kb {version('kb-rulings')}")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    pass
