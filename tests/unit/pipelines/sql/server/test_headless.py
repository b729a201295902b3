"""A file of statements that a server cannot use keeps it from starting, with one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from riacho.base.config import ConfigError
from riacho.pipelines.sql.server.headless import QueriesFile


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("SELEC 1;", "line 1:1"),
        (
            "CREATE STREAM x (a INT) WITH (kafka_topic='x', value_format='json'); SELECT * FROM x EMIT CHANGES;",
            "SELECT",
        ),
        ("DROP STREAM x;", "DROP STREAM x"),
        ("", "no statements"),
        (None, "cannot be read"),
        ("\0", "line 1:1"),
        ("(" * 100_000 + ";", "cannot be used"),
    ],
)
def test_it_is_refused(tmp_path: Path, text: str | None, part: str) -> None:
    file = tmp_path / "queries.sql"
    if text is not None:
        file.write_text(text)
    with pytest.raises(ConfigError, match=r"^ksql\.queries\.file") as refused:
        QueriesFile(str(file))
    assert part in str(refused.value)
    assert "\n" not in str(refused.value)


def test_variables_hold_from_their_definition_on(tmp_path: Path) -> None:
    file = tmp_path / "queries.sql"
    file.write_text(
        "DEFINE name = 'x'; CREATE STREAM ${name} (a INT) WITH (kafka_topic='${name}', value_format='json');"
        "SET 'auto.offset.reset' = 'earliest'; CREATE STREAM y AS SELECT * FROM ${name};"
    )
    QueriesFile(str(file))
