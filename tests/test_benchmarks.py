"""The benchmarks run, small and without installing anything; their figures are not asserted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kb.records.library import load
from tests.benchmarks import __main__ as command
from tests.benchmarks import others, search
from tests.benchmarks.corpus import make_corpus, read_plain


@pytest.mark.thorough
def test_the_command(
    good_root: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(search, "WHOLE", 1)
    monkeypatch.setattr(others, "NAMES", 50)
    figures = tmp_path / "figures.json"
    words = "--sizes 24 --only build,sites,search,others --repeats 1 --no-peers".split()
    places = {"json": figures, "records": good_root}
    places |= {name: tmp_path / name for name in ("shared", "tools", "work")}
    words += [word for name, path in places.items() for word in (f"--{name}", str(path))]
    assert command.main(words) == 0
    told = capsys.readouterr().out
    report = json.loads(figures.read_text(encoding="utf-8"))
    values = {
        (one["family"], one["what"]): one["value"] for one in report["figures"] if one["ours"]
    }
    assert {what for family, what in values if family == "site"} == {"cold", "nothing changed"}
    assert all(value is not None for value in values.values())
    missing = {one["who"]: one["note"] for one in report["figures"] if one["value"] is None}
    assert missing.pop("kb import vtes").startswith("no ")
    assert {"MkDocs", "Pelican", "Sphinx", "Eleventy", "tantivy"} <= set(missing)
    assert set(missing.values()) == {"not installed"}
    assert not list((tmp_path / "work").iterdir())
    assert command.main(["--show", str(figures)]) == 0
    assert capsys.readouterr().out == told
    assert "| site: cold | 24 | kb build" in told


def test_a_corpus_is_always_the_same_and_has_no_problems(
    rulings_root: Path, tmp_path: Path
) -> None:
    one, other = (
        make_corpus(tmp_path / name, 240, rulings_root, tmp_path) for name in ("one", "other")
    )
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
    plain = read_plain(one)
    assert {record.key for record in plain} == set(library.rulings)
    assert not any("[[" in record.text or "\n# " in record.text for record in plain)
