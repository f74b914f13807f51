"""Which language is a text in?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from kb.language.registry import LANGUAGES

# Characters of a text that are looked at.
_BEGINNING = 200_000


def guess_language(text: str, default: str = "en", languages: Collection[str] = LANGUAGES) -> str:
    """Guess which of some languages a text is in; `default` if nothing tells.

    By its letters and most frequent words.
    """
    lower = text[:_BEGINNING].lower()
    words = Counter(re.findall(r"[^\W\d_]+", lower))
    score: Counter[str] = Counter()
    for lang, known in LANGUAGES.items():
        if lang not in languages:
            continue
        letters = sum(lower.count(char) for char in known.telling_letters)
        # Every letter of a Russian word is telling, but only one in ten of a Polish word.
        weight = 0.25 if len(known.telling_letters) > 26 else 2
        score[lang] = int(weight * letters) + 5 * sum(words[word] for word in known.stop_words)
    best = max(sorted(score), key=lambda lang: score[lang], default=default)
    return best if score[best] else default
