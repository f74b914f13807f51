"""The site, the pack and the index of a game of which every field is an attack."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.hostile import write_game

BASE_URL = 'https://rulings.example/"><script>alert(1)</script>/'


@pytest.fixture(scope="session")
def evil(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with rulings/, site/ (as any webmaster would build it), marked/ (with addresses that attack too), pack.html."""
    from kb.commands.build import SiteOptions, build
    from kb.commands.pack import pack
    from kb.commands.places import Places

    folder = tmp_path_factory.mktemp("evil")
    write_game(folder / "rulings")
    places = Places(folder / "rulings", folder / "data")
    made = build(places, folder / "site")
    assert not made.problems
    options = SiteOptions(BASE_URL, 'https://report.example/?id={id}&x="onclick="alert(1)', ("en", "pl"))
    build(Places(folder / "rulings", folder / "marked-data"), folder / "marked", site=options)
    pack(places, folder / "pack.html", [], [])
    return folder
