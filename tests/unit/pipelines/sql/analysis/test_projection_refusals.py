"""Queries that are refused: names, keys, conditions, sinks."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with.
REFUSED = [
    (
        "CREATE STREAM O AS SELECT A FROM S",
        "The query used to build `O` must include the key column ID in its projection (eg, SELECT ID...).",
    ),
    (
        "CREATE STREAM O AS SELECT ID AS X, ID AS Y, A FROM S",
        "The projection contains a key column (`ID`) more than once, aliased as: X and Y.",
    ),
    ("CREATE STREAM O AS SELECT ID FROM S", "The projection contains no value columns."),
    ("CREATE STREAM O AS SELECT A, B AS A, ID FROM S", "Duplicate value columns found in schema: `A` STRING"),
    ("CREATE STREAM O AS SELECT ID, FOO FROM S", "Line: 1, Col: 31: SELECT column 'FOO' cannot be resolved."),
    (
        "CREATE STREAM O AS SELECT ID, X.A FROM S",
        "'X' is not a valid stream/table name or alias.",
    ),
    (
        "CREATE STREAM O AS SELECT * FROM S PARTITION BY A, B",
        "The 'KAFKA' format only supports a single field. Got: [`A` INTEGER KEY, `B` STRING KEY]",
    ),
    (
        "CREATE STREAM O AS SELECT B FROM S PARTITION BY A",
        "The query used to build `O` must include the partitioning expression A in its projection (eg,",
    ),
    (
        "CREATE TABLE O AS SELECT * FROM S",
        "Invalid result type. Your SELECT query produces a STREAM. Please use CREATE STREAM AS SELECT",
    ),
    (
        "CREATE STREAM O AS SELECT ID, A FROM S WHERE A",
        "Type error in WHERE expression: Should evaluate to boolean but is A (INTEGER) instead.",
    ),
    (
        "CREATE STREAM O AS SELECT ID, ROWTIME FROM S",
        "Reserved column name in select: `ROWTIME`. Please remove or alias the column.",
    ),
    ("CREATE STREAM O AS SELECT * FROM NOPE", "NOPE does not exist."),
    (
        "CREATE STREAM X AS SELECT K1, A FROM K2",
        "The query used to build `X` must include the key columns K1 and K2 in its projection (eg, SELECT",
    ),
    ('CREATE STREAM X AS SELECT id FROM "low"', "Line: 1, Col: 27: SELECT column 'ID' cannot be resolved."),
    ("CREATE STREAM X AS SELECT * FROM LOW", "LOW does not exist."),
    (
        "CREATE STREAM X AS SELECT * FROM S JOIN NK WITHIN 1 HOUR ON S.A = NK.A",
        "JOIN is not supported by this server yet: join the sources' topics outside of it.",
    ),
    ("CREATE STREAM X AS SELECT *, A + 1 FROM S HAVING A > 1", "HAVING clause requires a GROUP BY clause."),
    ("CREATE STREAM X AS SELECT FOO(A), ID FROM S", "Can't find any functions with the name 'FOO'"),
    ("CREATE STREAM X AS SELECT A + B, ID FROM S", "Unsupported arithmetic types. INTEGER STRING"),
    ("CREATE STREAM X AS SELECT A->X, ID FROM S", "Expected STRUCT type, got: INTEGER"),
    (
        "CREATE STREAM X AS SELECT NULL AS N, ID FROM S",
        "Can't determine the type of null: cast it to the type it should have.",
    ),
    ("CREATE STREAM X AS SELECT Z.* FROM S", "'Z' is not a valid stream/table name or alias."),
    (
        "CREATE STREAM X AS SELECT ID, A AS ROWTIME FROM S",
        "`ROWTIME` is a reserved column name. You cannot use it as an alias for a column.",
    ),
    ("CREATE STREAM X WITH (FOO='x') AS SELECT * FROM S", "Invalid config variable(s) in the WITH clause: FOO"),
    (
        "CREATE STREAM X WITH (WINDOW_TYPE='SESSION') AS SELECT * FROM S",
        "Invalid config variable(s) in the WITH clause: WINDOW_TYPE",
    ),
    (
        "CREATE STREAM X WITH (VALUE_FORMAT='DELIMITED') AS SELECT * FROM S",
        "The 'DELIMITED' format does not support type 'ARRAY', column: `C`",
    ),
    (
        "CREATE STREAM X WITH (TIMESTAMP='A') AS SELECT ID, A FROM S",
        "Timestamp column, `A`, should be LONG(INT64), TIMESTAMP, or a String with a timestamp_format",
    ),
    (
        "CREATE STREAM X WITH (WRAP_SINGLE_VALUE=false) AS SELECT ID, A, B FROM S",
        "'WRAP_SINGLE_VALUE' is only valid for single-field value schemas",
    ),
    (
        "CREATE STREAM X AS SELECT * FROM T PARTITION BY A",
        "Cannot repartition a TABLE source. If this is a join, make sure that the criteria uses the TABLE's",
    ),
    (
        "CREATE TABLE X AS SELECT * FROM T PARTITION BY A",
        "Cannot repartition a TABLE source. If this is a join, make sure that the criteria uses the TABLE's",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE ROWTIME > 'yesterday'",
        "Failed to parse timestamp 'yesterday': it should have the form yyyy-MM-dd'T'HH:mm:ss.SSS, or a",
    ),
    ("CREATE STREAM S AS SELECT * FROM NK", "Cannot add stream 'S': A stream with the same name already exists"),
    ("CREATE TABLE NK AS SELECT ID, A FROM T", "Cannot add table 'NK': A stream with the same name already exists"),
    ("CREATE TABLE T AS SELECT ID, A FROM T", "Cannot add table 'T': A table with the same name already exists"),
    (
        "CREATE OR REPLACE STREAM NK AS SELECT A, B FROM NK",
        "Cannot add stream 'NK': it was not made by AS SELECT, so it is replaced by CREATE OR REPLACE with",
    ),
    ("CREATE STREAM X AS SELECT ID, A, ID + 1 AS ID FROM S", "Duplicate value columns found in schema: `ID` BIGINT"),
    ("CREATE STREAM X AS SELECT *, A FROM NK", "Duplicate value columns found in schema: `A` INTEGER"),
    ("CREATE STREAM X AS SELECT *, * FROM NK", "Duplicate value columns found in schema: `A` INTEGER"),
    (
        "CREATE STREAM X AS SELECT ID + 1 AS ID, A FROM S",
        "The query used to build `X` must include the key column ID in its projection (eg, SELECT ID...).",
    ),
    (
        "CREATE STREAM X AS SELECT AS_VALUE(ID), A FROM S",
        "The query used to build `X` must include the key column ID in its projection (eg, SELECT ID...).",
    ),
    (
        "CREATE TABLE X AS SELECT A FROM T",
        "The query used to build `X` must include the key column ID in its projection (eg, SELECT ID...).",
    ),
    ("CREATE TABLE X AS SELECT ID FROM T", "The projection contains no value columns."),
    (
        "CREATE TABLE X AS SELECT ID AS A, ID AS B, A AS C FROM T",
        "The projection contains a key column (`ID`) more than once, aliased as: A and B.",
    ),
    (
        "CREATE STREAM X AS SELECT K2 FROM K2",
        "The query used to build `X` must include the key columns K1 and K2 in its projection (eg, SELECT",
    ),
    (
        "CREATE STREAM X AS SELECT A FROM K2",
        "The query used to build `X` must include the key columns K1 and K2 in its projection (eg, SELECT",
    ),
    (
        "CREATE STREAM X AS SELECT WINDOWSTART, ID, A FROM W",
        "Reserved column name in select: `WINDOWSTART`. Please remove or alias the column.",
    ),
    (
        "CREATE STREAM X AS SELECT ROWOFFSET, ID, A FROM S",
        "Reserved column name in select: `ROWOFFSET`. Please remove or alias the column.",
    ),
    (
        "CREATE STREAM X AS SELECT ROWPARTITION, ID, A FROM S",
        "Reserved column name in select: `ROWPARTITION`. Please remove or alias the column.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE B",
        "Type error in WHERE expression: Should evaluate to boolean but is B (STRING) instead.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE A + 1",
        "Type error in WHERE expression: Should evaluate to boolean but is (A + 1) (INTEGER) instead.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE NOPE = 1",
        "Line: 1, Col: 46: WHERE column 'NOPE' cannot be resolved.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE T.A = 1",
        "'T' is not a valid stream/table name or alias.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S Q WHERE S.A = 1",
        "'S' is not a valid stream/table name or alias.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S PARTITION BY NOPE",
        "Line: 1, Col: 53: PARTITION BY column 'NOPE' cannot be resolved.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S PARTITION BY A, NULL",
        "Cannot PARTITION BY multiple columns including NULL",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A, B FROM S PARTITION BY A, A",
        "Duplicate expression found in PARTITION BY clause: A",
    ),
    (
        "CREATE STREAM X AS SELECT ID, M FROM S PARTITION BY M",
        "Map keys, including types that contain maps, are not supported as they may lead to unexpected",
    ),
    ("CREATE STREAM X AS SELECT ID, C FROM S PARTITION BY C", "The 'KAFKA' format does not support type 'ARRAY'"),
    (
        "CREATE STREAM X AS SELECT A, A AS A2, ID FROM S PARTITION BY A",
        "The projection contains a key column (`A`) more than once, aliased as: A and A2.",
    ),
    ("CREATE STREAM X AS SELECT A FROM S PARTITION BY A", "The projection contains no value columns."),
    ("CREATE STREAM X AS SELECT ID, A FROM S EMIT FINAL", "EMIT FINAL is only supported for windowed aggregations."),
    ("CREATE STREAM X WITH (VALUE_FORMAT='NOPE') AS SELECT * FROM S", "Unknown format: NOPE"),
    (
        "CREATE STREAM X WITH (TIMESTAMP='NOPE') AS SELECT * FROM S",
        "The TIMESTAMP column set in the WITH clause does not exist in the schema: 'NOPE'",
    ),
    (
        "CREATE STREAM X WITH (TIMESTAMP='B') AS SELECT * FROM S",
        "A String timestamp field has been specified without also specifying the timestamp_format",
    ),
    (
        "CREATE STREAM X WITH (PARTITIONS=-1) AS SELECT * FROM S",
        "Invalid value -1 for configuration PARTITIONS: a topic has 1 to 100000.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, EXPLODE(EXPLODE(C)) FROM S",
        "Table functions cannot be nested: EXPLODE(EXPLODE())",
    ),
    (
        "CREATE STREAM X AS SELECT ID, CASE WHEN A > 1 THEN EXPLODE(C) ELSE 1 END FROM S",
        "Table functions cannot be used in CASE",
    ),
    ("CREATE STREAM X AS SELECT ID, A FROM S WHERE EXPLODE(C) > 1", "Table functions cannot be used in WHERE"),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S PARTITION BY EXPLODE(C)",
        "Table functions cannot be used in PARTITION BY",
    ),
    ("CREATE TABLE X AS SELECT ID, EXPLODE(ARRAY[1]) FROM T", "Table source is not supported with table functions"),
    ("CREATE STREAM X AS SELECT ID, EXPLODE(A) FROM S", "Function 'explode' does not accept parameters (INTEGER)."),
    (
        "CREATE STREAM X WITH (KEY_FORMAT='JSON') AS SELECT * FROM S PARTITION BY NULL",
        "Key format specified for stream without key columns.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE A >= 'x'",
        "Error in WHERE expression: Cannot compare A (INTEGER) to 'x' (STRING) with GREATER_THAN_OR_EQUAL.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, CAST(B AS ARRAY<INT>) FROM S",
        "Invalid Select: Cast of STRING to ARRAY<INTEGER> is not supported",
    ),
    (
        "CREATE STREAM X AS SELECT * FROM W PARTITION BY A",
        "Implicit repartitioning of windowed sources is not supported",
    ),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
