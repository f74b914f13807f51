"""A game of which every field is an attack on whatever shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kb.records.checks.texts import HTML
from tests.conftest import paths_of

# One line each; `alert` is what a browser would tell the test about.
VECTORS = (
    "<script>alert(1)</script>",
    "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "</script><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</textarea></select></noscript></template><script>alert(1)</script>",
    '"><script>alert(1)</script>',
    "'><script>alert(1)</script>",
    "` onmouseover=alert(1) x=`",
    '" onmouseover="alert(1)" autofocus onfocus="alert(1)" x="',
    "' onmouseover='alert(1)' x='",
    "<svg><script>alert(1)</script></svg>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    '<svg><a xlink:href="javascript:alert(1)"><text x="20" y="20">x</text></a></svg>',
    "<math><mtext><table><mglyph><style><!--</style>"
    '<img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<iframe src=javascript:alert(1)></iframe>",
    "<base href=//evil.example/>",
    "<meta http-equiv=refresh content='0;url=//evil.example/'>",
    "<form action=//evil.example/><input name=q>"
    "<button formaction=javascript:alert(1)>x</button></form>",
    "(x)(javascript:alert(1)) <javascript:alert(1)>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#x3c;svg onload=alert(1)&#x3e; &lt &gt &quot; &amp;lt;",
    "{{ 7*7 }} {{ config }} {{ self._TemplateReference__context }}",
    "{% include '/etc/passwd' %} {% for x in ().__class__.__bases__ %}{% endfor %} {# x #}",
    "${alert(1)} #{alert(1)} <%= 7*7 %> %(num)s %(date)s %s {0} {id} {n}",
    "<!--[if gte IE 4]><script>alert(1)</script><![endif]-->",
    "<![CDATA[<script>alert(1)</script>]>",
    "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>&y;",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e \\x3cscript\\x3e",
    "\\\"; alert(1); // '; alert(1); // */ alert(1) /*",
    "); alert(1); KB_SHARD('x',{});//",
    "__proto__ constructor prototype toString hasOwnProperty",
    "<a\xa0href=x onclick=alert(1)>x</a>",
    '<div style="background:url(javascript:alert(1));behavior:url(x)">x</div>',
    "=cmd|' /C calc'!A0 @import url(x) </li></ul></main></body></html><script>alert(1)</script>",
)
# What only Markdown knows; each is a paragraph of a text.
MARKDOWN = (
    "[x](javascript:alert(1))",
    "[x](<javascript:alert(1)>) [x](JaVa&#115;cript:alert(1)) [x](javascript&colon;alert(1))",
    "[x](data:image/svg+xml,%3Csvg%20onload=alert(1)%3E) [x](file:///etc/passwd) [x](blob:x)",
    '[x](https://a.example/ "\\" onmouseover=\\"alert(1)")'
    " [x](https://a.example/ '\"><script>alert(1)</script>')",
    '[x](https://a.example/"onmouseover=alert(1)) [<script>alert(1)</script>](https://a.example/)',
    '![x](javascript:alert(1)) ![x](https://evil.example/track.png) ![x](x" onerror="alert(1))',
    "<javascript:alert(1)> <data:text/html,x> <https://a.example/?<script>> <x:y>",
    '[a]\n\n[a]: javascript:alert(1) "t"',
    "[b][c]\n\n[c]: https://a.example/ '\"><img src=x onerror=alert(1)>'",
    "`<script>alert(1)</script>` ``</code><img src=x onerror=alert(1)>``",
    '```html" onclick="alert(1)\n</code></pre><script>alert(1)</script>\n```',
    "    <script>alert(1)</script>",
    "<div>\n<script>alert(1)</script>\n</div>",
    "| <script>alert(1)</script> | b |\n|:-:|---|\n"
    "| [x](javascript:alert(1)) | <img src=x onerror=alert(1)> |",
    "## <img src=x onerror=alert(1)> {#x onclick=alert(1)}",
    "* <svg onload=alert(1)>\n\n  > <script>alert(1)</script>",
    "*<b onclick=alert(1)>* **<script>** ~~<i>~~ \\<script\\> <a href='x'\n onclick=alert(1)>",
    '[[-|<script>alert(1)</script>]] [[-|" onclick="alert(1)]]',
)
# Those that kb check lets pass: the others have pictures, links that lead nowhere or are defined
# apart, or indented code.
PUBLISHED = tuple(
    text
    for text in MARKDOWN
    if not re.search(r"!\[|\]\((?! *<?(?:https?|mailto):)|^\[\w\]:|^ {4}", text, re.MULTILINE)
)
LANGUAGES = ("pl", "en")


def in_languages(text: str) -> dict[str, str]:
    return dict.fromkeys(LANGUAGES, text)


# Ends whatever it may stand in, and begins an element of its own.
SETTING = in_languages("\"'></title></script><x onclick=alert(1)>&amp;<!--")
BASE_URL = 'https://rulings.example/"><script>alert(1)</script>/'
REPORT = "https://report.example/?id={id}&quot;onclick=&quot;alert(1)"


def build_all(folder: Path) -> Path:
    """Fill a folder: rulings/, site/, marked/ (its addresses attack too) and pack.html."""
    from kb.commands.pack import write_pack
    from kb.pipeline.build import SiteOptions, build
    from kb.pipeline.paths import Paths

    write_game(folder / "rulings")
    texts = ("name", "short-name", "description", "footer", "legal")
    settings = {**dict.fromkeys(texts, SETTING), "introductions": {"evil": SETTING}}
    (folder / "site.yaml").write_text(_yaml({**settings, "report": REPORT}), encoding="utf-8")
    places = paths_of(folder)
    assert not build(places, folder / "site").problems
    build(
        Paths(folder / "rulings", folder / "marked-data"),
        folder / "marked",
        site=SiteOptions(BASE_URL, ("en", "pl")),
    )
    write_pack(places, folder / "pack.html", [], [])
    return folder


def _card(vector: str) -> str:
    """What of a vector may be a card's name."""
    return "".join(char for char in vector if char not in "[]|\t;")


