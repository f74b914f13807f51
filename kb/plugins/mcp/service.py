"""The service `mcp` of `kb serve`: assistants at `/mcp`."""

from __future__ import annotations

from kb.plugins.mcp import EXTRA
from kb.server.services import Host, RunningService, Service


def start(host: Host) -> RunningService:
    """Return the route at `/mcp`; see `mcp_routes`."""
    from kb.plugins.mcp.server import mcp_routes

    routes, context = mcp_routes(host.lend)
    return RunningService(routes, context)


SERVICE = Service(start, extra=EXTRA)
