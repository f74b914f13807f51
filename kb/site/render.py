"""Templates -> HTML. Escaping is on everywhere, an unknown name in a template is an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from kb import urls
from kb.site.words import language_name, word


def environment(templates: Path) -> Environment:
    """The templates' environment. On each page `here` is its own address and `to(address)` a link from it."""
    made = Environment(
        loader=FileSystemLoader(templates),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {"word": word, "language_name": language_name, "urls": urls}
    return made


def render(env: Environment, template: str, here: str, values: dict[str, Any]) -> str:
    """One page: `here` is its address from the site's root."""
    return env.get_template(template).render(here=here, to=lambda address: urls.relative(address, here), **values)
