"""Reads what `kb build` writes for offline use, as the worker of the site does."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path


def read_archives(site: Path) -> dict[str, dict[str, bytes]]:
    """The files of each archive of a site by address; checks sizes and hashes."""
    index = json.loads((site / "offline/index.json").read_text(encoding="utf-8"))
    archives: dict[str, dict[str, bytes]] = {}
    for name, (digest, size, parts) in index["parts"].items():
        data = (site / f"offline/{name}.bin").read_bytes()
        assert hashlib.sha256(data).hexdigest().startswith(digest), name
        assert len(data) == size == sum(parts), name
        files = archives[name] = {}
        for length in parts:
            part, data = data[:length], data[length:]
            for address, content in _entries(gzip.decompress(part)):
                assert address not in files
                files[address] = content
    return archives


def _entries(rest: bytes) -> list[tuple[str, bytes]]:
    entries: list[tuple[str, bytes]] = []
    while rest:
        line, _, rest = rest.partition(b"\n")
        name, size, _ = json.loads(line)
        entries.append((name, rest[:size]))
        rest = rest[size:]
    return entries
