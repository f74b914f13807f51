"""Does a text say what its page will show, and in strict games, is it good content?

Games are strict with `checks: strict`, or with `kb check --strict`. Each check is a generator of
Problem.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from kb.core.characters import broken_letter
from kb.core.problems import Problem
from kb.language import LANGUAGES, words_of
from kb.language.registry import other_language
from kb.records.checks.references import Rulings
from kb.records.model import Game, Ruling, Term
from kb.records.text import MARK, Text, plain_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}")
TODO = "TODO"
_TODO_LINE = re.compile(rf"^{TODO}\b", re.MULTILINE)
# Only texts with one of these are parsed: few have any.
_SUSPECT = re.compile(
    r"\]\(|[^\]]\]:|\d\*[\w[]|[\w\]]\*\d"
    r"|^ {0,3}(?:--|==|[+-][ \t]+\d|\d+[.)][ \t])|^[ >]*(?: {4}|\t)",
    re.MULTILINE,
)
# Not <Name> or <A>, which are placeholders on cards and in rules.
HTML = re.compile(
    r"(?<!\\)(?:<!--|</?(?:a(?=\s)|[bipu]|(?i:br|center|div|em|font|h\d|hr|img|li|ol|small|span"
    r"|strong|sub|sup|table|t[dhr]|ul))(?:\s[^<>]*=[^<>]*)?\s*/?>)"
)
_CODE = re.compile(r"^```.*?^```|(`+)[^`]+\1", re.MULTILINE | re.DOTALL)
_NOTE_HEAD = re.compile(r"^> \[!\w+\]", re.MULTILINE)
_FACTORS = re.compile(r"\d\w|\w\d")
_SCHEME = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_PICTURE = (
    "a picture; texts have no pictures: draw it in diagrams.yaml, or link to its address"
    " (https://...)"
)
_NO_HTML = "{} is HTML, which the page shows as plain text; write it as Markdown"
_REMARK = "a remark in <!-- --> is published; write it in the header, in a line that begins with #"
_RELATIVE = (
    "a link to {!r}, which leads nowhere on the site; write a whole address (https://...), or name"
    " another ruling in the header, under related"
)
_UNDERLINED = (
    "a line of {} makes the line above it a heading; write a blank line above it for a rule, or"
    " `## ` for a heading"
)
_INDENTED = (
    "four or more spaces or a tab make this line code, so card marks are not links; remove the"
    " indentation (in a list, align it with the item's text)"
)
_DEFINITION = (
    "the page leaves out this line, which defines a link; write the link where it belongs, as"
    " [words](https://...), or the words of a footnote in brackets"
)
_MULTIPLIED = "a * beside a digit begins emphasis and is lost; write \\* or ×"
_ORDINAL = (
    "{0}{1} at the beginning of a line begins a list of one entry; write {0}\\{1}, or let the line"
    " begin with another word"
)
_MISCOUNTED = "the page numbers this entry {2}, not {0}; count on, or write {0}\\{1}"
_SIGN = "a {0} before a number begins a list of one entry and is lost; write \\{0}"


def check_markdown(ruling: Ruling) -> Iterator[Problem]:
    """Yield what the page would show in another form than meant, or not at all."""
    for text in ruling.texts:
        if _SUSPECT.search(text.body):
            for line, message in sorted(set(_mistakes(text))):
                yield Problem(ruling.path, text.body_line + line, message)
        body = _CODE.sub(lambda code: "x" * len(code[0]), _without_marks(text.body))
        for match in HTML.finditer(body):
            message = _REMARK if match[0] == "<!--" else _NO_HTML.format(match[0][:40])
            yield Problem(ruling.path, text.line_at(match.start()), message)


def _without_marks(body: str) -> str:
    """A text with other letters in place of its card marks."""
    return MARK.sub(lambda mark: "x" * len(mark[0]), body)


def _mistakes(text: Text) -> Iterator[tuple[int, str]]:
    # As on the page: a note without its first line; a card mark before a bracket is not a link.
    body = _without_marks(_NOTE_HEAD.sub(">", text.body))
    found: dict[str, Any] = {}
    tokens, rows = _parser().parse(body, found), body.split("\n")
    for definition in (*found.get("references", {}).values(), *found.get("duplicate_refs", ())):
        yield definition["map"][0], _DEFINITION
    for index, token in enumerate(tokens):
        first, last = token.map or (0, 1)
        if token.type == "heading_open" and token.markup in ("-", "="):
            yield last - 1, _UNDERLINED.format(token.markup * 3)
        elif token.type == "code_block":
            yield first, _INDENTED
        elif token.type == "ordered_list_open" and not token.level:
            yield from _miscounted(tokens[index + 1 :], bool(first and rows[first - 1].strip()))
        elif token.type == "bullet_list_open" and not token.level and token.markup in "+-":
            # The first entry, and the words that it begins with.
            entry, words = tokens[index + 1], tokens[index + 3].content
            if entry.map == token.map and _NUMBER.match(words):
                yield first, _SIGN.format(token.markup)
        yield from _inline_mistakes(token.children or (), first)


def _miscounted(tokens: Sequence[Token], goes_on: bool) -> Iterator[tuple[int, str]]:
    """Yield the entries of a list at the beginning of some tokens that lose their number.

    `goes_on`: a text stands directly above the list.
    """
    end = next(
        at
        for at, token in enumerate(tokens)
        if token.type == "ordered_list_close" and not token.level
    )
    entries = [
        token for token in tokens[:end] if token.type == "list_item_open" and token.level == 1
    ]
    first = int(entries[0].info)
    if len(entries) == 1 and (goes_on or first != 1):
        yield (entries[0].map or (0, 1))[0], _ORDINAL.format(entries[0].info, entries[0].markup)
    for shown, entry in enumerate(entries, first):
        if int(entry.info) not in (shown, first):
            yield (entry.map or (0, 1))[0], _MISCOUNTED.format(entry.info, entry.markup, shown)


def _inline_mistakes(tokens: Sequence[Token], line: int) -> Iterator[tuple[int, str]]:
    for index, token in enumerate(tokens):
        line += token.type in ("softbreak", "hardbreak")
        if token.type == "image":
            yield line, _PICTURE
        target = str(token.attrGet("href") or "") if token.type == "link_open" else ""
        if target and not _SCHEME.match(target) and not target.startswith("#"):
            yield line, _RELATIVE.format(target[:80])
        if index and token.type == "em_open":
            around = tokens[index - 1].content[-1:] + tokens[index + 1].content[:1]
            if _FACTORS.fullmatch(around):
                yield line, _MULTIPLIED


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False, "maxNesting": 20})


_PARAGRAPH = re.compile(r"(?:.+\n?)+")
# Characters of a text in which its language is looked for.
_BEGINNING = 300


def check_language(ruling: Ruling, game: Game) -> Iterator[Problem]:
    """A written text is in the language of its section, not in another one of the game."""
    for text in ruling.texts:
        words = f"{text.title}\n{text.body[:_BEGINNING]}"
        if _TODO_LINE.search(words):
            continue
        if other := other_language(words, text.lang, game.header.languages):
            message = f"the text below `# {text.lang}` seems to be in {other}; name its language"
            yield Problem(ruling.path, text.line, message)
            continue
        for match in _PARAGRAPH.finditer(text.body):
            if other := other_language(match[0], text.lang, game.header.languages):
                message = f"a paragraph in {other}; is the heading `# {other}: ...` above it lost?"
                yield Problem(ruling.path, text.line_at(match.start()), message)
                break


def check_letters(ruling: Ruling) -> Iterator[Problem]:
    """No letter was lost when the text was converted."""
    for text in ruling.texts:
        for line, row in enumerate((text.title, *text.body.split("\n")), -1):
            if fault := broken_letter(row):
                yield Problem(ruling.path, text.body_line + line if line >= 0 else text.line, fault)


def check_no_email(ruling: Ruling) -> Iterator[Problem]:
    """No personal data: an e-mail address does not belong in a published ruling."""
    for text in ruling.texts:
        # The pattern is slow, and hardly any text has an `@`.
        for match in _EMAIL.finditer(text.body) if "@" in text.body else ():
            message = "an e-mail address; personal data is not published"
            yield Problem(ruling.path, text.line_at(match.start()), message)


def check_no_todo(ruling: Ruling) -> Iterator[Problem]:
    """Every placeholder of `kb new` has been replaced."""
    for text in ruling.texts:
        if text.title.startswith(TODO):
            yield Problem(ruling.path, text.line, f"the title is still {TODO}")
        for match in _TODO_LINE.finditer(text.body):
            line = text.line_at(match.start())
            yield Problem(ruling.path, line, f"still {TODO}: write the text")


MAX_ANSWER_WORDS = 60
_ASKS = re.compile(r"\?[”’»“\")\s]*$")
_FIRST_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+")
_LETTERS = re.compile(r"(?<!\w)[A-Z]{1,2}(?!\w)")
_IN_BRACKETS = re.compile(r"\(([A-Z]{1,2})\)")

# The words that English texts of a game must not use, with their terms.
WrongWords = Sequence[tuple[re.Pattern[str], Term]]


def check_content(games: Mapping[str, Game], rulings: Rulings) -> Iterator[Problem]:
    """Yield every problem of content; `rulings` by `game/id`."""
    for game in games.values():
        yield from check_terms_explained(game)
        yield from check_editions(game)
        versions = {card.version for card in game.cards}
        wrong_words = [
            (_whole_word(word), term) for term in game.terms for word in term.wrong_english
        ]
        for ruling in rulings.values():
            if ruling.game == game.id:
                yield from check_answers(ruling)
                yield from check_verdict_given(ruling)
                yield from check_unmarked_notes(ruling)
                yield from check_texts_agree(ruling, versions)
                yield from check_notes_agree(ruling)
                yield from check_english_terms(ruling, wrong_words)


def check_terms_explained(game: Game) -> Iterator[Problem]:
    """A term has a meaning in each language of its names."""
    for term in game.terms:
        missing = [lang for lang in term.names if not term.meaning.get(lang)]
        if missing:
            yield term.problem(f"no meaning in {', '.join(missing)}", "meaning")


def check_editions(game: Game) -> Iterator[Problem]:
    """A source names its edition, or the edition of its rules."""
    for source in game.sources:
        if not source.edition:
            yield source.problem("no edition; write what you know, as in `before 2014`")


def check_answers(ruling: Ruling) -> Iterator[Problem]:
    """The first paragraph is short and can be read out by itself."""
    for text in ruling.texts:
        answer = plain_text(text.answer)
        count = len(words_of(answer))
        if count > MAX_ANSWER_WORDS:
            message = f"the first paragraph has {count} words; {MAX_ANSWER_WORDS} can be read out"
            yield Problem(ruling.path, text.body_line, message)
        first = _FIRST_WORD.search(answer)
        language = LANGUAGES.get(text.lang)
        if first and language and first[0].lower() in language.pointing_words:
            message = f"the first paragraph begins with {first[0]!r}; name what it is about"
            yield Problem(ruling.path, text.body_line, message)


def check_verdict_given(ruling: Ruling) -> Iterator[Problem]:
    """A title that asks has its answer in the header, and a condition in every language.

    A record of the kind question may say that the document is silent.
    """
    head = ruling.header
    asking = next((text for text in ruling.texts if _ASKS.search(text.title)), None)
    if asking and not head.verdict and head.kind != "question":
        message = "the title asks, but the header has no `verdict:` (yes, no, if or a number)"
        yield Problem(ruling.path, asking.line, message)
    for text in ruling.texts if head.when else ():
        if text.lang not in head.when:
            yield ruling.problem(f"when: no condition in {text.lang}", "when")


def check_unmarked_notes(ruling: Ruling) -> Iterator[Problem]:
    """An official text has no paragraph `Note: ...`, which would look like the authority's."""
    if ruling.header.authority != "official":
        return
    for text in ruling.texts:
        language = LANGUAGES.get(text.lang)
        for match in _note_pattern(language.note_words).finditer(text.body) if language else ():
            line = text.line_at(match.start(1))
            message = f"{match[1]!r}: whose? write a block `> [!editors]` or `> [!translator]`"
            yield Problem(ruling.path, line, message)


