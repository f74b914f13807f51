"""The command line as users meet it: output, exit codes, what happens to a previous build."""

from __future__ import annotations

import json
import os
import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest

from kb.commands.main import GROUPS, app
from kb.ingest.base import format_names
from tests.command_line import RunCommand
from tests.conftest import PROJECT, contents
from tests.records.test_history import git


def current_build(small_base: Path) -> Path:
    data = small_base / ".kb" / "rulings"
    return data / "builds" / (data / "current").read_text().strip()


def test_build_refuses_bad_records_and_foreign_folders(fresh: Path, kb: RunCommand) -> None:
    (fresh / "mine").mkdir()
    (fresh / "mine" / "diary.txt").write_text("x", encoding="utf-8")
    before = contents(fresh)
    refused = kb("build", "--output", "mine", cwd=fresh, code=1).stderr
    assert "holds files that no build of the site made" in refused
    bad = fresh / "rulings" / "demo" / "pilots" / "bad.md"
    bad.write_text("---\nkind: rule\n", encoding="utf-8")
    assert "rulings/demo/pilots/bad.md:1: " in kb("build", cwd=fresh, code=1).stderr
    bad.unlink()
    assert contents(fresh) == before


def test_keep_going_publishes_the_good_ones(fresh: Path, kb: RunCommand) -> None:
    bad = fresh / "rulings" / "demo" / "pilots" / "bad.md"
    bad.write_text("---\nkind: rule\n---\n# pl: T\n\nx\n", encoding="utf-8")
    done = kb("build", "--keep-going", cwd=fresh)
    assert "5 rulings of 1 game, 7 cards," in done.stdout and "site/index.html" in done.stdout
    assert "left out: demo/bad" in done.stderr
    assert kb("show", "one-pilot", cwd=fresh).stdout


def test_a_build_names_the_addresses_that_a_renamed_record_loses(
    fresh: Path, kb: RunCommand
) -> None:
    git(fresh, "init", "-q")
    git(fresh, "add", "rulings")
    git(fresh, "commit", "-qm", "x")
    old = fresh / "rulings" / "demo" / "pilots" / "old-answer.md"
    new = old.rename(old.with_stem("older-answer"))
    other = old.with_stem("one-pilot")
    other.write_text(other.read_text("utf-8").replace("old-answer", "older-answer"), "utf-8")
    git(fresh, "add", "rulings")
    git(fresh, "commit", "-qm", "x")
    said = "demo/old-answer is now demo/older-answer"
    assert said in kb("build", cwd=fresh).stderr
    text = new.read_text("utf-8")
    new.write_text(text.replace("\n---\n", "\nformerly:\n  - old-answer\n---\n", 1), "utf-8")
    assert said not in kb("build", cwd=fresh).stderr


def test_search_as_json(small_base: Path, kb: RunCommand) -> None:
    found = json.loads(kb("search", "jednostce w strefie", "--json", cwd=small_base).stdout)
    keys = "query total partial took_ms match confidence relaxed suggestion searched_for cards"
    assert set(found) == {*keys.split(), "results", "notes"}
    first = found["results"][0]
    keys = "id game title snippet lang kind authority status match score cards sources url"
    assert {*keys.split()} <= set(first)
    assert first["id"] == "pilot-build-zone" and first["game"] == "demo"
    assert (small_base / "site" / first["url"]).is_file()


def test_every_command_says_when_records_are_newer(fresh: Path, kb: RunCommand) -> None:
    kb("build", cwd=fresh)
    assert "changed since the last build" not in kb("search", "pilot", cwd=fresh).stderr
    built = fresh / ".kb" / "rulings" / "current"
    earlier = (fresh / "rulings" / "demo" / "pilots" / "example.md").stat().st_mtime - 100
    os.utime(built, (earlier, earlier))
    file = fresh / "rulings" / "demo" / "questions.tsv"
    os.utime(file, (earlier + 50, earlier + 50))
    for command in (["search", "pilot"], ["show", "one-pilot"], ["card", "Anakin"]):
        said = kb(*command, cwd=fresh).stderr
        assert "changed since the last build" in said and "rulings/demo/" in said, command


