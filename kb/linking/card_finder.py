"""Finds card names in texts, inflected, with versions, nicknames and misprints.

A name is a path of words; a word of the text stands for every name word whose form it can be (the
closed table of forms). The longest path wins. What only looks like a name is not taken: words that
`game.yaml` lists as not-cards, common words in lower case, and common words at the start of a
sentence unless the text shows elsewhere that the card is meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import pairwise
from typing import NamedTuple, Protocol

from kb.language import LANGUAGES, FormTable, fold, language_of
from kb.language.tokens import Token, placed, words_of
from kb.records.marks import MARK, find_marks, write_mark

_LETTER = re.compile(r"[ \u00a0]\(?([A-Z])\)?(?![\w-]|['’](?!s\b))")
_START = re.compile(r"(?:\A|[.!?:…\n]|\d\.)[\s\"„“«(\[*_>#•–-]*$")
_ABBREVIATION = re.compile(
    rf"\b(?:{'|'.join(language.abbreviations for language in LANGUAGES.values())})\.[\s(„“«\"]*$",
    re.IGNORECASE,
)
# A lemma that is neither a name's, nor a stem, nor a group's.
_ORDINARY = re.compile(r"(?<!\S)[^\s^~+]")
_SHORT = 3
# A last word alone stands for a name named before only when it is as telling as this.
_ALIAS = 5
_ENGLISH = LANGUAGES["en"]
_NOTHING: tuple[int, list[str]] = (0, [])
_OPENING, _CLOSING = ("„", "«", "“", '"'), ("”", "»", "“", '"')

# Code, links and addresses, where a name is not linked.
_SKIP = re.compile(
    r"^(?:```|~~~).*?^(?:```|~~~)|`[^`\n]*`|\[[^\[\]\n]*\]\((?:[^()\n]|\([^()\n]*\))*\)"
    r"|<[^<>\n]*>|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
_FLAT = str.maketrans({"[": " ", "]": " ", "|": "\n"})


class CardLike(Protocol):
    """What the finder needs of a card: the records' and the store's cards both have it."""

    @property
    def name(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def other_names(self) -> tuple[str, ...]: ...


class Mention(NamedTuple):
    """A card's name in a text: its place (code points), its words, card, version and labels.

    `version` is empty for the name as such; several `candidates` that are not versions of one name:
    the text leaves it open.
    """

    start: int
    end: int
    surface: str
    card: str
    version: str
    candidates: tuple[str, ...]

    @property
    def label(self) -> str | None:
        """The label of the one card, or the bare name; None when the text leaves it open."""
        return self.candidates[0] if len(self.candidates) == 1 else None


@dataclass
class _Node:
    """A place in the tree of names: the words that go on, and the names that end here."""

    then: dict[str, _Node] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)

    def add(self, path: Sequence[str], name: str) -> None:
        """Add a name that has these words from here on."""
        node = self
        for word in path:
            node = node.then.setdefault(word, _Node())
        if path and name not in node.names:
            node.names.append(name)


class CardFinder:
    """Finds the cards of one game in any number of texts of one language.

    `texts`: the texts where they are known before, so that only their words are looked up.
    """

    def __init__(
        self,
        cards: Iterable[CardLike],
        not_cards: Iterable[str],
        lang: str,
        table: FormTable,
        texts: Iterable[str] | None = None,
    ) -> None:
        self.language = language_of(lang)
        self._versions: dict[str, dict[str, str]] = {}
        self._root = _Node()
        name_words: set[str] = set()
        for card in cards:
            self._versions.setdefault(card.name, {})[card.version] = card.label
            for name in (card.name, *card.other_names):
                path = _folded(name)
                name_words.update(path)
                self._root.add(path, card.name)
        self._not = set(map(_folded, not_cards))
        meanings = table.meanings(lang, None if texts is None else _looked_up(texts))
        forms, self._common = _forms(meanings, name_words)
        # Not methods: without a cycle both are freed at once.
        self._words = cache(partial(_meant_names, forms))
        self._opens = cache(partial(_can_begin, self._root.then, self._words))

    def find(self, text: str) -> list[Mention]:
        """The cards that a text names, in order; none overlap."""
        words = words_of(text)
        opening = [self._opens(word) for word in words]
        if True not in opening:
            # Half of all texts name no card: where their words stand need not be known.
            return []
        tokens = placed(words, text)
        sure: list[tuple[int, int, list[str]]] = []
        unsure: list[tuple[int, int, list[str], set[str]]] = []
        named_in_full: set[str] = set()
        aliased: set[str] = set()
        # The card of a last word, and whether it stands for the card in lower case too.
        named: dict[str, tuple[str, bool]] = {}
        place, count = opening.index(True), len(tokens)
        while place < count:
            if not (opening[place] or named):
                place += 1
                continue
            length, names = self._longest(tokens, place, text) if opening[place] else _NOTHING
            short = not length
            if short and named:
                length, names = self._alias(tokens[place], named)
            if not length:
                place += 1
                continue
            candidate = (place, place + length, names)
            if short and _begins_sentence(tokens[place], text) and tokens[place].text[0].isupper():
                unsure.append((*candidate, aliased))
            elif not short and self._doubtful(tokens[place], length, text):
                unsure.append((*candidate, named_in_full))
            else:
                sure.append(candidate)
                (aliased if short else named_in_full).update(names)
                if not short:
                    self._remember(names[0], tokens[place : place + length], named)
            place += length
        sure += [
            (first, last, names) for first, last, names, evidence in unsure if evidence & set(names)
        ]
        mentions = [self._mention(tokens, candidate, text) for candidate in sorted(sure)]
        return sorted([*mentions, *self._bare_versions(tokens, mentions, text)])

    def _longest(self, tokens: list[Token], place: int, text: str) -> tuple[int, list[str]]:
        best, names = 0, list[str]()
        nodes = [self._root]
        for step in range(place, len(tokens)):
            if step > place and not _is_adjacent(text, tokens[step - 1].end, tokens[step].start):
                break
            meant = self._words(tokens[step].text)
            nodes = [node.then[word] for node in nodes for word in meant if word in node.then]
            if not nodes:
                break
            ending = list(dict.fromkeys(name for node in nodes for name in node.names))
            if ending:
                best, names = step - place + 1, ending
        if best and self._refused(tokens[place : place + best]):
            return 0, []
        return best, self._narrowed(names, tokens[place : place + best])

    def _refused(self, tokens: Sequence[Token]) -> bool:
        """Whether the words are listed as not being a card, in whatever form."""
        if len(tokens) == 1:
            return any((word,) in self._not for word in self._words(tokens[0].text))
        return tuple(fold(token.text) for token in tokens) in self._not

    def _narrowed(self, names: list[str], tokens: Sequence[Token]) -> list[str]:
        """Of several names that the words may be, those that stand there as they are."""
        whole = tuple(fold(token.text) for token in tokens)
        exact = [name for name in names if _folded(name) == whole]
        return exact or names

    def _alias(self, token: Token, named: dict[str, tuple[str, bool]]) -> tuple[int, list[str]]:
        """Match a long last word of a name that the text has given in full before."""
        for word in self._words(token.text):
            name, in_lower_case = named.get(word, ("", False))
            if name and (in_lower_case or token.text[0].isupper()) and (word,) not in self._not:
                return 1, [name]
        return 0, []

    def _remember(
        self, name: str, tokens: Sequence[Token], named: dict[str, tuple[str, bool]]
    ) -> None:
        """Note the last word of a name that a text gives in full.

        In lower case it stands for the card only where the name is of another language: the last
        word of a Russian or Czech name is a common word.
        """
        words = _folded(name)
        if len(words) > 1 and len(words[-1]) >= _ALIAS and words[-1] not in _ENGLISH.stop_words:
            is_own = not set(name.lower()).isdisjoint(self.language.telling_letters)
            is_own = is_own or all(fold(token.text) in self._common for token in tokens)
            named[words[-1]] = name, self.language.names_in_lower_case and not is_own

    def _doubtful(self, token: Token, length: int, text: str) -> bool:
        """A single common word, capitalised only because a sentence begins with it."""
        if length > 1 or fold(token.text) not in self._common:
            return False
        if token.text.isupper() and len(token.text) > 1:
            return False
        before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
        if before in _OPENING and after in _CLOSING:
            return False
        return _begins_sentence(token, text)

    def _mention(
        self, tokens: list[Token], candidate: tuple[int, int, list[str]], text: str
    ) -> Mention:
        first, last, names = candidate
        start, end = self._edges(tokens[first], tokens[last - 1], names, text)
        labels = tuple(label for name in names for label in self._versions[name].values())
        card = version = ""
        if len(names) == 1:
            card = names[0]
            letter = _LETTER.match(text, end)
            versions = self._versions[card]
            if letter and letter[1] in versions:
                version, labels = letter[1], (versions[letter[1]],)
                if letter[0].endswith(")") or letter[0][1] != "(":
                    end = letter.end()
            elif versions.keys() != {""} and all(len(version) <= 2 for version in versions):
                labels = (card,)
        return Mention(start, end, text[start:end], card, version, labels)

    @staticmethod
    def _edges(first: Token, last: Token, names: list[str], text: str) -> tuple[int, int]:
        """Return a name's place with its signs (Psyche!), without a possessive ending."""
        start, end = first.start, last.end
        if last.text[-2:].lower() in ("'s", "’s") and not any(
            name[-2:].lower() in ("'s", "’s") for name in names
        ):
            return start, end - 2
        for name in names[:1]:
            head, tail = _edge_signs(name)
            end += len(tail) if tail and text.startswith(tail, end) else 0
            start -= len(head) if head and text.endswith(head, 0, start) else 0
        return start, end

    def _bare_versions(
        self, tokens: list[Token], mentions: Sequence[Mention], text: str
    ) -> list[Mention]:
        """Find `wersją E` after a name: that version of the last card that has one."""
        stem = self.language.version_stem
        versions: list[Mention] = []
        if not mentions:
            return versions
        for token, letter in pairwise(tokens):
            is_letter = len(letter.text) == 1 and letter.text.isupper()
            if not is_letter or not token.text.lower().startswith(stem):
                continue
            cards = [
                mention.card
                for mention in mentions
                if mention.end <= token.start
                and letter.text in self._versions.get(mention.card, {})
            ]
            if cards:
                surface = text[token.start : letter.end]
                label = self._versions[cards[-1]][letter.text]
                versions.append(
                    Mention(token.start, letter.end, surface, cards[-1], letter.text, (label,))
                )
        return versions


