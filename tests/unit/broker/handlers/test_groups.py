"""The group APIs from request bytes to response bytes, in every version that is served."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.coordinators.group_runtime import GroupRuntime
from riacho.broker.handlers.table import TABLE
from riacho.broker.requests.later import Later
from riacho.broker.shares.share_groups import ShareGroupRuntime
from riacho.groups.config import GroupConfig
from riacho.wire import apis, codec
from riacho.wire.messages.delete_groups_request import DeleteGroupsRequest
from riacho.wire.messages.describe_groups_request import DescribeGroupsRequest
from riacho.wire.messages.find_coordinator_request import FindCoordinatorRequest
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.join_group_request import JoinGroupRequest, JoinGroupRequestProtocol
from riacho.wire.messages.leave_group_request import LeaveGroupRequest, MemberIdentity
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.offset_commit_request import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from riacho.wire.messages.offset_delete_request import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from riacho.wire.messages.offset_fetch_request import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from riacho.wire.messages.sync_group_request import SyncGroupRequest, SyncGroupRequestAssignment
from support.broker_fakes import FakeBroker
from support.group_runtime_world import TOPIC_ID, FakeMetadata, FakeReplicas, no_share_state
from support.group_world import subscription
from support.parts import coordinator_parts, quorum_parts, untouched
from support.registered_brokers import broker_endpoints
from support.request_contexts import request_context
from support.virtual_time import VirtualClock, VirtualLoop

MODULES = {api.name: (api.key, api._module) for api in TABLE}


def versions(name: str) -> list[int]:
    (api,) = [api for api in TABLE if api.name == name]
    return list(range(api.version_min, api.version_max + 1))


class Client:
    """Speaks to the handlers as a connection would."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.loop = VirtualLoop(self.clock)
        metadata = FakeMetadata(ready=False)
        groups = GroupRuntime(GroupConfig(), FakeReplicas(), self.clock, metadata, create_share_state=no_share_state)
        # No share group is asked for its state here.
        share_groups = ShareGroupRuntime(groups, metadata, untouched("persister"), untouched("lag"))
        self._node = replace(FakeBroker().parts, clock=self.clock)
        self._quorum = quorum_parts(metadata=metadata, endpoints=broker_endpoints("broker-1"))
        self._coordinators = coordinator_parts(groups=groups, share_groups=share_groups)

    def send(self, request: Any, version: int, listener_name: str = "PLAINTEXT") -> Any:
        name = type(request).__name__.removesuffix("Request")
        key, module = MODULES[name]
        asked = codec.decode(type(request), version, codec.encode(request, version))
        ctx = request_context(
            self._node,
            version,
            quorum=self._quorum,
            coordinators=self._coordinators,
            client_id="c",
            client_host="10.0.0.1",
            listener_name=listener_name,
        )

        async def serve() -> Any:
            outcome = import_module(f"riacho.broker.handlers.{module}").handle(ctx, asked)
            outcome = await outcome if inspect.iscoroutine(outcome) else outcome
            if type(outcome) is Later:
                future = asyncio.get_running_loop().create_future()
                outcome.then(future.set_result)
                outcome = await future
            return outcome

        response = self.loop.run_until_complete(serve())
        # What the version cannot say, the client does not see.
        return codec.decode(apis.response_class(key), version, codec.encode(response, version))

    def find(self) -> None:
        self.send(FindCoordinatorRequest(key="g"), 3)

    def join(self, member_id: str = "", version: int = 9, instance_id: str | None = None) -> Any:
        request = JoinGroupRequest(
            group_id="g",
            session_timeout_ms=10_000,
            member_id=member_id,
            group_instance_id=instance_id,
            protocol_type="consumer",
            protocols=[JoinGroupRequestProtocol(name="range", metadata=subscription("t"))],
        )
        if version >= 1:
            request.rebalance_timeout_ms = 60_000
        return self.send(request, version)

    def member(self) -> str:
        """The only member of a Stable group."""
        joined = self.join(version=3)
        assignment = SyncGroupRequestAssignment(member_id=joined.member_id, assignment=b"mine")
        synced = self.send(
            SyncGroupRequest(group_id="g", generation_id=1, member_id=joined.member_id, assignments=[assignment]), 3
        )
        assert synced.assignment == b"mine"
        return str(joined.member_id)

    def commit(
        self, version: int = 9, name: str = "t", topic_id: bytes = bytes(16), indexes: tuple[int, ...] = (0,)
    ) -> Any:
        partitions = [
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=40 + index, committed_leader_epoch=3, committed_metadata="note"
            )
            for index in indexes
        ]
        topic = OffsetCommitRequestTopic(name=name, topic_id=topic_id, partitions=partitions)
        return self.send(OffsetCommitRequest(group_id="g", topics=[topic]), version)


