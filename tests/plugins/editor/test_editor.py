"""Editing over HTTP: only changes are written, no edit is lost, no other site can write."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kb.pipeline.builds import FolderBuilds
from kb.plugins.editor.access import Access
from kb.plugins.editor.service import SERVICE
from kb.records.fields import HEADER_FIELDS
from kb.records.library import load
from kb.server.app import create_app
from kb.server.live_pages import LivePages
from kb.server.live_site import LiveSite
from kb.server.responses import HttpError
from kb.server.watch import LiveState
from tests.command_line import RunCommand
from tests.conftest import contents, paths_of
from tests.records.test_history import git

HOME = "http://127.0.0.1:8000"
KEY = "demo/one-pilot"
TOKEN = "correct horse battery"


def application(folder: Path, token: str = "") -> Any:
    paths = paths_of(folder)
    records = LiveSite(paths, folder / "site")
    live = LivePages(records, LiveState)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KB_TOKEN", token)
        return create_app(records, FolderBuilds(paths), live=live, services=[SERVICE])


class Judge:
    """Somebody with the editor open."""

    def __init__(self, app: Any) -> None:
        self.client = TestClient(app, base_url=HOME)

    def post(self, path: str, body: Any, **headers: str) -> Any:
        sent = {"Origin": HOME, **headers}
        sent = {name: value for name, value in sent.items() if value}
        return self.client.post(f"/edit/api/{path}", json=body, headers=sent)

    def opened(self, key: str = KEY, *, raw: bool = False) -> dict[str, Any]:
        page = self.client.get(f"/edit/{key}{'?raw' if raw else ''}")
        assert page.status_code == 200, page.text
        return record_of(page.text)

    def save(self, held: dict[str, Any], *, force: bool = False, **form: Any) -> Any:
        named = {name: held[name] for name in ("key", "version")}
        return self.post("save", {**named, "form": form or held["form"], "force": force})

    def review(self, form: Any, key: str = KEY, *, new: bool = False) -> dict[str, Any]:
        answer: dict[str, Any] = self.post("review", {"key": key, "new": new, "form": form}).json()
        return answer


@pytest.fixture()
def judge(fresh: Path) -> Judge:
    return Judge(application(fresh))


def record_of(page: str) -> dict[str, Any]:
    """Return the record in a page of the editor."""
    script = r'<script type="application/json" id="record">(.*?)</script>'
    found = re.search(script, page, re.DOTALL)
    assert found
    held: dict[str, Any] = json.loads(found[1])
    return held


def record(folder: Path, name: str = "one-pilot") -> Path:
    return next((folder / "rulings" / "demo").glob(f"*/{name}.md"))


def with_(held: dict[str, Any], **values: Any) -> dict[str, Any]:
    form = held["form"]
    return {
        "header": {**form["header"], **{key.replace("_", "-"): one for key, one in values.items()}},
        "texts": form["texts"],
    }


def test_only_what_was_changed_is_written(judge: Judge, fresh: Path) -> None:
    path = record(fresh)
    os.chmod(path, 0o640)
    before = path.read_bytes().replace(b"\n", b"\r\n")
    path.write_bytes(b"\xef\xbb\xbf" + before)
    held = judge.opened()
    form = with_(held, date="2003-06")
    form["texts"]["en"]["title"] = "A single pilot per unit"
    told = judge.save(held, **form)
    assert told.status_code == 200 and told.json()["changed"] and told.json()["problems"] == []
    wanted = before.replace(b"date: 2003-05", b"date: 2003-06").replace(
        b"# en: One pilot per", b"# en: A single pilot per"
    )
    assert path.read_bytes() == b"\xef\xbb\xbf" + wanted and path.stat().st_mode & 0o777 == 0o640
    assert [one.name for one in path.parent.iterdir() if one.name.startswith(".")] == []
    again = judge.save({**held, "version": told.json()["version"]}, **form)
    assert again.json()["changed"] is False
    assert judge.opened()["form"]["header"]["date"] == "2003-06"


def test_of_many_saves_on_two_servers_only_the_first_is_written(fresh: Path) -> None:
    judges = [Judge(application(fresh)) for _ in range(2)]
    held, start = judges[0].opened(), threading.Barrier(6)

    def save(number: int) -> int:
        start.wait()
        answer = judges[number % 2].save(held, **with_(held, date=f"201{number}"))
        return int(answer.status_code)

    with ThreadPoolExecutor(6) as threads:
        codes = list(threads.map(save, range(6)))
    assert sorted(codes) == [200, 409, 409, 409, 409, 409]
    assert f"date: 201{codes.index(200)}\n" in record(fresh).read_text(encoding="utf-8")


def test_a_save_keeps_what_another_program_writes_meanwhile(
    judge: Judge, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even while the save waits for the disk."""
    held, path, sync = judge.opened(), record(fresh), os.fsync
    theirs = path.read_bytes().replace(b"date: 2003-05", b"date: 2009")

    def sync_late(descriptor: int) -> None:
        sync(descriptor)
        path.write_bytes(theirs)

    monkeypatch.setattr(os, "fsync", sync_late)
    refused = judge.save(held, **with_(held, date="2004"))
    assert refused.status_code == 409 and "has just written" in refused.json()["detail"]
    assert path.read_bytes() == theirs


