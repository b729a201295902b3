from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.metadata.image.config_resource import ResourceType
from riacho.wire.messages.delete_topics_request import DeleteTopicsRequest, DeleteTopicState
from riacho.wire.messages.delete_topics_response import DeletableTopicResult
from support.metadata_world import MetadataWorld, topic

OTHER_ID = b"x" * 16


def delete(world: MetadataWorld, *states: tuple[str | None, bytes], version: int = 6) -> list[DeletableTopicResult]:
    request = DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name, topic_id=topic_id) for name, topic_id in states],
        topic_names=[name or "" for name, _ in states],
    )
    results: list[DeletableTopicResult] = world.submit(world.controller.delete_topics(request, version)).responses
    return results


@pytest.fixture
def world() -> MetadataWorld:
    world = MetadataWorld()
    world.create(topic("a", configs={"retention.ms": "5"}), topic("b"))
    return world


def test_by_name_takes_the_settings_along(world: MetadataWorld) -> None:
    topic_id = world.image.topics["a"].id
    (result,) = delete(world, ("a", ZERO_UUID))
    assert (result.error_code, result.name, result.topic_id) == (ErrorCode.NONE, "a", topic_id)
    assert set(world.image.topics) == {"b"}
    assert topic_id not in world.image.topics_by_id
    assert (ResourceType.TOPIC, "a") not in world.image.configs


def test_by_id_tells_the_name(world: MetadataWorld) -> None:
    (result,) = delete(world, (None, world.image.topics["b"].id))
    assert (result.error_code, result.name) == (ErrorCode.NONE, "b")
    assert set(world.image.topics) == {"a"}


def test_old_versions_use_the_list_of_names(world: MetadataWorld) -> None:
    (result,) = delete(world, ("a", ZERO_UUID), version=5)
    assert result.error_code == ErrorCode.NONE
    assert set(world.image.topics) == {"b"}


@pytest.mark.parametrize(
    ("state", "code", "message"),
    [
        (("c", ZERO_UUID), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, "This server does not host this topic-partition."),
        ((None, OTHER_ID), ErrorCode.UNKNOWN_TOPIC_ID, "This server does not host this topic ID."),
        (("a", OTHER_ID), ErrorCode.INVALID_REQUEST, "You may not specify both topic name and topic id."),
        ((None, ZERO_UUID), ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified."),
    ],
)
def test_refusals(world: MetadataWorld, state: tuple[str | None, bytes], code: ErrorCode, message: str) -> None:
    (result,) = delete(world, state)
    assert (result.error_code, result.error_message) == (code, message)
    assert set(world.image.topics) == {"a", "b"}


def test_a_topic_twice_in_a_request_stays(world: MetadataWorld) -> None:
    twice, other = delete(world, ("a", ZERO_UUID), ("a", ZERO_UUID), ("b", ZERO_UUID))
    assert (twice.error_code, twice.error_message) == (ErrorCode.INVALID_REQUEST, "Duplicate topic name.")
    assert other.error_code == ErrorCode.NONE
    assert set(world.image.topics) == {"a"}


def test_one_topic_by_name_and_by_id_goes_once(world: MetadataWorld) -> None:
    by_name, by_id = delete(world, ("a", ZERO_UUID), (None, world.image.topics["a"].id))
    assert by_name.error_code == ErrorCode.INVALID_REQUEST
    assert by_id.error_code == ErrorCode.NONE


@pytest.mark.parametrize(("version", "code"), [(6, ErrorCode.TOPIC_DELETION_DISABLED), (1, ErrorCode.INVALID_REQUEST)])
def test_deletion_can_be_forbidden(version: int, code: ErrorCode) -> None:
    world = MetadataWorld(static={"delete.topic.enable": "false"})
    world.create(topic("a"))
    (result,) = delete(world, ("a", ZERO_UUID), version=version)
    assert result.error_code == code
    assert "a" in world.image.topics
