"""The editor when records are gone, cannot be sent back, or would have a dangerous name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.plugins.editor.test_editor import KEY, Judge, application, judge, record, record_of

__all__ = ["judge"]

HEADER = "---\nkind: ruling\nauthority: official\nstatus: current\ntopics:\n  - pilots\n{}---\n"


def harm_records(folder: Path, harm: str) -> None:
    if harm == "a broken game":
        (folder / "demo" / "game.yaml").write_bytes(b"\xff\x00: [")
    else:
        shutil.rmtree(folder)


@pytest.mark.parametrize("harm", ["nothing", "a broken game"])
def test_records_that_are_gone_are_said(
    harm: str, judge: Judge, fresh: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = judge.opened()
    harm_records(fresh / "rulings", harm)
    restarted = Judge(application(fresh))
    for client in (judge, restarted):
        answers = [
            client.post("review", {"key": KEY, "form": held["form"]}),
            client.post("review", {"key": "demo/x", "new": True, "form": held["form"]}),
            client.save(held),
            client.save(held, force=True),
            client.save({**held, "version": "", "key": "demo/brand-new"}),
            *(
                client.client.get("/edit/api/complete", params={"kind": kind, "game": "demo"})
                for kind in ("card", "topic", "ruling", "source")
            ),
        ]
        for answer in answers:
            assert answer.status_code in (200, 404, 409, 422, 503), answer.text
            assert answer.headers["content-type"].startswith("application/")
        for page in ("/edit/", "/edit/new", f"/edit/{KEY}"):
            assert client.client.get(page).status_code in (200, 404, 503)
    assert "Traceback" not in capsys.readouterr().err


BODIES: dict[str, str] = {
    "long body": "# pl: Tytuł\n\n" + "słowo " * 40_000,
    "long title": f"# pl: {'Tytuł ' * 500}\n\nTekst.",
    "header in the body": "# pl: Tytuł\n\n```\n# en: not a title\n```\n",
    "many languages": "".join(
        f"\n# {chr(97 + number // 26)}{chr(97 + number % 26)}: T\n\nX.\n" for number in range(40)
    ),
    "strange ends": "# pl: Tytuł\n\nTekst.  \n\n\n\n\t\n",
    "separator": "# pl: Tytuł\n\nTekst.\n\n---\n\nWięcej.\n",
}
HEADERS = {
    "plain": "",
    "long list": "about:\n" + "".join(f"  - Card {number}\n" for number in range(300)),
    "long value": f"date: {'2' * 3_000}\n",
    "long pair": f"translated-from:\n  en: {'a' * 3_000}\n",
}


def test_what_a_form_shows_can_be_sent_back(judge: Judge, fresh: Path) -> None:
    path = record(fresh)
    pairs = [*((header, "separator") for header in HEADERS), *(("plain", body) for body in BODIES)]
    for header, body in pairs:
        path.write_text(HEADER.format(HEADERS[header]) + "\n" + BODIES[body], encoding="utf-8")
        before = path.read_bytes()
        page = judge.client.get(f"/edit/{KEY}")
        assert page.status_code in (200, 409), (header, body)
        if page.status_code == 409:
            continue
        held = record_of(page.text)
        form = held["form"] or {"header": {}, "texts": {}, "raw": held["raw"]}
        answer = judge.save({**held, "form": form}, force=True)
        assert answer.status_code == 200 and not answer.json()["changed"], (header, body)
        assert path.read_bytes() == before, (header, body)


def test_a_record_longer_than_any_ruling_is_left_to_text_editors(judge: Judge, fresh: Path) -> None:
    record(fresh).write_text(
        HEADER.format("") + "\n# pl: T\n\n" + "a b " * 110_000, encoding="utf-8"
    )
    page = judge.client.get(f"/edit/{KEY}")
    assert page.status_code == 409 and "too long" in page.text
