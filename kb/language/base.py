"""The class `Language`, and what the modules of the languages share.

The `Dictionary` of simplemma maps forms to lemmas; each lemma is a form of itself. One walk through
all of it gives the forms of the lemmas, which a Snowball stemmer joins further."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kb.language.words import fold


class Dictionary:
    """The forms and lemmas of a language; the stem of its `spelling` joins lemmas.

    `derived`: endings of nouns of action and participles in all cases, with the verb's ending. They
    join the verb if the dictionary has it. simplemma is loaded on first use.
    """

    def __init__(
        self,
        lang: str,
        algorithm: str,
        spelling: Callable[[str], str] = str,
        derived: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._lang, self._algorithm, self._spelling = lang, algorithm, spelling
        self._derived = derived
        self._endings = tuple(ending for ending, _ in derived)

    @cached_property
    def _lemma_of(self) -> Mapping[str, str]:
        from simplemma.strategies.dictionaries import DefaultDictionaryFactory

        return DefaultDictionaryFactory().get_dictionary(self._lang)

    @cached_property
    def _forms_of(self) -> dict[str, list[str]]:
        forms_of: dict[str, list[str]] = defaultdict(list)
        lemma_of = self._lemma_of
        for form in lemma_of:
            forms_of[lemma_of[form]].append(form)
        return dict(forms_of)

    @cached_property
    def _lemmas_of_stem(self) -> dict[str, list[str]]:
        """The lemmas of each stem, and those derived from them."""
        lemmas_of: dict[str, list[str]] = defaultdict(list)
        for lemma in self._forms_of:
            for stem in {self.key(lemma), *map(self.key, self.bases(lemma.lower()))}:
                lemmas_of[stem].append(lemma)
        return lemmas_of

    @cached_property
    def _stem(self) -> Callable[[str], str]:
        import snowballstemmer

        # snowballstemmer takes PyStemmer if that is installed.
        stem: Callable[[str], str] = snowballstemmer.stemmer(self._algorithm).stemWord
        return stem

    def lemma(self, word: str) -> str | None:
        """The lemma of a word, in this spelling; None for an unknown word."""
        return self._lemma_of.get(word)

    def lemmas(self) -> Collection[str]:
        """Every lemma."""
        return self._forms_of.keys()

    def forms(self, lemma: str) -> list[str]:
        """The forms of a lemma, in their spelling."""
        return self._forms_of.get(lemma, [])

    def stems(self, word: str, *respelled: str) -> frozenset[str]:
        """The stems of the lemmas of a word, and of the verbs that they are derived from.

        `respelled`: other spellings of the word.
        """
        spellings = (word, word.capitalize(), *respelled)
        lemmas = list(filter(None, map(self.lemma, spellings)))
        stems = {self.key(lemma) for lemma in lemmas}
        # The dictionary lacks many nouns of action.
        for lemma in lemmas or [word]:
            stems.update(map(self.key, self.bases(lemma.lower())))
        return frozenset(stems)

    def forms_of_stems(self, stems: Collection[str]) -> dict[str, frozenset[str]]:
        """The forms, in lower case, of the lemmas with each stem or derived from it.

        Lemmas that differ from the stem in the first two letters are left out.
        """
        return {
            stem: frozenset(
                form.lower()
                for lemma in self._lemmas_of_stem.get(stem, ())
                if lemma[:2].lower() == stem[:2]
                for form in (lemma, *self.forms(lemma), *self._derived_forms(lemma))
            )
            for stem in stems
        }

    def key(self, lemma: str) -> str:
        """The stem of a lemma."""
        return self._stem(self._spelling(lemma.lower()))

    def bases(self, word: str) -> Iterator[str]:
        """The verbs that a word in lower case may be derived from."""
        # Called for 73,000 Slovak lemmas, of which 5,900 have such an ending.
        if not word.endswith(self._endings):
            return
        for verb in replaced_ending(word, self._derived):
            if self.lemma(verb) == verb:
                yield verb
                yield from self.bases(verb)

    def _derived_forms(self, verb: str) -> Iterator[str]:
        """The forms of nouns of action and participles that a verb may have."""
        for ending, verbal in self._derived:
            if verb.endswith(verbal):
                yield verb.removesuffix(verbal) + ending


# The keys of an American keyboard that have letters in some layout.
KEYS = "`qwertyuiop[]asdfghjkl;'zxcvbnm,."
# Shifted characters of the keys on which other scripts have letters.
_SHIFTED = dict(zip("`[];',.", '~{}:"<>', strict=True))
Lemmas = Callable[[str], frozenset[str]]
Forms = Callable[[Collection[str]], dict[str, frozenset[str]]]
# Regular expressions, each with its alternative replacements.
Rules = tuple[tuple[str, tuple[str, ...]], ...]
# Letters of English texts, which tell no language.
_SHARED_LETTERS = "éóô"
# An entry of the dictionary with fewer forms than this is incomplete.
_WHOLE_ENTRY = 7
# Endings of the plural that entries lack, after a stem with the dative in -ovi.
_OF_ANIMATES = ("i", "ové", "ovia")
# A stem has at least this many letters.
_SHORTEST_STEM = 3


def script_keys(layout: str) -> dict[str, str]:
    """The letters of a layout by American key: small letters come first, then capitals."""
    keys = {key: typed for key, typed in zip(KEYS, layout, strict=True) if typed.isalpha()}
    shifted = {_SHIFTED.get(key, key.upper()): typed.upper() for key, typed in keys.items()}
    return keys | shifted


@dataclass(frozen=True, kw_only=True)
class Sister:
    """How words of a language correspond to those of a sister language; one of the two declares it.

    `spelling` and `sister_spelling` turn own words and sister words into a common spelling; `words`
    are pairs that no rule explains: own words and sister words of one meaning, separated by spaces.
    """

    code: str
    spelling: Rules
    sister_spelling: Rules
    # Endings of own forms and of the sister's forms, for words that no dictionary has.
    endings: tuple[tuple[str, str], ...]
    words: tuple[tuple[str, str], ...] = ()

    def reverse(self, code: str) -> Sister:
        """Return the correspondence seen from the sister; `code`: the code of the own language."""
        return Sister(
            code=code,
            spelling=self.sister_spelling,
            sister_spelling=self.spelling,
            endings=tuple((theirs, own) for own, theirs in self.endings),
            words=tuple((theirs, own) for own, theirs in self.words),
        )


@dataclass(frozen=True, kw_only=True)
class Language:
    """The rules, words and analysers of one language.

    `lemmas`, `forms` and `name_forms` load an analyser on first use: only builds call
    them, through `kb.language.answers`.
    """

    code: str
    alphabet: str
    # Letters that dictionaries list on their own, after the letter that they fold to.
    sorted_apart: str = ""
    # Letters of two characters, each with the letter after which dictionaries list it.
    digraphs: Mapping[str, str] = field(default_factory=dict)
    # Every lemma of a word (lower case); empty for an unknown word.
    lemmas: Lemmas
    # Every form of each of some lemmas, in lower case.
    forms: Forms
    # The forms of a proper or foreign name (lower case), itself among them.
    name_forms: Lemmas
    # The dictionary in which a sister language may look up words.
    dictionary: Dictionary | None = None
    # Endings of adjectives in all cases, by declension: a word that no dictionary knows has them.
    adjectives: tuple[str, ...] = ()
    # Endings of folded words that no dictionary knows, the longest first.
    suffixes: tuple[str, ...]
    # Rules `(regular expression, replacement)` that unify the spelling of words of six letters
    # and more before a suffix is cut; groups are written `$1`, as in JavaScript.
    respellings: tuple[tuple[str, str], ...] = ()
    function_words: frozenset[str]
    question_words: frozenset[str]
    # Words around the subject of a query: how does overkill work, everyone passes, agenda rules.
    asking_words: frozenset[str]
    # First words that point back at a title or a question; an answer is read out without these.
    pointing_words: frozenset[str] = frozenset()
    # Words that notes in prose begin with; a note is a block of its own.
    note_words: frozenset[str] = frozenset()
    # The titles of a new game's first topic and of its first document, its rulebook.
    first_titles: tuple[str, str] | None = None
    # The words for OR in a query, in capitals.
    or_words: tuple[str, ...]
    # The words and abbreviations for a rule that people write before its number.
    rule_words: frozenset[str]
    # The beginning of the word for "version", as in "version E" after a card's name.
    version_stem: str
    # Abbreviations whose full stop ends no sentence, as a regular expression of alternatives.
    abbreviations: str
    # Whether the last word of an English card name stands for it in lower case too.
    names_in_lower_case: bool = False
    # For a script other than Latin: the characters of the keys `KEYS`.
    keyboard: str = ""
    # For typing in Latin letters: each sound with its own letters, the likeliest first.
    latin_spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sisters: tuple[Sister, ...] = ()

    @cached_property
    def stop_words(self) -> frozenset[str]:
        """Words that say nothing about a subject."""
        return self.function_words | self.question_words

    @cached_property
    def telling_letters(self) -> str:
        """The letters that tell the language of a text."""
        return "".join(
            char for char in self.alphabet if not char.isascii() and char not in _SHARED_LETTERS
        )

    def adjective_forms(self, word: str) -> Iterator[str]:
        """Yield the forms of a word that no dictionary knows, if it may be an adjective."""
        for endings in map(str.split, self.adjectives):
            for ending in filter(word.endswith, endings):
                yield from (word.removesuffix(ending) + other for other in endings)

    def stem(self, folded: str) -> str:
        """The stem of a folded word that no dictionary knows."""
        word = respell(folded, self.respellings)
        for suffix in self.suffixes:
            if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
                return word.removesuffix(suffix)
        return word


def respell(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    """A word after the rules of `Language.respellings`."""
    if len(word) > 5:
        for pattern, replacement in rules:
            word = re.sub(pattern, replacement.replace("$", "\\"), word)
    return word


def declined_names(dictionary: Dictionary, declensions: tuple[tuple[str, str], ...]) -> Lemmas:
    """`Language.name_forms` of Czech and Slovak: forms of the dictionary, else by endings.

    `declensions`: endings of nominatives (regular expressions), with the endings of their forms,
    adjectives first. The first line that fits wins, and the next one that fits counts as well if
    it ends in `+`; `$` fits every word.
    """

    def forms(name: str) -> frozenset[str]:
        if len(name) < 3 or not name[-1].isalpha():
            return frozenset({name})
        declined, is_known = {name}, False
        for lemma in filter(None, map(dictionary.lemma, (name, name.capitalize()))):
            # A verb, or a woman: čaroděj stands below čarodějnice. But lidé stands below člověk.
            if len(lemma) > len(name) + 1 and lemma[0].lower() == name[0]:
                continue
            entry = dictionary.forms(lemma)
            own = {form.lower() for form in entry if fold(form[0]) == fold(name[0])}
            stems = [form.removesuffix("ovi") for form in own if form.endswith("ovi")]
            declined |= own.union(stem + ending for stem in stems for ending in _OF_ANIMATES)
            if lemma.endswith("ý") or len(entry) < _WHOLE_ENTRY:
                declined |= _by_ending(lemma.lower(), declensions)
            # Mary stands below Mara.
            is_known |= lemma.lower() == name
        return frozenset(declined if is_known else declined | _by_ending(name, declensions))

    return forms


def _by_ending(name: str, declensions: tuple[tuple[str, str], ...]) -> set[str]:
    declined: set[str] = set()
    for endings, others in declensions:
        ending = re.search(rf"(?:{endings.replace(' ', '|')})\Z", name)
        if ending:
            stem = name[: ending.start()]
            declined |= {stem + other for other in others.split() if other != "+"}
            if not others.endswith("+"):
                break
    return declined


def longest_first(words: str) -> tuple[str, ...]:
    """The suffixes in a string, separated by spaces, the longest first."""
    return tuple(sorted(words.split(), key=lambda word: (-len(word), word)))


def derivations(text: str, **endings: str) -> tuple[tuple[str, str], ...]:
    """The pairs `Dictionary(derived=...)` of lines `stems kind = verbal endings`.

    `endings`: those of each kind of derived words.
    """
    return tuple(
        (stem + ending, verbal)
        for derived, verbs in pairs(text)
        for *stems, kind in [derived.split()]
        for stem in stems
        for ending in endings[kind].split()
        for verbal in verbs.split()
    )


def aspects(text: str) -> tuple[tuple[str, str], ...]:
    """Pairs of endings, of imperfective and of perfective verbs.

    The lines of the text are `imperfective = perfective ones`.
    """
    return tuple((own, other) for own, others in pairs(text) for other in others.split())


def replaced_ending(word: str, endings: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield a word with another ending for each of some pairs whose first ending it has."""
    for ending, other in endings:
        if word.endswith(ending):
            yield word.removesuffix(ending) + other


def pairs(text: str) -> tuple[tuple[str, str], ...]:
    """The pairs in lines `own words = sister words`."""
    lines = (line.partition(" = ") for line in text.strip().splitlines())
    return tuple((own.strip(), sister.strip()) for own, _, sister in lines)


def words(text: str) -> frozenset[str]:
    """The words in a string, separated by spaces."""
    return frozenset(text.split())
