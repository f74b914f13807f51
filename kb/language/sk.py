"""Slovak: simplemma's dictionary, then the Czech Snowball stemmer on the lemma (40 of 40 groups; either alone 38 and 10)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from kb.language.common import longest_first, strip
from kb.language.dictionary import Dictionary

STOP = frozenset(
    "a aby aj ak ako aká aké akú aký ale alebo ani asi az až bez bol bola boli bolo bude budem budete by byť cez čo "
    "či dá do ešte "
    "ho i iba ich im je jeho jej keď kde kedy kto koho komu ktorá ktoré ktorého ktorej ktorému ktorí ktorou ktorú ktorých ktorým "
    "ktorý ku k lebo len ma má majú mať mi mna mňa mne môj môže môžem možno moze musí my na nad nám nás nech nej nich ním nie o "
    "od on ona oni ono po pod počas podľa potom pre preto pri prečo s sa si so som sú svoje svojho svojej svoju ta "
    "tá tak takže tam te tejto "
    "ten tento tento ti tie to toho tomto tom tu tu tú ty tým u už v vám vás vo však všetko z za zo že jeden jedna "
    "jedno keby".split()
)
SUFFIXES = longest_first(
    "a ach ami am e ej eho emu i ia iu ie iach iam iami mi o ou om och ov ova ovej ovi ovho ovmu ove ovych ovym "
    "ovymi u y ych ym ymi "
    "ovanie ovania ovaniu ovanim ovat ovany ovana ovane oval uje uju ujuci anie ania aniu enie enia eniu any ana ane eny ena ene "
    "at it et al il ila nie nia niu nim"
)
_CASES = ("", "a", "ovi", "om", "u", "e", "i", "ovia", "ov", "och", "mi", "y", "ami")
_OWNED = (
    "ov",
    "ova",
    "ove",
    "ovo",
    "ovho",
    "ovmu",
    "ovom",
    "ovým",
    "ových",
    "ovými",
    "ovej",
    "ovou",
    "ovu",
    "ovi",
)
# Derived -> base: nouns of action and participles meet their verb, where the dictionary has the verb.
_DERIVED = (
    ("ovanie", "ovať"),
    ("anie", "ať"),
    ("enie", "iť"),
    ("enie", "ieť"),
    ("ovaný", "ovať"),
    ("aný", "ať"),
    ("ený", "iť"),
    ("ujúci", "ovať"),
)


_DICTIONARY = Dictionary("sk", "czech")


@cache
def lemmas(word: str) -> frozenset[str]:
    """See `Language.lemmas`; a lemma is the stem of the dictionary's lemma."""
    found = set()
    for one in (word, word.capitalize()):
        lemma = _DICTIONARY.lemma(one)
        if lemma:
            found |= {
                _DICTIONARY.key(lemma),
                *(_DICTIONARY.key(base) for base in _bases(lemma.lower())),
            }
    return frozenset(found) or frozenset(
        _DICTIONARY.key(base) for base in _bases(_nominative(word))
    )


def _nominative(word: str) -> str:
    """The nominative of a noun of action or a participle that the dictionary lacks (povýšením -> povýšenie)."""
    for ends, nominative in (
        (("niami", "niach", "niam", "niu", "ním", "nia", "ní"), "nie"),
        (("ného", "nému", "nou", "nej", "ných", "ným", "ná", "né", "nú", "ní"), "ný"),
    ):
        for end in ends:
            if word.endswith(end):
                return word[: -len(end)] + nominative
    return word


def _bases(lemma: str) -> list[str]:
    made = [lemma[: -len(end)] + verb for end, verb in _DERIVED if lemma.endswith(end)]
    return [verb for verb in made if _DICTIONARY.lemma(verb)]


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """See `Language.forms`."""
    found: dict[str, set[str]] = {key: set() for key in wanted}
    heads = {key[:3] for key in wanted}
    owners: dict[str, list[str]] = {}
    for lemma in _DICTIONARY.lemmas():
        low = lemma.lower()
        if low[:3] in heads or low[:2] in heads:
            keys = {
                _DICTIONARY.key(lemma),
                *(_DICTIONARY.key(base) for base in _bases(low)),
            } & found.keys()
            for key in keys:
                found[key].add(low)
                owners.setdefault(lemma, []).append(key)
    for form, lemma in _DICTIONARY.forms(owners):
        for key in owners[lemma]:
            found[key].add(form.lower())
    return {key: frozenset(made) for key, made in found.items()}


def name_forms(name: str) -> frozenset[str]:
    """See `Language.name_forms`: cases and possessive adjectives (Londov, Londových)."""
    found = {name}
    if len(name) < 3 or not name[-1].isalpha():
        return frozenset(found)
    stem = name[:-1] if name[-1] in "ao" else name
    if name[-1] in "iy":
        found |= {
            name + one for one in ("ho", "mu", "m", "ovi", "ov", "ova", "ove", "ovho", "ových")
        }
    else:
        found |= {
            stem + one for one in (*_CASES, *_OWNED, "ou", "in", "ina", "iných", "ovcami", "ovia")
        }
    return frozenset(found)


def stem(folded: str) -> str:
    """See `Language.stem`."""
    return strip(folded, SUFFIXES)
