"""Producers and consumers of librdkafka, set up for the command line.

librdkafka reports trouble through callbacks and goes on trying without a word; here a cluster that cannot be reached is
told in one sentence before any work begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.cli.broker_trouble import BrokerTrouble
from riacho.cli.output import remark
from riacho.cli.target import Target
from riacho.client.librdkafka.names import make_client, translate

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

Settings = Mapping[str, str | int | bool]
C = TypeVar("C")

# Emergencies only: trouble is said in our own words.
_LOG_LEVEL = 0


def make_producer(target: Target, settings: Settings | None = None) -> Producer:
    from confluent_kafka import Producer

    return _made(
        Producer,
        target,
        {
            # The Java client's hash: a key goes to the same partition whoever sends it.
            "partitioner": "murmur2_random",
            "enable.idempotence": True,
            "linger.ms": 5,
            # A topic that the first write makes is there by then; librdkafka would wait for half a minute before it
            # says that a name is not known.
            "topic.metadata.propagation.max.ms": 5_000,
            **(settings or {}),
        },
    )


def make_consumer(target: Target, group: str | None = None, settings: Settings | None = None) -> Consumer:
    from confluent_kafka import Consumer

    return _made(
        Consumer,
        target,
        {
            # librdkafka wants a name even where no group is joined and nothing committed.
            "group.id": group or "riacho-consume",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 100,
            "allow.auto.create.topics": False,
            **(settings or {}),
        },
    )


def _made(kind: Callable[[dict[str, Any]], C], target: Target, settings: Settings) -> C:
    """The user's own settings go before ours, in Java's names or in librdkafka's."""
    own = {"bootstrap.servers": target.bootstrap, "client.id": "riacho", **settings}
    ours = {"log_level": _LOG_LEVEL, "error_cb": BrokerTrouble(remark)}
    try:
        return make_client(kind, own | translate(target.properties) | ours, _unknown)
    except ConfigError as error:
        raise KafkaError(ErrorCode.INVALID_CONFIG, str(error)) from None


def _unknown(name: str) -> None:
    remark(f"The setting '{name}' is not known and has no effect.")


def reach(target: Target) -> None:
    """KafkaError with the reason when no broker answers; our own client knows it, librdkafka only that time went by."""
    with target.open() as cluster:
        cluster.retry(lambda: cluster.metadata([]))


def has_topic(target: Target, topic: str) -> bool:
    """Whether the cluster has it; what keeps the cluster from answering is told as by `reach`."""
    with target.open() as cluster:
        found = cluster.retry(lambda: cluster.metadata([topic])).topics
    return all(each.error_code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION for each in found)


def refused(error: Any, what: str) -> KafkaError:
    """What librdkafka says of a record or a partition, as our own error."""
    return KafkaError(ErrorCode.UNKNOWN_SERVER_ERROR, f"{what}: {error.str().rstrip('.')}.")
