"""Where a read begins and ends: offsets of each partition, asked of the cluster once, before the read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.offsets import EARLIEST, LATEST, Topics, list_offsets
from riacho.wire.messages.metadata_response import MetadataResponse

PARTITIONS_MAX = 10_000


class Start(NamedTuple):
    """`origin`: newest, oldest, offset or time; `at` is the offset, or the time in milliseconds."""

    origin: str = "newest"
    at: int = 0


class Range(NamedTuple):
    """Offsets from `start` up to and without `end`."""

    partition: int
    start: int
    end: int


class Leader(NamedTuple):
    node_id: int
    host: str
    port: int


class TopicPlace(NamedTuple):
    """Which broker leads which partition, and the topic's id."""

    topic: str
    topic_id: bytes
    leaders: Mapping[int, Leader]


class Plan(NamedTuple):
    place: TopicPlace
    ranges: list[Range]
    # One sentence for each partition that is left out.
    problems: list[str]


def find_topic(cluster: Cluster, topic: str) -> TopicPlace:
    """KafkaError."""
    return _place(_described(cluster, topic), topic)


def plan_read(
    cluster: Cluster, topic: str, partitions: Sequence[int] | None, start: Start, *, committed_only: bool
) -> Plan:
    """KafkaError where there is no such topic or partition."""
    response = cluster.retry(lambda: _described(cluster, topic))
    place = _place(response, topic)
    known = {each.partition_index for each in response.topics[0].partitions}
    for each in partitions or ():
        if each not in known:
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{topic}' has no partition {each}.")
    wanted = sorted(known if partitions is None else set(partitions))[:PARTITIONS_MAX]
    problems = [f"Partition {each} has no leader and is left out." for each in wanted if each not in place.leaders]
    reachable = [each for each in wanted if each in place.leaders]
    ask = _Asking(cluster, topic, reachable, {topic: response.topics[0]})
    first, last = ask(lambda _: EARLIEST, False), ask(lambda _: LATEST, committed_only)
    begin = ask(lambda _: start.at, committed_only) if start.origin == "time" else {}
    ranges = []
    for each in reachable:
        if each not in first or each not in last:
            problems.append(f"The offsets of partition {each} are not known, and it is left out.")
            continue
        low, high = first[each], max(first[each], last[each])
        if start.origin == "offset":
            low = min(max(low, start.at), high)
        elif start.origin == "time":
            found = begin.get(each, -1)
            low = high if found < 0 else min(max(low, found), high)
        ranges.append(Range(each, low, high))
    return Plan(place, ranges, problems)


class _Asking:
    """Offsets of partitions by time; those that cannot be asked are missing."""

    def __init__(self, cluster: Cluster, topic: str, partitions: Sequence[int], known: Topics) -> None:
        self._cluster = cluster
        self._topic = topic
        self._partitions = partitions
        self._known = known

    def __call__(self, time: Callable[[int], int], committed_only: bool) -> dict[int, int]:
        times = {(self._topic, each): time(each) for each in self._partitions}
        if not times:
            return {}
        found = list_offsets(self._cluster, times, committed_only=committed_only, known=self._known)
        return {key[1]: each.offset for key, each in found.items() if each.error is ErrorCode.NONE}


def _described(cluster: Cluster, topic: str) -> MetadataResponse:
    response = cluster.metadata([topic])
    code = response.topics[0].error_code if response.topics else int(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    is_absent = error_of(code) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    check(code, f"Topic '{topic}' does not exist." if is_absent else None)
    return response


def _place(response: MetadataResponse, topic: str) -> TopicPlace:
    brokers = {each.node_id: Leader(each.node_id, each.host, each.port) for each in response.brokers}
    described = response.topics[0]
    leaders = {p.partition_index: brokers[p.leader_id] for p in described.partitions if p.leader_id in brokers}
    return TopicPlace(topic, described.topic_id, leaders)
