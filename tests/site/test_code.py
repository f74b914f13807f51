"""The code on a printed page leads to the page."""

from __future__ import annotations

import re

import pytest
import zxingcpp

from kb.core import urls
from kb.site.context import qr_code

SCALE = 3


def picture(svg: str) -> memoryview:
    """The code as a reader sees it: rows of black lines that begin where the last one ended."""
    box, path = re.search(r'viewBox="0 0 (\d+) \1"', svg), re.search(r' d="([^"]+)"', svg)
    assert box and path
    side = int(box[1])
    pixels = [[255] * side for _ in range(side)]
    column = row = 0
    for sign, first, second in re.findall(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?", path[1]):
        if sign == "h":
            pixels[row][column : column + int(first)] = [0] * int(first)
            column += int(first)
        else:
            column, row = (column, row) if sign == "m" else (0, 0)
            column, row = column + int(first), row + int(float(second))
    rows = [bytes(pixel for pixel in line for _ in range(SCALE)) for line in pixels]
    image = b"".join(line * SCALE for line in rows)
    return memoryview(image).cast("B", (side * SCALE, side * SCALE))


@pytest.mark.parametrize("base", ["https://rulings.example", "http://192.0.2.7:8000/a/long/folder"])
def test_a_code_is_read(base: str) -> None:
    wanted = urls.absolute(urls.ruling("swtcg", "a-ruling-with-a-rather-long-name"), base)
    assert [code.text for code in zxingcpp.read_barcodes(picture(qr_code(wanted)))] == [wanted]
