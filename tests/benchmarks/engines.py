"""Other search engines over the same rulings, each as its own documentation has it.

    python engines.py build ENGINE DOCUMENTS FOLDER   prints the seconds of making the index
    python engines.py queries ENGINE FOLDER QUERIES   prints the milliseconds of each query
    python engines.py one ENGINE FOLDER QUERY         prints ten titles

Needs no kb: it runs in their Python. Documents: JSON, one a line, with key, title and text. Every
word of a query has to occur; the best ten come with their titles.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Search = Callable[[str], list[str]]
Documents = Iterator[dict[str, str]]


def whoosh_build(documents: Documents, folder: Path) -> None:
    """Whoosh as shipped: its stemming analyser, its writer's own settings."""
    from whoosh import fields, index
    from whoosh.analysis import StemmingAnalyzer

    text = StemmingAnalyzer()
    schema = fields.Schema(
        key=fields.ID(stored=True, unique=True),
        title=fields.TEXT(analyzer=text, stored=True),
        text=fields.TEXT(analyzer=text, stored=True),
    )
    writer = index.create_in(str(folder), schema).writer()
    for one in documents:
        writer.add_document(**one)
    writer.commit()


def whoosh_open(folder: Path) -> Search:
    from whoosh import index
    from whoosh.qparser import MultifieldParser

    found = index.open_dir(str(folder))
    searcher, parser = found.searcher(), MultifieldParser(["title", "text"], found.schema)
    return lambda query: [hit["title"] for hit in searcher.search(parser.parse(query), limit=10)]


def fts5_build(documents: Documents, folder: Path) -> None:
    """SQLite's own full-text search.

    Its default tokenizer, diacritics removed, one transaction, optimized.
    """
    import sqlite3

    base = sqlite3.connect(folder / "fts5.sqlite")
    base.execute(
        "CREATE VIRTUAL TABLE rulings"
        " USING fts5(key UNINDEXED, title, text, tokenize = 'unicode61')"
    )
    base.executemany("INSERT INTO rulings VALUES (:key, :title, :text)", documents)
    base.execute("INSERT INTO rulings(rulings) VALUES ('optimize')")
    base.commit()
    base.close()


def fts5_open(folder: Path) -> Search:
    import sqlite3

    base = sqlite3.connect(folder / "fts5.sqlite")
    ask = "SELECT title FROM rulings WHERE rulings MATCH ? ORDER BY rank LIMIT 10"

    def search(query: str) -> list[str]:
        wanted = " ".join(f'"{word}"' for word in words(query))
        return [title for (title,) in base.execute(ask, (wanted,))] if wanted else []

    return search


def fts5_answers(folder: Path) -> Search:
    """The same with what an answer of kb has besides.

    How many rulings there are in all, and a snippet of each.
    """
    import sqlite3

    base = sqlite3.connect(folder / "fts5.sqlite")
    ask = (
        "SELECT title, snippet(rulings, 2, '[', ']', '…', 24) FROM rulings"
        " WHERE rulings MATCH ? ORDER BY rank LIMIT 10"
    )
    count = "SELECT count(*) FROM rulings WHERE rulings MATCH ?"

    def search(query: str) -> list[str]:
        wanted = " ".join(f'"{word}"' for word in words(query))
        if not wanted:
            return []
        base.execute(count, (wanted,)).fetchone()
        return [title for title, _ in base.execute(ask, (wanted,))]

    return search


def tantivy_build(documents: Documents, folder: Path) -> None:
    """tantivy: its default tokenizer and its writer's own settings."""
    import tantivy

    index = tantivy.Index(_tantivy_schema(), path=str(folder))
    writer = index.writer()
    for one in documents:
        writer.add_document(tantivy.Document(**one))
    writer.commit()
    writer.wait_merging_threads()


def tantivy_open(folder: Path) -> Search:
    import tantivy

    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def search(query: str) -> list[str]:
        parsed = index.parse_query(
            " ".join(f'+"{word}"' for word in words(query)), ["title", "text"]
        )
        return [searcher.doc(place)["title"][0] for _, place in searcher.search(parsed, 10).hits]

    return search


def _tantivy_schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("key", stored=True, tokenizer_name="raw")
    builder.add_text_field("title", stored=True)
    builder.add_text_field("text", stored=True)
    return builder.build()


def words(query: str) -> list[str]:
    """The words of a query, without its signs."""
    return re.findall(r"\w+", query)


ENGINES: dict[str, tuple[Callable[[Documents, Path], None], Callable[[Path], Search]]] = {
    "whoosh": (whoosh_build, whoosh_open),
    "fts5": (fts5_build, fts5_open),
    "fts5-answers": (fts5_build, fts5_answers),
    "tantivy": (tantivy_build, tantivy_open),
}


def build(engine: str, documents: str, folder: str) -> float:
    """Seconds, with the reading of the documents and without the start of Python."""
    __import__("sqlite3" if engine.startswith("fts5") else engine)
    Path(folder).mkdir(parents=True)
    start = time.perf_counter()
    with Path(documents).open(encoding="utf-8") as file:
        ENGINES[engine][0]((json.loads(line) for line in file), Path(folder))
    return time.perf_counter() - start


def queries(engine: str, folder: str, asked: str) -> dict[str, list[float]]:
    """Milliseconds of each query in a warm process, and how many of ten each found."""
    search = ENGINES[engine][1](Path(folder))
    search("qqqqzzzz")
    took, found = [], []
    for query in json.loads(Path(asked).read_text(encoding="utf-8")):
        start = time.perf_counter()
        titles = search(query)
        took.append((time.perf_counter() - start) * 1000)
        found.append(len(titles))
    return {"ms": took, "found": found}


def one(engine: str, folder: str, query: str) -> list[str]:
    """The titles for a query."""
    return ENGINES[engine][1](Path(folder))(query)


if __name__ == "__main__":
    parts: dict[str, Callable[..., Any]] = {"build": build, "queries": queries, "one": one}
    print(json.dumps(parts[sys.argv[1]](*sys.argv[2:]), ensure_ascii=False))