def test_search_for_people(small_base: Path, kb: RunCommand) -> None:
    assert (
        json.loads(kb("search", "xyzzyqwv", "--json", cwd=small_base, code=1).stdout)["results"]
        == []
    )
    assert "Nothing found" in kb("search", "xyzzyqwv", cwd=small_base, code=1).stdout
    card = kb("search", "lowca swiatow", "--game", "demo", cwd=small_base, code=None).stdout
    assert "\n  Łowca Światów  demo · " in f"\n{card}"
    said = kb("search", "dwoch pilotow -speeder", cwd=small_base).stdout
    assert "demo/" in said and "\x1b[" not in said
    # A card's name and filters ask nothing that a ruling could answer.
    said = kb("search", "anakin", cwd=small_base).stdout
    assert said.startswith("Rulings on cards with this name · ")
    assert kb("search", "kind:example", cwd=small_base).stdout.startswith("1 ruling\n")
    said = kb("search", "one pilot per unit", cwd=small_base).stdout
    answer, others = said.split("\nRulings with only some of the words\n")
    assert answer.startswith("Answer · 1 ruling\n")
    assert "demo/one-pilot" in answer and "demo/pilot-build-zone" in others


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Usage: kb"),
        ("nothing", "No such command 'nothing'"),
        ("serch pilot", "Did you mean one of: 'search', "),
        ("search x --nonsense", "No such option '--nonsense'. Write -- before words"),
        ("search --limit 0 pilot", "0 is not in the range 1<=x<=1000"),
        ("search x --game chess", "no game 'chess'"),
        ("search x --lang xx", "no rulings in 'xx'"),
        ("search pilot --as-of yesterday", "'yesterday' is not a date"),
        ("search pilot --interface ?", "is not a language code"),
        ("new demo openings x", "no topic 'openings'"),
        ("new demo pilots x --source demo-fq#x", "sources.yaml; did you mean demo-faq?"),
        ("new demo", "the topic's id is missing"),
        ("new demo pilots", "the new ruling's id is missing"),
        ("check nowhere", "no such file or folder"),
        ("build --rulings nowhere", "no such folder"),
        ("build --base-url example.org", "does not start with http:// or https://"),
        ("changes --since rubbish", "neither a date"),
        ("export --header --format csv", "is for JSON Lines"),
        ("pack --output x.html --interface xx", "no interface 'xx'"),
        ("pack --output x.html --game xyz", "no game 'xyz'"),
        ("pack --output x.html --lang de", "no language 'de'"),
        ("pack --output x.html deck.txt", "deck lists come after --deck"),
        ("link --game demo --lang ru", "no rulings in 'ru'"),
        ("search x --interface cz", "did you mean cs?"),
        ("build --engine lucene", "no engine 'lucene'"),
        ("build --interface cz", "did you mean cs?"),
        ("deck nowhere", "No such file"),
        ("deck - --game chess", "no game 'chess'; choose one of demo"),
        ("help nothing", "there is no guide 'nothing'"),
        ("import word site --game demo --into drafts", "'word' is not "),
        ("import jsonl nowhere --game demo --into drafts", "no such file"),
        ("import jsonl site --game X --into drafts", "'X' is not a game's id"),
        ("serve --with chess", "'chess' is not one of the installed services: "),
        ("search pilot --database chess://x:secret@y", "no plug-in opens chess://; installed: "),
        ("serve --database nowhere", "not the address of a database; installed: "),
    ],
)
def test_wrong_usage(line: str, message: str, small_base: Path, kb: RunCommand) -> None:
    done = kb(*line.split(), cwd=small_base, code=2)
    assert message in done.stdout + done.stderr


