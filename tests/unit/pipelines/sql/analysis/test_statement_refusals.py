"""DROP, ALTER, types and control of queries, refused."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with.
REFUSED = [
    ("DROP TABLE S", "Incompatible data source type is STREAM, but statement was DROP TABLE"),
    ("DROP STREAM NOPE", "Stream NOPE does not exist."),
    ("DROP STREAM RO DELETE TOPIC", "Cannot delete topic for read-only source: RO"),
    ("ALTER STREAM NOPE ADD COLUMN X INT", "Source NOPE does not exist."),
    (
        "ALTER STREAM NK ADD COLUMN A INT",
        "Cannot add column `A` to schema. A column with the same name already exists.",
    ),
    ("ALTER TABLE NK ADD COLUMN X INT", "Incompatible data source type is STREAM, but statement was ALTER TABLE"),
    (
        "ALTER STREAM RO ADD COLUMN X INT",
        "Cannot alter stream 'RO': ALTER operations are not supported on source streams or tables.",
    ),
    ("DROP TYPE NOPE", "Type NOPE does not exist."),
    ("TERMINATE NOPE", "Unknown queryId: NOPE"),
    ("PAUSE NOPE", "Unknown queryId: NOPE"),
    ("CREATE TYPE P AS NOPE", "Cannot resolve unknown type: NOPE"),
    ("RESUME NOPE", "Unknown queryId: NOPE"),
    ("ALTER STREAM NK ADD COLUMN ROWTIME BIGINT", "Line: 1, Col: 28: 'ROWTIME' is a reserved column name."),
    (
        "ALTER TABLE T ADD COLUMN ID BIGINT",
        "Cannot add column `ID` to schema. A column with the same name already exists.",
    ),
    ("ALTER STREAM CSV ADD COLUMN X ARRAY<INT>", "The 'DELIMITED' format does not support type 'ARRAY', column: `X`"),
    ("ALTER STREAM NK ADD COLUMN X NOPE", "Cannot resolve unknown type: NOPE"),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
