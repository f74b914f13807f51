"""What `embed.js` shows on other people's pages: each game's cards with their rulings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kb.core import urls
from kb.core.json import Json
from kb.language import FormTable, fold, words_of
from kb.language.fold import SPECIAL
from kb.records.marks import plain_text
from kb.records.model import Game, Ruling
from kb.records.validity import chain, is_over, today
from kb.site.collect import PageCollector
from kb.site.i18n import BANNERS, CHOICES, FACTS
from kb.site.site_pages import SitePages

EMBED = {
    "heading": "Rulings: %(card)s",
    "all": "All rulings on this card",
    "close": "Close",
}
# Characters of an answer that the panel shows.
_ANSWER = 400


def embed_data(
    site: SitePages,
    collector: PageCollector,
    lang: str,
    table: FormTable,
) -> Json:
    """Return a game's cards with rulings in a language, and the panel's words and colours."""
    game, groups, day = collector.game, collector.groups, today()
    words = site.words.get(lang, site.words["en"])
    over = {key for key, ruling in groups.rulings.items() if is_over(ruling.header, day)}
    rulings = list(groups.rulings.values())
    numbers = {ruling.id: number for number, ruling in enumerate(rulings)}
    pages = collector.card_pages()

    def superseded_by(ruling_id: str) -> Sequence[str]:
        return site.library.relations(groups.rulings[ruling_id])["superseded_by"]

    def later(ruling_id: str) -> list[int]:
        """The current successors of a ruling that is no longer in force."""
        return [numbers[each] for each in chain(ruling_id, superseded_by) if each not in over]

    cards: list[Json] = [
        {
            "name": name,
            "others": _others(game, name),
            "page": pages[name],
            "versions": {
                card.label: card.version for card in game.cards_named(name) if card.version
            },
            "rulings": [
                [numbers[ruling], sorted(labels), int(any(labels.values()))]
                for ruling, labels in shown.items()
            ],
        }
        for name, of_card in groups.by_card.items()
        if (shown := {ruling: of_card[ruling] for ruling in of_card if ruling not in over})
    ]
    names = frozenset(name for card in cards for name in (card["name"], *card["others"]))
    return {
        "game": game.id,
        "title": game.title(lang),
        "lang": lang,
        "ui": words.lang,
        "special": SPECIAL,
        "cards": cards,
        "rulings": [
            [*_ruling(ruling, lang), later(ruling.id) if ruling.id in over else None]
            for ruling in rulings
        ],
        "forms": _forms(table, lang, names),
        "longer": _longer(game, names),
        "notCards": [" ".join(map(fold, words_of(word))) for word in game.header.not_cards],
        "common": _common(table, lang, names),
        "licences": sorted({source.licence for source in game.sources if source.licence}),
        "colours": site.context.branding.accents(game),
        "words": words.table(
            {**EMBED, "later": FACTS["superseded_by"], "over": BANNERS["superseded"]}
        ),
        **{name: words.table(names) for name, names in CHOICES.items()},
    }


def _others(game: Game, name: str) -> list[str]:
    cards = game.cards_named(name)
    return list(dict.fromkeys(other for card in cards for other in card.other_names))


def _ruling(ruling: Ruling, lang: str) -> list[str]:
    """Address, language, title, answer, kind, authority and standing of a ruling."""
    text = ruling.text(lang) or ruling.original
    answer = " ".join(plain_text(text.answer).split())
    short = answer if len(answer) <= _ANSWER else answer[: answer.rfind(" ", 0, _ANSWER)] + " …"
    head = ruling.header
    address = urls.ruling(ruling.game, ruling.id)
    return [address, text.lang, text.title, short, head.kind, head.authority, head.status]


def _forms(table: FormTable, lang: str, names: frozenset[str]) -> dict[str, list[str]]:
    """The words of some names by each of their folded forms, themselves left out."""
    wanted = {fold(word) for name in names for word in words_of(name)}
    forms: dict[str, set[str]] = defaultdict(set)
    for folded, lemmas in table.names(lang):
        for lemma in lemmas.split():
            if lemma[0] == "^" and lemma[1:] in wanted and lemma[1:] != folded:
                forms[folded].add(lemma[1:])
    return {form: sorted(words) for form, words in sorted(forms.items())}


def _common(table: FormTable, lang: str, names: frozenset[str]) -> list[str]:
    """The one-word names that are ordinary words of the language too."""
    single = {fold(name) for name in names if len(words_of(name)) == 1}
    ordinary = (
        any(lemma[0] not in "^~+" for lemma in table.analyse(word, lang).lemmas) for word in single
    )
    return sorted(word for word, common in zip(single, ordinary, strict=True) if common)


def _longer(game: Game, names: frozenset[str]) -> list[str]:
    """Names of cards without rulings that hold a name with rulings, so that it is not marked."""
    first: dict[str, list[Sequence[str]]] = defaultdict(list)
    for name in names:
        words = tuple(map(fold, words_of(name)))
        if words:
            first[words[0]].append(words)
    longer = []
    for card in {card.name for card in game.cards} - names:
        words = tuple(map(fold, words_of(card)))
        if any(
            words[at : at + len(shorter)] == shorter
            for at, word in enumerate(words)
            for shorter in first.get(word, ())
        ):
            longer.append(" ".join(words))
    return sorted(longer)
