"""The words of languages -> their rows in the table of forms, on all cores where much is new."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from kb.core.parallel import parallel_map
from kb.language.inflection import LanguageRows, Row, Vocabulary
from kb.language.making import make_dictionary, missing_dictionaries


@dataclass(frozen=True)
class ListedRows:
    """The rows of a language, and what `LanguageRows.restored` needs, as a process sends them."""

    lang: str
    key: str
    listed: list[Row]
    saved: bytes

    def __len__(self) -> int:
        return len(self.listed)

    def rows(self) -> list[Row]:
        """Every row, by form."""
        return self.listed


AnyRows = LanguageRows | ListedRows


def analyse(
    vocabularies: Mapping[str, Vocabulary],
    keys: Mapping[str, str],
    *,
    listed: bool,
    take: Callable[[AnyRows], None] | None = None,
) -> dict[str, AnyRows]:
    """The rows of some languages, made from nothing, for the key of each.

    `listed`: only list them, which is less to send from process to process than what they can be
    updated with. `take` is given the rows of each language at once; what it raises ends the rest.
    """
    # Those with the most words take the longest: they start first.
    order = sorted(
        vocabularies,
        key=lambda lang: -len(vocabularies[lang].words) - len(vocabularies[lang].names),
    )

    def analysed(lang: str) -> AnyRows:
        rows = LanguageRows(lang)
        rows.update(vocabularies[lang], keys[lang])
        if listed:
            return ListedRows(lang, rows.key, list(rows.rows()), rows.saved())
        return rows

    # While dictionaries are made, languages that need none of them are analysed.
    work: list[Callable[[], AnyRows | None]] = [
        *(partial(make_dictionary, code, order) for code in missing_dictionaries(order)),
        *(partial(analysed, lang) for lang in order),
    ]
    found: dict[str, AnyRows] = {}
    for one in parallel_map(lambda each: each(), work):
        if one:
            found[one.lang] = one
            if take:
                take(one)
    return found
