"""One Spark session for all tests of a process that need one: two local cores, settings that start and run cheaply."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from riacho.pipelines.spark.class_archive import VARIABLE as ARCHIVE_VARIABLE
from riacho.pipelines.spark.class_archive import java_executable, java_release

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from riacho.testing import KafkaCluster

JAVA_RELEASE_MIN = 17
HERE = Path(__file__).parent
# The waits of these tests end when what they wait for has come; on a machine with much to do that takes long.
TIMEOUT_S = 900


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(TIMEOUT_S))


def why_no_spark() -> str | None:
    java = java_executable()
    if java is None:
        return "Spark cannot start: there is no java on the PATH"
    release = java_release(java)
    return (
        f"Spark cannot start: java {release} is older than {JAVA_RELEASE_MIN}" if release < JAVA_RELEASE_MIN else None
    )


@pytest.fixture(scope="session", autouse=True)
def _no_new_class_archive() -> None:
    """A suite that runs once writes no archive, nor do its processes: it costs more than it spares."""
    os.environ.setdefault(ARCHIVE_VARIABLE, "use")


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    reason = why_no_spark()
    if reason is not None:
        pytest.skip(reason)
    import riacho
    from support.official_connector import connector_jars

    jars = connector_jars()
    session = riacho.spark(
        "tests",
        "local[2]",
        conf={
            "spark.driver.memory": "1g",
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.log.level": "ERROR",
            "spark.python.sql.dataFrameDebugging.enabled": "false",
            **({"spark.jars": ",".join(map(str, jars))} if jars else {}),
        },
    )
    yield session
    session.stop()


@pytest.fixture(scope="session")
def kafka_cluster_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """In place of the test kit's: Apache Kafka where RIACHO_CONFORMANCE_PEER=only asks for it."""
    from support.spark_brokers import running_broker

    with running_broker(tmp_path_factory.mktemp("broker")) as broker:
        yield broker
