"""How far sink connectors have read: committed offsets of the consumer group `connect-<name>`, as Kafka keeps them.

Nobody is ever a member of these groups: Spark reads by its own checkpoint. They are there for everybody who looks at
lag by group, and for a worker that has no checkpoint.

Groups move from broker to broker. librdkafka's admin client goes on asking the one that it asked first, and takes the
whole process down when that one says so to a question for offsets; so this project's own client asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, is_passing
from riacho.client.groups import commit_offsets, delete_groups, delete_offsets, fetch_offsets
from riacho.client.offsets import TopicPartition
from riacho.client.reopened_cluster import ReopenedCluster
from riacho.pipelines.connect.stores.source_offsets import Pair
from riacho.pipelines.connect.stores.store_topics import StoreError, StoreRefused
from riacho.single_writer.single_thread import SingleThread

T = TypeVar("T")
_TIMEOUT_MS = 10_000
# Nothing to take away is as good as taken away.
_GONE = (ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)


def group_of(connector: str) -> str:
    return f"connect-{connector}"


class SinkOffsets:
    def __init__(self, client: Mapping[str, str]) -> None:
        """`client` is as in the worker's file, with `bootstrap.servers`; looked at with the first call."""
        self._cluster = ReopenedCluster(client, _TIMEOUT_MS)
        self._thread = SingleThread("connect-groups")

    async def of(self, connector: str) -> list[Pair]:
        group = group_of(connector)
        return await self._thread.run(self._asked, group, lambda cluster: _read(cluster, group))

    async def alter(self, connector: str, pairs: Iterable[Mapping[str, Any]]) -> None:
        """A null offset takes that partition's away."""
        given, group = list(pairs), group_of(connector)
        gone = [_where(pair["partition"]) for pair in given if pair["offset"] is None]
        kept = {
            _where(pair["partition"]): int(pair["offset"]["kafka_offset"])
            for pair in given
            if pair["offset"] is not None
        }
        await self._thread.run(self._asked, group, lambda cluster: _alter(cluster, group, kept, gone))

    async def reset(self, connector: str) -> None:
        group = group_of(connector)
        await self._thread.run(self._asked, group, lambda cluster: _check_gone(delete_groups(cluster, [group])[group]))

    def close(self) -> None:
        self._thread.close()
        self._cluster.close()

    # In the lane's thread

    def _asked(self, group: str, ask: Callable[[Cluster], T]) -> T:
        try:
            return self._cluster.ask(ask)
        except KafkaError as error:
            reason = (error.detail or error.code.name).rstrip(".")
            raise StoreError(f"The offsets of the group {group} cannot be had: {reason}.") from None


def _read(cluster: Cluster, group: str) -> list[Pair]:
    return [
        {
            "partition": {"kafka_topic": topic, "kafka_partition": partition},
            "offset": {"kafka_offset": committed.offset},
        }
        for (topic, partition), committed in sorted(fetch_offsets(cluster, group).items())
    ]


def _alter(cluster: Cluster, group: str, kept: Mapping[TopicPartition, int], gone: list[TopicPartition]) -> None:
    if gone:
        whole, each = delete_offsets(cluster, group, gone)
        for code in (whole, *each.values()):
            _check_gone(code)
    if not kept:
        return
    try:
        commit_offsets(cluster, group, kept)
    except KafkaError as error:
        if is_passing(error.code) and error.code is not ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise
        raise StoreRefused(error.detail) from None


def _check_gone(code: ErrorCode) -> None:
    if code not in _GONE:
        check(code)


def _where(partition: Mapping[str, Any]) -> TopicPartition:
    return str(partition["kafka_topic"]), int(partition["kafka_partition"])
