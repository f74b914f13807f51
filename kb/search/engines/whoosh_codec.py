"""How Whoosh keeps our postings: its segments, terms file and columns, with posting lists packed as arrays.

Whoosh's own format goes posting by posting through Python objects, when it is written and when it is read; ours goes array by
array. A segment has one field; deletions and the list of segments are Whoosh's.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from whoosh import columns, fields, formats
from whoosh.codec.whoosh3 import W3Codec, W3FieldWriter, W3TermsReader
from whoosh.matching import ListMatcher
from whoosh.writing import SegmentWriter

from kb.search.document import Document
from kb.search.postings import KEY, Inverted, Packed, Places, Postings, unpack, without

FIELD = "content"
# Where a term's postings begin in the segment's file, how long they and their places are, and how many documents have it.
_EXTENT = struct.Struct("<QIII")
_KEY, _LENGTH, _STEPS = "key", "length", "_content_len"
_COLUMNS = {_KEY: columns.VarBytesColumn(), _LENGTH: columns.NumericColumn("I")}


class Content(fields.FieldType):  # type: ignore[misc]
    """The one field; the analysis is done before."""

    indexed = True
    scorable = True
    stored = False
    unique = False
    vector = None
    multitoken_query = "default"
    sortable_typecode = None
    column_type = None
    spelling = False
    analyzer = None

    def __init__(self) -> None:
        self.format = formats.Positions()


def schema() -> Any:
    """The index's schema."""
    return fields.Schema(**{FIELD: Content()})


class Codec(W3Codec):  # type: ignore[misc]
    """Whoosh's codec with packed postings."""

    def field_writer(self, storage: Any, segment: Any) -> Any:
        return TermsWriter(self, storage, segment)

    def terms_reader(self, storage: Any, segment: Any) -> Any:
        name = segment.make_filename(self.TERMS_EXT)
        return TermsReader(
            self,
            storage.open_file(name),
            storage.file_length(name),
            segment.open_file(storage, self.POSTS_EXT),
        )


class TermsWriter(W3FieldWriter):  # type: ignore[misc]
    """Writes the terms of a segment and their postings."""

    def add_postings(self, schema: Any, lengths: Any, items: Iterable[Packed]) -> None:
        """Writes all postings; their terms come in order."""
        self._fieldmap[FIELD] = 0
        place = 0
        for term, lists, places, documents in items:
            self._postfile.write(lists)
            self._postfile.write(places)
            self._tindex.add(
                b"\0\0" + term, _EXTENT.pack(place, len(lists), len(places), documents)
            )
            place += len(lists) + len(places)


class TermsReader(W3TermsReader):  # type: ignore[misc]
    """Reads the terms of a segment and their postings."""

    def frequency(self, fieldname: str, tbytes: bytes) -> int:
        return self.doc_frequency(fieldname, tbytes)

    def doc_frequency(self, fieldname: str, tbytes: bytes) -> int:
        return int(self._extent(tbytes)[3])

    def _extent(self, term: bytes) -> tuple[int, ...]:
        return _EXTENT.unpack(self._tindex[b"\0\0" + term])

    def _unpacked(self, start: int, size: int) -> list[Any]:
        return unpack(bytes(self._postfile.get(start, size)))

    def packed(self, term: bytes) -> Postings | None:
        """The postings of a term, deleted documents with them; None for one that is not there."""
        try:
            start, size, _, _ = self._extent(term)
        except KeyError:
            return None
        return Postings(*self._unpacked(start, size))

    def packed_places(self, term: bytes) -> Places:
        """Where a term stands in the documents of its postings."""
        start, size, more, _ = self._extent(term)
        return Places(*self._unpacked(start + size, more))

    def matcher(self, fieldname: str, tbytes: bytes, format_: Any, scorer: Any = None) -> Any:
        """The postings as Whoosh's own queries walk them."""
        found = self.packed(tbytes)
        assert found is not None
        weights = [weight / 10 for weight in found.weights]
        return ListMatcher(
            list(found.docs), weights, format=format_, scorer=scorer, term=(fieldname, tbytes)
        )

    def names_from(self, low: bytes) -> Iterator[bytes]:
        """The terms from one on, in order."""
        for _, term in self.terms_from(FIELD, low):
            yield bytes(term)


