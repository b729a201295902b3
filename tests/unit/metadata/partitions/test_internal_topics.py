from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.metadata.partitions.internal_topics import auto_created, offsets_topic, transaction_topic
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.metadata.settings.configs import topic_defaults, topic_rules
from support.metadata_world import MetadataWorld


def test_the_offsets_topic_is_compacted_and_fits_the_cluster() -> None:
    asked = offsets_topic(BrokerValues({}), broker_count=1)
    assert (asked.num_partitions, asked.replication_factor) == (50, 1)
    assert offsets_topic(BrokerValues({}), broker_count=9).replication_factor == 3
    world = MetadataWorld()
    (result,) = world.create(asked)
    assert result.error_code == ErrorCode.NONE
    rules = topic_rules(world.image.overrides(2, "__consumer_offsets"), topic_defaults(world.values))
    assert rules["cleanup.policy"] == ["compact"]
    assert rules["segment.bytes"] == 100 << 20
    assert rules["compression.type"] == "producer"


def test_a_factor_that_was_set_is_kept_to() -> None:
    values = BrokerValues({"offsets.topic.replication.factor": "3"})
    asked = offsets_topic(values, broker_count=1)
    assert asked.replication_factor == 3
    (result,) = MetadataWorld().create(asked)
    assert result.error_code == ErrorCode.INVALID_REPLICATION_FACTOR


def test_the_transaction_topic_can_be_written_on_one_broker() -> None:
    asked = transaction_topic(BrokerValues({}), broker_count=1)
    configs = {config.name: config.value for config in asked.configs}
    assert (asked.replication_factor, configs["min.insync.replicas"]) == (1, "1")
    configs = {config.name: config.value for config in transaction_topic(BrokerValues({}), broker_count=3).configs}
    assert configs["min.insync.replicas"] == "2"


def test_other_topics_are_made_with_the_brokers_defaults() -> None:
    asked = auto_created("a", BrokerValues({}), 1)
    assert (asked.num_partitions, asked.replication_factor, asked.configs) == (-1, -1, [])
    own = auto_created("a", BrokerValues({"num.partitions": "3", "default.replication.factor": "2"}), 1)
    assert (own.num_partitions, own.replication_factor) == (3, 2), "a broker's own settings go before the controller's"
    assert auto_created("__consumer_offsets", BrokerValues({}), 1).num_partitions == 50
    assert auto_created("__transaction_state", BrokerValues({}), 1).num_partitions == 50
