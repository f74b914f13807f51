"""The site's own words, in one place. A message may hold names in braces."""

from __future__ import annotations

from kb.records.library import Library

WORDS: dict[str, str] = {
    "site": "Card-game rulings",
    "tagline": "Rulings of trading card games: what was ruled, by whom, and whether it still stands.",
    "skip": "Skip to content",
    "search": "Search",
    "search.placeholder": "a word, a card, a rule number",
    "search.in": "Search in",
    "search.all": "all games",
    "search.noscript": "The search box needs JavaScript. Without it, these pages lead to every ruling:",
    "search.recent": "Recent searches",
    "search.forget": "Forget them",
    "search.more": "Show more",
    "search.waiting": "Type a question, a card’s name or a rule’s number.",
    "games": "Games",
    "topics": "Topics",
    "topic": "Topic",
    "cards": "Cards",
    "card": "Card",
    "sources": "Sources",
    "source": "Source",
    "glossary": "Glossary",
    "errata": "Errata",
    "rulings": "Rulings",
    "home": "Home",
    "about.cards": "About",
    "mentions.cards": "Mentions",
    "kind.ruling": "Ruling",
    "kind.errata": "Erratum",
    "kind.definition": "Definition",
    "kind.example": "Example",
    "kind.note": "Note",
    "kind.question": "Question",
    "authority.official": "Official",
    "authority.translator": "Translator’s, not official",
    "authority.community": "Community’s, not official",
    "status.current": "Stands",
    "status.superseded": "Superseded",
    "status.reversed": "Reversed",
    "status.withdrawn": "Withdrawn",
    "status.disputed": "Disputed",
    "status.unanswered": "Unanswered",
    "standing.no": "This ruling no longer stands.",
    "standing.successor": "What stands now:",
    "standing.disputed": "This ruling is disputed.",
    "standing.unanswered": "This question has no official answer yet.",
    "date": "Date",
    "overrides": "Overrides",
    "example_of": "Example of",
    "examples": "Examples",
    "supersedes": "Supersedes",
    "superseded_by": "Superseded by",
    "related": "Related rulings",
    "original": "original",
    "translation": "translation",
    "versions": "Versions",
    "version": "Version",
    "set": "Sets",
    "type": "Type",
    "side": "Side or faction",
    "subtypes": "Subtypes",
    "other_names": "Other names",
    "rulings.about": "Rulings about it",
    "rulings.mention": "Rulings that mention it",
    "provisions": "Provisions, in the document’s order",
    "not_covered": "no ruling covers it yet",
    "language": "Language",
    "author": "Author",
    "translator": "Translator",
    "publisher": "Publisher",
    "published": "Published",
    "edition": "Edition",
    "licence": "Licence",
    "overridden": "Overridden by these rulings",
    "moved": "This ruling has another address now:",
    "404.title": "Page not found",
    "404.text": "There is no page at this address. The search finds rulings by their words.",
    "count.rulings": "{n} rulings",
    "count.cards": "{n} cards with rulings",
    "count.sources": "{n} source documents",
    "built": "Built {date}, {build}",
    "contents": "Contents",
    "used_in": "Rulings that use it",
}
LANGUAGE_NAMES = {"pl": "Polski", "sk": "Slovenčina", "ru": "Русский", "en": "English"}


def search_words(library: Library) -> dict[str, object]:
    """What the search page says: messages, and the names of games, topics, kinds and languages."""
    return {
        "waiting": WORDS["search.waiting"],
        "failed": "The search could not be loaded. Reload the page; a newer edition may have taken its place.",
        "found": ["{n} ruling", "{n} rulings"],
        "nothing": "Nothing found.",
        "relaxed": "None has every word; those with most of them:",
        "meant": "Did you mean:",
        "filters": "Filters",
        "nolonger": "Also what no longer stands",
        "fields": {"topic": "Topic", "kind": "Kind", "authority": "Authority", "lang": "Language"},
        "kind": {name[5:]: text for name, text in WORDS.items() if name.startswith("kind.")},
        "authority": {name[10:]: text for name, text in WORDS.items() if name.startswith("authority.")},
        "status": {name[7:]: text for name, text in WORDS.items() if name.startswith("status.")},
        "languages": LANGUAGE_NAMES,
        "games": {game.id: game.title("en") for game in library.games.values()},
        "topics": {
            game.id: {topic.id: topic.title.get("en", topic.id) for topic in game.header.topics}
            for game in library.games.values()
        },
    }


def word(key: str, **values: object) -> str:
    """A message; raises KeyError for an unknown one, so that a template cannot ask for what is not there."""
    return WORDS[key].format(**values)


def language_name(lang: str) -> str:
    """A language's name in itself, else its code."""
    return LANGUAGE_NAMES.get(lang, lang)