def test_a_word_with_a_dash_stands_behind_two_dashes(
    small_base: Path, tmp_path: Path, kb: RunCommand
) -> None:
    elsewhere = ("search", "pilot", "--json", "--rulings", str(small_base / "rulings"))
    pilots = json.loads(kb(*elsewhere, cwd=tmp_path).stdout)["total"]
    rest = json.loads(kb("search", "--json", "--", "pilot", "-strefa", cwd=small_base).stdout)[
        "total"
    ]
    assert 0 < rest < pilots


def test_filters_that_match_nothing_are_reported(small_base: Path, kb: RunCommand) -> None:
    assert "Nothing found" in kb("search", "pilot", "asof:2003-13", cwd=small_base, code=1).stdout
    said = kb("search", "pilot", "asof:2003-13", "kind:rulling", cwd=small_base, code=None).stderr
    assert "asof: '2003-13' is not a date" in said
    assert "kind:rulling matches nothing; choose one of ruling, errata" in said
    assert (
        kb("search", "pilot", "asof:2003-12", "kind:Ruling", cwd=small_base, code=None).stderr == ""
    )
    assert "has no text in pl" not in kb("show", "one-pilot", "-l", "pl", cwd=small_base).stderr


def test_the_version_is_that_of_the_project(kb: RunCommand, tmp_path: Path) -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert kb("--version", cwd=tmp_path).stdout == f"kb {project['version']}\n"


def test_short_options_mean_the_same_everywhere() -> None:
    spellings: dict[str, set[tuple[str, ...]]] = {}
    root = click.Context(app)
    for command in (app.get_command(root, name) for name in app.list_commands(root)):
        for parameter in command.params:
            for name in parameter.opts:
                if name.startswith("-"):
                    spellings.setdefault(name, set()).add(tuple(parameter.opts))
    assert {name: found for name, found in spellings.items() if len(found) > 1} == {}


def test_help_has_groups_whole_lines_and_examples(kb: RunCommand, tmp_path: Path) -> None:
    overview = kb("--help", cwd=tmp_path, COLUMNS="72").stdout
    assert max(map(len, overview.splitlines())) <= 72
    assert all(group in overview for group in GROUPS)
    assert kb("-h", cwd=tmp_path, COLUMNS="72").stdout == overview
    search = kb("search", "--help", cwd=tmp_path).stdout
    assert "\n  kb search -- pilot -space\n" in search
    assert kb("help", "search", cwd=tmp_path).stdout == search
    guides = kb("help", cwd=tmp_path).stdout.partition("Guides (kb help NAME):")[2]
    assert "searching" in guides and "writing" in guides
    assert f"{', '.join(format_names())}." in kb("import", "-h", cwd=tmp_path).stdout


def test_a_shell_completes_commands(kb: RunCommand, tmp_path: Path) -> None:
    typed = {"_KB_COMPLETE": "bash_complete", "COMP_WORDS": "kb se", "COMP_CWORD": "1"}
    assert kb(cwd=tmp_path, **typed).stdout == "plain,search\nplain,serve\n"


def test_long_lines_are_indented_below_their_first(
    small_base: Path, kb: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kb.commands import terminal

    monkeypatch.setattr(terminal, "_columns", lambda: 32)
    lines = kb("show", "one-pilot", cwd=small_base).stdout.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("cards "))
    assert lines[start] == "cards         Anakin Skywalker,"
    assert lines[start + 1] == "              Anakin Skywalker"
    lines = kb("search", "przeniesc pilota", cwd=small_base).stdout.splitlines()
    assert lines[2].startswith(" 1. ") and all(line[:4] == "    " for line in lines[3:6])


def test_check_and_its_strict_checks_of_the_content(small_base: Path, kb: RunCommand) -> None:
    done = kb("check", cwd=small_base)
    assert done.stdout == "" and "5 of 5 provisions covered" in done.stderr
    done = kb("check", "--strict", cwd=small_base, code=1)
    assert "sources.yaml:" in done.stdout and "no edition" in done.stdout
    path = "rulings/demo/sources.yaml"
    assert kb("check", "--strict", path, cwd=small_base, code=1).stdout.startswith(path)
    kb("check", path, cwd=small_base)


