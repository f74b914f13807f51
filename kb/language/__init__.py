"""Languages: tokens, folding, one module a language, and the table of their forms.

A language is a module here, which the registry finds by its name, and a catalogue of interface
words, `templates/locale/<code>.po`. Nothing else lists languages.
"""

from kb.language.fold import fold
from kb.language.forms import FormSession, build_form_table, same_forms
from kb.language.lookup import Analysis, FormTable, LanguageForms, Near
from kb.language.registry import LANGUAGES, language_of
from kb.language.tokens import WORD, Token, parts, placed, tokenize, words_of

__all__ = [
    "LANGUAGES",
    "WORD",
    "Analysis",
    "FormSession",
    "FormTable",
    "LanguageForms",
    "Near",
    "Token",
    "build_form_table",
    "fold",
    "language_of",
    "parts",
    "placed",
    "same_forms",
    "tokenize",
    "words_of",
]
