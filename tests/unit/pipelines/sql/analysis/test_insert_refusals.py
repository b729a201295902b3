"""INSERT and DELETE that are refused: columns, values, schemas."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with.
REFUSED = [
    ("INSERT INTO NK SELECT * FROM S", "Incompatible schema between results and sink."),
    ("INSERT INTO T SELECT * FROM T", "INSERT INTO can only be used to insert into a stream. T is a table."),
    (
        "INSERT INTO S (ID, A) VALUES (1, 'x')",
        "Failed to insert values into 'S'. Expected type INTEGER for field `A` but got STRING('x')",
    ),
    (
        "INSERT INTO S (ID, A, B) VALUES (1, 2)",
        "Expected number columns and values to match: 3, 2",
    ),
    (
        "INSERT INTO T (A) VALUES (1)",
        "Failed to insert values into 'T'. Value for primary key column(s) ID is required for tables",
    ),
    (
        "INSERT INTO S VALUES (1, 2, 'x', ARRAY[1,2], STRUCT(X := 1, Y := 'a'), MAP('a' := 1))",
        "Failed to insert values into 'S'. Expected a value for each column. Expected Columns: [`ID`, `A`,",
    ),
    ("INSERT INTO NOPE SELECT * FROM S", "Sink does not exist for the INSERT INTO statement: `NOPE`"),
    ("INSERT INTO RO SELECT ID, A FROM S", "Cannot insert into read-only stream: RO"),
    (
        "INSERT INTO NK SELECT A, B FROM T",
        "The query used to build `NK` must include the key column ID in its projection (eg, SELECT ID...).",
    ),
    (
        "INSERT INTO NK SELECT AS_VALUE(ID) AS A, B FROM S PARTITION BY NULL",
        "Incompatible schema between results and sink.",
    ),
    ("INSERT INTO NOPE VALUES (1)", "Cannot insert values into an unknown stream/table: `NOPE`"),
    ("INSERT INTO W VALUES (1, 2)", "Cannot insert values into windowed stream/table!"),
    ("INSERT INTO RO VALUES (1, 2)", "Cannot insert values into read-only stream: RO"),
    (
        "INSERT INTO H (ID, HS) VALUES (1, NULL)",
        "Failed to insert values into 'H'. Cannot insert into HEADER columns: HS",
    ),
    (
        "INSERT INTO S (ID, ROWPARTITION) VALUES (1, 1)",
        "Failed to insert values into 'S'. Inserting into column `ROWPARTITION` is not allowed.",
    ),
    (
        "INSERT INTO S (ID, FOO) VALUES (1, 1)",
        "Failed to insert values into 'S'. Column name `FOO` does not exist.",
    ),
    ("INSERT INTO S (ID, ID) VALUES (1, 1)", "Failed to insert values into 'S'. Duplicate column names: `ID`"),
    (
        "INSERT INTO S (ID, A) VALUES (1, 1 + 1)",
        "Failed to insert values into 'S'. Only literals can be inserted here, with CAST, ARRAY, MAP and",
    ),
    (
        "INSERT INTO S (ID, D) VALUES (1, 12345.678)",
        "Failed to insert values into 'S'. Expected type DECIMAL(5, 2) for field `D` but got DECIMAL(8,",
    ),
    ("INSERT INTO S (ID, A) VALUES (1, A)", "Failed to insert values into 'S'. Columns cannot be referred to here: A"),
    ("DELETE FROM T WHERE A = 3", "DELETE FROM takes conditions of the form 'key column = value', joined by AND."),
    ("DELETE FROM S WHERE ID = 3", "DELETE FROM is for tables. S is a stream."),
    ("INSERT INTO S SELECT * FROM NOPE", "NOPE does not exist."),
    ("INSERT INTO NOPE SELECT * FROM NOPE", "Sink does not exist for the INSERT INTO statement: `NOPE`"),
    ("INSERT INTO NK SELECT B AS A, CAST(A AS STRING) AS B FROM NK", "Incompatible schema between results and sink."),
    ("INSERT INTO NK SELECT B, A FROM NK", "Incompatible schema between results and sink."),
    ("INSERT INTO NK SELECT A FROM NK", "Incompatible schema between results and sink."),
    ("INSERT INTO NK SELECT A, B, A AS C FROM NK", "Incompatible schema between results and sink."),
    (
        "INSERT INTO NK WITH (QUERY_ID='a b') SELECT A, B FROM NK",
        "Query IDs may contain only alphanumeric characters and '_'. Got: 'A B'",
    ),
    ("INSERT INTO NK WITH (FOO='a') SELECT A, B FROM NK", "Invalid config variable(s) in the WITH clause: FOO"),
    (
        "INSERT INTO S VALUES (1)",
        "Failed to insert values into 'S'. Expected a value for each column. Expected Columns: [`ID`, `A`,",
    ),
    (
        "INSERT INTO S (ID, D) VALUES (1, 'x')",
        "Failed to insert values into 'S'. Expected type DECIMAL(5, 2) for field `D` but got STRING('x')",
    ),
    (
        "INSERT INTO S (ID, C) VALUES (1, ARRAY['x'])",
        "Failed to insert values into 'S'. Expected type ARRAY<INTEGER> for field `C` but got",
    ),
    (
        "INSERT INTO S (ID, C) VALUES (1, 3)",
        "Failed to insert values into 'S'. Expected type ARRAY<INTEGER> for field `C` but got INTEGER(3)",
    ),
    (
        "INSERT INTO S (ID, ST) VALUES (1, STRUCT(Z := 3))",
        "Failed to insert values into 'S'. Expected type STRUCT<`X` INTEGER, `Y` STRING> for field `ST` but",
    ),
    (
        "INSERT INTO S (ID, M) VALUES (1, MAP(1 := 2))",
        "Failed to insert values into 'S'. Expected type MAP<STRING, INTEGER> for field `M` but got",
    ),
    (
        "INSERT INTO S (ID, A) VALUES (1, 2147483648)",
        "Failed to insert values into 'S'. Expected type INTEGER for field `A` but got BIGINT(2147483648)",
    ),
    (
        "INSERT INTO S (ID, A) VALUES (1, 1.5)",
        "Failed to insert values into 'S'. Expected type INTEGER for field `A` but got DECIMAL(2, 1)(1.5)",
    ),
    (
        "INSERT INTO S (ID, TS) VALUES (1, 'noon')",
        "Failed to insert values into 'S'. Expected type TIMESTAMP for field `TS` but got STRING('noon')",
    ),
    (
        "INSERT INTO S (ID, A) VALUES (1, TRUE)",
        "Failed to insert values into 'S'. Expected type INTEGER for field `A` but got BOOLEAN(True)",
    ),
    (
        "INSERT INTO S (ID, C) VALUES (1, ARRAY[])",
        "Failed to insert values into 'S'. Array constructor cannot be empty. Please supply at least one",
    ),
    (
        "INSERT INTO S (ID, ROWTIME) VALUES (1, 'x')",
        "Failed to insert values into 'S'. Expected type BIGINT for field `ROWTIME` but got STRING('x')",
    ),
    (
        "INSERT INTO T VALUES (NULL, 1, 'x')",
        "Failed to insert values into 'T'. Value for primary key column(s) ID is required for tables",
    ),
    ("DELETE FROM NOPE WHERE ID = 1", "Cannot insert values into an unknown stream/table: `NOPE`"),
    ("DELETE FROM T WHERE ID > 1", "DELETE FROM takes conditions of the form 'key column = value', joined by AND."),
    (
        "DELETE FROM T WHERE ID = 1 OR ID = 2",
        "DELETE FROM takes conditions of the form 'key column = value', joined by AND.",
    ),
    (
        "DELETE FROM T WHERE ID = 1 AND ID = 2",
        "An equality condition on the key column cannot be combined with another on `ID`.",
    ),
    ("DELETE FROM T WHERE ID = 'x'", "Expected type BIGINT for field `ID` but got STRING('x')"),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