@pytest.fixture
def client() -> Iterator[Client]:
    client = Client()
    client.find()
    yield client
    client.loop.close()


@pytest.mark.parametrize("version", versions("FindCoordinator"))
def test_find_coordinator(version: int) -> None:
    client = Client()
    request = FindCoordinatorRequest(key="g") if version < 4 else FindCoordinatorRequest(coordinator_keys=["g", "h"])
    response = client.send(request, version)
    found = [response] if version < 4 else response.coordinators
    assert len(found) == (1 if version < 4 else 2)
    assert {(each.error_code, each.node_id, each.host, each.port) for each in found} == {(0, 1, "broker-1", 9092)}
    assert version < 4 or [each.key for each in found] == ["g", "h"]


@pytest.mark.parametrize(
    ("version", "key_type", "code"),
    [
        (5, 2, ErrorCode.INVALID_REQUEST),
        (6, 9, ErrorCode.INVALID_REQUEST),
    ],
)
def test_key_types_that_a_version_does_not_know(client: Client, version: int, key_type: int, code: ErrorCode) -> None:
    request = FindCoordinatorRequest(key_type=key_type)
    if version < 4:
        request.key = "x"
    else:
        request.coordinator_keys = ["x"]
    response = client.send(request, version)
    found = response if version < 4 else response.coordinators[0]
    assert (found.error_code, found.node_id, found.port) == (code, -1, -1)
    assert found.error_message


def test_an_unknown_listener_is_told(client: Client) -> None:
    response = client.send(FindCoordinatorRequest(key="g"), 2, listener_name="INTERNAL")
    assert response.error_code == ErrorCode.LISTENER_NOT_FOUND


@pytest.mark.parametrize("version", versions("JoinGroup"))
def test_join_group(client: Client, version: int) -> None:
    joined = client.join(version=version)
    if version >= 4:
        assert joined.error_code == ErrorCode.MEMBER_ID_REQUIRED
        assert joined.member_id.startswith("c-")
        joined = client.join(joined.member_id, version)
    assert (joined.error_code, joined.generation_id, joined.protocol_name) == (0, 1, "range")
    assert joined.leader == joined.member_id
    assert joined.protocol_type == ("consumer" if version >= 7 else None)
    assert [member.metadata for member in joined.members] == [subscription("t")]


@pytest.mark.parametrize("version", versions("JoinGroup"))
def test_join_group_errors_can_be_said_in_every_version(client: Client, version: int) -> None:
    request = JoinGroupRequest(group_id="g", session_timeout_ms=1, member_id="m")
    response = client.send(request, version)
    assert (response.error_code, response.member_id) == (ErrorCode.INVALID_SESSION_TIMEOUT, "m")


@pytest.mark.parametrize("version", versions("SyncGroup"))
def test_sync_group(client: Client, version: int) -> None:
    member_id = client.join(version=3).member_id
    request = SyncGroupRequest(
        group_id="g",
        generation_id=1,
        member_id=member_id,
        assignments=[SyncGroupRequestAssignment(member_id=member_id, assignment=b"mine")],
    )
    if version >= 5:
        request.protocol_type, request.protocol_name = "consumer", "range"
    response = client.send(request, version)
    assert (response.error_code, response.assignment) == (0, b"mine")
    assert response.protocol_name == ("range" if version >= 5 else None)
    request.member_id = "ghost"
    assert client.send(request, version).error_code == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", versions("Heartbeat"))
