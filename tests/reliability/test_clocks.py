"""Clocks that go back, and any day that a build is said to be of."""

from __future__ import annotations

import os
import time

from tests.command_line import RunCommand
from tests.reliability.conftest import Base

YEAR = 365 * 86_400


def changed(base: Base) -> bool:
    return base.places.changed_since_build() is not None


def test_clocks_that_are_put_back(base: Base) -> None:
    record, now = base.folder / "rulings" / "demo" / "pilots" / "one-pilot.md", time.time()
    current = base.places.data / "current"
    os.utime(current, (now, now))
    assert not changed(base)
    # A record from the future is not news for ever: no build at every step.
    os.utime(record, (now + YEAR, now + YEAR))
    assert not changed(base)
    # A build from the future hides what is newer; the next build puts that right.
    os.utime(current, (now + YEAR, now + YEAR))
    assert changed(base)
    base.build()
    assert not changed(base)
    # Content counts for a build, not times: an edit that bears an old time is taken in.
    base.edit("dawny")
    os.utime(record, (now - 20 * YEAR, now - 20 * YEAR))
    base.build()
    assert base.found("dawny") == ["one-pilot"]


def test_any_day_that_a_build_is_said_to_be_of(base: Base, kb: RunCommand) -> None:
    kb("build", "--force", cwd=base.folder, SOURCE_DATE_EPOCH="0")
    base.check_site()
    for epoch in ("x", "1.5", "9" * 30, "²", "-99999999999999"):
        done = kb("build", "--force", cwd=base.folder, code=1, SOURCE_DATE_EPOCH=epoch)
        assert "SOURCE_DATE_EPOCH" in done.stderr, epoch
    assert base.found("zerowy") == ["one-pilot"]
