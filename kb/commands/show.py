"""`kb show`: one ruling in full."""

from __future__ import annotations

from pathlib import Path

import click

from kb.commands import options
from kb.commands.backend import target_for, with_searcher
from kb.commands.options import notify, print_json
from kb.core.problems import KbError
from kb.core.similar import name_hint
from kb.store.model import Reader, StoredRuling, require_known


@click.command()
@click.argument("ruling_id", metavar="ID", help="A ruling's id, or game/id.")
@options.lang()
@options.as_of()
@options.as_json()
@options.database()
@options.rulings()
def show(
    ruling_id: str,
    lang: str | None,
    as_of: str,
    as_json: bool,
    database: str | None,
    rulings: Path | None,
) -> None:
    """Show one ruling in full.

    \b
    Examples:
    kb show hidden-cost
    kb show swtcg/hidden-cost --lang en
    """
    ruling = with_searcher(
        target_for(database, rulings),
        lambda searcher: _find_ruling(searcher.reader, ruling_id, as_of, lang),
    )
    if lang and ruling.text(lang) is None:
        languages = ", ".join(text.lang for text in ruling.texts)
        notify(f"kb: {ruling.key} has no text in {lang}; it has {languages}")
    if as_json:
        from kb.serialize.ruling import ruling_to_json

        print_json(ruling_to_json(ruling))
    else:
        from kb.commands.terminal import show_ruling

        show_ruling(ruling, lang)


def _find_ruling(reader: Reader, wanted: str, as_of: str, lang: str | None) -> StoredRuling:
    """Find a ruling by id, former id or `game/id`; with `as_of`, the one in force on that day.

    Raises KbError, with similar ids, unless one ruling matches, and if no ruling was in force;
    WrongUsage for an unknown language.
    """
    require_known(reader, None, lang)
    game, _, name = wanted.strip().rpartition("/")
    keys = reader.keys(name, game)
    if len(keys) > 1:
        raise KbError(f"several rulings have the id {name}; choose one of {', '.join(keys)}")
    ruling = reader.ruling(keys[0]) if keys else None
    if ruling is None:
        raise KbError(f"no ruling {wanted[:200]!r}{_hint(name, reader)}")
    return _in_force(reader, ruling, as_of) if as_of else ruling


def _in_force(reader: Reader, ruling: StoredRuling, as_of: str) -> StoredRuling:
    from kb.store.model import in_force_on

    standing = in_force_on(reader, ruling, as_of)
    if standing.id != ruling.id:
        notify(f"kb: as of {as_of}, {standing.id} was in force, not {ruling.id}")
    if standing.is_undated:
        notify(
            f"kb: the date of {standing.id} is unknown; it may not have been in force on {as_of}"
        )
    return standing


def _hint(name: str, reader: Reader) -> str:
    ids = {ruling_id for game in reader.languages() for ruling_id in reader.ruling_ids(game)}
    return name_hint(name, ids) or "; kb search finds rulings by words"
