"""The documents say what is so: commands, options, variables, modules, links, fields."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import click
import pytest

from kb.commands.help import FOR_CONTRIBUTORS, read_guides
from kb.commands.main import app
from kb.records.fields import HEADER_FIELDS
from tests.command_line import RunCommand
from tests.conftest import PROJECT, stored
from tests.packages import left_out
from tests.test_architecture import MAP

README = PROJECT / "README.md"
GUIDES = sorted((PROJECT / "kb" / "help").glob("*.md"))
PLUGIN_GUIDES = sorted((PROJECT / "kb" / "plugins").glob("*/guide.md"))
DOCUMENTS = [README, *GUIDES, *PLUGIN_GUIDES, *sorted((PROJECT / ".github").glob("*.md"))]

_INDENTED = re.compile(r"^(?: {4}|\t)(.*)$", re.MULTILINE)
_SPAN = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_END_OF_COMMAND = re.compile(r"\s(?:<|>|\||&&|;)\s|$")


class Quoted(NamedTuple):
    """A command line of a document: `words` follow the name of the program."""

    path: Path
    line: str
    words: list[str]
    whole: bool


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    return path.relative_to(PROJECT).as_posix()


def command_lines(path: Path) -> Iterator[Quoted]:
    """Yield every `kb ...` of a document; those in code blocks are whole command lines."""
    text = text_of(path)
    for whole, lines in ((True, _INDENTED.findall(text)), (False, _SPAN.findall(text))):
        for line in lines:
            for part in line.split("&&"):
                quoted = re.match(r"\s*(?:\.venv/bin/)?kb(?=\s)(.*)", part)
                if quoted and not quoted[1].strip().startswith("..."):
                    command = quoted[1][: _END_OF_COMMAND.search(quoted[1]).start()]
                    words = shlex.split(command, comments=True)
                    yield Quoted(path, line.strip(), words, whole and "..." not in words)


def links_of(path: Path) -> Iterator[str]:
    """Yield the targets of a document's links, without those to other sites."""
    for target in _LINK.findall(text_of(path)):
        if not re.match(r"[a-z]+:", target):
            yield target


ROOT = click.Context(app, **app.context_settings)
COMMANDS = {name: app.get_command(ROOT, name) for name in app.list_commands(ROOT)}
QUOTED = [quoted for path in DOCUMENTS for quoted in command_lines(path)]
MAX_PURPOSE = 95
MAX_PICTURE = 150_000


