"""Replies of every chat, by the person who gets them."""

from __future__ import annotations

from kb.pipeline.catalogue import Catalogue
from kb.pipeline.open_base import OpenBase
from kb.plugins.chats.replies import Answerer
from kb.search.searcher import Searcher
from tests.plugins.chats.samples import RECIPIENTS


def test_a_verdict_is_in_the_language_of_its_answer(real_searcher: Searcher) -> None:
    """A recipient without a text in their own language reads English."""
    for locale, answer in (("pl", "Tak. Pilotować"), ("ru", "Yes. A unit in any")):
        answerer = Answerer(OpenBase(real_searcher, Catalogue()), RECIPIENTS.of_locale(locale))
        first, *_ = answerer.reply("ruling", "pilot three arenas", "swtcg").rulings
        assert first.answer.startswith(answer)
