"""The command for whoever runs a server: serve."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kb.cli.common import DatabaseOption, Rulings, app, places_of, say


@app.command()
def serve(
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="0 takes a free one.")
    ] = 8000,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="The folder of the static site.")
    ] = Path("site"),
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="The address to listen at; 0.0.0.0 for every network of the machine.",
        ),
    ] = "127.0.0.1",
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=64, help="How many processes answer.")
    ] = 1,
    log: Annotated[
        str,
        typer.Option(
            "--log", metavar="FORM", help="A line a request on standard error: none, text or json."
        ),
    ] = "none",
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Build whenever a record or a template changes; open pages show what changed.",
        ),
    ] = False,
    edit: Annotated[
        bool,
        typer.Option(
            "--edit",
            help="Edit the records in the browser, at /edit/; watches them too. Not for the open internet.",
        ),
    ] = False,
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="KB_TOKEN",
            metavar="TOKEN",
            help="What an editor has to give; needed with --edit and --host.",
        ),
    ] = "",
    database: DatabaseOption = "",
    rulings: Rulings = None,
) -> None:
    """Serve the built site and the API, to this machine only unless --host says otherwise.

    Example: kb serve --port 8080
    """
    from kb.server import require_server

    require_server()
    from kb.server.request_log import LOG_FORMATS
    from kb.server.run import Settings
    from kb.server.run import serve as run

    if log not in LOG_FORMATS:
        raise typer.BadParameter(
            f"{log!r} is not one of {', '.join(LOG_FORMATS)}", param_hint="--log"
        )
    if (watch or edit) and workers > 1:
        raise typer.BadParameter("watching and editing need one process", param_hint="--workers")
    if database:
        if watch or edit:
            raise typer.BadParameter(
                "a database holds builds; watching and editing need the records",
                param_hint="--database",
            )
        run(Settings("", "", "", host, port, log, workers, database=database), say)
        return
    places = places_of(rulings)
    settings = Settings(
        str(output),
        str(places.rulings),
        str(places.data),
        host,
        port,
        log,
        workers,
        watch=watch,
        token=token,
    )
    if edit:
        from kb.editor.routes import editor

        run(settings, say, editor)
    else:
        run(settings, say)
