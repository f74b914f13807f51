"""The command for running a server: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.cli.options import Database, Rulings, Site, app, notify, paths_for, require_choice


@app.command()
def serve(
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="0 picks a free port.")
    ] = 8000,
    output: Site = Path("site"),
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="The address to listen on; 0.0.0.0 for every network of the machine.",
        ),
    ] = "127.0.0.1",
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=64, help="How many processes answer requests.")
    ] = 1,
    log: Annotated[
        str,
        typer.Option(
            "--log",
            metavar="FORMAT",
            help="Log each request on standard error: none, text or json.",
        ),
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
            help="Edit records in the browser at /edit/; implies --watch. Not for the internet.",
        ),
    ] = False,
    token: Annotated[
        str,
        typer.Option(
            "--token",
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
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Serve the built site and the API, on this machine only unless --host is given.

    Example: kb serve --port 8080
    """
    from kb.server import require_server

    require_server()
    from kb.server import run
    from kb.server.request_log import LOG_FORMATS

    require_choice(log, LOG_FORMATS, "--log")
    queries = str(unanswered.absolute()) if unanswered else ""
    if (watch or edit) and workers > 1:
        raise typer.BadParameter("--watch and --edit need one process", param_hint="--workers")
    if database:
        if watch or edit:
            raise typer.BadParameter(
                "a database holds builds; --watch and --edit need the records",
                param_hint="--database",
            )
        settings = run.Settings(
            "", "", "", host, port, log, workers, database=database, unanswered=queries
        )
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
            unanswered=queries,
        )
    if edit:
        from kb.editor.routes import editor

        run.serve(settings, notify, editor)
    else:
        run.serve(settings, notify)
