"""A broker to read from: Riacho, and Apache Kafka where `RIACHO_CONFORMANCE_PEER` asks for it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest

from conformance.running_broker import RunningBroker, kinds, run
from spark.source.topics import create_topic

Topics = Callable[..., str]


@pytest.fixture(scope="session", params=kinds())
def broker(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBroker]:
    kind: str = request.param
    if kind == "apache":
        from support.apache_kafka import available

        reason = available()
        if reason:
            pytest.skip(f"no Apache Kafka beside us: {reason}")
    with run(kind, tmp_path_factory.mktemp(kind)) as running:
        yield running


@pytest.fixture
def topic(broker: RunningBroker) -> Topics:
    """Makes a topic of its own: `topic(partitions=3)`."""

    def make(partitions: int = 1) -> str:
        name = f"source-{uuid.uuid4().hex[:10]}"
        create_topic(broker.bootstrap, name, partitions)
        return name

    return make
