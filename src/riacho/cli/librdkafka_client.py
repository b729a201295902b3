"""Producers and consumers of librdkafka, set up for the command line.

librdkafka reports trouble through callbacks and goes on trying without a word; here a cluster that cannot be reached is
told in one sentence before any work begins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riacho.base.errors import ErrorCode, KafkaError

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

Settings = Mapping[str, str | int | bool]

# Emergencies only: trouble is told in our own words.
_LOG_LEVEL = 0


def make_producer(bootstrap: str, settings: Settings | None = None) -> Producer:
    from confluent_kafka import Producer

    return Producer(
        {
            "bootstrap.servers": bootstrap,
            "client.id": "riacho",
            "log_level": _LOG_LEVEL,
            # The Java client's hash: a key goes to the same partition whoever sends it.
            "partitioner": "murmur2_random",
            "enable.idempotence": True,
            "linger.ms": 5,
            **(settings or {}),
        }
    )


def make_consumer(bootstrap: str, group: str | None = None, settings: Settings | None = None) -> Consumer:
    from confluent_kafka import Consumer

    return Consumer(
        {
            "bootstrap.servers": bootstrap,
            "client.id": "riacho",
            "log_level": _LOG_LEVEL,
            # librdkafka wants a name even where no group is joined and nothing committed.
            "group.id": group or "riacho-consume",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 100,
            "allow.auto.create.topics": False,
            **(settings or {}),
        }
    )


def reach(bootstrap: str) -> None:
    """KafkaError with the reason when no broker answers; our own client knows it, librdkafka only that time went by."""
    from riacho.cli.target import open_cluster

    with open_cluster(bootstrap) as cluster:
        cluster.retry(lambda: cluster.metadata([]))


def refused(error: Any, what: str) -> KafkaError:
    """What librdkafka says of a record or a partition, as our own error."""
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"{what}: {error.str().rstrip('.')}.")