def test_problems_stand_beside_their_fields(judge: Judge) -> None:
    held = judge.opened()

    def wrong(form: dict[str, Any]) -> list[tuple[str, str]]:
        problems = judge.review(form)["problems"]
        return [(problem["field"], problem["path"].rpartition("/")[2]) for problem in problems]

    assert wrong(held["form"]) == []
    assert wrong(with_(held, topics=["pilot", "pilots"])) == [("topics", "")]
    form = with_(held, sources=["demo-faq#nothing"], about=["Nobody"])
    assert wrong(form) == [("about", ""), ("sources", "")]
    assert wrong(with_(held, date="yesterday", kind="law")) == [("kind", ""), ("date", "")]
    assert wrong(with_(held, supersedes=[])) == [("", "old-answer.md")]
    form = with_(held)
    form["texts"]["pl"]["body"] += "\n\n[[Nobody]]"
    assert wrong(form) == [("body.pl", "")]
    form["texts"]["pl"]["body"] += "\n\n# en: y"
    assert wrong(form) == [("body.pl", "")]
    # What hides behind a record that cannot be read is reported with it; it has no line yet.
    held = judge.opened()
    refused = judge.save(held, **with_(held, kind="law", topics=["pilot"]))
    assert refused.status_code == 422
    problems = [(one["field"], one["line"]) for one in refused.json()["problems"]]
    assert problems == [("kind", 3), ("topics", 0)]


def test_preview_is_the_page(judge: Judge, small_base: Path) -> None:
    held = judge.opened()
    shown = judge.review(held["form"])["preview"]
    page = (small_base / "site/demo/rulings/one-pilot/index.html").read_text(encoding="utf-8")
    for part in re.findall(r'<div class="(?:answer|more)">.*?</div>', page, re.DOTALL):
        assert part in shown
    assert re.findall(r'<dl class="facts">.*?</dl>', page, re.DOTALL)[0] in shown
    form = with_(held, date="never")
    form["texts"]["en"]["body"] = "*New* <script>alert(1)</script> [[Darth Sidious (C)|words]]"
    answer = judge.review(form)
    assert answer["problems"][0]["field"] == "date" and "<em>New</em>" in answer["preview"]
    assert "<script>alert" not in answer["preview"]
    assert re.search(r'cards/darth-sidious/index.html"[^>]*>words</a>', answer["preview"])


def test_preview_and_completion_before_the_first_build(judge: Judge, fresh: Path) -> None:
    form = judge.opened()["form"]
    shutil.rmtree(fresh / ".kb")
    answer = judge.review(form)
    assert answer["problems"] == [] and form["texts"]["pl"]["body"][:20] in answer["preview"]
    query = {"game": "demo", "kind": "card", "q": "lowca", "lang": "pl"}
    choices = judge.client.get("/edit/api/complete", params=query).json()["choices"]
    assert [choice["value"] for choice in choices] == ["Łowca Światów"]


