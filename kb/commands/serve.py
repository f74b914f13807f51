"""`kb serve`: the built site and the API over HTTP."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from kb import assistants, chats
from kb.commands.options import (
    BaseUrl,
    Database,
    Rulings,
    Site,
    notify,
    paths_for,
)
from kb.core.extras import SERVER

if TYPE_CHECKING:
    from kb.server.run import EditorFactory

network = partial(typer.Option, rich_help_panel="Network")
editing = partial(typer.Option, rich_help_panel="Editing")
chat_option = partial(typer.Option, rich_help_panel="Chats")
# Telegram allows 1 to 256 characters; fewer than 16 could be guessed.
_SECRET = re.compile("[A-Za-z0-9_-]{16,256}")


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
        editing("--watch", help="Rebuild when a record or template changes; open pages follow."),
    ] = False,
    edit: Annotated[
        bool,
        editing(
            "--edit",
            help="Edit records in the browser at /edit/; implies --watch. Not for the internet.",
        ),
    ] = False,
    token: Annotated[
        str,
        editing(
            envvar="KB_TOKEN",
            metavar="TOKEN",
            help="The token that editors log in with; required with --edit and --host.",
        ),
    ] = "",
    unanswered: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Append queries without an answer: day, match and words, nothing of the asker.",
        ),
    ] = None,
    mcp: Annotated[
        bool, typer.Option("--mcp", help="Also answer assistants at /mcp (Model Context Protocol).")
    ] = False,
    discord: Annotated[
        str,
        chat_option(
            metavar="PUBLIC_KEY",
            help="Answer Discord's interactions at /discord; needs --base-url.",
        ),
    ] = "",
    telegram: Annotated[
        bool,
        chat_option(
            "--telegram",
            help="Answer Telegram's webhook at /telegram; needs --base-url and a secret token.",
        ),
    ] = False,
    telegram_secret: Annotated[
        Path | None,
        chat_option(
            metavar="FILE",
            help="The file with the webhook's secret token (default: KB_TELEGRAM_SECRET).",
        ),
    ] = None,
    base_url: BaseUrl = "",
    database: Database = "",
    rulings: Rulings = None,
) -> None:
    """Serve the built site and the API, on this machine only unless --host is given.

    Examples:
    kb serve --port 8080
    kb serve --edit
    """
    SERVER.require()
    from kb.server import run

    if mcp:
        assistants.EXTRA.require()
    if (discord or telegram) and not base_url:
        raise typer.BadParameter(
            "--discord and --telegram need it: chats open only whole addresses",
            param_hint="--base-url",
        )
    if discord:
        chats.EXTRA.require()
        from kb.chats.http import SignatureVerifier

        SignatureVerifier(discord)
    if (watch or edit) and workers > 1:
        raise typer.BadParameter("--watch and --edit need one process", param_hint="--workers")
    if (watch or edit) and database:
        raise typer.BadParameter(
            "a database holds builds; --watch and --edit need the records", param_hint="--database"
        )
    editor: EditorFactory | None = None
    if edit:
        from kb.editor import routes

        editor = routes.editor
    paths = None if database else paths_for(rulings, own=watch or edit)
    settings = run.Settings(
        site=output,
        paths=paths,
        host=host,
        port=port,
        log=log,
        workers=workers,
        watch=watch,
        token=token if paths else "",
        database=database,
        base_url=base_url,
        mcp=mcp,
        discord_key=discord,
        telegram_secret=_read_secret(telegram_secret) if telegram else "",
        unanswered=unanswered.absolute() if unanswered else None,
        editor=editor,
    )
    run.serve(settings, notify)


def _read_secret(file: Path | None) -> str:
    """Return Telegram's secret token from a file or the environment.

    Other users of the machine would see it on the command line.
    """
    option = "--telegram-secret"
    try:
        text = file.read_text("utf-8") if file else os.environ.get("KB_TELEGRAM_SECRET", "")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text"
        raise typer.BadParameter(f"{file}: {reason}", param_hint=option) from None
    secret = text.strip()
    if not _SECRET.fullmatch(secret):
        raise typer.BadParameter(
            "the secret token has 16 to 256 letters, digits, _ and -, in this file or in"
            " KB_TELEGRAM_SECRET; `openssl rand -hex 32` makes one",
            param_hint=option,
        )
    return secret
