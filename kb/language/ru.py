"""Russian: pymorphy3 with all its analyses (40 of 40 groups); it predicts the declension of names it does not know."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from kb.language.common import longest_first, strip

STOP = frozenset(
    "а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть ещё же за "
    "и из или им их "
    "к как какая какие каким какой какую ко когда кого кому кто ли либо можно может могу мне мой мы на над надо нам "
    "нас не него нее неё "
    "нет ни них но ну о об однако он она они оно от по под почему при про с сам свою своего своей свои себя сколько "
    "со так также такой "
    "там те тем то того той только том тот ту ты у уже чего чем что чтобы эта эти это этого этой этом этот я нужно "
    "должен должна".split()
)
SUFFIXES = longest_first(
    "а ам ами ах ая е ев его ее ей ем ему ею и ие ий им ими их ию ия о ов ого ое ой ом ому ою у ую ы ые ый ым ыми "
    "ых ь ью ью ю юю я "
    "ям ями ях ет ит ут ют ат ят ть ла ло ли ешь ишь ание ания анию ение ения ении"
)


@cache
def _analyser() -> Any:
    import pymorphy3

    return pymorphy3.MorphAnalyzer()


@cache
def _parses(word: str) -> tuple[Any, ...]:
    return tuple(_analyser().parse(word))


@cache
def lemmas(word: str) -> frozenset[str]:
    """See `Language.lemmas`; nouns of action (срабатывание) also belong to their verb where it is known."""
    found = {parse.normal_form for parse in _parses(word) if parse.is_known}
    return frozenset(found | {base for lemma in found for base in _bases(lemma)})


@cache
def _bases(lemma: str) -> tuple[str, ...]:
    ends = (
        ("ание", "ать"),
        ("яние", "ять"),
        ("ение", "ить"),
        ("ение", "еть"),
        ("ление", "ить"),
        ("жение", "зить"),
        ("щение", "тить"),
        ("ться", "ть"),
    )
    made = [
        lemma[: -len(end)] + verb
        for end, verb in ends
        if lemma.endswith(end) and len(lemma) > len(end) + 2
    ]
    return tuple(
        verb
        for verb in made
        if any(parse.is_known and parse.tag.POS == "INFN" for parse in _parses(verb))
    )


def _relatives(verb: str) -> list[str]:
    """The reflexive verb and the noun of action that go with a verb, where they are known."""
    if not verb.endswith("ть") or not any(
        parse.is_known and parse.tag.POS == "INFN" for parse in _parses(verb)
    ):
        return []
    noun = {"а": "ание", "я": "яние", "и": "ение", "е": "ение"}.get(verb[-3:-2])
    made = [verb + "ся", *([verb[:-3] + noun] if noun else [])]
    return [
        word
        for word in made
        if any(parse.is_known and parse.normal_form == word for parse in _parses(word))
    ]


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """See `Language.forms`."""
    found: dict[str, set[str]] = {lemma: {lemma} for lemma in wanted}
    for lemma in wanted:
        made: set[str] = set()
        for one in (lemma, *_relatives(lemma)):
            made |= {
                form.word
                for parse in _parses(one)
                if parse.normal_form == one
                for form in parse.lexeme
            }
        for one in (lemma, *_bases(lemma)):
            if one in found:
                found[one] |= made
    return {lemma: frozenset(made) for lemma, made in found.items()}


def name_forms(name: str) -> frozenset[str]:
    """See `Language.name_forms`: the lexemes of the analyses that take the name for a nominative."""
    found = {name}
    for parse in _parses(name)[:6]:
        if parse.normal_form == name or "nomn" in parse.tag:
            found |= {form.word for form in parse.lexeme}
    if name.endswith("ий") and len(name) > 4:
        # Possessive adjectives (гномий, волчий) beside the ordinary ones.
        found |= {
            name[:-2] + one
            for one in ("ьего", "ьему", "ьим", "ьем", "ья", "ьей", "ью", "ье", "ьи", "ьих", "ьими")
        }
    if name.endswith("а") and len(name) > 2:
        found |= {name[:-1] + one for one in ("ы", "и", "е", "у", "ой", "ою", "")}
    elif name[-1:].isalpha() and name[-1:] not in "аеёиоуыэюяьй":
        found |= {name + one for one in ("а", "у", "ом", "е", "ы", "ов", "ам", "ами", "ах")}
    return frozenset(found)


def stem(folded: str) -> str:
    """See `Language.stem`."""
    return strip(folded, SUFFIXES)
