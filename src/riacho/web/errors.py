"""An error as an HTTP service tells it: a status, a code that clients switch on, one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus


class ApiError(Exception):
    """Raised anywhere below an endpoint, turned into `{"error_code": ..., "message": ...}` once, in `web/app.py`."""

    def __init__(self, status: int, error_code: int, message: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.error_code = error_code
        self.message = message
        self.headers = dict(headers or {})


def plain_error(status: int, headers: Mapping[str, str] | None = None) -> ApiError:
    """Where nothing but the status is to be told, in the words of the original: `HTTP 404 Not Found`."""
    return ApiError(status, status, f"HTTP {status} {HTTPStatus(status).phrase}", headers=headers)


def not_found() -> ApiError:
    return plain_error(404)