def test_completion(judge: Judge) -> None:
    def values(kind: str, typed: str, lang: str = "pl") -> list[str]:
        query = {"game": "demo", "kind": kind, "q": typed, "lang": lang}
        answer = judge.client.get("/edit/api/complete", params=query).json()
        return [choice["value"] for choice in answer["choices"]]

    assert values("card", "SWIATOW") == ["Łowca Światów"]
    versions = [f"Anakin Skywalker{version}" for version in ("", " (A)", " (C)")]
    assert values("card", "skyw") == versions
    assert values("card", "Dartha Sidiousa C")[0] == "Darth Sidious (C)"
    assert values("card", "") == [] and values("card", "xyzzy") == []
    assert values("topic", "pilo") == ["pilots"] and values("topic", "") == ["pilots", "errata"]
    assert values("source", "one-p") == ["demo-faq#one-pilot"]
    assert "old-answer" in values("ruling", "dwoch pil")
    assert values("document", "INSTR") == ["demo-rulebook"] and values("rule", "") == []
    assert judge.client.get("/edit/api/complete?game=demo&kind=x").status_code == 422
    assert judge.client.get("/edit/api/complete?game=chess&kind=card&q=x").status_code == 404


_PLAIN = {"kind": "note", "authority": "community", "status": "current"}
NEW = {
    "header": {**_PLAIN, "topics": ["pilots"], "sources": ["demo-faq#example"]},
    "texts": {
        "pl": {"title": "Nowy: zapis", "body": "Treść."},
        "en": {"title": "New", "body": "Text."},
    },
}


def test_a_new_record(judge: Judge, fresh: Path) -> None:
    told = judge.post("save", {"key": "demo/brand-new", "form": NEW})
    assert told.status_code == 200, told.text
    assert record(fresh, "brand-new").read_text(encoding="utf-8") == (
        "---\nkind: note\nauthority: community\nstatus: current\ntopics:\n  - pilots\n"
        "sources:\n  - demo-faq#example\n---\n"
        "\n# pl: Nowy: zapis\n\nTreść.\n\n# en: New\n\nText.\n"
    )

    def lacking(answer: Any) -> list[str]:
        assert answer.status_code == 422 and not answer.json()["forcible"]
        return [problem["field"] for problem in answer.json()["problems"]]

    before = sorted(fresh.rglob("*"))
    for name in ("brand-new", "single-pilot", "a--b", ""):
        sent = {"key": f"demo/{name}", "form": NEW, "force": True}
        assert lacking(judge.post("save", sent)) == ["id"], name
    assert sorted(fresh.rglob("*")) == before
    for topics in ([], ["nothing"], ["../../pilots"]):
        form = {**NEW, "header": {**NEW["header"], "topics": topics}}
        sent = {"key": "demo/other", "form": form, "force": True}
        assert lacking(judge.post("save", sent)) == ["topics"], topics
    # Before there is an id and a topic, all is seen that is known.
    answer = judge.review(form, "demo/", new=True)
    assert [problem["field"] for problem in answer["problems"]] == ["id", "topics"]
    assert answer["id"] == "new" and "Treść." in answer["preview"]
    game = fresh / "rulings" / "demo" / "game.yaml"
    game.write_text(game.read_text(encoding="utf-8") + "checks: strict\n", encoding="utf-8")
    assert judge.post("save", {"key": "chess/other", "form": NEW}).status_code == 404
    form["texts"] = {**NEW["texts"], "pl": {"title": "Nowy", "body": "Ma 7."}}
    topics = {**NEW["header"], "topics": ["pilots"]}
    problems = judge.review({**form, "header": topics}, "demo/other", new=True)["problems"]
    assert "body.en" in [problem["field"] for problem in problems], problems


def test_no_path_leaves_the_records(judge: Judge, fresh: Path) -> None:
    before = sorted(path.as_posix() for path in fresh.rglob("*"))
    for key in (
        "../x",
        "demo/../x",
        "/etc/passwd",
        "demo/a/b",
        "demo/a.md",
        "demo\\x/y",
        "demo/\0",
    ):
        for version in ("", "0" * 64):
            sent = {"key": key, "version": version, "form": NEW, "force": True}
            assert judge.post("save", sent).status_code == 422, key
    for path in ("/edit/demo/%2e%2e%2fgame", "/edit/demo/UP", "/edit/demo/a--b"):
        assert judge.client.get(path).status_code == 404, path
    assert sorted(path.as_posix() for path in fresh.rglob("*")) == before


def test_a_topic_that_is_a_link_is_not_followed(judge: Judge, fresh: Path, tmp_path: Path) -> None:
    topic, elsewhere = fresh / "rulings" / "demo" / "errata", tmp_path / "elsewhere"
    topic.rename(elsewhere)
    topic.symlink_to(elsewhere)
    form = {**NEW, "header": {**NEW["header"], "topics": ["errata"]}}
    assert judge.post("save", {"key": "demo/other", "form": form, "force": True}).status_code == 403
    assert [path.name for path in elsewhere.iterdir()] == ["errata-speeder.md"]


