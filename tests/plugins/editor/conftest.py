"""The fixtures of the server tests."""

from tests.server.conftest import application, built, client, fresh  # noqa: F401
