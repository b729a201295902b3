"""An error as an HTTP service tells it: a status, a code that clients switch on, one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any


class ApiError(Exception):
    """Raised anywhere below an endpoint, turned into an answer once, in `web/app.py`. `fields` are what the body tells
    besides code and message."""

    def __init__(
        self,
        status: int,
        error_code: int,
        message: str,
        *,
        headers: Mapping[str, str] | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.error_code = error_code
        self.message = message
        self.headers = dict(headers or {})
        self.fields = dict(fields or {})


def envelope(error: ApiError) -> dict[str, Any]:
    """The body that every service of Confluent's tells its errors in, where it has no form of its own."""
    return {"error_code": error.error_code, "message": error.message, **error.fields}


def plain_error(status: int, headers: Mapping[str, str] | None = None) -> ApiError:
    """Where there is nothing to say but the status, in the words of the original: `HTTP 404 Not Found`."""
    return ApiError(status, status, f"HTTP {status} {HTTPStatus(status).phrase}", headers=headers)


def not_found() -> ApiError:
    return plain_error(404)
