"""New entries of a game's own files: cards, topics, sources, provisions and terms."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from kb.core.decoding import read_own, unix_lines
from kb.core.problems import KbError, posix_path
from kb.plugins.editor.forms import AddRequest
from kb.plugins.editor.records import EditableRecords, proposed_id
from kb.plugins.editor.saving import replace_files, saving
from kb.records.edits import replace_text
from kb.records.library import GAME_FILES
from kb.records.model import Game
from kb.records.parse import read_game
from kb.records.syntax import with_items, yaml_lines
from kb.records.tables import CARD_COLUMNS, with_rows
from kb.records.values import id_error
from kb.server.responses import HttpError

# By kind: the file, and the fields of the dialog; `*` stands for each language.
KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "card": ("cards.tsv", ("name", "version", "set", "type")),
    "topic": ("game.yaml", ("title.*", "id")),
    "source": ("sources.yaml", ("title.*", "provision", "id")),
    "provision": ("sources.yaml", ("source", "provision")),
    "term": ("terms.yaml", ("name.*", "meaning.*", "id")),
}
_REQUIRED = ("name", "source", "provision")
Values = Mapping[str, str]


def add_entry(records: EditableRecords, sent: AddRequest) -> str:
    """Add an entry to a file of a game; return its name in a ruling's field.

    Raises HttpError 422 for an entry with a problem; nothing is written then.
    """
    kind, (file, fields) = sent.kind, KINDS[sent.kind]
    values = {name: " ".join(value.split()) for name, value in sent.values.items() if value.strip()}
    for name in _REQUIRED:
        if name in fields and name not in values:
            raise _refused(f"{name}: required", name)
    with saving(records.root):
        game = records.game(sent.game)
        if "id" in fields:
            if "id" not in values:
                values["id"] = _proposed_id(values, game, fields[0])
            _check_id(kind, values["id"], game)
        path = records.root / game.id / file
        try:
            opened = read_own(path)
        except KbError as error:
            raise _refused(str(error)) from error
        new = _with_entry(kind, unix_lines(opened.text), game, values)
        data = opened.data(replace_text(opened.text, new))
        _refuse_new_problems(path, data)
        previous = opened.data(opened.text) if path.is_file() else None
        replace_files(records, [(path, data, previous)])
    if "provision" in fields:
        return f"{values.get('source') or values['id']}#{values['provision']}"
    return values[fields[0] if kind == "card" else "id"]


def _proposed_id(values: Values, game: Game, title_field: str) -> str:
    """Return an id proposed from the title or name. Raises HttpError 422 without either."""
    titles = _by_language(values, title_field.removesuffix("*"))
    if not titles:
        field = title_field.replace("*", game.language)
        raise _refused(f"{field}: required", field)
    return proposed_id(titles, game)


def _by_language(values: Values, prefix: str) -> dict[str, str]:
    return {
        name.removeprefix(prefix): value
        for name, value in values.items()
        if name.startswith(prefix)
    }


def _check_id(kind: str, entry_id: str, game: Game) -> None:
    if error := id_error(entry_id):
        raise _refused(error, "id")
    taken = {"topic": [*game.topics], "source": [*game.sources_by_id], "term": [*game.terms_by_id]}
    if entry_id in taken[kind]:
        raise _refused(f"The game already has a {kind} {entry_id}.", "id")


def _with_entry(kind: str, text: str, game: Game, values: Values) -> str:
    text = text if not text or text.endswith("\n") else f"{text}\n"
    if kind == "card":
        return with_rows(text, CARD_COLUMNS, [values])
    titles = _by_language(values, "title.")
    if kind == "topic":
        return with_items(text, ("topics",), yaml_lines([{"id": values["id"], **titles}]))
    if kind == "provision":
        ids = [source.id for source in game.sources]
        if values["source"] not in ids:
            raise _refused(f"There is no source {values['source']}.", "source")
        provision = yaml_lines([values["provision"]])
        return with_items(text, (ids.index(values["source"]), "provisions"), provision)
    entry: dict[str, object] = {"id": values["id"]}
    if kind == "source":
        entry |= {"title": titles, "language": game.language}
        entry |= {"authority": game.header.authorities[0], "provisions": [values["provision"]]}
    else:
        entry |= _by_language(values, "name.")
        entry["meaning"] = _by_language(values, "meaning.")
    return text + "\n".join([*yaml_lines([entry]), ""])


def _refuse_new_problems(path: Path, data: bytes) -> None:
    """Raise HttpError 422 for a problem that a game's files have with new content of one."""
    folder = path.parent
    files = {name: (folder / name).read_bytes() for name in GAME_FILES if (folder / name).is_file()}
    name = posix_path(folder)
    previous = {problem.message for problem in read_game(files, name)[1]}
    for problem in read_game({**files, path.name: data}, name)[1]:
        if problem.message not in previous:
            raise _refused(problem.message)


def _refused(detail: str, field: str = "") -> HttpError:
    return HttpError(HTTPStatus.UNPROCESSABLE_ENTITY, detail, field=field)
