"""What is no build's in a site is found whatever has happened to the folder since the last look."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path

import pytest

import kb.pipeline.site_others as site_others_module
from kb.pipeline.own_files import all_others, write_list
from kb.pipeline.site_others import SiteOthers

OWN = ["index.html", "demo/index.html", "demo/rulings/one/index.html", "static/kb.css"]
# Longer than those of the clock of files, and short enough to be waited for.
TICK = 20_000_000


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    for name in OWN:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x")
    write_list(folder, OWN)
    return folder


def look(folders: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Note the folders that are listed."""
    scandir = os.scandir

    def noted(path: str) -> object:
        folders.append(str(path))
        return scandir(path)

    monkeypatch.setattr(site_others_module.os, "scandir", noted)


def test_only_folders_that_have_changed_are_listed_again(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_others_module, "_TICK", TICK)
    others, listed = SiteOthers(), list[str]()
    time.sleep(0.03)
    assert others.find(site) == []
    look(listed, monkeypatch)
    assert others.find(site) == [] and not listed
    (site / "demo/rulings/one/.nfs").mkdir()
    (site / "demo/rulings/one/.nfs/a").write_text("x")
    found = others.find(site)
    assert found == [("demo/rulings/one/.nfs", True), ("demo/rulings/one/.nfs/a", False)]
    assert len(listed) == 2
    # The site in use and the one before take turns.
    shutil.copytree(site, site.with_name("other"))
    time.sleep(0.03)
    others.find(site)
    others.find(site.with_name("other"))
    listed.clear()
    site.rename(site.with_name("before"))
    site.with_name("other").rename(site)
    assert others.find(site) == found == others.find(site.with_name("before"))
    assert len(listed) == 2


def test_a_folder_that_has_just_changed_is_listed_again(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others, listed = SiteOthers(), list[str]()
    others.find(site)
    look(listed, monkeypatch)
    others.find(site)
    assert len(listed) == 5


@pytest.mark.parametrize("seed", range(8))
def test_the_same_is_found_as_by_looking_everywhere(
    seed: int, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site_others_module, "_TICK", TICK)
    rng, others = random.Random(seed), SiteOthers()
    names = [*OWN, "CNAME", ".git/config", "demo/a/b/c", "static/own/x", "demo/rulings/two/y"]
    for _ in range(8):
        path = site / rng.choice(names)
        if rng.random() < 0.3 and path.parent != site:
            shutil.rmtree(path.parent, ignore_errors=True)
        elif path.is_file():
            path.unlink()
        elif rng.random() < 0.2:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir(parents=True)
        elif not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")
        time.sleep(0.03)
        assert others.find(site) == sorted(all_others(site))
