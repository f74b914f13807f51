"""All rulings as JSON, one a line, in one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kb.core import urls
from kb.records.library import Library
from kb.serialize.ruling import json_line, ruling_to_json
from kb.site.output import Output, written


def write_bulk(
    library: Library, output: Output, lines: Mapping[str, bytes], old_keys: Sequence[str]
) -> None:
    """Write the list of all rulings of a library.

    `lines`: those of rulings that may differ from the previous site's, by key. `old_keys`: the
    rulings of that site, in the order of its list.
    """
    missing = library.rulings.keys() - lines.keys()
    known = {**(_old_lines(output, old_keys) if missing else {}), **lines}
    for key in missing - known.keys():
        known[key] = json_line(ruling_to_json(library.rulings[key], library))
    output.write(urls.BULK, b"".join(known[key] + b"\n" for key in library.rulings))


def _old_lines(output: Output, keys: Sequence[str]) -> dict[str, bytes]:
    """The lines of the previous site's list by key; none where somebody has changed the file."""
    path = output.folder / urls.BULK
    data = path.read_bytes() if path.is_file() else b""
    lines = data.splitlines()
    if output.before.get(urls.BULK) != written(data) or len(lines) != len(keys):
        return {}
    return dict(zip(keys, lines, strict=True))
