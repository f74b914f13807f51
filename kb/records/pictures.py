"""Pictures of a game or a site: a glyph, a PNG file, an SVG file.

An SVG file must be inert: opened by itself, it may run scripts as the site's own.
"""

from __future__ import annotations

import re
from typing import Annotated
from xml.parsers import expat

from pydantic import AfterValidator, StringConstraints

from kb.core.problems import Problem


def _path_data(value: str) -> str:
    if not re.fullmatch(r"[Mm][MmLlHhVvCcSsQqTtAaZz0-9.,\s-]+", value):
        raise ValueError(
            "not the path of a picture: the `d` of one SVG <path>, drawn in a square of 24 by 24"
        )
    return value


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
