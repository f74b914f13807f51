"""Templates mean the same in our environment as in Jinja2's own."""

from __future__ import annotations

import pytest
from jinja2 import DictLoader, Environment, StrictUndefined, UndefinedError, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from kb.site.compiler import TemplateEnvironment

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


@pytest.mark.parametrize("text", ["{{ nothing }}", "{{ nothing() }}", "{{ text.nothing() }}"])
def test_an_unknown_name_is_an_error(text: str) -> None:
    with pytest.raises(UndefinedError):
        _ours().from_string(text).render(VALUES)
