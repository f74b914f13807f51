"""A base of bad records: the small game beside others, each record with one mistake.

What is in `bad/` is copied, everything else is a change of what is right.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.conftest import GOOD

Changes = dict[str, str]

RECORD = """---
kind: ruling
authority: official
status: current
topics:
  - pilots
sources:
  - demo-faq#one-pilot
---

# pl: Tytuł

Odpowiedź.

# en: Title

The answer.
"""
_POLISH = "# pl: Tytuł\n\nOdpowiedź.\n\n"
_TEXTS = RECORD.partition("---\n\n")[2]


def header(lines: str) -> Changes:
    """Lines at the end of the header."""
    return {"\n---\n": f"\n{lines}\n---\n"}


def body(lines: str) -> Changes:
    """Lines at the end of the last text."""
    return {"The answer.\n": f"The answer.\n\n{lines}\n"}


# The records of the topic `pilots`, by id.
PILOTS: dict[str, Changes] = {
    "good-beside-bad": {},
    "Bad Name": {},
    "twice": {},
    # The form of the header.
    "alias": {"topics:": "topics: &t", "sources:": "related: *t\nsources:"},
    "another-name-of-a-card": header("about:\n  - Sidious"),
    "apostrophe-in-quotes": header("about:\n  - 'Artoo's Repairs'"),
    "books-quotes": {"- pilots": "- “pilots”"},
    "books-quotes-around-a-card": header("about:\n  - „Coruscant Speeder”"),
    "broken-yaml": {"topics:\n  - pilots": "topics: [pilots"},
    "colon-in-a-card": header("about:\n  - Anakin: C"),
    "colon-in-value": header("about:\n  - Anakin: Skywalker: C"),
    "colon-missing": {"status: current": "status current"},
    "colon-without-space": {"kind: ": "kind:"},
    "comment-after-value": {"status: current": "status: current # still"},
    "deep": {"topics:\n  - pilots": f"topics: {'[' * 40}{']' * 40}"},
    "duplicate-key": {"topics:": "kind: example\ntopics:"},
    "escaped-control": header('because: "turned \\u202E around"'),
    "list-of-stars": header("about:\n  * Coruscant Speeder"),
    "list-in-a-line": {"topics:\n  - pilots": "topics: pilots, errata"},
    "list-expected": {"- pilots": "main: pilots"},
    "list-unevenly-indented": {"  - pilots": "   - pilots\n  - errata"},
    "mark-in-the-header": header("about:\n  - [[Coruscant Speeder]]"),
    "missing-key": {"authority: official\n": ""},
    "misspelt-required-key": {"authority": "autority"},
    "no-closing-line": {"---\n\n": "\n"},
    "open-quote": header('because: "what stands here'),
    "section-in-header": {"---\n\n": "\n", "The answer.\n": "The answer.\n\n---\n"},
    "tab": {"status:": "\tstatus:"},
    "tag": {"status:": "status: !!python/object:os.system"},
    "unknown-key": {"status:": "statsu: x\nstatus:"},
    "value-expected": {"kind: ": "kind:\n  - "},
    # The values of the header.
    "asked-ruling": header("asked-of: the designers"),
    "bad-date": header("date: 2003-02-30"),
    "bad-date-form": header("date: 5.2003"),
    "bad-date-in-the-future": header("date: 2203-06-01"),
    "bad-kind": {"kind: ruling": "kind: rule"},
    "because-of-nothing": header("because: The rulebook changed."),
    "citation-twice": header("  - demo-faq#one-pilot"),
    "difference-from-nothing": header("different-from:\n  - no-such-one (it is about equipment)"),
    "difference-without-why": header("different-from:\n  - good-beside-bad"),
    "edition-unknown": header("reviewed: second"),
    "ends-before-it-begins": header("effective: 2004-02\neffective-until: 2003"),
    "entries-with-a-colon": {"demo-faq#": "demo-faq: "}
    | header("different-from:\n  - good-beside-bad: why"),
    "no-topic": {"topics:\n  - pilots": "topics: []"},
    "rules-unknown": header("rules:\n  - tournament"),
    "source-without-provision": {"#one-pilot": ""},
    "topic-not-folder": {"- pilots": "- errata"},
    "translated-from-words": header("translated-from:\n  en: the original"),
    "translated-into-nothing": header("translated-from:\n  ru: 0123abcd"),
    "unanswered-official": {"kind: ruling": "kind: question", "current": "unanswered"}
    | header("asked: 2003"),
    "verdict-if-without-when": header("verdict: if"),
    "verdict-of-an-unanswered": {"kind: ruling": "kind: question"}
    | {"authority: official": "authority: community", "current": "unanswered\nverdict: yes"},
    "verdict-unknown": header("verdict: maybe"),
    "when-after-yes": header("verdict: yes\nwhen:\n  en: always"),
    "when-in-a-language-without-text": header("verdict: if\nwhen:\n  sk: vždy"),
    "when-too-long": header(f"verdict: if\nwhen:\n  en: {'x' * 41}"),
    "when-without-language": header("verdict: if\nwhen: always"),
    "unanswered-ruling": {"authority: official": "authority: community", "current": "unanswered"},
    "unknown-card": header("about:\n  - Anakin Skywalker (C)\n  - Anakin Skywalkr"),
    "unknown-overrides": header("overrides:\n  - rulebook"),
    "unknown-provision": {"#one-pilot": "#one-pilots"},
    "unknown-source": {"demo-faq": "demo-fqa"},
    "unknown-topic": {"- pilots": "- pilots\n  - pilot"},
    # Relations to other rulings.
    "answers-old": {"current": "superseded"} | header("date: 2001"),
    "answers-one": header("date: 2002\nsupersedes:\n  - answers-old"),
    "answers-two": header("date: 2003\nsupersedes:\n  - answers-old"),
    "answers-newer": {"current": "superseded"} | header("date: 2005"),
    "supersedes-a-later-one": header("date: 1999\nsupersedes:\n  - answers-newer"),
    "current-but-superseded": {},
    "supersedes-it": header("supersedes:\n  - current-but-superseded"),
    "cycle-a": {"current": "superseded"} | header("supersedes:\n  - cycle-b"),
    "cycle-b": {"current": "superseded"} | header("supersedes:\n  - cycle-c"),
    "cycle-c": {"current": "superseded"} | header("supersedes:\n  - cycle-a"),
    "former-id-in-use": header("formerly:\n  - good-beside-bad"),
    "names-itself": header("related:\n  - names-itself"),
    "related-to-unreadable": header("related:\n  - tab"),
    "related-by-its-path": header("related:\n  - demo/good-beside-bad"),
    "unknown-id": header("related:\n  - good-beside-bda"),
    # Sections and texts.
    "broken-mark": body("On [[Darth Sidious (C)."),
    "mark-with-outer-blanks": body("On [[Darth Sidious (C)| not]]."),
    "code-block-open": body("```\ncode"),
    "conflict": body("<<<<<<< HEAD\na\n||||||| 1\n=======\nb\n>>>>>>> you\n\n<<<<<<<\nc"),
    "conflict-half-resolved": body("a\n=======\nb\n>>>>>>> you"),
    "control-character": {"Odpowiedź": "Odpo\x07wiedź"},
    "e-mail": body("Ask judge@example.org."),
    "footnote": body("More[^1].\n\n[^1]: https://a.example/"),
    "html": body("Two<br>lines of <Name> and <B> \\<b> `a <b>`. <!-- Ask. -->"),
    "indented-by-a-tab": body("\tOn [[Coruscant Speeder]]."),
    "indented-in-a-note": body("> [!editors]\n>     A note."),
    "indented-by-spaces": body("    On [[Coruscant Speeder]]."),
    "mark-with-backslashes": body("On \\[\\[Coruscant Speeder\\]\\]."),
    "mark-in-title": {"Tytuł": "Tytuł [[Coruscant Speeder]]"},
    "no-text": {"\n" + _TEXTS: ""},
    "note-before-the-answer": {"The answer.": "> [!editors]\n> A note.\n\nThe answer."},
    "note-in-a-paragraph": body("A paragraph.\n> [!editors]\n> A note."),
    "note-of-nobody": body("> [!note]\n> A note."),
    "note-on-its-first-line": body("> [!translator] A note."),
    "note-without-a-sign": body("> [!editors]\n> A note\non two lines."),
    "note-without-text": body("> [!translator]\n>"),
    "note-with-backslashes": body("> \\[!editors\\]\n> A note."),
    "letter-lost": {"Tytuł": "Tytu\ufffd", "The answer.": "The\n\nanswer of PadmÃ©."},
    "own-language-missing": {_POLISH: ""},
    "own-language-second": {_POLISH: ""} | body(_POLISH.strip()),
    "questions-in-the-record": body("# asked-as: pl\n- kto ma pilota?"),
    "section-head-lost": {
        "Odpowiedź.": "Jeśli pilot jest w arenie, to nie.",
        "# en: Title": "If it is your turn, then the dice are rolled again.",
    },
    "section-in-bold": {"# en: Title": "**en: Title**"},
    "section-in-bold-with-underscores": {"# en: Title": "__en: Title__"},
    "section-of-lower-level": {"# en": "## en"},
    "section-of-no-language": {"# en": "#cz"},
    "section-twice": body("# en: Title\n\nAgain."),
    "section-without-hash": {"# en": "en"},
    "section-without-language": {"# en: ": "# "},
    "section-without-space": {"# en": "#en"},
    "section-without-text": {"\nThe answer.\n": ""},
    "section-without-title": {"en: Title": "en:"},
    "sections-swapped": {
        "Tytuł": "Rerolling the dice",
        "Odpowiedź.": "The dice are rolled again, if it is your turn.",
        "Title": "Przerzucanie kości",
        "The answer.": "Kości nie rzuca się ponownie, gdy jest to tura przeciwnika.",
    },
    "number-lost": {
        "Odpowiedź.": "Zmieniono to w roku\n\n1996. Potem nic.\n\nKroki:\n\n1. Raz.\n2. Dwa.",
        "The answer.": "The cost is at least\n1. The rest is paid.\n\nSteps:\n1. One.\n1. Two.\n"
        "\nParts:\n\n3. Third.\n4. Fourth.\n\nYears:\n\n1996. First.\n\n1. Step.",
    },
    "sign-minus-lost": body("-1/-1.\n- 2 cards"),
    "sign-plus-lost": body("+ 2 cards"),
    "star-lost": body("Roll 2*3 dice,\nX*2 or 4*5."),
    "still-to-do": {"The answer": "TODO: the answer"},
    "text-before-section": {"# pl": "Odpowiedź bez tytułu.\n\n# pl"},
    "two-cards-of-one-name": {"The answer": "The answer on [[Star Destroyer]]"},
    "ruling-as-a-card": body("See [[good-beside-bad]]."),
    "unknown-card-in-text": {"# en": "Drugi akapit o [[Darth Sidius|Sidiousie]].\n\n# en"},
    "unknown-language": {"# en": "# de"},
}

# The lines added to the game.yaml of other games, by id.
_GAME = "id: {}\nname:\n  en: X\nlanguage: en\nlanguages:\n  - en\ntopics:\n  - id: a\n    en: A\n"
GAMES = {
    "bad-card-labels": "card-labels:\n  colour:\n    en: Colour\n  side:\n    english: Side\n",
    "bad-card-words": "card-words:\n  Gruond:\n    en: Ground\n",
    "bad-examples": "examples:\n  en:\n    - who draws first\n  pl:\n    - kto zaczyna\n",
    "bad-game-key": "price: 3\n",
    "bad-looks": 'card-url: "javascript:alert({name})"\ncolour: "#ffcc00"\n'
    'glyph: "M0 0) } body { x"\n',
    "bad-picture": 'picture: "https://cards.example; script-src */{name}.jpg"\n',
    "bad-topic": "  - id: b\n",
    "bad-version-form": 'card-version: "{name}"\n',
} | dict.fromkeys(
    "bad-cards bad-cards-conflict bad-cards-empty bad-cards-head bad-cards-of-excel"
    " bad-cards-of-spreadsheets"
    " bad-cards-twice bad-names bad-questions bad-questions-head bad-separators bad-sources"
    " bad-sources-form bad-status bad-terms".split(),
    "",
)
# Their records, of the topic `a` and in English.
_ENGLISH = {"- pilots": "- a", "sources:\n  - demo-faq#one-pilot\n": "", _POLISH: ""}
RECORDS: dict[str, Changes] = {
    "bad-cards-head/a/names-a-card": header("about:\n  - One") | body("On [[One]]."),
    "bad-cards-twice/a/names-a-card": header("about:\n  - Oen\n  - Two")
    | body("On [[Oen]] and [[Óne]]."),
    "bad-diagrams/a/one": body(_POLISH.strip()),
    "bad-questions/a/one": {},
    "bad-questions/a/two": header("supersedes:\n  - old"),
    "bad-questions/a/old": {"current": "superseded"},
    "bad-sources/a/cites-a-bad-source": header("sources:\n  - other#a"),
    "bad-status/a/superseded-by-nothing": {"current": "superseded"},
    "unreadable-game/a/lost": {},
}
_CARDS = b"name\tversion\tset\ttype\tside\tsubtypes\tother_names\n"
# All other files.
FILES = {
    "bad-cards/cards.tsv": _CARDS
    + b"One\tA\t\t\t\t\t\nOne\tA\t\t\t\t\t\nTwo\tA\n\tB\t\t\t\t\t\nT[wo\t\t\t\t\t\t\n",
    "bad-cards-conflict/cards.tsv": _CARDS + b"||||||| 1\r\nOne\tA\t\t\t\t\t\n",
    "bad-cards-empty/cards.tsv": b"\n",
    "bad-cards-of-excel/cards.tsv": b"PK\x03\x04\x14\x00\x06\x00",
    "bad-cards-head/cards.tsv": b"name\tsett\nOne\tA\n",
    "bad-cards-of-spreadsheets/cards.tsv": _CARDS
    + "#NAME?\t\t\t\t\t\t\nOne\t\tA;B\t#N/D!\t\t\t\n1,23E+05\t\t\t\t\t\t\n05.03.2024\t\t\t\t\t\t\n"
    "5-Mar\t\t\t\t\t\t\nTwo\t\tA;B\t\t\t\t\nFire &amp; Ice\t\t\t\t\t\t\nPadm\ufffd\t\t\t\t\t\t\n"
    "# A; comment\nR2-D2\t\tA & B; C\t\t\t\t\n#NAME? is a comment\n"
    "3-5-7\t\t\t\t\t\tMarch-05\n".encode(),
    "bad-cards-twice/cards.tsv": _CARDS
    + b"One\tA\t\t\t\t\t\nOne\tA\t\t\t\t\t\nTwo\t\t\t\t\t\t\nTwo\tFiery\t\t\t\t\t\n",
    "bad-diagrams/game.yaml": _GAME.format("bad-diagrams")
    .replace("  en: X", "  en: X\n  pl: X")
    .replace("  - en", "  - en\n  - pl")
    .encode(),
    "bad-language/game.yaml": b"id: bad-language\nname:\n  cs: Hra\nlanguage: cz\nlanguages:\n"
    b"  - cs\ntopics:\n  - id: a\n    title:\n      cs: A\n",
    "bad-looks/picture.png": b"GIF89a",
    "bad-names/cards.tsv": _CARDS
    + "Лес\t\t\t\t\t\t\nС\u0061кура\t\t\t\t\t\t\nКлинок\t\t\t\t\t\tM\u0435ч\n"
    "Padmé's Guard\tA\t\t\t\t\t\nPadme\u0301’s  Guard\tB\t\t\t\t\t\n"
    "Padme\u0301's\u00a0Guard\tA\t\t\t\t\t\nExtra\t\t\t\t\t\t\t\t\n"
    '"Kongming, ""Sleeping Dragon\t\t\t\t\t\t\n"Kongming, ""Sleeping Dragon"""\t\t\t\t\t\t\n'
    'Kongming, "Sleeping Dragon"\t\t\t\t\t\t\n'.encode(),
    "bad-names/terms.yaml": "- id: deck\n  en:\n    - deck\n    - \u0441ards\n"
    "- id: pile\n  en:\n    - pile\n      - heap\n".encode(),
    "bad-separators/cards.tsv": b"name;version;set\nOne;A;\n",
    "bad-separators/questions.tsv": b"\xef\xbb\xbfruling,lang,question\r\na,en,why?\r\n",
    "bad-questions-head/questions.tsv": b"one\ten\twho draws first?\n",
    "bad-sources-form/sources.yaml": b"id: doc\n",
    "not-a-game/x.md": b"x\n",
    "static/game.yaml": _GAME.format("static").encode(),
    "stray.md": b"\n",
    "unreadable-game/game.yaml": b"id: [\n",
    "wrong-id/game.yaml": _GAME.format("other").encode(),
    "demo/errata/twice.md": RECORD.replace("- pilots", "- errata").encode(),
    "demo/pilots/accepted-bom-and-crlf.md": RECORD.replace("\n", "\r\n").encode("utf-8-sig"),
    "demo/pilots/binary.md": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\xff\xfe",
    "demo/pilots/blank.md": b"\n\n  \n",
    "demo/pilots/directory.md/keep.md": b"\n",
    "demo/pilots/empty.md": b"",
    "demo/pilots/no-header.md": _TEXTS.encode(),
    "demo/pilots/not-a-record.txt": b"\n",
    "demo/pilots/utf-16.md": RECORD.encode("utf-16"),
    "demo/pilots/utf-16-without-mark.md": RECORD.encode("utf-16-le"),
    "demo/pilots/wrong-encoding.md": RECORD.encode("cp1250"),
    "demo/pilots/wrong-encoding-russian.md": RECORD.replace(
        _POLISH, "# ru: Пилот\n\nЭто пилот.\n\n"
    ).encode("cp1251"),
    "demo/pilots/wrong-encoding-unknown.md": RECORD.encode("cp852"),
}


def _changed(text: str, changes: Changes) -> bytes:
    for old, new in changes.items():
        assert old in text, old
        text = text.replace(old, new, 1)
    return text.encode()


def write_bad_base(root: Path) -> None:
    """Write the base to a new folder."""
    shutil.copytree(Path(__file__).parent / "bad", root)
    shutil.copytree(GOOD / "demo", root / "demo")
    pilots = root / "demo" / "pilots"
    files = {f"demo/pilots/{name}.md": _changed(RECORD, edits) for name, edits in PILOTS.items()}
    for game, lines in GAMES.items():
        files[f"{game}/game.yaml"] = (_GAME.format(game) + lines).encode()
    for name, edits in RECORDS.items():
        files[f"{name}.md"] = _changed(RECORD, _ENGLISH | edits)
    drawn = (GOOD / "demo" / "game.yaml").read_text(encoding="utf-8")
    files["demo/game.yaml"] = _changed(drawn, {"Dark:": "Drak:", "{Space:": "{Caracter:"})
    for name, content in (files | FILES).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    (pilots / "link-inside.md").symlink_to("good-beside-bad.md")
    (pilots / "link-out.md").symlink_to("/etc/hostname")
