"""Writing and reading records, and finding topics: what each API takes. The rows read as in `acl_cases`."""

from __future__ import annotations

from typing import Any

from conformance.acl_cases import CLOSED, TOPIC, UNKNOWN, Case, Values, World
from conformance.raw import batch


def _produce(topic: str, acks: int = 1) -> Values:
    return lambda w: {
        "acks": acks,
        "timeout_ms": 5_000,
        "topic_data": [{"name": topic, "partition_data": [{"index": 0, "records": batch(b"v")}]}],
    }


def _produce_by_id(w: World) -> dict[str, Any]:
    data = [{"topic_id": w.topic_id, "partition_data": [{"index": 0, "records": batch(b"v")}]}]
    return {"acks": 1, "timeout_ms": 5_000, "topic_data": data}


def _fetch(w: World, topic: dict[str, Any], **more: Any) -> dict[str, Any]:
    partition = {"partition": 0, "fetch_offset": 0, "partition_max_bytes": 1 << 20}
    return {
        "max_wait_ms": 0,
        "min_bytes": 0,
        "max_bytes": 1 << 20,
        "topics": [{**topic, "partitions": [partition]}],
        **more,
    }


def _offsets(topic: str) -> dict[str, Any]:
    return {"replica_id": -1, "topics": [{"name": topic, "partitions": [{"partition_index": 0, "timestamp": -1}]}]}


def _epoch_end(replica_id: int) -> dict[str, Any]:
    partitions = [{"partition": 0, "leader_epoch": 0}]
    return {"replica_id": replica_id, "topics": [{"topic": "open", "partitions": partitions}]}


def _topics(*names: str) -> list[dict[str, Any]]:
    return [{"name": name} for name in names]


DATA: list[Case] = [
    Case("Produce", "Produce", 12, _produce("open"), ("WRITE topic:open",), (TOPIC,)),
    Case("Produce acks=0", "Produce", 12, _produce("open", 0), ("WRITE topic:open",), (CLOSED,), tries_granted=False),
    Case("Produce to nowhere", "Produce", 12, _produce("ghost"), ("WRITE topic:ghost",), (TOPIC,), UNKNOWN),
    Case("Produce by id", "Produce", 13, _produce_by_id, ("WRITE topic:open",), (TOPIC,)),
    Case("Fetch", "Fetch", 12, lambda w: _fetch(w, {"topic": "open"}), ("READ topic:open",), (TOPIC,)),
    Case(
        "Fetch from nowhere",
        "Fetch",
        12,
        lambda w: _fetch(w, {"topic": "ghost"}),
        ("READ topic:ghost",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case("Fetch by id", "Fetch", 17, lambda w: _fetch(w, {"topic_id": w.topic_id}), ("READ topic:open",), (TOPIC,)),
    Case("Fetch an unknown id", "Fetch", 17, lambda w: _fetch(w, {"topic_id": b"\7" * 16}), granted="UNKNOWN_TOPIC_ID"),
    Case(
        "Fetch as a follower",
        "Fetch",
        12,
        lambda w: _fetch(w, {"topic": "open"}, replica_id=7),
        ("CLUSTER_ACTION cluster",),
        (TOPIC,),
        granted=None,
    ),
    Case(
        "ListOffsets",
        "ListOffsets",
        7,
        lambda w: {
            "replica_id": -1,
            "topics": [{"name": "open", "partitions": [{"partition_index": 0, "timestamp": -1}]}],
        },
        ("DESCRIBE topic:open",),
        (TOPIC,),
    ),
    Case(
        "ListOffsets of nothing",
        "ListOffsets",
        7,
        lambda w: {
            "replica_id": -1,
            "topics": [{"name": "ghost", "partitions": [{"partition_index": 0, "timestamp": -1}]}],
        },
        ("DESCRIBE topic:ghost",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case(
        "OffsetForLeaderEpoch",
        "OffsetForLeaderEpoch",
        4,
        lambda w: {
            "replica_id": -1,
            "topics": [{"topic": "open", "partitions": [{"partition": 0, "leader_epoch": 0}]}],
        },
        ("DESCRIBE topic:open",),
        (TOPIC,),
    ),
    Case(
        "OffsetForLeaderEpoch as a broker",
        "OffsetForLeaderEpoch",
        4,
        lambda w: _epoch_end(1),
        ("CLUSTER_ACTION cluster",),
        (TOPIC,),
    ),
    Case(
        "DeleteRecords",
        "DeleteRecords",
        2,
        lambda w: {
            "topics": [{"name": "open", "partitions": [{"partition_index": 0, "offset": 0}]}],
            "timeout_ms": 5_000,
        },
        ("DELETE topic:open",),
        (TOPIC,),
    ),
    Case(
        "DescribeProducers",
        "DescribeProducers",
        0,
        lambda w: {"topics": [{"name": "open", "partition_indexes": [0]}]},
        ("READ topic:open",),
        (TOPIC,),
    ),
    Case(
        "Metadata",
        "Metadata",
        12,
        lambda w: {"topics": _topics("open"), "allow_auto_topic_creation": False},
        ("DESCRIBE topic:open",),
        (TOPIC,),
    ),
    Case(
        "Metadata of nothing",
        "Metadata",
        12,
        lambda w: {"topics": _topics("ghost"), "allow_auto_topic_creation": False},
        ("DESCRIBE topic:ghost",),
        (TOPIC,),
        UNKNOWN,
    ),
    Case(
        "Metadata by id",
        "Metadata",
        12,
        lambda w: {"topics": [{"topic_id": w.topic_id, "name": None}], "allow_auto_topic_creation": False},
        ("DESCRIBE topic:open",),
        (TOPIC,),
    ),
    Case("Metadata of all", "Metadata", 12, lambda w: {"topics": None}),
    Case(
        "Metadata that makes a topic",
        "Metadata",
        12,
        lambda w: {"topics": _topics(f"{w.me}-auto"), "allow_auto_topic_creation": True},
        ("DESCRIBE topic:{me}-auto", "CREATE topic:{me}-auto"),
        (TOPIC, TOPIC),
        granted=None,
    ),
    Case(
        "Metadata that makes a topic in a cluster",
        "Metadata",
        12,
        lambda w: {"topics": _topics(f"{w.me}-auto"), "allow_auto_topic_creation": True},
        ("DESCRIBE topic:{me}-auto", "CREATE cluster"),
        (TOPIC, TOPIC),
        granted=None,
    ),
    Case(
        "DescribeTopicPartitions",
        "DescribeTopicPartitions",
        0,
        lambda w: {"topics": _topics("open"), "response_partition_limit": 10},
        ("DESCRIBE topic:open",),
        (TOPIC,),
    ),
    Case(
        "DescribeTopicPartitions of all",
        "DescribeTopicPartitions",
        0,
        lambda w: {"topics": [], "response_partition_limit": 10},
    ),
]
