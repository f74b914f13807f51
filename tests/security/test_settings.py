"""Texts of site.yaml, game.yaml, diagrams.yaml and catalogues are text wherever they are shown."""

from __future__ import annotations

import json
import re
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import html5lib
import pytest
from babel.messages.pofile import read_po, write_po

from kb.commands.pack import write_pack
from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from kb.records import diagram, model
from kb.records.site_config import SiteConfig, read_site_files
from kb.site.settings import SiteOptions
from kb.site.templates import PACKAGED
from tests.conftest import GOOD, BuildOnce

LANGUAGES = ("pl", "en")
# Ends whatever it may stand in, and begins an element of its own.
MARK = "q{}q \"'></title></script><x-own on='x'>&amp;<!--"
MARKED = re.compile(r"q(\d+)q")
_numbers = count(1)


def mark() -> str:
    return MARK.format(next(_numbers))


def in_languages() -> dict[str, str]:
    return {lang: mark() for lang in LANGUAGES}


MODELS = [
    SiteConfig,
    model.GameHeader,
    diagram.Diagram,
    *(diagram.Step, diagram.State, diagram.Arrow, diagram.Segment, diagram.Limit, diagram.Row),
]


def site_yaml() -> dict[str, Any]:
    texts = ("name", "short-name", "description", "footer", "legal")
    return {
        **{key: in_languages() for key in texts},
        "logo": "logo.svg",
        "accent": "#1d4f73",
        "contact": "https://contact.example/?a=1&b=2",
        "report": "https://report.example/?a=1&b={id}",
        "introductions": {"demo": in_languages()},
    }


def game_yaml() -> dict[str, Any]:
    def listed(*ids: str) -> list[dict[str, Any]]:
        return [{"id": each, **in_languages()} for each in ids]

    kind = mark()
    return {
        "id": "demo",
        "name": in_languages(),
        "colour": "#3949ab",
        "glyph": "M12 2 22 22 2 22z",
        "language": "pl",
        "languages": LANGUAGES,
        "card-version": "{name} ({version})",
        "card-url": "https://cards.example/?a=1&n={name}",
        "picture": "https://cards.example/{slug}.jpg?a=1&n={name}",
        "card-labels": {key: in_languages() for key in ("type", "side")},
        "card-words": {kind: in_languages()},
        "side-colours": {mark(): "#1f66b0"},
        "type-glyphs": {kind: "M12 2l8 20H4z"},
        "authorities": ["official", "translator", "community"],
        "ruled": {"official": "2002/2005"},
        "rule-sets": listed("league"),
        "editions": listed("first"),
        "topics": listed("pilots", "errata"),
        "examples": {lang: [mark()] for lang in LANGUAGES},
        "not-cards": ["nothing"],
        "checks": "usual",
    }


def diagrams_yaml() -> list[dict[str, Any]]:
    def part(**others: Any) -> dict[str, Any]:
        return {**in_languages(), "ruling": "one-pilot", "tone": "good", **others}

    def of_kind(kind: str, **parts: Any) -> dict[str, Any]:
        return {
            "id": f"d-{kind}",
            **in_languages(),
            "kind": kind,
            "rulings": ["one-pilot"],
            **parts,
        }

    states = [
        part(id="a", row=1, column=1, card="upright", tokens=1),
        part(id="b", row=2, column=1),
    ]
    return [
        of_kind("steps", steps=[part(notes=[part()])]),
        of_kind("lanes", lanes=[part(notes=[part()])]),
        of_kind("states", states=states, arrows=[part(**{"from": "a", "to": "b"})]),
        of_kind(
            "bars",
            bars=[part(segments=[part(value=3)])],
            limits=[part(value=2)],
        ),
        of_kind(
            "table",
            columns=[part(), part(), part()],
            rows=[part(cells=[mark(), part()])],
        ),
    ]


