"""Finds card names in texts: inflected, with versions, nicknames and misprints.

A word of a text stands for every word of names that it may be a form of, by the table of forms. The
longest name wins. Words that `game.yaml` lists as not-cards name no card, nor do common words in
lower case, nor common words at the start of a sentence unless the text names the card elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache, partial
from itertools import accumulate, pairwise
from typing import NamedTuple

from kb.language import LANGUAGES, FormTable, fold, language_of
from kb.language.words import Token, owner, tokenize, words_of
from kb.linking.names import NameTree, name_paths, name_words, names_among
from kb.records.text import MARK, find_marks, write_mark
from kb.records.values import Card

_LETTER = re.compile(r"(?:[ \u00a0]\(?|\n\()([A-Z])\)?(?![\w-]|['’](?!s\b))")
_START = re.compile(r"(?:\A|[.!?:…\n]|\d\.)[\s\"„“«(\[*_>#•–-]*$")
_ABBREVIATION = re.compile(
    rf"\b(?:{'|'.join(language.abbreviations for language in LANGUAGES.values())})\.[\s(„“«\"]*$",
    re.IGNORECASE,
)
# Letters from which on the last word of a name stands for a name given in full before.
_ALIAS = 5
_OPENING, _CLOSING = ("„", "«", "“", '"'), ("”", "»", "“", '"')

# Code, links and addresses: names in them are not linked.
_SKIP = re.compile(
    r"^(?:```|~~~).*?^(?:```|~~~)|`[^`\n]*`|\[[^\[\]\n]*\]\((?:[^()\n]|\([^()\n]*\))*\)"
    r"|<[^<>\n]*>|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
_FLAT = str.maketrans({"[": " ", "]": " ", "|": "…"})


class Mention(NamedTuple):
    """A card's name in a text: its place (code points), its words, card, version and labels.

    `version` is empty for the bare name. With several `candidates` the text leaves the card open.
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

    @property
    def words(self) -> str:
        """The surface on one line, as a mark has it."""
        return " ".join(self.surface.split("\n"))


class _Run(NamedTuple):
    """Words of a text that name a card: the first, the one after the last, and the names."""

    first: int
    end: int
    names: list[str]


@dataclass
class _Scan:
    """A text that the finder reads, and the names found so far.

    `opening`: whether a name can begin with a token; `all_runs`: runs that count if one of their
    names is among those beside them at the end; `last_words`: the last words of names given in
    full, each with its name, and whether it stands for the card in lower case too.
    """

    text: str
    tokens: list[Token]
    opening: list[bool]
    all_runs: list[tuple[_Run, Collection[str]]] = field(default_factory=list)
    named_in_full: set[str] = field(default_factory=set)
    named_by_last_word: set[str] = field(default_factory=set)
    last_words: dict[str, tuple[str, bool]] = field(default_factory=dict)

    def runs(self) -> list[_Run]:
        """The runs that name cards, in order."""
        return [run for run, names in self.all_runs if any(name in names for name in run.names)]


