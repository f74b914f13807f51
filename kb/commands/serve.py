"""`kb serve`: the built site, the API and services of plug-ins over HTTP."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Literal

import typer

from kb.commands.options import (
    BaseUrl,
    Database,
    Rulings,
    Site,
    notify,
    paths_for,
    split_list,
)
from kb.core.extras import SERVER
from kb.core.plugins import additions
from kb.core.problems import WrongUsage

network = partial(typer.Option, rich_help_panel="Network")
# The service that --edit switches on.
_EDITOR = "editor"


def serve(
    port: Annotated[
        int, network("--port", "-p", metavar="N", min=0, max=65535, help="0 picks a free port.")
    ] = 8000,
    output: Site = Path("site"),
    host: Annotated[
        str,
        network(metavar="ADDRESS", help="The address to listen on; 0.0.0.0 for all interfaces."),
    ] = "127.0.0.1",
    workers: Annotated[
        int, network(metavar="N", min=1, max=64, help="How many processes answer requests.")
    ] = 1,
    log: Annotated[
        Literal["none", "text", "json"],
        network(metavar="FORMAT", help="Log each request on standard error: none, text or json."),
    ] = "none",
    watch: Annotated[
        bool,
        typer.Option(
            "--watch", help="Rebuild when a record or template changes; open pages follow."
        ),
    ] = False,
    edit: Annotated[
        bool,
        typer.Option(
            "--edit",
            help=f"Edit records in the browser: --with {_EDITOR}. Not for the internet.",
        ),
    ] = False,
    services: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="Add services of plug-ins, separated by commas; installed:"
            f" {', '.join(sorted(additions('services'))) or 'none'}.",
        ),
    ] = None,
    unanswered: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Append queries without an answer: day, match and words, but not who asked.",
        ),
    ] = None,
    base_url: BaseUrl = "",
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Serve the built site and the API, on this machine only unless --host is given.

    Examples:
    kb serve --port 8080
    kb serve --watch
    """
    SERVER.require()
    from kb.server import run
    from kb.server.services import find_service

    named = [name for names in services or () for name in split_list(names)]
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
        log=log,
        workers=workers,
        watch=watch,
        database=database,
        base_url=base_url,
        unanswered=unanswered.absolute() if unanswered else None,
        services=names,
    )
    run.serve(settings, notify)
