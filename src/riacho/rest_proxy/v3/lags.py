"""How far a group is behind: by partition, and the sum and the worst of it.

A partition that nobody in the group reads now counts too, by what the group has committed; then there is no consumer to
name, and the ids are empty.
"""

from __future__ import annotations

from typing import Any

import msgspec
from starlette.responses import Response

from riacho.rest_proxy.admin import LATEST, Admin
from riacho.rest_proxy.context import Proxy
from riacho.rest_proxy.v3.consumer_groups import ERRORS, GROUP, group_of
from riacho.rest_proxy.v3.resource import ClusterLinks, ListMetadata, Metadata, Related, cluster_links
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint
from riacho.web.errors import ApiError


class Lag(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    consumer_group_id: str
    topic_name: str
    partition_id: int
    consumer_id: str
    instance_id: str | None
    client_id: str
    current_offset: int
    log_end_offset: int
    lag: int


class LagList(msgspec.Struct):
    kind: str
    metadata: ListMetadata
    data: list[Lag]


class LagSummary(msgspec.Struct):
    kind: str
    metadata: Metadata
    cluster_id: str
    consumer_group_id: str
    max_lag_consumer_id: str
    max_lag_instance_id: str | None
    max_lag_client_id: str
    max_lag_topic_name: str
    max_lag_partition_id: int
    max_lag: int
    total_lag: int
    max_lag_consumer: Related
    max_lag_partition: Related


def endpoints(proxy: Proxy) -> list[Endpoint]:
    async def found(call: Call) -> tuple[ClusterLinks, str, list[Lag]]:
        links = await cluster_links(proxy, call)
        group_id = call.segment("consumer_group_id")
        return links, group_id, await _lags(proxy.admin, links, group_id)

    async def lags(call: Call) -> Response:
        links, group_id, data = await found(call)
        metadata = links.list_metadata("consumer-groups", group_id, "lags")
        return json_answer(LagList("KafkaConsumerLagList", metadata, data))

    async def lag(call: Call) -> Response:
        number = call.number("partition_id")
        _, group_id, data = await found(call)
        for each in data:
            if (each.topic_name, each.partition_id) == (call.segment("topic_name"), number):
                return json_answer(each)
        raise ApiError(404, 404, f"Group {group_id} has no lag for this partition.")

    async def summary(call: Call) -> Response:
        links, group_id, data = await found(call)
        if not data:
            raise ApiError(404, 404, f"Consumer group {group_id} has committed nothing.")
        return json_answer(_summary(links, group_id, data))

    return [
        Endpoint(
            "GET", GROUP + "/lag-summary", summary, "The sum and the worst.", answers={200: LagSummary}, errors=ERRORS
        ),
        Endpoint("GET", GROUP + "/lags", lags, "By partition.", answers={200: LagList}, errors=ERRORS),
        Endpoint(
            "GET",
            GROUP + "/lags/{topic_name}/partitions/{partition_id}",
            lag,
            "Of one partition.",
            answers={200: Lag},
            errors=ERRORS,
            segments={"partition_id": int},
        ),
    ]


async def _lags(admin: Admin, links: ClusterLinks, group_id: str) -> list[Lag]:
    group = await group_of(admin, group_id)
    readers = {(p.topic, p.partition): each for each in group.members for p in each.assignment.topic_partitions}
    committed = await admin.group_offsets(group_id)
    ends = await admin.offsets(dict.fromkeys(sorted(committed), LATEST), missing_ok=True)
    return [
        _lag(links, group_id, partition, readers.get(partition), committed[partition].offset, end.offset)
        for partition, end in sorted(ends.items())
    ]


def _lag(links: ClusterLinks, group_id: str, partition: tuple[str, int], reader: Any, current: int, end: int) -> Lag:
    topic, number = partition
    at = ("consumer-groups", group_id, "lags", topic, "partitions", number)
    return Lag(
        "KafkaConsumerLag",
        links.metadata(at, ("consumer-group", group_id, "lag", topic, "partition", number)),
        links.cluster_id,
        group_id,
        topic,
        number,
        "" if reader is None else reader.member_id,
        None if reader is None else reader.group_instance_id,
        "" if reader is None else reader.client_id,
        current,
        end,
        end - current,
    )


def _summary(links: ClusterLinks, group_id: str, lags: list[Lag]) -> LagSummary:
    worst = max(lags, key=lambda each: each.lag)
    at = ("consumer-groups", group_id)
    return LagSummary(
        "KafkaConsumerGroupLagSummary",
        links.metadata((*at, "lag-summary"), ("consumer-group", group_id, "lag-summary")),
        links.cluster_id,
        group_id,
        worst.consumer_id,
        worst.instance_id,
        worst.client_id,
        worst.topic_name,
        worst.partition_id,
        worst.lag,
        sum(each.lag for each in lags),
        links.related(*at, "consumers", worst.consumer_id),
        links.related("topics", worst.topic_name, "partitions", worst.partition_id),
    )
