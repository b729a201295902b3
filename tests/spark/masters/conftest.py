"""The masters that one connector JSON is to run on.

Every one of them is some JVMs, three minutes of a processor: RIACHO_SPARK_MASTERS=both runs them on Spark Connect on a
standalone cluster of two workers, which is both in one; =all on a local session, on the cluster and on a server with
local cores, each alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from support.connect_runner import SPARK, why_no_runner
from support.spark_brokers import running_broker
from support.spark_masters import DRIVER, EXECUTOR, StandaloneCluster, connect_server

if TYPE_CHECKING:
    from riacho.testing import KafkaCluster

LOCAL, STANDALONE, CONNECT, BOTH = "local", "standalone", "connect", "connect-standalone"
CHOICE = "RIACHO_SPARK_MASTERS"


def masters() -> list[str]:
    return [LOCAL, STANDALONE, CONNECT] if os.environ.get(CHOICE) == "all" else [BOTH]


@pytest.fixture(scope="session")
def masters_broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    with running_broker(tmp_path_factory.mktemp("broker")) as cluster:
        yield cluster


@pytest.fixture(params=masters())
def master(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, dict[str, str]]]:
    """Its name, and the settings that choose it."""
    if CHOICE not in os.environ:
        pytest.skip(f"starts five JVMs: {CHOICE}=both or =all runs it")
    reason = why_no_runner()
    if reason is not None:
        pytest.skip(reason)
    kind: str = request.param
    directory = tmp_path_factory.mktemp(kind)
    if kind == LOCAL:
        yield kind, SPARK
    elif kind == STANDALONE:
        with StandaloneCluster(directory) as cluster:
            yield kind, DRIVER | EXECUTOR | {"spark.master": cluster.url}
    elif kind == BOTH:
        with StandaloneCluster(directory) as cluster, connect_server(directory, cluster.url) as url:
            yield kind, {"spark.master": url}
    else:
        with connect_server(directory, "local[2]") as url:
            yield kind, {"spark.master": url}