def test_as_plain_text(judge: Judge, fresh: Path) -> None:
    path = record(fresh)
    text = path.read_bytes().replace(b"status: current", b"status: current # lost")
    path.write_bytes(text.replace(b"\n", b"\r\n"))
    held = judge.opened()
    assert held["form"] is None and held["asText"]
    text = held["raw"].replace("\r\n", "\n").replace(" # lost", "")
    before = path.read_bytes()
    assert judge.save(held, header={}, texts={}, raw=text).status_code == 200
    assert path.read_bytes() == before.replace(b" # lost", b"")
    held = judge.opened(raw=True)
    assert held["form"] and held["asText"]
    told = judge.save(held, force=True, header={}, texts={}, raw=text + "\x00")
    assert told.status_code == 422 and "control character" in told.json()["detail"]


def test_only_pages_of_this_server_write(judge: Judge, fresh: Path) -> None:
    held = judge.opened()
    body = {"key": KEY, "version": held["version"], "form": with_(held, date="2009")}
    for headers in (
        {"Origin": "https://elsewhere.example"},
        {"Origin": ""},
        {"Sec-Fetch-Site": "same-site"},
    ):
        for path in ("save", "review"):
            assert judge.post(path, body, **headers).status_code == 403, headers
    assert b"2009" not in record(fresh).read_bytes()
    plain = {"Origin": HOME, "Content-Type": "text/plain"}
    assert judge.client.post("/edit/api/save", content=b"{}", headers=plain).status_code == 415


def test_another_name_of_this_machine_is_not_answered(judge: Judge) -> None:
    for host in ("rebound.example:8000", "127.0.0.1.rebound.example", "", "localhost@x"):
        for path in ("/", "/edit/", "/api/v1/", "/live/state"):
            assert judge.client.get(path, headers={"Host": host}).status_code == 400
    assert judge.client.get("/edit/", headers={"Host": "localhost:8000"}).status_code == 200


def test_what_is_sent_has_the_shape_of_a_form(judge: Judge) -> None:
    for form in ({"header": {"kind": {"a": {"b": "c"}}}}, {"more": 1}, {"texts": {"pl": "x"}}, []):
        refused = judge.post("review", {"key": KEY, "form": form})
        assert refused.status_code == 422 and "valid" not in refused.json()["detail"]
    headers = {"Origin": HOME, "Content-Type": "application/json"}
    for body in (b"{", b"\xff", b"[" * 100_000):
        answer = judge.client.post("/edit/api/review", content=body, headers=headers)
        assert answer.status_code in (400, 422)


def test_a_token_is_asked_for(fresh: Path) -> None:
    client = TestClient(application(fresh, TOKEN), base_url=HOME)
    moved = client.get("/edit/demo/one-pilot", follow_redirects=False).headers["location"]
    assert moved == "/edit/login?next=/edit/demo/one-pilot"
    assert client.get("/edit/api/complete?kind=topic&game=demo").status_code == 403
    forged = {"Origin": HOME, "Cookie": f"kb-edit={'0' * 64}"}
    assert client.post("/edit/api/save", json={}, headers=forged).status_code == 403
    assert client.get("/").status_code == 200
    data, ours = {"token": "wrong"}, {"Origin": HOME}
    assert client.post("/edit/login", data=data, headers=ours).status_code == 403
    right = {"token": TOKEN}
    theirs = {"Origin": "https://elsewhere.example"}
    assert client.post("/edit/login", data=right, headers=theirs).status_code == 403
    done = client.post(
        "/edit/login?next=//elsewhere.example", data=right, headers=ours, follow_redirects=False
    )
    assert (done.status_code, done.headers["location"]) == (303, "/edit/")
    cookie = done.headers["set-cookie"]
    assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/edit" in cookie
    assert client.get("/edit/demo/one-pilot").status_code == 200


def test_editing_for_others_needs_a_token(small_base: Path, kb: RunCommand) -> None:
    words = ("serve", "--edit", "--host", "0.0.0.0", "--port", "0")
    assert "in the environment variable KB_TOKEN" in kb(*words, cwd=small_base, code=2).stderr
    assert "at least 12 characters" in kb(*words, cwd=small_base, code=2, KB_TOKEN="short").stderr


