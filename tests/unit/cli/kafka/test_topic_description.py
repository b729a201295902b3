"""The lines of `kafka-topics --describe`, byte for byte."""

from __future__ import annotations

from riacho.base.ids import uuid_from_text
from riacho.cli.kafka.flags.jopt import parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.text.topic_description import Move, topic_lines
from riacho.client.configs import ConfigEntry
from riacho.client.topics import Partition, Topic
from riacho.metadata.image.config_resource import ConfigSource

ID = "V4xsGoinTXu8JSSGH5mvDA"
CONFIGS = [
    ConfigEntry(name="cleanup.policy", value="compact", config_source=ConfigSource.DYNAMIC_TOPIC_CONFIG),
    ConfigEntry(name="min.insync.replicas", value="2", config_source=ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG),
    ConfigEntry(name="retention.ms", value="604800000", config_source=ConfigSource.DEFAULT_CONFIG),
]


def topic() -> Topic:
    return Topic(
        name="X",
        topic_id=uuid_from_text(ID),
        partitions=[
            Partition(
                partition_index=0,
                leader_id=1,
                replica_nodes=[1, 2],
                isr_nodes=[1, 2],
                eligible_leader_replicas=[],
                last_known_elr=[],
            ),
            Partition(partition_index=1, leader_id=-1, replica_nodes=[2, 1], isr_nodes=[2]),
        ],
    )


def lines(*flags: str, moves: dict[tuple[str, int], Move] | None = None) -> list[str]:
    arguments = parse(TOOLS["kafka-topics"], ["--describe", *flags])
    return topic_lines(arguments, topic(), CONFIGS, frozenset({1, 2}), moves or {})


HEADER = (
    f"Topic: X\tTopicId: {ID}\tPartitionCount: 2\tReplicationFactor: 2"
    "\tConfigs: cleanup.policy=compact,min.insync.replicas=2"
)
FIRST = "\tTopic: X\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tElr: \tLastKnownElr: "
SECOND = "\tTopic: X\tPartition: 1\tLeader: none\tReplicas: 2,1\tIsr: 2\tElr: N/A\tLastKnownElr: N/A"


def test_the_whole_topic() -> None:
    assert lines() == [HEADER, FIRST, SECOND]


def test_only_headers_with_overrides() -> None:
    assert lines("--topics-with-overrides") == [HEADER]


def test_reports_show_only_partitions() -> None:
    assert lines("--under-replicated-partitions") == [SECOND]
    assert lines("--unavailable-partitions") == [SECOND]
    assert lines("--under-min-isr-partitions") == [SECOND]
    assert lines("--at-min-isr-partitions") == [FIRST]


def test_a_move_under_way() -> None:
    move = Move(partition_index=0, replicas=[1, 2, 3], adding_replicas=[3], removing_replicas=[1])
    shown = lines(moves={("X", 0): move})[1]
    assert "\tIsr: 1,2\tAdding Replicas: 3\tRemoving Replicas: 1\tElr: " in shown
