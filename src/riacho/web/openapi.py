"""`/openapi.json`: the table of endpoints in the words of OpenAPI 3.1, with msgspec's schemas of what they take and
answer (both are JSON Schema 2020-12, so they go together as they are).

Besides what an endpoint names, it may answer what every call may be answered: that is worked out here from what it
takes, so that the table need not repeat it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

import msgspec

from riacho import __version__
from riacho.web.endpoint import Endpoint, Query

Json = dict[str, Any]

_SEGMENT = re.compile(r"\{([^}]+)\}")
_REF = "#/components/schemas/{name}"
_ERROR_REF = {"$ref": "#/components/schemas/Error"}
_ERROR = {
    "type": "object",
    "required": ["error_code", "message"],
    "properties": {"error_code": {"type": "integer"}, "message": {"type": "string"}},
}
_TYPES: Mapping[type, Json] = {
    str: {"type": "string"},
    int: {"type": "integer", "format": "int64"},
    # Read as Java reads it: every text but `true` is false, so every text is taken.
    bool: {"type": ["boolean", "string"]},
    list: {"type": "array", "items": {"type": "string"}},
}


def openapi(name: str, about: str, endpoints: Iterable[Endpoint], media_type: str, is_login_asked: bool) -> bytes:
    """The document as JSON. `media_type` is the one that errors come in where the endpoint's own is not JSON."""
    table = sorted(endpoints, key=lambda endpoint: (endpoint.path, endpoint.method))
    schemas, components = _schemas(table)
    paths: dict[str, Json] = {}
    for endpoint in table:
        operation = _operation(endpoint, schemas, media_type, is_login_asked)
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = operation
    document: Json = {
        "openapi": "3.1.0",
        "info": {"title": name, "version": __version__, "description": about or f"The HTTP interface of {name}."},
        "paths": paths,
        "components": {"schemas": {**components, "Error": _ERROR}},
    }
    if is_login_asked:
        document["components"]["securitySchemes"] = {"basic": {"type": "http", "scheme": "basic"}}
        document["security"] = [{"basic": []}]
    return msgspec.json.encode(document)


def _schemas(table: Iterable[Endpoint]) -> tuple[dict[int, Json], Json]:
    """(schema by the id of a type, components). By id: not every type has a hash."""
    types = [kind for endpoint in table for kind in (endpoint.body, *endpoint.answers.values()) if kind is not None]
    schemas, components = msgspec.json.schema_components(types, ref_template=_REF)
    return {id(kind): schema for kind, schema in zip(types, schemas, strict=True)}, components


def _operation(endpoint: Endpoint, schemas: Mapping[int, Json], media_type: str, is_login_asked: bool) -> Json:
    operation: Json = {
        "operationId": _operation_id(endpoint),
        "summary": endpoint.about,
        "tags": [endpoint.tag or _first_word(endpoint.path)],
        "responses": _responses(endpoint, schemas, media_type, is_login_asked and not endpoint.is_public),
    }
    parameters = [_path_parameter(endpoint, name) for name in _SEGMENT.findall(endpoint.path)]
    parameters += [_query_parameter(query) for query in endpoint.query]
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        schema = schemas[id(endpoint.body)]
        operation["requestBody"] = {
            "required": not endpoint.optional_body,
            "content": {kind: {"schema": schema} for kind in endpoint.request_types},
        }
    if is_login_asked and endpoint.is_public:
        operation["security"] = []
    return operation


def _path_parameter(endpoint: Endpoint, name: str) -> Json:
    kind = endpoint.segments.get(name, str)
    schema = _TYPES[kind] if kind is not str else {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": schema}


def _query_parameter(query: Query) -> Json:
    schema = dict(_TYPES[query.type])
    if query.default is not None:
        schema["default"] = query.default
    return {"name": query.name, "in": "query", "description": query.about, "schema": schema}


def _responses(endpoint: Endpoint, schemas: Mapping[int, Json], media_type: str, is_login_asked: bool) -> Json:
    found: dict[str, Json] = {}
    for status, kind in ({101: None} if endpoint.is_websocket else endpoint.answers).items():
        found[str(status)] = {"description": HTTPStatus(status).phrase}
        if kind is not None:
            content = {each: {"schema": schemas[id(kind)]} for each in endpoint.answer_types}
            found[str(status)]["content"] = content
    json_types = [kind for kind in endpoint.answer_types if kind.endswith("json")]
    content = {kind: {"schema": _ERROR_REF} for kind in dict.fromkeys([*json_types, media_type])}
    for status, about in _error_statuses(endpoint, is_login_asked).items():
        # An endpoint that tells its trouble in an answer of its own (a health check) has said how.
        found.setdefault(str(status), {"description": about, "content": content})
    return dict(sorted(found.items()))


def _error_statuses(endpoint: Endpoint, is_login_asked: bool) -> dict[int, str]:
    """Status -> description, with the service's own codes in it."""
    descriptions: dict[int, list[str]] = {status: [] for status in _usual_statuses(endpoint, is_login_asked)}
    for code, about in sorted(endpoint.errors.items()):
        status = int(str(code)[:3])
        descriptions.setdefault(status, []).append(f"{code}: {about}" if code != status else about)
    return {status: "; ".join(about) or HTTPStatus(status).phrase for status, about in descriptions.items()}


def _usual_statuses(endpoint: Endpoint, is_login_asked: bool) -> set[int]:
    statuses = {400, 406, 500}
    if not endpoint.is_public:
        statuses.add(503)
    if is_login_asked:
        statuses |= {401, 403}
    if "{" in endpoint.path or any(query.type is int for query in endpoint.query):
        statuses.add(404)
    if endpoint.is_websocket:
        statuses.add(426)
    if endpoint.body is not None:
        statuses |= {415, 422}
        if not endpoint.is_stream:
            statuses |= {408, 413}
    return statuses


def _operation_id(endpoint: Endpoint) -> str:
    words = re.sub(r"[^A-Za-z0-9]+", "_", endpoint.path).strip("_")
    return f"{endpoint.method.lower()}_{words}" if words else f"{endpoint.method.lower()}_root"


def _first_word(path: str) -> str:
    return next((part for part in path.split("/") if part and not part.startswith("{")), "root")
