"""Every version of the main APIs answers, without an error, with a body that decodes to its last byte."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from conformance.raw import KEYS, RawConnection, batch, error_codes, wait_for_coordinator, wait_until_served
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.wire.apis import APIS


@dataclass
class World:
    """A connection and the topic of ten records that the whole file shares."""

    connection: RawConnection
    topic: str
    topic_id: bytes
    node_id: int

    def fresh(self, label: str) -> str:
        return f"{label}-{uuid.uuid4().hex[:10]}"

    def create(self, topic: str, partitions: int = 1) -> bytes:
        wanted = {"name": topic, "num_partitions": partitions, "replication_factor": 1}
        created = self.connection.ask("CreateTopics", 7, topics=[wanted], timeout_ms=10_000)
        assert set(error_codes(created)) == {0}
        eventually(lambda: self.is_led(topic, partitions))
        topic_id: bytes = created.topics[0].topic_id
        return topic_id

    def is_led(self, topic: str, partitions: int) -> bool:
        found = self.connection.ask("Metadata", 12, topics=[{"name": topic}]).topics[0]
        return found.error_code == 0 and len([each for each in found.partitions if each.leader_id >= 0]) == partitions


@pytest.fixture(scope="module")
def filled(broker: RunningBroker) -> tuple[str, bytes, int]:
    """A topic with ten records: its name, its id and the broker's id."""
    with RawConnection(broker.address) as connection:
        node_id = connection.ask("Metadata", 9, topics=[]).brokers[0].node_id
        world = World(connection, "", b"", node_id)
        name = world.fresh("versions")
        topic_id = world.create(name)
        wait_until_served(connection, name)
        wait_for_coordinator(connection, name)
        partition = {"index": 0, "records": batch(*(b"%d" % number for number in range(10)))}
        topic = {"name": name, "partition_data": [partition]}
        produced = connection.ask("Produce", 12, acks=-1, timeout_ms=5_000, topic_data=[topic])
        assert set(error_codes(produced)) == {0}
        return name, topic_id, node_id


@pytest.fixture
def world(broker: RunningBroker, filled: tuple[str, bytes, int]) -> Iterator[World]:
    with RawConnection(broker.address) as connection:
        yield World(connection, *filled)


def versions(*apis: str) -> list[Any]:
    found = []
    for name in apis:
        api = APIS[KEYS[name]]
        assert api.advertised is not None, name
        first, last = api.min_version, min(api.max_version, api.advertised[1])
        found += [pytest.param(name, version, id=f"{name}-v{version}") for version in range(first, last + 1)]
    return found


READ_ONLY: dict[str, Callable[[World, int], dict[str, Any]]] = {
    "Metadata": lambda w, v: {"topics": [{"name": w.topic}], "include_topic_authorized_operations": True},
    "ListOffsets": lambda w, v: {
        "replica_id": -1,
        "topics": [{"name": w.topic, "partitions": [{"partition_index": 0, "timestamp": -1}]}],
    },
    "FindCoordinator": lambda w, v: {"key": "group", "coordinator_keys": ["group"]},
    "ListGroups": lambda w, v: {},
    "DescribeGroups": lambda w, v: {"groups": []},
    "ApiVersions": lambda w, v: {"client_software_name": "raw", "client_software_version": "1.0"},
    "OffsetForLeaderEpoch": lambda w, v: {
        "replica_id": -1,
        "topics": [{"topic": w.topic, "partitions": [{"partition": 0, "current_leader_epoch": -1, "leader_epoch": 0}]}],
    },
    "DescribeConfigs": lambda w, v: {
        "resources": [
            {"resource_type": 2, "resource_name": w.topic, "configuration_keys": None},
            {"resource_type": 4, "resource_name": str(w.node_id), "configuration_keys": ["log.retention.ms"]},
        ],
        "include_synonyms": True,
        "include_documentation": True,
    },
    "DescribeLogDirs": lambda w, v: {"topics": None},
    "DescribeCluster": lambda w, v: {"include_cluster_authorized_operations": True},
    "DescribeProducers": lambda w, v: {"topics": [{"name": w.topic, "partition_indexes": [0]}]},
    "DescribeTopicPartitions": lambda w, v: {"topics": [{"name": w.topic}]},
    "ListPartitionReassignments": lambda w, v: {"topics": None, "timeout_ms": 1_000},
    "InitProducerId": lambda w, v: {"transactional_id": None, "transaction_timeout_ms": 1_000},
}


@pytest.mark.parametrize(("api", "version"), versions(*READ_ONLY))
def test_questions(world: World, api: str, version: int) -> None:
    answer = world.connection.ask(api, version, **READ_ONLY[api](world, version))
    assert set(error_codes(answer)) <= {0}


