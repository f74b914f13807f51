"""`kb new base`: the starting repository, and a site of one's own without a fork."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

from kb.site.branding import ACCENT, DARK_ACCENT
from kb.site.templates import PACKAGED
from tests.command_line import RunCommand
from tests.conftest import BuildOnce
from tests.records.test_history import git

OWN = """\
short-name:
  pl: Orzeczenia
contact: https://example.org/contact
legal:
  pl: Strona nieoficjalna.
introductions:
  example:
    pl: Zastąp ją swoją.
"""
ABOUT = "# en: About\n\nWho we are.\n\n# pl: O stronie\n\nKim jesteśmy.\n"


@pytest.fixture(scope="module")
def own_site(build_once: BuildOnce, kb: RunCommand) -> Path:
    """The starting repository with a logo, a colour and one template, built as its README says."""

    def fill(folder: Path) -> None:
        written = kb("new", "base", "mine", cwd=folder)
        base = folder / "mine"
        assert "cd mine && git init -b main, then: kb check" in written.stderr
        assert "mine/.github/workflows/publish.yml" in written.stdout.splitlines()
        config = (base / "site.yaml").read_text(encoding="utf-8")
        config = config.replace("# logo:", "logo:").replace("#1d4f73", "#7a1f5c")
        (base / "site.yaml").write_text(config + OWN, encoding="utf-8")
        (base / "pages").mkdir()
        (base / "pages" / "about.md").write_text(ABOUT, encoding="utf-8")
        (base / "logo.svg").write_text("<svg/>", encoding="utf-8")
        (base / "templates").mkdir()
        (base / "templates" / "404.html").write_text(
            '{% extends "base.html" %}\n{% block main %}<h1>Lost?</h1>{% endblock %}\n',
            encoding="utf-8",
        )
        kb("check", "--strict", cwd=base)
        kb("build", "--output", "public", "--interface", "en,pl", cwd=base)

    return build_once("own-site", fill) / "mine"


def page(base: Path, address: str) -> str:
    return (base / "public" / address).read_text(encoding="utf-8")


def test_the_starting_repository_checks_and_builds(own_site: Path, kb: RunCommand) -> None:
    answer = json.loads(kb("search", "strażnik", "--json", cwd=own_site).stdout)
    assert [hit["id"] for hit in answer["results"]] == ["guard-protects"]
    again = kb("new", "base", str(own_site), cwd=own_site, code=1)
    assert "not empty; choose an empty or new folder" in again.stderr


def test_only_the_job_that_publishes_may_write(own_site: Path) -> None:
    text = (own_site / ".github/workflows/publish.yml").read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    writers = [
        name
        for name, job in workflow["jobs"].items()
        if "write" in {**workflow["permissions"], **job["permissions"]}.values()
    ]
    assert writers == ["publish"]
    assert workflow["jobs"]["publish"]["if"] == "github.event_name == 'push'"
    # kb is on no package index.
    (install,) = (step for step in workflow["jobs"]["build"]["steps"] if "KB_PACKAGE" in str(step))
    assert install["run"].startswith('pip install "${KB_PACKAGE:-$(ls wheels/*.whl ')
    # What the host says reaches the shell as a variable, never as a part of the command.
    assert not any("${{" in step.get("run", "") for step in workflow["jobs"]["build"]["steps"])


def test_pages_have_the_name_the_logo_and_the_footer(own_site: Path) -> None:
    home, polish = page(own_site, "index.html"), page(own_site, "pl/example/index.html")
    assert "<title>mine</title>" in home and "Card-game rulings" not in home
    assert '<span class="short">Orzeczenia</span>' in polish
    assert 'class="logo" src="../../static/logo.svg?' in polish
    assert "Strona nieoficjalna." in polish and "Zastąp ją swoją." in polish
    assert '<a href="../pages/about/index.html">O stronie</a>' in polish
    assert '<a href="https://example.org/contact">Kontakt</a>' in polish
    assert "<h1>O stronie</h1>" in page(own_site, "pl/pages/about/index.html")
    assert json.loads(page(own_site, "manifest.webmanifest"))["name"] == "mine"
    # One template overrides, and the others stay.
    assert "<h1>Lost?</h1>" in page(own_site, "404.html") and "<h1>mine</h1>" in home


def test_the_accent_colour_is_in_every_place_of_the_usual_one(own_site: Path) -> None:
    usual = (PACKAGED / "static" / "kb.css").read_text(encoding="utf-8")
    assert f"--accent: light-dark({ACCENT}, {DARK_ACCENT})" in usual
    sheet = page(own_site, "static/kb.css")
    assert "--accent: #7a1f5c" in sheet and ACCENT not in sheet and DARK_ACCENT not in sheet
    assert '<meta name="theme-color" content="#7a1f5c">' in page(own_site, "index.html")


def test_a_bad_site_file_stops_the_build(own_site: Path, tmp_path: Path, kb: RunCommand) -> None:
    shutil.copytree(own_site / "rulings", tmp_path / "rulings")
    (tmp_path / "site.yaml").write_text("colour: red\n", encoding="utf-8")
    for words in (("check",), ("check", "site.yaml")):
        said = kb(*words, cwd=tmp_path, code=1).stdout
        assert said.startswith("site.yaml:1: colour: unknown key")
    assert "nothing was published" in kb("build", cwd=tmp_path, code=1).stderr


def test_a_pack_has_the_colour_and_the_logo(own_site: Path, tmp_path: Path, kb: RunCommand) -> None:
    kb("pack", "--output", str(tmp_path / "pack.html"), cwd=own_site)
    text = (tmp_path / "pack.html").read_text(encoding="utf-8")
    assert "--accent: #7a1f5c" in text and ACCENT not in text and DARK_ACCENT not in text
    assert '<img class="logo" src="data:image/svg+xml;base64,PHN2Zy8+"' in text


def test_a_base_of_a_game_has_no_example_to_replace(tmp_path: Path, kb: RunCommand) -> None:
    """Nothing that its curator has not said himself is on the site."""
    words = ("--game", "brambora", "--name", "Brambora: hra", "--lang", "cs,en")
    kb("new", "base", "mine", *words, cwd=tmp_path)
    base = tmp_path / "mine"
    assert [path.name for path in (base / "rulings").iterdir()] == ["brambora"]
    assert kb("check", cwd=base).stdout == ""
    kb("new", "brambora", "general", "first", cwd=base)
    assert "still TODO" in kb("check", cwd=base, code=1).stdout
    record = base / "rulings" / "brambora" / "general" / "first.md"
    written = re.sub("TODO.*", "Ano", record.read_text(encoding="utf-8"))
    record.write_text(written, encoding="utf-8")
    git(base, "init")
    git(base, "add", ".")
    kb("build", "--output", "public", cwd=base)
    # What a build leaves, also one that was killed, is not for git.
    for name in (".public.kb-new", ".public.kb-old"):
        (base / name).mkdir()
        (base / name / "index.html").touch()
    assert git(base, "ls-files", "--others", "--exclude-standard") == ""
    for address in ("index.html", "cs/index.html"):
        text = page(base, address)
        assert "<title>Brambora: hra</title>" in text
        assert "xample" not in text.replace("examples", "") and "league" not in text
    for option, value, message in (
        ("--game", "A b", "is not a game's id"),
        ("--lang", "cs", "name it with --game"),
    ):
        refused = kb("new", "base", "x", option, value, cwd=tmp_path, code=2).stderr
        assert message in refused and not (tmp_path / "x").exists()
