"""Pages in the words of schema.org."""

from __future__ import annotations

from markupsafe import escape

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


def oembed(page: RulingPage, base_url: str, provider: str) -> Json:
    """The oEmbed answer for a ruling's page: its title and answer, with a link."""
    text = page.texts[0]
    url = urls.absolute(page.exported["url"], base_url)
    standing = page.authority if page.status == "current" else f"{page.authority}, {page.status}"
    words = f"<p><a href='{escape(url)}'>{escape(text.title)}</a></p><p>{escape(text.summary)}</p>"
    note = f"<p><small>{escape(page.game.title(text.lang))} · {escape(standing)}</small></p>"
    return {
        "version": "1.0",
        "type": "rich",
        "title": text.title,
        "provider_name": provider,
        "provider_url": urls.absolute(urls.HOME, base_url),
        "cache_age": 86400,
        "html": f"<blockquote lang='{text.lang}' cite='{escape(url)}'>{words}{note}</blockquote>",
        "width": 600,
        "height": 200,
    }


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
