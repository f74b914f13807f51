"""`site.yaml` and `pages/`: what is read, and each problem with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.colours import DARK_PAGE, LIGHT_PAGE, MIN_CONTRAST, contrast
from kb.records.site_config import read_site_files, site_file_problems


def problems(folder: Path, text: str) -> list[str]:
    (folder / "rulings").mkdir(exist_ok=True)
    (folder / "site.yaml").write_text(text, encoding="utf-8")
    files = read_site_files(folder / "rulings", ["demo"])
    return [str(problem).removeprefix(f"{folder.as_posix()}/") for problem in files.problems]


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("https://example.org/new?title={title}&body={text}#{id}", ""),
        ("mailto:judge@example.org", ""),
        ("ftp://example.org/{title}", "it must start with https:// or mailto:"),
        ("javascript:alert(1)//{title}", "it must start with https:// or mailto:"),
        (
            "https://example.org/{titel}",
            "{titel} is unknown; write an address with {title}, {id}, {url}, {text}",
        ),
        ("https://example.org/{}", "{} is unknown"),
    ],
)
def test_where_readers_report(address: str, told: str, tmp_path: Path) -> None:
    found = problems(tmp_path, f"name:\n  en: X\nreport: {address}\n")
    assert [problem[:20] for problem in found] == (["site.yaml:3: report:"] if told else [])
    assert told in "".join(found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("accent: '#fc0'\n", "1: accent: '#fc0' is not a colour; write six hexadecimal digits"),
        ("logo: ../secret.png\n", "1: logo: '../secret.png' is not a file beside site.yaml that"),
        ("contact: javascript:alert(1)\n", "1: contact: 'javascript:alert(1)' is not a URL; it"),
        ("name:\n  english: X\n", "2: name.english: 'english' is not a language code such as pl"),
        ("introductions:\n  chess:\n    en: Hm\n", "2: introductions: no game chess; delete it,"),
        ("name:\n  en: X\nlogo: logo.png\n", "3: logo: no file logo.png"),
        ("nmae:\n  en: X\n", "1: nmae: unknown key; did you mean name?"),
    ],
)
def test_problems_have_their_lines(text: str, expected: str, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, text)
    assert problem.startswith(f"site.yaml:{expected}")


@pytest.mark.parametrize("colour", ["#ffcc00", "#ff69b4", "#ffffff"])
def test_a_colour_that_cannot_be_read_is_refused_with_a_better_one(
    colour: str, tmp_path: Path
) -> None:
    (problem,) = problems(tmp_path, f"accent: '{colour}'\n")
    assert "4.5 is needed" in problem
    better = problem.rpartition("as '")[2].partition("'")[0]
    assert problems(tmp_path, f"accent: '{better}'\n") == []
    config = read_site_files(tmp_path / "rulings").config
    assert contrast(config.accent, LIGHT_PAGE) >= MIN_CONTRAST
    assert contrast(config.dark_accent, DARK_PAGE) >= MIN_CONTRAST


def test_pages_are_sections_by_language(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (tmp_path / "rulings").mkdir()
    (pages / "about.md").write_text("# en: About\n\nWe.\n\n# pl: O nas\n\nMy.\n", encoding="utf-8")
    files = read_site_files(tmp_path / "rulings")
    assert [(text.lang, text.title, text.body) for text in files.pages["about"]] == [
        ("en", "About", "We."),
        ("pl", "O nas", "My."),
    ]
    (pages / "Bad Name.md").write_text("# en: X\n\nY\n", encoding="utf-8")
    (pages / "empty.md").write_text("no heading\n", encoding="utf-8")
    files = read_site_files(tmp_path / "rulings")
    assert {Path(problem.path).name for problem in files.problems} == {"Bad Name.md", "empty.md"}
    assert list(files.pages) == ["about"]


def test_what_lies_elsewhere_or_is_huge_is_not_read(tmp_path: Path) -> None:
    base = tmp_path / "base"
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "logo.svg").write_text("<svg/>", encoding="utf-8")
    (tmp_path / "private" / "secret.md").write_text("# en: Secret\n\nx\n", encoding="utf-8")
    base.mkdir()
    (base / "pages").symlink_to(tmp_path / "private")
    (base / "assets").symlink_to(tmp_path / "private")
    found = problems(base, "logo: assets/logo.svg\n")
    assert sum("behind a symbolic link" in problem for problem in found) == 2
    assert not read_site_files(base / "rulings").pages
    with (base / "site.yaml").open("wb") as file:
        file.truncate(10_000_000_000)
    files = read_site_files(base / "rulings")
    assert "larger than 1000 KB" in files.problems[-1].message


def test_one_file_is_checked_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = tmp_path / "rulings" / "demo"
    pages = tmp_path / "pages"
    for folder in (game / "pages", pages):
        folder.mkdir(parents=True)
    (game / "game.yaml").write_text("", encoding="utf-8")
    (pages / "about.md").write_text("# en: About\n\nWe.\n", encoding="utf-8")
    (pages / "empty.md").write_text("no heading\n", encoding="utf-8")
    config = "nmae: X\nintroductions:\n  chess:\n    en: Hm\n"
    (tmp_path / "site.yaml").write_text(config, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def places(path: str) -> list[str]:
        found = site_file_problems(Path(path))
        assert found is not None
        return [f"{problem.path}:{problem.line}" for problem in found]

    assert places("site.yaml") == ["site.yaml:1", "site.yaml:3"]
    assert places("pages/about.md") == []
    assert places("pages/empty.md") == places("pages") == ["pages/empty.md:1"]
    for record in ("rulings/demo/pages/x.md", "rulings", "other.md"):
        assert site_file_problems(Path(record)) is None
