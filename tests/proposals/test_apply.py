"""Proposals become records: spliced, merged or refused, checked, and back byte for byte."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from kb.core.problems import KbError
from kb.proposals.file import FORMAT, read_proposals
from kb.proposals.merge import merge
from kb.records.library import load
from kb.serialize.ruling import ruling_to_json
from tests.command_line import RunCommand


@pytest.fixture
def base(records: Path) -> Path:
    return records.parent


def section(base: Path, key: str, lang: str) -> dict[str, str]:
    """A section as the site has it beside the page, which is what a proposer sees."""
    library = load(base / "rulings")
    exported = ruling_to_json(library.rulings[key], library)
    return {"title": exported["title"][lang], "body": exported["text"][lang]}


def correction(key: str, lang: str, before: Any, after: Any, **more: Any) -> dict[str, Any]:
    change = {"lang": lang, "before": before, "after": after}
    return {"kind": "correction", "ruling": key, "sections": [change], **more}


def hand_in(base: Path, *proposals: dict[str, Any], **more: Any) -> Path:
    path = base / "proposal.json"
    sent = {"format": FORMAT, "proposals": list(proposals), **more}
    path.write_text(json.dumps(sent, ensure_ascii=False), encoding="utf-8")
    return path


def files(base: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in base.glob("rulings/*/*/*.md")}


def test_a_correction_is_spliced_in_and_its_inverse_gives_the_same_bytes(
    base: Path, kb: RunCommand
) -> None:
    record = base / "rulings/demo/pilots/one-pilot.md"
    record.write_bytes(record.read_bytes().replace(b"\n", b"\r\n"))
    original = files(base)
    before = section(base, "demo/one-pilot", "en")
    after = {"title": "Only one pilot per unit", "body": before["body"] + "\n\nAlways."}
    hand_in(base, correction("demo/one-pilot", "en", before, after, why="clearer"), by="Jan")
    shown = kb("apply", "--dry-run", "proposal.json", cwd=base)
    assert "proposed by Jan" in shown.stdout and "why: clearer" in shown.stderr
    assert "+# en: Only one pilot per unit" in shown.stdout and "+Always." in shown.stdout
    assert files(base) == original
    kb("apply", "proposal.json", cwd=base)
    assert section(base, "demo/one-pilot", "en") == after
    changed = [path for path, data in files(base).items() if data != original[path]]
    assert changed == [str(record)] and b"\n" not in record.read_bytes().replace(b"\r\n", b"")
    again = kb("apply", "proposal.json", cwd=base)
    assert "is so already" in again.stderr and "0 files written" in again.stderr
    hand_in(base, correction("demo/one-pilot", "en", after, before))
    kb("apply", "proposal.json", cwd=base)
    assert files(base) == original


@pytest.mark.thorough
def test_every_section_of_every_ruling_can_be_seen_as_it_stands(rulings_root: Path) -> None:
    from kb.proposals.apply import plan

    library = load(rulings_root)
    sections = [
        correction(key, text.lang, seen, {**seen, "body": seen["body"] + "\n\nTest."})
        for key, ruling in library.rulings.items()
        for text in ruling.texts
        for seen in [{"title": text.title, "body": text.body}]
    ]
    for start in range(0, len(sections), 500):
        some = sections[start : start + 500]
        sent = read_proposals(json.dumps({"format": FORMAT, "proposals": some}), "test")
        planned = plan(rulings_root, sent.proposals)
        # No merge was needed: what the site shows is what the record has.
        assert planned.notes == () and planned.refused == ()


def test_a_ruling_that_has_changed_since_is_merged_or_refused(base: Path, kb: RunCommand) -> None:
    record = base / "rulings/demo/pilots/one-pilot.md"
    first = section(base, "demo/one-pilot", "en")
    seen = {**first, "body": first["body"] + "\n\nA second paragraph.\n\nA third one."}
    hand_in(base, correction("demo/one-pilot", "en", first, seen))
    kb("apply", "proposal.json", cwd=base)
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace("A third one.", "A third one, edited."), encoding="utf-8")
    other = {**seen, "body": seen["body"].replace("A second", "Another")}
    hand_in(base, correction("demo/one-pilot", "en", seen, other))
    assert "merged" in kb("apply", "proposal.json", cwd=base).stderr
    assert "Another paragraph.\n\nA third one, edited." in record.read_text(encoding="utf-8")
    now = files(base)
    clash = {**seen, "body": seen["body"].replace("A third one.", "A third one, again.")}
    fine = correction("demo/old-answer", "en", section(base, "demo/old-answer", "en"), first)
    hand_in(base, fine, correction("demo/one-pilot", "en", seen, clash))
    refused = kb("apply", "proposal.json", cwd=base, code=1)
    assert "demo/one-pilot: en: the same lines have changed" in refused.stderr
    assert "nothing was written" in refused.stderr and files(base) == now
    hand_in(base, correction("demo/gone", "en", first, seen))
    assert "no such ruling" in kb("apply", "proposal.json", cwd=base, code=1).stderr


def test_a_new_ruling_a_question_and_a_floor_note_become_records(
    base: Path, kb: RunCommand
) -> None:
    body = {"pl": {"title": "Czy pilot może zmienić jednostkę?", "body": "Sędzia: tak."}}
    note = {
        "kind": "question",
        "game": "demo",
        "topic": "pilots",
        "texts": body,
        "about": ["Anakin Skywalker (C)"],
        "asked": "2026-03-14",
        "asked_of": "head judge",
    }
    new = {"kind": "ruling", "game": "demo", "topic": "pilots", "id": "pilots-swap", "texts": body}
    hand_in(base, note, note, {**note, "asked": ""}, new)
    assert kb("apply", "proposal.json", cwd=base).stderr.count("is there already") == 1
    library = load(base / "rulings")
    assert not library.problems
    question = library.rulings["demo/czy-pilot-moze-zmienic-jednostke"]
    assert question.header.kind == "question" and question.header.status == "unanswered"
    assert (question.header.asked, question.header.asked_of) == ("2026-03-14", "head judge")
    assert "demo/czy-pilot-moze-zmienic-jednostke-2" in library.rulings
    assert library.rulings["demo/pilots-swap"].header.authority == "community"
    # After a kill the same file is applied again.
    written = files(base)
    assert kb("apply", "proposal.json", cwd=base).stderr.count("is there already") == 4
    assert files(base) == written
    hand_in(base, {**new, "about": ["Anakin Skywalker (C)"]})
    taken = kb("apply", "proposal.json", cwd=base, code=1)
    assert "demo/pilots-swap: the id is taken" in taken.stderr


def test_what_would_make_a_problem_is_not_written(base: Path, kb: RunCommand) -> None:
    original = files(base)
    seen = section(base, "demo/one-pilot", "en")
    for body, message in (
        ("[[Nobody Known]] may pilot.", "Nobody Known"),
        ("Text.\n\n# pl: Another section\n\nText.", "section"),
    ):
        hand_in(base, correction("demo/one-pilot", "en", seen, {**seen, "body": body}))
        assert message in kb("apply", "proposal.json", cwd=base, code=1).stderr
    assert files(base) == original
    hand_in(base, correction("demo/one-pilot", "en", seen, {**seen, "body": "[[Nobody]]."}))
    assert "1 file written" in kb("apply", "--force", "proposal.json", cwd=base, code=1).stderr
    for path, data in original.items():
        Path(path).write_bytes(data)
    note = {"kind": "question", "game": "demo", "topic": "pilots", "texts": {"en": seen}}
    hand_in(base, note)
    missing = "rulings/demo/pilots/one-pilot-per-unit.md:9: no section in pl, the game's language"
    written = kb("apply", "proposal.json", cwd=base)
    assert f"still to write: {missing}\n" in written.stderr and "1 file written" in written.stderr
    assert "kb build --keep-going" in written.stderr
    assert kb("check", cwd=base, code=1).stdout == f"{missing}\n"
    (base / "rulings/demo/pilots/one-pilot-per-unit.md").unlink()
    new = {"kind": "ruling", "game": "demo", "topic": "nowhere", "texts": {"pl": seen}}
    hand_in(base, new)
    assert "no topic nowhere" in kb("apply", "proposal.json", cwd=base, code=1).stderr
    assert files(base) == original


def test_a_file_in_a_mail_and_files_that_are_none(base: Path, kb: RunCommand) -> None:
    seen = section(base, "demo/one-pilot", "en")
    path = hand_in(base, correction("demo/one-pilot", "en", seen, {**seen, "body": "One."}))
    mail = f"Hello,\r\n\r\n```json\r\n{path.read_text(encoding='utf-8')}\r\n```\r\nBye\r\n"
    assert "+One." in kb("apply", "--dry-run", "-", cwd=base, text=mail).stdout
    for text, message in (
        ("not JSON", "not a file of proposals"),
        ('{"format": "other", "proposals": []}', "format"),
        ("[" * 100_000, "not a file of proposals"),
        (
            json.dumps(
                {"format": FORMAT, "proposals": [correction("../../etc/passwd", "en", None, seen)]}
            ),
            r"ruling: '../../etc/passwd' is not of the expected form$",
        ),
        (
            json.dumps({"format": FORMAT, "proposals": [{"kind": "law"}]}),
            "'law' is not one of 'correction', 'ruling', 'question'",
        ),
    ):
        with pytest.raises(KbError, match=message):
            read_proposals(text, "file")


@pytest.mark.parametrize("end", ["\n", "\r\n", " \r\n"])
def test_lines_that_a_mail_program_broke_are_joined(base: Path, end: str) -> None:
    seen = section(base, "demo/one-pilot", "pl")
    after = {**seen, "body": 'One "pilot" \\ only.\n\n```\n- & ? # + 😀\n```\nAlways.'}
    text = hand_in(base, correction("demo/one-pilot", "pl", seen, after)).read_text("utf-8")
    lines = textwrap.wrap(text, 40, break_long_words=False, break_on_hyphens=False)
    assert len(lines) > 10
    mail = "\r\n".join(("Hello,", "```json", end.join(lines), "```", ""))
    assert read_proposals(mail, "mail") == read_proposals(text, "file")


@pytest.mark.parametrize(
    ("ancestor", "ours", "theirs", "merged"),
    [
        ("a\nb\nc", "a\nb\nc", "a\nX\nc", "a\nX\nc"),
        ("a\nb\nc", "A\nb\nc", "a\nb\nC", "A\nb\nC"),
        ("a\nb\nc", "A\nb\nc", "A\nb\nC", "A\nb\nC"),
        ("a\nb\nc", "A\nb\nc", "B\nb\nc", None),
        ("a\nb\nc", "a\nc", "a\nB\nc", None),
        ("a\n\nb", "a\n\nb\n\nc", "x\n\na\n\nb", "x\n\na\n\nb\n\nc"),
    ],
)
def test_merging(ancestor: str, ours: str, theirs: str, merged: str | None) -> None:
    assert merge(ancestor, ours, theirs) == merged
