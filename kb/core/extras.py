"""The extras of the package, and whether they are installed."""

from __future__ import annotations

from importlib import import_module

from kb.core.problems import KbError

# The modules that `pip install kb-rulings[extra]` adds, by extra.
EXTRAS = {
    "server": ("fastapi", "uvicorn", "watchfiles"),
    "postgres": ("psycopg",),
    "mcp": ("mcp.server.mcpserver",),
    "discord": ("nacl.signing",),
}


def require_extra(extra: str) -> None:
    """Raise KbError, with the command that installs the extra, if one of its modules is missing."""
    for module in EXTRAS[extra]:
        try:
            import_module(module)
        except ImportError:
            command = f"pip install 'kb-rulings[{extra}]'"
            raise KbError(f"this needs {module}, which is not installed: {command}") from None
