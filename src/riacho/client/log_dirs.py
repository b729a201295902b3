"""Log directories of brokers: what lies in each, and moving a replica from one to another (KIP-113)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from riacho.base.errors import ErrorCode
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.offsets import TopicPartition, group_by_topic
from riacho.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from riacho.wire.messages.alter_replica_log_dirs_response import AlterReplicaLogDirsResponse
from riacho.wire.messages.describe_log_dirs_request import DescribableLogDirTopic, DescribeLogDirsRequest
from riacho.wire.messages.describe_log_dirs_response import DescribeLogDirsResponse, DescribeLogDirsResult


class Replica(NamedTuple):
    topic: str
    partition: int
    broker: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}-{self.broker}"


class ReplicaPlace(NamedTuple):
    """The directory a replica is in, and the one it is on its way to; None where there is none."""

    current: str | None = None
    future: str | None = None


def describe_log_dirs(
    cluster: Cluster, broker: int, partitions: Iterable[TopicPartition] | None = None
) -> list[DescribeLogDirsResult]:
    topics = (
        None
        if partitions is None
        else group_by_topic(partitions, lambda name, indexes: DescribableLogDirTopic(topic=name, partitions=indexes))
    )

    def work() -> list[DescribeLogDirsResult]:
        response = cluster.ask(DescribeLogDirsRequest(topics=topics), DescribeLogDirsResponse, cluster.broker(broker))
        check(response.error_code)
        return response.results

    return cluster.retry(work)


def find_replicas(cluster: Cluster, replicas: Iterable[Replica]) -> dict[Replica, ReplicaPlace]:
    """Where each replica lies on its broker."""
    by_broker: dict[int, list[TopicPartition]] = {}
    places: dict[Replica, ReplicaPlace] = {}
    for replica in replicas:
        by_broker.setdefault(replica.broker, []).append((replica.topic, replica.partition))
        places[replica] = ReplicaPlace()
    for broker, partitions in by_broker.items():
        for directory in describe_log_dirs(cluster, broker, partitions):
            for topic in directory.topics:
                for p in topic.partitions:
                    replica = Replica(topic.name, p.partition_index, broker)
                    field = "future" if p.is_future_key else "current"
                    if replica in places:
                        places[replica] = places[replica]._replace(**{field: directory.log_dir})
    return places


def move_replicas(cluster: Cluster, targets: Mapping[Replica, str]) -> dict[Replica, ErrorCode]:
    """Ask each broker to move its replicas to these directories; the error of each, NONE once the move has begun."""
    outcomes: dict[Replica, ErrorCode] = {}
    for broker in sorted({replica.broker for replica in targets}):
        of_broker = {r: path for r, path in targets.items() if r.broker == broker}
        request = AlterReplicaLogDirsRequest(
            dirs=[_directory(path, [r for r in of_broker if of_broker[r] == path]) for path in set(of_broker.values())]
        )

        def work(request: AlterReplicaLogDirsRequest = request, broker: int = broker) -> AlterReplicaLogDirsResponse:
            return cluster.ask(request, AlterReplicaLogDirsResponse, cluster.broker(broker))

        for topic in cluster.retry(work).results:
            for p in topic.partitions:
                outcomes[Replica(topic.topic_name, p.partition_index, broker)] = error_of(p.error_code)
    return outcomes


def _directory(path: str, replicas: Iterable[Replica]) -> AlterReplicaLogDir:
    partitions = [(r.topic, r.partition) for r in replicas]
    return AlterReplicaLogDir(
        path=path,
        topics=group_by_topic(partitions, lambda name, indexes: AlterReplicaLogDirTopic(name=name, partitions=indexes)),
    )
