"""A page on request is the page that a build writes, byte for byte."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb.core.problems import KbError
from kb.pipeline.build import build
from kb.pipeline.output_folder import listed_files
from kb.pipeline.paths import Paths
from kb.server.live_site import LiveSite, names_scripts
from tests.conftest import RULINGS, paths_of


class Live:
    """A built base, and its pages in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.game = folder, folder / "rulings" / "demo"
        self.paths, self.output = paths_of(folder), folder / "site"
        self.site = LiveSite(self.paths, self.output)
        self.site.reload()

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.folder / "rulings" / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def body(self, page: str) -> bytes:
        """A page of the site as it is shown; empty where there is none."""
        file = self.site.get(page)
        return (file and file.body) or b""

    def same_as_built(self) -> int:
        """Check all files of the site that are rendered on request; return how many there are."""
        before = listed_files(self.output) or {}
        assert self.site.reload()
        on_request: dict[str, bytes] = {}
        other = self.folder / "other" / "site"
        build(self.paths, other)
        after = listed_files(other) or {}
        for path in before.keys() | after.keys():
            try:
                on_request[path] = self.site.rendered(path)
            except KeyError:
                is_page = path.endswith("index.html") and path in after
                assert not is_page or names_scripts(path), path
        for path, data in on_request.items():
            assert data == (other / path).read_bytes(), path
        return len(on_request)


@pytest.fixture()
def live(fresh: Path) -> Live:
    return Live(fresh)


def test_a_page_on_request_is_that_of_the_build(live: Live) -> None:
    live.edit("demo/pilots/one-pilot.md", "# en: One pilot", "# en: A Star Destroyer: one pilot")
    live.edit("demo/game.yaml", "en: Pilots", "en: Crew")
    live.edit("demo/terms.yaml", "are built.", "are put together.")
    live.edit("demo/questions.tsv", "\tquestion\n", "\tquestion\none-pilot\tpl\tnowe pytanie?\n")
    (live.game / "pilots" / "example.md").unlink()
    text = (live.game / "errata" / "errata-speeder.md").read_text(encoding="utf-8")
    new = text.replace("The card reads", "Darth Sidious is now a unit; the card reads")
    (live.game / "errata" / "a-first.md").write_text(new, encoding="utf-8")
    (live.folder / "site.yaml").write_text("accent: '#4d1f73'\nname:\n  en: Ours\n")
    (live.folder / "pages").mkdir()
    (live.folder / "pages" / "imprint.md").write_text("# en: Imprint\n\nUs.\n")
    static = live.folder / "templates" / "static"
    static.mkdir(parents=True)
    (static / "theme.js").write_text("// Another one.\n")
    assert live.same_as_built() > 60


@pytest.mark.thorough
def test_so_it_is_of_the_three_games(real_base: Path, tmp_path: Path) -> None:
    shutil.copytree(RULINGS, tmp_path / "rulings")
    shutil.copytree(real_base / "data", paths_of(tmp_path).data)
    shutil.copytree(real_base / "site", tmp_path / "site")
    live = Live(tmp_path)
    for game in ("swtcg", "babylon5", "berserk"):
        record = next((tmp_path / "rulings" / game).glob("*/*.md"))
        name = record.relative_to(tmp_path / "rulings").as_posix()
        live.edit(name, "\n# en: ", "\n# en: Again: ")
    assert live.same_as_built() > 700


def test_a_page_has_three_questions_in_its_language(live: Live) -> None:
    rows = "".join(f"one-pilot\tpl\tpytanie {number}?\n" for number in range(5))
    text = f"ruling\tlang\tquestion\n{rows}one-pilot\ten\ta question?\n"
    (live.game / "questions.tsv").write_text(text, encoding="utf-8")
    assert live.site.reload()
    page = "demo/rulings/one-pilot/index.html"
    english, polish = (live.body(folder + page).decode() for folder in ("", "pl/"))
    assert [f"pytanie {number}?" in polish for number in range(5)] == [True] * 3 + [False] * 2
    assert "a question?" in english and "a question?" not in polish and "pytanie" not in english


def test_one_page_after_the_other(live: Live) -> None:
    page = "pl/demo/rulings/one-pilot/index.html"
    built = (live.output / page).read_bytes()
    assert not live.site.reload() and live.body(page) == built
    for word in ("pierwszy", "drugi"):
        live.edit("demo/pilots/one-pilot.md", "# pl: ", f"# pl: {word} ")
        assert live.site.reload()
        assert word.encode() in live.body(page) and live.body(page) != built
        # What names files of the search, and what is no page, is that of the build.
        for name in ("search/index.html", "built.js", "offline/index.json"):
            assert live.body(name) == (live.output / name).read_bytes()


def test_problems_leave_what_is_shown(live: Live) -> None:
    page, record = "demo/rulings/errata-speeder/index.html", "demo/errata/errata-speeder.md"
    live.edit(record, "# en: ", "# en: Newly ")
    assert live.site.reload()
    live.edit(record, "kind: errata", "kind: law")
    with pytest.raises(KbError) as error:
        live.site.reload()
    assert [problem.line for problem in error.value.problems] == [2]
    assert b"Newly" in live.body(page)
    live.edit(record, "kind: law", "kind: errata")
    assert not live.site.reload()
    # So does a template that is broken; the build says what is wrong with it.
    (live.folder / "templates").mkdir()
    (live.folder / "templates" / "ruling.html").write_text("{{ nothing.there }}")
    assert live.site.reload()
    assert live.body(page) == (live.output / page).read_bytes()


def test_without_a_build_there_is_nothing_to_show(fresh: Path, tmp_path: Path) -> None:
    live = LiveSite(Paths(fresh / "rulings", tmp_path / "nothing"), tmp_path / "site")
    assert not live.reload()
    assert live.get("index.html") is None
