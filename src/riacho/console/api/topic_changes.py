"""Changes of topics: create, delete, more partitions, purge, clone. Each returns once a list would show it."""

from __future__ import annotations

from typing import Annotated

import msgspec
from starlette.responses import Response

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.record_deletion import ALL, delete_records
from riacho.client.topic_changes import DEFAULT, create_topic, delete_topic, set_partition_count
from riacho.console.api.topics import config_overrides, topic_of
from riacho.console.clusters.errors import KAFKA_ERRORS
from riacho.console.door.audit_log import note
from riacho.console.parts import Parts
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=249)]
_Count = Annotated[int, msgspec.Meta(ge=1, le=100_000)]
_Offset = Annotated[int, msgspec.Meta(ge=-1, le=(1 << 63) - 1)]


class NewTopic(msgspec.Struct, forbid_unknown_fields=True):
    name: _Name
    # None: the cluster's default.
    partitions: _Count | None = None
    replication: Annotated[int, msgspec.Meta(ge=1, le=1_000)] | None = None
    config: dict[str, str] = {}


class PartitionCount(msgspec.Struct, forbid_unknown_fields=True):
    count: _Count


class Purge(msgspec.Struct, forbid_unknown_fields=True):
    # Partition -> the offset that it shall begin at, -1 for its end; None: all of it, in all partitions.
    partitions: dict[str, _Offset] | None = None


class Clone(msgspec.Struct, forbid_unknown_fields=True):
    name: _Name


class Created(msgspec.Struct):
    name: str


class Purged(msgspec.Struct):
    # Where each partition begins now.
    partitions: dict[str, int]
    # Kafka's name for why one did not move.
    refused: dict[str, str]


def endpoints(parts: Parts) -> list[Endpoint]:
    async def post(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        new: NewTopic = await call.read(NewTopic)
        note(call, topic=new.name)
        await cluster.kafka.ask(lambda c: _create(c, new))
        await cluster.changed_topic(new.name, lambda topic: topic is not None)
        return json_answer(Created(new.name), 201)

    async def delete(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        name = topic_of(call, await cluster.watch.now()).name
        await cluster.kafka.ask(lambda c: delete_topic(c, name))
        await cluster.changed_topic(name, lambda topic: topic is None)
        return no_content()

    async def post_partitions(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        name = topic_of(call, await cluster.watch.now()).name
        wanted: PartitionCount = await call.read(PartitionCount)
        note(call, partitions=wanted.count)
        await cluster.kafka.ask(lambda c: set_partition_count(c, name, wanted.count))
        await cluster.changed_topic(name, lambda topic: topic is None or len(topic.partitions) >= wanted.count)
        return no_content()

    async def post_purge(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        topic = topic_of(call, await cluster.watch.now())
        purge: Purge = await call.read(Purge)
        offsets = _purge_offsets(purge, [p.partition for p in topic.partitions])
        purged = await cluster.kafka.ask(lambda c: _purge(c, topic.name, offsets))
        await cluster.changed_topic(topic.name)
        return json_answer(purged)

    async def post_clone(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        topic = topic_of(call, await cluster.watch.now())
        wanted: Clone = await call.read(Clone)
        note(call, topic=wanted.name)
        await cluster.kafka.ask(
            lambda c: _clone(c, topic.name, NewTopic(wanted.name, len(topic.partitions), topic.replication))
        )
        await cluster.changed_topic(wanted.name, lambda topic: topic is not None)
        return json_answer(Created(wanted.name), 201)

    base = "/api/v1/clusters/{c}/topics"
    one = base + "/{t}"
    return [
        Endpoint("POST", base, post, "Create a topic.",
                 tag="topics", errors=KAFKA_ERRORS, body=NewTopic, answers={201: Created}),
        Endpoint("DELETE", one, delete, "Delete a topic.", tag="topics", errors=KAFKA_ERRORS, answers={204: None}),
        Endpoint("POST", one + "/partitions", post_partitions, "Give it more partitions.",
                 tag="topics", errors=KAFKA_ERRORS, body=PartitionCount, answers={204: None}),
        Endpoint("POST", one + "/purge", post_purge, "Delete its records, up to an offset.",
                 tag="topics", errors=KAFKA_ERRORS, body=Purge, answers={200: Purged}),
        Endpoint("POST", one + "/clone", post_clone, "Create another like it, without its records.",
                 tag="topics", errors=KAFKA_ERRORS, body=Clone, answers={201: Created}),
    ]  # fmt: skip


def _create(cluster: Cluster, new: NewTopic) -> None:
    create_topic(
        cluster,
        new.name,
        partitions=DEFAULT if new.partitions is None else new.partitions,
        replication_factor=DEFAULT if new.replication is None else new.replication,
        configs=new.config,
    )


def _clone(cluster: Cluster, name: str, new: NewTopic) -> None:
    _create(cluster, msgspec.structs.replace(new, config=config_overrides(cluster, name)))


def _purge_offsets(purge: Purge, partitions: list[int]) -> dict[int, int]:
    if purge.partitions is None:
        return dict.fromkeys(partitions, ALL)
    known = {str(partition): partition for partition in partitions}
    if not purge.partitions or not purge.partitions.keys() <= known.keys():
        raise ApiError(422, 42202, f"partitions names partitions of the topic, which has {len(partitions)}.")
    return {known[name]: offset for name, offset in purge.partitions.items()}


def _purge(cluster: Cluster, name: str, offsets: dict[int, int]) -> Purged:
    outcomes = delete_records(cluster, {(name, partition): offset for partition, offset in offsets.items()})
    moved = {str(p): outcome for (_, p), outcome in outcomes.items() if not isinstance(outcome, ErrorCode)}
    refused = {str(p): outcome for (_, p), outcome in outcomes.items() if isinstance(outcome, ErrorCode)}
    if not moved:
        code = next(iter(refused.values()))
        raise KafkaError(code, _WHY.get(code, ""))
    return Purged(moved, {p: code.name for p, code in refused.items()})


_WHY = {
    ErrorCode.POLICY_VIOLATION: "Records of a topic that is only compacted cannot be deleted by offset.",
    ErrorCode.OFFSET_OUT_OF_RANGE: "That offset is past the end of the partition.",
}
