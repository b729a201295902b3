"""Topics of the v3 API: listed, described, created, given more partitions, deleted."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from confluent_kafka.admin import NewTopic  # type: ignore[attr-defined]
from starlette.responses import Response

from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.resource import (
    CLUSTER,
    NO_CLUSTER,
    NO_TOPIC,
    ClusterLinks,
    ListMetadata,
    Metadata,
    Related,
    Text,
    cluster_links,
)
from riacho.web.answers import json_answer, no_content
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint, Query
from riacho.web.errors import ApiError

PATH = CLUSTER + "/topics"
_OPERATIONS = Query("include_authorized_operations", bool, "Whether to tell what the proxy may do.", False)
Count = Annotated[int, msgspec.Meta(ge=1, lt=1 << 31)]
# -1 is the broker's default, in Kafka's own words.
WantedCount = Annotated[int, msgspec.Meta(ge=-1, lt=1 << 31)]
WantedFactor = Annotated[int, msgspec.Meta(ge=-1, lt=1 << 15)]


class Topic(msgspec.Struct, omit_defaults=True):
    kind: str
    metadata: Metadata
    cluster_id: str
    topic_name: str
    is_internal: bool
    replication_factor: int
    partitions_count: int
    partitions: Related
    configs: Related
    partition_reassignments: Related
    authorized_operations: list[str] | msgspec.UnsetType = msgspec.UNSET


class TopicList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Topic]


# librdkafka would cut longer ones to 32 bits, and 2^32 + 1 be broker 1.
BrokerId = Annotated[int, msgspec.Meta(ge=-(1 << 31), lt=1 << 31)]


class WantedConfig(msgspec.Struct):
    name: Text
    value: Text | int | float | bool | None = None


class CreateTopic(msgspec.Struct):
    topic_name: Text
    partitions_count: WantedCount | None = None
    replication_factor: WantedFactor | None = None
    # Brokers by partition, in one object or in a list of objects.
    replicas_assignments: dict[str, list[BrokerId]] | list[dict[str, list[BrokerId]]] | None = None
    configs: list[WantedConfig] = []
    validate_only: bool = False


class MorePartitions(msgspec.Struct):
    partitions_count: Count


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def topics(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        with_operations = call.flag("include_authorized_operations")
        found = await admin.topics(await admin.topic_names(), with_operations=with_operations)
        data = [_topic(links, each, with_operations) for each in found]
        return json_answer(TopicList("KafkaTopicList", links.list_metadata("topics"), data))

    async def topic(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        with_operations = call.flag("include_authorized_operations")
        found = await admin.topic(call.segment("topic_name"), with_operations=with_operations)
        return json_answer(_topic(links, found, with_operations))

    async def create(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        wanted: CreateTopic = await call.read(CreateTopic, is_lax=True)
        new, partitions_count, replication_factor = _new_topic(wanted)
        await admin.create_topic(new, validate_only=wanted.validate_only)
        answer = _resource(links, wanted.topic_name, False, replication_factor, partitions_count)
        if wanted.validate_only:
            return json_answer(answer)
        return json_answer(answer, 201, headers={"Location": answer.metadata.self_url})

    async def grow(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        name = call.segment("topic_name")
        wanted: MorePartitions = await call.read(MorePartitions, is_lax=True)
        await admin.create_partitions(name, wanted.partitions_count)
        return json_answer(_topic(links, await admin.topic(name), False))

    async def delete(call: Call) -> Response:
        await cluster_links(proxy, call)
        await admin.delete_topic(call.segment("topic_name"))
        return no_content()

    one = PATH + "/{topic_name}"
    invalid = {40002: "Kafka does not take it.", **NO_CLUSTER}
    return [
        Endpoint("GET", PATH, topics, "The topics.", (_OPERATIONS,), answers={200: TopicList}, errors=NO_CLUSTER),
        Endpoint(
            "POST",
            PATH,
            create,
            "Creates a topic; `validate_only` only tries.",
            body=CreateTopic,
            answers={201: Topic, 200: Topic},
            errors=invalid,
        ),
        Endpoint("GET", one, topic, "One topic.", (_OPERATIONS,), answers={200: Topic}, errors=NO_TOPIC),
        Endpoint(
            "PATCH",
            one,
            grow,
            "Gives a topic more partitions.",
            body=MorePartitions,
            answers={200: Topic},
            errors={**NO_TOPIC, **invalid},
        ),
        Endpoint("DELETE", one, delete, "Deletes a topic.", answers={204: None}, errors=NO_TOPIC),
    ]


def _new_topic(wanted: CreateTopic) -> tuple[NewTopic, int, int]:
    configs = {each.name: _config_text(each.value) for each in wanted.configs if each.value is not None}
    if not wanted.topic_name:
        raise ApiError(400, 40002, "Topic name is invalid: the empty string is not allowed")
    if wanted.replicas_assignments is None:
        count, factor = wanted.partitions_count or -1, wanted.replication_factor or -1
        return NewTopic(wanted.topic_name, count, factor, config=configs), max(count, 0), max(factor, 0)
    if wanted.partitions_count is not None or wanted.replication_factor is not None:
        raise ApiError(400, 40002, "replicas_assignments excludes partitions_count and replication_factor.")
    assignment = _assignment(wanted.replicas_assignments)
    factor = len(assignment[0]) if assignment else 0
    new = NewTopic(wanted.topic_name, len(assignment), replica_assignment=assignment, config=configs)
    return new, len(assignment), factor


def _config_text(value: str | float | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _assignment(given: dict[str, list[int]] | list[dict[str, list[int]]]) -> list[list[int]]:
    """By partition from 0 on; confluent-kafka knows them by their place in the list."""
    pairs = [given] if isinstance(given, dict) else given
    by_partition = {key: brokers for each in pairs for key, brokers in each.items()}
    try:
        return [by_partition[str(number)] for number in range(len(by_partition))]
    except KeyError:
        raise ApiError(400, 40002, "replicas_assignments must have the partitions from 0 on.") from None


def _topic(links: ClusterLinks, topic: Any, with_operations: bool) -> Topic:
    partitions = topic.partitions
    factor = len(partitions[0].replicas) if partitions else 0
    found = _resource(links, topic.name, bool(topic.is_internal), factor, len(partitions))
    if with_operations:
        found.authorized_operations = sorted(each.name for each in topic.authorized_operations or ())
    return found


def _resource(links: ClusterLinks, name: str, is_internal: bool, factor: int, partitions_count: int) -> Topic:
    at = ("topics", name)
    return Topic(
        "KafkaTopic",
        links.metadata(at, ("topic", name)),
        links.cluster_id,
        name,
        is_internal,
        factor,
        partitions_count,
        links.related(*at, "partitions"),
        links.related(*at, "configs"),
        links.related(*at, "partitions", "-", "reassignment"),
    )
