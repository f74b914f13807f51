"""The browser's index: the same postings and the same table of forms, as one script that needs no server.

A script that assigns a variable, because a page opened from a file system may not fetch.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

from kb import urls
from kb.index.build import dated, folded_cards, stored_length
from kb.index.snippets import flat
from kb.index.words import Analyser
from kb.language import LANGUAGES, STOP, Table, fold
from kb.records.library import Library
from kb.records.model import Game, Ruling


def write_offline(library: Library, table: Table, path: Path) -> None:
    """Writes the script with everything that a search in the browser needs: rulings, postings, forms, stop words."""
    postings: dict[str, dict[int, float]] = defaultdict(dict)
    lengths: list[int] = []
    rulings: list[list[Any]] = []
    analysers = {game.id: Analyser(game, table) for game in library.games.values()}
    for number, ruling in enumerate(library.rulings.values()):
        found = analysers[ruling.game].postings(ruling)
        lengths.append(stored_length(len(found)))
        for term, _, weight in found:
            postings[term][number] = round(postings[term].get(number, 0.0) + weight, 2)
        rulings.append(_ruling(ruling, library.games[ruling.game]))
    languages = {game.id: list(analysers[game.id].languages) for game in library.games.values()}
    data = {
        "rulings": rulings,
        "lengths": lengths,
        "languages": languages,
        "postings": {term: [x for pair in sorted(postings[term].items()) for x in pair] for term in sorted(postings)},
        "forms": {lang: _forms(table, lang, postings) for lang in sorted({one for group in languages.values() for one in group})},
        "stems": {lang: {"suffixes": language.SUFFIXES, "american": lang == "en"} for lang, language in LANGUAGES.items()},
        "stop": {lang: sorted({fold(word) for word in words}) for lang, words in STOP.items()},
    }
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # In a script, these two would end a string or the script itself.
    text = text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029").replace("</", "<\\/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"window.KB_DATA={text};\n", encoding="utf-8")


def _ruling(ruling: Ruling, game: Game) -> list[Any]:
    head = ruling.header
    return [
        ruling.game,
        ruling.id,
        urls.ruling(ruling.game, ruling.id),
        head.kind,
        head.authority,
        head.status,
        {text.lang: text.title for text in ruling.texts},
        {text.lang: flat(text.body) for text in ruling.texts},
        list(head.topics),
        [str(one) for one in head.sources],
        folded_cards(ruling, game),
        dated(ruling, game),
    ]


def _forms(table: Table, lang: str, postings: dict[str, dict[int, float]]) -> str:
    """Lines of a form and those of its lemmas that the rulings have, separated by spaces."""
    lines = []
    for form, lemmas, _ in table.rows(lang):
        held = [lemma for lemma in lemmas if f"{lang}:{lemma}" in postings]
        if held:
            lines.append(f"{form} {' '.join(held)}")
    return "\n".join(lines)
