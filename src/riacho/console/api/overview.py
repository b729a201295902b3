"""A cluster at a glance: whether it is well, how much flows, who is behind."""

from __future__ import annotations

from heapq import nlargest

import msgspec
from starlette.responses import Response

from riacho.console.api.offset_count import MessagesPerSecond
from riacho.console.clusters.errors import PICTURE_ERRORS
from riacho.console.clusters.group_survey import total
from riacho.console.clusters.picture import GroupFacts, Picture
from riacho.console.clusters.volumes import Room, room_on
from riacho.console.clusters.watch import Seen
from riacho.console.parts import Parts
from riacho.console.rates import ClusterRates
from riacho.web.answers import json_answer
from riacho.web.call import Call
from riacho.web.endpoint import Endpoint

_LAGS_MAX = 5


class BrokerCount(msgspec.Struct):
    total: int
    online: int


class Voter(msgspec.Struct):
    id: int
    lag: int | None
    ms_behind: int | None


class Quorum(msgspec.Struct):
    leader: int
    epoch: int
    voters: list[Voter]


class DiskUse(msgspec.Struct):
    # What Kafka keeps.
    used_bytes: int | None
    # Of the volumes that it lies on, each counted once; others' files may take room there too.
    total_bytes: int | None
    free_bytes: int | None


class TopLag(msgspec.Struct):
    group: str
    # The one that it is most behind in.
    topic: str | None
    lag: int


class Overview(msgspec.Struct):
    brokers: BrokerCount
    controller: int | None
    quorum: Quorum | None
    topics: int
    partitions: int
    under_replicated: int
    offline: int
    under_min_isr: int | None
    bytes_in_per_s: float | None
    bytes_out_per_s: float | None
    messages_in_per_s: MessagesPerSecond
    requests_per_s: float | None
    disk: DiskUse
    lag_top: list[TopLag]
    as_of_ms: int
    stale_reason: str | None


def endpoints(parts: Parts) -> list[Endpoint]:
    async def get(call: Call) -> Response:
        cluster = parts.clusters.of(call)
        return json_answer(overview(await cluster.watch.now(), parts.rates.of_cluster(cluster.id)))

    return [
        Endpoint("GET", "/api/v1/clusters/{c}/overview", get, "A cluster at a glance.",
                 tag="overview", errors=PICTURE_ERRORS, answers={200: Overview}),
    ]  # fmt: skip


def overview(seen: Seen, rates: ClusterRates) -> Overview:
    picture = seen.picture
    topics = picture.topics.values()
    under_min = [topic.under_min_isr for topic in topics]
    quorum = picture.quorum
    return Overview(
        brokers=BrokerCount(len(picture.brokers), sum(not b.is_fenced for b in picture.brokers.values())),
        controller=None if quorum is None else quorum.leader,
        quorum=None
        if quorum is None
        else Quorum(quorum.leader, quorum.epoch, [Voter(v.id, v.lag, v.ms_behind) for v in quorum.voters]),
        topics=len(topics),
        partitions=sum(len(topic.partitions) for topic in topics),
        under_replicated=sum(topic.under_replicated for topic in topics),
        offline=sum(topic.offline for topic in topics),
        under_min_isr=None if None in under_min else sum(each or 0 for each in under_min),
        bytes_in_per_s=rates.bytes_in_per_s,
        bytes_out_per_s=rates.bytes_out_per_s,
        messages_in_per_s=rates.messages_in_per_s,
        requests_per_s=rates.requests_per_s,
        disk=_disk(picture),
        lag_top=_lag_top(picture),
        as_of_ms=picture.as_of_ms,
        stale_reason=seen.stale_reason,
    )


def _disk(picture: Picture) -> DiskUse:
    brokers = [broker for broker in picture.brokers.values() if not broker.is_fenced]
    is_told = all(broker.directories for broker in brokers)
    room = room_on((each.host, directory) for each in brokers for directory in each.directories) if is_told else Room()
    return DiskUse(total(each.disk_used_bytes for each in brokers), room.total_bytes, room.free_bytes)


def _lag_top(picture: Picture) -> list[TopLag]:
    behind = [group for group in picture.groups.values() if group.lag]
    return [TopLag(g.id, _worst(g), g.lag or 0) for g in nlargest(_LAGS_MAX, behind, key=lambda each: each.lag or 0)]


def _worst(group: GroupFacts) -> str | None:
    return max(group.topics, key=lambda topic: group.topics[topic] or 0, default=None)
