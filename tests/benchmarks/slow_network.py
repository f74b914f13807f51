"""The first answer of a browser that has nothing, over a slow phone network.

    python -m tests.benchmarks.slow_network SITE

Opens the search page of a built site with each of some queries, each time in a new browser. Every
request waits 150 ms, all share 1.6 Mbit/s, the CPU is 4 times slower, and files are compressed and
may be stored as `kb help publishing` says. HTTP/1.1: six requests at a time, where HTTP/2 has no
such limit. Prints seconds from the start of the visit to the results standing in the page.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import mimetypes
import statistics
import threading
import time
from functools import cache
from pathlib import Path
from urllib.parse import quote, unquote

from kb.core import urls
from tests.benchmarks.browser import DONE, SLOWER, queries
from tests.benchmarks.measure import machine
from tests.browsers import MISSING, find_browser

ROUND_TRIP, BYTES_A_SECOND = 0.150, 1.6e6 / 8
PACKET = 1460
STORED, BRIEFLY = "public, max-age=31536000, immutable", "public, max-age=60"
# Notes when the results stand in the page: Playwright looks in intervals.
NOTE = """new MutationObserver(() => {
  const form = document.getElementById("search");
  if (form?.dataset.state === "done") window.answered ??= performance.now();
}).observe(document, { subtree: true, attributeFilter: ["data-state"] });"""


class SlowNetwork:
    """Serves a folder as a slow network would."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        # When the last byte that was promised will have gone through.
        self._free = 0.0
        self._read = cache(lambda path: gzip.compress(path.read_bytes(), 6))
        is_ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._run(is_ready)), daemon=True).start()
        is_ready.wait()

    async def _run(self, is_ready: threading.Event) -> None:
        server = await asyncio.start_server(self._answer_all, "127.0.0.1", 0)
        self.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        is_ready.set()
        await server.serve_forever()

    async def _answer_all(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                while (await reader.readline()).strip():
                    pass
                await asyncio.sleep(ROUND_TRIP)
                await self._send(writer, self._answer(unquote(line.split()[1].decode())))
        except ConnectionError:
            pass
        finally:
            writer.close()

    def _answer(self, address: str) -> bytes:
        path, _, query = address.removeprefix("/").partition("?")
        file = self.folder / (path + urls.HOME if not path or path.endswith("/") else path)
        if not file.is_file():
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"
        body = self._read(file)
        is_stored = "q=" not in query and (query or path.startswith("static/search/"))
        head = {
            "Content-Type": mimetypes.guess_type(file.name)[0] or "application/octet-stream",
            "Content-Encoding": "gzip",
            "Content-Length": len(body),
            "Cache-Control": STORED if is_stored else BRIEFLY,
        }
        lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
        return f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode() + body

    async def _send(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        for start in range(0, len(data), PACKET):
            part = data[start : start + PACKET]
            now = time.monotonic()
            self._free = max(self._free, now) + len(part) / BYTES_A_SECOND
            await asyncio.sleep(max(0.0, self._free - now))
            writer.write(part)
        await writer.drain()


def first_answers(site: Path) -> list[float]:
    """Seconds from the start of a visit to the answer, for each query."""
    from playwright.sync_api import sync_playwright

    network = SlowNetwork(site)
    seconds = []
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=find_browser())
        for query in queries():
            context = browser.new_context(viewport={"width": 390, "height": 844})
            page = context.new_page()
            page.add_init_script(NOTE)
            throttling = context.new_cdp_session(page)
            throttling.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            page.goto(f"{network.address}/{urls.SEARCH}?q={quote(query)}", wait_until="commit")
            page.wait_for_selector(DONE, timeout=120_000)
            seconds.append(page.evaluate("window.answered") / 1000)
            context.close()
        browser.close()
    return seconds


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.slow_network")
    parser.add_argument("site", type=Path, help="the folder of a built site")
    site = parser.parse_args().site
    if not find_browser():
        raise SystemExit(MISSING)
    seconds = sorted(first_answers(site))
    late = seconds[int(0.95 * len(seconds))]
    print(", ".join(f"{name} {value}" for name, value in machine(site).items()))
    print(
        f"first answer: median {statistics.median(seconds):.2f} s, p95 {late:.2f} s,"
        f" of {len(seconds)} queries"
    )


if __name__ == "__main__":
    main()
