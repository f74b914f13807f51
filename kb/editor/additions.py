"""New entries of a game's own files: cards, topics, sources, provisions and terms."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from kb.core.problems import posix_path
from kb.editor.records import EditableRecords, proposed_id
from kb.editor.saving import replace_file, saving
from kb.records.library import GAME_FILES
from kb.records.model import Game, id_error
from kb.records.parse import CARD_COLUMNS, read_game
from kb.records.syntax import quoted, with_items
from kb.records.table import with_rows
from kb.server.responses import HttpError

# By kind: the file, and the fields of the dialog; `*` stands for each language.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "card": ("cards.tsv", ("name", "version", "set", "type")),
    "topic": ("game.yaml", ("title.*", "id")),
    "source": ("sources.yaml", ("title.*", "provision", "id")),
    "provision": ("sources.yaml", ("source", "provision")),
    "term": ("terms.yaml", ("name.*", "meaning.*", "id")),
}
_REQUIRED = ("source", "provision")
Values = Mapping[str, str]


def add_entry(records: EditableRecords, kind: str, game_id: str, values: Values) -> str:
    """Add an entry to a file of a game; return its name in a ruling's field.

    Raises HttpError 422 for an entry with a problem; nothing is written then.
    """
    file, fields = KINDS[kind]
    values = {name: " ".join(value.split()) for name, value in values.items() if value.strip()}
    for name in _REQUIRED:
        if name in fields and name not in values:
            raise _refused(f"{name}: required", name)
    with saving(records.root):
        game = records.game(game_id)
        if "id" in fields:
            values = {"id": _proposed_id(values, game, fields[0]), **values}
            if error := id_error(values["id"]):
                raise _refused(error, "id")
        taken = {
            "topic": set(game.topics),
            "source": set(game.sources_by_id),
            "term": set(game.terms_by_id),
        }
        if values.get("id") in taken.get(kind, ()):
            raise _refused(f"The game already has a {kind} {values['id']}.", "id")
        path = records.root / game_id / file
        if path.is_symlink() or (records.root / game_id).is_symlink():
            raise HttpError(HTTPStatus.FORBIDDEN, f"{posix_path(path)} is a symbolic link.")
        previous = path.read_bytes() if path.is_file() else None
        text = _with_entry(kind, (previous or b"").decode("utf-8-sig"), game, values)
        data = text.encode()
        _refuse_new_problems(path.parent, file, data)
        replace_file(path, data, previous)
        records.live.invalidate()
    return _name(kind, values)


def _proposed_id(values: Values, game: Game, title_field: str) -> str:
    """Return an id proposed from the title or name. Raises HttpError 422 without either."""
    prefix = title_field.removesuffix("*")
    names = {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix)
    }
    if not names and "id" not in values:
        field = title_field.replace("*", game.language)
        raise _refused(f"{field}: required", field)
    return proposed_id(names, game)


def _name(kind: str, values: Values) -> str:
    if kind == "card":
        return values.get("name", "")
    if kind in ("source", "provision"):
        return f"{values.get('source') or values['id']}#{values['provision']}"
    return values["id"]


def _with_entry(kind: str, text: str, game: Game, values: Values) -> str:
    text = text if not text or text.endswith("\n") else f"{text}\n"
    if kind == "card":
        if "name" not in values:
            raise _refused("name: required", "name")
        return with_rows(text, CARD_COLUMNS, [values])
    if kind == "topic":
        rows = [f"- id: {values['id']}", *_by_language("  ", "title.", values)]
        return with_items(text, ("topics",), rows)
    if kind == "provision":
        ids = [source.id for source in game.sources]
        if values["source"] not in ids:
            raise _refused(f"There is no source {values['source']}.", "source")
        place = ids.index(values["source"])
        return with_items(text, (place, "provisions"), [f"- {quoted(values['provision'])}"])
    rows = [f"- id: {values['id']}"]
    if kind == "source":
        rows += ["  title:", *_by_language("    ", "title.", values)]
        rows += [f"  language: {game.language}", f"  authority: {game.header.authorities[0]}"]
        rows += ["  provisions:", f"    - {quoted(values['provision'])}"]
    else:
        meanings = _by_language("    ", "meaning.", values)
        rows += [
            *_by_language("  ", "name.", values),
            *(["  meaning:", *meanings] if meanings else []),
        ]
    return text + "\n".join(rows) + "\n"


def _by_language(indent: str, prefix: str, values: Values) -> list[str]:
    return [
        f"{indent}{name.removeprefix(prefix)}: {quoted(value)}"
        for name, value in values.items()
        if name.startswith(prefix)
    ]


def _refuse_new_problems(folder: Path, file: str, data: bytes) -> None:
    files = {name: (folder / name).read_bytes() for name in GAME_FILES if (folder / name).is_file()}
    name = posix_path(folder)
    previous = {problem.message for problem in read_game(files, name)[1]}
    for problem in read_game({**files, file: data}, name)[1]:
        if problem.message not in previous:
            raise _refused(problem.message)


def _refused(detail: str, field: str = "") -> HttpError:
    return HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, field=field)