class CardFinder:
    """Finds the cards of one game in texts of one language; `table` stays open meanwhile."""

    def __init__(
        self, cards: Iterable[Card], not_cards: Iterable[str], lang: str, table: FormTable
    ) -> None:
        self.language = language_of(lang)
        self._versions: dict[str, dict[str, str]] = {}
        self._tree = NameTree()
        for card in cards:
            self._versions.setdefault(card.name, {})[card.version] = card.label
            for name in (card.name, *card.other_names):
                for path in name_paths(name):
                    self._tree.add(path, card.name)
        self._not = set(map(name_words, not_cards))
        # Methods would hold the finder in a cycle, which delays freeing it.
        self._lemmas = partial(table.own_lemmas, lang=lang)
        self._words = cache(partial(_meant_names, self._lemmas))
        self._opens = cache(partial(_can_begin, self._tree.branches, self._words))

    def find(self, text: str) -> list[Mention]:
        """The cards that a text names, in order; none overlap."""
        words = words_of(text)
        opening = [self._opens(word) for word in words]
        if True not in opening:
            # Half of all texts name no card; their words need no positions.
            return []
        scan = _Scan(text, list(tokenize(text)), opening)
        place = opening.index(True)
        while place < len(words):
            # The last word of a name may be any word.
            can_name = opening[place] or scan.last_words
            place = self._read(scan, place) if can_name else place + 1
        mentions = [self._mention(scan, run) for run in scan.runs()]
        return sorted([*mentions, *self._bare_versions(scan.tokens, mentions, text)])

    def _read(self, scan: _Scan, place: int) -> int:
        """Note the card that the words at a place name; return the place after them."""
        token = scan.tokens[place]
        run = self._longest(scan, place) if scan.opening[place] else None
        if run:
            if self._doubtful(token, run.end - run.first, scan.text):
                scan.all_runs.append((run, scan.named_in_full))
            else:
                scan.all_runs.append((run, run.names))
                scan.named_in_full.update(run.names)
                self._remember(scan, run)
            return run.end
        run = self._alias(scan, place)
        if run and _begins_sentence(token, scan.text) and token.text[0].isupper():
            scan.all_runs.append((run, scan.named_by_last_word))
        elif run:
            scan.all_runs.append((run, run.names))
            scan.named_by_last_word.update(run.names)
        return place + 1

    def _longest(self, scan: _Scan, place: int) -> _Run | None:
        """The longest name that begins at a place; None if it is refused or there is none."""
        tokens, best = scan.tokens, None
        meanings = (
            _apart(self._words(token.text)) if between.isspace() else self._words(token.text)
            for token, between in _adjacent(scan, place)
        )
        for end, names in enumerate(self._tree.walk(meanings), place + 1):
            if names:
                best = _Run(place, end, names)
        if best is None or self._refused(tokens[place : best.end]):
            return None
        return best._replace(names=self._narrowed(best.names, tokens[place : best.end]))

    def _refused(self, tokens: Sequence[Token]) -> bool:
        """Whether `game.yaml` lists the words as no card, in any form."""
        if len(tokens) == 1:
            return any((word,) in self._not for word in self._words(tokens[0].text))
        return tuple(fold(token.text) for token in tokens) in self._not

    def _narrowed(self, names: list[str], tokens: Sequence[Token]) -> list[str]:
        """The names that stand in the text uninflected, else all."""
        typed = tuple(fold(token.text) for token in tokens)
        exact = [name for name in names if name_words(name) == typed]
        return exact or names

    def _alias(self, scan: _Scan, place: int) -> _Run | None:
        """A last word that stands for a name given in full before; None for other words."""
        token = scan.tokens[place]
        for word in self._words(token.text) if scan.last_words else ():
            name, in_lower_case = scan.last_words.get(word, ("", False))
            if name and (in_lower_case or token.text[0].isupper()) and (word,) not in self._not:
                return _Run(place, place + 1, [name])
        return None

    def _remember(self, scan: _Scan, run: _Run) -> None:
        """Note the last word of a name that a text gives in full.

        In lower case it stands for the card only if the name is in another language: the last
        word of a Russian or Czech name is a common word.
        """
        name = run.names[0]
        words = name_words(name)
        if len(words) > 1 and len(words[-1]) >= _ALIAS:
            is_own = not set(name.lower()).isdisjoint(self.language.telling_letters)
            in_lower_case = self.language.names_in_lower_case and not is_own
            scan.last_words[words[-1]] = name, in_lower_case

    def _doubtful(self, token: Token, length: int, text: str) -> bool:
        """Whether a common word may have its capital only because it begins a sentence."""
        is_common = any(lemma[0] not in "^~+" for lemma in self._lemmas(fold(token.text)))
        if length > 1 or not is_common or (token.text.isupper() and len(token.text) > 1):
            return False
        before, after = text[token.start - 1 : token.start], text[token.end : token.end + 1]
        if before in _OPENING and after in _CLOSING:
            return False
        return _begins_sentence(token, text)

    def _mention(self, scan: _Scan, run: _Run) -> Mention:
        text, names = scan.text, run.names
        start, end = self._edges(scan, run)
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
    def _edges(scan: _Scan, run: _Run) -> tuple[int, int]:
        """The place of a name with its signs (Psyche!), without a possessive ending."""
        text, last = scan.text, scan.tokens[run.end - 1]
        start, end = scan.tokens[run.first].start, last.end
        possessives = ("'s", "’s")
        if last.text.lower().endswith(possessives) and not any(
            name.lower().endswith(possessives) for name in run.names
        ):
            return start, end - 2
        head, tail = _edge_signs(run.names[0])
        end += len(tail) if text.startswith(tail, end) else 0
        start -= len(head) if text.endswith(head, 0, start) else 0
        return start, end

    def _bare_versions(
        self, tokens: list[Token], mentions: Sequence[Mention], text: str
    ) -> list[Mention]:
        """Find `wersją E` after a name: it means that version of the last card that has one."""
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


