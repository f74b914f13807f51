"""Pages in the words of schema.org."""

from __future__ import annotations

from kb.core import urls
from kb.core.json import Json
from kb.site.pages import GlossaryPage, RulingPage


def question(page: RulingPage, lang: str, base_url: str) -> Json:
    """A ruling in the words of schema.org: a question with its answer."""
    text = next((text for text in page.texts if text.lang == lang), page.texts[0])
    here = urls.absolute(urls.localized(page.exported["url"], lang), base_url)
    answer: Json = {"@type": "Answer", "text": text.plain, "inLanguage": text.lang}
    if page.date:
        answer["dateCreated"] = page.date
    names = (page.game.title(lang), *(link.titles[0][1] for link in page.about))
    data: Json = {
        "@context": "https://schema.org",
        "@type": "Question",
        "name": text.title,
        "inLanguage": text.lang,
        "identifier": page.key,
        "about": [{"@type": "Thing", "name": name} for name in names],
        "acceptedAnswer": answer,
    }
    return {**data, "url": here} if here else data


def terms(page: GlossaryPage, lang: str) -> Json:
    """A glossary in the words of schema.org."""
    defined = [
        {
            "@type": "DefinedTerm",
            "name": term.title(lang),
            "description": term.meanings.get(lang, ""),
            "termCode": term.id,
        }
        for term in page.terms
    ]
    return {
        "@context": "https://schema.org",
        "@type": "DefinedTermSet",
        "name": page.game.title(lang),
        "hasDefinedTerm": defined,
    }
