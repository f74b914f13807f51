"""`kb serve`: the built site on a loopback port."""

from __future__ import annotations

import functools
from collections.abc import Callable
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from kb import urls
from kb.problems import KbError


class Handler(SimpleHTTPRequestHandler):
    """Files of one folder; what is not there gets the site's own 404 page; no listings."""

    server_version = "kb"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    # Headers and body go out in two writes; held together, each small file would wait for the browser's delayed answer (40 ms).
    disable_nagle_algorithm = True
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".webmanifest": "application/manifest+json"}  # noqa: RUF012

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        page = Path(self.directory) / urls.NOT_FOUND
        if code != HTTPStatus.NOT_FOUND or not page.is_file():
            super().send_error(code, message, explain)
            return
        # The page does not know how deep the address is that it stands in for; here the site's root is known.
        body = page.read_bytes().replace(b"<head>", b'<head>\n<base href="/">', 1)
        self.send_response(HTTPStatus.NOT_FOUND)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def list_directory(self, path: object) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: a page has many files."""


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """A server for the site in `folder` on 127.0.0.1; raises KbError without a site there or when the port is taken."""
    if not (folder / urls.HOME).is_file():
        raise KbError(f"no site in {folder}; `kb build` makes one, --output names another folder")
    try:
        made = ThreadingHTTPServer(("127.0.0.1", port), functools.partial(Handler, directory=str(folder.absolute())))
    except OSError as error:
        raise KbError(f"port {port}: {error.strerror}; --port names another, 0 takes a free one") from error
    made.daemon_threads = True
    return made


def serve(folder: Path, port: int, say: Callable[[str], None]) -> None:
    """Serves until interrupted."""
    with server(folder, port) as made:
        say(f"http://127.0.0.1:{made.server_address[1]}/ (Ctrl-C ends it)")
        try:
            made.serve_forever()
        except KeyboardInterrupt:
            say("stopped")
