"""The columns of results: names that are given and that are made, which are the key, their types and order."""

from __future__ import annotations

import pytest

from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()

# A query with its sink, and the schema of the result.
STREAMS = [
    ("SELECT ID, A FROM S", "`ID` BIGINT KEY, `A` INTEGER"),
    ("SELECT A, ID FROM S", "`ID` BIGINT KEY, `A` INTEGER"),
    ("SELECT S.ID, S.A FROM S", "`ID` BIGINT KEY, `A` INTEGER"),
    ("SELECT Q.ID, Q.A FROM S Q", "`ID` BIGINT KEY, `A` INTEGER"),
    ("SELECT ID AS K, A FROM S", "`K` BIGINT KEY, `A` INTEGER"),
    ("SELECT ID, AS_VALUE(ID) AS V FROM S", "`ID` BIGINT KEY, `V` BIGINT"),
    ("SELECT * FROM NK", "`A` INTEGER, `B` STRING"),
    ("SELECT NK.* FROM NK", "`A` INTEGER, `B` STRING"),
    ("SELECT *, A + 1 AS X FROM NK", "`A` INTEGER, `B` STRING, `X` INTEGER"),
    ("SELECT A + 1, B, A * 2 FROM NK", "`KSQL_COL_0` INTEGER, `B` STRING, `KSQL_COL_1` INTEGER"),
    ("SELECT ID, ST->X, ST->Y FROM S", "`ID` BIGINT KEY, `X` INTEGER, `Y` STRING"),
    ("SELECT ID, ST->X, ST->X AS Z FROM S", "`ID` BIGINT KEY, `X` INTEGER, `Z` INTEGER"),
    ("SELECT ID, ST->* FROM S", "`ID` BIGINT KEY, `X` INTEGER, `Y` STRING"),
    ("SELECT ID, C[1], M['a'] FROM S", "`ID` BIGINT KEY, `KSQL_COL_0` INTEGER, `KSQL_COL_1` INTEGER"),
    ("SELECT ID, 'x' AS X, 1 AS Y, 2.50 AS Z FROM S", "`ID` BIGINT KEY, `X` STRING, `Y` INTEGER, `Z` DECIMAL(3, 2)"),
    ("SELECT ID, ROWTIME AS RT, ROWPARTITION AS RP, ROWOFFSET AS RO FROM S", None),
    ("SELECT K2, K1, A FROM K2", "`K1` INTEGER KEY, `K2` STRING KEY, `A` INTEGER"),
    ("SELECT K1 AS X, K2 AS Y, A FROM K2", "`X` INTEGER KEY, `Y` STRING KEY, `A` INTEGER"),
    ("SELECT * FROM W", "`ID` BIGINT KEY, `A` INTEGER"),
    ("SELECT ID, WINDOWSTART AS WS, WINDOWEND AS WE, A FROM W", None),
    ("SELECT * FROM H1", "`ID` BIGINT KEY, `A` INTEGER, `TRACE` BYTES"),
    ('SELECT "id", "a" FROM "low"', "`id` INTEGER KEY, `a` INTEGER"),
    ("SELECT * FROM NK PARTITION BY A", "`A` INTEGER KEY, `B` STRING"),
    ("SELECT * FROM K2 PARTITION BY A", "`A` INTEGER KEY, `B` STRING, `K1` INTEGER, `K2` STRING"),
    ("SELECT * FROM K2 PARTITION BY A, B", "`A` INTEGER KEY, `B` STRING KEY, `K1` INTEGER, `K2` STRING"),
    ("SELECT * FROM K2 PARTITION BY NULL", "`A` INTEGER, `B` STRING, `K1` INTEGER, `K2` STRING"),
    ("SELECT * FROM NK PARTITION BY A + 1", "`KSQL_COL_0` INTEGER KEY, `A` INTEGER, `B` STRING"),
    ("SELECT A + 1 AS K, B FROM NK PARTITION BY A + 1", "`K` INTEGER KEY, `B` STRING"),
    ("SELECT ID, ST->X FROM S PARTITION BY ST->X", "`X` INTEGER KEY, `ID` BIGINT"),
    ("SELECT * FROM W PARTITION BY ID", "`ID` BIGINT KEY, `A` INTEGER"),
]

