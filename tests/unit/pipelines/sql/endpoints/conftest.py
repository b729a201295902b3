"""One KSQL server with the fake runner for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from riacho.testing import KafkaCluster
from support.ksql_server import KsqlServer, running_ksql

SOURCES = """
CREATE STREAM s (id VARCHAR KEY, v BIGINT) WITH (kafka_topic='s', value_format='json', partitions=1);
CREATE TABLE users (id VARCHAR PRIMARY KEY, name VARCHAR, age INT, score DECIMAL(6, 2), tags ARRAY<VARCHAR>)
  WITH (kafka_topic='users', value_format='json', partitions=2);
INSERT INTO users VALUES ('a', 'Ana', 30, 1.50, ARRAY['x']);
INSERT INTO users VALUES ('b', 'Bob', 20, 2.50, ARRAY['x', 'y']);
INSERT INTO users (id, name) VALUES ('c', 'Cid');
"""


@pytest.fixture(scope="module")
def ksql(cluster: KafkaCluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KsqlServer]:
    with running_ksql(
        cluster.bootstrap_servers, _directory(tmp_path_factory), {"ksql.max.push.queries": "5"}
    ) as server:
        server.run(SOURCES)
        yield server
        assert "Traceback" not in server.output(), server.output()


def _directory(factory: pytest.TempPathFactory) -> Path:
    return factory.mktemp("ksql")