def test_heartbeat(client: Client, version: int) -> None:
    member_id = client.member()
    request = HeartbeatRequest(group_id="g", generation_id=1, member_id=member_id)
    assert client.send(request, version).error_code == 0
    request.generation_id = 2
    assert client.send(request, version).error_code == ErrorCode.ILLEGAL_GENERATION


@pytest.mark.parametrize("version", versions("LeaveGroup"))
def test_leave_group(client: Client, version: int) -> None:
    member_id = client.member()
    if version < 3:
        request = LeaveGroupRequest(group_id="g", member_id=member_id)
    else:
        request = LeaveGroupRequest(group_id="g", members=[MemberIdentity(member_id=member_id)])

    def code(response: Any) -> int:
        return int(response.error_code if version < 3 else response.members[0].error_code)

    assert code(client.send(request, version)) == 0
    assert code(client.send(request, version)) == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize("version", versions("OffsetCommit"))
def test_offset_commit_and_fetch(client: Client, version: int) -> None:
    by_id = {"topic_id": TOPIC_ID} if version >= 10 else {}
    response = client.commit(version, **by_id)
    assert [(p.partition_index, p.error_code) for p in response.topics[0].partitions] == [(0, 0)]
    assert response.topics[0].topic_id == (TOPIC_ID if version >= 10 else bytes(16))
    fetched = client.send(OffsetFetchRequest(group_id="g", topics=None), 7)
    (partition,) = fetched.topics[0].partitions
    assert (partition.committed_offset, partition.metadata) == (40, "note")
    assert partition.committed_leader_epoch == (3 if version >= 6 else -1)


def test_what_does_not_exist_is_refused_and_the_rest_committed(client: Client) -> None:
    response = client.commit(indexes=(0, 1, 2, -1))
    (topic,) = response.topics
    assert {p.partition_index: p.error_code for p in topic.partitions} == {
        0: 0,
        1: 0,
        2: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        -1: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    unknown = client.commit(name="nothing").topics[0]
    assert unknown.name == "nothing"
    assert unknown.partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    by_id = client.commit(10, topic_id=b"x" * 16).topics[0]
    assert (by_id.topic_id, by_id.partitions[0].error_code) == (b"x" * 16, ErrorCode.UNKNOWN_TOPIC_ID)


@pytest.mark.parametrize("version", versions("OffsetFetch"))
def test_offset_fetch(client: Client, version: int) -> None:
    client.commit()
    if version < 8:
        request = OffsetFetchRequest(group_id="g", topics=[OffsetFetchRequestTopic(name="t", partition_indexes=[0, 1])])
    else:
        asked = OffsetFetchRequestTopics(name="t", topic_id=TOPIC_ID, partition_indexes=[0, 1])
        other = OffsetFetchRequestGroup(group_id="other", topics=None)
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=[asked]), other])
    response = client.send(request, version)
    group = response if version < 8 else response.groups[0]
    (topic,) = group.topics
    assert group.error_code == 0
    assert [(p.committed_offset, p.metadata, p.error_code) for p in topic.partitions] == [(40, "note", 0), (-1, "", 0)]
    assert [p.committed_leader_epoch for p in topic.partitions] == ([3, -1] if version >= 5 else [-1, -1])
    if version >= 8:
        assert (response.groups[1].group_id, response.groups[1].topics) == ("other", [])
    if version >= 10:
        assert (topic.topic_id, topic.name) == (TOPIC_ID, "")


@pytest.mark.parametrize("version", versions("OffsetFetch")[1:])
def test_offset_fetch_of_everything(client: Client, version: int) -> None:
    client.commit()
    request = OffsetFetchRequest(group_id="g", topics=None)
    if version >= 8:
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=None)])
    response = client.send(request, version)
    (topic,) = response.topics if version < 8 else response.groups[0].topics
    assert topic.partitions[0].committed_offset == 40
    assert topic.name == "t" if version < 10 else topic.topic_id == TOPIC_ID


