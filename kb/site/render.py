"""Render templates to HTML. Everything is escaped; an unknown name in a template is an error."""

from __future__ import annotations

import os
import stat
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemBytecodeCache,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    pass_context,
    select_autoescape,
)
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup, escape

from kb.core import urls
from kb.core.files import user_cache
from kb.core.json import compact
from kb.core.problems import KbError, Problem, posix_path
from kb.language.registry import own_languages, reading_order
from kb.records.fields import Header
from kb.records.text import NOTES
from kb.records.values import VERDICTS
from kb.serialize.ruling import answer_in_words
from kb.site import i18n as W
from kb.site.grouping import by_initial
from kb.site.i18n import Catalog, language_name, locale_code
from kb.site.markdown import RulingText, beginning
from kb.site.templates import Templates

# The address of the page that is being rendered. Macros know it without a context of their own.
_HERE: ContextVar[str] = ContextVar("here")
# Characters of an answer that previews and search engines get.
_SUMMARY = 155
# Parts of pages that are cached at most.
_PARTS = 20_000
# The templates of macros, by the names under which all templates call them.
_MACROS = {"m": "_macros.html", "c": "_card.html"}
# The template of what all pages of a folder share; the character on both sides of a slot's name in
# it, which HTML cannot have; the slot for the name of a page's own folder.
_FRAME, _MARK, _NAME = "frame.html", "\0", "name"


def _names(table: Mapping[str, str], words: Catalog) -> Callable[[str], str]:
    """A function that returns the translated name for a key."""
    return words.table(table).__getitem__


def _language_of_words(templates: Templates, words: Catalog) -> Callable[[str], str]:
    """A function that returns the language of words that stand in a text: its own, if known."""
    known = W.interface_languages(templates)
    return lambda lang: lang if lang in known else words.lang


def _names_in_texts(
    table: Mapping[str, str], templates: Templates, words: Catalog
) -> Callable[[str, str], str]:
    """A function that returns the name of a key in a text's language, else in the interface's.

    A key that the table lacks, such as a verdict that is a number, is its own name.
    """
    spoken = _language_of_words(templates, words)

    @cache
    def name(key: str, lang: str) -> str:
        catalog = W.read_words(templates, lang) if spoken(lang) != words.lang else words
        return catalog(table[key]) if key in table else key

    return name


def _spoken(verdict_name: Callable[[str, str], str], head: Header, text: RulingText) -> str:
    """The answer of a text after its verdict, on one line."""

    def in_language(_: str) -> str:
        return verdict_name(head.verdict or "", text.lang)

    return answer_in_words(text.plain, head.verdict, head.when, text.lang, in_language)


def _translating(words: Catalog) -> Callable[..., Markup]:
    """`_` in templates; Jinja2's own formats every message, and a page calls it 20 times.

    Messages are text like any other: catalogues and site.yaml have no HTML.
    """
    translated = cache(lambda text: escape(words(text)))
    return lambda text, **values: translated(text) % values if values else translated(text)


def _counted(words: Catalog, one: str, many: str, number: int) -> Markup:
    """`ngettext` of the templates, with the number as `%(num)s`."""
    return escape(words.translations.ngettext(one, many, number)) % {"num": number}


