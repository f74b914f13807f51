"""Watching: a save is built, problems keep the last site, and open pages show both."""

from __future__ import annotations

import errno
import io
import itertools
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient
from watchfiles import watch

from kb.commands.build import progress
from kb.commands.options import notify
from kb.core.problems import Problem
from kb.pipeline.paths import Paths
from kb.server.live_pages import LivePages
from kb.server.live_site import LiveSite
from kb.server.run import Settings, application
from kb.server.watch import (
    BuildOutcome,
    BuildProcess,
    BuildWatcher,
    LiveState,
    looks,
    run_build,
)
from tests.conftest import paths_of
from tests.serving import until

OPENED = {"Sec-Fetch-Mode": "navigate"}
Start = Callable[[Callable[[], BuildOutcome]], BuildWatcher]


def settings(folder: Path) -> Settings:
    return Settings(folder / "site", paths_of(folder), watch=True)


@pytest.fixture()
def watched(fresh: Path) -> Iterator[TestClient]:
    with TestClient(application(settings(fresh), print)) as client:
        yield client


def test_no_other_website_reads_drafts_and_paths_of_this_machine(watched: TestClient) -> None:
    for path in ("/live/state", "/api/v1/"):
        answer = watched.get(path, headers={"Origin": "https://elsewhere.example"})
        assert answer.status_code == 200 and "access-control-allow-origin" not in answer.headers


def test_only_a_page_that_a_person_opens_gets_the_script_and_its_assets(
    small_base: Path, watched: TestClient
) -> None:
    plain = (small_base / "site" / "index.html").read_bytes()
    assert watched.get("/").content == plain
    opened = watched.get("/", headers=OPENED).text
    attributes = r'data-revision="\d+" data-build="\d+" data-words="[^"]+"'
    tag = rf'<script src="/live/live.js" {attributes} defer></script>\n'
    script = re.search(tag, opened)
    assert script and opened.replace(script[0], "").encode() == plain
    assert "live.js" in watched.get("/nowhere", headers=OPENED).text
    assert b"live.js" not in watched.get("/static/kb.css", headers=OPENED).content
    # A page that only leads on has no script on which this one builds.
    moved = watched.get("/demo/rulings/single-pilot/", headers=OPENED).text
    assert "one-pilot" in moved and "live.js" not in moved
    for name in ("frame.html", "..%2fbase.html", "nothing.js"):
        assert watched.get(f"/live/{name}").status_code == 404
    known = {"If-None-Match": watched.get("/live/state").headers["etag"]}
    assert watched.get("/live/state", headers=known).status_code == 304


def test_without_watching_there_is_nothing_of_it(client: TestClient) -> None:
    assert client.get("/live/state").status_code == 404
    assert "live.js" not in client.get("/", headers=OPENED).text


def test_bad_records_and_no_site_yet(fresh: Path, tmp_path: Path) -> None:
    (fresh / "rulings" / "demo" / "pilots" / "bad.md").write_text("nothing", encoding="utf-8")
    paths = Paths(fresh / "rulings", tmp_path / "data")
    empty = Settings(tmp_path / "none", paths, watch=True)
    with TestClient(application(empty, print)) as client:
        answer = client.get("/", headers=OPENED, follow_redirects=False)
        assert answer.headers["location"] == "/live/problems"
        assert "bad.md:1" in client.get("/", headers=OPENED).text
        assert client.get("/readyz").status_code == 503


