"""A library is brought up to date by the files that differ, or read as a whole."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.records.library import Library, load
from kb.records.model import Ruling
from kb.records.reread import Reading

ONE, ZONE = "demo/pilots/one-pilot.md", "demo/pilots/pilot-build-zone.md"


@pytest.fixture
def root(good_root: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(good_root, tmp_path / "rulings"))


def checksums(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def folders(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_dir()}


def reading(root: Path) -> Reading:
    library = load(root)
    assert not library.problems

    def rulings_of(path: str) -> list[Ruling]:
        return [one for one in library.rulings.values() if one.path == f"{root}/{path}"]

    return Reading(library, rulings_of, checksums(root), folders(root))


def again(known: Reading) -> Library | None:
    root = known.library.root
    return known.again(checksums(root), folders(root))


def replaced(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_other_texts_are_read_alone(root: Path) -> None:
    known = reading(root)
    replaced(root / ONE, "Pozostali piloci", "Inni piloci")
    replaced(root / ONE, "# en: One pilot", "# en: A single pilot")
    library = again(known)
    assert library and library == load(root)
    assert library.spans == load(root).spans and library.ties == load(root).ties
    others = {key for key, one in library.rulings.items() if known.library.rulings[key] is not one}
    assert others == {"demo/one-pilot"}
    assert library.has_other_texts_than(known.library)
    assert not library.has_other_texts_than(load(root))
    # And from there to the next one.
    then = Reading(library, known.rulings_of, checksums(root), folders(root))
    replaced(root / ZONE, "Dotyczy to także", "Dotyczy to")
    assert again(then) == load(root)


Change = Callable[[Path], object]
OTHERS: dict[str, Change] = {
    "a header": lambda root: replaced(root / ONE, "date: 2003-05", "date: 2003-06"),
    "a question": lambda root: (root / ZONE).open("a").write("\n# asked-as: en\n\n- A zone?\n"),
    "a ruling that comes": lambda root: shutil.copy(root / ONE, root / "demo/pilots/new.md"),
    "a ruling that goes": lambda root: (root / ZONE).unlink(),
    "a file of the game": lambda root: replaced(root / "demo/terms.yaml", "are built", "are made"),
    "what is no record": lambda root: (root / "demo/pilots/notes.txt").write_text("x"),
    "a folder": lambda root: (root / "demo/pilots/more").mkdir(),
    "a problem of a text": lambda root: (root / ONE).open("a").write("\nTODO\n"),
    "a card that is none": lambda root: (root / ONE).open("a").write("\n[[Nobody]] can.\n"),
    "a record that cannot be read": lambda root: (root / ONE).write_text("---\n"),
    "a link": lambda root: ((root / ONE).unlink(), (root / ONE).symlink_to(root / ZONE)),
}


@pytest.mark.parametrize("change", OTHERS)
def test_all_else_is_left_to_a_whole_reading(change: str, root: Path) -> None:
    known = reading(root)
    OTHERS[change](root)
    assert again(known) is None
