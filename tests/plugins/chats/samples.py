"""Long replies and hostile texts, for every chat."""

from __future__ import annotations

import json
import re
from typing import Any

from kb.plugins.chats.replies import Link, LinkGroup, Recipients, RulingReply
from kb.site.templates import PACKAGED, Templates

URL = "https://rulings.example.org"
RECIPIENTS = Recipients(Templates((PACKAGED,)))
Json = dict[str, Any]
LONG = "**@everyone** <@1> [a](https://b) \\ 😀 " * 110
RULING = RulingReply(
    key="game/" + "i" * 100,
    title=LONG,
    address=f"{URL}/game/rulings/i/",
    answer=LONG,
    facts=LONG * 5,
    groups=(
        LinkGroup("Sources", (Link(LONG, f"{URL}/{'s' * 200}"),) * 40),
        LinkGroup("Superseded by", (Link(LONG, URL),) * 40),
    ),
)
NUMBERS = ["9" * 5_000, "9" * 400, "-1", "1e400", "NaN", "true", "null", "[]", '"1"']
TEXTS = [
    "\\ud800 pilot",
    "\\u0000\\u001b[2J\\u202epilot",
    "\\u2003",
    "(a " * 20_000,
    '\\"' * 4_000,
    "<b>&lt;/b> @everyone [x](javascript:alert(1))",
    "__proto__ constructor",
]


def assert_clean(answer: Any) -> None:
    """Nothing that steers a terminal or a program reaches whoever reads the reply."""
    text = json.dumps(answer, ensure_ascii=False)
    assert not re.search(r"[\x00-\x1f\x7f\u202e]|Traceback|javascript:alert\(1\)\)", text)
