"""Records as somebody may send them who means harm.

They give problems, at once, and nothing is read or written elsewhere.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from kb.commands.translated import mark_translated
from kb.core.problems import KbError
from kb.records import syntax
from kb.records.library import load
from kb.records.model import fingerprint, game_id_error, read_header
from kb.records.parse import read_game, read_ruling
from kb.records.scaffold import new_game, new_ruling
from kb.records.syntax import MAX_RULING

HEAD = "kind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n"
TEXT = "# pl: Tytuł\n\nOdpowiedź.\n"


def told(header: str = "", text: str = TEXT, name: str = "x") -> list[str]:
    ruling, problems = read_ruling(
        f"---\n{HEAD}{header}---\n\n{text}".encode(), f"{name}.md", "demo", "pilots"
    )
    assert (ruling is None) == bool(problems)
    return [f"{one.line}: {one.message}" for one in problems]


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ('because: "a\\0b"\n', "7: control character U+0000"),
        ('because: "\\e[2J"\n', "7: control character U+001B"),
        ('"a\\x07": b\n', "7: control character U+0007"),
        ('about:\n  - "\\u202Ex"\n', "8: control character U+202E"),
        ('because: "\\uFEFF"\n', "7: control character U+FEFF"),
        ('because: "\\ud800"\n', "7: YAML: found invalid Unicode"),
        ("because: &a x\n", "7: an anchor"),
        ("because: *a\n", "7: an alias"),
        ("because: !!python/object/apply:os.system [id]\n", "7: a tag"),
        ("about: " + "[" * 100_000 + "\n", "7: nested deeper"),
        ("about: " + "{a: " * 50_000 + "\n", "7: nested deeper"),
        ("? " * 100_000 + "\n", "7: a key must be a plain word"),
        ("about:\n  " + "- " * 100_000 + "x\n", "8: nested deeper"),
        ("about: x\n" * 2, "8: about: key given twice"),
    ],
)
def test_yaml_bombs_are_problems(header: str, words: str) -> None:
    assert told(header)[0].startswith(words)


@pytest.mark.parametrize(
    "text",
    [
        TEXT * 30_000,
        "# pl: T\n\n" + "a" * MAX_RULING,
        "# pl: T\n\n" + "# \n" * MAX_RULING,
        "# pl: T\n\n```\n" + "`" * MAX_RULING,
        "\ud7ff" * MAX_RULING,
    ],
)
def test_what_is_too_long_for_a_ruling_is_one_problem(text: str) -> None:
    assert told(text=text) == [
        f"1: a ruling of more than {MAX_RULING:,} characters; no single ruling is"
    ]


def test_a_list_that_nobody_keeps_by_hand_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    assert syntax.MAX_VALUES == 200_000
    monkeypatch.setattr(syntax, "MAX_VALUES", 2_000)
    topics = "".join(f"  - id: a{number}\n    pl: x\n" for number in range(1_000))
    text = f"id: demo\nname:\n  pl: Demo\nlanguage: pl\nlanguages:\n  - pl\ntopics:\n{topics}"
    game, problems = read_game({"game.yaml": text.encode()}, {"game.yaml": "demo/game.yaml"})
    assert game is None
    assert "more than 2,000 values" in problems[0].message


def test_bytes_that_are_no_text_are_a_problem() -> None:
    wrong = [b"\xff\xfe\x00", b"\x00" * 5_000, b"---\n\xed\xa0\x80", b"\xef\xbb\xbf", b""]
    for data in (*wrong, b"x" * 17_000_000):
        ruling, problems = read_ruling(data, "x.md", "demo", "pilots")
        assert ruling is None
        assert len(problems) == 1


@pytest.mark.parametrize(
    "name", [*"con aux nul com1 lpt9 A .. a/b a\\b %2e é a\u202eb".split(), "a" * 101, ""]
)
def test_ids_are_names_of_files_on_every_system(name: str, good_root: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(good_root, tmp_path / "r"))
    facts = {"kind": "ruling", "authority": "official", "sources": []}
    assert told(name=name) or name in ("..", "a/b")
    assert game_id_error(name)
    with pytest.raises(ValueError, match="id"):
        read_header(
            {"kind": "note", "authority": "official", "status": "current", "topics": [name or "?"]}
        )
    for wrong in (name, f"../{name}", f"../../{name}", f"/tmp/{name}"):
        with pytest.raises(KbError):
            new_ruling(root, "demo", "pilots", wrong, **facts)  # type: ignore[arg-type]
        with pytest.raises(KbError):
            new_game(root, wrong, "Name", ["pl"])
        with pytest.raises(KbError):
            new_ruling(root, "demo", wrong, "new-one", **facts)  # type: ignore[arg-type]
    assert [one.name for one in tmp_path.iterdir()] == ["r"]


@pytest.mark.parametrize(
    "name", ["search", "static", "glossary", "offline", "errata", "changes", "translations"]
)
def test_no_game_takes_the_place_of_the_sites_own_pages(name: str, tmp_path: Path) -> None:
    with pytest.raises(KbError, match="pages of its own"):
        new_game(tmp_path, name, "Name", ["en"])


def test_a_symbolic_link_leads_nowhere(good_root: Path, tmp_path: Path) -> None:
    root, outside = tmp_path / "r", tmp_path / "outside"
    shutil.copytree(good_root, root)
    outside.mkdir()
    (outside / "secret.md").write_text(
        f"---\n{HEAD}---\n\n# pl: Tajne\n\nTajne.\n", encoding="utf-8"
    )
    (root / "demo" / "pilots" / "secret.md").symlink_to(outside / "secret.md")
    (root / "demo" / "far").symlink_to(outside)
    (root / "other").symlink_to(root / "demo")
    library = load(root)
    assert sorted(one.path.rpartition("/")[2] for one in library.problems) == [
        "far",
        "other",
        "secret.md",
    ]
    assert "demo/secret" not in library.rulings
    text = (root / "demo" / "game.yaml").read_text(encoding="utf-8")
    (root / "demo" / "game.yaml").write_text(
        text.replace("topics:\n", "topics:\n  - id: far\n    pl: Daleko\n", 1), encoding="utf-8"
    )
    with pytest.raises(KbError, match="symbolic link"):
        new_ruling(root, "demo", "far", "new-one", kind="ruling", authority="official", sources=[])
    assert [one.name for one in outside.iterdir()] == ["secret.md"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_what_is_no_plain_file_is_not_waited_for(good_root: Path, tmp_path: Path) -> None:
    shutil.copytree(good_root, tmp_path / "r")
    folder = tmp_path / "r" / "demo"
    (folder / "terms.yaml").unlink()
    for place in (folder / "terms.yaml", folder / "pilots" / "pipe.md"):
        os.mkfifo(place)
    assert [
        one.message for one in load(tmp_path / "r").problems if "plain file" in one.message
    ] == ["not a plain file"] * 2


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_noting_translations_writes_into_the_right_ruling_of_a_collection(
    end: str, good_root: Path, tmp_path: Path
) -> None:
    root = tmp_path / "r"
    shutil.copytree(good_root, root)
    pieces = [
        f"=== many-{number}\n---\n{HEAD}---\n\n# pl: Tytuł {number}\n\nTekst.\n\n"
        "# en: Title\n\nText.\n"
        for number in range(3)
    ]
    path = root / "demo" / "pilots" / "many.md"
    path.write_text("\n".join(pieces), encoding="utf-8", newline=end)
    before = path.read_bytes()
    assert mark_translated(root, ["many-1"]) == [path.as_posix()]
    library = load(root)
    assert not library.problems
    for number in range(3):
        ruling = library.rulings[f"demo/many-{number}"]
        assert dict(ruling.header.translated_from) == (
            {"en": fingerprint(ruling.original)} if number == 1 else {}
        )
    rows = before.split(end.encode())
    assert len([row for row in path.read_bytes().split(end.encode()) if row not in rows]) == 2
    mark_translated(root, [])
    library = load(root)
    for number in range(3):
        ruling = library.rulings[f"demo/many-{number}"]
        assert ruling.header.translated_from["en"] == fingerprint(ruling.original)


def test_a_file_with_a_byte_order_mark_is_noted_too(good_root: Path, tmp_path: Path) -> None:
    shutil.copytree(good_root, tmp_path / "r")
    path = tmp_path / "r" / "demo" / "pilots" / "one-pilot.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    mark_translated(tmp_path / "r", ["one-pilot"])
    assert load(tmp_path / "r").rulings["demo/one-pilot"].header.translated_from
