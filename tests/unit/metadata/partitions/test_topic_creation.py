from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.metadata.image.config_resource import ConfigSource, ResourceType
from support.metadata_world import MetadataWorld, topic


def test_a_topic_comes_into_being() -> None:
    world = MetadataWorld(3)
    (result,) = world.create(topic("a", 6, 2, {"retention.ms": "5"}))
    assert (result.error_code, result.error_message) == (ErrorCode.NONE, None)
    assert (result.num_partitions, result.replication_factor) == (6, 2)
    created = world.image.topics["a"]
    assert created.id == result.topic_id
    assert world.image.topics_by_id[result.topic_id] is created
    assert len(created.partitions) == 6
    for partition in created.partitions:
        assert len(partition.replicas) == 2
        assert partition.isr == partition.replicas
        assert partition.leader == partition.replicas[0]
        assert (partition.leader_epoch, partition.partition_epoch) == (0, 0)
        assert len(partition.directories) == 2
    assert world.image.overrides(ResourceType.TOPIC, "a") == {"retention.ms": "5"}


def test_the_settings_come_back_with_their_source() -> None:
    world = MetadataWorld(static={"log.segment.bytes": "2097152"})
    (result,) = world.create(topic("a", configs={"retention.ms": " 5 "}))
    told = {config.name: config for config in result.configs or []}
    assert len(told) == 33
    retention = told["retention.ms"]
    assert (retention.value, retention.config_source) == (" 5 ", ConfigSource.DYNAMIC_TOPIC_CONFIG)
    assert (told["segment.bytes"].value, told["segment.bytes"].config_source) == (
        "2097152",
        ConfigSource.STATIC_BROKER_CONFIG,
    )
    assert told["flush.ms"].config_source == ConfigSource.DEFAULT_CONFIG


def test_minus_one_asks_for_the_brokers_defaults() -> None:
    world = MetadataWorld(3, static={"num.partitions": "4", "default.replication.factor": "3"})
    (result,) = world.create(topic("a", -1, -1))
    assert (result.num_partitions, result.replication_factor) == (4, 3)


def test_validate_only_tells_and_does_nothing() -> None:
    world = MetadataWorld()
    before = world.image
    good, bad = world.create(topic("a", 2), topic("b", 0), validate_only=True)
    assert (good.error_code, good.num_partitions) == (ErrorCode.NONE, 2)
    assert bad.error_code == ErrorCode.INVALID_PARTITIONS
    assert world.image is before or world.image == before


@pytest.mark.parametrize(
    ("asked", "code", "message"),
    [
        (topic("old"), ErrorCode.TOPIC_ALREADY_EXISTS, "Topic 'old' already exists."),
        (topic("."), ErrorCode.INVALID_TOPIC_EXCEPTION, "Topic name is invalid: '.' is not allowed"),
        (topic("o.ld"), ErrorCode.INVALID_TOPIC_EXCEPTION, "Topic 'o.ld' collides with existing topic: o_ld"),
        (
            topic("__cluster_metadata"),
            ErrorCode.INVALID_REQUEST,
            "Creation of internal topic __cluster_metadata is prohibited.",
        ),
        (
            topic("a", 0),
            ErrorCode.INVALID_PARTITIONS,
            "Number of partitions was set to an invalid non-positive value.",
        ),
        (
            topic("a", -2),
            ErrorCode.INVALID_PARTITIONS,
            "Number of partitions was set to an invalid non-positive value.",
        ),
        (
            topic("a", 1, 0),
            ErrorCode.INVALID_REPLICATION_FACTOR,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        ),
        (
            topic("a", 1, -2),
            ErrorCode.INVALID_REPLICATION_FACTOR,
            "Replication factor must be larger than 0, or -1 to use the default value.",
        ),
        (topic("a", configs={"bogus": "1"}), ErrorCode.INVALID_CONFIG, "Unknown topic config name: bogus"),
        (
            topic("a", configs={"segment.bytes": "1"}),
            ErrorCode.INVALID_CONFIG,
            "Invalid value 1 for configuration segment.bytes: Value must be at least 1048576",
        ),
        (
            topic("a", assignments={1: [1]}),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "partitions should be a consecutive 0-based integer sequence",
        ),
        (
            topic("a", assignments={0: [1], 1: [7]}),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes broker 7, but no such broker is registered.",
        ),
        (
            topic("a", 10_001),
            ErrorCode.POLICY_VIOLATION,
            "Excessively large number of partitions per request.",
        ),
    ],
)
def test_refusals(asked: object, code: ErrorCode, message: str) -> None:
    world = MetadataWorld()
    world.create(topic("old"), topic("o_ld"))
    (result,) = world.create(asked)  # type: ignore[arg-type]
    assert (result.error_code, result.error_message) == (code, message)
    assert result.topic_id == ZERO_UUID
    assert (result.num_partitions, result.replication_factor) == (-1, -1)
    assert set(world.image.topics) == {"old", "o_ld"}


def test_counts_beside_a_manual_assignment_are_refused() -> None:
    asked = topic("a", assignments={0: [1]})
    asked.replication_factor = 1
    (result,) = MetadataWorld().create(asked)
    assert result.error_code == ErrorCode.INVALID_REQUEST
    assert result.error_message == (
        "A manual partition assignment was specified, but replication factor was not set to -1."
    )


def test_a_manual_assignment_is_kept_to() -> None:
    world = MetadataWorld(3)
    (result,) = world.create(topic("a", assignments={1: [3, 1], 0: [2, 3]}))
    assert (result.num_partitions, result.replication_factor) == (2, 2)
    assert [partition.replicas for partition in world.image.topics["a"].partitions] == [(2, 3), (3, 1)]


def test_a_name_twice_in_a_request_is_refused_once_and_the_others_go_on() -> None:
    world = MetadataWorld()
    twice, other = world.create(topic("twice"), topic("twice"), topic("other"))
    assert (twice.error_code, twice.error_message) == (ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
    assert other.error_code == ErrorCode.NONE
    assert set(world.image.topics) == {"other"}


def test_ids_are_not_used_again_and_are_easy_on_command_lines() -> None:
    world = MetadataWorld()
    (first,) = world.create(topic("a"))
    offered = iter([bytes(4) * 4, bytes(15) + b"\x05", first.topic_id, b"\xf8" + bytes(14) + b"\x01", b"\x07" * 16])
    ids = []
    from riacho.metadata.partitions.topic_creation import TopicCreation
    from riacho.wire.messages.create_topics_request import CreateTopicsRequest

    creation = TopicCreation(world.image, world.values, lambda: ids.append(next(offered)) or ids[-1])  # type: ignore[func-returns-value]
    decision = creation.decide(CreateTopicsRequest(topics=[topic("b")]))
    assert decision.reply.topics[0].topic_id == b"\x07" * 16


def test_a_topic_made_again_has_another_id() -> None:
    from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState

    world = MetadataWorld()
    (first,) = world.create(topic("a"))
    world.submit(world.controller.delete_topics(DeleteTopicsRequest(topics=[DeleteTopicState(name="a")]), 6))
    (second,) = world.create(topic("a"))
    assert second.error_code == ErrorCode.NONE
    assert second.topic_id != first.topic_id
    assert first.topic_id not in world.image.topics_by_id
