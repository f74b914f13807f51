"""The looks of a game or a site: a readable colour, a glyph, pictures.

The contrast of colours is calculated as in WCAG 2. An SVG picture must be inert: opened by itself,
it may run scripts as the site's own.
"""

from __future__ import annotations

import re
from typing import Annotated
from xml.parsers import expat

from pydantic import AfterValidator, StringConstraints

from kb.core.problems import Problem

# The backgrounds of coloured text in static/kb.css.
LIGHT_PAGE = "#fbfaf7"
DARK_PAGE = "#1e2227"
# WCAG 2.2, 1.4.3: normal text, level AA.
MIN_CONTRAST = 4.5
# WCAG 2.2, 1.4.6: level AAA, because colours with less look dull on dark pages.
_DARK_CONTRAST = 7


def _readable_colour(value: str) -> str:
    if not value:
        raise ValueError("no colour; put it in quotes, because # begins a comment")
    colour = "#" + value.removeprefix("#").lower()
    if not re.fullmatch(r"#[0-9a-f]{6}", colour):
        raise ValueError(
            f"{value!r} is not a colour; write six hexadecimal digits, as in '#1d4f73'"
        )
    ratio = contrast(colour, LIGHT_PAGE)
    if ratio < MIN_CONTRAST:
        raise ValueError(
            f"{value!r} has a contrast of {ratio:.1f} with the page; {MIN_CONTRAST} is needed to"
            f" read it, as '{readable(colour, LIGHT_PAGE)}' has"
        )
    return colour


def _path_data(value: str) -> str:
    if not re.fullmatch(r"[Mm][MmLlHhVvCcSsQqTtAaZz0-9.,\s-]+", value):
        raise ValueError(
            "not the path of a picture: the `d` of one SVG <path>, drawn in a square of 24 by 24"
        )
    return value


# A colour of links and headings, with enough contrast on light pages.
Colour = Annotated[str, AfterValidator(_readable_colour)]
# The `d` of an SVG path, filled in a square of 24 by 24.
Glyph = Annotated[str, StringConstraints(max_length=2_000), AfterValidator(_path_data)]

# The picture of links to a game's pages in messengers and social networks.
PICTURE = "picture.png"
_MAX_PICTURE = 200_000


def read_picture(data: bytes, path: str) -> tuple[bytes, list[Problem]]:
    """Return a game's picture, and its problem; one of the two is empty."""
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) <= _MAX_PICTURE:
        return data, []
    message = f"not a PNG picture of at most {_MAX_PICTURE // 1000} KB; 1200 by 630 is best"
    return b"", [Problem(path, 1, message)]


def picture_size(png: bytes) -> tuple[int, int]:
    """Return the width and the height of a PNG picture in pixels."""
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def dark_shade(colour: str) -> str:
    """Return the shade of a colour for dark pages."""
    return readable(colour, DARK_PAGE, _DARK_CONTRAST)


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def readable(colour: str, background: str, ratio: float = MIN_CONTRAST) -> str:
    """Mix a colour with the least black or white that makes it readable on a background."""
    target = "#000000" if _luminance(background) > 0.5 else "#ffffff"
    for percent in range(0, 101, 5):
        mixed = _mix(colour, target, percent / 100)
        if contrast(mixed, background) >= ratio:
            return mixed
    return target


def _channels(colour: str) -> list[int]:
    return [int(colour[place : place + 2], 16) for place in (1, 3, 5)]


def _mix(colour: str, other: str, share: float) -> str:
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _luminance(colour: str) -> float:
    linear = [
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in (channel / 255 for channel in _channels(colour))
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


_SVG = "http://www.w3.org/2000/svg"
_XHTML = "http://www.w3.org/1999/xhtml"
# Elements of SVG that run or contain more than a picture, or change a link while it is shown.
_ACTIVE = {"script", "foreignobject", "handler", "listener", "iframe", "animate", "set"}
_INERT_LINK = re.compile(r"#|data:image/(?:png|jpeg|gif|webp)[;,]")
# Between the namespace and the name of an element or attribute, as expat gives it.
_SEPARATOR = " "


class _Active(Exception):
    """Something in a picture that is not inert."""


def svg_error(data: bytes) -> str:
    """Return why a file is not an inert SVG picture; empty if it is."""
    parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
    parser.StartElementHandler = _check_element
    parser.EntityDeclHandler = _refuse_entity
    parser.ProcessingInstructionHandler = _refuse_instruction
    try:
        parser.Parse(data, True)
    except _Active as error:
        return f"has {error}; export it as plain SVG, without scripts and links, or as PNG"
    except (expat.ExpatError, ValueError) as error:
        return f"is not an SVG picture ({error})"
    return ""


def _check_element(element: str, attributes: dict[str, str]) -> None:
    namespace, _, name = element.rpartition(_SEPARATOR)
    if namespace == _XHTML or (namespace in (_SVG, "") and name.lower() in _ACTIVE):
        raise _Active(f"<{name}>")
    for key, value in attributes.items():
        local = key.rpartition(_SEPARATOR)[2].lower()
        if local.startswith("on"):
            raise _Active(f"{local}=")
        if local == "href" and not _INERT_LINK.match(value.strip()):
            raise _Active(f"a link to {value[:60]!r}")


def _refuse_entity(name: str, *_: object) -> None:
    raise _Active(f"the entity {name!r}")


def _refuse_instruction(target: str, _: str) -> None:
    raise _Active(f"<?{target}?>")
