"""The fixtures of the command tests."""

from tests.commands.conftest import base, fresh  # noqa: F401
