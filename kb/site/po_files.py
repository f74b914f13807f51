"""Read a catalogue of the interface, and report what would fail on a page, with its line."""

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

from kb.core.characters import normalize
from kb.core.decoding import decode_utf8, unix_lines
from kb.core.problems import KbError, Problem, posix_path

_PLACEHOLDER = re.compile(r"%(?:\(\w+\)s|%)")
_NAME = re.compile(r"%\((\w+)\)")


def read_catalogue(path: Path, lang: str) -> gettext.GNUTranslations:
    """Read the translations of a language. Raises KbError, with a problem for each fault."""
    return _read(path, lang)[1]


def untranslated(paths: Iterable[Path]) -> list[Problem]:
    """Return the messages that catalogues leave in English, each with its line, or 1.

    A message is one that any of the catalogues has. Raises KbError for a broken catalogue.
    """
    catalogs: dict[Path, dict[str, Message]] = {}
    for path in paths:
        catalog = _read(path, path.stem)[0]
        catalogs[path] = {_forms(message.id)[0]: message for message in catalog if message.id}
    messages = dict.fromkeys(text for catalog in catalogs.values() for text in catalog)
    problems: list[Problem] = []
    for path, translated in catalogs.items():
        for text in messages:
            message = translated.get(text)
            if message is None or not any(_forms(message.string)):
                line = message.lineno if message else None
                problems.append(Problem(posix_path(path), line or 1, f"not translated: {text!r}"))
    return problems


def _forms(value: str | Sequence[str] | None) -> Sequence[str]:
    """The forms of a message or of its translation; a plural has several."""
    return [value] if isinstance(value, str) else value or ()


def _read(path: Path, lang: str) -> tuple[Catalog, gettext.GNUTranslations]:
    """Read and check a catalogue; return it, and what gettext reads."""
    name = posix_path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise KbError(f"{_refusal(name, lang)}: {error.strerror}") from None
    return _parsed(data, name, lang)


def _refusal(name: str, lang: str) -> str:
    return f"{name}: the words of the interface in {lang!r} cannot be read"


@cache
def _parsed(data: bytes, name: str, lang: str) -> tuple[Catalog, gettext.GNUTranslations]:
    """Parse a catalogue, once for all languages of the interface, which name verdicts in others."""
    file, problems = decode_utf8(data, name)
    if not problems:
        try:
            text = normalize(unix_lines(file.text))
            catalog = read_po(io.StringIO(text), locale=lang, abort_invalid=True)
            problems = [*_check_messages(catalog, name)]
            if not problems:
                compiled = io.BytesIO()
                write_mo(compiled, catalog)
                compiled.seek(0)
                return catalog, gettext.GNUTranslations(compiled)
        except PoFileError as error:
            problems = [Problem(name, error.lineno + 1, f"{error.args[0]}: {error.line!r:.80}")]
        # Babel raises almost anything for another kind of file.
        except Exception as error:
            problems = [Problem(name, 1, f"is not a catalogue of messages ({error!s:.200})")]
    raise KbError(_refusal(name, lang), tuple(problems))


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
