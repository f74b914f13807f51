"""When rulings are valid; translations, similar rulings and the history of records."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from kb.commands.backend import with_searcher
from kb.commands.translated import mark_translated
from kb.core.problems import KbError
from kb.language import tokenize
from kb.pipeline.build import build
from kb.pipeline.paths import Paths
from kb.records import similarity as similar
from kb.records.changed import changed_since
from kb.records.history import RevisionDiff, changes, recent_diffs
from kb.records.library import Library, load
from kb.records.reviews import stale_translations, unreviewed
from kb.records.text import plain_text
from kb.records.validity import Validity, validities
from kb.search.searcher import Searcher
from tests.command_line import RunCommand
from tests.conftest import paths_of
from tests.records.test_history import git as run_git

Write = Callable[..., Path]


@pytest.fixture
def base(records: Path) -> Paths:
    return paths_of(records.parent)


@pytest.fixture
def write(base: Paths) -> Write:
    def one(name: str, *, status: str = "current", more: str = "", answer: str = "Tak.") -> Path:
        path = base.rulings / "demo" / "pilots" / f"{name}.md"
        head = f"kind: ruling\nauthority: official\nstatus: {status}\ntopics:\n  - pilots\n{more}"
        english = f"# en: Catapult {name}\n\nThe answer of {name}."
        text = f"---\n{head}---\n\n# pl: Katapulta {name}\n\n{answer}\n\n{english}\n"
        path.write_text(text, encoding="utf-8")
        return path

    return one


# What is in force on a day, of a chain of three and one that was withdrawn.
DAYS = {
    "2001-04-30": "",
    "2001-05": "first",
    "2003-05-31": "first",
    "2003-06-01": "second",
    "2003": "second",
    "2004-08-31": "second",
    "2004-09-01": "third",
    "2026": "third",
}


def test_what_is_in_force_on_a_day(base: Paths, write: Write, kb: RunCommand) -> None:
    first, second = ("supersedes:\n  - catapult-first\n", "supersedes:\n  - catapult-second\n")
    third = f"date: 2004\neffective: 2004-09-01\n{second}because: The rulebook changed.\n"
    write("catapult-first", status="superseded", more="date: 2001-05\n")
    write("catapult-second", status="superseded", more=f"date: 2003-06-01\n{first}")
    write("catapult-third", more=third)
    write("catapult-gone", status="withdrawn", more="date: 1999\n")
    write("catapult-ended", more="date: 1990\neffective-until: 1991\n")
    library = load(base.rulings)
    assert not library.problems
    spans = validities(library.games, library.rulings)
    assert {key.rpartition("-")[2]: span for key, span in spans.items() if "catapult" in key} == {
        "first": Validity("20010501", "20030601", "2001-05", "2003-06-01"),
        "second": Validity("20030601", "20040901", "2003-06-01", "2004-09-01"),
        "third": Validity("20040901", "99999999", "2004-09-01"),
        "gone": Validity("19990101", "00000000", "1999"),
        "ended": Validity("19900101", "19910101", "1990", "1991"),
    }

    def found(query: str, as_of: str = "") -> list[str]:
        answer = with_searcher(base, lambda searcher: searcher.search(query, as_of=as_of))
        return [hit.ruling.id.removeprefix("catapult-") for hit in answer.results]

    assert found("catapult") == ["third"] and len(found("catapult status:any")) == 5
    assert found("catapult asof:1990-05") == ["ended"]
    for day, wanted in DAYS.items():
        assert found("catapult", as_of=day) == ([wanted] if wanted else []), day
        for name in ("first", "third"):
            words = ("show", f"catapult-{name}", "--as-of", day)
            shown = kb(*words, cwd=base.rulings.parent, code=not wanted)
            if wanted:
                assert f"demo/catapult-{wanted}\n" in shown.stdout
            else:
                assert "is known to have been in force" in shown.stderr


def test_what_is_not_dated_is_found_and_said_to_be_of_unknown_date(
    base: Paths, write: Write, kb: RunCommand
) -> None:
    write("catapult-undated")
    write("catapult-dated", more="date: 2001\n")
    for words, notes in (("--as-of 2003", 1), ("asof:2003", 1), ("", 0)):
        done = kb("search", "catapult", *words.split(), cwd=base.rulings.parent)
        assert done.stderr.count("1 result of unknown date") == notes
    for name, notes in (("undated", 1), ("dated", 0)):
        shown = kb("show", f"catapult-{name}", "--as-of", "2003", cwd=base.rulings.parent)
        assert shown.stderr.count("may not have been in force on 2003") == notes
        assert ("date unknown" in shown.stdout) is bool(notes)


def test_rule_sets_editions_and_windows(base: Paths, write: Write) -> None:
    game = base.rulings / "demo" / "game.yaml"
    text = game.read_text(encoding="utf-8")
    more = (
        "rule-sets:\n  - id: tournament\n    en: T\neditions:\n"
        "  - id: first\n    en: First\n    published: 2001\n"
        "  - id: second\n    en: Second\n    published: 2005\nruled:\n  official: 2000/2004\n"
    )
    game.write_text(f"{text}{more}", encoding="utf-8")
    write("catapult-rules", more="date: 2004-12\nrules:\n  - tournament\nreviewed: first\n")
    write("catapult-any", more="reviewed: second\n")
    write("catapult-late", more="date: 2005\n")
    library = load(base.rulings)
    assert [problem.message for problem in library.problems] == [
        "date: 2005, but official ruled 2000/2004 (game.yaml)"
    ]
    waiting = "\n".join(map(str, unreviewed(library)))
    assert (
        "catapult-rules.md:1: reviewed: first; the newest edition is second" in waiting
        and "catapult-any" not in waiting
    )
    (base.rulings / "demo" / "pilots" / "catapult-late.md").unlink()
    for query, wanted in (
        ("rules:tournament catapult", {"catapult-rules", "catapult-any"}),
        ("rules:casual catapult", {"catapult-any"}),
    ):
        found = with_searcher(base, partial(Searcher.search, text=query))
        assert {hit.ruling.id for hit in found.results} == wanted


def test_an_effective_date_before_the_source(base: Paths, write: Write) -> None:
    write("catapult", more="sources:\n  - demo-faq#one-pilot\neffective: 1999\n")
    (problem,) = load(base.rulings).problems
    assert problem.message.startswith("effective: 1999 is before its source was published (2003")
    assert problem.line == 9


def test_translations_know_their_original(base: Paths, write: Write) -> None:
    path = write("catapult")
    before = path.read_bytes()
    assert mark_translated(base.rulings, ["demo/catapult"])
    assert not mark_translated(base.rulings, ["catapult"])
    marked = path.read_bytes()
    assert marked != before and not list(stale_translations(load(base.rulings)))
    path.write_bytes(marked.replace(b"Tak.", b"Tak,\nzawsze."))
    (line,) = stale_translations(load(base.rulings))
    assert "catapult.md:" in str(line) and ": en: the original has changed" in str(line)
    path.write_bytes(marked.replace(b"Tak.", b"  Tak. "))
    assert not list(stale_translations(load(base.rulings)))
    with pytest.raises(KbError, match=r"no such ruling$"):
        mark_translated(base.rulings, ["nothing"])
    with pytest.raises(KbError, match="no such ruling; did you mean catapult"):
        mark_translated(base.rulings, [str(path)])
    path.write_bytes(marked.replace(b"kind: ", b"kind: x"))
    with pytest.raises(KbError, match="its record has problems, run: kb check"):
        mark_translated(base.rulings, ["demo/catapult"])


def test_history_and_changes(base: Paths, write: Write) -> None:
    git = partial(run_git, base.rulings.parent)

    def changed(since: str) -> set[tuple[str, str]]:
        found = changed_since(load(base.rulings), since)
        return {(change.key, change.what) for change, _ in found}

    # Without a history, by the dates of the rulings, else of their newest sources.
    assert {what for _, what in changed("1990")} == {"dated"}
    assert ("demo/pilot-build-zone", "dated") in changed("2003-05")
    assert not changed("2030")
    with pytest.raises(KbError, match="neither a date"):
        changed("HEAD")
    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    write("catapult")
    git("add", ".")
    git("commit", "-m", "new", date="2021-02-03T12:00:00+00:00")
    write("catapult", answer="Nie.")
    in_polish = write("polish")
    text, *_ = in_polish.read_text(encoding="utf-8").partition("# en:")
    in_polish.write_text(text, encoding="utf-8")
    (base.rulings / "demo/pilots/one-pilot.md").rename(base.rulings / "demo/pilots/only.md")
    git("add", "-A")
    git("commit", "-m", "more", date="2022-02-03T12:00:00+00:00")
    newest = {("demo/catapult", "changed"), ("demo/polish", "created"), ("demo/only", "moved")}
    assert changed("2022") == changed("HEAD~1") == newest
    since = {("demo/catapult", "created"), ("demo/polish", "created"), ("demo/only", "moved")}
    assert changed("2021-02-03") == since
    with pytest.raises(KbError, match="neither a date"):
        changed("no-such-branch")
    site = base.rulings.parent / "site"
    build(base, site, keep_going=True)
    page = (site / "pl/demo/rulings/catapult/index.html").read_text(encoding="utf-8")
    assert "<del>Tak</del> <ins>Nie</ins>" in page.replace("\n", "")
    days = (site / "changes/index.html").read_text(encoding="utf-8")
    assert "text changed" in days
    front = {lang: (site / lang / "index.html").read_text(encoding="utf-8") for lang in ("", "pl")}
    assert "Katapulta polish" in front["pl"] and "Katapulta polish" not in front[""]
    assert "Catapult catapult" in front[""]
    assert 0 < days.index('data-day="2022-02-03"') < days.index('data-day="2020-01-01"')


def test_a_new_status_is_history_a_new_topic_is_not(base: Paths, write: Write) -> None:
    git = partial(run_git, base.rulings.parent)
    write("catapult")
    git("init")
    for more in ("", "date: 2003\n"):
        write("catapult", more=more)
        git("add", "-A")
        git("commit", "-m", "more")
    write("catapult", status="withdrawn", more="date: 2003\n")
    git("commit", "-am", "withdrawn")
    found = recent_diffs(base.rulings, changes(base.rulings) or [])["demo/catapult"]
    assert [(one.what, one.words("pl")) for one in found] == [("withdrawn", []), ("created", [])]


def test_a_short_change_is_shown_word_by_word_in_its_language() -> None:
    old, new = {"pl": ("Pilot", "Tak."), "en": ("Pilot", "Yes.")}, {"en": ("Pilot", "No.")}
    change = RevisionDiff("2026-01-01", "changed", ("text",), old, new)
    assert change.words("en") == [("=", "Pilot\n\n"), ("-", "Yes"), ("+", "No"), ("=", ".")]
    assert not change.words("pl")
    rewritten = RevisionDiff("2026-01-01", "changed", ("text",), old, {"en": ("A", "word " * 200)})
    assert not rewritten.words("en") and rewritten.what_changed == ("text",)


def test_alike_rulings(rulings: Library) -> None:
    """With a fifth of the English words changed, most are still found; the base has no pair."""
    chance = random.Random(1)
    found = 0
    for game in rulings.games:
        texts = [ruling.text("en") or ruling.original for ruling in rulings.of_game(game)]
        bodies = [f"{text.title}\n{plain_text(text.body)}" for text in texts]
        index = similar.SimilarityIndex(bodies)
        words = [token.text for text in texts for token in tokenize(text.body)]
        for number, text in enumerate(texts):
            kept = text.body.split()
            body = [chance.choice(words) if chance.random() < 0.2 else word for word in kept]
            changed = f"{text.title}\n{plain_text(' '.join(body))}"
            found += number in dict(index.most_similar(changed, 2, similar.MIN_SIMILARITY))
    share = found / len(rulings.rulings)
    left = [*similar.similar_pairs(rulings)]
    print(f"\nfound with a fifth of their words changed: {share:.3f}; pairs: {len(left)}")
    assert share >= 0.95
    assert not left


def test_what_was_told_apart_is_not_a_pair(base: Paths, write: Write) -> None:
    words = "A pilot of a catapult may leave it only in the build step, never while it is tapped."
    for name in ("catapult-one", "catapult-two"):
        path = write(name)
        text = path.read_text(encoding="utf-8").replace(f"Catapult {name}", "Catapult")
        path.write_text(text.replace(f"The answer of {name}.", words), encoding="utf-8")
    (pair,) = similar.similar_pairs(load(base.rulings))
    assert f"{path}:1: 100% like catapult-one: merge them" in str(pair)
    different = "\ndifferent-from:\n  - catapult-one (another edition)\n---\n\n"
    text = path.read_text(encoding="utf-8").replace("\n---\n\n", different, 1)
    path.write_text(text, encoding="utf-8")
    assert not load(base.rulings).problems and not list(similar.similar_pairs(load(base.rulings)))


def test_what_is_out_of_force_never_looks_as_if_it_stood(
    base: Paths, write: Write, kb: RunCommand
) -> None:
    write("catapult-ended", more="date: 1990\neffective-until: 1991\n")
    write("catapult-upcoming", more="date: 2001\neffective: 2999\n")
    write("catapult-gone", status="withdrawn", more="date: 1999\neffective: 2999\n")
    write("catapult-old", status="superseded", more="date: 2001\n")
    write("catapult-new", more="date: 2002\neffective: 2999\nsupersedes:\n  - catapult-old\n")
    write("catapult-first", status="superseded", more="date: 2001\n")
    more = "date: 2002\nsupersedes:\n  - catapult-first\n"
    write("catapult-second", status="superseded", more=more)
    write("catapult-third", more="date: 2003\nsupersedes:\n  - catapult-second\n")
    write("catapult-last", status="superseded", more="date: 2001\n")
    more = "date: 2002\nsupersedes:\n  - catapult-last\n"
    write("catapult-void", status="withdrawn", more=more)
    library = load(base.rulings)
    assert not library.problems
    site = base.rulings.parent / "site"
    build(base, site)
    feed = (site / "demo" / "feed.xml").read_text(encoding="utf-8")
    topic = (site / "demo" / "topics" / "pilots" / "index.html").read_text(encoding="utf-8")
    no_longer, not_yet = "This ruling is no longer in force.", "This ruling is not yet in force."
    for name, standing, banner, mark in (
        ("ended", "ended", no_longer, "No longer in force"),
        ("upcoming", "upcoming", not_yet, "Not yet in force"),
        ("gone", "withdrawn", no_longer, "Withdrawn"),
        # Its successor is announced, but not in force.
        ("old", "current", "", ""),
        ("new", "upcoming", not_yet, "Not yet in force"),
    ):
        key = f"demo/catapult-{name}"
        assert library.standing(key) == standing
        assert library.is_out_of_force(key) is (standing != "current")
        page = (site / "demo" / "rulings" / key[5:] / "index.html").read_text(encoding="utf-8")
        banners = [text for text in (no_longer, not_yet) if text in page]
        assert banners == ([banner] if banner else [])
        assert f"<title>{f'{mark}: ' if mark else ''}Catapult catapult-{name}<" in feed
        row = topic.partition(f"{key[5:]}/index.html")[2].partition("</li>")[0]
        assert (mark or "badge status") in row or not mark
        shown = kb("show", key, cwd=base.rulings.parent).stdout
        assert (mark.upper() in shown) if mark else ("IN FORCE" not in shown)
    # Readers of a chain are led to its end, if that is in force.
    for name, now in (("first", "third"), ("second", "third"), ("last", "")):
        ruling = library.rulings[f"demo/catapult-{name}"]
        assert library.in_force_after(ruling) == ([f"catapult-{now}"] if now else [])
        page = (site / "demo" / "rulings" / ruling.id / "index.html").read_text(encoding="utf-8")
        banner = page.partition('role="note">')[2].partition("</div>")[0]
        assert ("Now in force:" in banner) is bool(now)
        assert re.findall(r"catapult-(\w+)/", banner) == ([now] if now else [])
