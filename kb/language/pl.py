"""Polish: morfeusz2 with all its analyses and its generator.

It joins 40 of 40 groups of inflected words of the first three games.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from kb.language.base import Language, aspects, longest_first, replaced_ending, words

# Endings of imperfective verbs, and of the perfective ones that may mean the same.
_IMPERFECTIVE = aspects("""
    iać = ić
    cać = cić
    czać = czyć
    dzać = dzić
    lać = lić
    rzać = rzyć
    szać = szyć sić
    żać = żyć zić
    biegać = biec
    dejmować = djąć
    ywać = ać yć
    iwać = ać
    wać = ć
    ijać = ić
    ierać = rać rzeć
    kładać = łożyć
    adać = aść
    chodzić = jść
    wodzić = wieść
    nosić = nieść
    inać = iąć
    ynać = ąć
    jmować = jąć
    acać = ócić
    ępować = ąpić
    pować = pić
    yłać = łać
""")
_PERFECTIVE = tuple((perfective, own) for own, perfective in _IMPERFECTIVE)
_ENDINGS = ("", *"a owi em iem u ie ze owie ów om ami ach y i".split())
_FEMININE = "y i ie ę ą o om ami ach ii ze e".split()
_ADJECTIVAL = "iego iemu im ich imi ego emu ym".split()
# Of names whose last vowel is dropped: a silent -e, -o; -ie is written after some consonants only.
_SHORTENED = "a owi u owie ów om ami ach".split()
_BEFORE_IE = "bfmnpsvwz"
_VOWELS = "aeiouy"
# What names are made of, by their tags: nouns, gerunds, adjectives, participles, numerals.
_NOMINAL = ("subst", "ger", "adj", "ppas", "pact", "num")
# The last consonant of a stem before -e and -u.
_SOFT_FEMININE = dict(zip("kgrtdłnm", "ce dze rze cie dzie le nie mie".split(), strict=True))
_SOFT_MASCULINE = dict(zip("tdrłlk", "cie dzie rze le lu ku".split(), strict=True))


@cache
def _analyzer() -> Any:
    import morfeusz2

    return morfeusz2.Morfeusz()


@cache
def _dictionary_lemmas(word: str) -> frozenset[str]:
    """The lemmas of a word that is analysed as a whole."""
    analyses = _analyzer().analyse(word)
    if len({end for _, end, _ in analyses}) != 1:
        return frozenset()
    return frozenset(
        lemma.partition(":")[0].lower()
        for start, end, (_, lemma, tag, _, _) in analyses
        if (start, end) == (0, 1) and not tag.startswith(("ign", "interp", "dig"))
    )


@cache
def _is_verb(word: str, aspect: str) -> bool:
    """Whether a word is an infinitive of an aspect: `imperf` or `perf`."""
    tags = [tag.split(":") for _, _, (_, _, tag, _, _) in _analyzer().analyse(word)]
    return any(tag[0] == "inf" and aspect in tag[1].split(".") for tag in tags)


@cache
def lemmas(word: str) -> frozenset[str]:
    """The lemmas of a word; those of an imperfective verb have the perfective one as well."""
    known = _dictionary_lemmas(word)
    imperfective = [lemma for lemma in known if _is_verb(lemma, "imperf")]
    others = {verb for lemma in imperfective for verb in replaced_ending(lemma, _IMPERFECTIVE)}
    return known.union(verb for verb in others if _is_verb(verb, "perf"))


def _imperfective(verb: str) -> list[str]:
    if not _is_verb(verb, "perf"):
        return []
    return [other for other in replaced_ending(verb, _PERFECTIVE) if _is_verb(other, "imperf")]


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """The forms of lemmas, those of the imperfective verb included.

    Participles and gerunds are forms of their verb; negated ones (nie-) are left out.
    """
    by_lemma = {}
    for lemma in wanted:
        generated = {lemma}
        for spelling in (lemma, lemma.capitalize(), *_imperfective(lemma)):
            generated |= {row[0].lower() for row in _analyzer().generate(spelling)}
        if not lemma.startswith("nie"):
            generated = {form for form in generated if not form.startswith("nie")}
        by_lemma[lemma] = frozenset(form for form in generated if " " not in form)
    return by_lemma


def name_forms(name: str) -> frozenset[str]:
    """The dictionary's forms of a word, and those that foreign names of this ending may have.

    Names of men that are also common nouns (lando, rex) are declined as names.
    """
    return _declined(name) | _forms_by_ending(name)


def _declined(name: str) -> frozenset[str]:
    """The forms of the words of which a name is the nominative, in its gender."""
    if name in LANGUAGE.stop_words:
        return frozenset()
    forms = set()
    for spelling in (name, name.capitalize()):
        analyses = _analyzer().analyse(spelling)
        # The dictionary has the parts of at-at, but not the word.
        if len({end for _, end, _ in analyses}) != 1:
            continue
        for _, _, (_, lemma, tag, *_) in analyses:
            kind, number, cases, *features = _features(tag)
            if kind in _NOMINAL and "nom" in cases.split("."):
                for row in _analyzer().generate(lemma):
                    other_kind, other_number, _cases, *others = _features(row[2])
                    is_kept = other_kind == kind and number in ("sg", other_number)
                    if is_kept and _agree(features, others) and "-" not in row[0]:
                        forms.add(row[0].lower())
    return frozenset(forms)


def _features(tag: str) -> list[str]:
    """The parts of the tag of a noun or adjective: kind, number, cases, genders, others."""
    return (tag + ":::").split(":")


def _agree(features: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two forms have a gender in common, and are as positive and as affirmative."""
    return features[1:] == others[1:] and not {*features[0].split(".")}.isdisjoint(
        others[0].split(".")
    )


