"""Drafts as records: exact, once, and never over a curator's edits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.commands.importing import import_rulings
from kb.core.problems import KbError
from kb.importers.drafts import Draft, DraftText, Imported
from kb.importers.write import rendered, write
from kb.records.library import load
from kb.records.parse import read_ruling
from kb.serialize.export import jsonl_lines
from tests.selection import examples


def draft(name: str, body: str = "An answer.", **more: object) -> Draft:
    return Draft(id=name, topic="pilots", texts=(DraftText("en", f"On {name}", body),), **more)  # type: ignore[arg-type]


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("collect", [False, True])
def test_a_second_run_changes_nothing_and_a_change_only_its_own(
    tmp_path: Path, collect: bool
) -> None:
    first = Imported(
        [draft("a"), draft("b", about=("X: the #1 'best'",), note="look\nhere"), draft("c")],
        name="A game",
    )
    done = write(first, tmp_path, "test", "form", collect)
    assert done.new == ["a", "b", "c"] and not done.changed
    before = files(tmp_path)
    done = write(first, tmp_path, "test", "form", collect)
    assert done.same == ["a", "b", "c"] and not done.new and files(tmp_path) == before
    done = write(
        Imported([draft("a"), draft("b", "Another."), draft("d")], name="A game"),
        tmp_path,
        "test",
        "form",
        collect,
    )
    assert (done.same, done.changed, done.new, done.gone) == (["a"], ["b"], ["d"], ["c"])
    library = load(tmp_path)
    assert not [one for one in library.problems if "cards.tsv" not in one.message]
    assert library.rulings["test/b"].original.body == "Another." and "test/c" in library.rulings


@pytest.mark.parametrize("collect", [False, True])
def test_edits_stay(tmp_path: Path, collect: bool) -> None:
    write(Imported([draft("a"), draft("b")]), tmp_path, "test", "form", collect)
    path = tmp_path / "test" / "pilots" / ("pilots.md" if collect else "a.md")
    path.write_text(
        path.read_text(encoding="utf-8").replace("On a\n\nAn answer.", "On a\n\nMine."),
        encoding="utf-8",
    )
    done = write(
        Imported([draft("a", "Theirs."), draft("b", "New.")]), tmp_path, "test", "form", collect
    )
    assert done.edited == ["a"] and done.changed == ["b"]
    texts = {key: one.original.body for key, one in load(tmp_path).rulings.items()}
    assert texts == {"test/a": "Mine.", "test/b": "New."}
    assert "Theirs." in (tmp_path / "test" / ".import" / "a.md").read_text(encoding="utf-8")
    assert write(
        Imported([draft("a", "Theirs."), draft("b", "New.")]), tmp_path, "test", "form", collect
    ).same == ["a", "b"]


def test_what_a_curator_deleted_or_had_before_is_not_written_again(tmp_path: Path) -> None:
    write(Imported([draft("a"), draft("b")]), tmp_path, "test", "form")
    (tmp_path / "test" / "pilots" / "a.md").unlink()
    own = tmp_path / "test" / "pilots" / "own.md"
    own.write_text("mine", encoding="utf-8")
    done = write(
        Imported([draft("a", "Changed."), draft("b"), draft("own")]), tmp_path, "test", "form"
    )
    assert done.edited == ["a", "own"] and own.read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "test" / "pilots" / "a.md").exists()


def test_counted_rulings_are_known_again_by_their_words(tmp_path: Path) -> None:
    write(
        Imported([draft("card-7-1", "One."), draft("card-7-2", "Two.")]), tmp_path, "test", "form"
    )
    moved = [draft("card-7-1", "Zero."), draft("card-7-2", "One."), draft("card-7-3", "Two.")]
    done = write(Imported([*moved]), tmp_path, "test", "form")
    # Titles come from the id here, so that only bodies that kept their title are the same; none may
    # change its ruling's meaning.
    texts = {key: one.original.body for key, one in load(tmp_path).rulings.items()}
    assert len(texts) == 3 and set(texts.values()) == {"Zero.", "One.", "Two."}
    same = [
        Draft(f"card-9-{n}", "pilots", (DraftText("en", "Card", body),))
        for n, body in ((1, "One."), (2, "Two."))
    ]
    write(Imported(same), tmp_path, "other", "form")
    put = Draft("card-9-1", "pilots", (DraftText("en", "Card", "Zero."),))
    later = [
        put,
        *(Draft(f"card-9-{number}", "pilots", one.texts) for number, one in enumerate(same, 2)),
    ]
    done = write(Imported(later), tmp_path, "other", "form")
    assert (
        sorted(done.same) == ["card-9-1", "card-9-2"]
        and done.new == ["card-9-3"]
        and not done.changed
    )
    assert load(tmp_path).rulings["other/card-9-3"].original.body == "Zero."


_SIGNS = st.characters(
    exclude_categories=("Cs", "Cc", "Zl", "Zp", "Cn"), exclude_characters="[]|\ufeff"
)
_TEXT = st.text(_SIGNS, min_size=1, max_size=60).filter(str.strip)


@examples(0.75)
@given(title=_TEXT, body=st.lists(_TEXT, min_size=1, max_size=4), about=st.lists(_TEXT, max_size=3))
def test_whatever_a_draft_says_the_record_says(
    title: str, body: list[str], about: list[str]
) -> None:
    cards = tuple(" ".join(one.split()) for one in about)
    made = Draft("x", "pilots", (DraftText("en", title, "\n\n".join(body)),), about=cards)
    ruling, problems = read_ruling(rendered(made).encode(), "x.md", "test", "pilots")
    assert ruling is not None, (problems, rendered(made))
    assert ruling.original.title == " ".join(title.split())
    assert ruling.header.about == made.about
    assert "".join(ruling.original.body.replace("\\", "").split()) == "".join(
        "".join(body).replace("\\", "").split()
    )


def test_an_export_comes_back_with_the_same_bytes(rulings_root: Path, tmp_path: Path) -> None:
    library = load(rulings_root)
    for game in library.games:
        lines = [line for line in jsonl_lines(library) if json.loads(line)["game"] == game]
        path = tmp_path / f"{game}.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        into = tmp_path / "again"
        (into / game).mkdir(parents=True)
        for name in ("game.yaml", "sources.yaml", "terms.yaml", "cards.tsv"):
            (into / game / name).write_bytes((rulings_root / game / name).read_bytes())
        done = import_rulings("jsonl", [path], game, into)
        assert not done.left and not done.problems and len(done.written.new) == len(lines)
    assert list(jsonl_lines(load(into))) == list(jsonl_lines(library))


@pytest.mark.parametrize(
    ("form", "game", "message"),
    [
        ("word", "test", "no format 'word'; there are vtes"),
        ("text", "T", "not a game's id"),
        ("text", "test", "no such file"),
    ],
)
def test_what_cannot_be_is_named(form: str, game: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(KbError, match=message):
        import_rulings(form, [tmp_path / "nothing.txt"], game, tmp_path / "into")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("form", "files_", "many"), [("vtes", "data/vtes", 2303), ("swccg", "data/swccg", 2290)]
)
def test_the_whole_line_on_other_peoples_rulings(
    form: str, files_: str, many: int, shared: Path, tmp_path: Path
) -> None:
    from kb.build.paths import Paths
    from kb.build.pipeline import SiteOptions, build
    from kb.commands.lookup import search

    done = import_rulings(form, [shared / files_], form, tmp_path / "rulings")
    assert len(done.written.new) == many and not done.problems
    before = files(tmp_path / "rulings")
    again = import_rulings(form, [shared / files_], form, tmp_path / "rulings")
    assert len(again.written.same) == many and files(tmp_path / "rulings") == before
    places = Paths(tmp_path / "rulings", tmp_path / "data")
    made = build(places, tmp_path / "site", site=SiteOptions(interfaces=("en",)))
    assert made.rulings == many
    query = {"vtes": "blood hunt referendum", "swccg": "maintenance droid"}[form]
    answer = search(places, query, game=None, lang=None, limit=5, say=lambda said: None)
    assert answer.results and not answer.relaxed
    page = (
        tmp_path / "site" / form / "rulings" / answer.results[0].ruling.id / "index.html"
    ).read_text(encoding="utf-8")
    assert "../../cards/" in page
