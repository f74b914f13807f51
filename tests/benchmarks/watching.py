"""`kb serve --watch --edit` as its users have it: from saved to seen, and a soak.

    python -m tests.benchmarks.watching seen --sizes 0,20000 --saves 50
    python -m tests.benchmarks.watching soak --minutes 60

`seen` measures the time from a file that is written to a page that shows it, with the project's
own rulings (size 0) and with more, recombined from them. `soak` lets editors,
readers and browsers work at once for a time, and counts errors, lost saves, memory and descriptors.
Prints a Markdown table; nothing is asserted.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from kb.core.urls import slugs as slugs_of
from kb.site.templates import PACKAGED
from tests.benchmarks.corpus import make_corpus
from tests.benchmarks.load import free_port
from tests.benchmarks.measure import PROJECT, kb, machine
from tests.benchmarks.table import Figure, as_data, markdown, spread
from tests.browsers import find_browser

QUERIES = ["pilot", "zone", "kości", "sidious", "невтида", "vira londo", "overkil", "reserve"]
# How long one save may take to be seen, in seconds.
_PATIENCE = 300.0
_PSS = re.compile(r"^Pss:\s+(\d+)", re.MULTILINE)
_RECORD = re.compile(r'<script type="application/json" id="record">(.*?)</script>', re.DOTALL)


class Client:
    """One connection to the server, opened again where it was closed."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.headers = {"Host": f"127.0.0.1:{port}"}
        self._connection: http.client.HTTPConnection | None = None

    def ask(self, path: str, body: object = None) -> tuple[int, bytes]:
        """Return status and body; POST with a body."""
        data = None if body is None else json.dumps(body)
        headers = {**self.headers, **({"Content-Type": "application/json"} if data else {})}
        for last in (False, True):
            connection = self._connection or http.client.HTTPConnection(
                "127.0.0.1", self.port, timeout=_PATIENCE
            )
            try:
                connection.request("POST" if data else "GET", path, data, headers)
                answer = connection.getresponse()
                self._connection = connection
                if cookie := answer.getheader("Set-Cookie"):
                    self.headers["Cookie"] = cookie.partition(";")[0]
                return answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                self._connection = None
                if last:
                    raise
        raise AssertionError

    def log_in(self) -> None:
        """Begin a session of the editor."""
        _, body = self.ask("/edit/api/session")
        self.headers["X-KB-Token"] = json.loads(body)["token"]
        self.headers["Origin"] = f"http://127.0.0.1:{self.port}"


