"""`kb serve`: the built site, the API and services of plug-ins over HTTP."""

from __future__ import annotations

from pathlib import Path

import click

from kb.commands import options
from kb.commands.options import PATH, notify, paths_for, split_list
from kb.core.plugins import SERVER, additions
from kb.core.problems import WrongUsage

# The service that --edit switches on.
_EDITOR = "editor"


@click.command()
@click.option(
    "--watch", is_flag=True, help="Rebuild when a record or template changes; open pages follow."
)
@click.option(
    "--edit",
    is_flag=True,
    help=f"Edit records in the browser: --with {_EDITOR}. Not for the internet.",
)
@click.option(
    "--with",
    "services",
    multiple=True,
    metavar="NAMES",
    help="Add services of plug-ins, separated by commas; installed:"
    f" {', '.join(sorted(additions('services'))) or 'none'}.",
)
@click.option(
    "--unanswered",
    type=PATH,
    metavar="FILE",
    help="Append queries without an answer: day, match and words, but not who asked.",
)
@options.base_url()
@click.option(
    "--port",
    "-p",
    type=click.IntRange(0, 65535),
    default=8000,
    metavar="N",
    show_default=True,
    help="0 picks a free port.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    metavar="ADDRESS",
    show_default=True,
    help="The address to listen on; 0.0.0.0 for all interfaces.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    metavar="N",
    show_default=True,
    help="How many processes answer requests.",
)
@options.site()
@options.database()
@options.rulings()
def serve(
    watch: bool,
    edit: bool,
    services: tuple[str, ...],
    unanswered: Path | None,
    base_url: str,
    port: int,
    host: str,
    workers: int,
    output: Path,
    database: str | None,
    rulings: Path | None,
) -> None:
    """Serve the built site and the API, on this machine only unless --host is given.

    \b
    Examples:
    kb serve --port 8080
    kb serve --watch
    """
    SERVER.require()
    from kb.server import run
    from kb.server.services import find_service

    named = [name for names in services for name in split_list(names)]
    names = tuple(dict.fromkeys((*named, *([_EDITOR] if edit else ()))))
    chosen = [find_service(name) for name in names]
    watch = watch or any(service.watches for service in chosen)
    if watch and workers > 1:
        raise WrongUsage("watching the records (--watch, --edit) takes one process, not --workers")
    if watch and database:
        raise WrongUsage(
            "watching the records (--watch, --edit) needs their folder; a --database holds builds"
        )
    settings = run.Settings(
        site=output,
        paths=None if database else paths_for(rulings, own=watch),
        host=host,
        port=port,
        workers=workers,
        watch=watch,
        database=database or "",
        base_url=base_url,
        unanswered=unanswered.absolute() if unanswered else None,
        services=names,
    )
    run.serve(settings, notify)