def _meant_names(forms: Mapping[str, Sequence[str]], text: str) -> tuple[str, ...]:
    """The name words that a word of a text can be a form of."""
    folded, bare = fold(text), _bare(text)
    return tuple(dict.fromkeys((folded, *forms.get(folded, ()), bare, *forms.get(bare, ()))))


def _can_begin(names: Container[str], meant: Callable[[str], Iterable[str]], text: str) -> bool:
    """Whether a name can begin with a word of a text: with a capital or a digit."""
    is_name = text[0].isupper() or text[0].isdigit()
    return is_name and any(word in names for word in meant(text))


@lru_cache(maxsize=20_000)
def _folded(name: str) -> tuple[str, ...]:
    """The words of a name, folded."""
    return tuple(map(fold, words_of(name)))


@lru_cache(maxsize=20_000)
def _edge_signs(name: str) -> tuple[str, str]:
    """The signs before the first and after the last letter of a name."""
    letters = [at for at, char in enumerate(name) if char.isalnum()] or [0]
    return name[: letters[0]], name[letters[-1] + 1 :]


def _begins_sentence(token: Token, text: str) -> bool:
    """Whether a sentence, a line or a list's item begins with a word."""
    before = text[max(0, token.start - 12) : token.start]
    return bool(_START.search(before)) and not _ABBREVIATION.search(before)