def test_pages_and_the_fields_of_the_form(judge: Judge) -> None:
    home = judge.client.get("/edit/")
    assert 'href="/edit/demo/one-pilot"' in home.text
    assert home.headers["cache-control"] == "no-store"
    new = judge.client.get("/edit/new?game=demo").text
    assert 'id="f-id"' in new and 'id="f-body-en"' in new
    assert judge.client.get("/edit/demo/nothing").status_code == 404
    assert "frame-ancestors 'none'" in home.headers["content-security-policy"]
    page = judge.client.get("/edit/demo/one-pilot").text
    shown = set(re.findall(r'data-key="([a-z-]+)"', page))
    # Values by language stand beside its text; what a translation was made from is a box there.
    expected = {field.key for field in HEADER_FIELDS} - {"translated-from", "when"}
    assert shown == expected and 'data-fits="en"' in page
    assert 'data-key="when.pl"' in page and 'data-key="when.en"' in page


def test_changes_are_shown_and_committed(judge: Judge, fresh: Path) -> None:
    held = judge.opened()
    form = with_(held, date="2003-06")
    sent = {"key": KEY, "version": held["version"], "form": form}
    shown = judge.post("diff", sent).json()
    assert shown["git"] is False and shown["diff"][-1] and "+date: 2003-06" in shown["diff"]
    assert judge.post("save", {**sent, "message": "No git"}).json()["not_committed"]
    for words in (
        ("init",),
        ("config", "user.email", "judge@example.org"),
        ("config", "user.name", "A judge"),
        ("add", "rulings"),
        ("commit", "-m", "Records"),
    ):
        git(fresh, *words)
    held = judge.opened()
    other = record(fresh, "example")
    other.write_bytes(other.read_bytes() + b"\n")
    sent = {"key": KEY, "version": held["version"], "form": with_(held, date="2003-07")}
    assert judge.post("diff", sent).json()["git"] is True
    saved = judge.post("save", {**sent, "message": "Date the pilot ruling"}).json()
    assert re.fullmatch("[0-9a-f]{7,}", saved["revision"])
    log = git(fresh, "log", "--format=%s", "--name-status", "-1")
    assert log.split() == "Date the pilot ruling M rulings/demo/pilots/one-pilot.md".split()


def test_a_renamed_ruling_keeps_its_former_id_and_its_relations(judge: Judge, fresh: Path) -> None:
    held = judge.opened("demo/one-pilot")
    sent = {"key": KEY, "version": held["version"], "new_id": "a-single-pilot"}
    assert "lower-case" in judge.post("rename", {**sent, "new_id": "A b"}).json()["detail"]
    assert "is taken" in judge.post("rename", {**sent, "new_id": "example"}).json()["detail"]
    assert judge.post("rename", {**sent, "version": "0" * 64}).status_code == 409
    result = judge.post("rename", sent).json()
    assert result["key"] == "demo/a-single-pilot"
    header = judge.opened("demo/a-single-pilot")["form"]["header"]
    assert header["formerly"] == ["single-pilot", "one-pilot"]
    assert not (fresh / "rulings" / "demo" / "pilots" / "one-pilot.md").exists()
    library = load(fresh / "rulings")
    assert not library.problems
    assert "demo/example" in result["changed"]


DIAGRAM = """\
# Of one-pilot.
- id: one-pilot
  pl: one-pilot
  en: One pilot
  kind: steps
  rulings: [example, one-pilot]
  steps:
    - pl: Krok
      en: Step
      ruling: one-pilot
      notes:
        - {pl: Uwaga, en: Note, ruling: "one-pilot"}
    - {pl: Krok, en: Step}
"""


def test_a_renamed_ruling_keeps_its_diagrams(judge: Judge, fresh: Path) -> None:
    file = fresh / "rulings" / "demo" / "diagrams.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + DIAGRAM.replace("\n", "\r\n").encode())
    sent = {"key": KEY, "version": judge.opened()["version"], "new_id": "a-single-pilot"}
    assert judge.post("rename", sent).status_code == 200
    text = file.read_text(encoding="utf-8-sig")
    assert text.count("one-pilot") == 3 and text.count("a-single-pilot") == 3
    assert file.read_bytes().count(b"\r\n") == DIAGRAM.count("\n")
    assert not load(fresh / "rulings").problems


