"""Serving a base over HTTP: the site's files, the API, and a site that follows the records."""

from importlib import import_module

from kb.core.problems import KbError

# Modules of the packages that `pip install kb-rulings[server]` adds.
REQUIRED_MODULES = ("fastapi", "uvicorn", "watchfiles", "prometheus_client")


def require_server() -> None:
    """Raise KbError with the command that installs what the server needs, if that is missing."""
    for name in REQUIRED_MODULES:
        try:
            import_module(name)
        except ImportError:
            command = "pip install 'kb-rulings[server]'"
            raise KbError(f"kb serve needs {name}, which is not installed: {command}") from None
