"""Which text do the bytes of a file encode? Byte order marks, encodings, line ends.

Files of a base are UTF-8. Files that somebody passes to a command may also be what programs on
Windows save.
"""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kb.core.characters import normalize
from kb.core.problems import KbError, Problem, posix_path, print_message

_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")
# The first bytes of .xlsx, .docx and .ods, of .xls and .doc, and of .pdf.
_OFFICE_MARKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"%PDF-")
_NAMES = {
    "cp1250": "Windows-1250",
    "iso8859-2": "ISO 8859-2",
    "cp1251": "Windows-1251",
    "cp1252": "Windows-1252",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16LE",
    "utf-16-be": "UTF-16BE",
}
# Letters beyond ASCII by encoding. A text fits an encoding if one entry has all of its letters:
# those of one or several languages, and of foreign names.
_POLISH, _SLOVAK_OR_CZECH = "ąćęłńóśźżáäéíöüß", "áäčďéěíĺľňóôŕřšťúůýžöüß"
_LETTERS = {
    "cp1250": (_POLISH, _SLOVAK_OR_CZECH),
    "iso8859-2": (_POLISH, _SLOVAK_OR_CZECH),
    "cp1251": ("абвгдеёжзийклмнопрстуфхцчшщъыьэюя№",),
    "cp1252": (
        "àâæçéèêëîïôœùûüÿ",
        "äåæéöøüß",
        "áéíñóúü",
        "àèéìíòóùú",
        "áâãàçéêíóõôú",
        # Names of cards in English.
        "âäæéíñöúûü",
    ),
}
_WIDE = ("utf-16-le", "utf-16-be")
_ANY_LETTER = frozenset("".join(letters for entries in _LETTERS.values() for letters in entries))
_SIGNS = frozenset("\xa0€„…‘’“”•–—§«»°×")
# Signs of a wrong encoding: Latin next to Cyrillic letters, capitals after small letters, quotation
# marks on the wrong side of a word.
_UNLIKELY = re.compile(r"[A-Za-z][Ѐ-ӿ№]|[Ѐ-ӿ№][A-Za-z]|[а-яё][А-ЯЁ]|\w[«„]|»\w")
# A sign of a text in Latin letters: a word with letters of ASCII and others.
_LATIN_WORD = re.compile("[A-Za-z][À-ž]|[À-ž][A-Za-z]")


@dataclass(frozen=True)
class FileText:
    """The text of a base's file with its line ends, and the byte order mark if it has one."""

    text: str = ""
    mark: bytes = b""

    @property
    def version(self) -> str:
        """A hash of the text, which tells whether the file has changed."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def data(self, text: str) -> bytes:
        """Return the bytes of the file with another text."""
        return self.mark + text.encode()


def unix_lines(text: str) -> str:
    """Return a text with LF line ends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode_utf8(data: bytes, path: str) -> tuple[FileText, list[Problem]]:
    """Decode a file of a base; the text is empty when the file is not UTF-8."""
    if data.startswith(_OFFICE_MARKS):
        message = (
            "not text, but a file of Excel, Word or a similar program, whatever its name ends in;"
            " save it there as UTF-8 text (a table: with tabs)"
        )
        return FileText(), [Problem(path, 1, message)]
    mark = _MARK if data.startswith(_MARK) else b""
    try:
        file = FileText(data.removeprefix(mark).decode(), mark)
    except UnicodeDecodeError as error:
        return FileText(), [_undecodable(data, path, len(mark) + error.start)]
    # UTF-16 without a mark may be UTF-8 with control characters, too.
    place = data.find(b"\x00")
    if place < 0 or not any(_likely_encodings(data)):
        return file, []
    return FileText(), [_undecodable(data, path, place)]


def read_own(path: Path) -> FileText:
    """Return the text of a base's file that is to be changed; a missing file is empty.

    Raises KbError unless it is UTF-8, so that nothing is written over it; and OSError.
    """
    data = path.read_bytes() if path.is_file() else b""
    file, problems = decode_utf8(data, posix_path(path))
    if problems:
        raise KbError(str(problems[0]))
    return file


def given_text(data: bytes, path: str) -> str:
    """Return the normalized text, with LF line ends, of a file that a command was given.

    Raises KbError as `decode_given`.
    """
    return normalize(unix_lines(decode_given(data, path)))


def decode_given(data: bytes, path: str) -> str:
    """Decode a file that a command was given and that is in no base.

    UTF-16 is read, too, and an old encoding if the letters leave no doubt; a message says so.
    Raises KbError with the line for other files.
    """
    file, problems = decode_utf8(data, path)
    text = file.text
    if "\x00" in text:
        problems = [_undecodable(data, path, data.find(b"\x00"))]
    if problems:
        encodings = [*_likely_encodings(data)]
        if len({decoded for _, decoded in encodings}) != 1:
            raise KbError(str(problems[0]))
        encoding, text = encodings[0]
        if encoding != "utf-16":
            print_message(f"{path}: read as {_NAMES[encoding]}; save it as UTF-8 to be sure")
    return text


def _undecodable(data: bytes, path: str, place: int) -> Problem:
    """Return the problem of a file whose byte at a place is not UTF-8."""
    line = unix_lines(data[:place].decode("latin-1")).count("\n") + 1
    encodings = [encoding for encoding, _ in _likely_encodings(data)]
    kind = "binary data" if b"\x00" in data[:4096] and not encodings else "not UTF-8"
    message = f"{kind} (byte 0x{data[place]:02x})"
    advice = "save the file as UTF-8 text"
    if encodings:
        message += f", probably {' or '.join(_NAMES[encoding] for encoding in encodings)}"
        advice += f", or run: iconv -f {encodings[0]} -t utf-8 {shlex.quote(path)} > new"
    return Problem(path, line, f"{message}; {advice}")


def _likely_encodings(data: bytes) -> Iterator[tuple[str, str]]:
    """Yield the encodings in which the bytes are words of a known language, with the text."""
    if data.startswith(_OFFICE_MARKS):
        return
    if data.startswith(_WIDE_MARKS):
        candidates: tuple[str, ...] = ("utf-16",)
    else:
        candidates = _WIDE if b"\x00" in data else tuple(_LETTERS)
    for encoding in candidates:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding == "utf-16" or _is_likely(text, encoding):
            yield encoding, text


def _is_likely(text: str, encoding: str) -> bool:
    foreign = {char for char in text.lower() if not char.isascii()} - _SIGNS
    if not all(char.isprintable() or char in "\t\r\n\xa0" for char in text):
        return False
    if encoding in _WIDE:
        return foreign <= _ANY_LETTER
    is_known = any(foreign <= {*letters} for letters in _LETTERS[encoding])
    has_words = foreign if encoding == "cp1251" else not foreign or _LATIN_WORD.search(text)
    return is_known and bool(has_words) and not _UNLIKELY.search(text)
