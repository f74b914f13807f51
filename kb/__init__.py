"""A knowledge base of card-game rulings: text records in, answers out.

The packages, each importing only from those above it:

    kb.core       problems (errors as data), URLs, JSON, files, parallel work
    kb.language   tokens, folding, and the closed table of word forms, by language
    kb.records    text -> checked objects: syntax, parser, model, library, checks, validity, history
    kb.linking    card names and terms found in texts
    kb.store      the SQLite store: tables (SQLModel), load, queries
    kb.search     full-text search: query, analyzer, scoring; engines; the browser's index
    kb.decks      deck lists: their cards, and the rulings that matter for them
    kb.serialize  answers: one set of dataclasses for --json, API and plug-ins; export
    kb.site       the static site (Jinja2): pages, Markdown, rendering, i18n, feeds, event pack
    kb.pipeline   the build: its steps, staging, swap, integrity; an open build
    kb.ingest     rulings from elsewhere: importers read drafts, one writer makes records of them
    kb.server     serving over HTTP (FastAPI): the site's files, the API, watching
    kb.commands   the command line (Click): one module per command, its options and what it does
    kb.plugins    what few bases need: a folder each, found as those of other packages are
"""