def test_show(small_base: Path, kb: RunCommand) -> None:
    shown = json.loads(kb("show", "one-pilot", "--json", cwd=small_base).stdout)
    assert shown["title"] == {"pl": "Jeden pilot na jednostce", "en": "One pilot per unit"}
    assert shown["supersedes"] == ["old-answer"]
    for ruling, window in (
        # The date of its source.
        ("one-pilot", "in force since 2003-05"),
        ("old-answer", "in force from 2002 until 2003-05"),
    ):
        assert window in kb("show", ruling, cwd=small_base).stdout
    assert json.loads(kb("show", "demo/single-pilot", "--json", cwd=small_base).stdout) == shown
    assert "did you mean one-pilot" in kb("show", "one-pilto", cwd=small_base, code=1).stderr
    assert "[[" not in kb("show", "one-pilot", cwd=small_base).stdout


# Whoosh has the rulings in its index, the other reads the store.
@pytest.mark.parametrize("engine", ["whoosh", "database"])
def test_a_former_id_may_be_the_id_of_another_games_ruling(
    engine: str, fresh: Path, kb: RunCommand
) -> None:
    kb("new", "game", "other", cwd=fresh)
    kb("new", "other", "general", "single-pilot", "--kind", "note", cwd=fresh)
    record = fresh / "rulings" / "other" / "general" / "single-pilot.md"
    text = re.sub("TODO.*", "Ours", record.read_text(encoding="utf-8"))
    record.write_text(text, encoding="utf-8")
    kb("build", "--engine", engine, cwd=fresh)
    for wanted, key in (("demo/single-pilot", "one-pilot"), ("single-pilot", "single-pilot")):
        shown = json.loads(kb("show", wanted, "--json", cwd=fresh).stdout)
        assert shown["id"] == key


def test_card(small_base: Path, kb: RunCommand) -> None:
    def cards(*words: str) -> list[dict[str, Any]]:
        answer: dict[str, Any] = json.loads(kb("card", *words, "--json", cwd=small_base).stdout)
        return list(answer["results"])

    for typed, name in {
        "anakin skywalker": "Anakin Skywalker",
        "Anakin Skywalker (C)": "Anakin Skywalker",
        "corusant speeder": "Coruscant Speeder",
        "Anakinem Skywalkerem": "Anakin Skywalker",
        "star": "Star Destroyer",
    }.items():
        assert [card["name"] for card in cards(*typed.split())] == [name]
    (card,) = cards("Anakin Skywalker")
    assert [ruling["id"] for ruling in card["about"]] == ["one-pilot"]
    assert [ruling["id"] for ruling in card["mentioned"]] == ["example"]
    assert (small_base / "site" / card["url"]).is_file()
    (version,) = cards("anakin skywalker (c)")[0]["cards"]
    assert version["label"] == "Anakin Skywalker (C)"
    assert "did you mean" not in kb("card", "zzzz", cwd=small_base, code=1).stderr
    near = kb("card", "Skywalkerr Ankin", cwd=small_base, code=1).stderr
    assert "; did you mean Anakin Skywalker?" in near


