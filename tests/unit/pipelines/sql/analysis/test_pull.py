"""Pull queries: keys and window bounds that conditions name."""

from __future__ import annotations

from typing import Any

import pytest

from riacho.pipelines.sql.analysis.outcomes import PullOutcome, WindowBounds
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.errors import KsqlError
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()


def pulled(text: str, settings: Settings | None = None) -> PullOutcome:
    outcome = carry_out(text, KNOWN, settings).last
    assert isinstance(outcome, PullOutcome)
    return outcome


KEYS: list[tuple[str, Any]] = [
    ("SELECT * FROM T;", None),
    ("SELECT * FROM T WHERE ID = 3;", [{"ID": 3}]),
    ("SELECT * FROM T WHERE 3 = ID AND A > 1;", [{"ID": 3}]),
    ("SELECT * FROM T WHERE ID IN (3, 4);", [{"ID": 3}, {"ID": 4}]),
    ("SELECT * FROM T WHERE ID = 3 OR A = 1;", None),
    ("SELECT * FROM T WHERE ID > 3;", None),
    ("SELECT * FROM T WHERE ID = A;", None),
    ("SELECT * FROM K2 WHERE K1 = 1;", None),
    ("SELECT * FROM K2 WHERE K1 = 1 AND K2 = 'x';", [{"K1": 1, "K2": "x"}]),
    ("SELECT * FROM K2 WHERE K1 IN (1, 2) AND K2 = 'x';", [{"K1": 1, "K2": "x"}, {"K1": 2, "K2": "x"}]),
]


@pytest.mark.parametrize(("text", "keys"), KEYS)
def test_keys(text: str, keys: Any) -> None:
    found = pulled(text).keys
    assert (None if found is None else list(found)) == keys


BOUNDS = [
    ("WINDOWSTART = 5", WindowBounds(5, 5)),
    ("WINDOWSTART > 5 AND WINDOWSTART <= 9", WindowBounds(6, 9)),
    ("5 < WINDOWSTART", WindowBounds(6)),
    ("WINDOWEND BETWEEN 5 AND 9", WindowBounds(end_min=5, end_max=9)),
    ("WINDOWEND >= '1970-01-01T00:00:01'", WindowBounds(end_min=1_000)),
    ("WINDOWSTART > 5 AND WINDOWSTART > 7 AND A > 3", WindowBounds(8)),
    ("WINDOWSTART > 5 OR WINDOWSTART < 2", WindowBounds()),
]


@pytest.mark.parametrize(("condition", "bounds"), BOUNDS)
def test_window_bounds(condition: str, bounds: WindowBounds) -> None:
    assert pulled(f"SELECT * FROM WT WHERE ID = 1 AND ({condition});").bounds == bounds


def test_a_windowed_tables_star_has_the_bounds() -> None:
    assert [each.name for each in pulled("SELECT * FROM WT;").select] == ["ID", "WINDOWSTART", "WINDOWEND", "A"]


def test_a_scan_can_be_forbidden() -> None:
    settings = Settings({"ksql.query.pull.table.scan.enabled": "false"})
    with pytest.raises(KsqlError, match="WHERE clause missing key column"):
        pulled("SELECT * FROM T;", settings)
    assert pulled("SELECT * FROM T WHERE ID = 1;", settings).keys


def test_order_and_limit_are_kept() -> None:
    outcome = pulled("SELECT ID, A FROM T ORDER BY A DESC LIMIT 3;")
    assert (outcome.limit, [each.is_descending for each in outcome.order_by]) == (3, [True])


GROUPED = [
    ("SELECT COUNT(*) FROM T;", [], ["COUNT"]),
    ("SELECT B, COUNT(*) AS N, MAX(A) - MIN(A) AS D FROM T GROUP BY B;", ["B"], ["COUNT", "MAX", "MIN"]),
    ("SELECT A + 1, SUM(A) FROM T GROUP BY A + 1 HAVING COUNT(*) > 1;", ["KSQL_COL_0"], ["SUM", "COUNT"]),
    ("SELECT ID, MIN(WINDOWSTART) AS FIRST FROM WT GROUP BY ID;", ["ID"], ["MIN"]),
]


@pytest.mark.parametrize(("text", "keys", "functions"), GROUPED)
def test_aggregates_for_callers_that_can_answer_them(text: str, keys: list[str], functions: list[str]) -> None:
    outcome = pulled(text, Settings(pulls_aggregates=True))
    assert outcome.aggregation is not None
    assert [each.name for each in outcome.group_by] == keys
    assert [each.spec.function for each in outcome.aggregation.calls] == functions


def test_what_is_not_grouped_is_refused_there_too() -> None:
    with pytest.raises(KsqlError, match="Non-aggregate SELECT expression"):
        pulled("SELECT A, COUNT(*) FROM T GROUP BY B;", Settings(pulls_aggregates=True))