TABLES = [
    ("SELECT * FROM T", "`ID` BIGINT PRIMARY KEY, `A` INTEGER, `B` STRING"),
    ("SELECT ID AS K, B FROM T WHERE A > 3", "`K` BIGINT PRIMARY KEY, `B` STRING"),
    ("SELECT * FROM WT", "`ID` BIGINT PRIMARY KEY, `A` INTEGER"),
    ("SELECT A, COUNT(*) FROM S GROUP BY A", "`A` INTEGER PRIMARY KEY, `KSQL_COL_0` BIGINT"),
    ("SELECT COUNT(*) AS N, A FROM S GROUP BY A", "`A` INTEGER PRIMARY KEY, `N` BIGINT"),
    ("SELECT A AS K, COUNT(*) AS N FROM S GROUP BY A", "`K` INTEGER PRIMARY KEY, `N` BIGINT"),
    ("SELECT A, AS_VALUE(A) AS V, COUNT(*) AS N FROM S GROUP BY A", None),
    ("SELECT A + 1, COUNT(*) FROM S GROUP BY A + 1", "`KSQL_COL_0` INTEGER PRIMARY KEY, `KSQL_COL_1` BIGINT"),
    ("SELECT A + 1 AS K, COUNT(*) AS N FROM S GROUP BY A + 1", "`K` INTEGER PRIMARY KEY, `N` BIGINT"),
    ("SELECT ST->X, COUNT(*) AS N FROM S GROUP BY ST->X", "`X` INTEGER PRIMARY KEY, `N` BIGINT"),
    ("SELECT K2, K1, COUNT(*) AS N FROM K2 GROUP BY K1, K2", None),
    ("SELECT A, A * COUNT(*) + SUM(A) AS X FROM S GROUP BY A", "`A` INTEGER PRIMARY KEY, `X` BIGINT"),
    ("SELECT A, MAX(ROWTIME) AS LAST FROM S GROUP BY A", "`A` INTEGER PRIMARY KEY, `LAST` BIGINT"),
    ("SELECT A, 'x' AS X, COUNT(*) AS N FROM S GROUP BY A", "`A` INTEGER PRIMARY KEY, `X` STRING, `N` BIGINT"),
    ("SELECT B, COLLECT_LIST(A) AS L, TOPK(A, 2) AS K FROM S GROUP BY B", None),
    ("SELECT B, COUNT(*) AS N FROM T GROUP BY B", "`B` STRING PRIMARY KEY, `N` BIGINT"),
    ("SELECT WINDOWSTART AS W, SUM(A) AS N FROM WT GROUP BY WINDOWSTART", "`W` BIGINT PRIMARY KEY, `N` INTEGER"),
    ("SELECT A, WINDOWSTART AS W, COUNT(*) AS N FROM S WINDOW SESSION (1 HOUR) GROUP BY A", None),
    ("SELECT ID, COUNT(*) AS N, MIN(WINDOWSTART) AS W FROM W GROUP BY ID", None),
]

LONGER = {
    "SELECT ID, ROWTIME AS RT, ROWPARTITION AS RP, ROWOFFSET AS RO FROM S": (
        "`ID` BIGINT KEY, `RT` BIGINT, `RP` INTEGER, `RO` BIGINT"
    ),
    "SELECT ID, WINDOWSTART AS WS, WINDOWEND AS WE, A FROM W": (
        "`ID` BIGINT KEY, `WS` BIGINT, `WE` BIGINT, `A` INTEGER"
    ),
    "SELECT A, AS_VALUE(A) AS V, COUNT(*) AS N FROM S GROUP BY A": ("`A` INTEGER PRIMARY KEY, `V` INTEGER, `N` BIGINT"),
    "SELECT K2, K1, COUNT(*) AS N FROM K2 GROUP BY K1, K2": (
        "`K1` INTEGER PRIMARY KEY, `K2` STRING PRIMARY KEY, `N` BIGINT"
    ),
    "SELECT B, COLLECT_LIST(A) AS L, TOPK(A, 2) AS K FROM S GROUP BY B": (
        "`B` STRING PRIMARY KEY, `L` ARRAY<INTEGER>, `K` ARRAY<INTEGER>"
    ),
    "SELECT A, WINDOWSTART AS W, COUNT(*) AS N FROM S WINDOW SESSION (1 HOUR) GROUP BY A": (
        "`A` INTEGER PRIMARY KEY, `W` BIGINT, `N` BIGINT"
    ),
    "SELECT ID, COUNT(*) AS N, MIN(WINDOWSTART) AS W FROM W GROUP BY ID": (
        "`ID` BIGINT PRIMARY KEY, `N` BIGINT, `W` BIGINT"
    ),
}


