"""The words by which a plain document's parts are recognised, by language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DocumentVocabulary:
    """The words by which an importer recognises the parts of a plain document.

    Each field is a regular expression of alternatives, without a group around them; an empty one
    never matches.
    """

    question: str = ""
    question_letter: str = ""
    answer: str = ""
    answer_letter: str = ""
    example: str = ""
    for_example: str = ""
    note: str = ""
    by_translator: str = ""
    translator: str = ""
    errata_heading: str = ""
    # Words of the page around the document.
    page: str = ""
    of: str = ""
    copyright: str = ""


VOCABULARIES = {
    "cs": DocumentVocabulary(
        question="ot(?:ázka|azka)?|dotaz",
        answer="odp(?:ověď|oved)?",
        answer_letter="o",
        example="příklad(?:y)?|priklad",
        for_example="například",
        note=r"poznámka|pozn\.|poznamka",
        by_translator=r"(?:od\s+)?překladatel\w*",
        translator="překladatel",
        page=r"strana|stránka|str\.",
        of="z|ze",
        copyright="všechna práva",
        errata_heading="errat",
    ),
    "en": DocumentVocabulary(
        question="question",
        question_letter="q",
        answer="answer",
        answer_letter="a",
        example="examples?",
        for_example="for example|for instance",
        note=r"note|translator['’]?s note",
        by_translator=r"(?:by|from)\s+the\s+translator",
        translator="translator",
        page="page",
        of="of",
        copyright="copyright",
        errata_heading="errat",
    ),
    "pl": DocumentVocabulary(
        question="pyt(?:anie)?",
        answer="odp(?:owied[zź])?",
        answer_letter="o",
        example="przykład(?:y)?",
        for_example="na przykład",
        note=r"uwaga|dopisek|przyp(?:is|\.)?",
        by_translator=r"(?:od\s+)?tłumac\w*",
        translator="tłumacz",
        page=r"strona|str\.",
        of="z",
        copyright="wszelkie prawa",
        errata_heading="sprostowa",
    ),
    "ru": DocumentVocabulary(
        question="вопрос",
        question_letter="в",
        answer="ответ",
        answer_letter="о",
        example="пример(?:ы)?",
        for_example="например",
        note=r"примечание|прим\.",
        by_translator=r"от\s+переводчика|переводчика|перев\.?",
        translator=r"перевод|перев\.",
        page=r"страница|стр\.",
        of="из",
        copyright="все права|авторских прав",
        errata_heading="опечат|эррат",
    ),
    "sk": DocumentVocabulary(
        question="ot(?:ázka|azka)?",
        answer="odp(?:oveď|oved)?",
        answer_letter="o",
        example="príklad(?:y)?|priklad",
        for_example="napríklad",
        note=r"poznámka|pozn\.|poznamka",
        by_translator=r"(?:od\s+)?prekladateľ\w*",
        translator="prekladateľ|prekladatel",
        page="strana",
        of="z|zo",
        copyright="všetky práva",
    ),
}
