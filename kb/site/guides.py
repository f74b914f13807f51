"""The guides as pages of their own: plain HTML with the style of the site, to be read anywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping

from markdown_it import MarkdownIt

from kb.site.i18n import SOURCE, read_words
from kb.site.render import environment
from kb.site.templates import Templates

INDEX = "index.html"
_TEMPLATE = "guide.html"
_STYLE = "kb.css"
# Links between guides, also from that of a plug-in; those to other files stay as they are.
_GUIDE_LINK = re.compile(r"^(?:\.\./\.\./help/)?([a-z-]+)\.md(#.*)?$")


def guide_pages(guides: Mapping[str, str], templates: Templates) -> dict[str, str]:
    """Return the files of a site of guides, by name: `guides` is Markdown by name."""
    markdown = MarkdownIt("commonmark").enable("table")
    template = environment(templates, read_words(templates, SOURCE)).get_template(_TEMPLATE)
    titles = {name: text.partition("\n")[0].lstrip("# ") for name, text in guides.items()}
    files = {_STYLE: (templates / f"static/{_STYLE}").read_text(encoding="utf-8")}
    for name, text in guides.items():
        tokens = markdown.parse(text)
        for token in (child for parent in tokens for child in parent.children or ()):
            link = _GUIDE_LINK.match(str(token.attrs.get("href", "")))
            if link and link[1] in guides:
                token.attrs["href"] = f"{link[1]}.html{link[2] or ''}"
        body = markdown.renderer.render(tokens, markdown.options, {})
        files[f"{name}.html"] = template.render(
            title=titles[name], body=body, titles=titles, name=name
        )
    files[INDEX] = template.render(title="Guides", body="", titles=titles, name="")
    return files