def _meant_names(lemmas: Callable[[str], Iterable[str]], text: str) -> tuple[str, ...]:
    """The words of names that a word of a text may be a form of."""
    spellings = (text.lower(), owner(text.lower()))
    meant = (word for typed in spellings for word in (fold(typed), *names_among(lemmas(typed))))
    return tuple(dict.fromkeys(meant))


def _can_begin(names: Container[str], meant: Callable[[str], Iterable[str]], text: str) -> bool:
    """Whether a name can begin with a word of a text, which needs a capital or a digit."""
    is_name = text[0].isupper() or text[0].isdigit()
    return is_name and any(word in names for word in meant(text))


@lru_cache(maxsize=20_000)
def _edge_signs(name: str) -> tuple[str, str]:
    """The signs before the first and after the last letter of a name."""
    letters = [at for at, char in enumerate(name) if char.isalnum()] or [0]
    return name[: letters[0]], name[letters[-1] + 1 :]


def _begins_sentence(token: Token, text: str) -> bool:
    """Whether a word begins a sentence, a line or an item of a list."""
    before = text[max(0, token.start - 12) : token.start]
    return bool(_START.search(before)) and not _ABBREVIATION.search(before)


def _apart(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of names that a word after a blank may be, parts after a hyphen among them."""
    return (*words, *(f"-{word}" for word in words))


def _adjacent(scan: _Scan, place: int) -> Iterator[tuple[Token, str]]:
    """The tokens from a place on, until more than a space, a mark or a dash stands between two.

    Each comes with what stands before it. A line may end between two, but no paragraph or item of
    a list.
    """
    end = scan.tokens[place].start
    for token in map(scan.tokens.__getitem__, range(place, len(scan.tokens))):
        between = scan.text[end : token.start]
        is_line_end = between.strip(" ") == "\n"
        if len(between) > 3 or (between.strip(" \u00a0,.:&/!()'’–-") and not is_line_end):
            return
        yield token, between
        end = token.end


def unmarked_mentions(text: str, finder: CardFinder) -> list[Mention]:
    """Return the mentions outside marks, links and code of a Markdown text.

    A last word may stand for a name in a mark before it.
    """
    marks = find_marks(text)
    flat = MARK.sub(lambda match: match[0].translate(_FLAT), text) if marks else text
    mentions = finder.find(flat)
    if not mentions:
        return mentions
    taken = [match.span() for match in _SKIP.finditer(text)]
    taken += [(mark.start, mark.end) for mark in marks]
    taken.sort()
    starts = [start for start, _ in taken]
    # The last end of each span and those before it.
    ends = [0, *accumulate((end for _, end in taken), max)]
    return [
        mention for mention in mentions if ends[bisect_left(starts, mention.end)] <= mention.start
    ]


def insert_marks(text: str, mentions: Iterable[Mention]) -> str:
    """Return a text with a mark for each mention of a single card or name."""
    pieces, place = [], 0
    for mention in mentions:
        if mention.label is None or mention.start < place:
            continue
        mark = write_mark(mention.label, mention.words)
        pieces += [text[place : mention.start], mark]
        place = mention.end
    return "".join([*pieces, text[place:]])
