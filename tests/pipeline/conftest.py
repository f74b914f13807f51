"""The small base that tests break, as in tests/reliability."""

from tests.reliability.conftest import _base, base  # noqa: F401
