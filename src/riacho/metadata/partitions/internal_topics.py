"""The topics that brokers keep for themselves, and the settings they are made with.

Kafka makes them with three replicas and fails where there are fewer brokers. A single broker with no settings must
work, so here the factor is three only when nobody set it and three brokers are there; a factor that was set is kept
to.
"""

from __future__ import annotations

from riacho.metadata.image.topic_names import CONSUMER_OFFSETS, SHARE_GROUP_STATE, TRANSACTION_STATE
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig


def offsets_topic(values: BrokerValues, broker_count: int) -> CreatableTopic:
    return CreatableTopic(
        name=CONSUMER_OFFSETS,
        num_partitions=values.integer("offsets.topic.num.partitions"),
        replication_factor=_factor(values, "offsets.topic.replication.factor", broker_count),
        configs=_configs(
            {
                "cleanup.policy": "compact",
                "compression.type": "producer",
                "segment.bytes": str(values.integer("offsets.topic.segment.bytes")),
            }
        ),
    )


def transaction_topic(values: BrokerValues, broker_count: int) -> CreatableTopic:
    factor = _factor(values, "transaction.state.log.replication.factor", broker_count)
    return CreatableTopic(
        name=TRANSACTION_STATE,
        num_partitions=values.integer("transaction.state.log.num.partitions"),
        replication_factor=factor,
        configs=_configs(
            {
                "cleanup.policy": "compact",
                "compression.type": "uncompressed",
                "min.insync.replicas": str(_min_isr(values, "transaction.state.log.min.isr", factor)),
                "segment.bytes": str(values.integer("transaction.state.log.segment.bytes")),
                "unclean.leader.election.enable": "false",
            }
        ),
    )


def share_state_topic(values: BrokerValues, broker_count: int) -> CreatableTopic:
    """Not compacted: the share coordinator itself cuts off what its snapshots have made needless."""
    factor = _factor(values, "share.coordinator.state.topic.replication.factor", broker_count)
    return CreatableTopic(
        name=SHARE_GROUP_STATE,
        num_partitions=values.integer("share.coordinator.state.topic.num.partitions"),
        replication_factor=factor,
        configs=_configs(
            {
                "cleanup.policy": "delete",
                "compression.type": "producer",
                "min.insync.replicas": str(_min_isr(values, "share.coordinator.state.topic.min.isr", factor)),
                "retention.ms": "-1",
                "segment.bytes": str(values.integer("share.coordinator.state.topic.segment.bytes")),
            }
        ),
    )


def auto_created(name: str, values: BrokerValues, broker_count: int) -> CreatableTopic:
    """What a topic becomes that somebody asked for by name before anybody made it."""
    if name == CONSUMER_OFFSETS:
        return offsets_topic(values, broker_count)
    if name == TRANSACTION_STATE:
        return transaction_topic(values, broker_count)
    if name == SHARE_GROUP_STATE:
        return share_state_topic(values, broker_count)
    return CreatableTopic(
        name=name,
        num_partitions=_if_set(values, "num.partitions"),
        replication_factor=_if_set(values, "default.replication.factor"),
    )


def _if_set(values: BrokerValues, name: str) -> int:
    """This broker's own choice where it has one; else -1, by which the controller takes its own."""
    return values.integer(name) if values.is_set(name) else -1


def _factor(values: BrokerValues, name: str, broker_count: int) -> int:
    factor = values.integer(name)
    return factor if values.is_set(name) else max(1, min(factor, broker_count))


def _min_isr(values: BrokerValues, name: str, factor: int) -> int:
    min_isr = values.integer(name)
    return min_isr if values.is_set(name) else min(min_isr, factor)


def _configs(entries: dict[str, str]) -> list[CreatableTopicConfig]:
    return [CreatableTopicConfig(name=name, value=value) for name, value in entries.items()]
