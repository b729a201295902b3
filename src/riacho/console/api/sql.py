"""SQL by a cluster's KSQL servers: statements, rows of queries as they come, what runs, what there is, plans.

    POST .../sql/query   server-sent events: `header`, then `rows` (`lines` of a PRINT), in the end `done` or `problem`

A role from which fields of messages are hidden gets no SQL: a query would show them under other names.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from starlette.responses import Response

from riacho.console.door.audit_log import note
from riacho.console.door.door import caller_of
from riacho.console.door.roles import Role
from riacho.console.parts import Parts
from riacho.console.services.ksql import Ksql, Query, Source
from riacho.console.services.ksql_events import printed, rows
from riacho.console.services.query_figures import figures_of
from riacho.console.services.sql_text import one_statement, quoted, statements_of
from riacho.web.answers import json_answer, stream_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_PROPERTIES_MAX = 100
_STREAM = "text/event-stream"
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_DEPTH_MAX = 64
_FOR_ADMINS = "SQL about connectors, that deletes topics, sets the server up or has variables needs the role admin."

Properties = Annotated[dict[str, str], msgspec.Meta(max_length=_PROPERTIES_MAX)]


class Sql(msgspec.Struct, forbid_unknown_fields=True):
    sql: str
    properties: Properties = {}


class Results(msgspec.Struct):
    """One for each statement, as the server answered it."""

    results: list[dict[str, Any]]


class QueryRow(msgspec.Struct):
    id: str
    type: str
    state: str | None
    sql: str
    sources: list[str]
    sinks: list[str]
    errors: list[str]
    state_rows: int | None
    # In memory and in RocksDB's files.
    state_bytes: int | None
    # The address of Spark's own pages, as the server tells it.
    spark_ui: str | None


class SourceRow(msgspec.Struct):
    name: str
    kind: str
    topic: str
    key_format: str
    value_format: str
    is_windowed: bool


class Field(msgspec.Struct):
    name: str
    type: str
    is_key: bool


class SourcePage(msgspec.Struct):
    name: str
    kind: str
    topic: str
    statement: str
    fields: list[Field]
    read_by: list[str]
    written_by: list[str]


class FunctionRow(msgspec.Struct):
    name: str
    kind: str
    category: str


class Plan(msgspec.Struct):
    sql: str
    plan: str
    topology: str
    sources: list[str]
    sinks: list[str]
    state: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    def ksql_of(call: Call) -> Ksql:
        return parts.clusters.of(call).services.ksql

    async def read(call: Call) -> Sql:
        if parts.masking.hides_from(caller_of(call).role):
            raise ApiError(403, 40305, "Fields of messages are hidden from you, and SQL would show them.")
        given: Sql = await call.read(Sql)
        return given

    async def post_statements(call: Call) -> Response:
        ksql = ksql_of(call)
        given = await read(call)
        statements = statements_of(given.sql)
        note(call, sql=" ; ".join(each.noted for each in statements))
        if caller_of(call).role < Role.ADMIN and any(each.needs_admin for each in statements):
            raise ApiError(403, 40303, _FOR_ADMINS)
        if any(each.answers_rows for each in statements):
            raise ApiError(400, 40022, "A query that answers rows is run by itself, as a query.")
        sql = "\n".join(each.text for each in statements)
        return json_answer(Results(await ksql.run(_closed(sql), given.properties)))

    async def post_query(call: Call) -> Response:
        ksql = ksql_of(call)
        given = await read(call)
        statement = one_statement(given.sql)
        if not statement.answers_rows:
            raise ApiError(400, 40023, "This is no query: it begins with neither SELECT nor PRINT.")
        lines = ksql.rows.lines(_closed(statement.text), given.properties, is_print=statement.is_print)
        events = printed(lines) if statement.is_print else rows(lines)
        return stream_answer(events, media_type=_STREAM, headers=_HEADERS)

    async def get_queries(call: Call) -> Response:
        return json_answer([_query_row(each) for each in (await ksql_of(call).queries.now()).value])

    async def get_sources(call: Call) -> Response:
        return json_answer([_source_row(each) for each in (await ksql_of(call).sources.now()).value])

    async def get_functions(call: Call) -> Response:
        found = (await ksql_of(call).functions.now()).value
        return json_answer([FunctionRow(each.name, each.type.lower(), each.category) for each in found])

    async def get_source(call: Call) -> Response:
        found = await ksql_of(call).ask(f"DESCRIBE {quoted(call.segment('name'))};")
        return json_answer(_source_page(found[0].get("sourceDescription") if found else None))

    async def get_query(call: Call) -> Response:
        found = (await ksql_of(call).queries.now()).value
        query = next((each for each in found if each.id == call.segment("id")), None)
        if query is None:
            raise ApiError(404, 40420, "There is no query of that id.")
        return json_answer(_plan(query))

    async def post_explain(call: Call) -> Response:
        ksql = ksql_of(call)
        given = await read(call)
        statement = one_statement(given.sql)
        text = statement.text if statement.words[:1] == ("EXPLAIN",) else f"EXPLAIN {statement.text}"
        found = await ksql.ask(_closed(text), given.properties)
        told = found[0].get("queryDescription") if found else None
        try:
            return json_answer(_plan(msgspec.convert(told, Query)))
        except msgspec.ValidationError:
            raise ApiError(502, 50210, "KSQL answered what is no plan.") from None

    base = "/api/v1/clusters/{c}/sql"
    shared: dict[str, Any] = {"tag": "sql"}
    return [
        Endpoint("POST", base + "/statements", post_statements, "Run statements that answer no rows.", body=Sql,
                 answers={200: Results}, **shared),
        Endpoint("POST", base + "/query", post_query, "Rows of a query, as server-sent events.", body=Sql,
                 answers={200: str}, answer_types=(_STREAM,), **shared),
        Endpoint("GET", base + "/queries", get_queries, "Queries that run.", answers={200: list[QueryRow]}, **shared),
        Endpoint("GET", base + "/queries/{id}", get_query, "The plan of one.", answers={200: Plan}, **shared),
        Endpoint("GET", base + "/sources", get_sources, "Streams and tables.", answers={200: list[SourceRow]},
                 **shared),
        Endpoint("GET", base + "/sources/{name}", get_source, "One, with its columns.", answers={200: SourcePage},
                 **shared),
        Endpoint("GET", base + "/functions", get_functions, "Functions that statements may call.",
                 answers={200: list[FunctionRow]}, **shared),
        Endpoint("POST", base + "/explain", post_explain, "The plan of a statement; runs nothing.", body=Sql,
                 answers={200: Plan}, **shared),
    ]  # fmt: skip


def _closed(sql: str) -> str:
    # On a line of its own: the last one may be a comment.
    return sql if sql.endswith(";") else f"{sql}\n;"


# What the server tells, in the console's words


def _query_row(query: Query) -> QueryRow:
    errors = [str(each.get("errorMessage", "")) for each in query.query_errors]
    told = figures_of(query)
    return QueryRow(
        id=query.id,
        type=query.query_type,
        state=query.state,
        sql=query.statement_text,
        sources=query.sources,
        sinks=query.sinks,
        errors=errors[-5:],
        state_rows=told.state_rows,
        state_bytes=told.state_bytes,
        spark_ui=told.spark_ui,
    )


def _source_row(source: Source) -> SourceRow:
    return SourceRow(source.name, source.type, source.topic, source.key_format, source.value_format, source.is_windowed)


def _source_page(found: Any) -> SourcePage:
    if not isinstance(found, dict):
        raise ApiError(502, 50210, "KSQL answered what is no description.")
    return SourcePage(
        name=str(found.get("name", "")),
        kind=str(found.get("type", "")).lower(),
        topic=str(found.get("topic", "")),
        statement=str(found.get("statement") or ""),
        fields=[
            Field(str(each.get("name", "")), _type_text(each.get("schema")), each.get("type") == "KEY")
            for each in found.get("fields") or ()
        ],
        read_by=[str(each.get("id", "")) for each in found.get("readQueries") or ()],
        written_by=[str(each.get("id", "")) for each in found.get("writeQueries") or ()],
    )


def _type_text(schema: Any, depth: int = 0) -> str:
    """As it is written in a statement."""
    if not isinstance(schema, dict) or depth > _DEPTH_MAX:
        return ""
    kind = str(schema.get("type", ""))
    if kind == "ARRAY":
        return f"ARRAY<{_type_text(schema.get('memberSchema'), depth + 1)}>"
    if kind == "MAP":
        return f"MAP<STRING, {_type_text(schema.get('memberSchema'), depth + 1)}>"
    if kind == "STRUCT":
        fields = schema.get("fields") or ()
        inner = ", ".join(f"{each.get('name')} {_type_text(each.get('schema'), depth + 1)}" for each in fields)
        return f"STRUCT<{inner}>"
    if kind == "DECIMAL":
        given = schema.get("parameters") or {}
        return f"DECIMAL({given.get('precision')}, {given.get('scale')})"
    return kind


def _plan(query: Query) -> Plan:
    return Plan(query.statement_text, query.execution_plan, query.topology, query.sources, query.sinks, query.state)
