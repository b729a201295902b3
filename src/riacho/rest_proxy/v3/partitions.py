"""Partitions of a topic, and where one begins or ends."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.admin import EARLIEST, LATEST, Admin
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.resource import NO_TOPIC, ClusterLinks, ListMetadata, Metadata, Related, cluster_links
from riacho.rest_proxy.v3.topics import PATH as TOPICS
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

PATH = TOPICS + "/{topic_name}/partitions"
ERRORS = {**NO_TOPIC, 404: "There is no such cluster, or partition."}
SEGMENTS = {"partition_id": int}
_TYPES = {"earliest": EARLIEST, "earliest_offset": EARLIEST, "latest": LATEST, "latest_offset": LATEST}


class Partition(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    topic_name: str
    partition_id: int
    # Absent while nobody leads.
    leader: Related | None
    replicas: Related
    reassignment: Related


class PartitionList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Partition]


class PartitionOffset(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    topic_name: str
    partition_id: int
    offset_type: str
    offset: int


async def partition_of(admin: Admin, topic: str, number: int) -> Any:
    """404 when the topic has no such partition."""
    for partition in (await admin.topic(topic)).partitions:
        if partition.id == number:
            return partition
    raise ApiError(404, 404, f"Partition {number} of topic {topic} cannot be found.")


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def partitions(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        found = sorted((await admin.topic(topic)).partitions, key=lambda each: each.id)
        return json_answer(
            PartitionList(
                "KafkaPartitionList",
                links.list_metadata("topics", topic, "partitions"),
                [_partition(links, topic, each) for each in found],
            )
        )

    async def partition(call: Call) -> Response:
        number = call.number("partition_id")
        links = await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        return json_answer(_partition(links, topic, await partition_of(admin, topic, number)))

    async def offset(call: Call) -> Response:
        number = call.number("partition_id")
        links = await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        kind = (call.text("offset_type") or "earliest_offset").lower()
        if kind not in _TYPES:
            raise ApiError(400, 400, "offset_type must be earliest_offset or latest_offset.")
        await partition_of(admin, topic, number)
        found = (await admin.offsets({(topic, number): _TYPES[kind]}))[topic, number]
        at = ("topics", topic, "partitions", number)
        metadata = links.metadata((*at, "offset"), ("topic", topic, "partition", number, "offset"))
        answer = PartitionOffset("KafkaPartitionOffset", metadata, links.cluster_id, topic, number, kind, found.offset)
        return json_answer(answer)

    one = PATH + "/{partition_id}"
    type_query = Query("offset_type", str, "`earliest_offset` or `latest_offset`.", "earliest_offset")
    return [
        Endpoint("GET", PATH, partitions, "The partitions of a topic.", answers={200: PartitionList}, errors=NO_TOPIC),
        Endpoint("GET", one, partition, "One.", answers={200: Partition}, errors=ERRORS, segments=SEGMENTS),
        Endpoint(
            "GET",
            one + "/offset",
            offset,
            "Where a partition begins, or ends.",
            (type_query,),
            answers={200: PartitionOffset},
            errors={**ERRORS, 400: "There is no such offset_type."},
            segments=SEGMENTS,
        ),
    ]


def _partition(links: ClusterLinks, topic: str, partition: Any) -> Partition:
    at = ("topics", topic, "partitions", partition.id)
    leader = partition.leader
    return Partition(
        "KafkaPartition",
        links.metadata(at, ("topic", topic, "partition", partition.id)),
        links.cluster_id,
        topic,
        partition.id,
        None if leader is None or leader.id < 0 else links.related(*at, "replicas", leader.id),
        links.related(*at, "replicas"),
        links.related(*at, "reassignment"),
    )