def environment(
    templates: Templates, words: Catalog, only_english: Iterable[str] = (), reading: str = ""
) -> Environment:
    """The templates' environment for one language of the interface.

    On each page `here` is its own address below the language, `to(address)` a link to a page of the
    same language, and `root(address)` one to a file that all languages share. `only_english`: the
    games that have no pages in the language. `reading`: the language that titles and texts are read
    in, if it is not that of the interface.
    """
    read = reading or words.lang
    verdict_name = _names_in_texts(VERDICTS, templates, words)
    env = Environment(
        loader=FileSystemLoader(templates.folders),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=code_cache(),
    )
    env.policies["json.dumps_function"], env.policies["json.dumps_kwargs"] = compact, {}
    env.filters["game_title"] = lambda game: game.title(words.lang)
    env.filters["titles"] = lambda texts: tuple((text.lang, text.title) for text in texts)
    env.filters["langs"] = lambda texts: " ".join(text.lang for text in texts)
    env.filters["beginning"] = partial(beginning, most=_SUMMARY)
    env.filters["css_text"] = _css_text
    env.filters["fill"] = _fill
    env.filters["lettered"] = lambda terms: _lettered(terms, words.lang)
    env.filters["mine"] = lambda items: own_first(items, read)
    env.filters["read_in"] = own_first
    env.globals |= {
        "_": _translating(words),
        "ngettext": partial(_counted, words),
        "ui": words.lang,
        "own_languages": own_languages(read),
        "urls": urls,
        "language_name": language_name,
        "language_in_words": lambda lang: W.language_in_words(lang, words.lang),
        "locale_code": locale_code,
        "date_name": cache(words.date),
        "kind_name": _names(W.KINDS, words),
        "authority_name": _names(W.AUTHORITIES, words),
        "status_name": _names(W.STATUSES, words),
        "language_of_words": _language_of_words(templates, words),
        "note_name": _names_in_texts(NOTES, templates, words),
        "verdict_name": verdict_name,
        "spoken": partial(_spoken, verdict_name),
        "verdict_kinds": tuple(VERDICTS),
        "change_name": _names({**W.STATUSES, **W.CHANGES}, words),
        "banner": _names(W.BANNERS, words),
        "fact_name": _names(W.FACTS, words),
        "to": partial(_to, words.lang, frozenset(only_english)),
        "root": partial(_root, words.lang),
        "whole": _whole,
        "framed": _framing(),
        "slot": _slot,
    }
    return env


class _CodeCache(FileSystemBytecodeCache):
    """Compiled templates, the same for all languages; a damaged file is compiled again.

    For the first page of a process: compiling all templates takes 0.3 s a language.
    """

    def load_bytecode(self, bucket: Bucket) -> None:
        try:
            super().load_bytecode(bucket)
        # A damaged file may raise almost anything.
        except Exception:
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        with suppress(OSError):
            super().dump_bytecode(bucket)


def code_cache() -> BytecodeCache | None:
    """The cache of compiled templates, in the user's cache.

    None where its folder is not the user's own, or others may write into it: its code is run.
    """
    folder = user_cache() / "compiled-templates"
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        status = folder.lstat()
        is_own = not hasattr(os, "getuid") or (
            status.st_uid == os.getuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        )
        if is_own and stat.S_ISDIR(status.st_mode):
            return _CodeCache(str(folder))
    return None


def _framing() -> Callable[..., Markup]:
    """`framed` of the templates: a part that is the same on all pages of a folder, rendered once.

    For builds: the pages of the three games take a fifth less time. A page near the root has
    parts of its own, since it may be the target of their links.
    """
    parts: dict[tuple[object, ...], Markup] = {}

    def framed(name: str, make: Callable[..., str], *given: object) -> Markup:
        """The part with a name, as a macro of the template renders it from some arguments."""
        key = (name, _folder(_HERE.get()), *given)
        part = parts.get(key)
        if part is None:
            if len(parts) >= _PARTS:
                parts.clear()
            part = parts[key] = Markup(make(*given))
        return part

    return framed


@lru_cache(1)
def _folder(here: str) -> str:
    """The folder above a page's own; the page itself near the root."""
    return here.rsplit("/", 2)[0] if here.count("/") > 2 else here


@cache
def _reading_ranks(lang: str) -> Mapping[str, int]:
    return {code: rank for rank, code in enumerate(reading_order(lang))}


def own_first(items: Iterable[Any], lang: str) -> list[Any]:
    """Texts or (language, text) pairs in the order of reading; other languages stay as they are."""
    ranks = _reading_ranks(lang)

    def rank(item: Any) -> int:
        return ranks.get(item[0] if isinstance(item, tuple) else item.lang, len(ranks))

    return sorted(items, key=rank)


