"""Translations: each message has one, none is left over, numbers and names stay in."""

from __future__ import annotations

import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po

import kb.plugins
from kb.core.problems import KbError
from kb.records.fields import FACETS, HEADER_FIELDS
from kb.records.text import NOTES
from kb.records.values import VERDICTS
from kb.server import live_pages
from kb.site import embed
from kb.site import i18n as words
from kb.site.po_files import read_catalogue, untranslated
from kb.site.templates import Templates
from tests.packages import left_out

TEMPLATES = Path(__file__).parent.parent.parent / "templates"
PLUGINS = Path(kb.plugins.__file__).parent
SHIPPED = ("cs", "pl", "ru", "sk")
TABLES = (
    "KINDS AUTHORITIES STATUSES BANNERS FACTS CHANGES SEARCH DECK SCRIPT EMBED REPORT"
).split()
_HEAD = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=utf-8\\n"\n'
LANGUAGES = sorted(path.stem for path in (TEMPLATES / "locale").glob("*.po"))


def messages_of_plugins() -> Iterator[str]:
    """The messages in the tables of each plug-in's module `words`; of a plural its singular."""
    for path in PLUGINS.glob("*/words.py"):
        for name, table in vars(import_module(f"kb.plugins.{path.parent.name}.words")).items():
            if name.isupper():
                for message in table.values() if isinstance(table, dict) else table:
                    yield message if isinstance(message, str) else message[0]


def wanted() -> set[str]:
    """The messages of templates and code; of a plural its singular."""
    plurals = (words.FOUND, words.SHOW, words.DECK_FOUND, words.DECK_WITHOUT, live_pages.PROBLEMS)
    found = [one for one, _ in plurals]
    found += [*words.OFFER, "Rulings", "Card-game rulings", *messages_of_plugins()]
    modules = (words, embed, live_pages)
    tables = [vars(module).get(name, {}) for module in modules for name in TABLES]
    for table in (FACETS, NOTES, VERDICTS, *tables):
        found += table.values()
    for field in HEADER_FIELDS:
        found += [field.label] if field.label else []
        found += [] if field.name in words.CHOICES else field.choices
    options = {"newstyle_gettext": "true", "silent": "false"}
    for path in (*TEMPLATES.rglob("*.html"), *PLUGINS.rglob("*.html")):
        rows = [row[1] for row in extract_from_file("jinja2", path, options=options)]
        found += [text if isinstance(text, str) else text[0] for text in rows]
    return {*found}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_is_translated_once_and_none_is_left_over(lang: str) -> None:
    text = (TEMPLATES / "locale" / f"{lang}.po").read_bytes()
    catalog = read_po(io.BytesIO(text), locale=lang, abort_invalid=True)
    messages = {
        (one.id if isinstance(one.id, str) else one.id[0]): one for one in catalog if one.id
    }
    # Another language may be partial: kb check --stale lists what it lacks.
    assert set(messages) >= wanted() or lang not in SHIPPED
    assert set(messages) <= wanted() or left_out()
    for name, message in messages.items():
        forms = [message.string] if isinstance(message.string, str) else message.string
        if any(forms) or lang in SHIPPED:
            assert not message.fuzzy and all(forms), name
    # Readers keep one of two definitions; `msgfmt` and translators' editors refuse the file.
    ids = re.findall(r'(?m)^(?:msgctxt .*\n)?msgid "(.+)"$', text.decode())
    assert [one for one, count in Counter(ids).items() if count > 1] == []


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


def test_what_a_catalogue_lacks_is_listed(tmp_path: Path) -> None:
    polish = {"Cards": "Karty", "Errata": "Errata", "Pin": "Przypnij"}
    paths = tmp_path / "pl.po", tmp_path / "de.po"
    for path, messages in zip(paths, (polish, {"Cards": "Karten", "Pin": ""}), strict=True):
        rows = (f'\nmsgid "{one}"\nmsgstr "{said}"\n' for one, said in messages.items())
        path.write_text("".join((_HEAD, *rows)), encoding="utf-8")
    listed = [(problem.line, problem.message) for problem in untranslated(paths)]
    assert listed == [(1, "not translated: 'Errata'"), (8, "not translated: 'Pin'")]


def test_dates_and_names_of_languages() -> None:
    polish = words.read_words(Templates((TEMPLATES,)), "pl")
    dates = [*map(polish.date, ("2003", "2003-06", "2003-06-01", "long ago"))]
    assert dates == ["2003", "czerwiec 2003", "1 czerwca 2003", "long ago"]
    assert polish.date("2003-06", in_phrase=True) == "czerwca 2003"
    assert words.read_words(Templates((TEMPLATES,)), "en").date("2003-06-01") == "1 June 2003"
    names = [*map(words.language_name, ("sk", "ru", "xx"))]
    assert names == ["Slovenčina", "Русский", "xx"]


_RULE = '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"\n'
_PLURAL = '\nmsgid "%(num)s ruling"\nmsgid_plural "%(num)s rulings"\n'
_AS_OF = '\nmsgid "As of %(date)s"\nmsgstr '


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        *(
            (f'{_HEAD}{_RULE}{_AS_OF}"{said}"\n', 6, told)
            for said, told in (
                ("100 % %(date)s", "begins no"),
                ("%(date)d", "begins no"),
                ("%(datum)s", r"%\(datum\)s is not in"),
                ("no name", r"%\(date\)s is missing"),
            )
        ),
        (f'{_HEAD}"Plural-Forms: nplurals=2; plural=n ? 1;\\n"\n', 1, "not a catalogue"),
        (f'{_HEAD}{_RULE}{_PLURAL}msgstr[0] "%(num)s"\n', 6, "plural forms instead of 2"),
        (f"{_HEAD}{_RULE}\nmsgid unquoted\n", 6, "missing msgstr"),
        (_HEAD.replace("utf-8", "no-such-charset"), 1, "not a catalogue"),
    ],
    ids=lambda value: str(value)[-60:],
)
def test_a_faulty_catalogue_is_named_with_its_line(
    text: str, line: int, told: str, tmp_path: Path
) -> None:
    path = tmp_path / "pl.po"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(KbError, match="the words of the interface in 'pl'") as raised:
        read_catalogue(path, "pl")
    (problem, *_) = raised.value.problems
    assert problem.path == path.as_posix() and problem.line == line, problem
    assert re.search(told, problem.message), problem


def test_a_catalogue_of_any_system_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pl.po"
    text = f'\ufeff{_HEAD}\nmsgid "Cards"\nmsgstr "{unicodedata.normalize("NFD", "Żółwie")}"\n'
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert read_catalogue(path, "pl").gettext("Cards") == "Żółwie"


def test_a_catalogue_in_another_encoding_or_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "pl.po"
    with pytest.raises(KbError, match=r"pl\.po"):
        read_catalogue(path, "pl")
    path.write_bytes(f'{_HEAD}\nmsgid "Cards"\nmsgstr "Żołnierz"\n'.encode("cp1250"))
    with pytest.raises(KbError) as refused:
        read_catalogue(path, "pl")
    [problem] = refused.value.problems
    assert problem.line == 6 and "Windows-1250" in problem.message
