"""Consumer groups, their members, and what is assigned to each. Lag is in `lags.py`."""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.admin import Admin
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.resource import (
    CLUSTER,
    NO_CLUSTER,
    ClusterLinks,
    ListMetadata,
    Metadata,
    Related,
    cluster_links,
)
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

PATH = CLUSTER + "/consumer-groups"
GROUP = PATH + "/{consumer_group_id}"
ERRORS = {404: "There is no such cluster, or group."}
_STATES = {
    "UNKOWN": "UNKNOWN",  # as confluent-kafka spells it
    "PREPARING_REBALANCING": "PREPARING_REBALANCE",
    "COMPLETING_REBALANCING": "COMPLETING_REBALANCE",
}


class ConsumerGroup(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    consumer_group_id: str
    is_simple: bool
    partition_assignor: str
    state: str
    type: str
    is_mixed_consumer_group: bool
    coordinator: Related | None
    consumers: Related
    lag_summary: Related


class ConsumerGroupList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[ConsumerGroup]


class Consumer(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    consumer_group_id: str
    consumer_id: str
    instance_id: str | None
    client_id: str
    assignments: Related


class ConsumerList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Consumer]


class Assignment(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    consumer_group_id: str
    consumer_id: str
    topic_name: str
    partition_id: int
    partition: Related
    lag: Related


class AssignmentList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Assignment]


async def group_of(admin: Admin, group_id: str) -> Any:
    """404 for one that Kafka does not know: it describes any name, as dead and without members."""
    (found,) = await admin.describe_groups([group_id])
    if found.state.name == "DEAD" and not found.members:
        raise ApiError(404, 404, f"Consumer group {group_id} cannot be found.")
    return found


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def groups(call: Call) -> Response:
        links = await cluster_links(proxy, call)
        found = await admin.describe_groups([str(each.group_id) for each in await admin.groups()])
        data = [_group(links, each) for each in found]
        return json_answer(ConsumerGroupList("KafkaConsumerGroupList", links.list_metadata("consumer-groups"), data))

    async def asked(call: Call) -> tuple[ClusterLinks, Any]:
        links = await cluster_links(proxy, call)
        return links, await group_of(admin, call.segment("consumer_group_id"))

    async def group(call: Call) -> Response:
        return json_answer(_group(*await asked(call)))

    async def consumers(call: Call) -> Response:
        links, found = await asked(call)
        data = [_consumer(links, found.group_id, each) for each in _members(found)]
        metadata = links.list_metadata("consumer-groups", found.group_id, "consumers")
        return json_answer(ConsumerList("KafkaConsumerList", metadata, data))

    async def consumer(call: Call) -> Response:
        links, found = await asked(call)
        return json_answer(_consumer(links, found.group_id, _member(found, call.segment("consumer_id"))))

    async def assignments(call: Call) -> Response:
        links, found = await asked(call)
        member = _member(found, call.segment("consumer_id"))
        at = ("consumer-groups", found.group_id, "consumers", member.member_id, "assignments")
        data = _assignments(links, found.group_id, member)
        return json_answer(AssignmentList("KafkaConsumerAssignmentList", links.list_metadata(*at), data))

    async def assignment(call: Call) -> Response:
        number = call.number("partition_id")
        links, found = await asked(call)
        member = _member(found, call.segment("consumer_id"))
        for each in _assignments(links, found.group_id, member):
            if (each.topic_name, each.partition_id) == (call.segment("topic_name"), number):
                return json_answer(each)
        raise ApiError(404, 404, f"Consumer {member.member_id} is not assigned this partition.")

    members = GROUP + "/consumers"
    member = members + "/{consumer_id}"
    return [
        Endpoint("GET", PATH, groups, "The groups.", answers={200: ConsumerGroupList}, errors=NO_CLUSTER),
        Endpoint("GET", GROUP, group, "One group.", answers={200: ConsumerGroup}, errors=ERRORS),
        Endpoint("GET", members, consumers, "A group's members.", answers={200: ConsumerList}, errors=ERRORS),
        Endpoint("GET", member, consumer, "One member.", answers={200: Consumer}, errors=ERRORS),
        Endpoint(
            "GET", member + "/assignments", assignments, "Its partitions.", answers={200: AssignmentList}, errors=ERRORS
        ),
        Endpoint(
            "GET",
            member + "/assignments/{topic_name}/partitions/{partition_id}",
            assignment,
            "One of its partitions.",
            answers={200: Assignment},
            errors=ERRORS,
            segments={"partition_id": int},
        ),
    ]


def _group(links: ClusterLinks, group: Any) -> ConsumerGroup:
    at = ("consumer-groups", group.group_id)
    coordinator = group.coordinator
    state = group.state.name
    return ConsumerGroup(
        "KafkaConsumerGroup",
        links.metadata(at, ("consumer-group", group.group_id)),
        links.cluster_id,
        group.group_id,
        bool(group.is_simple_consumer_group),
        group.partition_assignor or "",
        _STATES.get(state, state),
        group.type.name if group.type is not None else "UNKNOWN",
        False,
        None if coordinator is None else links.related("brokers", coordinator.id),
        links.related(*at, "consumers"),
        links.related(*at, "lag-summary"),
    )


def _members(group: Any) -> list[Any]:
    return sorted(group.members, key=lambda each: str(each.member_id))


def _member(group: Any, consumer_id: str) -> Any:
    for each in group.members:
        if each.member_id == consumer_id:
            return each
    raise ApiError(404, 404, f"Consumer {consumer_id} cannot be found.")


def _consumer(links: ClusterLinks, group_id: str, member: Any) -> Consumer:
    at = ("consumer-groups", group_id, "consumers", member.member_id)
    return Consumer(
        "KafkaConsumer",
        links.metadata(at, ("consumer-group", group_id, "consumer", member.member_id)),
        links.cluster_id,
        group_id,
        member.member_id,
        member.group_instance_id,
        member.client_id,
        links.related(*at, "assignments"),
    )


def _assignments(links: ClusterLinks, group_id: str, member: Any) -> list[Assignment]:
    at = ("consumer-groups", group_id, "consumers", member.member_id, "assignments")
    names = ("consumer-group", group_id, "consumer", member.member_id, "assignment")
    partitions = sorted((p.topic, p.partition) for p in member.assignment.topic_partitions)
    return [
        Assignment(
            "KafkaConsumerAssignment",
            links.metadata((*at, topic, "partitions", number), (*names, topic, "partition", number)),
            links.cluster_id,
            group_id,
            member.member_id,
            topic,
            number,
            links.related("topics", topic, "partitions", number),
            links.related("consumer-groups", group_id, "lags", topic, "partitions", number),
        )
        for topic, number in partitions
    ]