def _cell(text: str) -> str:
    """A cell of a table, in quotes where its own first character is one."""
    return '"' + text.replace('"', '""') + '"' if text.startswith('"') else text


def write_game(root: Path) -> None:
    """Write the game `evil` below `root`; JSON is YAML too."""
    folder = root / "evil"
    (folder / "topic-0").mkdir(parents=True)
    few = VECTORS[:3]
    game = {
        "id": "evil",
        "name": {lang: f"{lang} {VECTORS[0]}{VECTORS[8]}" for lang in LANGUAGES},
        "language": "pl",
        "languages": LANGUAGES,
        "topics": [{"id": f"topic-{n}", **in_languages(text)} for n, text in enumerate(VECTORS)],
        "rule-sets": [{"id": f"rule-sets-{n}", "pl": text} for n, text in enumerate(few)],
        "editions": [{"id": f"editions-{n}", "pl": text} for n, text in enumerate(few)],
        "not-cards": few,
        "card-labels": dict.fromkeys(("type", "side"), SETTING),
        "card-words": {_card(VECTORS[0]): SETTING},
        "examples": {lang: [SETTING[lang]] for lang in LANGUAGES},
    }
    sources, terms = [], []
    cards = ["name\tversion\tset\ttype\tside\tsubtypes\tother_names"]
    for number, vector in enumerate(VECTORS):
        sources.append(
            {
                "id": f"source-{number}",
                "title": in_languages(vector),
                "language": "pl",
                "authority": "official",
                **dict.fromkeys(_FACTS, vector),
                "url": URLS[number % len(URLS)],
                "provisions": ["part", "said", "since", "q"],
            }
        )
        words = [f"term{number} {vector}", f"slowo{number}"]
        terms.append(
            {
                "id": TERMS[number] if number < len(TERMS) else f"term-{number}",
                **dict.fromkeys(LANGUAGES, words),
                "meaning": in_languages(vector),
            }
        )
        name = _card(vector)
        cards.append("\t".join(map(_cell, [name, "A", *[name] * 4, f"{name}; nick{number}"])))
        (folder / "topic-0" / f"ruling-{number}.md").write_text(
            _ruling(number, vector), encoding="utf-8"
        )
    for path, value in (("game.yaml", game), ("sources.yaml", sources), ("terms.yaml", terms)):
        (folder / path).write_text(_yaml(value), encoding="utf-8")
    (folder / "cards.tsv").write_text("\n".join(cards) + "\n", encoding="utf-8")


def _yaml(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1) + "\n"


_FACTS = ("author", "translator", "publisher", "edition", "licence")
# Ids of terms become ids of elements: none may stand in for one that a script looks for.
TERMS = (
    "q main notice state taken drop offline slash since words numbers search"
    " results found said more facets".split()
)
URLS = (
    "https://a.example/?x=javascript:alert(1)&y=&quot;onclick=alert(1)",
    "https://a.example/%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    "http://a.example/`onclick=alert(1)`&#34;&#x27;{{7*7}}",
)


def _ruling(number: int, vector: str) -> str:
    many = len(VECTORS)
    header: dict[str, object] = {
        "kind": "ruling",
        "authority": "official",
        "status": "current",
        "about": [f"{_card(vector)} (A)"],
        "topics": ["topic-0", *([f"topic-{number}"] if number else [])],
        "sources": [f"source-{number}#part"],
        "rules": ["rule-sets-1"],
        "reviewed": "editions-0",
        "different-from": [f"ruling-{(number + 1) % many} ({vector})"],
    }
    if number % 3 == 1:
        header |= {"status": "withdrawn", "because": vector}
    elif number % 3 == 2:
        header |= {"kind": "question", "authority": "community", "status": "unanswered"}
        header |= {"asked-of": vector, "asked": "2003"}
    escaped = _escaped(vector)
    paragraphs = [
        escaped,
        f"[[{_card(vector)} (A)]] [[{_card(vector)} (A)|{_card(vector)}]]",
        f"Slowo{number} slowo{number} term{number}.",
        f"- {escaped}",
        f"> {escaped}",
        f"`{escaped}`",
        *(map(_escaped, PUBLISHED) if number % 8 == 0 else ()),
    ]
    body = "\n\n".join(map(_unheaded, paragraphs))
    # A text must be in the language of its section.
    own = {"pl": "To nie jest tekst.", "en": "This is not the text."}
    texts = [
        f"# {lang}: {vector}\n\n{own[lang]}\n\n{body}\n\n```\n{escaped}\n```\n"
        for lang in LANGUAGES
    ]
    return f"---\n{_yaml(header)}---\n\n" + "\n".join(texts)


def _escaped(text: str) -> str:
    """A text with a backslash before the HTML that kb check does not let pass."""
    return HTML.sub(r"\\\g<0>", text)


def _unheaded(text: str) -> str:
    """A line that would begin a section is none."""
    return text if not text.startswith("# ") else "\\" + text
