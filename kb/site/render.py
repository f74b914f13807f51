"""Templates -> HTML. Escaping is on everywhere, an unknown name in a template is an error."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from jinja2 import (
    BytecodeCache,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    TemplateError,
    TemplateSyntaxError,
    pass_context,
    select_autoescape,
)
from jinja2.bccache import Bucket
from jinja2.runtime import Context
from markupsafe import Markup

from kb import urls
from kb.problems import KbError, Problem, posix
from kb.site import words as W
from kb.site.words import Words, language_name


class _Compiled(BytecodeCache):
    """Templates compiled once for all languages of the interface: words are looked up when a page is rendered."""

    def __init__(self) -> None:
        self.held: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Gives what was compiled from the same source."""
        if bucket.key in self.held:
            bucket.bytecode_from_string(self.held[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keeps what was compiled."""
        self.held[bucket.key] = bucket.bytecode_to_string()


_COMPILED = _Compiled()


def environment(templates: Path, words: Words) -> Environment:
    """The templates' environment for one language of the interface.

    On each page `here` is its own address below the language, `to(address)` a link to another page of the same language and
    `root(address)` one to a file that all languages share; `_` and `ngettext` translate.
    """
    made = Environment(
        loader=FileSystemLoader(templates),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=_COMPILED,
        extensions=["jinja2.ext.i18n"],
    )
    made.install_gettext_translations(words.translations, newstyle=True)  # type: ignore[attr-defined]
    made.filters["game_title"] = lambda game: game.title(words.lang)
    made.filters["titles"] = lambda texts: tuple((text.lang, text.title) for text in texts)
    made.filters["css_text"] = _css_text
    made.filters["mine"] = lambda items: own_first(items, words.lang)
    made.globals |= {
        "ui": words.lang,
        "urls": urls,
        "language_name": language_name,
        "date_name": words.date,
        "kind_name": lambda key: words(W.KINDS[key]),
        "authority_name": lambda key: words(W.AUTHORITIES[key]),
        "status_name": lambda key: words(W.STATUSES[key]),
        "change_name": lambda key: words(W.CHANGES.get(key) or W.STATUSES[key]),
        "banner": lambda key: words(W.BANNERS[key]),
        "fact_name": lambda key: words(W.FACTS[key]),
        "to": _to,
        "root": _root,
        "whole": _whole,
        "framed": _Frames(),
    }
    return made


class _Frames:
    """Parts of the pages' frame, each made once for all pages in a folder: their links are the same from there.

    A page near the root may be the target of such a link; it has parts of its own.
    """

    def __init__(self) -> None:
        self.held: dict[tuple[str, str], Markup] = {}

    @pass_context
    def __call__(self, context: Context, name: str, make: Callable[[], str]) -> Markup:
        """The part of a name, made by a macro of the template."""
        here = str(context["here"])
        *folders, _, _ = here.split("/") if here.count("/") > 2 else (here, "", "")
        key = (name, "/".join(folders))
        if key not in self.held:
            self.held[key] = Markup(make())
        return self.held[key]


def own_first(items: Iterable[Any], lang: str) -> list[Any]:
    """Texts or (language, text) pairs with those in the interface's language first, otherwise in their order."""
    return sorted(items, key=lambda one: (one[0] if isinstance(one, tuple) else one.lang) != lang)


def _css_text(text: str) -> Markup:
    """A string of a style sheet: everything but plain letters and digits as an escape, so that nothing can end it."""
    return Markup('"' + "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in text) + '"')


@pass_context
def _to(context: Context, address: str) -> str:
    return urls.relative(address, context["here"])


@pass_context
def _root(context: Context, address: str, lang: str = "en") -> str:
    """A link to a file at the root, or to the address below another language."""
    return urls.relative(urls.localized(address, lang), urls.localized(context["here"], context["ui"]))


@pass_context
def _whole(context: Context, address: str, lang: str = "en") -> str:
    """The whole URL of an address where the site knows its own, else a link."""
    settings = context["settings"]
    return urls.absolute(urls.localized(address, lang), settings.base_url) or _root(context, address, lang)


def render(env: Environment, template: str, here: str, values: dict[str, Any]) -> str:
    """One page: `here` is its address below the language of the interface.

    Raises KbError, with the line, for a template that a webmaster has broken.
    """
    try:
        return env.get_template(template).render(here=here, **values)
    except TemplateError as error:
        raise KbError(f"{template}, rendering {here}", (broken(error, template),)) from error


def broken(error: TemplateError, template: str) -> Problem:
    """Where a template is wrong: a syntax error knows its line, another error is found by the frame of the template."""
    if isinstance(error, TemplateSyntaxError):
        return Problem(f"templates/{error.name or template}", error.lineno, error.message or "a broken template")
    lines = [
        (frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__) if "templates" in frame.filename
    ]
    name, line = lines[-1] if lines else (f"templates/{template}", 1)
    return Problem(posix(Path(name)), line or 1, error.message or type(error).__name__)