@pytest.mark.parametrize(("api", "version"), versions("Produce"))
def test_produce(world: World, api: str, version: int) -> None:
    partition = {"index": 0, "records": batch(b"one", b"two")}
    topic = {"name": world.topic, "topic_id": world.topic_id, "partition_data": [partition]}
    answer = world.connection.ask(api, version, acks=-1, timeout_ms=5_000, topic_data=[topic])
    [stored] = answer.responses[0].partition_responses
    assert stored.error_code == 0
    assert stored.base_offset >= 10
    assert stored.log_append_time_ms == -1
    assert answer.responses[0].topic_id == (world.topic_id if version >= 13 else bytes(16))


@pytest.mark.parametrize(("api", "version"), versions("Fetch"))
def test_fetch(world: World, api: str, version: int) -> None:
    partition = {"partition": 0, "fetch_offset": 3, "partition_max_bytes": 1_000_000}
    topic = {"topic": world.topic, "topic_id": world.topic_id, "partitions": [partition]}
    answer = world.connection.ask(
        api, version, max_wait_ms=500, min_bytes=1, max_bytes=1_000_000, session_epoch=-1, replica_id=-1, topics=[topic]
    )
    [found] = answer.responses[0].partitions
    assert (answer.error_code, found.error_code) == (0, 0)
    assert found.high_watermark >= 10
    assert found.records[:8] == bytes(8), "the whole batch around the offset, from its base offset 0"
    assert found.log_start_offset == (0 if version >= 5 else -1)


@pytest.mark.parametrize(("api", "version"), versions("CreateTopics"))
def test_create_topics(world: World, api: str, version: int) -> None:
    topic = world.fresh("create")
    wanted = {
        "name": topic,
        "num_partitions": 2,
        "replication_factor": 1,
        "configs": [{"name": "segment.ms", "value": "9"}],
    }
    answer = world.connection.ask(api, version, topics=[wanted], timeout_ms=5_000)
    assert set(error_codes(answer)) == {0}
    if version >= 5:
        [made] = answer.topics
        assert (made.num_partitions, made.replication_factor) == (2, 1)
        assert {"segment.ms": "9"}.items() <= {config.name: config.value for config in made.configs}.items()
    eventually(lambda: world.is_led(topic, 2))


@pytest.mark.parametrize(("api", "version"), versions("DeleteTopics"))
def test_delete_topics(world: World, api: str, version: int) -> None:
    topic = world.fresh("delete")
    world.create(topic)
    answer = world.connection.ask(api, version, topics=[{"name": topic}], topic_names=[topic], timeout_ms=5_000)
    assert [(each.name, each.error_code) for each in answer.responses] == [(topic, 0)]


@pytest.mark.parametrize(("api", "version"), versions("CreatePartitions"))
def test_create_partitions(world: World, api: str, version: int) -> None:
    topic = world.fresh("grow")
    world.create(topic)
    grown = {"name": topic, "count": 3, "assignments": None}
    answer = world.connection.ask(api, version, topics=[grown], timeout_ms=5_000, validate_only=False)
    assert set(error_codes(answer)) == {0}
    eventually(lambda: world.is_led(topic, 3))


@pytest.mark.parametrize(("api", "version"), versions("DeleteRecords"))
def test_delete_records(world: World, api: str, version: int) -> None:
    partition = {"partition_index": 0, "offset": 0}
    topic = {"name": world.topic, "partitions": [partition]}
    answer = world.connection.ask(api, version, topics=[topic], timeout_ms=5_000)
    [found] = answer.topics[0].partitions
    assert (found.error_code, found.low_watermark) == (0, 0)


@pytest.mark.parametrize(("api", "version"), versions("AlterConfigs", "IncrementalAlterConfigs"))
def test_alter_configs(world: World, api: str, version: int) -> None:
    config: dict[str, Any] = {"name": "segment.ms", "value": "123456789"}
    if api == "IncrementalAlterConfigs":
        config["config_operation"] = 0
    resource = {"resource_type": 2, "resource_name": world.topic, "configs": [config]}
    answer = world.connection.ask(api, version, resources=[resource], validate_only=False)
    assert set(error_codes(answer)) == {0}


@pytest.mark.parametrize(("api", "version"), versions("ElectLeaders"))
def test_elect_leaders(world: World, api: str, version: int) -> None:
    wanted = [{"topic": world.topic, "partitions": [0]}]
    answer = world.connection.ask(api, version, topic_partitions=wanted, timeout_ms=5_000)
    assert set(error_codes(answer)) <= {0, 84}  # ELECTION_NOT_NEEDED: the preferred leader leads already


