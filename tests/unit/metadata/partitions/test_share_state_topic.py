from __future__ import annotations

from riacho.metadata.image.topic_names import SHARE_GROUP_STATE
from riacho.metadata.partitions.internal_topics import auto_created, share_state_topic
from riacho.metadata.settings.broker_values import BrokerValues


def configs(static: dict[str, str], broker_count: int) -> tuple[int, int, dict[str, str | None]]:
    topic = share_state_topic(BrokerValues(static), broker_count)
    return topic.num_partitions, topic.replication_factor, {each.name: each.value for each in topic.configs}


def test_it_is_made_as_apache_kafka_makes_it() -> None:
    assert configs({}, 3) == (
        50,
        3,
        {
            "cleanup.policy": "delete",
            "compression.type": "producer",
            "min.insync.replicas": "2",
            "retention.ms": "-1",
            "segment.bytes": "104857600",
        },
    )


def test_one_broker_alone_is_enough_unless_somebody_said_otherwise() -> None:
    partitions, factor, settings = configs({}, 1)
    assert (partitions, factor, settings["min.insync.replicas"]) == (50, 1, "1")
    set_values = {
        "share.coordinator.state.topic.num.partitions": "4",
        "share.coordinator.state.topic.replication.factor": "3",
        "share.coordinator.state.topic.min.isr": "3",
    }
    partitions, factor, settings = configs(set_values, 1)
    assert (partitions, factor, settings["min.insync.replicas"]) == (4, 3, "3")


def test_asked_for_by_name_it_is_made_the_same_way() -> None:
    values = BrokerValues({})
    assert auto_created(SHARE_GROUP_STATE, values, 2) == share_state_topic(values, 2)
