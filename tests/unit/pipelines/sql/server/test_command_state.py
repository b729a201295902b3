"""The catalogue from the command topic: read again it is the same, and what cannot be read stops nothing."""

from __future__ import annotations

import json

import pytest

from riacho.pipelines.sql.server.command_state import CommandState
from riacho.single_writer.record import LogRecord
from support.sql_statements import carry_out

SCRIPT = """
CREATE STREAM s (id STRING KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);
CREATE TYPE pair AS STRUCT<a INT, b INT>;
CREATE STREAM big AS SELECT * FROM s WHERE v > 5;
CREATE TABLE totals AS SELECT id, SUM(v) AS total FROM s GROUP BY id;
CREATE OR REPLACE STREAM big AS SELECT * FROM s WHERE v > 6;
INSERT INTO big SELECT * FROM s WHERE v < 0;
PAUSE CTAS_TOTALS_3;
TERMINATE INSERTQUERY_5;
"""


def _log(script: str) -> tuple[CommandState, list[LogRecord]]:
    state, records = CommandState(), []
    for outcome in carry_out(script).outcomes:
        query = getattr(outcome, "query", None)
        append = state.append(
            f"command/{state.sequence}", "text", outcome.changes, message="done",
            query_id=None if query is None else query.query_id,
        )  # fmt: skip
        records.append(LogRecord(append.key, append.value, len(records), 0))
        state.apply(records[-1])
    return state, records


def test_read_again_it_is_the_same() -> None:
    state, records = _log(SCRIPT)
    again = CommandState()
    for record in records:
        again.apply(record)
    assert again.catalogue == state.catalogue
    assert (again.sequence, again.statuses, again.checkpoints) == (state.sequence, state.statuses, state.checkpoints)
    assert sorted(state.catalogue.queries) == ["CSAS_BIG_4", "CTAS_TOTALS_3"]


def test_a_query_in_the_place_of_another_has_its_checkpoint_and_a_terminated_one_leaves_it_behind() -> None:
    state, _ = _log(SCRIPT)
    assert state.checkpoints["CSAS_BIG_4"].startswith("CSAS_BIG_2-")
    assert state.checkpoints["CTAS_TOTALS_3"].startswith("CTAS_TOTALS_3-")
    assert [name.partition("-")[0] for name in state.abandoned] == ["INSERTQUERY_5"]


def test_a_query_of_the_same_id_in_a_topic_that_began_anew_has_another_checkpoint() -> None:
    first, _ = _log(SCRIPT)
    second, _ = _log(SCRIPT)
    assert first.checkpoints["CTAS_TOTALS_3"] != second.checkpoints["CTAS_TOTALS_3"]


@pytest.mark.parametrize(
    "value",
    [
        b"", b"no json", b"{}", b"[]", b"\xff\xfe", b'{"sequence":"x"}', b"[" * 5_000,
        json.dumps({"sequence": 9, "command_id": "x", "statement": "", "changes": [{"do": "nonsense"}]}).encode(),
        json.dumps({"sequence": 9, "command_id": "x", "statement": "", "changes": [{}]}).encode(),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_passed_over(value: bytes) -> None:
    state, _ = _log(SCRIPT)
    before = (state.catalogue, state.sequence)
    state.apply(LogRecord(b"9", value, 99, 0))
    assert (state.catalogue, state.sequence) == before


def test_nobody_is_told_that_all_is_gone_when_the_topic_is_only_read_again() -> None:
    state, _ = _log(SCRIPT)
    told: list[int] = []
    state.on_change = lambda: told.append(1)
    state.clear()
    assert told == []
    assert (state.sequence, dict(state.catalogue.queries), dict(state.abandoned)) == (0, {}, {})