@pytest.mark.parametrize("version", range(10))
def test_a_group_lives_and_dies_at_every_version(world: World, version: int) -> None:
    """Join at this version, and the rest of the round at the same version or the API's last one."""
    group = world.fresh("group")
    ask = world.connection.ask

    def at(api: str, first: int = 0) -> int:
        return max(first, min(version, APIS[KEYS[api]].max_version))

    join: dict[str, Any] = {
        "group_id": group,
        "session_timeout_ms": 10_000,
        "rebalance_timeout_ms": 10_000,
        "protocol_type": "consumer",
        "protocols": [{"name": "range", "metadata": b"\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"}],
    }
    joined = ask("JoinGroup", version, **join)
    if version >= 4:
        assert joined.error_code == 79  # MEMBER_ID_REQUIRED (KIP-394)
        joined = ask("JoinGroup", version, member_id=joined.member_id, **join)
    assert joined.error_code == 0
    assert (joined.generation_id, joined.protocol_name, joined.leader) == (1, "range", joined.member_id)
    assert [member.member_id for member in joined.members] == [joined.member_id]
    member = {"group_id": group, "generation_id": joined.generation_id, "member_id": joined.member_id}
    shares = [{"member_id": joined.member_id, "assignment": b"\x00\x00\x00\x00\x00\x00"}]
    synced = ask(
        "SyncGroup", at("SyncGroup"), assignments=shares, protocol_type="consumer", protocol_name="range", **member
    )
    assert (synced.error_code, bytes(synced.assignment)) == (0, b"\x00\x00\x00\x00\x00\x00")
    assert ask("Heartbeat", at("Heartbeat"), **member).error_code == 0
    committed = ask(
        "OffsetCommit",
        max(2, min(version + 1, 10)),
        group_id=group,
        generation_id_or_member_epoch=1,
        member_id=joined.member_id,
        topics=[
            {
                "name": world.topic,
                "topic_id": world.topic_id,
                "partitions": [{"partition_index": 0, "committed_offset": 5, "committed_metadata": "here"}],
            }
        ],
    )
    assert set(error_codes(committed)) == {0}
    [described] = ask("DescribeGroups", at("DescribeGroups"), groups=[group]).groups
    assert (described.error_code, described.group_state, described.protocol_data) == (0, "Stable", "range")
    left = ask("LeaveGroup", at("LeaveGroup"), group_id=group, member_id=joined.member_id, members=[member_of(joined)])
    assert set(error_codes(left)) == {0}
    deleted = ask(
        "OffsetDelete", 0, group_id=group, topics=[{"name": world.topic, "partitions": [{"partition_index": 0}]}]
    )
    assert set(error_codes(deleted)) == {0}
    assert set(error_codes(ask("DeleteGroups", at("DeleteGroups"), groups_names=[group]))) == {0}


def member_of(joined: Any) -> dict[str, str]:
    return {"member_id": joined.member_id}


@pytest.mark.parametrize(("api", "version"), versions("OffsetFetch", "OffsetCommit"))
def test_simple_commits_and_their_fetch(world: World, api: str, version: int) -> None:
    """A commit without a group membership, written by one API's version and read by the other's."""
    group = world.fresh("simple")
    commit_version, fetch_version = (version, 9) if api == "OffsetCommit" else (9, version)
    partition = {"partition_index": 0, "committed_offset": 7, "committed_leader_epoch": 0, "committed_metadata": "kept"}
    topic = {"name": world.topic, "topic_id": world.topic_id}
    committed = world.connection.ask(
        "OffsetCommit",
        commit_version,
        group_id=group,
        generation_id_or_member_epoch=-1,
        topics=[topic | {"partitions": [partition]}],
    )
    assert set(error_codes(committed)) == {0}
    asked = topic | {"partition_indexes": [0, 3]}
    old = {"group_id": group, "topics": [{"name": world.topic, "partition_indexes": [0, 3]}]}
    answer = world.connection.ask("OffsetFetch", fetch_version, groups=[{"group_id": group, "topics": [asked]}], **old)
    topics = answer.groups[0].topics if fetch_version >= 8 else answer.topics
    kept, missing = topics[0].partitions
    epoch = 0 if fetch_version >= 5 and commit_version >= 6 else -1
    assert (kept.committed_offset, kept.committed_leader_epoch, kept.metadata) == (7, epoch, "kept")
    assert (missing.committed_offset, missing.metadata, missing.error_code) == (-1, "", 0)
