"""One form for each text: composed letters, plain spaces, no invisible characters.

Letters from macOS and PDF files are decomposed. A control character can clear a terminal or reverse
a line. A zero-width space splits a word, which a search then misses. Records refuse both; what is
imported or typed loses them. A test compares the lists with the Unicode data.
"""

from __future__ import annotations

import re
import unicodedata

# Format characters (category Cf), without the visible ones, such as signs around Arabic numbers.
FORMAT = (
    "\xad\u061c\u180e\u200b-\u200f\u2060-\u206f\ufff9-\ufffb\U00013430-\U0001343f"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Blank characters of other categories: fillers, and variation selectors.
BLANK = "\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
# Control characters, spaces, and fillers as wide as a space.
SPACES = "\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000\u3164\uffa0"
DROPPED = f"{FORMAT}{BLANK}\u202a-\u202e\ufeff"
# After a letter of these scripts a joiner is a part of the word.
JOINED = "\u0600-\u18af"
JOINERS = "\u200c\u200d"
_SPACE = re.compile(f"[{SPACES}]+")
# Spaces that do not break or have another width, and the rarer separators of lines.
_ODD_SPACE = re.compile(
    "[\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
)
_DROPPED = re.compile(f"([{JOINED}][{JOINERS}])|[{DROPPED}]")
_CONTROL = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069"
    "\ufeff\ufffe\uffff\ud800-\udfff"
)
CONTROL = re.compile(f"[{_CONTROL}]")
_LATIN, _CYRILLIC = re.compile("[A-Za-zÀ-ÖØ-öø-ɏ]"), re.compile("[Ѐ-ԯ]")
_WORD_OF_LETTERS = re.compile(r"[^\W\d_]+")
# The signs that people type for an apostrophe, and those for a hyphen.
APOSTROPHES, DASHES = "'’‘ʼ`´", "‐‑–—−"
_ONE_SIGN = str.maketrans(
    dict.fromkeys(APOSTROPHES, "'") | dict.fromkeys("“”„«»", '"') | dict.fromkeys(DASHES, "-")
)
_PICTURES = "\u2190-\u2bff\U0001f000-\U0001faff"
_RIGHT_TO_LEFT = "\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_DIRECTIONS = "\u061c\u200e\u200f"
_TAGS = "\U000e0020-\U000e007f"
# A joiner behind a letter that it shapes, or between pictures; a direction mark at the edge of a
# word from right to left; a selector behind a sign or an ideograph; the tags of a flag.
_ALLOWED = (
    f"(?<=[{JOINED}])[{JOINERS}]|(?<=[{_PICTURES}\ufe0f])\u200d(?=[{_PICTURES}])"
    f"|(?<=[{_RIGHT_TO_LEFT}])[{_DIRECTIONS}](?!\\w)|(?<!\\w)[{_DIRECTIONS}](?=[{_RIGHT_TO_LEFT}])"
    f"|(?<=[0-9#*©®\u2030-\u205e\u2100-\u32ff{_PICTURES}])[\ufe0e\ufe0f]"
    "|(?<=[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff])[\U000e0100-\U000e01ef]"
    f"|(?<=[\U0001f3f4{_TAGS}])[{_TAGS}]"
)
# The character first, because hardly any text has one.
_HIDDEN = re.compile(f"[{_CONTROL}{FORMAT}{BLANK}](?<!{_ALLOWED})")


# The sign for a letter that could not be read, and letters of UTF-8 read as Windows-1250 or 1252.
_BROKEN = re.compile(
    "\ufffd|â€[\u2122\u0153\u201c\u201d\xa6\u02dc]|[ÃÂ][\xa0-\xbf]"
    "|[ÅĹ][\u201a\u203a\xba\xbc\u201e]|Ä[\u2026\u2021\u2122]|Ð[\xb0-\xbf]"
)


def find_hidden(text: str) -> re.Match[str] | None:
    """Find the first invisible character that is not allowed in its place."""
    return _HIDDEN.search(text)


def normalize(text: str) -> str:
    """Return a text with composed letters (NFC), plain spaces, and nothing that records refuse.

    Tabs and line ends stay. Idempotent.
    """
    new = _ODD_SPACE.sub(" ", unicodedata.normalize("NFC", text))
    # Repeated, because a removed character may have been the neighbour that allowed another.
    while _HIDDEN.search(new):
        new = unicodedata.normalize("NFC", _HIDDEN.sub("", new))
    return new


def mixed_scripts(name: str) -> str:
    """Return why a name is misspelt: Latin and Cyrillic letters in one word; empty if it is not."""
    for word in _WORD_OF_LETTERS.findall(name):
        latin, cyrillic = ("".join(set(script.findall(word))) for script in (_LATIN, _CYRILLIC))
        if latin and cyrillic:
            few, script = min(
                (latin, "Latin"), (cyrillic, "Cyrillic"), key=lambda pair: len(pair[0])
            )
            letters = ", ".join(sorted(few))
            return f"{word!r} mixes alphabets ({script}: {letters}); type the word in one"
    return ""


def lookalike_key(name: str) -> str:
    """Return a name without case, kinds of apostrophes, quotes and dashes, and doubled spaces.

    Two names with one key are two spellings of one name.
    """
    plain = unicodedata.normalize("NFKC", name).translate(_ONE_SIGN)
    return " ".join(plain.casefold().split())


def hidden_message(char: str) -> str:
    """Name a hidden character."""
    if CONTROL.match(char):
        return f"control character U+{ord(char):04X}"
    return f"invisible character U+{ord(char):04X} ({unicodedata.name(char, 'no name')})"


def broken_letter(text: str) -> str:
    """Return what is wrong with a text that has lost a letter in another encoding; else empty."""
    broken = None if text.isascii() else _BROKEN.search(text)
    return f"{broken[0]!r} stands where a letter was lost; write the letter" if broken else ""


def clean_typed(text: str) -> str:
    """Return a typed text composed, without invisible characters, with single spaces."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    spaced = _SPACE.sub(" ", _DROPPED.sub(r"\1", _SPACE.sub(" ", text))).strip()
    return unicodedata.normalize("NFC", spaced)