def test_a_failure_of_the_build_is_a_message(
    fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = paths_of(fresh)
    foreign = fresh / "foreign"
    foreign.mkdir()
    (foreign / "mine.txt").write_text("x", encoding="utf-8")
    assert "no build of the site made" in run_build(places, foreign).message
    assert run_build(Paths(fresh / "nowhere", fresh / "data"), fresh / "site").message
    assert not run_build(places, fresh / "site").message


def test_a_build_that_dies_or_is_stopped_is_told(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = BuildProcess(paths_of(fresh), fresh / "site")
    with monkeypatch.context() as patch:
        # It ends without an outcome.
        patch.setattr("kb.server.watch._build_in_child", print)
        assert "ended unexpectedly" in builder.build().message
    assert builder.build() == BuildOutcome(False)
    builder.stop()
    assert "ended unexpectedly" in builder.build().message


def test_an_open_page_hears_of_a_build_at_once_and_gets_few_of_many_problems(
    fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A build that is running is no news.
    many = tuple(Problem("a.md", line, "x") for line in range(5_000))
    states = [LiveState(1)] * 4 + [LiveState(1, building=True)] * 3 + [LiveState(2, problems=many)]
    records = LiveSite(paths_of(fresh), fresh / "site")
    pages = LivePages(records, lambda: states.pop(0) if states[1:] else states[0])
    (fresh / "site.yaml").write_text("name:\n  en: Ours\n", "utf-8")
    with TestClient(Starlette(routes=pages.routes())) as client:
        problems = client.get("/live/problems").text
        assert "– Ours</title>" in problems and "<span>Ours</span>" in problems
        first = client.get("/live/state").json()
        answer = client.get(f"/live/state?after={first['tag']}")
        second = answer.json()
        assert (first["revision"], second["revision"]) == (1, 2)
        assert second["count"] == 5_000 and second["problems"][0] == many[0].to_json()
        assert len(answer.content) < 2_000
        # Without news the answer comes before anybody gives up.
        monkeypatch.setattr("kb.server.live_pages.LONGEST_POLL", 0.05)
        assert client.get(f"/live/state?after={second['tag']}").json() == second


@pytest.fixture()
def start(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Watch the records, with a function in place of a build."""
    monkeypatch.setattr("kb.server.watch._RETRY", 0.01)
    monkeypatch.setattr("kb.server.watch._QUIET", 0.01)
    with ExitStack() as stack:

        def start(build: Callable[[], BuildOutcome]) -> BuildWatcher:
            monkeypatch.setattr(BuildProcess, "build", lambda _: build())
            watcher = BuildWatcher(paths_of(fresh), fresh / "site", print)
            stack.callback(watcher.stop)
            watcher.start()
            return watcher

        yield start


def test_what_is_saved_during_a_build_is_built_and_a_prevented_build_is_tried_again(
    fresh: Path, start: Start
) -> None:
    record = fresh / "rulings" / "demo" / "pilots" / "one-pilot.md"
    texts: list[str] = []
    prevented = BuildOutcome(False, (), "another build is running")
    outcomes = [BuildOutcome(True), prevented, prevented, BuildOutcome(True)]

    def build() -> BuildOutcome:
        texts.append(record.read_text(encoding="utf-8"))
        if len(texts) == 1:
            record.write_text(f"{texts[0]}\nMeanwhile.\n", encoding="utf-8")
        return outcomes.pop(0)

    watcher = start(build)
    until(lambda: watcher.state.builds == 2)
    assert texts[1].endswith("Meanwhile.\n") and len(texts) == 4 and not watcher.state.message


def test_what_takes_the_place_of_records_and_what_is_new_beside_them_is_watched(
    fresh: Path, start: Start
) -> None:
    place = fresh / "rulings"
    record = place / "demo" / "pilots" / "one-pilot.md"
    texts: list[str] = []

    def build() -> BuildOutcome:
        texts.append(record.read_text(encoding="utf-8") if record.exists() else "")
        return BuildOutcome(True)

    def edit(text: str) -> None:
        with record.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
        until(lambda: texts[-1].endswith(f"{text}\n"))

    start(build)
    shutil.copytree(place, fresh / "copy")
    # Renamed away, another one in its place: as a git checkout or a deployment does it.
    place.rename(fresh / "old")
    (fresh / "copy").rename(place)
    edit("renamed")
    # A folder of the game, as git does it.
    (place / "demo").rename(fresh / "game")
    shutil.copytree(fresh / "game", place / "demo")
    edit("a new folder")
    for name, text in (
        ("site.yaml", "accent: '#1d4f73'\n"),
        ("pages/imprint.md", "# en: Imprint\n\nUs.\n"),
        ("templates/static/kb.css", "x"),
    ):
        before = len(texts)
        (fresh / name).parent.mkdir(exist_ok=True, parents=True)
        (fresh / name).write_text(text, encoding="utf-8")
        until(lambda before=before: len(texts) > before)


@pytest.mark.parametrize("has_events", [True, False])
def test_a_spare_file_of_an_editor_is_not_a_change(
    has_events: bool, records: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def limited(*folders: Path, force_polling: bool | None, **options: Any) -> Any:
        if not has_events and not force_polling:
            raise OSError(errno.ENOSPC, "OS file watch limit reached")
        return watch(*folders, force_polling=force_polling, **options)

    monkeypatch.setattr("watchfiles.watch", limited)
    folder, stop = records / "demo" / "pilots", threading.Event()
    changes = looks(lambda: [records], stop)
    assert not next(changes)
    for name in (".one-pilot.md.123", "one-pilot.md~", ".one-pilot.md.swp", "#one-pilot.md#"):
        (folder / name).write_text("x", encoding="utf-8")
    assert not any(itertools.islice(changes, 3))
    (folder / "errata-speeder.md").write_text("x", encoding="utf-8")
    assert any(itertools.islice(changes, 50))
    stop.set()


@pytest.mark.parametrize("kind", ["closed", "broken", "none"])
def test_messages_without_a_terminal_stop_nothing(
    kind: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    broken, closed = os.fdopen(writing, "w", buffering=1), io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", {"closed": closed, "broken": broken, "none": None}[kind])
    notify("kb: a message")
    with progress() as report:
        assert report is None
    assert capsys.readouterr().out == ""
    with suppress(OSError):
        broken.close()
