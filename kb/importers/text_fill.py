"""Proposals for a draft from a plain document: id, kind, authority, topic, title, cards."""

from __future__ import annotations

import re
from collections import Counter

from kb.core.urls import DEVICES
from kb.importers.text_rows import TRANSLATOR, Row, any_of
from kb.language import LANGUAGES, fold
from kb.records.model import Game

_LATIN = {
    letter: latin
    for language in LANGUAGES.values()
    for letter, latin in language.transliteration.items()
}
_STOP = frozenset(fold(word) for language in LANGUAGES.values() for word in language.stop_words)
_ERRATA = re.compile(rf"\b{any_of('errata')}", re.IGNORECASE)
_ERRATA_HEADING = re.compile(
    rf"\b{any_of('errata_heading')}|{any_of('corrections')}\W*$", re.IGNORECASE
)
# A translator who decides to explain uses the first person.
_FIRST_PERSON = re.compile(rf"\b{any_of('first_person')}\b", re.IGNORECASE)
_MEANS = re.compile(
    rf"^[^.–—-]{{2,80}}\s[–—-]\s{any_of('defines')}\b|^[^.]{{2,80}}\b{any_of('called')}\b"
)


def slug(text: str, longest: int = 60) -> str:
    """Return a text as an id of a greatest length, cut between words; empty when none is left."""
    latin = "".join(_LATIN.get(char, char) for char in fold(text))
    joined = "-".join(re.findall(r"[a-z0-9]+", latin))
    if len(joined) > longest:
        joined = joined[: longest + 1].rpartition("-")[0] or joined[:longest]
    joined = joined.strip("-")
    return f"x-{joined}" if joined in DEVICES else joined


def unique(name: str, taken: dict[str, int]) -> str:
    """The name, with an ordinal when it is taken already; the result is taken from now on."""
    candidate, ordinal = name, taken.get(name, 0)
    while candidate in taken:
        ordinal += 1
        candidate = f"{name}-{ordinal}"
    # The last ordinal is kept, so that a name given a thousand times is not counted up each time.
    taken[name] = max(ordinal, 1)
    taken[candidate] = 1 if candidate != name else taken[name]
    return candidate


def title_of(text: str) -> str:
    """The first words of a text, at most about 70 characters, without what ends the sentence."""
    first = re.split(r"(?<=[.!?])\s", text.strip(), maxsplit=1)[0]
    if len(first) > 70:
        first = first[:70].rpartition(" ")[0] or first[:70]
        return first.rstrip(" ,;:-–—") + "…"
    return first.rstrip(" .:;,") or text[:70]


def kind_of(rows: list[Row], heading: str) -> str:
    """Propose a provision's kind, by the marks of its first line, its words and its heading."""
    body = [row for row in rows if row.shape != "heading"]
    first = body[0]
    if first.shape in ("example", "note", "definition", "question"):
        return first.shape
    text = " ".join(row.text for row in body)
    if _ERRATA_HEADING.search(heading) or _ERRATA.search(text):
        return "errata"
    return "definition" if _MEANS.search(text) else "ruling"


def authority_of(rows: list[Row]) -> str:
    """Return `translator` for a translator's note or an example in the first person."""
    first = next(row for row in rows if row.shape != "heading")
    if first.shape not in ("note", "example"):
        return "official"
    is_first_person = first.shape == "example" and _FIRST_PERSON.search(first.text)
    return "translator" if is_first_person or TRANSLATOR.search(first.text[:60]) else "official"


def stems(text: str) -> list[str]:
    """The telling words of a text, cut so that the forms of a word meet."""
    words = (
        word for word in re.findall(r"[^\W\d_]+", fold(text)) if len(word) > 3 and word not in _STOP
    )
    return [word[: max(4, len(word) - 3)][:7] for word in words]


def _topic_stems(field: str) -> frozenset[str]:
    titles = (getattr(language.documents, field) for language in LANGUAGES.values())
    return frozenset(stems(" ".join(titles)))


# What the topics are called that gather provisions of one kind, or about one card each.
_GATHERING = {
    "definition": _topic_stems("glossary_topic"),
    "errata": _topic_stems("errata_topic"),
    "card": _topic_stems("card_topic"),
}


class Filler:
    """What a game knows of topics, terms and cards, made ready for many texts."""

    def __init__(self, game: Game | None) -> None:
        self._titles: dict[str, set[str]] = {}
        self._terms: list[tuple[frozenset[str], tuple[str, ...]]] = []
        self._cards: dict[str, list[str]] = {}
        self._game = game
        if game is None:
            return
        for topic in game.header.topics:
            self._titles[topic.id] = {
                stem for title in topic.title.values() for stem in stems(title)
            }
        for term in game.terms:
            places = tuple(topic for topic in (*term.topics, term.id) if topic in game.topics)
            for name in (name for names in term.names.values() for name in names):
                if places and stems(name):
                    self._terms.append((frozenset(stems(name)), places))
        not_cards = set(game.header.not_cards)
        for name in dict.fromkeys(card.name for card in game.cards):
            words = re.findall(r"\w+", name)
            if (
                name not in not_cards
                and words
                and (len(words) > 1 or (len(name) > 3 and fold(name) not in _STOP))
            ):
                self._cards.setdefault(words[0], []).append(name)
        for names in self._cards.values():
            names.sort(key=lambda name: (-len(name), name))

    def topic(self, heading: str, text: str, kind: str, common: frozenset[str]) -> str:
        """Return the topic whose title or terms fit best; the slug of the heading when none does.

        `common` are the stems that too many of the document's headings share to tell anything.
        """
        of_card = bool(self.about(heading)) and len(heading) < 60
        gathering = _GATHERING.get("card" if of_card and kind != "errata" else kind, frozenset())
        score = Counter({topic: 20 for topic, own in self._titles.items() if own & gathering})
        for words, weight in ((stems(heading), 4), (stems(text[:3000]), 1)):
            count = Counter(word for word in words if word not in common)
            for topic, own in self._titles.items():
                score[topic] += weight * sum(min(count[word], 3) for word in own)
            for stems_of_term, topics in self._terms:
                if stems_of_term <= count.keys():
                    score[topics[0]] += weight * min((3, *(count[word] for word in stems_of_term)))
        best = max(score, key=lambda topic: score[topic], default="")
        return best if best and score[best] else slug(heading) or "general"

    def about(self, text: str) -> tuple[str, ...]:
        """Return the labels of cards whose exact names occur, in the order of the text.

        At each place the longest name wins.
        """
        labels: dict[str, None] = {}
        end = 0
        straight = text.replace("’", "'")
        for word in re.finditer(r"\w+", straight) if self._cards else ():
            if word.start() < end:
                continue
            for name in self._cards.get(word[0], ()):
                at = word.start() - re.match(r"\W*", name).end()  # type: ignore[union-attr]
                if (
                    at >= 0
                    and straight.startswith(name, at)
                    and not straight[at + len(name) : at + len(name) + 1].isalnum()
                ):
                    end = at + len(name)
                    labels[self._label(name, straight[end : end + 5])] = None
                    break
        versions = {label[: -len(" (A)")] for label in labels if label.endswith(")")}
        return tuple(label for label in labels if label not in versions)

    def _label(self, name: str, after: str) -> str:
        version = re.match(r"\s\(?([A-Z])\b(?!['’])", after)
        cards = self._game.cards_named(name) if self._game else ()
        return next((card.label for card in cards if version and card.version == version[1]), name)
