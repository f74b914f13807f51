"""Files as programs of several systems save them: read, or named with line, byte and encoding."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.core.decoding import FileText, decode_utf8, given_text
from kb.core.problems import KbError

POLISH = "2 Łowca Światów\n1 Śniący Mędrzec\n3 „Gżegżółka”\n"
RUSSIAN = "2 Абордаж\n3 Всё и ёлка №5\n1 Архивный Дракон\n"
SAVED = [
    (POLISH, "cp1250"),
    ("2 Ťažký kráľ\n1 Človek v žalári – šípy\n", "cp1250"),
    ("2 Příliš žluťoučký kůň\n1 Úpěl ďábelské ódy\n", "iso8859-2"),
    ("Żółć gęślą jaźń\n", "iso8859-2"),
    (RUSSIAN, "cp1251"),
    ("2 Être à la forêt\n1 Garçon\n", "cp1252"),
    ("Lim-Dûl’s Vault\nJötun Grunt\n", "cp1252"),
]


@pytest.mark.parametrize(("text", "encoding"), SAVED)
def test_what_windows_saves_is_read_when_given_and_named_in_a_base(
    text: str, encoding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for end in ("\n", "\r\n", "\r"):
        data = text.replace("\n", end).encode(encoding)
        assert given_text(data, "deck.txt") == text
        message = capsys.readouterr().err
        assert message.startswith("deck.txt: read as ") and "UTF-8" in message
    data = f"one\r\ntwo\rthree\n{text}".encode(encoding)
    file, (problem,) = decode_utf8(data, "a.md")
    assert file == FileText() and problem.path == "a.md"
    byte = next(byte for byte in data if byte > 127)
    assert problem.line == 4 and f"(byte 0x{byte:02x})" in problem.message
    assert encoding.removeprefix("cp").removeprefix("iso") in problem.message
    assert f"iconv -f {encoding} -t utf-8 a.md > new" in problem.message


@pytest.mark.parametrize("text", [POLISH, RUSSIAN, "1 Sol Ring\n"])
@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
    ],
)
def test_marks_and_line_ends_are_read(
    text: str, encoding: str, mark: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    for end in ("\n", "\r\n", "\r"):
        assert given_text(mark + text.replace("\n", end).encode(encoding), "deck.txt") == text
    is_doubtful = encoding != "utf-8" and not mark
    assert ("read as UTF-16" in capsys.readouterr().err) == is_doubtful


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff\xfe",
        "Абордаж".encode("koi8-r"),
        "Łowca Światów".encode() + b"\n\xb3",
        POLISH.encode("cp1250") + RUSSIAN.encode("cp1251"),
        # Ń in Poland, Ñ elsewhere.
        "señor".encode("cp1252"),
        b"\xff\xfea",
    ],
)
def test_what_is_in_doubt_is_refused(data: bytes) -> None:
    with pytest.raises(KbError, match=r"^deck\.txt:\d+: (not UTF-8|binary data).*byte 0x"):
        given_text(data, "deck.txt")


@given(st.one_of(st.binary(), st.text().map(lambda text: text.encode("cp1250", "ignore"))))
def test_any_bytes_are_read_as_they_are_or_refused(data: bytes) -> None:
    file, problems = decode_utf8(data, "x")
    assert problems or file.data(file.text) == data
    try:
        assert "\ufffd" not in given_text(data, "x") or "\ufffd".encode() in data
    except KbError:
        assert problems or b"\x00" in data
