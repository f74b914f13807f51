"""Translations: each message has one, none is left over, numbers and names stay in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po

from kb.core.problems import KbError
from kb.site import i18n as words
from kb.site.templates import Templates

TEMPLATES = Path(__file__).parent.parent.parent / "templates"
LANGUAGES = sorted(path.stem for path in (TEMPLATES / "locale").glob("*.po"))


def wanted() -> set[str]:
    """The messages of templates and code; of a plural its singular."""
    found: list[object] = [
        words.FOUND,
        words.DECK_FOUND,
        words.DECK_WITHOUT,
        *words.OFFER,
        "Rulings",
        "Card-game rulings",
    ]
    tables = (
        *words.MARKED,
        words.SEARCH,
        words.FIELDS,
        words.DECK,
        words.PROPOSE,
        words.SCRIPT,
        words.MANIFEST,
    )
    for table in tables:
        found += table.values()
    for path in sorted(TEMPLATES.glob("*.html")):
        found += [
            row[1]
            for row in extract_from_file(
                "jinja2", path, options={"newstyle_gettext": "true", "silent": "false"}
            )
        ]
    return {one if isinstance(one, str) else one[0] for one in found}  # type: ignore[index]


def catalog(lang: str) -> Catalog:
    with (TEMPLATES / "locale" / f"{lang}.po").open("rb") as file:
        return read_po(file, locale=lang, abort_invalid=True)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_is_translated_and_none_is_left_over(lang: str) -> None:
    held = {
        (one.id if isinstance(one.id, str) else one.id[0]): one for one in catalog(lang) if one.id
    }
    assert set(held) == wanted()
    for message in held.values():
        forms = message.string if isinstance(message.string, (list, tuple)) else [message.string]
        ids = message.id if isinstance(message.id, (list, tuple)) else [message.id]
        assert not message.fuzzy and all(forms), message.id
        names = set(re.findall(r"%\(\w+\)s", ids[0]))
        assert all(set(re.findall(r"%\(\w+\)s", form)) == names for form in forms), message.id


@pytest.mark.parametrize(
    ("lang", "forms"),
    [
        ("en", ["{n} ruling", "{n} rulings"]),
        ("pl", ["{n} orzeczenie", "{n} orzeczenia", "{n} orzeczeń"]),
        ("sk", ["{n} rozhodnutie", "{n} rozhodnutia", "{n} rozhodnutí"]),
        # Three equal forms: the pages pick one by its place.
        ("cs", ["{n} rozhodnutí", "{n} rozhodnutí", "{n} rozhodnutí"]),
        ("ru", ["{n} разъяснение", "{n} разъяснения", "{n} разъяснений"]),
    ],
)
def test_plurals(lang: str, forms: list[str]) -> None:
    assert words.read_words(Templates((TEMPLATES,)), lang).plural(words.FOUND) == forms


def test_dates_and_names_of_languages() -> None:
    polish = words.read_words(Templates((TEMPLATES,)), "pl")
    assert [polish.date(one) for one in ("2003", "2003-06", "2003-06-01", "long ago")] == [
        "2003",
        "czerwiec 2003",
        "1 czerwca 2003",
        "long ago",
    ]
    assert words.read_words(Templates((TEMPLATES,)), "en").date("2003-06-01") == "1 June 2003"
    assert [words.language_name(one) for one in ("sk", "ru", "xx")] == [
        "Slovenčina",
        "Русский",
        "xx",
    ]


def test_a_language_without_words_is_refused() -> None:
    with pytest.raises(KbError, match=r"de\.po"):
        words.read_words(Templates((TEMPLATES,)), "de")


def test_a_broken_template_is_named_with_its_line(good_root: Path, tmp_path: Path) -> None:
    import shutil

    from kb.build.paths import Paths
    from kb.build.pipeline import build

    shutil.copytree(good_root, tmp_path / "rulings")
    for broken, message in (
        ("{% block main %}\n{% endblok %}", "endblok"),
        ("{{ nothing.at.all }}", "nothing"),
    ):
        shutil.rmtree(tmp_path / "templates", ignore_errors=True)
        shutil.copytree(TEMPLATES, tmp_path / "templates")
        page = tmp_path / "templates" / "home.html"
        page.write_text(
            page.read_text(encoding="utf-8").replace(
                "{% block main %}", f"{{% block main %}}\n{broken}"
            ),
            encoding="utf-8",
        )
        with pytest.raises(KbError) as caught:
            build(Paths(tmp_path / "rulings", tmp_path / "data"), tmp_path / "site")
        (problem,) = caught.value.problems
        assert problem.path.endswith("home.html") and message in problem.message
        line = page.read_text(encoding="utf-8").splitlines()[problem.line - 1]
        assert line in broken.splitlines()
