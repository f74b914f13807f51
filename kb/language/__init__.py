"""Words: tokens, folding, and the closed table of forms of Polish, Slovak, Russian and English. A leaf of the house."""

from kb.language.fold import fold
from kb.language.table import (
    LANGUAGES,
    Analysis,
    FormTable,
    Near,
    build_form_table,
    changed_forms,
    same_forms,
    touched_by,
)
from kb.language.tokens import WORD, Token, parts, placed, tokenize, words_of

__all__ = [
    "LANGUAGES",
    "STOP",
    "WORD",
    "Analysis",
    "FormTable",
    "Near",
    "Token",
    "build_form_table",
    "changed_forms",
    "fold",
    "parts",
    "placed",
    "same_forms",
    "tokenize",
    "touched_by",
    "words_of",
]

STOP = {lang: language.STOP for lang, language in LANGUAGES.items()}
