"""Russian: pymorphy3 with all its analyses.

It joins 40 of 40 groups of inflected words of the first three games, and predicts the declension
of names that it does not know.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from functools import cache
from itertools import product
from typing import Any

from kb.language.base import Language, aspects, longest_first, replaced_ending, words

# Nouns of action and reflexive verbs -> the verb that they may come from.
_DERIVED = (
    ("ание", "ать"),
    ("яние", "ять"),
    ("ение", "ить"),
    ("ение", "еть"),
    ("ление", "ить"),
    ("жение", "зить"),
    ("щение", "тить"),
    ("ться", "ть"),
)
# Endings of imperfective verbs, and of the perfective ones that may mean the same.
_IMPERFECTIVE = aspects("""
    ать = ить
    гать = гнуть
    кать = кнуть
    ять = ить
    лять = ить
    вать = ть
    ывать = ать
    ивать = ить
    чать = тить
    щать = тить стить
    ждать = дить
    жать = зить дить
    шать = сить
    скать = стить
    ирать = рать ереть
    имать = ять
    зывать = звать
    лагать = ложить
    кладывать = ложить
    брасывать = бросить
    рабатывать = работать
    ворачивать = вернуть
    возвращать = вернуть
    станавливать = становить
    ходить = йти
    водить = вести
    носить = нести
