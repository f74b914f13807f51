"""Is an SVG picture inert? Opened by itself, a picture may run scripts as the site's own."""

from __future__ import annotations

import re
from xml.parsers import expat

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
    """Return what makes a file no inert SVG picture; empty if it is one."""
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
