"""How each site generator is set up: its sources and settings for some pages, and its command.

Each in its usual configuration for many pages: MkDocs without a navigation of every page, Sphinx
without a table of contents, Pelican without feeds; its own theme, or, where it has none (Hugo,
Eleventy), the frame that the bare loop has.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tests.benchmarks.bare import FRAME, MENU
from tests.benchmarks.peers import HERE, Found, Peer, Tools

Command = list[str | Path]


@dataclass(frozen=True)
class Page:
    """`place`: folder and name without an ending, `index` for the first page.

    `text`: Markdown without the title.
    """

    place: str
    title: str
    text: str


@dataclass(frozen=True)
class Generator:
    """A site generator and how it is used.

    `lay` writes sources and settings for some pages into an empty folder; `command` makes the site
    of that folder. `again` is the command of a second run where it differs; with `slow` it is run
    with small bases only.
    """

    name: str
    install: Callable[[Tools], Peer]
    lay: Callable[[Path, list[Page]], None]
    command: Callable[[Found, Path, Path], Command]
    again: Callable[[Found, Path, Path], Command] | None = None
    slow: bool = False
    note: str = ""


def bare(processes: int) -> Generator:
    """The loop that a generator cannot be without."""
    name = (
        f"bare loop: markdown-it-py and Jinja2, {processes} process{'es' if processes > 1 else ''}"
    )
    return Generator(
        name,
        lambda tools: Found(name, (sys.executable, str(HERE / "bare.py"), "pages")),
        lambda root, pages: _write(
            root, pages, lambda page: f"---\ntitle: {page.title}\n---\n{page.text}"
        ),
        lambda found, root, output: [*found.command, root / "content", output, str(processes)],
    )


def generators() -> list[Generator]:
    """The peers."""
    mkdocs = partial(_python, "MkDocs", "mkdocs", ("mkdocs",))
    return [
        Generator(
            "Hugo", lambda tools: tools.debian("Hugo", "hugo", "hugo", "version"), _lay_hugo, _hugo
        ),
        Generator(
            "Eleventy",
            lambda tools: tools.npm("Eleventy", "@11ty/eleventy", "cmd.cjs"),
            _lay_eleventy,
            _eleventy,
        ),
        Generator(
            "Pelican",
            partial(_python, "Pelican", "pelican", ("pelican[markdown]",)),
            _lay_pelican,
            _pelican,
        ),
        Generator(
            "MkDocs",
            mkdocs,
            partial(_lay_mkdocs, "[]"),
            _mkdocs,
            _mkdocs_dirty,
            note="without its search",
        ),
        Generator(
            "MkDocs",
            mkdocs,
            partial(_lay_mkdocs, "[search]"),
            _mkdocs,
            _mkdocs_dirty,
            note="with its search",
        ),
        Generator(
            "Sphinx",
            partial(_python, "Sphinx", "sphinx", ("sphinx", "myst-parser")),
            _lay_sphinx,
            _sphinx,
            slow=True,
        ),
    ]


def _python(name: str, module: str, packages: tuple[str, ...], tools: Tools) -> Peer:
    return tools.python(name, packages, module)


def _write(
    root: Path, pages: list[Page], text: Callable[[Page], str], first: str = "index"
) -> None:
    for page in pages:
        path = root / "content" / f"{first if page.place == 'index' else page.place}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text(page) + "\n", encoding="utf-8")


def _yaml(page: Page, *more: str) -> str:
    header = "\n".join(
        ["---", f"title: {json.dumps(page.title, ensure_ascii=False)}", *more, "---"]
    )
    return f"{header}\n\n{page.text}"


def _links() -> str:
    return "".join(f'<li><a href="/{item}/index.html">{item}</a></li>' for item in MENU)


def _frame(title: str, content: str) -> str:
    """The frame of the bare loop in another language of templates."""
    head, _, rest = FRAME.partition("{% for")
    frame = head + _links() + rest.partition("{% endfor %}")[2]
    return (
        frame.replace("{{ root }}", "/")
        .replace("{{ title }}", title)
        .replace("{{ content }}", content)
    )


def _lay_hugo(root: Path, pages: list[Page]) -> None:
    _write(root, pages, _yaml, first="_index")
    layouts = root / "layouts" / "_default"
    layouts.mkdir(parents=True)
    (root / "config.toml").write_text(
        'baseURL = "https://rulings.example.org/"\ntitle = "Rulings"\n', encoding="utf-8"
    )
    (layouts / "single.html").write_text(_frame("{{ .Title }}", "{{ .Content }}"), encoding="utf-8")
    item = '<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>'
    items = "<ul>{{ range .Pages }}" + item + "{{ end }}</ul>"
    (layouts / "list.html").write_text(
        _frame("{{ .Title }}", "{{ .Content }}" + items), encoding="utf-8"
    )


def _hugo(found: Found, root: Path, output: Path) -> Command:
    return [*found.command, "--quiet", "--source", root, "--destination", output]


def _lay_eleventy(root: Path, pages: list[Page]) -> None:
    _write(root, pages, _yaml)
    (root / "content" / "_includes").mkdir()
    (root / "content" / "_includes" / "page.liquid").write_text(
        _frame("{{ title }}", "{{ content }}"), encoding="utf-8"
    )
    (root / "content" / "content.json").write_text('{"layout": "page.liquid"}\n', encoding="utf-8")


def _eleventy(found: Found, root: Path, output: Path) -> Command:
    return [*found.command, "--quiet", "--input=content", f"--output={output}"]


def _lay_pelican(root: Path, pages: list[Page]) -> None:
    _write(
        root,
        pages,
        lambda page: f"Title: {page.title}\nSlug: {page.place.replace('/', '-')}\n\n{page.text}",
    )
    settings = {
        "SITENAME": "Rulings",
        "PATH": "content",
        "PAGE_PATHS": [""],
        "ARTICLE_PATHS": ["articles"],
        "TIMEZONE": "UTC",
        "DEFAULT_LANG": "en",
        "DISPLAY_PAGES_ON_MENU": False,
        "FEED_ALL_ATOM": None,
        "CATEGORY_FEED_ATOM": None,
        "TRANSLATION_FEED_ATOM": None,
        "AUTHOR_FEED_ATOM": None,
        "AUTHOR_FEED_RSS": None,
    }
    (root / "pelicanconf.py").write_text(
        "".join(f"{name} = {value!r}\n" for name, value in settings.items()), encoding="utf-8"
    )


def _pelican(found: Found, root: Path, output: Path) -> Command:
    return [
        *found.command,
        "content",
        "--quiet",
        "--settings",
        "pelicanconf.py",
        "--output",
        output,
    ]


def _lay_mkdocs(plugins: str, root: Path, pages: list[Page]) -> None:
    _write(root, pages, lambda page: f"# {page.title}\n\n{page.text}")
    (root / "mkdocs.yml").write_text(
        "site_name: Rulings\nsite_url: https://rulings.example.org/\ndocs_dir: content\n"
        f"nav:\n  - index.md\nnot_in_nav: '*'\nplugins: {plugins}\n",
        encoding="utf-8",
    )


def _mkdocs(found: Found, root: Path, output: Path) -> Command:
    return [*found.command, "build", "--quiet", "--site-dir", output]


def _mkdocs_dirty(found: Found, root: Path, output: Path) -> Command:
    return [*_mkdocs(found, root, output), "--dirty"]


def _lay_sphinx(root: Path, pages: list[Page]) -> None:
    _write(root, pages, lambda page: f"---\norphan: true\n---\n\n# {page.title}\n\n{page.text}")
    (root / "content" / "conf.py").write_text(
        'project = "Rulings"\nextensions = ["myst_parser"]\n', encoding="utf-8"
    )


def _sphinx(found: Found, root: Path, output: Path) -> Command:
    return [*found.command, "-b", "html", "-j", "auto", "-Q", "content", output]
