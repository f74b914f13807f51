"""Templates -> HTML. Escaping is on everywhere, an unknown name in a template is an error."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache, partial
from pathlib import Path
from types import BuiltinMethodType, FunctionType, MethodType
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
from jinja2.runtime import Context, Macro, new_context
from markupsafe import Markup

from kb.core import urls
from kb.core.json import compact
from kb.core.problems import KbError, Problem, posix_path
from kb.site import i18n as W
from kb.site.i18n import Catalog, language_name


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
# The address of the page that is being rendered. Macros know it without its context, so that they are made once for all pages.
_HERE: ContextVar[str] = ContextVar("here")
# So many parts of pages and links are held at most.
_PARTS = 20_000
# What wants nothing of the context unless it says so.
_FUNCTIONS = frozenset((FunctionType, MethodType, BuiltinMethodType, partial, type(cache(len))))
_CONTEXT = getattr(pass_context(lambda context: None), "jinja_pass_arg")  # noqa: B009


class _Context(Context):
    """Calls functions and macros at once, where Jinja2 looks four times at each what it wants to be given first."""

    def call(
        self,
        called: Any,
        /,
        *args: Any,
        _block_vars: Any = None,
        _loop_vars: Any = None,
        **named: Any,
    ) -> Any:
        """What a template calls; `_block_vars` and `_loop_vars` are the variables set around the call."""
        kind = type(called)
        if kind is Macro:
            return called(self.eval_ctx, *args, **named)
        if kind in _FUNCTIONS:
            wanted = getattr(called, "jinja_pass_arg", None)
            if wanted is None:
                return called(*args, **named)
            if wanted is _CONTEXT and not _block_vars and not _loop_vars:
                return called(self, *args, **named)
        return super().call(called, *args, _block_vars=_block_vars, _loop_vars=_loop_vars, **named)


def _told(table: Mapping[str, str], words: Catalog) -> Callable[[str], str]:
    """What gives the word for a key of a table."""
    return {key: words(text) for key, text in table.items()}.__getitem__


def _gettext(words: Catalog) -> Callable[..., Markup]:
    """What translates in templates: a message, in which %(name)s stands for what is given by that name."""

    @cache
    def translated(message: str) -> Markup:
        return Markup(words(message))

    @cache
    def whole(message: str) -> Markup:
        return translated(message) % {}

    def gettext(message: str, **values: object) -> Markup:
        return translated(message) % values if values else whole(message)

    return gettext


def environment(templates: Path, words: Catalog) -> Environment:
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
    made.context_class = _Context
    made.policies["json.dumps_function"], made.policies["json.dumps_kwargs"] = compact, {}
    made.install_gettext_translations(words.translations, newstyle=True)  # type: ignore[attr-defined]
    made.globals["_"] = made.globals["gettext"] = _gettext(words)
    made.filters["game_title"] = lambda game: game.title(words.lang)
    made.filters["titles"] = lambda texts: tuple((text.lang, text.title) for text in texts)
    made.filters["css_text"] = _css_text
    made.filters["mine"] = lambda items: own_first(items, words.lang)
    made.globals |= {
        "ui": words.lang,
        "urls": urls,
        "language_name": language_name,
        "date_name": cache(words.date),
        "kind_name": _told(W.KINDS, words),
        "authority_name": _told(W.AUTHORITIES, words),
        "status_name": _told(W.STATUSES, words),
        "change_name": _told({**W.STATUSES, **W.CHANGES}, words),
        "banner": _told(W.BANNERS, words),
        "fact_name": _told(W.FACTS, words),
        "to": _to,
        "root": partial(_root, words.lang),
        "whole": _whole,
        "framed": _Frames().part,
    }
    return made


class _Frames:
    """Parts of pages, each made once for all pages in a folder: their links are the same from there.

    A page near the root may be the target of such a link; it has parts of its own.
    """

    def __init__(self) -> None:
        self.held: dict[tuple[object, ...], Markup] = {}

    def part(self, name: str, make: Callable[..., str], *given: object) -> Markup:
        """The part of a name, as a macro of the template makes it of what is given."""
        key = (name, _folder(_HERE.get()), *given)
        found = self.held.get(key)
        if found is None:
            if len(self.held) >= _PARTS:
                self.held.clear()
            found = self.held[key] = Markup(make(*given))
        return found


@lru_cache(1)
def _folder(here: str) -> str:
    """The folder that a page's own folder lies in, or the page itself where that is near the root."""
    return here.rsplit("/", 2)[0] if here.count("/") > 2 else here


def own_first(items: Iterable[Any], lang: str) -> list[Any]:
    """Texts or (language, text) pairs with those in the interface's language first, otherwise in their order."""
    found = list(items)
    if len(found) > 1:
        found.sort(key=lambda one: (one[0] if isinstance(one, tuple) else one.lang) != lang)
    return found


def _css_text(text: str) -> Markup:
    """A string of a style sheet: everything but plain letters and digits as an escape, so that nothing can end it."""
    return Markup(
        '"'
        + "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in text)
        + '"'
    )


def _to(address: str) -> str:
    return _link(address, _HERE.get())


def _link(address: str, here: str) -> str:
    """A link on a page, made once for all pages in a folder where it leads out of the page's own."""
    folder = _folder(here)
    if folder == here or (
        address.startswith(folder) and address.startswith(here.rpartition("/")[0])
    ):
        return urls.relative(address, here)
    return f"../{_relative(address, folder)}"


_relative = lru_cache(_PARTS)(lambda address, folder: urls.relative(address, f"{folder}/"))


def _root(ui: str, address: str, lang: str = "en") -> str:
    """A link from a page in the language `ui` to a file at the root, or to the address below another language."""
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
    try:
        found = env.get_template(template)
        # One dictionary: to look at the templates' globals and a page's values one by one takes longer than most macros.
        context = new_context(
            env, found.name, found.blocks, {**env.globals, **values, "here": here}, shared=True
        )
        page = _HERE.set(here)
        try:
            return env.concat(found.root_render_func(context))
        except Exception:
            env.handle_exception()
        finally:
            _HERE.reset(page)
    except TemplateError as error:
        raise KbError(f"{template}, rendering {here}", (broken(error, template),)) from error


def broken(error: TemplateError, template: str) -> Problem:
    """Where a template is wrong: a syntax error knows its line, another error is found by the frame of the template."""
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
