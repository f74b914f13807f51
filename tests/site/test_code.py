"""The code on a printed page leads to the page."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import zxingcpp

from kb.core import urls
from kb.records.library import load
from kb.site.context import qr_code

RULINGS = Path(__file__).resolve().parent.parent.parent / "rulings"
BASES = (
    "https://example.org/kb",
    "https://rulings.example",
    "http://192.0.2.7:8000/a/long/folder/of/a/club",
)
SCALE = 3


def picture(svg: str) -> np.ndarray:
    """The code as a reader sees it: rows of black lines that begin where the last one ended."""
    side = int(re.search(r'width="(\d+)"', svg)[1])  # type: ignore[index]
    seen = np.full((side // SCALE, side // SCALE), 255, dtype=np.uint8)
    column = row = 0
    for sign, first, second in re.findall(
        r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", re.search(r' d="([^"]+)"', svg)[1]
    ):  # type: ignore[index]
        if sign == "h":
            seen[row, column : column + int(first)] = 0
            column += int(first)
        else:
            column, row = (column, row) if sign == "m" else (0, 0)
            column, row = column + int(first), row + int(float(second))
    return seen.repeat(SCALE, 0).repeat(SCALE, 1)


def test_every_code_is_read() -> None:
    library = load(RULINGS)
    for number, one in enumerate(library.rulings.values()):
        wanted = urls.absolute(urls.ruling(one.game, one.id), BASES[number % len(BASES)])
        found = zxingcpp.read_barcodes(picture(qr_code(wanted)))
        assert [code.text for code in found] == [wanted]
