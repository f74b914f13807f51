"""Media types of the site's files."""

from __future__ import annotations

from kb.core import urls

_BY_EXTENSION = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "jsonl": "application/x-ndjson; charset=utf-8",
    "xml": "application/xml",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
    "txt": "text/plain; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "csv": "text/csv; charset=utf-8",
    "woff2": "font/woff2",
    "ico": "image/x-icon",
    "jpg": "image/jpeg",
    "webp": "image/webp",
}
_BY_NAME = {
    urls.FEED: "application/atom+xml",
    urls.OPENSEARCH: "application/opensearchdescription+xml",
}
_DEFAULT = "application/octet-stream"


def media_type(path: str) -> str:
    """Return the media type of a file of the site, the same on every machine."""
    name = path.rpartition("/")[2]
    return _BY_NAME.get(name) or _BY_EXTENSION.get(name.rpartition(".")[2].lower(), _DEFAULT)