def write_base(folder: Path) -> Paths:
    """Write the small game with marks in every text of its settings and of the catalogues."""
    rulings = folder / "rulings"
    shutil.copytree(GOOD, rulings)
    game = game_yaml()
    written = (
        (folder / "site.yaml", site_yaml()),
        (rulings / "demo" / "game.yaml", game),
        (rulings / "demo" / "diagrams.yaml", diagrams_yaml()),
    )
    for path, value in written:
        path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    cards = rulings / "demo" / "cards.tsv"
    text = cards.read_text(encoding="utf-8")
    for word, facts in (("Space", game["type-glyphs"]), ("Light", game["side-colours"])):
        text = text.replace(f"\t{word}\t", f"\t{next(iter(facts))}\t")
    cards.write_text(text, encoding="utf-8")
    one = rulings / "demo" / "pilots" / "one-pilot.md"
    text = one.read_text(encoding="utf-8").replace(
        "---\n", "---\nrules:\n  - league\nreviewed: first\n", 1
    )
    one.write_text(text, encoding="utf-8")
    (folder / "logo.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>\n')
    locale = folder / "templates" / "locale"
    locale.mkdir(parents=True)
    with (PACKAGED / "locale" / "pl.po").open("rb") as file:
        catalogue = read_po(file, locale="pl")
    for message in catalogue:
        if message.id:
            forms = message.string if isinstance(message.string, tuple) else (message.string,)
            marked = tuple(f"{form} {mark()}" for form in forms)
            message.string = marked if isinstance(message.string, tuple) else marked[0]
    with (locale / "pl.po").open("wb") as file:
        write_po(file, catalogue, width=0)
    return Paths(rulings, folder / "data")


@pytest.fixture(scope="module")
def marked(build_once: BuildOnce) -> Path:
    def fill(folder: Path) -> None:
        places = write_base(folder)
        options = SiteOptions("https://rulings.example/", LANGUAGES)
        build(places, folder / "site", site=options)
        write_pack(places, folder / "pack.html", [], [])

    return build_once("marked-settings", fill)


def test_every_key_is_tried() -> None:
    """A key that somebody adds to these files is marked too."""
    written: set[str] = set()

    def gather(value: Any) -> None:
        for key, inner in value.items() if isinstance(value, dict) else ():
            written.add(key)
            gather(inner)
        for inner in value if isinstance(value, list) else ():
            gather(inner)

    for make in (site_yaml, game_yaml, diagrams_yaml):
        gather(make())
    for kind in MODELS:
        keys = {field.alias or name for name, field in kind.model_fields.items()}
        assert keys - {"title", "label"} <= written, kind.__name__


def test_every_marked_text_is_shown_as_it_is(marked: Path) -> None:
    shown: set[str] = set()
    for path in [*marked.joinpath("site").rglob("*.html"), marked / "pack.html"]:
        tree = html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)
        for node in tree.iter():
            assert isinstance(node.tag, str), f"{path}: a comment {node.text}"
            assert node.tag != "x-own" and "on" not in node.attrib, f"{path}: {node.attrib}"
            for text in filter(None, (node.text, node.tail, *node.attrib.values())):
                shown.update(MARKED.findall(text))
    # What scripts show.
    for path in marked.joinpath("site").rglob("*.js*"):
        shown.update(MARKED.findall(path.read_text(encoding="utf-8")))
    written = {
        number
        for path in (marked / "site.yaml", *marked.glob("rulings/demo/*.yaml"))
        for number in MARKED.findall(path.read_text(encoding="utf-8"))
    }
    assert written and not written - shown
    # Those of the catalogue.
    assert len(shown) > 2 * len(written)


INERT = [
    '<svg xmlns="http://www.w3.org/2000/svg"><style>a{fill:red}</style><path d="M0 0"/></svg>',
    '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n'
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
    '<defs><path id="a" d="M0 0"/></defs><use xlink:href="#a"/>'
    '<image href="data:image/png;base64,AAAA"/></svg>',
]
ACTIVE = {
    "script": "<script>alert(1)</script>",
    "onload": "<path onload='alert(1)'/>",
    "foreignObject": "<foreignObject/>",
    "x:script": "<x:script xmlns:x='http://www.w3.org/1999/xhtml'>alert(1)</x:script>",
    "link": "<a href='javascript:alert(1)'/>",
    "xlink": "<a xlink:href=' javascript:alert(1)'/>",
    "data": "<use href='data:image/svg+xml,x'/>",
    "set": "<set attributeName='href' to='javascript:alert(1)'/>",
    "instruction": "<?xml-stylesheet href='x.xsl' type='text/xsl'?>",
}


def problems_of_logo(folder: Path, svg: bytes) -> list[str]:
    (folder / "rulings").mkdir()
    (folder / "site.yaml").write_text("name:\n  en: X\nlogo: a.svg\n", encoding="utf-8")
    (folder / "a.svg").write_bytes(svg)
    files = read_site_files(folder / "rulings")
    assert bool(files.logo) != bool(files.problems)
    return [f"{problem.line}: {problem.message}" for problem in files.problems]


@pytest.mark.parametrize("svg", INERT)
def test_a_plain_logo_is_taken(svg: str, tmp_path: Path) -> None:
    assert problems_of_logo(tmp_path, svg.encode()) == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("what", ACTIVE)
def test_a_logo_that_runs_something_is_refused(what: str, encoding: str, tmp_path: Path) -> None:
    svg = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">'
        f"{ACTIVE[what]}</svg>"
    )
    (problem,) = problems_of_logo(tmp_path, svg.encode(encoding))
    assert problem.startswith("3: logo: a.svg has ") and "plain SVG" in problem


@pytest.mark.parametrize("svg", ["", "no picture", "<svg>", '<!DOCTYPE a [<!ENTITY b "c">]><svg/>'])
def test_a_logo_that_is_no_picture_is_refused(svg: str, tmp_path: Path) -> None:
    (problem,) = problems_of_logo(tmp_path, svg.encode())
    assert problem.startswith("3: logo: ")
