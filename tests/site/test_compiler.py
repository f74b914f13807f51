"""Templates mean the same in our environment as in Jinja2's own."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import pytest
from jinja2 import (
    DictLoader,
    Environment,
    FileSystemLoader,
    StrictUndefined,
    UndefinedError,
    pass_context,
)
from jinja2.runtime import Context
from markupsafe import Markup

from kb.site.compiler import CODE_CACHE, TemplateEnvironment
from kb.site.render import render
from kb.site.templates import PACKAGED

TEMPLATES = {
    "macros": "{% macro bold(text, end='') %}<b>{{ text }}</b>{{ end }}{% endmacro %}",
    "values": "{{ text }} {{ markup }} {{ number }} {{ none }} {{ text ~ markup }}",
    "calls": "{% import 'macros' as m %}{{ twice('<') }} {{ m.bold(text, end='&') }} {{ word() }}"
    " {{ text.replace('<', '&') }} {{ given(*[1, 2], **{'three': 3}) }}",
    "context": "{{ of_context('text') }}",
    "own": "{% macro twice(text) %}[{{ text }}]{% endmacro %}{{ twice('<') }}"
    "{% for text in 'ab' %}{{ loop.cycle('-', '+') }}{{ twice(text) }}{% endfor %}",
    "block": "{% macro frame() %}<i>{{ caller() }}</i>{% endmacro %}"
    "{% call frame() %}{{ text }}{% endcall %}",
    "base": "{% block one %}base{% endblock %}{{ self.one() }}",
    "child": "{% extends 'base' %}{% block one %}{{ super() }}{{ twice(text) }}{% endblock %}",
}


@pass_context
def _of_context(context: Context, name: str) -> object:
    return context[name]


FUNCTIONS = {
    "twice": lambda text: text * 2,
    "of_context": _of_context,
    "given": lambda *args, **named: f"{args} {sorted(named)}",
}
VALUES = {
    "text": "<a & 'b'>",
    "markup": Markup("<i>"),
    "number": 3.5,
    "none": None,
    "word": lambda: "<word>",
}


def _ours() -> TemplateEnvironment:
    ours = TemplateEnvironment(
        loader=DictLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined
    )
    ours.define(FUNCTIONS)
    return ours


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_gives_the_same_as_in_jinja2(name: str) -> None:
    theirs = Environment(loader=DictLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined)
    theirs.globals |= FUNCTIONS
    assert _ours().get_template(name).render(VALUES) == theirs.get_template(name).render(VALUES)


class _Data:
    """The data of a page."""


@pytest.mark.parametrize("name", ["calls", "own", "block", "child"])
def test_the_data_of_a_page_are_freed_when_it_is_rendered(name: str) -> None:
    data, ours = _Data(), _ours()
    gone = ref(data)
    gc.disable()
    try:
        assert render(ours, name, "demo/", {**VALUES, "page": data})
        del data
        assert gone() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("text", ["{{ nothing }}", "{{ nothing() }}", "{{ text.nothing() }}"])
def test_an_unknown_name_is_an_error(text: str) -> None:
    with pytest.raises(UndefinedError):
        _ours().from_string(text).render(VALUES)


def test_code_of_own_templates_is_kept_and_never_run_when_damaged_or_open_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def compiled(monkeypatch: pytest.MonkeyPatch, folder: Path = PACKAGED) -> int:
        """How often a template is compiled by a process that comes upon it first."""
        count = 0
        compile_template = TemplateEnvironment.compile

        def counted(*args: object, **named: object) -> object:
            nonlocal count
            count += 1
            return compile_template(*args, **named)  # type: ignore[call-overload]

        with monkeypatch.context() as patch:
            patch.setattr(CODE_CACHE, "compiled", {})
            patch.setattr(TemplateEnvironment, "compile", counted)
            loader = FileSystemLoader(folder)
            TemplateEnvironment(loader=loader, extensions=["jinja2.ext.i18n"]).get_template(
                "404.html"
            )
        return count

    assert (compiled(monkeypatch), compiled(monkeypatch)) == (1, 0)
    (file,) = (path for path in tmp_path.rglob("*") if path.is_file())
    file.write_bytes(file.read_bytes()[:-1])
    assert (compiled(monkeypatch), compiled(monkeypatch)) == (1, 0)
    # What anybody may write is no code to run.
    file.chmod(0o666)
    assert (compiled(monkeypatch), compiled(monkeypatch)) == (1, 0)
    own = tmp_path / "own"
    own.mkdir()
    (own / "404.html").write_bytes((PACKAGED / "404.html").read_bytes())
    assert compiled(monkeypatch, own) == 0
    (own / "404.html").write_text("not found")
    assert (compiled(monkeypatch, own), compiled(monkeypatch, own)) == (1, 1)
