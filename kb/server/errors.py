"""Exception handlers that turn every error of an application into a problem document."""

from __future__ import annotations

from http import HTTPStatus

from fastapi.exceptions import RequestValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from kb.server.responses import HttpError, problem_response

_DETAILS = {
    404: "There is nothing at this address; /api/v1/ lists what the API has.",
    405: "This address can only be read, with GET.",
    413: "The request body is too large.",
}


def handle_errors(app: Starlette) -> None:
    """Install the handlers in an application."""
    app.add_exception_handler(HttpError, _http_error)
    app.add_exception_handler(HTTPException, _starlette_error)
    app.add_exception_handler(RequestValidationError, _invalid_parameters)
    app.add_exception_handler(Exception, internal_error)


def note_cause(request: Request, error: HttpError) -> None:
    """Write to the log why this request failed; the client gets a fixed text."""
    if error.cause:
        request.scope.get("kb.causes", []).append(error.cause)


def internal_error(request: Request, error: Exception) -> Response:
    """Return the response to an internal error: only the id under which the log has it."""
    request_id = request.scope.get("kb.id", "-")
    detail = f"An internal error occurred. The server log has the details under the id {request_id}"
    return problem_response(HTTPStatus.INTERNAL_SERVER_ERROR, detail)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HttpError)
    note_cause(request, error)
    return error.response()


async def _starlette_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    detail = _DETAILS.get(error.status_code, str(error.detail))
    return problem_response(error.status_code, detail, error.headers)


async def _invalid_parameters(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    errors = [
        {"parameter": str(item["loc"][-1]), "message": str(item["msg"])} for item in error.errors()
    ]
    detail = "; ".join(f"{item['parameter']}: {item['message']}" for item in errors)
    return problem_response(HTTPStatus.UNPROCESSABLE_ENTITY, detail, errors=errors)
