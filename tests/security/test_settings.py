"""Texts of site.yaml, game.yaml, diagrams.yaml and catalogues are text wherever they are shown."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
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
# Read by nobody on a page: words that are no cards, and the name of a card as it is linked.
UNSHOWN = {"not-cards"}
MODELS = [
    SiteConfig,
    model.GameHeader,
    diagram.Diagram,
    *(diagram.Step, diagram.State, diagram.Arrow, diagram.Segment, diagram.Limit, diagram.Row),
]


class Marker:
    """Makes marked texts, and remembers the key of each by its number."""

    def __init__(self) -> None:
        self.keys: dict[int, str] = {}
        self._numbers = count(1)

    def text(self, key: str) -> str:
        number = next(self._numbers)
        self.keys[number] = key
        return MARK.format(number)

    def texts(self, key: str) -> dict[str, str]:
        return {lang: self.text(f"{key}.{lang}") for lang in LANGUAGES}

    def lists(self, key: str) -> dict[str, list[str]]:
        return {lang: [text] for lang, text in self.texts(key).items()}


def site_yaml(mark: Marker) -> dict[str, Any]:
    texts = ("name", "short-name", "description", "footer", "legal")
    return {
        **{key: mark.texts(key) for key in texts},
        "logo": "logo.svg",
        "accent": "#1d4f73",
        "contact": "https://contact.example/?a=1&b=2",
        "report": "https://report.example/?a=1&b={id}",
        "introductions": {"demo": mark.texts("introductions")},
    }


def game_yaml(mark: Marker) -> dict[str, Any]:
    def listed(key: str, ids: list[str]) -> list[dict[str, Any]]:
        return [{"id": each, **mark.texts(f"{key}.{each}")} for each in ids]

    kind = mark.text("type")
    return {
        "id": "demo",
        "name": mark.texts("name"),
        "colour": "#3949ab",
        "glyph": "M12 2 22 22 2 22z",
        "language": "pl",
        "languages": LANGUAGES,
        "card-version": "{name} ({version})",
        "card-url": "https://cards.example/?a=1&n={name}",
        "card-labels": {key: mark.texts(f"card-labels.{key}") for key in ("type", "side")},
        "card-words": {kind: mark.texts("card-words")},
        "side-colours": {mark.text("side"): "#1f66b0"},
        "type-glyphs": {kind: "M12 2l8 20H4z"},
        "authorities": ["official", "translator", "community"],
        "ruled": {"official": "2002/2005"},
        "rule-sets": listed("rule-sets", ["league"]),
        "editions": listed("editions", ["first"]),
        "topics": listed("topics", ["pilots", "errata"]),
        "examples": mark.lists("examples"),
        "not-cards": [mark.text("not-cards")],
        "checks": "usual",
    }


def diagrams_yaml(mark: Marker) -> list[dict[str, Any]]:
    def part(key: str, **others: Any) -> dict[str, Any]:
        return {**mark.texts(key), "ruling": "one-pilot", "tone": "good", **others}

    def of_kind(kind: str, **parts: Any) -> dict[str, Any]:
        return {
            "id": f"d-{kind}",
            **mark.texts(f"{kind}.title"),
            "kind": kind,
            "rulings": ["one-pilot"],
            **parts,
        }

    states = [
        part("state", id="a", row=1, column=1, card="upright", tokens=1),
        part("state", id="b", row=2, column=1),
    ]
    return [
        of_kind("steps", steps=[part("steps", notes=[part("steps.notes")])]),
        of_kind("lanes", lanes=[part("lanes", notes=[part("lanes.notes")])]),
        of_kind("states", states=states, arrows=[part("arrows", **{"from": "a", "to": "b"})]),
        of_kind(
            "bars",
            bars=[part("bars", segments=[part("segments", value=3)])],
            limits=[part("limits", value=2)],
        ),
        of_kind(
            "table",
            columns=[part("columns"), part("columns"), part("columns")],
            rows=[part("rows", cells=[mark.text("cells"), part("cells")])],
        ),
    ]


def write_base(folder: Path, mark: Marker) -> Paths:
    """Write the small game with marks in every text of its settings and of the catalogues."""
    rulings = folder / "rulings"
    shutil.copytree(GOOD, rulings)
    game = game_yaml(mark)
    written = (
        (folder / "site.yaml", site_yaml(mark)),
        (rulings / "demo" / "game.yaml", game),
        (rulings / "demo" / "diagrams.yaml", diagrams_yaml(mark)),
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
            key = f"pl.po: {message.id}"
            forms = message.string if isinstance(message.string, tuple) else (message.string,)
            marked = tuple(f"{form} {mark.text(key).replace('%', '')}" for form in forms)
            message.string = marked if isinstance(message.string, tuple) else marked[0]
    with (locale / "pl.po").open("wb") as file:
        write_po(file, catalogue, width=0)
    return Paths(rulings, folder / "data")


@pytest.fixture(scope="module")
def marked(build_once: BuildOnce) -> Path:
    def fill(folder: Path) -> None:
        mark = Marker()
        places = write_base(folder, mark)
        options = SiteOptions("https://rulings.example/", "", LANGUAGES)
        build(places, folder / "site", site=options)
        write_pack(places, folder / "pack.html", [], [])
        (folder / "keys.json").write_text(json.dumps(mark.keys), encoding="utf-8")

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
        gather(make(Marker()))
    for kind in MODELS:
        keys = {field.alias or name for name, field in kind.model_fields.items()}
        assert keys - {"title", "label"} <= written, kind.__name__


def _texts(tree: Any) -> Iterator[str]:
    for node in tree.iter():
        yield from (str(value) for value in (node.text, node.tail, *node.attrib.values()) if value)


def test_every_marked_text_is_shown_as_it_is(marked: Path) -> None:
    keys = {
        int(number): key for number, key in json.loads((marked / "keys.json").read_text()).items()
    }
    shown: set[int] = set()
    for path in [*marked.joinpath("site").rglob("*.html"), marked / "pack.html"]:
        tree = html5lib.parse(path.read_text(encoding="utf-8"), namespaceHTMLElements=False)
        for node in tree.iter():
            assert isinstance(node.tag, str), f"{path}: a comment {node.text}"
            assert node.tag != "x-own" and "on" not in node.attrib, f"{path}: {node.attrib}"
        for text in _texts(tree):
            numbers = MARKED.findall(text)
            shown.update(map(int, numbers))
    # What scripts show.
    for path in marked.joinpath("site").rglob("*.js*"):
        shown.update(map(int, MARKED.findall(path.read_text(encoding="utf-8"))))
    missing = {key for number, key in keys.items() if number not in shown}
    of_files = {key for key in missing if not key.startswith("pl.po")}
    assert of_files <= UNSHOWN, of_files
    # Messages of the editor stand on no page of the site.
    assert len(missing) < len(keys) / 2


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
