"""Long replies and hostile texts, for every chat."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from kb.plugins.chats.replies import ELLIPSIS, Link, LinkGroup, RulingReply, cut, length
from kb.site.templates import PACKAGED, Templates

URL = "https://rulings.example.org"
TEMPLATES = Templates((PACKAGED,))
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
BOMB = "Anakin Skywolker [a]<b>{c}[a]<b>{c}\\n" * 300
NUMBERS = ["9" * 5_000, "9" * 400, "-1", "1e400", "NaN", "Infinity", "true", "null", "[]", '"1"']
TEXTS = [
    "\\ud800 pilot",
    "\\u0000\\u001b[2J\\u202epilot",
    "\\u2003",
    "(a " * 20_000,
    '\\"' * 4_000,
    "card:" * 2_000,
    "<b>&lt;/b> @everyone [x](javascript:alert(1))",
    "__proto__ constructor",
]


def assert_fits(text: str, limit: int, escape: Callable[[str], str]) -> None:
    """Fail unless a text that is cut fits, and no escape sequence is torn."""
    shown = cut(text, limit, escape)
    assert length(shown) <= limit
    if shown != escape(text):
        kept = shown.removesuffix(ELLIPSIS)
        assert any(kept == escape(text[:size].rstrip()) for size in range(len(text) + 1))


def assert_clean(answer: Any) -> None:
    """Nothing that steers a terminal or a program reaches whoever reads the reply."""
    text = json.dumps(answer, ensure_ascii=False)
    assert not re.search(r"[\x00-\x1f\x7f\u202e]|Traceback|javascript:alert\(1\)\)", text)
