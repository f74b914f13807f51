"""Fixtures of all tests: the small game, the project's own records, and bases built once a run."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from filelock import FileLock

from kb.core.plugins import plugins
from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from kb.records.library import Library, load
from kb.search.searcher import Searcher
from tests.command_line import RunCommand, call_kb, checked
from tests.selection import (  # noqa: F401
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_sessionstart,
    pytest_terminal_summary,
    pytest_xdist_auto_num_workers,
)

# Builds bear their date; a fixed one keeps snapshots what they are.
os.environ["SOURCE_DATE_EPOCH"] = "1767225600"
HERE = Path(__file__).parent
PROJECT = HERE.parent
GOOD = HERE / "records" / "good"
RULINGS = PROJECT / "rulings"
SHARED = PROJECT.parent / "shared"
BuildOnce = Callable[[str, Callable[[Path], object]], Path]


def contents(folder: Path) -> dict[str, bytes]:
    """The files of a folder, by their addresses in it."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def paths_of(folder: Path) -> Paths:
    """The paths of the base in a folder."""
    return Paths(folder / "rulings", folder / ".kb" / "rulings")


def stored(path: Path, current: str) -> str:
    """A text that a test compares with; KB_RENEW=1 stores the current one, to be looked at."""
    if os.environ.get("KB_RENEW"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(current, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def good() -> Library:
    return load(GOOD)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """A copy of the small game that a test may change, in rulings/ of an otherwise empty folder."""
    return Path(shutil.copytree(GOOD, tmp_path / "rulings"))


@pytest.fixture(scope="session")
def rulings() -> Library:
    return load(RULINGS)


@pytest.fixture(scope="session")
def build_once(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> BuildOnce:
    """Return the folder of a name, filled by a function in the first process that asks for it.

    All processes of a run get the same folder: no test may change what is in it.
    """
    root = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        root = root.parent

    def folder_of(name: str, fill: Callable[[Path], object]) -> Path:
        folder, complete = root / name, root / f"{name}.complete"
        with FileLock(root / f"{name}.lock"):
            if not complete.exists():
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir()
                fill(folder)
                complete.touch()
        return folder

    return folder_of


@pytest.fixture(scope="session")
def small_base(build_once: BuildOnce) -> Iterator[Path]:
    """The small game, built where `kb` looks: rulings/, site/ and .kb/.

    Tests copy it in other processes at any time, so that nothing may be written beside these.
    """

    def fill(folder: Path) -> None:
        # Away from this repository, whose history would appear on the pages.
        shutil.copytree(GOOD, folder / "rulings")
        build(paths_of(folder), folder / "site")

    folder = build_once("small-base", fill)
    yield folder
    assert {path.name for path in folder.iterdir()} == {"rulings", "site", ".kb"}


@pytest.fixture
def fresh(small_base: Path, tmp_path: Path) -> Path:
    """A copy of the built small game that a test may change."""
    return Path(shutil.copytree(small_base, tmp_path / "base"))


@pytest.fixture(scope="session")
def real_base(build_once: BuildOnce) -> Path:
    """The project's own rulings, built: site/ and, in data/, what searching needs."""

    def fill(folder: Path) -> None:
        build(Paths(RULINGS, folder / "data"), folder / "site")

    return build_once("real-base", fill)


@pytest.fixture(scope="session")
def evil(build_once: BuildOnce) -> Path:
    """A game of which every field is an attack: its records, sites and pack; not to be changed."""
    from tests.security.hostile import build_all

    return build_once("hostile-base", build_all)


@pytest.fixture(scope="session")
def small_build(small_base: Path) -> Path:
    """The small game's build: store, index and table of forms; not to be changed."""
    return paths_of(small_base).current


@pytest.fixture(scope="session")
def small_searcher(small_build: Path) -> Iterator[Searcher]:
    with Searcher(small_build) as searcher:
        yield searcher


@pytest.fixture(scope="session")
def real_build(real_base: Path) -> Path:
    """The build of the project's own rulings; not to be changed."""
    return Paths(RULINGS, real_base / "data").current


@pytest.fixture(scope="session")
def real_searcher(real_build: Path) -> Iterator[Searcher]:
    with Searcher(real_build) as searcher:
        yield searcher


@pytest.fixture(scope="session")
def real_pack(build_once: BuildOnce, real_base: Path, rulings: Library) -> Path:
    """The event pack of a game of the project's rulings: pack.html, Polish and English."""
    from kb.commands.pack import write_pack

    def fill(folder: Path) -> None:
        places = Paths(RULINGS, real_base / "data")
        count, _ = write_pack(places, folder / "pack.html", ["swtcg"], ["pl", "en"], "pl")
        assert count == len(rulings.of_game("swtcg"))

    return build_once("real-pack", fill) / "pack.html"


@pytest.fixture(scope="session")
def kb() -> RunCommand:
    """Call `kb` in this process: `kb(*words, cwd=folder, code=0, text=stdin, NAME=value)`."""
    return checked(call_kb)


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[Path]:
    """An empty folder of packages, where this process finds what a test installs."""
    folder = tmp_path / "environment"
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        plugins.cache_clear()
        yield folder
    plugins.cache_clear()
    for path in folder.glob("*.py"):
        sys.modules.pop(path.stem, None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The source documents and catalogues in ../shared; without them the test is skipped."""
    if not (SHARED / "sources" / "outline.tsv").is_file():
        pytest.skip("the source documents are not beside the checkout (../shared)")
    return SHARED
