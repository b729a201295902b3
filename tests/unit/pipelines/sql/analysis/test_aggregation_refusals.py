"""Aggregations that are refused: what is not grouped, windows, aggregates over tables."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A statement, and a part of the sentence it is refused with.
REFUSED = [
    (
        "CREATE TABLE O AS SELECT COUNT(*) FROM S GROUP BY A",
        "The query used to build `O` must include the grouping expression A in its projection (eg, SELECT",
    ),
    (
        "CREATE TABLE O AS SELECT A, B, COUNT(*) FROM S GROUP BY A",
        "Non-aggregate SELECT expression(s) not part of GROUP BY: B",
    ),
    ("CREATE TABLE O AS SELECT A, COUNT(*) FROM S", "Use of aggregate function COUNT requires a GROUP BY clause."),
    (
        "CREATE TABLE O AS SELECT A FROM S GROUP BY A",
        "GROUP BY requires aggregate functions in either the SELECT or HAVING clause.",
    ),
    ("CREATE TABLE O AS SELECT A FROM S GROUP BY A HAVING COUNT(*) > 1", "The projection contains no value columns."),
    (
        "CREATE STREAM O AS SELECT A, COUNT(*) FROM S GROUP BY A",
        "Invalid result type. Your SELECT query produces a TABLE. Please use CREATE TABLE AS SELECT",
    ),
    (
        "CREATE TABLE O AS SELECT A, SUM(COUNT(*)) FROM S GROUP BY A",
        "Aggregate functions can not be nested: SUM(COUNT())",
    ),
    (
        "CREATE TABLE O AS SELECT A, MAX(ID) FROM T GROUP BY A",
        "The aggregation function MAX cannot be applied to a table source, only to a stream source.",
    ),
    (
        "CREATE TABLE O AS SELECT A, COUNT(*) FROM T WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY A",
        "Windowing not supported for table aggregations.",
    ),
    (
        "CREATE TABLE O AS SELECT A, SUM(WINDOWSTART) FROM S WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY A",
        "Window bounds column WINDOWSTART can only be used in the SELECT clause of windowed aggregations and",
    ),
    (
        "CREATE TABLE O AS SELECT A, COUNT(*) FROM S GROUP BY A EMIT FINAL",
        "EMIT FINAL is only supported for windowed aggregations.",
    ),
    (
        "CREATE TABLE X AS SELECT K1, COUNT(*) FROM K2 GROUP BY K1, K2",
        "The query used to build `X` must include the grouping expressions K1 and K2 in its projection (eg,",
    ),
    ("CREATE STREAM X AS SELECT * FROM S WINDOW TUMBLING (SIZE 1 HOUR)", "WINDOW clause requires a GROUP BY clause."),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW TUMBLING (SIZE 0 HOUR) GROUP BY A",
        "Window size (sizeMs) must be larger than zero.",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 2 HOUR) GROUP BY A",
        "Window advancement interval should be more than zero and less than window duration which is 3600000",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW TUMBLING (SIZE 1 HOUR, RETENTION 30 MINUTES) GROUP BY A",
        "The retention period of the window store must be no smaller than its window size plus the grace",
    ),
    (
        "CREATE TABLE X AS SELECT A, SUM(A) FROM S WINDOW SESSION (9 DAY, RETENTION 1 DAY, GRACE PERIOD 1 DAY) "
        "GROUP BY A",
        "The retention period of the window store must be no smaller than its window size plus the grace",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S GROUP BY A HAVING B = 'x'",
        "Non-aggregate HAVING expression not part of GROUP BY: B",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S GROUP BY A HAVING COUNT(*)",
        "Type error in HAVING expression: Should evaluate to boolean but is KSQL_AGG_VARIABLE_0 (BIGINT)",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WHERE COUNT(*) > 1 GROUP BY A",
        "WHERE does not support aggregate functions: COUNT is an aggregate function.",
    ),
    ("CREATE TABLE X AS SELECT A, COUNT(*) FROM S GROUP BY A, A", "Duplicate expression found in GROUP BY clause: A"),
    (
        "CREATE TABLE X AS SELECT M, COUNT(*) FROM S GROUP BY M",
        "Map keys, including types that contain maps, are not supported as they may lead to unexpected",
    ),
    (
        "CREATE TABLE X AS SELECT TOPK(A, A), B FROM S GROUP BY B",
        "Parameter 2 passed to function TOPK must be a literal constant, but was expression: 'A'",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S WHERE SUM(A) > 3",
        "WHERE does not support aggregate functions: SUM is an aggregate function.",
    ),
    (
        "CREATE STREAM X AS SELECT ID, A FROM S PARTITION BY SUM(A)",
        "PARTITION BY does not support aggregate functions: SUM is an aggregate function.",
    ),
    (
        "CREATE TABLE X AS SELECT NOPE, COUNT(*) FROM S GROUP BY NOPE",
        "Line: 1, Col: 57: GROUP BY column 'NOPE' cannot be resolved.",
    ),
    (
        "CREATE TABLE X AS SELECT A, B, COUNT(*) FROM S GROUP BY A, B",
        "The 'KAFKA' format only supports a single field. Got: [`A` INTEGER KEY, `B` STRING KEY]",
    ),
    (
        "CREATE TABLE X AS SELECT A AS X1, A AS X2, COUNT(*) FROM S GROUP BY A",
        "The projection contains a key column (`A`) more than once, aliased as: X1 and X2.",
    ),
    (
        "CREATE TABLE X AS SELECT A, A + ID, COUNT(*) FROM S GROUP BY A",
        "Non-aggregate SELECT expression(s) not part of GROUP BY: (A + ID)",
    ),
    (
        "CREATE TABLE X AS SELECT A, ROWTIME AS RT, COUNT(*) FROM S GROUP BY A",
        "Non-aggregate SELECT expression(s) not part of GROUP BY: ROWTIME",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*), B, D FROM S GROUP BY A",
        "Non-aggregate SELECT expression(s) not part of GROUP BY: B, D",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S GROUP BY COUNT(*)",
        "GROUP BY does not support aggregate functions: COUNT is an aggregate function.",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) AS A FROM S GROUP BY A",
        "Duplicate value columns found in schema: `A` BIGINT",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S GROUP BY A HAVING NOPE > 1",
        "Line: 1, Col: 63: HAVING column 'NOPE' cannot be resolved.",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S GROUP BY A HAVING SUM(A)",
        "Type error in HAVING expression: Should evaluate to boolean but is KSQL_AGG_VARIABLE_1 (INTEGER)",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY A HAVING WINDOWSTART > 1",
        "Window bounds column WINDOWSTART can only be used in the SELECT clause of windowed aggregations and",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*), SUM(A) FROM S",
        "Use of aggregate functions COUNT and SUM requires a GROUP BY clause.",
    ),
    (
        "CREATE TABLE X AS SELECT COUNT(*), SUM(A), MAX(A) FROM S",
        "Use of aggregate functions COUNT, SUM and MAX requires a GROUP BY clause.",
    ),
    (
        "CREATE TABLE X AS SELECT A, MIN(ID), MAX(ID) FROM T GROUP BY A",
        "The aggregation functions MIN and MAX cannot be applied to a table source, only to a stream source.",
    ),
    (
        "CREATE TABLE X AS SELECT A, LATEST_BY_OFFSET(B) FROM T GROUP BY A",
        "The aggregation function LATEST_BY_OFFSET cannot be applied to a table source, only to a",
    ),
    (
        "CREATE TABLE X AS SELECT A, COLLECT_SET(B) FROM T GROUP BY A",
        "The aggregation function COLLECT_SET cannot be applied to a table source, only to a stream",
    ),
    (
        "CREATE TABLE X AS SELECT A, WINDOWSTART AS WS, COUNT(*) FROM S GROUP BY A",
        "Line: 1, Col: 29: SELECT column 'WINDOWSTART' cannot be resolved.",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW SESSION (0 SECONDS) GROUP BY A",
        "Gap time (sizeMs) must be larger than zero.",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW HOPPING (SIZE 1 HOUR, ADVANCE BY 0 SECONDS) GROUP BY A",
        "Window advancement interval should be more than zero and less than window duration which is 3600000",
    ),
    (
        "CREATE TABLE X AS SELECT A, SUM(A) FROM S WINDOW HOPPING (SIZE 99 DAYS, ADVANCE BY 9 MILLISECOND) GROUP BY A",
        "A record can be in 100000 hopping windows at most.",
    ),
    (
        "CREATE TABLE X WITH (KEY_FORMAT='KAFKA') AS SELECT K1, K2, COUNT(*) FROM K2 GROUP BY K1, K2",
        "The 'KAFKA' format only supports a single field. Got: [`K1` INTEGER KEY, `K2` STRING KEY]",
    ),
    (
        "CREATE TABLE X WITH (KEY_FORMAT='NONE') AS SELECT A, COUNT(*) FROM S GROUP BY A",
        "The 'NONE' format can only be used when no columns are defined. Got: [`A` INTEGER KEY]",
    ),
    (
        "CREATE TABLE X WITH (VALUE_FORMAT='KAFKA') AS SELECT A, COUNT(*) AS N, SUM(A) AS M FROM S GROUP BY A",
        "The 'KAFKA' format only supports a single field. Got: [`N` BIGINT, `M` INTEGER]",
    ),
    (
        "CREATE TABLE X AS SELECT A, EXPLODE(C), COUNT(*) FROM S GROUP BY A",
        "Table functions cannot be used with aggreg",
    ),
    ("CREATE TABLE X AS SELECT ID, WINDOWSTART AS W, COUNT(*) FROM W GROUP BY ID", "not part of GROUP BY: WINDOWSTART"),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW TUMBLING (SIZE 1 HOUR) WHERE WINDOWSTART > 1 GROUP BY A",
        "Window bounds column WINDOWSTART can only be used in the SELECT clause of windowed aggregations",
    ),
    (
        "CREATE TABLE X AS SELECT A, COUNT(*) FROM S WINDOW TUMBLING (SIZE 1 HOUR) GROUP BY A, WINDOWSTART",
        "Window bounds column WINDOWSTART can only be used in the SELECT clause of windowed aggregations",
    ),
    ("CREATE TABLE X AS SELECT A, SUM(B) FROM S GROUP BY A", "Function 'sum' does not accept parameters (STRING)."),
    ("CREATE TABLE X AS SELECT A, TOPK(A, 0) FROM S GROUP BY A", "k must be 1 or greater"),
    ("CREATE TABLE X AS SELECT B FROM S GROUP BY A", "GROUP BY requires aggregate functions in either the SELECT or"),
    ("CREATE TABLE X AS SELECT B, COUNT(*) FROM S GROUP BY A", "Non-aggregate SELECT expression(s) not part of GROUP"),
    (
        "CREATE TABLE X AS SELECT A, AVG(A) FROM CSV GROUP BY A",
        "has an intermediate type that the value format can not",
    ),
    ("CREATE TABLE X AS SELECT V, COUNT(*) FROM KV GROUP BY V", "Source(s) KV are using the 'KAFKA' value format."),
]


@pytest.mark.parametrize(("statement", "sentence"), REFUSED)
def test_refusals(statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement + ";", KNOWN)
    assert sentence in refused.value.message
    assert refused.value.statement
