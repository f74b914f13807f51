"""Deck lists in XML as lines of text: Cockatrice's .cod, and the .dek of MTGO and of LackeyCCG."""

from __future__ import annotations

from xml.parsers import expat


class _Refused(Exception):
    """A document with a DTD: only there could entities be declared."""


def as_lines(text: str) -> str:
    """Return the cards of a deck list in XML, one a line; any other text as it is."""
    if not text.lstrip("\ufeff \r\n\t").startswith("<"):
        return text
    reader = _Reader()
    try:
        reader.read(text.lstrip("\ufeff \r\n\t"))
    except (expat.ExpatError, _Refused):
        return text
    return "\n".join(reader.lines) or text


class _Reader:
    """Gathers `<card number="2" name="..."/>`, `<Cards Quantity="2" Name="..."/>` and
    `<card><name>...</name></card>`.
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._path: list[str] = []
        self._name: list[str] = []

    def read(self, text: str) -> None:
        # The text is decoded already, whatever its declaration says.
        parser = expat.ParserCreate("utf-8")
        parser.StartDoctypeDeclHandler = self._refuse
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._name.append
        parser.Parse(text.encode("utf-8", "replace"), True)

    def _refuse(self, *_: object) -> None:
        raise _Refused

    def _start(self, element: str, attributes: dict[str, str]) -> None:
        self._path.append(element.lower())
        self._name.clear()
        given = {name.lower(): value for name, value in attributes.items()}
        if self._path[-1] in ("card", "cards") and "name" in given:
            self._add(given.get("number") or given.get("quantity") or "1", given["name"])

    def _end(self, _: str) -> None:
        if self._path[-2:] == ["card", "name"]:
            self._add("1", "".join(self._name))
        self._path.pop()

    def _add(self, count: str, name: str) -> None:
        self.lines.append(" ".join(f"{count} {name}".split()))
