"""The editor when records are gone, cannot be sent back, or would have a dangerous name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.plugins.editor.test_editor import KEY, Judge, application, judge, record

__all__ = ["judge"]


@pytest.mark.parametrize("harm", ["no records", "a broken game"])
def test_records_that_are_gone_are_said(harm: str, judge: Judge, fresh: Path) -> None:
    held = judge.opened()
    if harm == "no records":
        shutil.rmtree(fresh / "rulings")
    else:
        (fresh / "rulings" / "demo" / "game.yaml").write_bytes(b"\xff\x00: [")
    choices = {"kind": "card", "game": "demo"}
    for client in (judge, Judge(application(fresh))):
        for answer in (
            client.post("review", {"key": KEY, "form": held["form"]}),
            client.save(held, force=True),
            client.save({**held, "version": "", "key": "demo/brand-new"}),
            client.client.get("/edit/api/complete", params=choices),
        ):
            assert answer.status_code in (200, 404, 409, 422, 503), answer.text
            assert answer.headers["content-type"].startswith("application/")
        for page in ("/edit/", "/edit/new", f"/edit/{KEY}"):
            assert client.client.get(page).status_code in (200, 404, 503)


HEADER = "---\nkind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n---\n\n"


@pytest.mark.parametrize(
    "body",
    [
        "# pl: Tytuł\n\n" + "słowo " * 40_000,
        "# pl: Tytuł\n\n```\n# en: not a title\n```\n",
        "# pl: Tytuł\n\nTekst.  \n\n\n\n\t\n",
        "# pl: Tytuł\n\nTekst.\n\n---\n\nWięcej.\n",
    ],
    ids=["long", "header in the body", "strange ends", "separator"],
)
def test_what_a_form_shows_can_be_sent_back(body: str, judge: Judge, fresh: Path) -> None:
    path = record(fresh)
    path.write_text(HEADER + body, encoding="utf-8")
    before = path.read_bytes()
    held = judge.opened()
    form = held["form"] or {"header": {}, "texts": {}, "raw": held["raw"]}
    answer = judge.save({**held, "form": form}, force=True)
    assert answer.status_code == 200 and not answer.json()["changed"]
    assert path.read_bytes() == before


def test_a_record_longer_than_any_ruling_is_left_to_text_editors(judge: Judge, fresh: Path) -> None:
    record(fresh).write_text(f"{HEADER}# pl: T\n\n" + "a b " * 110_000, encoding="utf-8")
    page = judge.client.get(f"/edit/{KEY}")
    assert page.status_code == 409 and "too long" in page.text
