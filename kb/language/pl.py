"""Polish: morfeusz2 with all its analyses and its generator (40 of 40 groups of the sources' vocabulary)."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from kb.language.common import longest_first, strip

STOP = frozenset(
    "a aby albo ale ani aż bądź bez bo by być był była było były być co czy czyli dla do dlaczego gdy gdzie go i ich ile ilu im "
    "innymi iż ja jak jaka jaki jakie jakiej jakim jaką jako je jego jej jest jestem jeśli jeżeli jednak już kiedy kim kogo komu "
    "kto która które którego której których którym którą który lecz lub ma mam mają mi mnie mogą mogę moja mojej mój może można "
    "musi muszę my na nad nam nas nawet ni nią nich nie nim niż no o od on ona one oni ono oraz po pod podczas ponieważ poza "
    "przed przez przy są się skoro sobie swoich swojej swój ta tak taki takie także tam te tego tej ten to tu tych tylko tym "
    "u w wtedy we wolno więc wszystko z za ze żeby że czemu jeden jedna jedno".split()
)
SUFFIXES = longest_first(
    "a ach ami e ego emu ej em i ich im imi mi o om owi ow u y ych ym ymi ie iem iego iemu owie owac owal owala "
    "owany owana owane "
    "owanie owania owaniu owaniem uje uja ujac nac nal niety nieta niete nietej nietego nietych nieciu niecie niecia nie nia niu "
    "ac al am asz aj aja any ana ane anie ania aniem aniu any anych anej ne ny na nych nym acja acji acje acja alny"
)
_ENDINGS = (
    "",
    "a",
    "owi",
    "em",
    "iem",
    "u",
    "ie",
    "ze",
    "owie",
    "ów",
    "om",
    "ami",
    "ach",
    "y",
    "i",
)


@cache
def _analyser() -> Any:
    import morfeusz2

    return morfeusz2.Morfeusz()


@cache
def lemmas(word: str) -> frozenset[str]:
    """See `Language.lemmas`."""
    found = set()
    for start, end, (_, lemma, tag, _, _) in _analyser().analyse(word):
        if (start, end) == (0, 1) and not tag.startswith(("ign", "interp", "dig")):
            found.add(lemma.partition(":")[0].lower())
    return (
        frozenset(found)
        if len({end for _, end, _ in _analyser().analyse(word)}) == 1
        else frozenset()
    )


def forms(wanted: Collection[str]) -> dict[str, frozenset[str]]:
    """See `Language.forms`. Participles and gerunds are forms of their verb; negated ones (nie-) are left out."""
    found = {}
    for lemma in wanted:
        made = {lemma}
        for one in (lemma, lemma.capitalize()):
            made |= {row[0].lower() for row in _analyser().generate(one)}
        negated = {form for form in made if form.startswith("nie") and not lemma.startswith("nie")}
        found[lemma] = frozenset(form for form in made - negated if " " not in form)
    return found


def name_forms(name: str) -> frozenset[str]:
    """See `Language.name_forms`: masculine and feminine patterns, with the apostrophe after a silent letter left to folding."""
    found = {name}
    stem = name[:-1]
    if len(name) < 3 or not name[-1].isalpha():
        return frozenset(found)
    if name.endswith("a"):
        found |= {
            stem + one
            for one in ("y", "i", "ie", "ę", "ą", "o", "om", "ami", "ach", "", "ii", "ze", "e")
        }
        soft = {
            "k": "ce",
            "g": "dze",
            "r": "rze",
            "t": "cie",
            "d": "dzie",
            "ł": "le",
            "n": "nie",
            "m": "mie",
        }
        found.add(stem[:-1] + soft.get(stem[-1], stem[-1] + "ie"))
    elif name.endswith("o"):
        found |= {
            stem + one for one in ("a", "owi", "em", "ie", "u", "owie", "ów", "om", "ami", "ach")
        }
    elif name[-1] in "iy":
        found |= {name + one for one in ("ego", "emu", "m", "ch", "mi")}
        found |= {stem + one for one in ("iego", "iemu", "im", "ich", "imi", "ego", "emu", "ym")}
    elif name[-1] == "u":
        pass
    else:
        found |= {name + one for one in _ENDINGS}
        soft = {"t": "cie", "d": "dzie", "r": "rze", "ł": "le", "l": "lu", "k": "ku"}
        found.add(name[:-1] + soft.get(name[-1], name[-1]))
        if name.endswith("x"):
            found |= {name[:-1] + "ks" + one for one in _ENDINGS}
    return frozenset(found)


def stem(folded: str) -> str:
    """See `Language.stem`."""
    return strip(folded, SUFFIXES)
