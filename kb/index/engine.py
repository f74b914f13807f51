"""What ranking needs of an index, and Whoosh behind it: postings of terms, no queries of its own.

The narrow interface over analysed terms: another engine is another class with these methods.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from kb.index.build import verify
from kb.problems import NotBuilt


class Engine:
    """An index opened for reading; documents are numbers. Use one a thread."""

    def __init__(self, folder: Path) -> None:
        """Raises NotBuilt when the index is missing or not as it was written."""
        verify(folder)
        from whoosh.index import open_dir

        try:
            self._reader: Any = open_dir(str(folder)).reader()
        except Exception as error:
            raise NotBuilt(f"the index cannot be opened ({type(error).__name__})") from None
        self.count = int(self._reader.doc_count())
        self.average_length = float(self._reader.field_length("content")) / self.count if self.count else 1.0
        self.postings = lru_cache(maxsize=512)(self._postings)

    def close(self) -> None:
        """Ends reading."""
        self._reader.close()

    def frequency(self, term: str) -> int:
        """In how many documents a term is."""
        return int(self._reader.doc_frequency("content", term))

    def _postings(self, term: str) -> dict[int, float]:
        """The documents with a term, and its weight there."""
        found: dict[int, float] = {}
        for matcher in self._matcher("content", term):
            found[matcher.id()] = matcher.weight()
        return found

    def positions(self, term: str, documents: set[int]) -> dict[int, list[int]]:
        """Where a term stands in some documents."""
        return {
            matcher.id(): list(matcher.value_as("positions"))
            for matcher in self._matcher("content", term)
            if matcher.id() in documents
        }  # fmt: skip

    def _matcher(self, field: str, term: str) -> Iterator[Any]:
        if (field, term.encode()) not in self._reader and self._reader.doc_frequency(field, term) == 0:
            return
        matcher = self._reader.postings(field, term)
        while matcher.is_active():
            yield matcher
            matcher.next()

    def having(self, field: str, value: str) -> set[int]:
        """The documents with a value in a keyword field."""
        return {matcher.id() for matcher in self._matcher(field, value)}

    def values(self, field: str) -> list[str]:
        """Every value of a keyword field, in order."""
        return [value.decode() if isinstance(value, bytes) else value for value in self._reader.field_terms(field)]

    def length(self, document: int) -> float:
        """How long a document is, in terms (Whoosh keeps it roughly)."""
        return float(self._reader.doc_field_length(document, "content"))

    def key(self, document: int) -> str:
        """The ruling's key `game/id`."""
        return str(self._reader.stored_fields(document)["key"])

    def documents(self) -> set[int]:
        """All documents."""
        return set(self._reader.all_doc_ids())