@cache
def _note_pattern(words: frozenset[str]) -> re.Pattern[str]:
    """Match the beginning of a note in prose, such as `Translator's note:`."""
    either = "|".join(sorted(words)) or "(?!)"
    return re.compile(rf"^[(*_\s]*((?:[\w’']+ )?(?:{either})(?: [\w’']+)?)[*_]*:", re.MULTILINE)


Facts = dict[str, tuple[set[str], set[str]]]


def _facts(text: Text, versions: Collection[str]) -> Facts:
    """Return the facts of a text by noun, and what may state them in a translation.

    Versions of cards are letters in brackets; other letters may be words, as A in English and
    Polish.
    """
    words = f"{text.title}\n{plain_text(text.body)}"
    numbers = set(_NUMBER.findall(words))
    letters = set(_LETTERS.findall(words))
    labels = {mark.label for mark in text.marks if mark.is_card}
    return {
        "number": (numbers, numbers),
        "version": (set(_IN_BRACKETS.findall(words)).intersection(versions), letters),
        "card mark": (labels, labels),
    }


def check_texts_agree(ruling: Ruling, versions: Collection[str]) -> Iterator[Problem]:
    """A translation has the numbers, versions and card marks of its original, and no others.

    `versions`: all versions of the game's cards.
    """
    original, *translations = [(text, _facts(text, versions)) for text in ruling.texts]
    pairs = [pair for other in translations for pair in ((other, original), (original, other))]
    for (text, own), (other, others) in pairs:
        for noun, (stated, _) in others.items():
            if missing := stated - own[noun][1]:
                nouns = f"{noun}s" if len(missing) > 1 else noun
                names = ", ".join(sorted(missing))
                message = f"the text in {text.lang} lacks the {nouns} {names} of the one in"
                yield Problem(ruling.path, text.line, f"{message} {other.lang}")


def check_notes_agree(ruling: Ruling) -> Iterator[Problem]:
    """A translation has notes by the same authors as its original, in the same order."""
    original, *translations = ruling.texts
    wanted = [note.by for note in original.notes]
    for text in translations:
        authors = [note.by for note in text.notes]
        if authors != wanted:
            message = (
                f"notes in {text.lang}: {', '.join(authors) or 'none'};"
                f" in {original.lang}: {', '.join(wanted) or 'none'}"
            )
            yield Problem(ruling.path, text.line, message)


def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?:e?s)?(?!\w)", re.IGNORECASE)


def check_english_terms(ruling: Ruling, wrong_words: WrongWords) -> Iterator[Problem]:
    """An English text has no word that terms.yaml lists under `not`."""
    text = ruling.text("en")
    rows = [text.title, *plain_text(text.body).split("\n")] if text else []
    for number, row in enumerate(rows):
        for pattern, term in wrong_words:
            if text and (match := pattern.search(row)):
                line = text.body_line + number - 1 if number else text.line
                right = term.title("en")
                message = f"{match[0]!r} is called {right!r} in English (terms.yaml, {term.id})"
                yield Problem(ruling.path, line, message)
