"""DESCRIBE and EXPLAIN as text: a source, a query, a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from riacho.cli.ksql.tables import list_table


def type_text(schema: Mapping[str, Any] | None) -> str:
    """A schema object of the API as a type."""
    if not schema:
        return ""
    kind = str(schema.get("type", ""))
    member = schema.get("memberSchema")
    if kind == "STRING":
        return "VARCHAR(STRING)"
    if kind == "ARRAY":
        return f"ARRAY<{type_text(member)}>"
    if kind == "MAP":
        key = (schema.get("parameters") or {}).get("keyType") or "STRING"
        return f"MAP<{key}, {type_text(member)}>"
    if kind == "STRUCT":
        fields = schema.get("fields") or ()
        return "STRUCT<" + ", ".join(f"{each['name']} {type_text(each.get('schema'))}" for each in fields) + ">"
    if kind == "DECIMAL":
        sizes = schema.get("parameters") or {}
        return f"DECIMAL({sizes.get('precision', '')}, {sizes.get('scale', '')})" if sizes else kind
    return kind


def described_source(source: Mapping[str, Any], *, with_name: bool = False) -> str:
    lines = [_fact("Name", source.get("name", ""))]
    is_extended = bool(source.get("extended"))
    if is_extended:
        lines += _facts(source)
    elif with_name:
        lines.append("")
    lines.append(_fields(source))
    if not is_extended:
        lines.append("For runtime statistics and query details run: DESCRIBE <Stream,Table> EXTENDED;")
    else:
        lines += _usage(source)
    return "\n".join(lines)


def _facts(source: Mapping[str, Any]) -> Iterator[str]:
    timestamp = source.get("timestamp") or "Not set - using <ROWTIME>"
    partitions, replication = source.get("partitions", 0), source.get("replication", 0)
    yield _fact("Type", source.get("type", ""))
    yield _fact("Timestamp field", timestamp)
    yield _fact("Key format", source.get("keyFormat", ""))
    yield _fact("Value format", source.get("valueFormat", source.get("format", "")))
    yield _fact("Kafka topic", f"{source.get('topic', '')} (partitions: {partitions}, replication: {replication})")
    if source.get("statement"):
        yield _fact("Statement", source["statement"])
    yield ""


def _usage(source: Mapping[str, Any]) -> Iterator[str]:
    for key, title in (
        ("readQueries", "Queries that read from this"),
        ("writeQueries", "Queries that write to this"),
    ):
        queries = source.get(key) or ()
        if queries:
            head = f"{title} {source.get('type', '')}"
            yield f"\n{head}\n{'-' * len(head)}"
            for query in queries:
                text = " ".join(str(query.get("queryString", "")).split())
                yield f"{query.get('id', '')} ({query.get('state', '')}) : {text}"
            yield "\nFor query topology and execution plan please run: EXPLAIN <QueryId>"
    for key in ("statistics", "errorStats"):
        told = source.get(key)
        if told:
            yield f"\n{told if isinstance(told, str) else list_table(['Statistic', 'Value'], _statistics(told))}"
    for offsets in source.get("queryOffsetSummaries") or ():
        yield f"\nConsumer Group       : {offsets.get('groupId', '')}"


def _statistics(told: Any) -> list[tuple[object, object]]:
    if isinstance(told, dict):
        return list(told.items())
    return [(each.get("name", ""), each.get("value", "")) for each in told if isinstance(each, dict)]


def described_query(query: Mapping[str, Any]) -> str:
    lines = [
        _fact("ID", query.get("id", "")),
        _fact("Query Type", query.get("queryType", "")),
        _fact("SQL", query.get("statementText", "")),
        _fact("Host Query Status", ", ".join(f"{host}:{state}" for host, state in _states(query))),
        "",
        _fields(query),
    ]
    for key, title in (("sources", "Sources that this query reads from"), ("sinks", "Sinks that this query writes to")):
        if query.get(key):
            lines += ["", f"{title}: ", "-" * 35, *map(str, query[key])]
    for key, title in (("executionPlan", "Execution plan"), ("topology", "Processing topology")):
        if query.get(key):
            lines += ["", title, "-" * len(title), str(query[key]).rstrip()]
    errors = [[each.get("type", ""), each.get("errorMessage", "")] for each in query.get("queryErrors") or ()]
    if errors:
        lines += ["", "Errors", "------", list_table(["Type", "Error"], errors)]
    figures = query.get("statistics") or {}
    if figures:
        lines += ["", "Statistics", "----------", list_table(["Statistic", "Value"], _statistics(figures))]
    overridden = query.get("overriddenProperties") or {}
    if overridden:
        lines += ["", "Overridden Properties", "-" * 21, list_table(["Property", "Value"], sorted(overridden.items()))]
    return "\n".join(lines)


def _states(query: Mapping[str, Any]) -> list[tuple[str, object]]:
    states = query.get("ksqlHostQueryStatus") or {}
    return list(states.items()) if states else [("", query.get("state", ""))]


def described_function(function: Mapping[str, Any]) -> str:
    lines = [
        _fact("Name", function.get("name", "")),
        _fact("Author", function.get("author", "")),
        *([_fact("Version", function["version"])] if function.get("version") else []),
        *([_fact("Overview", function["description"])] if function.get("description") else []),
        _fact("Type", str(function.get("type", "")).upper()),
        _fact("Jar", function.get("path", "")),
        _fact("Variations", ""),
    ]
    for variation in function.get("functions") or ():
        arguments = ", ".join(
            f"{each.get('name', '')} {each.get('type', '')}{'[]' * bool(each.get('isVariadic'))}".strip()
            for each in variation.get("arguments") or ()
        )
        lines += [
            "",
            f"\tVariation   : {function.get('name', '')}({arguments})",
            f"\tReturns     : {variation.get('returnType', '')}",
        ]
        if variation.get("description"):
            lines.append(f"\tDescription : {variation['description']}")
        lines += [
            f"\t{each.get('name', '')!s:12}: {each['description']}"
            for each in variation.get("arguments") or ()
            if each.get("description")
        ]
    return "\n".join(lines)


def _fields(described: Mapping[str, Any]) -> str:
    rows = [
        [each.get("name", ""), f"{type_text(each.get('schema'))} {_role(each, described)}".rstrip()]
        for each in described.get("fields") or ()
    ]
    return list_table(["Field", "Type"], rows)


def _role(field: Mapping[str, Any], described: Mapping[str, Any]) -> str:
    """What a column is beside a value."""
    if field.get("type") == "HEADER":
        key = field.get("headerKey")
        return f"(header('{key}'))" if key else "(headers)"
    if field.get("type") != "KEY":
        return ""
    key = "(primary key)" if described.get("type") == "TABLE" else "(key)"
    window = described.get("windowType")
    return f"{key} (Window type: {window})" if window else key


def _fact(name: str, value: object) -> str:
    return f"{name:20} : {value}"
