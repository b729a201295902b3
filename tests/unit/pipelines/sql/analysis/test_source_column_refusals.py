"""CREATE STREAM | TABLE that is refused for its columns, or for what is there already."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with. `{json}` is a topic and the format.
REFUSED = [
    ("CREATE STREAM S (A INT) WITH ({json})", "Cannot add stream 'S': A stream with the same name already exists"),
    ("CREATE STREAM X (ROWTIME BIGINT) WITH ({json})", "Line: 1, Col: 18: 'ROWTIME' is a reserved column name."),
    ("CREATE STREAM X (A INT, A STRING) WITH ({json})", "Duplicate column names: `A`"),
    (
        "CREATE STREAM X (A INT PRIMARY KEY) WITH ({json})",
        "Line: 1, Col: 18: Column `A` is a 'PRIMARY KEY' column: please use 'KEY' for streams.",
    ),
    (
        "CREATE TABLE X (A INT KEY) WITH ({json})",
        "Line: 1, Col: 17: Column `A` is a 'KEY' column: please use 'PRIMARY KEY' for tables.",
    ),
    ("CREATE TABLE X (A INT) WITH ({json})", "Tables require a PRIMARY KEY. Please define the PRIMARY KEY."),
    (
        "CREATE STREAM X (A ARRAY<INT>) WITH ({topic}, VALUE_FORMAT='DELIMITED')",
        "The 'DELIMITED' format does not support type 'ARRAY', column: `A`",
    ),
    (
        "CREATE STREAM X (A INT, B INT) WITH ({topic}, VALUE_FORMAT='KAFKA')",
        "The 'KAFKA' format only supports a single field. Got: [`A` INTEGER, `B` INTEGER]",
    ),
    (
        "CREATE STREAM X (A INT KEY, B INT) WITH ({json}, KEY_FORMAT='NONE')",
        "The 'NONE' format can only be used when no columns are defined. Got: [`A` INTEGER KEY]",
    ),
    (
        "CREATE STREAM X (A MAP<STRING,INT> KEY, B INT) WITH ({topic}, FORMAT='JSON')",
        "Map keys, including types that contain maps, are not supported as they may lead to unexpected",
    ),
    ("CREATE STREAM X (A FOO) WITH ({json})", "Cannot resolve unknown type: FOO"),
    (
        "CREATE STREAM X (A INT HEADERS) WITH ({json})",
        "Invalid type for HEADERS column: expected ARRAY<STRUCT<`KEY` STRING, `VALUE` BYTES>>, got INTEGER",
    ),
    ("CREATE STREAM X WITH ({json})", "The statement does not define any columns."),
    ("CREATE STREAM X (A DECIMAL(2,3)) WITH ({json})", "line 1:20: DECIMAL precision must be >= scale: DECIMAL(2,3)"),
    ("CREATE STREAM X (A DECIMAL(0,0)) WITH ({json})", "line 1:20: DECIMAL precision must be >= 1: DECIMAL(0,0)"),
    ("CREATE STREAM X (A STRUCT<B INT, B INT>) WITH ({json})", "line 1:34: Duplicate field names found in STRUCT: 'B'"),
    ("CREATE STREAM X (A MAP<INT, INT>) WITH ({json})", "JSON only supports MAP types with STRING keys"),
    ("CREATE STREAM X (A BOOLEAN KEY, B INT) WITH ({json})", "The 'KAFKA' format does not support type 'BOOLEAN'"),
    (
        "CREATE STREAM X (`a b` INT) WITH ({topic}, VALUE_FORMAT='AVRO')",
        "Schema is not compatible with Avro: Illegal character in: a b",
    ),
    (
        "CREATE STREAM X (A BYTES HEADER('x'), B BYTES HEADER('x')) WITH ({json})",
        "Schema already contains a HEADER('x') column.",
    ),
    (
        "CREATE STREAM X (A ARRAY<STRUCT<KEY STRING, VALUE BYTES>> HEADERS, B BYTES HEADER('x')) WITH ({json})",
        "Schema already contains a HEADERS column.",
    ),
    (
        "CREATE STREAM X (A STRING HEADER('x')) WITH ({json})",
        "Invalid type for HEADER('x') column: expected BYTES, got STRING",
    ),
    (
        "CREATE OR REPLACE STREAM RO (ID BIGINT KEY, A INT) WITH (KAFKA_TOPIC='ro', VALUE_FORMAT='JSON')",
        "Cannot add stream 'RO': CREATE OR REPLACE is not supported on source streams or tables.",
    ),
    (
        "CREATE OR REPLACE SOURCE STREAM S (ID BIGINT KEY, A INT) WITH (KAFKA_TOPIC='ro', VALUE_FORMAT='JSON')",
        "Cannot add stream 'S': CREATE OR REPLACE is not supported on source streams or tables.",
    ),
    (
        "CREATE OR REPLACE STREAM NK (A INT) WITH (KAFKA_TOPIC='nk', VALUE_FORMAT='JSON')",
        "Cannot upgrade data source: DataSource '`NK`' has schema = `A` INTEGER, `B` STRING which is not",
    ),
    (
        "CREATE OR REPLACE TABLE NK (A INT PRIMARY KEY, B STRING, C INT) WITH (KAFKA_TOPIC='nk', VALUE_FORMAT='JSON')",
        "Cannot upgrade data source: DataSource '`NK`' has type = KSTREAM which is not upgradeable to KTABLE",
    ),
    (
        "CREATE TABLE S (ID INT PRIMARY KEY, A INT) WITH ({json})",
        "Cannot add table 'S': A stream with the same name already exists",
    ),
    (
        "CREATE STREAM X (WINDOWSTART BIGINT) WITH ({json})",
        "Line: 1, Col: 18: 'WINDOWSTART' is a reserved column name.",
    ),
    (
        "CREATE STREAM X (A INT, ROWOFFSET BIGINT) WITH ({json})",
        "Line: 1, Col: 25: 'ROWOFFSET' is a reserved column name.",
    ),
    (
        "CREATE STREAM X (A INT, `ROWPARTITION` INT) WITH ({json})",
        "Line: 1, Col: 25: 'ROWPARTITION' is a reserved column name.",
    ),
    ("CREATE TABLE X (ID INT PRIMARY KEY, A INT, A INT) WITH ({json})", "Duplicate column names: `A`"),
    ("CREATE TABLE X (ID INT PRIMARY KEY, ID INT) WITH ({json})", "Duplicate column names: `ID`"),
    (
        "CREATE TABLE X (K1 INT PRIMARY KEY, K2 INT PRIMARY KEY, A INT) WITH ({json})",
        "The 'KAFKA' format only supports a single field. Got: [`K1` INTEGER KEY, `K2` INTEGER KEY]",
    ),
    (
        "CREATE TABLE X (K1 ARRAY<INT> PRIMARY KEY, A INT) WITH ({json}, KEY_FORMAT='DELIMITED')",
        "The 'DELIMITED' format does not support type 'ARRAY', column: `K1`",
    ),
    (
        "CREATE TABLE X (K1 STRUCT<M MAP<STRING, INT>> PRIMARY KEY, A INT) WITH ({topic}, FORMAT='JSON')",
        "Map keys, including types that contain maps, are not supported as they may lead to unexpected",
    ),
    ("CREATE TABLE X (K1 DATE PRIMARY KEY, A INT) WITH ({json})", "The 'KAFKA' format does not support type 'DATE'"),
    (
        "CREATE TABLE X (K1 DECIMAL(2,1) PRIMARY KEY, A INT) WITH ({json})",
        "The 'KAFKA' format does not support type 'DECIMAL'",
    ),
    (
        "CREATE STREAM X (A INT) WITH ({topic}, VALUE_FORMAT='NONE')",
        "The 'NONE' format can only be used when no columns are defined. Got: [`A` INTEGER]",
    ),
    (
        "CREATE STREAM X (A BOOLEAN) WITH ({topic}, VALUE_FORMAT='KAFKA')",
        "The 'KAFKA' format does not support type 'BOOLEAN'",
    ),
    (
        "CREATE STREAM X (A STRUCT<B INT>) WITH ({topic}, VALUE_FORMAT='DELIMITED')",
        "The 'DELIMITED' format does not support type 'STRUCT', column: `A`",
    ),
    (
        "CREATE STREAM X (A MAP<STRING, INT>) WITH ({topic}, VALUE_FORMAT='DELIMITED')",
        "The 'DELIMITED' format does not support type 'MAP', column: `A`",
    ),
    (
        "CREATE STREAM X (A MAP<INT, INT>) WITH ({topic}, VALUE_FORMAT='JSON_SR')",
        "JSON only supports MAP types with STRING keys",
    ),
    (
        "CREATE STREAM X (A MAP<INT, INT>) WITH ({topic}, VALUE_FORMAT='PROTOBUF')",
        "PROTOBUF format only supports MAP types with STRING keys. See",
    ),
    ("CREATE STREAM X (A ARRAY<NOPE>) WITH ({json})", "Cannot resolve unknown type: NOPE"),
    (
        "CREATE STREAM X (A INT HEADER('k')) WITH ({json})",
        "Invalid type for HEADER('k') column: expected BYTES, got INTEGER",
    ),
    (
        "CREATE OR REPLACE STREAM NK (A INT, B STRING) WITH (KAFKA_TOPIC='other', VALUE_FORMAT='JSON')",
        "DataSource '`NK`' has topic = nk which is not upgradeable to other",
    ),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement.format(json="KAFKA_TOPIC='s', VALUE_FORMAT='JSON'", topic="KAFKA_TOPIC='s'") + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