def test_a_question_becomes_a_record_or_a_line_of_one(fresh: Path, kb: RunCommand) -> None:
    file = fresh / "rulings" / "demo" / "questions.tsv"
    # As Excel saves it.
    content = b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n")
    file.write_bytes(content)
    head, rest = content.decode().split("\n", 1)
    question = "ilu ludzi wsadzę do statku?"
    done = kb("new", "one-pilot", "--asked", question, cwd=fresh)
    assert done.stdout == "rulings/demo/questions.tsv\n"
    # The language is that of the question, if none is named.
    kb("new", "demo/one-pilot", "--asked", "how many can I draw?", cwd=fresh)
    added = f"one-pilot\tpl\t{question}\r\none-pilot\ten\thow many can I draw?\r\n"
    for refused, message in (
        (question, "already on line 2"),
        ("hidden\u200b?", "U+200B"),
        ("x", "300"),
    ):
        done = kb("new", "one-pilot", "--asked", refused, "--lang", "pl", cwd=fresh, code=1)
        assert message in done.stderr
    assert file.read_bytes().decode() == f"{head}\n{added}{rest}"
    unread = content + "one-pilot\tpl\tzażółć?\r\n".encode("cp1250")
    file.write_bytes(unread)
    assert "questions.tsv" in kb("new", "one-pilot", "--asked", "2?", cwd=fresh, code=1).stderr
    assert file.read_bytes() == unread
    file.write_bytes(content)
    assert "no such ruling" in kb("new", "none", "--asked", question, cwd=fresh, code=1).stderr
    path = kb("new", "demo", "pilots", "who-flies", "--asked", question, cwd=fresh).stdout.strip()
    text = (fresh / path).read_text(encoding="utf-8")
    assert "kind: question\nauthority: community\nstatus: unanswered\n" in text
    assert f"# pl: {question}\n" in text and "# en: TODO\n" in text


def test_shipped_games_are_searched_and_never_checked_or_built_unasked(
    tmp_path: Path, real_base: Path, kb: RunCommand
) -> None:
    found = kb("search", "overkil", "--json", cwd=tmp_path, KB_DATA=str(real_base / "data"))
    assert json.loads(found.stdout)["total"] >= 1
    assert "reading the games shipped with kb; run in a folder that has rulings/" in found.stderr
    kb("new", "game", "sopka", "--lang", "cs,en", cwd=tmp_path)
    for words in (("check",), ("build",), ("serve", "--watch"), ("translated",)):
        refused = kb(*words, cwd=tmp_path / "rulings" / "sopka", code=1)
        assert f"inside the base {tmp_path}; run kb there" in refused.stderr
        assert "for the games shipped with kb: --rulings" in refused.stderr
    names = {path.name for path in (tmp_path / "rulings" / "sopka").iterdir()}
    assert names == {"game.yaml", "sources.yaml", "cards.tsv"}
    (tmp_path / "rulings" / "sopka").rename(tmp_path / "rulings" / "Sopka")
    refused = kb("check", cwd=tmp_path, code=2)
    assert "rulings/Sopka:1: the folder's name:" in refused.stderr


def test_a_language_without_a_module_is_refused_or_reported(tmp_path: Path, kb: RunCommand) -> None:
    refused = kb("new", "game", "sopka", "--lang", "cz,en", cwd=tmp_path, code=2)
    assert "unknown language cz; did you mean cs?" in refused.stderr
    kb("new", "game", "sopka", "--lang", "is,en", cwd=tmp_path)
    assert "sopka: search knows no word forms in is; it knows" in kb("check", cwd=tmp_path).stderr


