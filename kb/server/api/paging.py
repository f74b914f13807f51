"""The headers that lead to the pages around a page of a list."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from kb.serialize.api_answers import Page, Sources, Topics
from kb.server.api.parameters import MAX_OFFSET
from kb.server.responses import json_response

PREFIX = "/api/v1"


def page_response(request: Request, page: Page | Topics | Sources) -> Response:
    """Return a page of a list, or the whole of a short list, with its headers."""
    if isinstance(page, Page):
        headers = page_headers(request, page.total, page.limit, page.offset, MAX_OFFSET)
    else:
        headers = {"X-Total-Count": str(page.total)}
    return json_response(request, page, headers)


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
