"""GET /topics/{topic}/partitions, one of them, and its offsets."""

from __future__ import annotations

import msgspec
from confluent_kafka.admin import (  # type: ignore[attr-defined]
    TopicDescription,
)
from starlette.responses import Response

from riacho.rest_proxy.admin import EARLIEST, LATEST, Admin
from riacho.rest_proxy.consumers.errors import partition_not_found
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v2.media_types import ANSWER_TYPES
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError

_ERRORS = {40401: "Topic not found.", 40402: "Partition not found."}
_SEGMENTS = {"partition": int}


class Replica(msgspec.Struct):
    broker: int
    leader: bool
    in_sync: bool


class TopicPartition(msgspec.Struct):
    partition: int
    leader: int
    replicas: list[Replica]


class PartitionOffsets(msgspec.Struct):
    beginning_offset: int
    end_offset: int


async def topic_of(admin: Admin, name: str) -> TopicDescription:
    """ApiError 40401 where Kafka has no such topic: v3 has another code for it."""
    try:
        return await admin.topic(name)
    except ApiError as error:
        if error.error_code == 40403:
            raise ApiError(404, 40401, "Topic not found.") from None
        raise


def partitions_of(topic: TopicDescription) -> list[TopicPartition]:
    found = []
    for partition in topic.partitions:
        leader = -1 if partition.leader is None else partition.leader.id
        in_sync = {node.id for node in partition.isr}
        replicas = [Replica(node.id, node.id == leader, node.id in in_sync) for node in partition.replicas]
        found.append(TopicPartition(partition.id, leader, replicas))
    return sorted(found, key=lambda each: each.partition)


def endpoints(proxy: Proxy) -> list[Endpoint]:
    admin = proxy.admin

    async def partitions(call: Call) -> Response:
        return json_answer(partitions_of(await topic_of(admin, call.segment("topic"))))

    async def one(call: Call) -> TopicPartition:
        number = call.number("partition")
        topic = await topic_of(admin, call.segment("topic"))
        found = next((each for each in partitions_of(topic) if each.partition == number), None)
        if found is None:
            raise partition_not_found()
        return found

    async def partition(call: Call) -> Response:
        return json_answer(await one(call))

    async def offsets(call: Call) -> Response:
        key = (call.segment("topic"), (await one(call)).partition)
        beginning = await admin.offsets({key: EARLIEST})
        end = await admin.offsets({key: LATEST})
        return json_answer(PartitionOffsets(beginning[key].offset, end[key].offset))

    path = "/topics/{topic}/partitions"
    return [
        Endpoint(
            "GET",
            path,
            partitions,
            "The partitions of a topic.",
            answers={200: list[TopicPartition]},
            errors={40401: _ERRORS[40401]},
            answer_types=ANSWER_TYPES,
        ),
        Endpoint(
            "GET",
            path + "/{partition}",
            partition,
            "One partition of a topic.",
            answers={200: TopicPartition},
            errors=_ERRORS,
            answer_types=ANSWER_TYPES,
            segments=_SEGMENTS,
        ),
        Endpoint(
            "GET",
            path + "/{partition}/offsets",
            offsets,
            "Where a partition begins and ends.",
            answers={200: PartitionOffsets},
            errors=_ERRORS,
            answer_types=ANSWER_TYPES,
            segments=_SEGMENTS,
        ),
    ]
