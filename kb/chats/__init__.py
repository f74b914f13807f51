"""Answers in chats: Discord by HTTP interactions, Telegram by webhook."""

from kb.core.problems import KbError


def require_discord() -> None:
    """Raise KbError with the command that installs what checks signatures, if it is missing."""
    try:
        import nacl.signing  # noqa: F401
    except ImportError:
        command = "pip install 'kb-rulings[discord]'"
        raise KbError(f"the package PyNaCl is not installed: {command}") from None