""")
_ASPECTS = ("impf", "perf")
_PERFECTIVE = tuple((perfective, own) for own, perfective in _IMPERFECTIVE)
_NOUN_ENDINGS = {"а": "ание", "я": "яние", "и": "ение", "е": "ение"}
_POSSESSIVE = "ьего ьему ьим ьем ья ьей ью ье ьи ьих ьими".split()
# Number and case, as pymorphy3 names them.
_CASES = (
    *("sing gent", "sing datv", "sing accs", "sing ablt", "sing loct"),
    *("plur nomn", "plur gent", "plur datv", "plur ablt", "plur loct"),
)
# The declensions of names: what ends a nominative, and the endings of these cases or the first of
# them; `-` is an empty ending.
_DECLENSIONS = tuple(
    (re.compile(nominative + "$"), tuple(endings.split()))
    for nominative, endings in (
        ("(?<=[гкх])", "а у а ом е и ов ам ами ах"),
        ("(?<=[жчшщ])", "а у а ом/ем е и ей ам ами ах"),
        ("(?<=ц)", "а у а ом/ем е ы ов/ев ам ами ах"),
        (r"(?<=[^\W\d_аеёиоуыэюяьй])", "а у а ом е ы ов ам ами ах"),
        ("(?<=...)ь", "я ю я ем е и ей ям ями ях"),
        ("(?<=...)й", "я ю я ем е/и и ев ям ями ях"),
        ("(?<=.[гкх])а", "и е у ой/ою е и -"),
        ("(?<=.[жчшщц])а", "и/ы е у ой/ою/ей/ею е и/ы -"),
        ("(?<=..)а", "ы е у ой/ою е ы -"),
        ("(?<=..[аеиоуыюя])я", "и и/е ю ей/ею и/е и й"),
        ("(?<=...)я", "и е ю ей/ею е и ь"),
    )
)
# Names with these endings have a declension only if the analyser knows no word like them: neither
# тень nor зверей.
_SOFT = "ьйя"


@cache
def _analyzer() -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer()


@cache
def _parses(word: str) -> tuple[Any, ...]:
    return tuple(_analyzer().parse(word))


def _is_verb(word: str, *aspects: str) -> bool:
    """Whether a word is a known infinitive, of one of some aspects."""
    return any(
        parse.is_known and parse.tag.POS == "INFN" and parse.tag.aspect in (aspects or _ASPECTS)
        for parse in _parses(word)
    )


@cache
def lemmas(word: str) -> frozenset[str]:
    """The lemmas of a word, and the verbs that they come from where these are known.

    Nouns of action (срабатывание) come from their verb, imperfective verbs from the perfective one.
    """
    known = {parse.normal_form for parse in _parses(word) if parse.is_known}
    known |= {verb for lemma in known for verb in _bases(lemma)}
    return frozenset(known | {verb for lemma in known for verb in _perfective(lemma)})


@cache
def _bases(lemma: str) -> tuple[str, ...]:
    verbs = (
        lemma[: -len(ending)] + verbal
        for ending, verbal in _DERIVED
        if lemma.endswith(ending) and len(lemma) > len(ending) + 2
    )
    return tuple(filter(_is_verb, verbs))


@cache
def _perfective(verb: str) -> tuple[str, ...]:
    if not _is_verb(verb, "impf"):
        return ()
    others = replaced_ending(verb, _IMPERFECTIVE)
    return tuple(other for other in others if _is_verb(other, "perf"))


def _imperfective(verb: str) -> list[str]:
    if not _is_verb(verb, "perf"):
        return []
    return [other for other in replaced_ending(verb, _PERFECTIVE) if _is_verb(other, "impf")]


def _relatives(verb: str) -> list[str]:
    """The reflexive verb and the noun of action that go with a verb, where they are known."""
    if not verb.endswith("ть") or not _is_verb(verb):
        return []
    ending = _NOUN_ENDINGS.get(verb[-3:-2])
    candidates = [verb + "ся", *([verb[:-3] + ending] if ending else [])]
    return [
        word
        for word in candidates
        if any(parse.is_known and parse.normal_form == word for parse in _parses(word))
    ]


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """Every form of some lemmas, those of related verbs and nouns of action included."""
    return {
        lemma: frozenset(
            form.word
            for verb in (lemma, *_imperfective(lemma))
            for word in (verb, *_relatives(verb))
            for parse in _parses(word)
            if parse.normal_form == word
            for form in parse.lexeme
        )
        | {lemma}
        for lemma in wanted
    }


def name_forms(name: str) -> frozenset[str]:
    """The forms of a name; each part of a hyphenated one is declined by itself.

    A part before the last may stay as it is (Аль-Хосейна).
    """
    parts = name.split("-")
    *before, last = map(_forms_by_case, parts)
    declined = {name}
    for case, forms in last.items():
        options = [{part, *of[case]} for part, of in zip(parts, before, strict=False)]
        declined |= {"-".join(chosen) for chosen in product(*options, forms)}
    if not before and name.endswith("ий") and len(name) > 4:
        # Possessive adjectives (гномий, волчий) next to the ordinary ones.
        declined |= {name[:-2] + ending for ending in _POSSESSIVE}
    return frozenset(declined)


@cache
def _forms_by_case(name: str) -> dict[str, set[str]]:
    """The lexemes of the analyses that take a name for a nominative, and its declension.

    The analyser takes many names for words of another gender, or of another case.
    """
    forms: dict[str, set[str]] = defaultdict(set)
    parses = _parses(name)[:6]
    nominatives = [parse for parse in parses if parse.normal_form == name or "nomn" in parse.tag]
    for parse in nominatives:
        for form in parse.lexeme:
            forms[f"{form.tag.number} {form.tag.case}"].add(form.word)
    # Гуль has the form of a known genitive.
    alike = nominatives if name.endswith("ь") else parses
    if name[-1:] in _SOFT and any(parse.is_known or "ADJF" in parse.tag for parse in alike):
        return forms
    for ending, others in _DECLENSIONS:
        if ending.search(name):
            for case, alternatives in zip(_CASES, others, strict=False):
                for other in alternatives.replace("-", "").split("/"):
                    forms[case].add(ending.sub(other, name))
            break
    return forms


LANGUAGE = Language(
    code="ru",
    first_titles=("Общее", "Правила"),
    note_words=frozenset("Примечание Примечания".split()),
    pointing_words=frozenset("этот эта это эти такой такая такое такие".split()),
    alphabet="абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    lemmas=lemmas,
    forms=forms,
    name_forms=name_forms,
    suffixes=longest_first(
        "а ам ами ах ая е ев его ее ей ем ему ею и ие ий им ими их ию ия о ов ого ое ой ом ому ою "
        "у ую ы ые ый ым ыми ых ь ью ью ю юю я ям ями ях ет ит ут ют ат ят ть ла ло ли ешь ишь "
        "ание ания анию ение ения ении"
    ),
    function_words=words(
        "а без бы был была были было быть в вам вас весь во вот все всё вы да для до его ее её "
        "если есть ещё же за и из или им их к ко либо можно может могу мне мой мы на над надо нам "
        "нас не него нее неё нет ни них но ну о об однако он она они оно от по под при про с сам "
        "свою своего своей свои себя со так также такой там те тем то того той только том тот ту "
        "ты у уже что чтобы эта эти это этого этой этом этот я нужно должен должна"
    ),
    question_words=words(
        "где как какая какие каким какой какую когда кого кому кто ли почему сколько чего чем"
    ),
    asking_words=words(
        "все всех каждого каждому каждый никто вопрос вопросы значение значит означает объясни "
        "объясните правил правила правило работает работать работают "
        "здравствуйте пожалуйста привет спасибо"
    ),
    or_words=("ИЛИ",),
    rule_words=words(
        "правило правила правилу правиле п пп пункт пункта пункту пункте статья статьи "
        "статье ст раздел"
    ),
    version_stem="верси",
    abbreviations=r"см|напр|т\.е|т\.к|др|п|пп",
    keyboard="ёйцукенгшщзхъфывапролджэячсмитьбю",
    latin_spellings={
        latin: tuple(letters.split("|"))
        for latin, letters in (
            pair.split("=")
            for pair in (
                "shch=щ sch=щ kh=х zh=ж ts=ц|тс tz=ц ch=ч sh=ш yu=ю ju=ю iu=ю|иу ya=я ja=я ia=ия|я "
                "yo=е jo=е ye=е je=е iy=ий yy=ый ij=ий yj=ый a=а b=б c=ц|к d=д e=е|э f=ф g=г h=х "
                "i=и|й j=й|ж k=к l=л|ль m=м n=н o=о p=п q=к r=р s=с t=т|ть u=у v=в w=в|ш x=х|кс "
                "y=ы|й z=з 4=ч 6=ш '=ь|ъ ’=ь|ъ `=ь"
            ).split()
        )
    },
)
