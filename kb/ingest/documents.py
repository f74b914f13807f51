"""Tells the documents of an import apart by their files, so that each keeps its source."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path

from kb.core.problems import posix_path
from kb.ingest.common import Ids
from kb.ingest.drafts import Draft, Imported


def set_documents(
    imported: Imported, known: Mapping[str, str], known_ids: Collection[str], folder: Path
) -> dict[str, str]:
    """Give each document the source that its file has had, and a new file a free one.

    `known`: the files of earlier imports by source, relative to the folder of the records.
    `known_ids`: the ids of the records. A file of the same name and with a known ruling takes the
    place of one that is gone, which was moved. Returns the files of the documents by source.
    """
    sources = {file: source for source, file in known.items()}
    free_ids, new_ids, files = Ids(known), dict[str, str](), dict[str, str]()
    for source in imported.sources:
        if source.file is None:
            continue
        file = _relative(source.file, folder)
        is_gone = source.id in known and not (folder / known[source.id]).exists()
        drafts = (draft for draft in imported.drafts if _cites(draft, source.id))
        if file not in sources and is_gone and any(draft.id in known_ids for draft in drafts):
            sources[file] = source.id
        new_ids[source.id] = sources.get(file) or free_ids.make(source.id)
        files[new_ids[source.id]] = file
    imported.sources = [
        replace(source, id=new_ids.get(source.id, source.id)) for source in imported.sources
    ]
    imported.drafts = [
        next(
            (_renamed(draft, old, new) for old, new in new_ids.items() if _cites(draft, old)), draft
        )
        for draft in imported.drafts
    ]
    return files


def _cites(draft: Draft, source: str) -> bool:
    return any(citation.source == source for citation in draft.header.sources)


def _renamed(draft: Draft, old: str, new: str) -> Draft:
    """Return a draft as one of a document; its id begins with the source."""
    cited = tuple(replace(citation, source=new) for citation in draft.header.sources)
    name = draft.id.removeprefix(f"{old}-")
    header = replace(draft.header, sources=cited)
    return replace(draft, id=f"{new}-{name}", header=header, document=new)


def _relative(file: Path, folder: Path) -> str:
    """Return the path from the folder to a file; the whole path on another drive."""
    try:
        return posix_path(Path(os.path.relpath(file.resolve(), folder.resolve())))
    except ValueError:
        return posix_path(file.resolve())
