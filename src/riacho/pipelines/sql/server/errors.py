"""Errors as ksqlDB's clients know them: `@type`, a code, a message, and of statements their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from riacho.pipelines.sql.errors import KsqlError
from riacho.web.errors import ApiError

BAD_REQUEST = 40000
BAD_STATEMENT = 40001
QUERY_ENDPOINT = 40002
MAX_PUSH_QUERIES = 40003
UNAUTHORIZED = 40100
FORBIDDEN = 40300
NOT_FOUND = 40400
ASSERTION_FAILED = 41700
NO_REGISTRY = 42801
SERVER_ERROR = 50000
NOT_CAUGHT_UP = 50300
NOT_READY = 50301
SHUTTING_DOWN = 50302

_GENERIC, _STATEMENT = "generic_error", "statement_error"
# Codes of the HTTP layer that have one of ksqlDB's own.
_CODES = {401: UNAUTHORIZED, 403: FORBIDDEN, 404: NOT_FOUND, 500: SERVER_ERROR, 503: NOT_READY}


def error_body(error: ApiError) -> dict[str, Any]:
    code = error.error_code if error.error_code >= 1_000 else _CODES.get(error.error_code, error.error_code * 100)
    return {"@type": _GENERIC, "error_code": code, "message": error.message, **error.fields}


def bad_request(message: str) -> ApiError:
    return ApiError(400, BAD_REQUEST, message)


def statement_error(error: KsqlError, text: str, entities: Sequence[Mapping[str, Any]] = ()) -> ApiError:
    """`entities` are the answers of the statements before it, which stay done."""
    fields = {"@type": _STATEMENT, "statementText": error.statement or text, "entities": list(entities)}
    return ApiError(error.code // 100, error.code, error.message, fields=fields)


def not_leading(message: str) -> ApiError:
    return ApiError(503, NOT_READY, message, headers={"Retry-After": "1"})