@dataclass
class Server:
    """The running server over a copy of the records."""

    root: Path
    port: int
    pid: int

    def pids(self) -> list[int]:
        """The server and its children."""
        found, waiting = [], [self.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            with suppress(OSError):
                for task in Path(f"/proc/{pid}/task").iterdir():
                    waiting += map(int, (task / "children").read_text().split())
        return found

    def processor(self) -> float:
        """Seconds that all processes have had a processor."""
        ticks = 0
        for pid in self.pids():
            with suppress(OSError, ValueError, IndexError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                # In user and system mode, those of children that have ended too.
                ticks += sum(map(int, fields[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def resources(self) -> tuple[float, float, int]:
        """Memory of the server and of its builds in MB, and open descriptors of all processes.

        A page that several processes share, as a build does with its children, counts once.
        """
        memory, descriptors = [0.0, 0.0], 0
        for pid in self.pids():
            with suppress(OSError):
                kilobytes = _PSS.search(Path(f"/proc/{pid}/smaps_rollup").read_text())
                memory[pid != self.pid] += int(kilobytes[1]) * 1024 / 1e6 if kilobytes else 0
                descriptors += len(os.listdir(f"/proc/{pid}/fd"))
        return memory[0], memory[1], descriptors


@contextmanager
def serving(records: Path) -> Iterator[Server]:
    """Yield a server that watches a copy of the records; its errors go to ours."""
    root = Path(tempfile.mkdtemp(prefix="kb-watching-"))
    shutil.copytree(records, root / "rulings")
    port = free_port()
    options = ("--output", root / "site", "--rulings", root / "rulings", "--port", str(port))
    process = subprocess.Popen(
        [str(word) for word in kb("serve", "--watch", "--edit", *options)],
        cwd=root,
        env={**os.environ, "KB_DATA": str(root / "data"), "PYTHONPATH": str(PROJECT)},
    )
    try:
        until(lambda: _answers(port))
        yield Server(root, port, process.pid)
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()
        shutil.rmtree(root, ignore_errors=True)


def _answers(port: int) -> bool:
    try:
        return Client(port).ask("/healthz")[0] == 200
    except OSError:
        return False


def until(holds: Callable[[], bool]) -> float:
    """Wait until something holds, and return how long it took, in seconds."""
    start = time.perf_counter()
    while not holds():
        if time.perf_counter() - start > _PATIENCE:
            raise TimeoutError
        time.sleep(0.005)
    return time.perf_counter() - start


# ---- from saved to seen ----


@dataclass(frozen=True)
class Save:
    """A change of a file, and what a page shows or lacks afterwards."""

    kind: str
    path: Path
    text: str | None
    page: str
    shown: str


KINDS = tuple(
    "word new-word title word card template title word term style-sheet new-ruling deleted".split()
)


def saves(rulings: Path, count: int, kinds: Sequence[str] = KINDS) -> Iterator[Save]:
    """Yield saves of the usual kinds in turn."""
    records = sorted((rulings / "swtcg").glob("*/*.md"))
    terms, cards = rulings / "swtcg" / "terms.yaml", rulings / "swtcg" / "cards.tsv"
    own_pages = rulings.parent / "templates"
    ordinary = _ordinary_words(records[:200], terms, cards)
    for number in range(count):
        path, kind = records[number % 20], kinds[number % len(kinds)]
        text, page = path.read_text(encoding="utf-8"), f"/swtcg/rulings/{path.stem}/"
        mark = _letters(number)
        known = " ".join(("The", *random.Random(number).sample(ordinary, 3)))
        if kind == "word":
            yield Save(kind, path, _begin(text, f"{known}."), page, f"{known}.")
        elif kind == "new-word":
            yield Save(kind, path, _begin(text, f"Quux{mark}zib."), page, f"Quux{mark}zib.")
        elif kind == "title":
            changed = text.replace("# en: ", f"# en: {known} ", 1)
            yield Save(kind, path, changed, page, known)
        elif kind == "term":
            changed = re.sub(
                r"(?m)^(    en: .*)$",
                rf"\1 no {mark}",
                terms.read_text(encoding="utf-8"),
                count=1,
            )
            yield Save(kind, terms, changed, "/swtcg/glossary/", f"no {mark}")
        elif kind == "card":
            card, changed = _other_name(cards, rulings.parent / "site", f"Quuxcard {mark}")
            yield Save(kind, cards, changed, card, f"Quuxcard {mark}")
        elif kind == "template":
            base = _own_file(own_pages, "base.html").replace("</body>", f"<!--{mark}-->\n</body>")
            yield Save(kind, own_pages / "base.html", base, page, f"<!--{mark}-->")
        elif kind == "style-sheet":
            sheet = _own_file(own_pages, "static/kb.css") + f".quux-{mark} {{}}\n"
            yield Save(kind, own_pages / "static/kb.css", sheet, page, f".quux-{mark} {{}}")
        elif kind == "new-ruling":
            new_path = path.with_name(f"new-{number}.md")
            yield Save(kind, new_path, text, f"/swtcg/rulings/new-{number}/", "<h1")
        else:
            # The ruling of the save before.
            gone = next((rulings / "swtcg").glob(f"*/new-{number - 1}.md"))
            yield Save(kind, gone, None, f"/swtcg/rulings/new-{number - 1}/", "")


def _ordinary_words(records: Sequence[Path], terms: Path, cards: Path) -> list[str]:
    """Return English words that several records have, and that become no links on a page."""
    linked = (terms.read_text(encoding="utf-8") + cards.read_text(encoding="utf-8")).casefold()
    records_with: Counter[str] = Counter()
    for path in records:
        english = path.read_text(encoding="utf-8").partition("\n# en: ")[2].partition("\n# ")[0]
        records_with.update(set(re.findall(r"\b[a-z]{4,}\b", english)))
    words = [word for word, count in records_with.items() if count > 2 and word[:4] not in linked]
    return sorted(words)


def _other_name(cards: Path, site: Path, name: str) -> tuple[str, str]:
    """Return the page of a card that rulings name, and the catalogue with another name of it."""
    lines = cards.read_text(encoding="utf-8").splitlines()
    slugs = slugs_of(line.partition("\t")[0] for line in lines[1:])
    column = lines[0].split("\t").index("other_names")
    for number, line in enumerate(lines[1:], 1):
        page = f"/swtcg/cards/{slugs[line.partition(chr(9))[0]]}/"
        if (site / page[1:] / "index.html").is_file():
            cells = line.split("\t")
            cells[column] = name
            return page, "\n".join((*lines[:number], "\t".join(cells), *lines[number + 1 :], ""))
    raise LookupError("no ruling names a card")


def _own_file(own: Path, name: str) -> str:
    """Return a template as it is: the webmaster's own, else the package's."""
    path = own / name
    return (path if path.is_file() else PACKAGED / name).read_text(encoding="utf-8")


def _letters(number: int) -> str:
    """Return a number in letters: a digit that a translation lacks is a problem of a record."""
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}")


def _begin(text: str, words: str) -> str:
    """Return a record whose English answer begins with some words."""
    return re.sub(r"(?m)^(# en: .*\n\n)", rf"\1{words} ", text, count=1)


# Seconds from saved to seen by the clock, and of the processor.
Times = dict[str, list[tuple[float, float]]]


def seen(records: Path, count: int, pause: float) -> tuple[Times, float]:
    """Return the times from saved to seen by kind, and the memory at the end in MB.

    `pause`: seconds from a build, and from the start of the server, to the next save.
    """
    times: Times = {}
    with serving(records) as server:
        client = Client(server.port)
        time.sleep(pause)
        for save in saves(server.root / "rulings", count):
            state, busy = _ask_state(client, save.page), server.processor()
            if save.text is None:
                save.path.unlink()
            else:
                save.path.parent.mkdir(parents=True, exist_ok=True)
                save.path.write_text(save.text, encoding="utf-8")
            start = time.perf_counter()
            while not _is_shown(client, save) and time.perf_counter() - start < _PATIENCE:
                # As an open page does it.
                state = _ask_state(client, save.page, state["tag"])
            seconds = time.perf_counter() - start
            kind = save.kind if seconds < _PATIENCE else f"{save.kind}, not seen"
            busy = server.processor() - busy
            times.setdefault(kind, []).append((seconds, busy))
            print(f"{kind}: {seconds:.2f} s, processor {busy:.2f} s", file=sys.stderr, flush=True)
            # The next save is a person's, not one during this build.
            until(lambda: not json.loads(client.ask("/live/state")[1])["building"])
            # What can wait until a build is seen is done then.
            time.sleep(pause)
        memory = sum(server.resources()[:2])
    return times, memory


def _ask_state(client: Client, page: str, after: str = "") -> dict[str, Any]:
    """Ask for the state as an open page does, with `after` when it is another one."""
    state: dict[str, Any] = json.loads(client.ask(f"/live/state?page={page}&after={after}")[1])
    return state


def _is_shown(client: Client, save: Save) -> bool:
    status, body = client.ask(save.page)
    if save.kind == "style-sheet":
        # The page names it by its content.
        sheet = re.search(r'href="[./]*(/static/kb\.css\?\w+)"', body.decode())
        return sheet is not None and save.shown in client.ask(sheet[1])[1].decode()
    return status == 404 if save.text is None else status == 200 and save.shown in body.decode()


# ---- soak ----


@dataclass
class Tally:
    """What a soak counts."""

    end: float
    done: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    accepted: list[tuple[str, str]] = field(default_factory=list)
    samples: list[tuple[float, float, int]] = field(default_factory=list)

    def until_end(self, name: str, work: Callable[[], object]) -> None:
        """Work until the end; count what was done and what failed."""
        while time.monotonic() < self.end:
            try:
                work()
                self.done[name] += 1
            except Exception as error:
                self.errors[f"{name}: {type(error).__name__}: {str(error)[:80]}"] += 1
                time.sleep(0.1)


def _editor(server: Server, tally: Tally, keys: Sequence[str], name: str) -> None:
    client = Client(server.port)
    client.log_in()
    numbers = iter(range(10**9))

    def save() -> None:
        key, mark = random.choice(keys), f"Mark {name}{_letters(next(numbers))}."
        status, page = client.ask(f"/edit/{key}")
        found = _RECORD.search(page.decode())
        if status != 200 or not found:
            raise ValueError(f"{status} for the form of {key}")
        held = json.loads(found[1])
        text = held["form"]["texts"]["en"]
        # Only the last marks stay, so that records do not grow for an hour.
        lines = [line for line in text["body"].split("\n\n") if not line.startswith("Mark ")]
        marks = re.findall(r"Mark \w+\.", text["body"])[-4:]
        text["body"] = "\n\n".join([*lines, " ".join([*marks, mark])])
        sent = {"key": key, "version": held["version"], "form": held["form"], "force": True}
        status, answer = client.ask("/edit/api/save", sent)
        if status == 200:
            kept = json.loads(answer)["form"]["texts"]["en"]["body"]
            missing = [old for old in marks if old not in kept]
            if missing or mark not in kept:
                raise ValueError(f"lost {missing or mark}")
            tally.accepted.append((key, mark))
        elif status != 409:
            raise ValueError(f"{status} for a save: {answer[:60]!r}")
        time.sleep(0.4)

    tally.until_end("saves in the editor", save)


def _reader(server: Server, tally: Tally) -> None:
    client = Client(server.port)
    paths = [f"/api/v1/search?q={quote(query)}" for query in QUERIES[:4]]
    paths += [f"/api/v1/suggest?q={prefix}" for prefix in ("p", "si", "zon")]
    paths += ["/", "/swtcg/", "/live/state", "/api/v1/rulings?limit=5", "/readyz"]

    def read() -> None:
        path = random.choice(paths)
        status, _ = client.ask(path)
        if status != 200:
            raise ValueError(f"{status} for {path}")
        time.sleep(0.02)

    tally.until_end("requests", read)


def _browsers(server: Server, tally: Tally) -> None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=["--no-sandbox"])
        address = f"http://127.0.0.1:{server.port}"
        pages = [browser.new_context().new_page() for _ in range(2)]
        pages[0].goto(f"{address}/search/")
        pages[1].goto(f"{address}/swtcg/")

        def look() -> None:
            pages[0].fill("#q", random.choice(QUERIES))
            pages[0].wait_for_selector("#search:not([data-state=busy])")
            if pages[0].get_attribute("#search", "data-state") == "failed":
                raise ValueError("a search in an open page failed")
            pages[1].wait_for_selector("h1")
            time.sleep(0.3)

        tally.until_end("looks in browsers", look)
        browser.close()


def soak(records: Path, minutes: float) -> Tally:
    """Let everybody work for some minutes."""
    with serving(records) as server:
        keys = [
            f"swtcg/{path.stem}" for path in sorted((server.root / "rulings/swtcg").glob("*/*.md"))
        ]
        tally = Tally(time.monotonic() + 60 * minutes)
        workers = [
            threading.Thread(target=_editor, args=(server, tally, keys[:3], "a")),
            threading.Thread(target=_editor, args=(server, tally, keys[:3], "b")),
            *(threading.Thread(target=_reader, args=(server, tally)) for _ in range(2)),
        ]
        with suppress(ImportError):
            workers.append(threading.Thread(target=_browsers, args=(server, tally)))
        for worker in workers:
            worker.start()
        while any(worker.is_alive() for worker in workers):
            tally.samples.append(server.resources())
            time.sleep(min(5.0, 2 * minutes))
        client = Client(server.port)
        for key in keys[:3]:
            last = [mark for of, mark in tally.accepted if of == key][-1:]
            path = next((server.root / "rulings").glob(f"swtcg/*/{key.partition('/')[2]}.md"))
            text = path.read_text(encoding="utf-8")
            tally.errors["lost saves"] += sum(mark not in text for mark in last)
            until(lambda: not json.loads(client.ask("/live/state")[1])["building"])
    return tally


def _report_soak(tally: Tally) -> str:
    tenth = max(1, len(tally.samples) // 10)
    # The first tenth is the start: caches fill then.
    early, late = tally.samples[tenth : 3 * tenth] or tally.samples, tally.samples[-2 * tenth :]
    rows = [[name, str(count)] for name, count in sorted(tally.done.items())]
    rows += [["saves accepted", str(len(tally.accepted))]]
    for index, name in ((0, "server, MB"), (1, "builds, MB"), (2, "descriptors")):
        first, last = (statistics.mean(sample[index] for sample in part) for part in (early, late))
        rows.append([f"{name}, early and late", f"{first:.0f}, {last:.0f}"])
    failed = {name: count for name, count in tally.errors.items() if count}
    rows += [[name, str(count)] for name, count in failed.items()]
    rows.append(["errors and lost saves", str(sum(failed.values()))])
    return _table(["soak", "count"], rows)


def _figures(size: int, times: Times, memory: float) -> list[Figure]:
    everything = [pair for several in times.values() for pair in several]
    figures = []
    for kind, several in {"anything": everything, **times}.items():
        for what, values in zip(("clock", "processor"), zip(*several, strict=True), strict=True):
            who, family = "kb serve --watch --edit", f"saved to seen, {kind}"
            figures.append(spread(family, what, size, who, values, "s", 1))
    return [replace(figures[0], memory=memory), *figures[1:]]


def measure_seen(
    sizes: Sequence[int], count: int, pause: float, records: Path, shared: Path
) -> list[Figure]:
    """Measure with bases of some sizes; 0 is the records as they are."""
    figures = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="kb-watched-") as folder:
            root = make_corpus(Path(folder) / "rulings", size, records, shared) if size else records
            figures += _figures(size, *seen(root, count, pause))
    return figures


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is asked for; print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.watching")
    parser.add_argument("what", choices=["seen", "soak"])
    parser.add_argument("--saves", type=int, default=50, help="saves of `seen` (default: 50)")
    parser.add_argument("--pause", type=float, default=0.5, help="seconds between saves of `seen`")
    parser.add_argument("--minutes", type=float, default=60.0, help="of `soak` (default: 60)")
    parser.add_argument("--sizes", default="0", help="of `seen`: rulings; 0: as they are")
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared", metavar="DIR")
    parser.add_argument("--records", type=Path, default=PROJECT / "rulings", metavar="DIR")
    options = parser.parse_args(words)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if options.what == "seen":
        sizes = [int(size) for size in options.sizes.split(",")]
        figures = measure_seen(sizes, options.saves, options.pause, options.records, options.shared)
        command = f"python -m tests.benchmarks.watching seen --sizes {options.sizes}"
        report = {
            "machine": machine(PROJECT),
            "command": f"{command} --saves {options.saves} --pause {options.pause:g}",
            "figures": as_data(figures),
        }
        print(markdown(report), end="")
    else:
        print(_report_soak(soak(options.records, min(options.minutes, 240.0))), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
