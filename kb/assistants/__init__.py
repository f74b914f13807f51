"""Answers for language models: tools and resources of the Model Context Protocol."""

from kb.core.problems import KbError


def require_mcp() -> None:
    """Raise KbError with the command that installs the protocol's SDK, if that is missing."""
    try:
        import mcp.server.mcpserver  # noqa: F401
    except ImportError:
        command = "pip install 'kb-rulings[mcp]'"
        raise KbError(f"the package mcp is not installed: {command}") from None