def _forms_by_ending(name: str) -> frozenset[str]:
    """Masculine and feminine patterns; folding drops the apostrophe after a silent letter."""
    declined = {name}
    stem = name[:-1]
    if len(name) < 3 or not name[-1].isalpha():
        return frozenset(declined)
    if name.endswith("a"):
        declined |= {stem + ending for ending in _FEMININE}
        declined.add(stem[:-1] + _SOFT_FEMININE.get(stem[-1], stem[-1] + "ie"))
        if name[-2] == "i" and name[-3] in _VOWELS:
            declined.add(stem)
    elif name[-1] in "iy":
        declined |= {name + ending for ending in ("ego", "emu", "m", "ch", "mi")}
        declined |= {stem + ending for ending in _ADJECTIVAL}
    if name.endswith("o") or (name.endswith("e") and name[-2] not in _VOWELS):
        # Jango: Jangiem; Luke: Lukiem, Palpatine: Palpatinie.
        declined |= {stem + ending for ending in _SHORTENED}
        declined.add(stem + ("iem" if stem[-1] in "kg" else "em"))
        if stem[-1] in _BEFORE_IE:
            declined.add(stem + "ie")
    if name[-1] not in "aiouy" or (name[-1] == "y" and name[-2] in _VOWELS):
        declined |= {name + ending for ending in _ENDINGS}
        declined.add(stem + _SOFT_MASCULINE.get(name[-1], name[-1]))
        if name.endswith("x"):
            declined |= {stem + "ks" + ending for ending in _ENDINGS}
    return frozenset(declined)


LANGUAGE = Language(
    code="pl",
    first_titles=("Ogólne", "Instrukcja"),
    note_words=frozenset("Uwaga Uwagi".split()),
    pointing_words=frozenset("ten ta to ci te taki taka takie tacy".split()),
    alphabet="aąbcćdeęfghijklłmnńoóprsśtuwyzźż",
    sorted_apart="ąćęłńóśźż",
    lemmas=lemmas,
    forms=forms,
    name_forms=name_forms,
    suffixes=longest_first(
        "a ach ami e ego emu ej em i ich im imi mi o om owi ow u y ych ym ymi ie iem iego iemu "
        "owie owac owal owala owany owana owane owanie owania owaniu owaniem uje uja ujac nac nal "
        "niety nieta niete nietej nietego nietych nieciu niecie niecia nie nia niu ac al am asz aj "
        "aja any ana ane anie ania aniem aniu any anych anej ne ny na nych nym acja acji acje "
        "acja alny"
    ),
    function_words=words(
        "a aby albo ale ani aż bądź bez bo by być był była było były być dla do gdy go i ich im "
        "innymi iż ja jako je jego jej jest jestem jeśli jeżeli jednak już lecz lub ma mam mają mi "
        "mnie mogą mogę moja mojej mój może można musi muszę my na nad nam nas nawet ni nią nich "
        "nie nim niż no o od on ona one oni ono oraz po pod podczas ponieważ poza przed przez przy "
        "są się skoro sobie swoich swojej swój ta tak taki takie także tam te tego tej ten to tu "
        "tych tylko tym u w wtedy we wolno więc wszystko z za ze żeby że jeden jedna jedno"
    ),
    question_words=words(
        "co czemu czy czyli dlaczego gdzie ile ilu jak jaka jaki jakie jakiej jakim jaką kiedy kim "
        "kogo komu kto która które którego której których którym którą który"
    ),
    asking_words=words(
        "coś czegoś kogoś komuś ktoś każda każdego każdemu każdy nikt wszyscy wszystkich działa "
        "działać działają oznacza oznaczają pytanie pytania reguł reguła reguły wyjaśnij wytłumacz "
        "zasad zasada zasady znaczą znaczenie znaczy "
        "cześć dziękuję dzięki hej pls proszę sorry witam"
    ),
    or_words=("LUB",),
    rule_words=words(
        "reguła reguły reguł zasada zasady zasadzie punkt punktu punkcie pkt nr "
        "paragraf artykuł art"
    ),
    version_stem="wersj",
    abbreviations=r"np|tzn|tj|m\.in|por|ang|przyp",
    names_in_lower_case=True,
)