def test_only_a_ruling_that_nothing_refers_to_is_deleted(judge: Judge, fresh: Path) -> None:
    sent = {"key": "demo/example", "version": judge.opened("demo/example")["version"]}
    refused = judge.post("delete", {"key": KEY, "version": judge.opened()["version"]})
    assert refused.status_code == 409 and "demo/example" in refused.json()["detail"]
    diagrams = fresh / "rulings" / "demo" / "diagrams.yaml"
    text = DIAGRAM.replace("ruling: one-pilot", "ruling: old-answer")
    diagrams.write_text(text.replace("one-pilot", "example"), encoding="utf-8")
    refused = Judge(application(fresh)).post("delete", sent)
    assert refused.status_code == 409
    assert "diagrams.yaml:6: example: no ruling example in demo" in refused.json()["detail"]
    diagrams.unlink()
    assert judge.post("delete", sent).json() == {}
    assert not list((fresh / "rulings").rglob("example.md"))
    assert judge.client.get("/edit/demo/example").status_code == 404


QUESTIONS = "ruling\tlang\tquestion\n# Kept.\nold-answer\ten\twhich?\none-pilot\tru\tсколько?\n"
ASKED = {"asked-as.pl": ["ilu ich?", "czy dwóch?"], "asked-as.en": ["how many?"]}
ROWS = "one-pilot\tpl\tilu ich?\none-pilot\tpl\tczy dwóch?\none-pilot\ten\thow many?\n"


def test_questions_are_edited_with_their_ruling(judge: Judge, fresh: Path) -> None:
    file = fresh / "rulings" / "demo" / "questions.tsv"
    file.write_text(QUESTIONS, encoding="utf-8")
    held, text = judge.opened(), record(fresh).read_bytes()
    # The page has no field for a language that the game has not.
    del held["form"]["header"]["asked-as.ru"]
    form = with_(held, **ASKED)
    sent = {"key": KEY, "version": held["version"], "form": form}
    assert "+one-pilot\tpl\tilu ich?" in judge.post("diff", sent).json()["diff"]
    reviewed = judge.review(form)
    assert reviewed["problems"] == [] and "how many?" in reviewed["preview"]
    assert judge.save(held, **form).json()["changed"]
    assert file.read_text(encoding="utf-8") == QUESTIONS + ROWS
    assert record(fresh).read_bytes() == text
    # Somebody who opened the ruling before has not seen the questions.
    assert judge.save(held, **form).status_code == 409
    held = judge.opened()
    del held["form"]["header"]["asked-as.ru"]
    # A question of another ruling is no change of this one.
    file.write_text(f"{QUESTIONS}{ROWS}example\ten\twhat else?\n", encoding="utf-8")
    assert judge.save(held).json()["changed"] is False
    for wrong, message in (
        (["x"], "2 to 300"),
        (["one", "One?"], "already"),
        (["which"], "demo/old-answer asks the same"),
    ):
        refused = judge.save(held, **with_(held, **{"asked-as.en": wrong}))
        (problem,) = refused.json()["problems"]
        assert problem["field"] == "asked-as.en" and message in problem["message"]
    hidden = with_(held, **{"asked-as.en": ["a\u200b?"]})
    assert judge.save(held, force=True, **hidden).status_code == 422


