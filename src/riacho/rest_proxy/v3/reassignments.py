"""Reassignments of partitions that are under way, at three levels: all, of a topic, of a partition."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from riacho.client.reassignments import Move
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.partitions import PATH as PARTITIONS
from riacho.rest_proxy.v3.partitions import SEGMENTS, partition_of
from riacho.rest_proxy.v3.resource import (
    NO_CLUSTER,
    NO_TOPIC,
    ClusterLinks,
    ListMetadata,
    Metadata,
    Related,
    cluster_links,
)
from riacho.rest_proxy.v3.topics import PATH as TOPICS
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_KIND = "KafkaReassignment"
_LOGIN = {40002: "The proxy logs in at Kafka in a way in which it cannot ask for reassignments."}


class Reassignment(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    topic_name: str
    partition_id: int
    adding_replicas: list[int]
    removing_replicas: list[int]
    replicas: Related


class ReassignmentList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Reassignment]


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def of_all(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        found = await admin.reassignments()
        metadata = links.list_metadata("topics", "-", "partitions", "-", "reassignment")
        return json_answer(_listed(links, metadata, found))

    async def of_topic(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        partitions = (await admin.topic(topic)).partitions
        found = await admin.reassignments([(topic, each.id) for each in partitions])
        metadata = links.list_metadata("topics", topic, "partitions", "-", "reassignment")
        return json_answer(_listed(links, metadata, found))

    async def of_partition(call: Call) -> Response:
        number = call.number("partition_id")
        links = await cluster_links(proxy, call)
        topic = call.segment("topic_name")
        await partition_of(admin, topic, number)
        found = (await admin.reassignments([(topic, number)])).get((topic, number))
        if found is None:
            raise ApiError(404, 404, f"Partition {number} of topic {topic} is not being reassigned.")
        return json_answer(_reassignment(links, topic, number, found))

    listed = {200: ReassignmentList}
    return [
        Endpoint(
            "GET",
            TOPICS + "/-/partitions/-/reassignment",
            of_all,
            "All reassignments that are under way.",
            answers=listed,
            errors={**NO_CLUSTER, **_LOGIN},
        ),
        Endpoint(
            "GET",
            PARTITIONS + "/-/reassignment",
            of_topic,
            "Reassignments of a topic that are under way.",
            answers=listed,
            errors={**NO_TOPIC, **_LOGIN},
        ),
        Endpoint(
            "GET",
            PARTITIONS + "/{partition_id}/reassignment",
            of_partition,
            "The reassignment of a partition.",
            answers={200: Reassignment},
            errors={**NO_TOPIC, **_LOGIN, 404: "There is no such cluster or partition, or it is not being reassigned."},
            segments=SEGMENTS,
        ),
    ]


def _listed(links: ClusterLinks, metadata: ListMetadata, found: dict[tuple[str, int], Move]) -> ReassignmentList:
    data = [_reassignment(links, *partition, move) for partition, move in sorted(found.items())]
    return ReassignmentList(f"{_KIND}List", metadata, data)


def _reassignment(links: ClusterLinks, topic: str, number: int, move: Move) -> Reassignment:
    at = ("topics", topic, "partitions", number)
    return Reassignment(
        _KIND,
        links.metadata((*at, "reassignment"), ("topic", topic, "partition", number, "reassignment")),
        links.cluster_id,
        topic,
        number,
        move.adding_replicas,
        move.removing_replicas,
        links.related(*at, "replicas"),
    )
