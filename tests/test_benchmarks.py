"""The benchmarks run, small and without other programs; their figures are not asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb.records.library import load
from tests.benchmarks import build, peers, saves
from tests.benchmarks.corpus import make_corpus


@pytest.mark.thorough
def test_a_build_and_the_peers_that_are_missing(
    good_root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(peers.shutil, "which", lambda _: None)
    build.main(["--sizes", "24", "--repeats", "1", "--records", str(good_root)])
    rows = capsys.readouterr().out.splitlines()[-4:]
    assert rows[0].startswith("| kb build | 24 | ")
    assert [row.split(" | ")[1] for row in rows[1:]] == ["not installed"] * len(peers.PEERS)


@pytest.mark.thorough
def test_saves_are_seen(rulings_root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saves.main(["--saves", str(len(saves.KINDS)), "--records", str(rulings_root), "--pause", "0"])
    table = capsys.readouterr().out
    assert all(f"\n| {kind} | " in table for kind in saves.KINDS)


def test_a_peer_gets_a_page_for_each_page(good_root: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    for place in ("index", "demo/rulings/one-pilot/index", "pl/demo/topics/pilots/index"):
        (site / place).parent.mkdir(parents=True, exist_ok=True)
        text = "<main><h1>Pilots</h1><ul><li>A <b>pilot</b></li></ul></main>"
        (site / f"{place}.html").write_text(text, encoding="utf-8")
    pages = {page.place: page for page in peers.pages_of(site, good_root)}
    assert pages["index"].text.strip() == "- A pilot"
    assert pages["demo/rulings-one-pilot"].title == "Jeden pilot na jednostce"
    assert pages["pl/demo-topics-pilots"].title == "Pilots"
    for peer in peers.PEERS:
        peer.write_sources(tmp_path / peer.name, list(pages.values()))
        assert len(list((tmp_path / peer.name / "content").rglob("*.md"))) == len(pages)


def test_a_corpus_is_always_the_same_and_has_no_problems(
    rulings_root: Path, tmp_path: Path
) -> None:
    one, other = (make_corpus(tmp_path / name, 240, rulings_root) for name in ("one", "other"))
    files = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file())
    assert all((one / path).read_bytes() == (other / path).read_bytes() for path in files)
    library = load(one)
    assert not library.problems
    heads = [ruling.header for ruling in library.rulings.values()]
    assert len(heads) == 240
    assert len(library.games) > 2
    for field in ("about", "sources", "related", "supersedes"):
        assert any(getattr(head, field) for head in heads), field
    assert {len(ruling.texts) for ruling in library.rulings.values()} == {2}