def test_a_ruling_and_its_questions_are_written_both_or_not_at_all(
    judge: Judge, fresh: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = fresh / "rulings" / "demo" / "questions.tsv"
    held, before, replaced = judge.opened(), contents(fresh / "rulings"), os.replace

    def full(source: Any, target: Any, **options: Any) -> None:
        if str(target).endswith(".md"):
            raise OSError(28, "No space left on device")
        replaced(source, target, **options)

    form = with_(held, date="2004", **ASKED)
    with monkeypatch.context() as patched:
        patched.setattr("os.replace", full)
        refused = judge.save(held, **form)
    assert refused.status_code == 507 and "No space left" in refused.json()["detail"]
    assert contents(fresh / "rulings") == before
    # A rename takes the questions along, and what is deleted has none.
    version = judge.save(held, **form).json()["version"]
    sent = {"key": KEY, "version": version, "new_id": "a-single-pilot"}
    assert judge.post("rename", sent).status_code == 200
    text = file.read_text(encoding="utf-8")
    assert "one-pilot" not in text and text.count("a-single-pilot\t") == 3
    form = {**NEW, "header": {**NEW["header"], "asked-as.pl": ["nowe?"]}}
    version = judge.post("save", {"key": "demo/brand-new", "form": form}).json()["version"]
    assert "brand-new\tpl\tnowe?\n" in file.read_text(encoding="utf-8")
    judge.post("delete", {"key": "demo/brand-new", "version": version})
    assert file.read_text(encoding="utf-8") == text


def test_what_is_missed_is_added_to_the_files_of_the_game(judge: Judge, fresh: Path) -> None:
    def add(kind: str, **values: str) -> Any:
        named = {name.replace("_", "."): value for name, value in values.items()}
        return judge.post("add", {"kind": kind, "game": "demo", "values": named})

    before = (fresh / "rulings" / "demo" / "game.yaml").read_text(encoding="utf-8")
    topic = add("topic", id="duels", title_pl="Pojedynki", title_en="Duels: 'all'")
    assert topic.json() == {"name": "duels"}
    source = add("source", id="letters", title_pl="Listy", provision="first")
    assert source.json()["name"] == "letters#first"
    assert add("provision", source="letters", provision="second").status_code == 200
    assert add("card", name="New Hope", set="Third Set").json()["name"] == "New Hope"
    assert add("term", name_pl="pojedynek", name_en="duel").json() == {"name": "duel"}
    library = load(fresh / "rulings")
    game = library.games["demo"]
    assert not library.problems
    assert game.topics["duels"].title == {"pl": "Pojedynki", "en": "Duels: 'all'"}
    assert game.sources_by_id["letters"].provisions == ("first", "second")
    assert game.cards_named("New Hope") and game.terms_by_id["duel"].title("en") == "duel"
    after = (fresh / "rulings" / "demo" / "game.yaml").read_text(encoding="utf-8")
    assert all(line in after.splitlines() for line in before.splitlines())
    for kind, values, problem in (
        ("topic", {"id": "Duels", "title_pl": "X"}, "not an id"),
        ("topic", {"id": "duels", "title_pl": "X"}, "already has a topic duels"),
        ("term", {"id": "duel", "name_pl": "X"}, "already has a term duel"),
        ("provision", {"source": "nowhere", "provision": "x"}, "no source nowhere"),
        ("card", {"name": "A [[card]]"}, "cannot stand"),
        ("source", {"id": "faq"}, "provision: required"),
    ):
        refused = add(kind, **values)
        assert refused.status_code == 422 and problem in refused.json()["detail"], refused.json()
    assert load(fresh / "rulings").games["demo"] == game


def test_pages_are_in_the_language_that_is_asked_for_chosen_or_the_browsers(judge: Judge) -> None:
    def heading(address: str, **headers: str) -> str:
        page = judge.client.get(address, headers=headers)
        language = re.search('<html lang="(..)">', page.text)
        title = re.search("<h1[^>]*>(.*?)</h1>", page.text)
        assert language and title
        return f"{language[1]}: {title[1]}"

    assert heading("/edit/") == "en: Edit rulings"
    browser = {"accept-language": "de-DE,cs;q=0.9,en;q=0.8"}
    assert heading("/edit/", **browser) == "cs: Upravit rozhodnutí"
    assert heading("/edit/new?interface=ru&game=demo", **browser) == "ru: Новое разъяснение"
    assert heading("/edit/", **browser) == "ru: Редактировать разъяснения"
    assert heading("/edit/demo/nothing?interface=xx") == "ru: Не удаётся показать эту страницу"
    page = judge.client.get(f"/edit/{KEY}?raw&interface=pl").text
    assert f'href="/edit/{KEY}?raw=&amp;interface=sk"' in page and "Najpierw zapisz zmiany" in page
    site = judge.client.get("/", headers={"sec-fetch-mode": "navigate"}).text
    assert "&quot;edit&quot;:&quot;Edit rulings&quot;" in site


def test_wrong_tokens_lock_out_their_own_address_for_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("kb.plugins.editor.access.time.monotonic", lambda: now)
    access = Access(TOKEN)
    for token, status in (*[("wrong", 403)] * 10, (TOKEN, 429)):
        with pytest.raises(HttpError) as refused:
            access.log_in(token, "192.0.2.1")
        assert refused.value.status_code == status
    access.log_in(TOKEN, "192.0.2.2")
    now += 61
    access.log_in(TOKEN, "192.0.2.1")
