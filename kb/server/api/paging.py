"""Pages of lists: their JSON shape, and the headers that lead to the pages around them."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from kb.server.api.parameters import MAX_OFFSET
from kb.server.responses import json_response

PREFIX = "/api/v1"


def page(total: int, limit: int, offset: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the JSON shape of one page of a list."""
    return {"total": total, "limit": limit, "offset": offset, "results": results}


def page_response(request: Request, shape: dict[str, Any]) -> Response:
    """Return a page with its headers."""
    headers = page_headers(request, shape["total"], shape["limit"], shape["offset"], MAX_OFFSET)
    return json_response(request, shape, headers)


def whole_list_response(request: Request, results: list[dict[str, Any]]) -> Response:
    """Return a list that is short enough for one page."""
    shape = {"total": len(results), "results": results}
    return json_response(request, shape, {"X-Total-Count": str(len(results))})


def page_headers(
    request: Request, total: int, limit: int, offset: int, max_offset: int
) -> dict[str, str]:
    """Return X-Total-Count, and Link (RFC 8288) with the first, previous, next and last page."""
    last = max(0, total - 1) // limit * limit
    offsets = {"first": 0, "prev": max(0, offset - limit), "next": offset + limit, "last": last}
    if not offset:
        del offsets["prev"]
    if offset + limit >= total:
        del offsets["next"]
    path = PREFIX + request.url.path.removeprefix(PREFIX)
    links = []
    for relation, start in offsets.items():
        if start <= max_offset:
            query = request.url.include_query_params(limit=limit, offset=start).query
            links.append(f'<{path}?{query}>; rel="{relation}"')
    return {"X-Total-Count": str(total), "Link": ", ".join(links)}
