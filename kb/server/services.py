"""Services: what plug-ins add to the server, switched on by `kb serve --with`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.routing import BaseRoute

from kb.core.plugins import Extra, load_addition
from kb.pipeline.open_base import Lender
from kb.site.templates import Templates

if TYPE_CHECKING:
    from kb.server.live_pages import LivePages


@dataclass(frozen=True)
class Host:
    """The server that a service runs in.

    `lend` lends the current build. `base_url`: where the site is served, empty if unknown. `live`:
    the watched records and their pages; None unless records are watched.
    """

    lend: Lender
    templates: Templates
    base_url: str = ""
    live: LivePages | None = None


@dataclass(frozen=True)
class RunningService:
    """The routes of a service, and the context that the server enters while it runs.

    `local_only`: refuse requests under other names than this machine's.
    """

    routes: Sequence[BaseRoute]
    context: AbstractAsyncContextManager[None] = field(default_factory=nullcontext)
    local_only: bool = False


@dataclass(frozen=True)
class Service:
    """A service; its settings come from the environment, because secrets are among them.

    `start` is called in each process that answers requests. `check` is called before, with the host
    name or address to listen on; it raises KbError for a setting that is missing or wrong, with
    what to do. `extra`: the libraries that the service needs. `watches`: it needs watched records.
    `needs_base_url`: its answers need whole addresses. `notice`: what to print after the address of
    the server, such as `edit/ edits the records`.
    """

    start: Callable[[Host], RunningService]
    check: Callable[[str], object] = lambda host: None
    extra: Extra | None = None
    watches: bool = False
    needs_base_url: bool = False
    notice: str = ""


def find_service(name: str) -> Service:
    """Return an installed service. Raises WrongUsage for an unknown name."""
    service: Service = load_addition("services", name, Service)
    return service
