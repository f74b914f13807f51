"""What `embed.js` shows on other people's pages: each game's cards with their rulings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kb.core import urls
from kb.core.json import Json
from kb.language import fold
from kb.records.model import Ruling
from kb.records.text import shown_blocks
from kb.records.values import Card
from kb.serialize.ruling import answer_in_words
from kb.site.collect import PageCollector
from kb.site.i18n import AUTHORITIES, BANNERS, FACTS, KINDS, STATUSES, Catalog
from kb.site.markdown import beginning
from kb.site.site_pages import SitePages

EMBED = {
    "heading": "Rulings: %(card)s",
    "all": "All rulings on this card",
    "close": "Close",
}
# Characters of an answer that the panel shows.
_ANSWER = 400


def embed_data(site: SitePages, collector: PageCollector, lang: str) -> Json:
    """Return a game's cards with rulings in a language, and the panel's words and colours.

    `names`: by the letters of a name the number of its card, and the label of a version.
    """
    game, groups = collector.game, collector.groups
    words = site.words.get(lang, site.words["en"])
    library = site.library
    over = {each for each, ruling in groups.rulings.items() if library.is_out_of_force(ruling.key)}
    numbers = {ruling_id: number for number, ruling_id in enumerate(groups.rulings)}
    pages = collector.card_pages()

    def later(ruling_id: str) -> list[int] | None:
        """The current successors of a ruling that is no longer in force."""
        if ruling_id not in over:
            return None
        return [numbers[each] for each in library.in_force_after(groups.rulings[ruling_id])]

    cards: list[Json] = []
    names: dict[str, tuple[int, str]] = {}
    for name, of_card in groups.by_card.items():
        # Those about the card stand before those that only mention it.
        shown = [each for each in of_card if each not in over]
        shown.sort(key=lambda each: not any(of_card[each].values()))
        if not shown:
            continue
        for card in game.cards_named(name):
            for spelling, label in _spellings(card):
                names.setdefault(_letters(spelling), (len(cards), label))
        rulings = [[numbers[each], sorted(of_card[each])] for each in shown]
        cards.append({"name": name, "page": pages[name], "rulings": rulings})
    return {
        "title": game.title(lang),
        "ui": words.lang,
        "names": names,
        "cards": cards,
        "rulings": [
            [
                *_ruling(ruling, library.standing(ruling.key), lang, site.text_words),
                later(ruling_id),
            ]
            for ruling_id, ruling in groups.rulings.items()
        ],
        "colours": site.context.branding.accents(game),
        "words": words.table(
            {**EMBED, "later": FACTS["superseded_by"], "over": BANNERS["superseded"]}
        ),
    }


def _spellings(card: Card) -> Iterator[tuple[str, str]]:
    """Yield the names that a page may give a card, each with the label of the version it means."""
    names = (card.name, *card.other_names)
    yield from ((name, "") for name in names)
    if card.version:
        yield card.label, card.label
        yield from ((f"{name} {card.version}", card.label) for name in names)


def _letters(name: str) -> str:
    """Letters and digits of a name, as `embed.js` takes them of a mark."""
    return "".join(filter(str.isalnum, fold(name)))


def _ruling(
    ruling: Ruling, status: str, lang: str, catalogs: Mapping[str, Catalog]
) -> list[str | list[str]]:
    """Address, language, title, answer, authority of a ruling, and the words of its standing."""
    text = ruling.text(lang) or ruling.original
    head, words = ruling.header, catalogs.get(lang, catalogs["en"])
    of_text = catalogs.get(text.lang, words)
    answer = " ".join(shown_blocks(text.answer))
    answer = answer_in_words(answer, head.verdict, head.when, text.lang, of_text)
    standing = [words(AUTHORITIES[head.authority])]
    standing += [f" · {words(KINDS[head.kind])}"] if head.kind != "ruling" else []
    standing += [f" · {words(STATUSES[status])}"] if status != "current" else []
    address = urls.ruling(ruling.game, ruling.id)
    return [address, text.lang, text.title, beginning(answer, _ANSWER), head.authority, standing]