def _is_adjacent(text: str, end: int, start: int) -> bool:
    """Whether only a space, comma, full stop, colon or dash stands between two words."""
    return (
        len(between := text[end:start]) <= 3
        and not between.strip(" \u00a0,.:&/!()'’–-")
        and "\n" not in between
    )


def _bare(word: str) -> str:
    """A folded word without the ending of a possessive."""
    possessive = len(word) > _SHORT and word[-1] in "sS" and word[-2] in "'’"
    return fold(word[:-2] if possessive else word)


def _looked_up(texts: Iterable[str]) -> set[str]:
    """The folded words by which a finder looks the words of some texts up."""
    words = {word for text in texts for word in words_of(text)}
    return {fold(word) for word in words} | {_bare(word) for word in words}


def _forms(
    meanings: Iterable[tuple[str, str]], words: set[str]
) -> tuple[dict[str, tuple[str, ...]], set[str]]:
    """Return the name words of each folded form, and the forms that are ordinary words too."""
    words_by_form: dict[str, set[str]] = {}
    common: set[str] = set()
    for folded, lemmas in meanings:
        if "^" in lemmas:
            for lemma in lemmas.split():
                if lemma[0] == "^" and lemma[1:] in words:
                    words_by_form.setdefault(folded, set()).add(lemma[1:])
        # The first lemma tells it of nearly all rows.
        if lemmas[0] not in "^~+" or (" " in lemmas and _ORDINARY.search(lemmas)):
            common.add(folded)
    return {form: tuple(sorted(meant)) for form, meant in words_by_form.items()}, common


def unmarked_mentions(text: str, finder: CardFinder) -> list[Mention]:
    """Return the mentions in a Markdown text outside marks, links and code.

    Marked names count as named before.
    """
    marks = find_marks(text)
    flat = MARK.sub(lambda match: match[0].translate(_FLAT), text) if marks else text
    mentions = finder.find(flat)
    if not mentions:
        return mentions
    taken = [match.span() for match in _SKIP.finditer(text)]
    taken += [(mark.start, mark.end) for mark in marks]
    return [
        mention
        for mention in mentions
        if not any(start < mention.end and mention.start < end for start, end in taken)
    ]


def insert_marks(text: str, mentions: Iterable[Mention]) -> str:
    """Return a text with a mark for each mention that is one card or one name."""
    pieces, place = [], 0
    for mention in mentions:
        if mention.label is None or mention.start < place:
            continue
        mark = write_mark(mention.label, mention.surface)
        pieces += [text[place : mention.start], mark]
        place = mention.end
    return "".join([*pieces, text[place:]])
