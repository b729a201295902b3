"""The share group APIs from request bytes to response bytes, with a share coordinator that does as it is told."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest
from msgspec import structs

from riacho.base.acl import AclBinding, AclOperation, AclPermission, AclResourceType, PatternType
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.coordinators.group_runtime import GroupRuntime
from riacho.broker.handlers.table import TABLE
from riacho.broker.requests.later import settled
from riacho.broker.shares.share_groups import ShareGroupRuntime
from riacho.groups.config import GroupConfig
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.shares.state_records import StoredState
from riacho.wire import apis, codec
from riacho.wire.messages import (
    alter_share_group_offsets_request,
    delete_share_group_offsets_request,
    describe_share_group_offsets_request,
)
from riacho.wire.messages.delete_groups_request import DeleteGroupsRequest
from riacho.wire.messages.share_group_describe_request import ShareGroupDescribeRequest
from riacho.wire.messages.share_group_heartbeat_request import ShareGroupHeartbeatRequest
from support.broker_fakes import FakeBroker
from support.group_runtime_world import TOPIC_ID, FakeMetadata, FakeReplicas
from support.parts import coordinator_parts, quorum_parts
from support.request_contexts import request_context
from support.virtual_time import VirtualClock, VirtualLoop

MODULES = {api.name: (api.key, api._module, api.version_max) for api in TABLE}
END_OFFSET = 100


class FakePersister:
    """Start offsets by group, topic and partition; each topic may be told to fail."""

    def __init__(self) -> None:
        self.stored: dict[tuple[str, bytes, int], tuple[int, int]] = {}
        self.failing = False

    async def initialize(
        self, group_id: str, state_epoch: int, topic_id: bytes, start_offsets: Mapping[int, int]
    ) -> dict[int, KafkaError | None]:
        if self.failing:
            return dict.fromkeys(start_offsets, KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "nobody there"))
        for partition, offset in start_offsets.items():
            self.stored[group_id, topic_id, partition] = (state_epoch, offset)
        return dict.fromkeys(start_offsets)

    async def delete(self, group_id: str, topic_id: bytes, partitions: Iterable[int]) -> dict[int, KafkaError | None]:
        if self.failing:
            return dict.fromkeys(partitions, KafkaError(ErrorCode.COORDINATOR_NOT_AVAILABLE))
        for partition in partitions:
            self.stored.pop((group_id, topic_id, partition), None)
        return dict.fromkeys(partitions)

    async def read_summary(
        self, group_id: str, topic_id: bytes, partitions: Iterable[int]
    ) -> dict[int, StoredState | KafkaError]:
        found: dict[int, StoredState | KafkaError] = {}
        for partition in partitions:
            epoch, offset = self.stored.get((group_id, topic_id, partition), (0, -1))
            found[partition] = StoredState(0, epoch, 5, offset, 3)
        return found


class FakeLag:
    async def end_offset(self, topic: str, index: int) -> int:
        return END_OFFSET

    def close(self) -> None:
        """Nobody is connected."""


def _entry(kind: AclResourceType, name: str, operation: AclOperation, permission: AclPermission) -> AclBinding:
    """For everybody, from everywhere."""
    return AclBinding(kind, name, PatternType.LITERAL, "User:*", "*", operation, permission)


class Client:
    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.loop = VirtualLoop(self.clock)
        self._authorizer: StandardAuthorizer | None = None
        kinds = AclResourceType.TOPIC, AclResourceType.GROUP
        self._acls = [_entry(kind, "*", AclOperation.ALL, AclPermission.ALLOW) for kind in kinds]
        self.persister = FakePersister()
        self.metadata = FakeMetadata()
        self.metadata.image = structs.replace(self.metadata.image, features={"share.version": 1})
        self.groups = GroupRuntime(
            GroupConfig(),
            FakeReplicas(),
            self.clock,
            self.metadata,
            create_share_state=lambda wanted: self.share_groups.create_state(wanted),
        )
        persister: Any = self.persister
        lag: Any = FakeLag()
        self.share_groups = ShareGroupRuntime(self.groups, self.metadata, persister, lag)
        self._node = replace(FakeBroker().parts, clock=self.clock)

    def deny(self, operation: AclOperation, name: str) -> None:
        """Of a topic or a group of this name; everything else stays allowed."""
        for kind in (AclResourceType.TOPIC, AclResourceType.GROUP):
            self._acls.append(_entry(kind, name, operation, AclPermission.DENY))
        self._authorizer = StandardAuthorizer()
        self._authorizer.load({at.to_bytes(16, "big"): acl for at, acl in enumerate(self._acls)})

    def send(self, request: Any) -> Any:
        key, module, version = MODULES[type(request).__name__.removesuffix("Request")]
        asked = codec.decode(type(request), version, codec.encode(request, version))
        ctx = request_context(
            replace(self._node, authorizer=self._authorizer),
            version,
            quorum=quorum_parts(metadata=self.metadata),
            coordinators=coordinator_parts(groups=self.groups, share_groups=self.share_groups),
            client_id="c",
            client_host="10.0.0.1",
        )

        async def serve() -> Any:
            outcome = import_module(f"riacho.broker.handlers.{module}").handle(ctx, asked)
            response = await settled(await outcome if inspect.iscoroutine(outcome) else outcome)
            # What goes on in the background.
            for _ in range(10):
                await asyncio.sleep(0)
            return response

        response = self.loop.run_until_complete(serve())
        return codec.decode(apis.response_class(key), version, codec.encode(response, version))

    def heartbeat(self, epoch: int, topics: list[str] | None = None, member_id: str = "m") -> Any:
        return self.send(
            ShareGroupHeartbeatRequest(
                group_id="g", member_id=member_id, member_epoch=epoch, subscribed_topic_names=topics
            )
        )

    def describe(self, group_id: str = "g") -> Any:
        return self.send(ShareGroupDescribeRequest(group_ids=[group_id], include_authorized_operations=True)).groups[0]

    def alter(self, topic: str = "t", group_id: str = "g", **offsets: int) -> Any:
        message = alter_share_group_offsets_request
        partitions = [
            message.AlterShareGroupOffsetsRequestPartition(partition_index=int(p[1:]), start_offset=o)
            for p, o in offsets.items()
        ]
        asked = message.AlterShareGroupOffsetsRequestTopic(topic_name=topic, partitions=partitions)
        return self.send(message.AlterShareGroupOffsetsRequest(group_id=group_id, topics=[asked]))

    def delete_offsets(self, *topics: str, group_id: str = "g") -> Any:
        message = delete_share_group_offsets_request
        asked = [message.DeleteShareGroupOffsetsRequestTopic(topic_name=topic) for topic in topics]
        return self.send(message.DeleteShareGroupOffsetsRequest(group_id=group_id, topics=asked))

    def offsets(self, topics: dict[str, list[int]] | None = None, group_id: str = "g") -> Any:
        message = describe_share_group_offsets_request
        asked = None
        if topics is not None:
            asked = [
                message.DescribeShareGroupOffsetsRequestTopic(topic_name=t, partitions=p) for t, p in topics.items()
            ]
        group = message.DescribeShareGroupOffsetsRequestGroup(group_id=group_id, topics=asked)
        return self.send(message.DescribeShareGroupOffsetsRequest(groups=[group])).groups[0]

    def delete_group(self, group_id: str = "g") -> int:
        return int(self.send(DeleteGroupsRequest(groups_names=[group_id])).results[0].error_code)

    def pass_time(self, duration_ms: int) -> None:
        self.loop.run_until_complete(asyncio.sleep(duration_ms / 1000))

    def emptied(self) -> None:
        """A group that has read t and has nobody left."""
        self.heartbeat(0, ["t"])
        self.heartbeat(-1)


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    yield client
    client.share_groups.close()
    client.groups.close()
    client.loop.close()


def test_a_heartbeat_sets_up_state_behind_the_client_s_back(client: Client) -> None:
    assert client.heartbeat(0, ["t"]).assignment.topic_partitions == []
    assert client.persister.stored == {("g", TOPIC_ID, 0): (2, -1), ("g", TOPIC_ID, 1): (2, -1)}
    client.pass_time(1_000)
    answer = client.heartbeat(2)
    assert [(t.topic_id, t.partitions) for t in answer.assignment.topic_partitions] == [(TOPIC_ID, [0, 1])]
    described = client.describe()
    assert (described.group_state, described.members[0].client_host) == ("Stable", "/10.0.0.1")
    assert described.authorized_operations == 3400


def test_state_that_cannot_be_set_up_is_tried_again_with_the_next_heartbeat(client: Client) -> None:
    client.persister.failing = True
    client.heartbeat(0, ["t"])
    assert client.persister.stored == {}
    client.persister.failing = False
    client.heartbeat(2)
    assert len(client.persister.stored) == 2


def test_without_the_feature_nothing_is_served(client: Client) -> None:
    metadata = client.metadata
    metadata.image = structs.replace(metadata.image, features={"share.version": 0})
    assert client.heartbeat(0, ["t"]).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert client.describe().error_code == ErrorCode.UNSUPPORTED_VERSION
    assert client.alter(p0=1).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert client.delete_offsets("t").error_code == ErrorCode.UNSUPPORTED_VERSION
    assert client.offsets().error_code == ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize("member_id", ["", "x" * 37])
def test_member_ids(client: Client, member_id: str) -> None:
    assert client.heartbeat(0, ["t"], member_id).error_code == ErrorCode.INVALID_REQUEST


def test_offsets_are_altered_at_the_share_coordinator(client: Client) -> None:
    client.emptied()
    (topic,) = client.alter(p0=7, p9=1).responses
    assert [(p.partition_index, p.error_code) for p in topic.partitions] == [
        (0, ErrorCode.NONE),
        (9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert client.persister.stored["g", TOPIC_ID, 0] == (3, 7)
    (described,) = client.offsets().topics
    assert [(p.partition_index, p.start_offset, p.leader_epoch, p.lag) for p in described.partitions] == [
        (0, 7, 5, END_OFFSET - 7 - 3),
        (1, -1, 5, -1),
    ]


def test_an_alteration_that_fails_says_so_for_each_partition(client: Client) -> None:
    client.emptied()
    client.persister.failing = True
    (topic,) = client.alter(p0=7).responses
    assert [(p.error_code, p.error_message) for p in topic.partitions] == [
        (ErrorCode.COORDINATOR_NOT_AVAILABLE, "nobody there")
    ]


def test_offsets_of_what_is_not_there(client: Client) -> None:
    assert client.offsets(group_id="none").topics == []
    topics = client.offsets({"t": [0], "gone": [4]}, group_id="none").topics
    assert [(t.topic_name, p.partition_index, p.start_offset, p.error_code) for t in topics for p in t.partitions] == [
        ("t", 0, -1, 0),
        ("gone", 4, -1, 0),
    ]
    (topic,) = client.alter("gone", p0=1).responses
    assert topic.partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert client.alter(group_id="", p0=1).error_code == ErrorCode.INVALID_GROUP_ID
    assert client.delete_offsets("t", group_id="").error_code == ErrorCode.INVALID_GROUP_ID
    assert client.delete_offsets("t", group_id="none").error_code == ErrorCode.GROUP_ID_NOT_FOUND


def test_offsets_are_forgotten_and_the_group_deleted(client: Client) -> None:
    client.emptied()
    topics = client.delete_offsets("t", "gone").responses
    assert [(t.topic_name, t.error_code) for t in topics] == [("t", 0), ("gone", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
    assert client.persister.stored == {}
    assert client.offsets().topics == []
    assert client.delete_group() == ErrorCode.NONE
    assert client.describe().error_code == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_is_not_deleted_before_its_state(client: Client) -> None:
    client.emptied()
    client.persister.failing = True
    assert client.delete_group() == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert client.describe().group_state == "Empty"
    client.persister.failing = False
    assert client.delete_group() == ErrorCode.NONE
    assert client.persister.stored == {}
    assert client.delete_group() == ErrorCode.GROUP_ID_NOT_FOUND


def test_a_group_with_members_is_not_deleted(client: Client) -> None:
    client.heartbeat(0, ["t"])
    assert client.delete_group() == ErrorCode.NON_EMPTY_GROUP
    assert len(client.persister.stored) == 2


def test_who_may_not_read_the_group_or_see_the_topic_may_not_join(client: Client) -> None:
    client.deny(AclOperation.DESCRIBE, "t")
    assert client.heartbeat(0, ["t"]).error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    client.deny(AclOperation.READ, "g")
    assert client.heartbeat(0, ["t"]).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    assert client.alter(p0=1).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_who_may_not_describe_sees_nothing(client: Client) -> None:
    client.heartbeat(0, ["t"])
    client.pass_time(1_000)
    client.heartbeat(2)
    client.deny(AclOperation.DESCRIBE, "t")
    assert client.describe().error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert client.describe().members == []
    assert client.offsets().topics == []
    (topic,) = client.offsets({"t": [0]}).topics
    assert [p.error_code for p in topic.partitions] == [ErrorCode.TOPIC_AUTHORIZATION_FAILED]
    client.deny(AclOperation.DESCRIBE, "g")
    assert client.describe().error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    assert client.offsets().error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_topics_that_may_not_be_read_are_left_alone(client: Client) -> None:
    client.emptied()
    client.deny(AclOperation.READ, "t")
    (altered,) = client.alter(p0=1).responses
    assert [p.error_code for p in altered.partitions] == [ErrorCode.TOPIC_AUTHORIZATION_FAILED]
    (topic,) = client.delete_offsets("t").responses
    assert topic.error_code == ErrorCode.TOPIC_AUTHORIZATION_FAILED
    assert client.persister.stored["g", TOPIC_ID, 0] == (2, -1)
    client.deny(AclOperation.DELETE, "g")
    assert client.delete_offsets("t").error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED
    assert client.delete_group() == ErrorCode.GROUP_AUTHORIZATION_FAILED