def test_offset_fetch_by_an_unknown_topic_id(client: Client) -> None:
    asked = OffsetFetchRequestTopics(topic_id=b"x" * 16, partition_indexes=[4])
    response = client.send(OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=[asked])]), 10)
    (topic,) = response.groups[0].topics
    assert (topic.topic_id, topic.partitions[0].error_code) == (b"x" * 16, ErrorCode.UNKNOWN_TOPIC_ID)


@pytest.mark.parametrize("version", versions("OffsetFetch"))
def test_offset_fetch_without_a_coordinator_says_so_where_each_version_looks(version: int) -> None:
    client = Client()
    if version < 8:
        request = OffsetFetchRequest(group_id="g", topics=[OffsetFetchRequestTopic(name="t", partition_indexes=[0])])
    else:
        asked = OffsetFetchRequestTopics(name="t", topic_id=TOPIC_ID, partition_indexes=[0])
        request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id="g", topics=[asked])])
    response = client.send(request, version)
    if version == 1:
        code = response.topics[0].partitions[0].error_code
    else:
        code = response.error_code if version < 8 else response.groups[0].error_code
    assert code == ErrorCode.NOT_COORDINATOR


@pytest.mark.parametrize("version", versions("DescribeGroups"))
def test_describe_groups(client: Client, version: int) -> None:
    member_id = client.member()
    request = DescribeGroupsRequest(groups=["g", "none"], include_authorized_operations=version >= 3)
    found, missing = client.send(request, version).groups
    assert (found.error_code, found.group_state, found.protocol_data) == (0, "Stable", "range")
    assert [(m.member_id, m.client_id, m.client_host) for m in found.members] == [(member_id, "c", "/10.0.0.1")]
    assert found.members[0].member_assignment == b"mine"
    assert found.authorized_operations == (3_400 if version >= 3 else -(1 << 31))
    assert (missing.group_state, missing.error_code) == ("Dead", ErrorCode.GROUP_ID_NOT_FOUND if version >= 6 else 0)


@pytest.mark.parametrize("version", versions("ListGroups"))
def test_list_groups(client: Client, version: int) -> None:
    client.member()
    (group,) = client.send(ListGroupsRequest(), version).groups
    assert (group.group_id, group.protocol_type) == ("g", "consumer")
    assert group.group_state == ("Stable" if version >= 4 else "")
    assert group.group_type == ("classic" if version >= 5 else "")
    if version >= 4:
        assert client.send(ListGroupsRequest(states_filter=["Empty"]), version).groups == []


@pytest.mark.parametrize("version", versions("DeleteGroups"))
def test_delete_groups(client: Client, version: int) -> None:
    client.commit()
    response = client.send(DeleteGroupsRequest(groups_names=["g", "none", "g"]), version)
    assert {result.group_id: result.error_code for result in response.results} == {
        "g": 0,
        "none": ErrorCode.GROUP_ID_NOT_FOUND,
    }
    client.member()
    response = client.send(DeleteGroupsRequest(groups_names=["g"]), version)
    assert response.results[0].error_code == ErrorCode.NON_EMPTY_GROUP


def test_offset_delete(client: Client) -> None:
    client.commit(indexes=(0, 1))
    topics = [
        OffsetDeleteRequestTopic(name=name, partitions=[OffsetDeleteRequestPartition(partition_index=1)])
        for name in ("t", "nothing")
    ]
    response = client.send(OffsetDeleteRequest(group_id="g", topics=topics), 0)
    assert {topic.name: topic.partitions[0].error_code for topic in response.topics} == {
        "t": 0,
        "nothing": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    fetched = client.send(OffsetFetchRequest(group_id="g", topics=None), 7)
    assert [p.partition_index for p in fetched.topics[0].partitions] == [0]
    missing = client.send(OffsetDeleteRequest(group_id="none", topics=topics), 0)
    assert (missing.error_code, missing.topics) == (ErrorCode.GROUP_ID_NOT_FOUND, [])
