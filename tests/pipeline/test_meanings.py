"""What words mean is hashed again only where it may have changed, in another process too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from kb.language import FormTable
from kb.language.forms import FormSession, build_form_table
from kb.pipeline.meanings import WordMeanings, Words

POOL = (
    "pilot pilots Pilot's piloted unit Units R2-D2 r2 droid droids's Vader vader’s stack stacking"
    " zorkmid zorkmids café cafe roll rolled re-roll Re-rolls dice die dies"
).split()


@pytest.mark.parametrize("seed", range(4))
def test_hashes_that_are_resumed_are_those_of_a_new_process(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    words: list[Words] = [{"en": " ".join(chance.sample(POOL, 4))} for _ in range(12)]
    tables = [tmp_path / "old.sqlite", tmp_path / "new.sqlite"]
    sessions = [FormSession(), FormSession()]
    texts = [words[:10], words[2:]]
    for number, (table, session) in enumerate(zip(tables, sessions, strict=True)):
        vocabulary = {word for each in texts[number] for word in each["en"].lower().split(" ")}
        before = tables[0] if number else None
        build_form_table(table, {"en": vocabulary}, {"en": ["Vader"]}, [], before, session)

    def hashed(meanings: WordMeanings, several: list[Words]) -> list[str]:
        return [
            meanings.of_key(line["en"], line["en"], lambda line=line: (line,))  # type: ignore[misc]
            for line in several
        ]

    with FormTable.open(tables[0], sessions[0]) as table:
        first = WordMeanings()
        first.use(table)
        hashed(first, texts[0])
        saved = first.saved()
    with FormTable.open(tables[1], sessions[1]) as table:
        resumed, fresh = WordMeanings(), WordMeanings()
        resumed.use(table)
        resumed.resume(saved, table, lambda lang: [word.lower() for word in POOL])
        fresh.use(table)
        assert hashed(resumed, texts[1]) == hashed(fresh, texts[1])
        assert resumed.saved() == fresh.saved()


def test_hashes_that_are_taken_over_are_those_of_a_new_process(tmp_path: Path) -> None:
    vocabulary = {word.lower() for word in POOL}
    build_form_table(tmp_path / "forms.sqlite", {"en": vocabulary}, {"en": ["Vader"]}, [])
    some, every = {"en": " ".join(POOL[:10])}, {"en": " ".join(POOL)}
    with FormTable.open(tmp_path / "forms.sqlite") as table:
        first, second = WordMeanings(), WordMeanings()
        first.use(table)
        second.use(table)
        first.of(some)
        known = first.hashes()
        assert known["en"].keys() == set(some["en"].lower().split(" "))
        second.take_over(known)
        # Of words that were not kept, too, and of another language.
        assert second.of(every, {"pl": "karta"}) == first.of(every, {"pl": "karta"})
        known["en"]["pilot"] = "00" * 8
        second.take_over(known)
        assert second.of(some) != first.of(some)
