"""SHOW and DESCRIBE, as values."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.catalogue.describing import describe, query_named, sources_of, type_json
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.syntax.statements import Kind
from riacho.pipelines.sql.type_text import type_from_text
from support.sql_statements import carry_out, known_sources

KNOWN = carry_out(
    "CREATE STREAM X AS SELECT ID, A FROM S; INSERT INTO X SELECT ID, A FROM RO;", known_sources()
).catalogue


def test_a_description_names_readers_and_writers() -> None:
    found = describe("X", KNOWN)
    assert [query.query_id for query in found.writers] == ["CSAS_X_0", "INSERTQUERY_1"]
    assert found.fields[0] == {
        "name": "ID",
        "schema": {"type": "BIGINT", "fields": None, "memberSchema": None},
        "type": "KEY",
    }
    assert describe("S", KNOWN).constraints == ("X",)
    assert describe("WT", KNOWN).window_type == "SESSION"
    assert describe("H1", KNOWN).fields[-1]["headerKey"] == "trace"


def test_sources_by_name() -> None:
    assert [source.name for source in sources_of(Kind.TABLE, KNOWN)] == ["T", "WT"]


def test_a_query_is_found_in_any_case() -> None:
    assert query_named("csas_x_0", KNOWN).sink == "X"
    with pytest.raises(KsqlError, match="Query with id:NOPE does not exist"):
        query_named("NOPE", KNOWN)
    with pytest.raises(KsqlError, match="Could not find STREAM/TABLE 'NOPE' in the Metastore"):
        describe("NOPE", KNOWN)


@pytest.mark.parametrize(
    ("text", "inner"),
    [
        ("DECIMAL(4, 2)", {"parameters": {"precision": 4, "scale": 2}}),
        ("ARRAY<INTEGER>", {"memberSchema": {"type": "INTEGER", "fields": None, "memberSchema": None}}),
        ("MAP<STRING, DOUBLE>", {"memberSchema": {"type": "DOUBLE", "fields": None, "memberSchema": None}}),
    ],
)
def test_types(text: str, inner: dict[str, object]) -> None:
    assert inner.items() <= type_json(type_from_text(text)).items()
