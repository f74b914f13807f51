"""Sorted rows -> buckets, the files of the browser's index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

BASE = "base.js"
_NAME_LENGTH = 12
# A large enough bucket ends where this many first letters change, and at three times the size
# at any new key.
_PREFIX = 3


class Row(NamedTuple):
    """What is stored under a key; `length` is about how many characters it takes."""

    key: str
    value: Any
    length: int


def order(key: str) -> bytes:
    """Sort strings as a browser compares them, by UTF-16 units."""
    return key.encode("utf-16-be", "surrogatepass")


def in_order(keys: Iterable[str]) -> list[str]:
    """Sort strings as `order` does."""
    ordered = sorted(keys)
    # Only letters of two units stand elsewhere than in the order of Python.
    is_plain = all(max(key, default="") <= "\ud7ff" for key in ordered)
    return ordered if is_plain else sorted(ordered, key=order)


def cut(rows: Iterable[Row], size: int) -> Iterator[list[Row]]:
    """Cut sorted rows into buckets of about `size` characters, rows of one key together."""
    bucket: list[Row] = []
    length = 0
    for row in rows:
        if length > size:
            last = bucket[-1].key
            is_prefix_new = row.key[:_PREFIX] != last[:_PREFIX]
            if is_prefix_new or (length > 3 * size and row.key != last):
                yield bucket
                bucket, length = [], 0
        bucket.append(row)
        length += row.length
    if bucket:
        yield bucket


def starts(buckets: Sequence[Sequence[Row]]) -> list[str]:
    """Return where each bucket begins, shortened to what differs from the end of the one before."""
    firsts = []
    last = b""
    for bucket in buckets:
        key = bucket[0].key
        ends = range(len(key) if last else 0, 0, -1)
        shorter = [key[:end] for end in ends if order(key[:end]) > last]
        firsts.append(shorter[-1] if shorter else "")
        last = order(bucket[-1].key)
    return firsts


def script(value: object) -> str:
    """JSON that may stand in a script, in a page too."""
    text = orjson.dumps(value).decode()
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("<", "\\u003c")


def bucket_file(name: str, value: object) -> bytes:
    """A file that passes a value on under its name."""
    return f'KB_SHARD("{name}",{script(value)});\n'.encode()


def write_buckets(folder: Path, buckets: Mapping[str, object]) -> str:
    """Write each bucket by its name into a folder named by all contents; return its name."""
    files = {name: bucket_file(name, value) for name, value in buckets.items()}
    own = hashlib.sha256(b"".join(files.values())).hexdigest()[:_NAME_LENGTH]
    (folder / own).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / own / f"{name}.js").write_bytes(data)
    return own
