"""Languages: tokens, folding, one module a language, and the table of forms.

A language is a module here, which the registry finds by its name, and a catalogue of interface
words, `templates/locale/<code>.po`. Nothing else lists languages. Only builds load
`kb.language.forms`, which writes the table.
"""

from kb.language.lookup import FORMS_FILE, FormTable
from kb.language.registry import (
    LANGUAGES,
    is_language,
    language_hint,
    language_of,
    language_order,
    text_in,
    valid_language,
)
from kb.language.words import WORD, Token, fold, parts, tokenize, words_of

__all__ = [
    "FORMS_FILE",
    "LANGUAGES",
    "WORD",
    "FormTable",
    "Token",
    "fold",
    "is_language",
    "language_hint",
    "language_of",
    "language_order",
    "parts",
    "text_in",
    "tokenize",
    "valid_language",
    "words_of",
]
