"""The catalogue: who reads and writes what, what can be dropped and replaced, and queries that are ended."""

from __future__ import annotations

import pytest

from riacho.pipelines.sql.analysis.outcomes import DropOutcome
from riacho.pipelines.sql.analysis.settings import Settings
from riacho.pipelines.sql.catalogue.catalogue import Catalogue
from riacho.pipelines.sql.catalogue.queries import QueryState
from riacho.pipelines.sql.errors import KsqlError
from riacho.pipelines.sql.plan.planner import NATIVE
from support.sql_statements import carry_out, known_sources

KNOWN = known_sources()
CHAIN = """
CREATE STREAM X AS SELECT ID, A FROM S;
CREATE TABLE Y AS SELECT A, COUNT(*) AS N FROM X GROUP BY A;
INSERT INTO NK SELECT A, B FROM NK WHERE A > 3;
"""


@pytest.fixture
def chain() -> Catalogue:
    # State in tasks; that of Spark's own aggregations is in `plan/test_native_aggregation.py`.
    return carry_out(CHAIN, KNOWN, Settings({NATIVE: "false"})).catalogue


def test_query_ids_end_with_the_commands_offset(chain: Catalogue) -> None:
    assert list(chain.queries) == ["CSAS_X_0", "CTAS_Y_1", "INSERTQUERY_2"]


def test_readers_and_writers(chain: Catalogue) -> None:
    assert chain.readers("X") == ("CTAS_Y_1",)
    assert chain.writers("X") == ("CSAS_X_0",)
    assert (chain.readers("NK"), chain.writers("NK")) == (("INSERTQUERY_2",), ("INSERTQUERY_2",))
    assert chain.derived_from("S") == ("X",)


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("DROP STREAM X;", "Cannot drop X.\nThe following streams and/or tables read from this source: [Y].\n"),
        ("DROP STREAM S;", "You need to drop them before dropping S."),
        ("DROP STREAM NK;", "The following queries read from this source: [INSERTQUERY_2].\nThe following queries"),
        ("DROP STREAM NK;", "write into this source: [INSERTQUERY_2].\nYou need to terminate them before dropping NK."),
        ("DROP STREAM Y;", "Incompatible data source type is TABLE, but statement was DROP STREAM"),
        ("ALTER TABLE Y ADD COLUMN B INT;", "ALTER command is not supported for CREATE ... AS statements."),
        (
            "CREATE OR REPLACE STREAM X (ID BIGINT KEY, A INT) WITH (KAFKA_TOPIC='X', VALUE_FORMAT='JSON');",
            "Cannot add stream 'X': it is written by a query",
        ),
    ],
)
def test_what_others_need_stays(chain: Catalogue, statement: str, sentence: str) -> None:
    with pytest.raises(KsqlError) as refused:
        carry_out(statement, chain)
    assert sentence in refused.value.message


def test_a_source_takes_its_own_query_along(chain: Catalogue) -> None:
    done = carry_out("DROP TABLE Y DELETE TOPIC; DROP STREAM X;", chain)
    first = done.outcomes[0]
    assert isinstance(first, DropOutcome)
    assert (first.terminated, first.delete_topic, first.message) == (
        ("CTAS_Y_1",),
        True,
        "Source `Y` (topic: Y) was dropped.",
    )
    assert list(done.catalogue.queries) == ["INSERTQUERY_2"]
    assert "X" not in done.catalogue.sources


def test_a_source_stays_needed_when_the_query_is_gone(chain: Catalogue) -> None:
    with pytest.raises(KsqlError, match="Cannot drop S"):
        carry_out("TERMINATE ALL; DROP STREAM S;", chain)


def test_pausing_and_resuming(chain: Catalogue) -> None:
    paused = carry_out("PAUSE csas_x_0;", chain).catalogue
    assert paused.queries["CSAS_X_0"].state is QueryState.PAUSED
    resumed = carry_out("RESUME ALL;", paused).catalogue
    assert {query.state for query in resumed.queries.values()} == {QueryState.RUNNING}


REPLACED = [
    # Filters, and columns at the end
    ("STREAM X AS SELECT ID, A FROM S WHERE A > 3", None),
    ("STREAM X AS SELECT ID, A, B FROM S", None),
    ("STREAM X AS SELECT ID, B, A FROM S", "The following columns are changed, missing or reordered: [`A` INTEGER])"),
    ("STREAM X AS SELECT ID AS K, A FROM S", "has schema = `ID` BIGINT KEY, `A` INTEGER which is not upgradeable to"),
    ("TABLE X AS SELECT ID, A FROM T", "has type = KSTREAM which is not upgradeable to KTABLE"),
    (
        "STREAM X AS SELECT ID, A FROM RO",
        "Plan step of type StreamSource must have matching topicName. Values differ: s vs. ro",
    ),
    ("TABLE Y AS SELECT A, COUNT(*) AS N FROM X WHERE ID > 3 GROUP BY A", None),
    ("TABLE Y AS SELECT A, COUNT(*) AS N, SUM(ID) AS M FROM X GROUP BY A", None),
    ("TABLE Y AS SELECT A, SUM(ID) AS N FROM X GROUP BY A", "The aggregate COUNT would change the state it has kept."),
    ("TABLE Y AS SELECT A, COUNT(*) AS N FROM X WINDOW TUMBLING (SIZE 1 DAY) GROUP BY A", "must have matching kind"),
]


@pytest.mark.parametrize(("statement", "sentence"), REPLACED)
def test_replacing(chain: Catalogue, statement: str, sentence: str | None) -> None:
    text = f"CREATE OR REPLACE {statement};"
    if sentence is None:
        done = carry_out(text, chain)
        assert done.query.replaces in ("CSAS_X_0", "CTAS_Y_1")
        assert len(done.catalogue.queries) == 3
    else:
        with pytest.raises(KsqlError) as refused:
            carry_out(text, chain)
        assert sentence in refused.value.message


def test_replaying_the_changes_gives_the_same_catalogue() -> None:
    done = carry_out(f"{CHAIN} PAUSE CSAS_X_0; CREATE TYPE P AS INT; DROP TABLE Y; TERMINATE INSERTQUERY_2;", KNOWN)
    changes = [change for outcome in done.outcomes for change in outcome.changes]
    assert KNOWN.apply_all(changes) == done.catalogue