@pytest.mark.parametrize(
    ("kind", "query", "schema"),
    [*(("STREAM", *each) for each in STREAMS), *(("TABLE", *each) for each in TABLES)],
)
def test_the_columns_of_a_result(kind: str, query: str, schema: str | None) -> None:
    sink = carry_out(f"CREATE {kind} X AS {query};", KNOWN).query.sink
    assert sink.schema.text(sink.kind) == (schema or LONGER[query])


def test_a_sink_takes_formats_partitions_and_topic_from_its_source() -> None:
    done = carry_out("CREATE STREAM X AS SELECT * FROM CSV; CREATE STREAM Y AS SELECT * FROM S;", KNOWN)
    x, y = done.catalogue.source("X"), done.catalogue.source("Y")
    assert (x.topic, x.key_format.name, x.value_format.name) == ("X", "DELIMITED", "DELIMITED")
    assert x.value_format.properties == {"delimiter": "TAB"}
    assert (y.partitions, y.replicas) == (4, 1)


def test_a_sinks_own_properties_come_first() -> None:
    text = (
        "CREATE STREAM X WITH (KAFKA_TOPIC='out', KEY_FORMAT='JSON', VALUE_FORMAT='AVRO', PARTITIONS=7, REPLICAS=2, "
        "TIMESTAMP='TS', VALUE_SCHEMA_FULL_NAME='a.b') AS SELECT * FROM S;"
    )
    sink = carry_out(text, KNOWN).query.sink
    assert (sink.topic, sink.key_format.name, sink.value_format.name) == ("out", "JSON", "AVRO")
    assert (sink.partitions, sink.replicas) == (7, 2)
    assert sink.timestamp is not None
    assert sink.value_format.properties == {"fullSchemaName": "a.b"}


def test_a_delimiter_is_not_inherited_by_another_format() -> None:
    sink = carry_out("CREATE STREAM X WITH (VALUE_FORMAT='JSON') AS SELECT * FROM CSV;", KNOWN).query.sink
    assert sink.value_format.properties == {}


def test_a_result_without_a_key_has_no_key_format() -> None:
    sink = carry_out("CREATE STREAM X AS SELECT * FROM S PARTITION BY NULL;", KNOWN).query.sink
    assert sink.key_format.name == "NONE"


def test_a_result_with_a_key_of_a_source_without_one_has_the_default_format() -> None:
    text = "CREATE STREAM N (A INT) WITH (KAFKA_TOPIC='n', VALUE_FORMAT='JSON', KEY_FORMAT='NONE');"
    sink = carry_out(f"{text} CREATE STREAM X AS SELECT A, AS_VALUE(A) AS V FROM N PARTITION BY A;").query.sink
    assert sink.key_format.name == "KAFKA"


def test_windows_stay_with_a_key_and_go_with_it() -> None:
    text = """
    CREATE STREAM X AS SELECT * FROM W;
    CREATE TABLE Y AS SELECT ID, COUNT(*) AS N FROM W GROUP BY ID;
    CREATE TABLE Z AS SELECT A, COUNT(*) AS N FROM S WINDOW HOPPING (SIZE 2 HOURS, ADVANCE BY 1 HOUR) GROUP BY A;
    """
    catalogue = carry_out(text, KNOWN).catalogue
    windows = [catalogue.source(name).window for name in ("X", "Y", "Z")]
    assert windows[1] is None
    assert [window and (window.kind.value, window.size_ms) for window in (windows[0], windows[2])] == [
        ("TUMBLING", 3_600_000),
        ("HOPPING", 7_200_000),
    ]