def _lettered(terms: Iterable[Any], lang: str) -> list[tuple[str, list[Any]]]:
    """Terms by the first letter of their names in a language, or in the first that is read."""

    def name(term: Any) -> str:
        return str(own_first(term.names.items(), lang)[0][1][0])

    return by_initial(terms, lang, name)


def _css_text(text: str) -> Markup:
    """A string of a style sheet, with all but letters and digits escaped."""
    return Markup(
        '"'
        + "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in text)
        + '"'
    )


def _to(ui: str, only_english: frozenset[str], address: str) -> str:
    """A link to a page in the language `ui`, or in English for a game that is in no other."""
    if address.partition("/")[0] in only_english:
        return _root(ui, address)
    return urls.relative(address, _HERE.get())


def _root(ui: str, address: str, lang: str = "en") -> str:
    """A link from a page in the language `ui` to an address at the root or of another language."""
    return urls.relative(urls.localized(address, lang), urls.localized(_HERE.get(), ui))


@pass_context
def _whole(context: Context, address: str, lang: str = "en") -> str:
    """The whole URL of an address where the site knows its own, else a link."""
    base_url = context["site"].base_url
    return urls.absolute(urls.localized(address, lang), base_url) or _root(
        context["ui"], address, lang
    )


def render(env: Environment, template: str, here: str, values: dict[str, Any]) -> str:
    """One page: `here` is its address below the language of the interface.

    Raises KbError, with the line, for a template that a webmaster has broken.
    """
    slots: dict[str, str] = {}
    text = _rendered(env, template, here, {**values, "slots": slots})
    if not slots:
        return text
    folder = _folder(here)
    name = here[len(folder) + 1 :].partition("/")[0]

    def frame() -> str:
        marked = f"{folder}/{_slot(_NAME)}/index.html" if name else here
        return _rendered(env, _FRAME, marked, values)

    page = _HERE.set(here)
    try:
        framed: Any = env.globals["framed"]
        pieces = str(framed(_FRAME, frame)).split(_MARK)
    finally:
        _HERE.reset(page)
    slots[_NAME] = name
    return "".join(slots[piece] if at % 2 else piece for at, piece in enumerate(pieces))


def add_macros(env: Environment) -> None:
    """Let all templates call the macros of `_MACROS` without importing them each time.

    Raises KbError like `render`.
    """
    for name, template in _MACROS.items():
        try:
            env.globals[name] = env.get_template(template).module
        except TemplateError as error:
            raise KbError(template, (broken(error, template),)) from error


def _rendered(env: Environment, template: str, here: str, values: dict[str, Any]) -> str:
    page = _HERE.set(here)
    try:
        return env.get_template(template).render({**values, "here": here})
    except TemplateError as error:
        raise KbError(f"{template}, rendering {here}", (broken(error, template),)) from error
    finally:
        _HERE.reset(page)


def _slot(name: str) -> Markup:
    """`slot` in frame.html: a place that each page fills."""
    return Markup(f"{_MARK}{name}{_MARK}")


@pass_context
def _fill(context: Context, text: str, name: str) -> str:
    """`fill` in base.html: the content of a slot of the frame."""
    context["slots"][name] = str(text)
    return ""


def broken(error: TemplateError, template: str) -> Problem:
    """Where a template is broken, by the syntax error or by the template's frame of the error."""
    if isinstance(error, TemplateSyntaxError):
        return Problem(
            f"templates/{error.name or template}",
            error.lineno,
            error.message or "a broken template",
        )
    lines = [
        (frame.filename, frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
        if "templates" in frame.filename
    ]
    name, line = lines[-1] if lines else (f"templates/{template}", 1)
    return Problem(posix_path(Path(name)), line or 1, error.message or type(error).__name__)