class Writer(SegmentWriter):  # type: ignore[misc]
    """Whoosh's writer, fed with documents; a new index is fed with packed postings besides."""

    def __init__(self, index: Any) -> None:
        super().__init__(index, codec=Codec(), compound=False)
        self.inverted = Inverted()
        self.packed: Iterable[Packed] | None = None

    def add(self, document: Document) -> None:
        """Takes in a document."""
        self.keep(document.key.encode(), document.length)
        self.inverted.add(self.docnum - 1, document)
        self.inverted.value(self.docnum - 1, KEY, document.key)

    def keep(self, key: bytes, length: int) -> None:
        """Takes in a document without its postings."""
        per_document = self.perdocwriter
        per_document.start_doc(self.docnum)
        per_document.add_field(FIELD, self.schema[FIELD], None, length)
        for name, value in ((_KEY, key), (_LENGTH, length)):
            per_document.add_column_value(name, _COLUMNS[name], value)
        per_document.finish_doc()
        self.docnum += 1
        self._added = True

    def take_over(self, segment: Segment, deleted: Collection[int]) -> None:
        """Takes in what another segment has, but for deleted documents."""
        numbers: dict[int, int] = {}
        for old, (key, length) in enumerate(zip(segment.keys(), segment.exact(), strict=True)):
            if old not in deleted:
                numbers[old] = self.docnum
                self.keep(key, length)
        for name in segment.terms.names_from(b""):
            held, places = segment.terms.packed(name), segment.terms.packed_places(name)
            assert held is not None
            parts = (held.docs, held.weights, places.counts, places.places)
            docs, *rest = without(parts, deleted) if deleted else parts
            if docs:
                self.inverted.entry(name.decode("utf-8", "surrogatepass")).extend(
                    [numbers[doc] for doc in docs], *rest
                )

    def _flush_segment(self) -> None:
        self.perdocwriter.close()
        self.fieldwriter.add_postings(
            self.schema, None, self.inverted.packed() if self.packed is None else self.packed
        )
        self.fieldwriter.close()


class Segment:
    """A segment opened for reading."""

    def __init__(self, storage: Any, segment: Any) -> None:
        codec = segment.codec()
        self.terms = codec.terms_reader(storage, segment)
        self.documents = codec.per_document_reader(storage, segment)
        self.deleted = frozenset(segment.deleted_docs())
        self.size = int(segment.doc_count_all())
        self._keys = self._column(_KEY)

    def _column(self, name: str) -> Any:
        return self.documents.column_reader(name, _COLUMNS[name])

    def key(self, number: int) -> bytes:
        """The key of a document."""
        return bytes(self._keys[number])

    def keys(self) -> list[bytes]:
        """The keys of all documents, deleted ones with them."""
        return [bytes(key) for key in self._keys]

    def exact(self) -> list[int]:
        """How long each document is, in terms."""
        return list(self._column(_LENGTH))

    def steps(self) -> bytes:
        """The lengths of all documents, as steps."""
        if not self.documents.has_column(_STEPS):
            return bytes(self.size)
        file, start, size = self.documents._get_column_file(_STEPS)
        return bytes(file.get(start, size)).ljust(self.size, b"\0")

    def total(self) -> int:
        """How long all documents are together, in terms, without deleted ones."""
        lengths = self._column(_LENGTH)
        return int(
            self.documents.field_length(FIELD) - sum(lengths[number] for number in self.deleted)
        )

    def close(self) -> None:
        """Ends reading."""
        self.terms.close()
        self.documents.close()
