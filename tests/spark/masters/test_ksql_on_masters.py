"""Statements in a chain, on whatever master Spark has: the same results."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from support.ksql_with_spark import KsqlServer, until

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

RECORDS = 120
STATEMENTS = """
CREATE STREAM visits (id VARCHAR KEY, page VARCHAR, n BIGINT)
  WITH (KAFKA_TOPIC='ksql-visits', VALUE_FORMAT='JSON', PARTITIONS=2, REPLICAS=1);
CREATE STREAM even AS SELECT id, UCASE(page) AS page, n FROM visits WHERE n % 2 = 0;
CREATE TABLE pages AS SELECT page, COUNT(*) AS number, SUM(n) AS total FROM even GROUP BY page;
"""


def test_a_chain_of_statements(
    master: tuple[str, dict[str, str]], masters_broker: KafkaCluster, tmp_path: Path
) -> None:
    _, settings = master
    own = {**settings, "ksql.streams.auto.offset.reset": "earliest", "ksql.service.id": f"{tmp_path.name}_"}
    server = KsqlServer(masters_broker.bootstrap_servers, tmp_path, own)
    server.start()
    try:
        server.execute_until_done(STATEMENTS)
        rows = [(f"v{number % 5}", f"p{number % 3}", number) for number in range(RECORDS)]
        server.execute("".join(f"INSERT INTO visits VALUES ('{v}', '{p}', {n});" for v, p, n in rows))
        kept = [(page.upper(), n) for _, page, n in rows if n % 2 == 0]
        numbers, totals = Counter(page for page, _ in kept), Counter[str]()
        for page, n in kept:
            totals[page] += n
        expected = {(page, numbers[page], totals[page]) for page in numbers}
        until(
            lambda: {tuple(row) for row in server.select("SELECT * FROM pages;")} == expected or None,
            lambda: f"{server.select('SELECT * FROM pages;')}\n{server.states()}\n{server.output()[-3000:]}",
        )
        server.execute("DROP TABLE pages DELETE TOPIC; DROP STREAM even DELETE TOPIC; DROP STREAM visits DELETE TOPIC;")
    finally:
        server.stop()
