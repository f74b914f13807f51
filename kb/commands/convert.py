"""`kb convert`: rewrite records of an earlier version in the form of this one."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Literal

import typer

from kb.commands.options import Rulings, count_noun, notify, paths_for
from kb.core.problems import KbError, posix_path


def convert(
    what: Annotated[
        Literal["questions"], typer.Argument(help="What to convert; `questions` is all there is.")
    ],
    rulings: Rulings = None,
) -> None:
    """Move the `# asked-as` sections of records into questions.tsv, once for a base.

    Example:
    kb convert questions
    """
    written = convert_questions(paths_for(rulings, own=True).rulings)
    for path in written:
        print(path)
    notify(f"{count_noun(len(written), 'file')} written; see kb help writing")


def convert_questions(root: Path) -> list[str]:
    """Move the questions of all records; return the written paths.

    A killed run can be repeated. Raises KbError for a file that cannot be written.
    """
    from kb.core.files import folder_lock, remove_temporary_files, write_files
    from kb.records.library import load
    from kb.records.patch import locate, without_questions
    from kb.records.question_file import NAME, file_text, section_questions, with_added

    with folder_lock(root):
        library = load(root)
        asked: dict[str, dict[str, dict[str, list[str]]]] = defaultdict(dict)
        texts: dict[Path, bytes] = {}
        try:
            for ruling in library.readable.values():
                questions = section_questions(ruling)
                if not questions or ruling.game not in library.games:
                    continue
                asked[ruling.game][ruling.id] = questions
                path = Path(ruling.path)
                location = locate(texts.get(path) or path.read_bytes(), ruling.id)
                if location is None:
                    raise KbError(f"{posix_path(path)}: was changed just now; convert again")
                texts[path] = location.file(without_questions(location.text))
            files = {root / game / NAME: file_text(root / game / NAME) for game in asked}
            # The new place is written first, so that a killed run loses no question.
            remove_temporary_files(root, below=True)
            new = {path: with_added(files[path], asked[path.parent.name]) for path in files}
            write_files({**new, **{path: data.decode() for path, data in texts.items()}})
        except (OSError, ValueError) as error:
            raise KbError(f"{posix_path(root)}: {error}") from error
    return [posix_path(path) for path in (*new, *texts)]
