"""What a text's page would show broken, or other than its author meant, is told with its line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from kb.records.library import load
from tests.conftest import GOOD


def problems(folder: Path, body: str) -> list[str]:
    """The problems of a ruling whose Polish text begins with a body, by the line of the body."""
    shutil.copytree(GOOD, folder, dirs_exist_ok=True)
    path = folder / "demo" / "pilots" / "example.md"
    head, mark, rest = path.read_text(encoding="utf-8").partition("# pl: ")
    title, _, text = rest.partition("\n\n")
    path.write_text(f"{head}{mark}{title}\n\n{body}\n\n{text}", encoding="utf-8")
    first = f"{head}{mark}{title}\n\n".count("\n")
    found = load(folder).problems
    assert all(problem.path == path.as_posix() for problem in found)
    return [f"{problem.line - first}: {problem.message}" for problem in found]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("Tak.\n\n![obraz](obraz.png)", "3: a picture; texts have no pictures: draw it in"),
        ("Tak, [odsyłacz](../zasady.md).", "1: a link to '../zasady.md', which leads nowhere"),
        ("Tak, [a](zasady) i [b](https://a.example/).", "1: a link to 'zasady'"),
        ("Tak.\n\nTekst\n---\n\nDalej.", "4: a line of --- makes the line above it a heading"),
        ("Tak\n===\n\nDalej.", "2: a line of === makes the line above it a heading"),
    ],
)
def test_what_a_page_would_show_broken(body: str, told: str, tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, body)
    assert problem.startswith(told), problem


@pytest.mark.parametrize(
    "body",
    [
        "Tak.\n\n>>>>>>>> x\n\n<<<<<<<x",
        "Tak, [a](https://a.example/x), [b](mailto:a@b.example).\n\n---\n\nDalej.",
        "Tak.\n\n```\n![x](y.png)\ntekst\n---\n```\n\n`[a](b)` i \\[a](b)",
        "Karta [[Anakin Skywalker (A)]](nie odsyłacz).\n\n- a\n- b\n\n## Nagłówek",
        "Tak:\n\n- 2 karty\n- 3 karty\n\n  - 4 karty\n\n    wcięty\n\n-1 i\n+2",
        "Tak\n    wcięty wiersz.\n\n```\n    [a]: b\n2*3 i 4*5\n```\n\n`2*3*4`, 2 * 3 * 4",
        "Tak, 2\\*3, **Sith**ów, *2* i K**6**.\n\n[Uwaga]: to jest ważne.",
        "Tak.\n\npl: miecz\nen: sword\n\nUwaga: nie.\n\n- en: sword\n\n```\n\nen: a\n\n```",
    ],
)
def test_what_is_meant_so(body: str, tmp_path: Path) -> None:
    assert not [text for text in problems(tmp_path, body) if "e-mail" not in text]


def test_an_inflected_name_in_a_mark_gets_the_mark_that_works(tmp_path: Path) -> None:
    (problem,) = problems(tmp_path, "Tak, [[łowcą światów]].")
    assert problem == (
        "1: 'łowcą światów' is not in cards.tsv; did you mean [[Łowca Światów|łowcą światów]]?"
    )
