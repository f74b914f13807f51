"""The benchmarks run, small and without other programs; their figures are not asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks import build, peers, saves


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
