"""Results are shown in the language of the interface, then in English, where both match alike."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from kb.records.library import Library
from kb.search.searcher import Searcher

# Queries of each kind, and how many of all must have a first result in the interface's language.
QUERIES, FLOOR = 20, 38


def terms(library: Library, lang: str) -> list[str]:
    """The first names in a language of the terms that have one."""
    terms = [term for game in library.games.values() for term in game.terms]
    return sorted({term.names[lang][0] for term in terms if lang in term.names})


def cards(library: Library, lang: str) -> list[str]:
    """The names of the cards in rulings that have a text in a language."""
    rulings = [
        ruling
        for ruling in library.rulings.values()
        if any(text.lang == lang for text in ruling.texts)
    ]
    named = [library.games[one.game].cards_named(label) for one in rulings for label in one.cards()]
    return sorted({card.name for cards in named for card in cards})


def spread(names: Sequence[str], count: int) -> list[str]:
    """So many names, from the whole list."""
    return [names[place * len(names) // count] for place in range(min(count, len(names)))]


def queries(library: Library, lang: str) -> list[str]:
    return spread(terms(library, lang), QUERIES) + spread(cards(library, lang), QUERIES)


@pytest.mark.parametrize("lang", ["en", "pl", "sk", "ru"])
def test_the_interface_language_leads(lang: str, real_searcher: Searcher, rulings: Library) -> None:
    asked = queries(rulings, lang)
    other = []
    for query in asked:
        results = real_searcher.search(query, interface=lang, limit=1).results
        if not results or results[0].lang != lang:
            other.append(query)
    assert len(other) <= len(asked) * (1 - FLOOR / (2 * QUERIES)), other


def test_english_comes_before_languages_that_match_alike(real_searcher: Searcher) -> None:
    for interface in ("cs", "sk", ""):
        (hit, *_) = real_searcher.search("darth sidious", interface=interface).results
        assert hit.lang == "en" and hit.answer.startswith("A ")


def test_a_sister_language_comes_before_english(real_searcher: Searcher) -> None:
    for query in ("rotace", "neutralizované postavy"):
        (hit, *_) = real_searcher.search(query, interface="cs").results
        assert hit.ruling.game == "babylon5" and hit.lang == "sk"


def test_a_language_that_alone_has_the_words_is_shown(real_searcher: Searcher) -> None:
    hit = real_searcher.search("przerzut kości", interface="en").results[0]
    assert hit.lang == "pl" and hit.answer == hit.shown.answer.text


def test_the_answer_is_shown_and_what_matched_elsewhere(real_searcher: Searcher) -> None:
    query = "opponent rerolls with Darth Sidious C, is it secret?"
    hit = real_searcher.search(query, interface="en").results[0]
    marked = [hit.answer[start:end] for start, end in hit.shown.answer.highlights]
    assert hit.ruling.id == "darth-sidious-reroll" and "reroll" in marked
    assert hit.answer.endswith(".") and "…" not in hit.answer
    elsewhere = hit.shown.elsewhere
    assert elsewhere and "secret" in elsewhere.text and elsewhere.text not in hit.answer
    assert real_searcher.search("overkill", interface="en").results[0].shown.elsewhere is None
    # A sentence ends with its paragraph or list item.
    listed = real_searcher.search("actions that support or oppose a conflict or lead a fleet")
    (hit,) = (hit for hit in listed.results if hit.ruling.id == "actions-general")
    passage = hit.shown.elsewhere
    assert passage and passage.text == "support or oppose a conflict, attack a participant in it;"


def test_a_ruling_leads_before_its_erratum_and_examples(real_searcher: Searcher) -> None:
    for query in ("overkil", "overkill"):
        assert real_searcher.search(query).results[0].ruling.id == "overkill-text"
    for query in ("erratum overkill", "errata overkill", "overkill kind:errata"):
        assert real_searcher.search(query).results[0].ruling.id == "errata-overkill"
    assert real_searcher.search("example overkill 3 hits").results[0].ruling.id == "overkill-3-hits"


def test_cards_with_rulings_come_first_named_for_their_reader(real_searcher: Searcher) -> None:
    first, other = real_searcher.search("avenger").cards[:2]
    assert (first.shown("en"), first.shown("ru")) == ("Avenger (Мститель)", "Мститель")
    assert (other.game, other.rulings, other.shown("ru")) == ("swtcg", 0, "Avenger")
