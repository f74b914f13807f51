"""Notes by the editors or the translator: parts of a text that are not the authority's words."""

from __future__ import annotations

import pytest

from kb.records.text import Text

BODY = """Answer.

> [!editors]
> First of [[Darth Sidious (C)|Sidious]].
>
> Second.

More.

> A quotation.

> [!translator]
> Last.
"""


def text(body: str) -> Text:
    return Text("en", "Title", body.strip(), line=10, body_line=12)


def test_the_notes_of_a_text() -> None:
    made = text(BODY)
    assert made.notes == (
        ("editors", "First of [[Darth Sidious (C)|Sidious]].\n\nSecond.", 14),
        ("translator", "Last.", 23),
    )
    assert made.answer == "Answer."
    assert made.without_notes == "Answer.\n\nMore.\n\n> A quotation."
    assert not list(made.note_faults())


@pytest.mark.parametrize(
    "body", ["One.\n\n\nTwo.", "One.\n\n> [!note]\n> Two.", "One.\n> [!editors]\n> Two.", ""]
)
def test_what_is_not_a_note_stays_as_written(body: str) -> None:
    made = text(body)
    assert not made.notes and made.without_notes == made.body
