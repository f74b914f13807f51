"""Diagrams: every kind is drawn, in every language, with text and links for all readers."""

from __future__ import annotations

import re
from itertools import combinations, permutations
from pathlib import Path

import html5lib
import pytest

from kb.core import urls
from kb.records.diagram import Diagram
from kb.records.library import Library
from kb.site.diagrams import WIDTH, draw, wrapped

SHOWN = {
    "steps": urls.ruling("berserk", "113-5"),
    "lanes": urls.ruling("swtcg", "contest-when"),
    "states": urls.ruling("babylon5", "heal"),
    "bars": urls.ruling("swtcg", "overkill-5-hits"),
    "table": urls.ruling("swtcg", "contest-bidding"),
}
DIAGRAM = re.compile(r'<figure class="diagram".*?</figure>', re.DOTALL)


def figures(site: Path, address: str, lang: str = "en") -> list[str]:
    page = site / urls.localized(address, lang)
    return DIAGRAM.findall(page.read_text(encoding="utf-8"))


def diagrams(rulings: Library) -> list[tuple[str, Diagram]]:
    return [(game.id, diagram) for game in rulings.games.values() for diagram in game.diagrams]


@pytest.mark.parametrize("kind", SHOWN)
def test_each_kind_is_drawn_with_a_text_alternative(kind: str, real_base: Path) -> None:
    (figure,) = figures(real_base / "site", SHOWN[kind])
    html5lib.HTMLParser(strict=True).parseFragment(figure)
    if kind in ("states", "bars"):
        title = re.search(r"<title[^>]*>([^<]+)</title>", figure)
        description = re.search(r"<desc[^>]*>([^<]+)</desc>", figure)
        assert title and description and len(description[1]) > 100
        assert "<script" not in figure and "style=" not in figure
    else:
        assert ("<caption" if kind == "table" else "<figcaption") in figure
        assert "<svg" not in figure


def test_the_description_has_every_label(rulings: Library) -> None:
    for game, diagram in diagrams(rulings):
        if diagram.kind not in ("states", "bars"):
            continue
        for lang in rulings.games[game].header.languages:
            text = draw(diagram, lang, lambda ruling: "").description
            for _, part in diagram.labelled_parts():
                assert part.label[lang] in text


def test_every_diagram_is_on_the_pages_of_its_rulings_in_their_languages(
    real_base: Path, rulings: Library
) -> None:
    for game, diagram in diagrams(rulings):
        own = rulings.games[game].language
        # A sister, too, in which there is no text.
        sister = [("cs", "sk")] if own == "sk" else []
        figure = rf'<figure class="diagram" lang="(\w+)" id="diagram-{diagram.id}"'
        for ruling in diagram.rulings:
            for lang, expected in ((own, own), ("en", "en"), *sister):
                page = real_base / "site" / urls.localized(urls.ruling(game, ruling), lang)
                assert re.findall(figure, page.read_text(encoding="utf-8")) == [expected]


def test_texts_stay_within_the_drawing(rulings: Library) -> None:
    for game, diagram in diagrams(rulings):
        for lang in rulings.games[game].header.languages:
            drawing = draw(diagram, lang, lambda ruling: "")
            for box in drawing.boxes:
                assert box.x >= 0 and box.x + box.width <= WIDTH + 0.1
                assert box.y + box.height <= drawing.height + 0.1
                for line in box.lines:
                    assert wrapped(line, box.width) == (line,)
            for _, top, bottom in drawing.limits:
                assert 0 <= top < bottom <= drawing.height


def test_states_show_cards_and_bars_count_their_units(real_base: Path) -> None:
    (states,) = figures(real_base / "site", urls.ruling("babylon5", "damage-neutralized"))
    assert states.count('class="card upright"') == 1 and states.count('class="card sideways"') == 1
    assert states.count('class="card face-down"') == 2 and states.count("<circle") == 2
    (bars,) = figures(real_base / "site", urls.ruling("swtcg", "overkill-7-hits"))
    counted = [number for number in range(1, 10) if f">{number}</tspan>" in bars]
    assert counted == [1, 2, 3, 4, 5, 6, 7] and "remaining health 4" in bars


def test_the_lines_of_the_pages_own_ruling_are_marked(real_base: Path) -> None:
    numbers = re.compile(r'<g class="badge-number \w+( here)?".*?>([\d, ]+)</text>', re.DOTALL)
    (figure,) = figures(real_base / "site", urls.ruling("babylon5", "heal-neutralized"))
    assert [text for here, text in numbers.findall(figure) if here] == ["9", "8"]
    assert len(re.findall(r'<g class="\w+ here">\s*<path class="way"', figure)) == 2


def test_lines_and_their_numbers_stand_apart(rulings: Library) -> None:
    for game, diagram in diagrams(rulings):
        for lang in rulings.games[game].header.languages:
            drawing = draw(diagram, lang, str)
            assert len(drawing.strokes) == len(drawing.badges)
            boxes = drawing.badges + [box for box in drawing.boxes if box.role == "state"]
            for one, other in combinations(boxes, 2):
                assert not one.covers(other) and not other.covers(one), (one, other)
            for line, neighbour in permutations(drawing.strokes, 2):
                ends = [(neighbour.x1, neighbour.y1), (neighbour.x2, neighbour.y2)]
                assert min(line.distance(*end) for end in ends) > 10, (line, neighbour)
            numbered = zip(drawing.strokes, drawing.badges, strict=True)
            for (line, _), (_, number) in permutations(numbered, 2):
                x, y = number.x + number.width / 2, number.y + number.height / 2
                assert line.distance(x, y) >= number.height / 2, (line, number)
