"""A knowledge base of card-game rulings: text records in, answers out.

The rooms, each importing only from those above it:

    kb.problems   errors as data, and how they are printed          kb.urls     the only maker of URLs
    kb.data       JSON as kb writes it
    kb.language   words: tokens, folding, the closed table of forms of four languages
    kb.records    text -> checked objects: syntax, model, reader, library, checks, card marks,
                  what stands when, history, rulings that look alike
    kb.importers  other people's rulings: one module a format gives drafts, one writer makes records of them
    kb.store      the SQLite store: tables and build (SQLModel), queries (plain sqlite3)
    kb.index      full-text search: query language, ranking; engines (Whoosh, the store) behind one interface;
                  the browser's index (`kb.index.browser`)
    kb.site       the static site (Jinja2): pages, Markdown, rendering, words (gettext), event pack
    kb.commands   what each command does; finding places, atomic swaps, JSON shapes, terminal output
    kb.server     serving over HTTP (FastAPI): the site's files, the API, watching, editing in the browser
    kb.cli        the command line (Typer): options, one call each, exit codes
"""
