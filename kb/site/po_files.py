"""Read a catalogue of the interface, and name what would fail on a page, with its line."""

from __future__ import annotations

import gettext
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po

from kb.core.characters import hidden_message, normalize
from kb.core.decoding import decode_utf8, unix_lines
from kb.core.files import read_bounded
from kb.core.problems import KbError, Problem, posix_path

# The bytes of a catalogue; the longest of ours has 30,000.
_MAX_BYTES = 2_000_000
# No language has more forms than Arabic.
_MAX_PLURALS = 6
_COUNTED = range(1_000)
_PLURALS = re.compile(r"nplurals\s*=\s*([0-9]{1,20})\s*;\s*plural\s*=\s*([^;\\\"]{1,500})")
_PLACEHOLDER = re.compile(r"%(?:\(\w+\)s|%)")
# A catalogue that lacks more messages than this is listed by their number and the first of them.
_MAX_LISTED = 20
_SHOWN_OF_MANY = 3
_NAME = re.compile(r"%\((\w+)\)")


def read_catalogue(path: Path, lang: str) -> gettext.GNUTranslations:
    """Read the translations of a language. Raises KbError, with a problem for each fault."""
    return _read(path, lang)[1]


def untranslated(paths: Iterable[Path]) -> list[Problem]:
    """Return the messages that catalogues leave in English, each with its line, or 1; few of many.

    A message is one that any of the catalogues has. Raises KbError for one that is broken.
    """
    catalogs: dict[Path, dict[str, Message]] = {}
    for path in paths:
        catalog = _read(path, path.stem)[0]
        catalogs[path] = {_forms(message.id)[0]: message for message in catalog if message.id}
    messages = dict.fromkeys(text for catalog in catalogs.values() for text in catalog)
    problems: list[Problem] = []
    for path, translated in catalogs.items():
        lacking = []
        for text in messages:
            message = translated.get(text)
            if message is None or not any(_forms(message.string)):
                line = message.lineno if message else None
                lacking.append(Problem(posix_path(path), line or 1, f"not translated: {text!r}"))
        problems += _shortened(lacking)
    return problems


def _forms(value: str | Sequence[str] | None) -> Sequence[str]:
    """The forms of a message or of its translation; those of a plural are several."""
    return [value] if isinstance(value, str) else value or ()


def _shortened(problems: list[Problem]) -> list[Problem]:
    """Return the problems of one catalogue; of many, the first and how many there are."""
    if len(problems) <= _MAX_LISTED:
        return problems
    first = problems[0]._replace(message=f"{len(problems)} messages are not translated, such as:")
    return [first, *problems[:_SHOWN_OF_MANY]]


def _read(path: Path, lang: str) -> tuple[Catalog, gettext.GNUTranslations]:
    """Read and check a catalogue; return it, and what gettext reads."""
    name = posix_path(path)
    try:
        data = read_bounded(path, _MAX_BYTES)
    except OSError as error:
        raise KbError(f"{_refusal(name, lang)}: {error.strerror}") from None
    return _parsed(data, name, lang)


def _refusal(name: str, lang: str) -> str:
    return f"{name}: the words of the interface in {lang!r} cannot be read"


@cache
def _parsed(data: bytes, name: str, lang: str) -> tuple[Catalog, gettext.GNUTranslations]:
    """Parse a catalogue, once for all languages of the interface, which name verdicts in others."""
    refusal = _refusal(name, lang)
    if len(data) > _MAX_BYTES:
        raise KbError(refusal, (Problem(name, 1, f"has more than {_MAX_BYTES:,} bytes"),))
    file, problems = decode_utf8(data, name)
    if "\0" in file.text:
        line = file.text.count("\n", 0, file.text.index("\0")) + 1
        problems = [*problems, Problem(name, line, f"{hidden_message(chr(0))}; delete it")]
    text = normalize(unix_lines(file.text))
    problems += () if problems else _check_plurals(text, name)
    if not problems:
        try:
            catalog = read_po(io.StringIO(text), locale=lang, abort_invalid=True)
            problems = [*_check_messages(catalog, name)]
            if not problems:
                compiled = io.BytesIO()
                write_mo(compiled, catalog)
                compiled.seek(0)
                return catalog, gettext.GNUTranslations(compiled)
        except PoFileError as error:
            problems = [Problem(name, error.lineno + 1, f"{error.args[0]}: {error.line!r:.80}")]
        # Babel raises almost anything for a file that is no catalogue.
        except Exception as error:
            problems = [Problem(name, 1, f"is not a catalogue of messages ({error!s:.200})")]
    raise KbError(refusal, tuple(problems))


def _check_plurals(text: str, name: str) -> Iterator[Problem]:
    """Check the rule of plurals before anything counts with it."""
    # A header may be broken into several quoted lines.
    header = re.sub(r'"[^\S\n]*\n\s*"', "", text[: text.find("\n\n") if "\n\n" in text else None])
    place = text.find("Plural-Forms")
    line = text.count("\n", 0, max(place, 0)) + 1
    if place < 0:
        if "msgid_plural" in text:
            yield Problem(name, 1, "Plural-Forms: missing in the header")
        return
    rule = _PLURALS.search(header)
    if not rule or not 1 <= int(rule[1]) <= _MAX_PLURALS:
        message = f"Plural-Forms: write nplurals=N; plural=...;, with N from 1 to {_MAX_PLURALS}"
        yield Problem(name, line, message)
        return
    try:
        plural = gettext.c2py(rule[2].strip())
        wrong = next((n for n in _COUNTED if not 0 <= plural(n) < int(rule[1])), None)
    except (ValueError, ArithmeticError, RecursionError) as error:
        yield Problem(name, line, f"Plural-Forms: {error}")
        return
    if wrong is not None:
        yield Problem(name, line, f"Plural-Forms: gives form {plural(wrong)} for {wrong}")


def _check_messages(catalog: Catalog, name: str) -> Iterator[Problem]:
    for message in catalog:
        if message.id and message.string:
            for text in _wrong(message, catalog.num_plurals):
                yield Problem(name, message.lineno or 1, text)


def _wrong(message: Message, forms: int) -> Iterator[str]:
    ids, texts = _forms(message.id), _forms(message.string)
    given = sum(map(bool, texts))
    if len(ids) > 1 and given not in (0, forms):
        yield f"{ids[0]!r:.60}: {given} plural forms instead of {forms}"
    names = {name for text in ids for name in _NAME.findall(text)}
    for text in filter(None, texts):
        unknown = sorted(set(_NAME.findall(text)) - names)
        missing = sorted(set(_NAME.findall(ids[-1])) - set(_NAME.findall(text)))
        if unknown or missing:
            kind = "is not in the message" if unknown else "is missing"
            yield f"{text!r:.60}: %({(unknown or missing)[0]})s {kind}"
            continue
        if "%" in _PLACEHOLDER.sub("", text):
            yield f"{text!r:.60}: a % that begins no %(name)s; write %% for the sign"