def options_of(command: click.Command) -> set[str]:
    names = {name for parameter in command.params for name in parameter.opts}
    names |= {name for parameter in command.params for name in parameter.secondary_opts}
    return {name for name in names if name.startswith("-")} | {"--help", "-h"}


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KB_DATABASE", "KB_TOKEN", "KB_RULINGS"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("quoted", QUOTED, ids=lambda q: f"{q.path.name}: {q.line}"[:70])
def test_commands_are_those_of_the_command_line(quoted: Quoted) -> None:
    if not quoted.words:
        return
    name, *words = quoted.words
    if name.startswith("-"):
        assert name in options_of(app)
        return
    command = COMMANDS.get(name)
    assert command, f"{quoted.line}: no command {name}"
    given = {word.split("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    if name != "search":
        assert given <= options_of(command), quoted.line
    else:
        assert {word for word in given if word.startswith("--")} <= options_of(command)
    if quoted.whole:
        command.make_context(f"kb {name}", list(words), parent=ROOT)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_a_guide_has_every_command_and_its_help_every_option(name: str) -> None:
    guides = [path for path in DOCUMENTS if path.stem != "changelog"]
    assert any(re.search(rf"\bkb {name}\b", text_of(path)) for path in guides)
    command = COMMANDS[name]
    context = click.Context(command, info_name=name, parent=ROOT)
    for parameter in command.params:
        assert (parameter.get_help_record(context) or ("", ""))[1], f"kb {name} {parameter.name}"


def test_every_environment_variable_is_documented() -> None:
    read = re.compile(r"""(?:environ(?:\.get\(|\[)|getenv\(|envvar=)["'](KB_\w+)""")
    sources = [*(PROJECT / "kb").rglob("*.py"), *(PROJECT / "tests").rglob("*.py")]
    names = {name for path in sources for name in read.findall(text_of(path))}
    assert {"KB_RULINGS", "KB_DATA", "KB_DATABASE"} <= names
    guides = (*GUIDES, *PLUGIN_GUIDES)
    documented = {name for path in guides for name in re.findall(r"\bKB_\w+", text_of(path))}
    assert names - documented == set()


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_variables_modules_and_files_exist(path: Path) -> None:
    text = text_of(path)
    code = " ".join(text_of(module) for module in (PROJECT / "kb").rglob("*.py"))
    tests = " ".join(text_of(module) for module in (PROJECT / "tests").rglob("*.py"))
    for name in re.findall(r"\bKB_[A-Z_]+", text):
        assert f'"{name}"' in code + tests, name
    # Versions of the past may name what is gone; commands of shells are no modules.
    for name in re.findall(r"(?<![\w/@.-])kb(?:\.[a-z]\w*)+(?![\w/])", text):
        if not name.endswith((".sqlite", ".example", ".db")):
            place = PROJECT / name.replace(".", "/")
            assert place.is_dir() or place.with_suffix(".py").is_file(), name
    for name in re.findall(r"(?<![\w/.-])(?:kb|tests|templates)/[\w/.-]*\w", text):
        assert (PROJECT / name).exists() or is_left_out(PROJECT / name), name


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(path: Path) -> None:
    for target in links_of(path):
        place = path.parent / target.partition("#")[0]
        assert place.exists() or is_left_out(place), target


def is_left_out(guide: Path) -> bool:
    """Whether a path is the guide of a plug-in whose folder is missing in this copy."""
    folder = guide.parent
    return folder.parent == PROJECT / "kb" / "plugins" and not folder.exists()


# The guide's words for the values of a type.
VALUES = {
    "Citations": "list of `document#provision`",
    "Conditions": "by language",
    "Date | None": "date",
    "Differences": "list of `other-id (difference)`",
    "Fingerprints": "by language",
    "Lines": "list",
    "Sentence": "text",
    "ShortText": "text",
    "Slug | None": "id",
    "Slugs": "list of ids",
    "Verdict | None": "one word or a number",
}


def table_of_fields() -> str:
    lines = ["| field | value | for |", "|---|---|---|"]
    for field in HEADER_FIELDS:
        value = "one word" if field.choices else VALUES[field.annotation]
        value += ", required" if field.required else ""
        cells = (f"`{field.key}`", value, field.description)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def test_generated_table_of_fields_is_up_to_date() -> None:
    path = PROJECT / "kb" / "help" / "writing.md"
    before, begin, rest = text_of(path).partition("<!-- fields: begin")
    table, end, after = rest.partition("<!-- fields: end")
    note = table.partition("-->")[0]
    wanted = f"{before}{begin}{note}-->\n\n{table_of_fields()}\n{end}{after}"
    assert wanted == stored(path, wanted)


def test_a_guide_has_a_title_and_says_what_it_is_for() -> None:
    for path in (*GUIDES, *PLUGIN_GUIDES):
        title, blank, purpose, after, *_ = text_of(path).split("\n")
        assert re.fullmatch(r"# [A-Z].{3,40}", title), path.name
        assert (blank, after) == ("", ""), path.name
        assert purpose.endswith(".") and len(purpose) <= MAX_PURPOSE, path.name


def test_the_map_has_every_package_and_names_existing_modules() -> None:
    text = text_of(PROJECT / "kb" / "help" / "how-it-works.md")
    items = re.findall(r"^- `kb\.(\w+)`: (.+(?:\n  .+)*)", text, re.MULTILINE)
    assert [package for package, _ in items] == MAP
    for package, modules in items:
        stems = {path.stem for path in (PROJECT / "kb" / package).rglob("*")}
        names = set(re.findall(r"`(\w+)/?`", modules))
        assert names <= stems or (package == "plugins" and left_out()), package


def test_help_lists_and_shows_the_guides(kb: RunCommand) -> None:
    names = [*(path.stem for path in GUIDES), *(path.parent.name for path in PLUGIN_GUIDES)]
    assert sorted(read_guides()) == sorted(names)
    assert kb("help", "searching", cwd=PROJECT).stdout.startswith("# Searching\n")
    refused = kb("help", "../../README", cwd=PROJECT, code=2).stderr
    assert "choose one of adding-a-game, " in refused
    users, _, contributors = kb("help", cwd=PROJECT).stdout.partition("To change kb itself:")
    assert all((f"  {name} " in contributors) == (name in FOR_CONTRIBUTORS) for name in names)
    assert all(f"  {name} " in users + contributors for name in names)


def test_readme_leads_to_every_guide_and_shows_a_picture() -> None:
    linked = set(links_of(README))
    assert {name_of(path) for path in (*GUIDES, *PLUGIN_GUIDES)} <= linked
    pictures = [target for target in linked if target.endswith(".png")]
    assert pictures
    assert all((PROJECT / picture).stat().st_size < MAX_PICTURE for picture in pictures)
