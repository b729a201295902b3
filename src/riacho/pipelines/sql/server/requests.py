"""What clients send: statements with the session's properties and variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class KsqlRequest(msgspec.Struct, kw_only=True, rename="camel"):
    """POST /ksql and /query. Fields of other clients are passed over, as ksqlDB does."""

    ksql: str = ""
    streams_properties: dict[str, Any] = {}
    session_variables: dict[str, str] = {}
    request_properties: dict[str, Any] = {}
    command_sequence_number: int | None = None


class QueryStreamRequest(msgspec.Struct, kw_only=True, rename="camel"):
    """POST /query-stream."""

    sql: str = ""
    properties: dict[str, Any] = {}
    session_variables: dict[str, str] = {}
    request_properties: dict[str, Any] = {}


class CloseQueryRequest(msgspec.Struct, kw_only=True, rename="camel"):
    query_id: str


class InsertsTarget(msgspec.Struct, kw_only=True, rename="camel"):
    """The first line of POST /inserts-stream."""

    target: str
    properties: dict[str, Any] = {}


def texts(properties: Mapping[str, Any]) -> dict[str, str]:
    """Properties as texts, as settings have them."""
    return {name: _text(value) for name, value in properties.items()}


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
