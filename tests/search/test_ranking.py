"""Which words of a query a ruling has together."""

from __future__ import annotations

from itertools import compress

import pytest

from kb.search.document import ASKED, BODY, Segment, pack_segments
from kb.search.expansion import Slot
from kb.search.ranking import Scorer

WORDS = ("pilot", "ship", "leaves")


@pytest.mark.parametrize(
    ("texts", "together"),
    [
        ([(BODY, "pilot ship leaves")], WORDS),
        ([(ASKED, "pilot ship leaves")], WORDS),
        ([(BODY, "pilot"), (ASKED, "ship leaves")], WORDS),
        ([(BODY, "pilot ship"), (BODY, "leaves")], WORDS),
        ([(ASKED, "pilot"), (ASKED, "ship leaves")], ("ship", "leaves")),
        ([(ASKED, "pilot ship"), (BODY, "pilot"), (ASKED, "leaves")], ("pilot", "ship")),
        ([(ASKED, "pilot"), (ASKED, "ship"), (ASKED, "leaves")], ("pilot",)),
    ],
)
def test_words_of_several_questions_are_not_together(
    texts: list[tuple[str, str]], together: tuple[str, ...]
) -> None:
    slots = [Slot(word, "word", {"en": {word: 1.0}}) for word in WORDS]
    segments = [Segment(field, "en", text.split()) for field, text in texts]
    rating = Scorer(slots, [1.0] * len(WORDS), ["en"]).rate(pack_segments(segments), "ruling", "en")
    assert all(rating.present)
    assert tuple(compress(WORDS, rating.present_together)) == together
