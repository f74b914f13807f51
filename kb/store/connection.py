"""Sessions for reading, from an SQLite file or from PostgreSQL, with errors as NotBuilt."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError, SQLAlchemyError, TimeoutError
from sqlmodel import Session, create_engine

from kb.core.problems import NotBuilt, Unavailable

T = TypeVar("T")
# How long a reader waits for a server, in seconds: a frozen one ends no statement itself.
ANSWER_TIMEOUT = 3.0


def open_file(path: Path) -> Engine:
    """Return an engine that reads a store's file. Raises NotBuilt when there is none."""
    if not path.is_file():
        raise NotBuilt(f"no store at {path}")
    return create_engine(f"sqlite:///{path.absolute().as_uri()}?mode=ro&uri=true")


def read_all(engine: Engine, statement: Any, timeout: float = ANSWER_TIMEOUT) -> Sequence[Any]:
    """Return all rows of a SELECT: objects, values, or tuples of several columns.

    Raises NotBuilt when the build is damaged or gone, Unavailable when its server does not answer
    in `timeout` seconds.
    """

    def work() -> Sequence[Any]:
        with Session(engine) as session:
            rows: Sequence[Any] = session.exec(statement).all()
            return rows

    is_file = engine.dialect.name == "sqlite"
    try:
        return work() if is_file else within(timeout, work)
    except SQLAlchemyError as error:
        reason = first_line(error)
        if is_file:
            raise NotBuilt(f"the store cannot be read ({reason})") from None
        if isinstance(error, OperationalError | TimeoutError):
            raise Unavailable(f"the database cannot be read ({reason})") from None
        raise NotBuilt(f"the build is gone from the database ({reason})") from None


def first_line(error: SQLAlchemyError) -> str:
    """Return the first line of the message of a database, without the statement."""
    return str(getattr(error, "orig", None) or error).strip().partition("\n")[0]


def within(seconds: float, work: Callable[[], T]) -> T:
    """Call a function in a thread of its own; raise Unavailable when it takes longer.

    No library bounds the wait for a server that is frozen, or for a name server. Threads that wait
    in vain hold the connections of one pool at most, and end when the server answers.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="kb-database", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise Unavailable(f"the database has not answered for {seconds} s")
    return results[0]
