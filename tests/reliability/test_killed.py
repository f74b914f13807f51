"""kill -9 at any moment of a build leaves the old or the new one, and the next build succeeds."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial

import pytest

from kb.core.problems import KbError
from kb.pipeline.staging import build_lock
from tests.command_line import RunCommand
from tests.reliability.conftest import Base
from tests.selection import thorough

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


def _forked(work: Callable[[], None]) -> int:
    """Does work in a process of its own, as a command would; its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.setsid()
        work()
        code = 0
    finally:
        os._exit(code)


Event = Callable[[str, tuple[object, ...]], bool]


def changes_places(event: str, arguments: tuple[object, ...]) -> bool:
    """A rename of what is finished, an exchange, the removal of an old folder."""
    return (
        (event == "os.rename" and ".kb-new-" not in str(arguments[1]))
        or (event == "ctypes.dlsym" and arguments[1] == "renameat2")
        or event == "shutil.rmtree"
    )


def _events(base: Base, work: Callable[[], None], counts: Event) -> int:
    """How many events that `counts` names Python raises in a process that does the work."""
    path = base.folder.parent / "events"

    def counted() -> None:
        events = 0

        def heard(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal events
            events += counts(event, arguments)

        sys.addaudithook(heard)
        work()
        path.write_text(str(events), encoding="utf-8")

    os.waitpid(_forked(counted), 0)
    return int(path.read_text(encoding="utf-8"))


def _killed_at(work: Callable[[], None], counts: Event, number: int) -> bool:
    """Do the work in a process that is killed just before an event; whether it was."""

    def until_then() -> None:
        process, left = os.getpid(), number

        def heard(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if counts(event, arguments) and os.getpid() == process:
                left -= 1
                if left < 0:
                    os.kill(process, signal.SIGKILL)

        sys.addaudithook(heard)
        work()

    status = os.waitpid(_forked(until_then), 0)[1]
    return os.waitstatus_to_exitcode(status) == -signal.SIGKILL


class Kills:
    """Kills builds of a base, each after an edit, and looks at what is left."""

    def __init__(self, base: Base) -> None:
        self.base, self.word, self.killed, self.tried = base, "drugiabc", 0, 0
        base.edit(self.word)
        base.build()

    def events(self, counts: Event) -> int:
        self.base.edit("licznik")
        events = _events(self.base, self.base.build, counts)
        self.word = "licznik"
        return events

    def kill(self, counts: Event, number: int) -> None:
        base, new = self.base, f"wyraz{self.tried}abc"
        base.edit(new)
        self.killed += _killed_at(base.build, counts, number)
        self.tried += 1
        base.check_data()
        base.check_site()
        found = base.found(new), base.found(self.word)
        assert sorted(found) == [[], ["one-pilot"]], "the index is one build's"
        base.build()
        # Killed when all was in its place but for the removal of what is old: a build that has
        # nothing to do leaves that, and the lock file of a staging directory, to the next.
        assert not [name for name in base.litter(most=3) if not name.endswith(".lock")]
        assert base.found(new) == ["one-pilot"]
        base.check_site()
        base.check_data()
        self.word = new


@pytest.mark.parametrize("step", [4, *thorough(1)])
def test_a_build_is_killed_where_something_takes_anothers_place(step: int, base: Base) -> None:
    kills = Kills(base)
    events = kills.events(changes_places)
    tried = range(0, events, step)
    for number in tried:
        kills.kill(changes_places, number)
    assert events >= 4 and kills.killed == len(tried)
    base.build(force=True)
    assert not base.litter()


def test_a_killed_build_takes_its_processes_with_it(base: Base) -> None:
    base.edit("inny")
    pages = 30

    def opened(event: str, arguments: tuple[object, ...]) -> bool:
        return event == "open"

    assert _killed_at(partial(base.build, force=True), opened, pages)
    # None is left that would hold the lock, or write on into what the next build clears away.
    base.build()
    assert not base.litter()


def test_two_builds_at_once(base: Base, kb: RunCommand) -> None:
    base.edit("inny")
    with build_lock(base.places.data):
        done = kb("build", cwd=base.folder)
        assert done.returncode == 1
        assert "another build is at work" in done.stderr
        assert "wait for it to end" in done.stderr
        assert base.found("zerowy") == ["one-pilot"]
        with pytest.raises(KbError, match="another build"):
            base.build()
        assert kb("search", "zerowy", cwd=base.folder).returncode == 0
    assert kb("build", cwd=base.folder).returncode == 0
    assert base.found("inny") == ["one-pilot"]


def test_the_lock_of_a_build_that_was_killed_hinders_nobody(base: Base) -> None:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom kb.pipeline.staging import build_lock\n"
        "with build_lock(Path(sys.argv[1])):\n    print('locked', flush=True)\n    time.sleep(600)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(base.places.data)], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == "locked\n"
        base.edit("inny")
        with pytest.raises(KbError, match="another build"):
            base.build()
        holder.kill()
    base.build()
    assert base.found("inny") == ["one-pilot"]