def test_a_new_game_is_data_only(tmp_path: Path, kb: RunCommand) -> None:
    """The walk-through of the README."""
    made = kb("new", "game", "hviezdy", "--name", "Hviezdy: 'CCG'", "--lang", "sk,en", cwd=tmp_path)
    assert len(made.stdout.splitlines()) == 3
    game, sources, _ = ((tmp_path / line).read_text("utf-8") for line in made.stdout.splitlines())
    assert "    sk: Všeobecné\n    en: General\n" in game and "    sk: Pravidlá\n" in sources
    kb("new", "game", "karten", "--lang", "is", "--rulings", "other", cwd=tmp_path)
    icelandic = (tmp_path / "other/karten/game.yaml").read_text("utf-8")
    assert "translated:\n    is: General" in icelandic
    kb("check", "other", cwd=tmp_path)
    kb("check", cwd=tmp_path)
    cards = tmp_path / "rulings" / "hviezdy" / "cards.tsv"
    with cards.open("a", encoding="utf-8") as file:
        file.write("Veľká loď\t\tPrvá edícia\tLoď\t\t\t\n")
    kb("new", "hviezdy", "general", "lod", "--source", "rulebook#first-provision", cwd=tmp_path)
    kb("check", cwd=tmp_path, code=1)
    record = tmp_path / "rulings" / "hviezdy" / "general" / "lod.md"
    text = record.read_text(encoding="utf-8").replace("# sk: TODO", "# sk: Kedy letí loď")
    text = text.replace("# en: TODO", "# en: When a ship flies")
    text = re.sub(r"TODO: .*", "[[Veľká loď|Veľkej lode]] sa to týka.", text)
    record.write_text(text, encoding="utf-8")
    assert kb("check", cwd=tmp_path).stdout == ""
    kb("build", cwd=tmp_path)
    found = json.loads(kb("search", "velke lode", "--json", cwd=tmp_path).stdout)
    assert [one["id"] for one in found["results"]] == ["lod"]
    assert "already exists" in kb("new", "game", "hviezdy", cwd=tmp_path, code=1).stderr
    # The headings of a pack are in the only language of its games.
    game = record.parents[1] / "game.yaml"
    game.write_text(game.read_text("utf-8").replace("  - en\n", ""), "utf-8")
    record.write_text(record.read_text("utf-8").partition("# en")[0], "utf-8")
    kb("pack", "--output", "pack.html", cwd=tmp_path)
    assert '<html lang="sk"' in (tmp_path / "pack.html").read_text("utf-8")


def test_import_says_what_it_did(tmp_path: Path, kb: RunCommand) -> None:
    ruling = {"id": "fights", "kind": "ruling", "authority": "official", "status": "current"}
    ruling |= {"title": {"pl": "Czy pilot może walczyć?"}, "text": {"pl": "Tak."}}
    line = json.dumps({**ruling, "topics": ["pilots"]})
    (tmp_path / "faq.jsonl").write_text(f"{line}\nnothing\n", encoding="utf-8")
    words = ("import", "jsonl", "faq.jsonl", "--game", "swtcg", "--into", "drafts")
    run = partial(kb, *words, cwd=tmp_path, KB_RULINGS=str(tmp_path / "none"))
    done = run()
    assert done.stdout.startswith("1 new") and "1 line not imported: drafts/" in done.stdout
    assert "faq.jsonl:2: not JSON" in done.stderr
    assert run().stdout.startswith("1 unchanged")
    told = json.loads(run("--json").stdout)
    assert told["same"] == ["fights"] and [one["lines"] for one in told["drafts"]] == [[1, 1]]
    refused = run("--authority", "official", code=2).stderr
    assert "jsonl files state the authority" in refused


def test_changes_and_as_of(small_base: Path, kb: RunCommand) -> None:
    told = json.loads(kb("changes", "--since", "1990", "--format", "json", cwd=small_base).stdout)
    assert told and {"id", "game", "what", "moment", "title", "url"} <= set(told[0])
    recent = kb("changes", cwd=small_base, code=None)
    assert recent.stdout or "nothing has changed since" in recent.stderr
    for option in ("--similar", "--stale", "--review"):
        listed = kb("check", option, cwd=small_base).stdout.splitlines()
        # A catalogue may lack messages.
        assert [line for line in listed if ".po:" not in line] == []


def test_an_engine_can_be_named(fresh: Path, kb: RunCommand) -> None:
    whoosh = json.loads(kb("search", "pilot", "--json", cwd=fresh).stdout)
    kb("build", "--engine", "database", cwd=fresh)
    assert not [*current_build(fresh).glob("index-*")]
    found = json.loads(kb("search", "pilot", "--json", cwd=fresh).stdout)
    assert found | {"took_ms": 0} == whoosh | {"took_ms": 0}
    kb("build", cwd=fresh)
    assert [*current_build(fresh).glob("index-*")]
