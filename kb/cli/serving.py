"""The commands that answer others: serve, mcp."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from kb.cli.options import (
    Database,
    Rulings,
    Site,
    app,
    notify,
    paths_for,
    require_choice,
    require_scheme,
    target_for,
)

BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url", metavar="URL", help="Where the site is served, for the addresses in answers."
    ),
]

NETWORK = "Network"
EDITING = "Editing"


@app.command()
def serve(
    port: Annotated[
        int,
        typer.Option(
            "--port",
            "-p",
            rich_help_panel=NETWORK,
            metavar="N",
            min=0,
            max=65535,
            help="0 picks a free port.",
        ),
    ] = 8000,
    output: Site = Path("site"),
    host: Annotated[
        str,
        typer.Option(
            "--host",
            rich_help_panel=NETWORK,
            metavar="ADDRESS",
            help="The address to listen on; 0.0.0.0 for all interfaces.",
        ),
    ] = "127.0.0.1",
    workers: Annotated[
        int,
        typer.Option(
            "--workers",
            rich_help_panel=NETWORK,
            metavar="N",
            min=1,
            max=64,
            help="How many processes answer requests.",
        ),
    ] = 1,
    log: Annotated[
        str,
        typer.Option(
            "--log",
            rich_help_panel=NETWORK,
            metavar="FORMAT",
            help="Log each request on standard error: none, text or json.",
        ),
    ] = "none",
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            rich_help_panel=EDITING,
            help="Rebuild when a record or template changes; open pages follow.",
        ),
    ] = False,
    edit: Annotated[
        bool,
        typer.Option(
            "--edit",
            rich_help_panel=EDITING,
            help="Edit records in the browser at /edit/; implies --watch. Not for the internet.",
        ),
    ] = False,
    token: Annotated[
        str,
        typer.Option(
            "--token",
            rich_help_panel=EDITING,
            envvar="KB_TOKEN",
            metavar="TOKEN",
            help="The token that editors log in with; required with --edit and --host.",
        ),
    ] = "",
    unanswered: Annotated[
        Path | None,
        typer.Option(
            "--unanswered",
            metavar="FILE",
            help="Append queries without an answer: day, match and words, nothing of the asker.",
        ),
    ] = None,
    mcp: Annotated[
        bool,
        typer.Option("--mcp", help="Also answer assistants at /mcp (Model Context Protocol)."),
    ] = False,
    base_url: BaseUrl = "",
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Serve the built site and the API, on this machine only unless --host is given.

    Example: kb serve --port 8080

    Example: kb serve --edit
    """
    from kb.server import require_server

    require_server()
    from kb.server import run
    from kb.server.request_log import LOG_FORMATS

    require_choice(log, LOG_FORMATS, "--log")
    require_scheme(base_url, "--base-url", ("http://", "https://"))
    if mcp:
        from kb.assistants import require_mcp

        require_mcp()
    queries = str(unanswered.absolute()) if unanswered else ""
    if (watch or edit) and workers > 1:
        raise typer.BadParameter("--watch and --edit need one process", param_hint="--workers")
    if database:
        if watch or edit:
            raise typer.BadParameter(
                "a database holds builds; --watch and --edit need the records",
                param_hint="--database",
            )
        settings = run.Settings("", "", "", host, port, log, workers, database=database)
        settings = replace(settings, base_url=base_url, mcp=mcp, unanswered=queries)
    else:
        paths = paths_for(rulings)
        settings = run.Settings(
            str(output),
            str(paths.rulings),
            str(paths.data),
            host,
            port,
            log,
            workers,
            watch=watch,
            token=token,
            base_url=base_url,
            mcp=mcp,
            unanswered=queries,
        )
    if edit:
        from kb.editor.routes import editor

        run.serve(settings, notify, editor)
    else:
        run.serve(settings, notify)


@app.command()
def mcp(base_url: BaseUrl = "", database: Database = "", rulings: Rulings = None) -> None:
    """Answer an assistant on standard input and output (Model Context Protocol).

    Example: kb mcp --base-url https://rulings.example.org
    """
    require_scheme(base_url, "--base-url", ("http://", "https://"))
    from kb.assistants import require_mcp

    require_mcp()
    from kb.assistants.stdio import serve_stdio

    serve_stdio(target_for(database, rulings), notify, base_url)
