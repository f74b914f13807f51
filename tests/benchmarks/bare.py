"""Plain loops that do one part of kb's work: the limits of a program in Python.

Run as whole commands:

    python bare.py pages CONTENT OUTPUT PROCESSES   Markdown through markdown-it-py and a template
    python bare.py headers RULINGS                  read records, headers by PyYAML's C parser
    python bare.py yaml FILE...                     files through yaml.safe_load
"""

from __future__ import annotations

import multiprocessing
import sys
from pathlib import Path
from typing import Any

FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }} – Rulings</title>
<link rel="stylesheet" href="{{ root }}static/site.css">
<link rel="alternate" type="application/atom+xml" href="{{ root }}feed.xml">
</head>
<body>
<header><a href="{{ root }}index.html">Rulings</a>
<nav><ul>{% for item in menu %}
<li><a href="{{ root }}{{ item }}/index.html">{{ item }}</a></li>{% endfor %}</ul></nav>
<form action="{{ root }}search/index.html"><input type="search" name="q">
<button>Search</button></form></header>
<main><h1>{{ title }}</h1>
{{ content }}</main>
<footer><p>Rulings of trading card games.</p></footer>
</body>
</html>
"""
MENU = ["babylon5", "berserk", "swtcg", "vtes", "glossary", "errata", "changes"]


def pages(content: str, output: str, processes: str) -> None:
    """Renders every page of `content` into `output`."""
    root = Path(content)
    paths = sorted(root.rglob("*.md"))
    many = int(processes)
    if many == 1:
        _render(root, Path(output), paths)
        return
    with multiprocessing.Pool(many) as pool:
        pool.starmap(_render, [(root, Path(output), paths[start::many]) for start in range(many)])


def _render(root: Path, output: Path, paths: list[Path]) -> None:
    import jinja2
    from markdown_it import MarkdownIt

    markdown = MarkdownIt()
    template = jinja2.Environment(autoescape=True).from_string(FRAME)
    for path in paths:
        _, header, body = path.read_text(encoding="utf-8").split("---\n", 2)
        title = header.partition(":")[2].strip()
        place = output / path.relative_to(root).with_suffix("") / "index.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        up = "../" * (len(place.relative_to(output).parts) - 1)
        text = jinja2.utils.markupsafe.Markup(markdown.render(body))
        place.write_text(
            template.render(title=title, content=text, root=up, menu=MENU), encoding="utf-8"
        )


def headers(rulings: str) -> None:
    """Reads every record and its header."""
    import yaml

    for path in Path(rulings).glob("*/*/*.md"):
        yaml.load(path.read_text(encoding="utf-8").split("---\n", 2)[1], yaml.CSafeLoader)


def safe(*files: str) -> None:
    """Reads YAML files as everybody does."""
    import yaml

    for name in files:
        yaml.safe_load(Path(name).read_text(encoding="utf-8"))


if __name__ == "__main__":
    parts: dict[str, Any] = {"pages": pages, "headers": headers, "yaml": safe}
    parts[sys.argv[1]](*sys.argv[2:])
