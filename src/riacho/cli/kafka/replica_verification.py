"""kafka-replica-verification: fetch the same offsets from every replica, compare, and report the largest lag.

Every broker is asked at the same time, by a thread with a connection of its own, as the debugging replica -2: to that
one followers answer, too, and up to the end of their log. A broker that is away is asked again in the next round; its
partitions wait for it.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from riacho.base.errors import KafkaError
from riacho.cli.kafka.connect import open_cluster
from riacho.cli.kafka.events import StopRequest
from riacho.cli.kafka.filters import topic_filter
from riacho.cli.kafka.flags.jopt import Arguments
from riacho.cli.kafka.launch import EXIT_INTERRUPTED, ToolError, launch
from riacho.cli.kafka.replica_comparison import Diverged, Fetched, ReplicaComparison
from riacho.client.cluster import Cluster
from riacho.client.connection import Connection
from riacho.client.offsets import LATEST, UNKNOWN_OFFSET, TopicPartition, group_by_topic, list_offsets
from riacho.client.settings import ClientSettings
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic, ReplicaState

_DEBUGGING_REPLICA = -2
_TOPIC_IDS_SINCE = 13
_REPLICA_STATE_SINCE = 15
_RESPONSE_SIZE_BYTES_MAX = 64 * 1024 * 1024
_PAUSE_S = 0.2

Answer = dict[TopicPartition, Fetched]


def main() -> None:
    launch("kafka-replica-verification", run)


def run(arguments: Arguments) -> int:
    if arguments.has("broker-list"):
        arguments.values["bootstrap-server"] = arguments.values["broker-list"]
    with open_cluster(arguments) as cluster:
        replicas, topic_ids = _replicas(cluster, arguments)
        brokers = cluster.live_brokers()
        missing = sorted({broker for ids in replicas.values() for broker in ids} - set(brokers))
        if missing:
            raise ToolError(f"Every broker has to be up at the start; broker {missing[0]} is not.")
        comparison = ReplicaComparison(_beginnings(cluster, replicas, arguments.need_number("time")))
        fetchers = {
            broker: ReplicaFetcher(address, cluster.settings, arguments, topic_ids, own)
            for broker, address in sorted(brokers.items())
            if (own := [partition for partition, ids in sorted(replicas.items()) if broker in ids])
        }
    print(f"{_now()}: verification process is started", flush=True)
    return watch(comparison, fetchers, arguments.need_number("report-interval-ms"))


def _replicas(cluster: Cluster, arguments: Arguments) -> tuple[dict[TopicPartition, list[int]], dict[str, bytes]]:
    is_wanted = topic_filter(arguments.need("topics-include"), exclude_internal=False)
    topics = [topic for topic in cluster.retry(cluster.metadata).topics if is_wanted(topic.name or "")]
    if not topics:
        raise ToolError("No topics found: there are none, or --topics-include leaves all of them out.")
    replicas = {(t.name or "", p.partition_index): p.replica_nodes for t in topics for p in t.partitions}
    return replicas, {topic.name or "": topic.topic_id for topic in topics}


def _beginnings(cluster: Cluster, partitions: Iterable[TopicPartition], at: int) -> dict[TopicPartition, int]:
    found = list_offsets(cluster, dict.fromkeys(partitions, at))
    younger = [partition for partition, offset in found.items() if offset.offset == UNKNOWN_OFFSET]
    if younger:
        found |= list_offsets(cluster, dict.fromkeys(younger, LATEST))
    return {partition: offset.offset for partition, offset in found.items()}


def watch(comparison: ReplicaComparison, fetchers: Mapping[int, ReplicaFetcher], interval_ms: int) -> int:
    reported_s = time.monotonic()
    stop = StopRequest(signal.SIGINT)
    with ThreadPoolExecutor(len(fetchers)) as pool:
        while not stop.made:
            answers = dict(
                zip(fetchers, pool.map(lambda f: f.fetch(comparison.offsets), fetchers.values()), strict=True)
            )
            fetched: dict[TopicPartition, dict[int, Fetched]] = {}
            for broker, answer in answers.items():
                for partition, data in answer.items():
                    fetched.setdefault(partition, {})[broker] = data
            try:
                worst, mismatches = comparison.compare(dict(sorted(fetched.items())))
            except Diverged as diverged:
                print(f"{_now()}: {diverged}", flush=True)
                return 1
            for mismatch in mismatches:
                print(f"{_now()}: {mismatch}", flush=True)
            if (time.monotonic() - reported_s) * 1000 > interval_ms and worst is not None:
                reported_s = time.monotonic()
                name = f"{worst.partition[0]}-{worst.partition[1]}"
                print(
                    f"{_now()}: max lag is {worst.lag} for partition {name} at offset {worst.offset} "
                    f"among {len(fetched)} partitions",
                    flush=True,
                )
    return EXIT_INTERRUPTED


class ReplicaFetcher:
    """Asks one broker for its replicas' records."""

    def __init__(
        self,
        address: tuple[str, int],
        settings: ClientSettings,
        arguments: Arguments,
        topic_ids: Mapping[str, bytes],
        partitions: Iterable[TopicPartition],
    ) -> None:
        self.address = address
        self._settings = settings
        self._fetch_size = arguments.need_number("fetch-size")
        self._wait_ms = arguments.need_number("max-wait-ms")
        self._topic_ids = topic_ids
        self._names = {topic_id: name for name, topic_id in topic_ids.items()}
        self._partitions = list(partitions)
        self._connection: Connection | None = None

    def fetch(self, offsets: Mapping[TopicPartition, int]) -> Answer:
        """What the broker has from these offsets on; nothing of a partition, or of all, that it cannot give."""
        nothing = dict.fromkeys(self._partitions, Fetched())
        try:
            return nothing | self._ask(offsets)
        except KafkaError as error:
            print(f"{self.address[0]}:{self.address[1]} is not there: {error.detail}", file=sys.stderr, flush=True)
            if self._connection is not None:
                self._connection.close()
            self._connection = None
            time.sleep(_PAUSE_S)
            return nothing

    def _ask(self, offsets: Mapping[TopicPartition, int]) -> Answer:
        if self._connection is None:
            self._connection = Connection(*self.address, self._settings)
        version = self._connection.version_for(FetchRequest.API_KEY or 1)
        response = self._connection.send(self._request(offsets, version), version)
        return {
            (self._names[topic.topic_id] if version >= _TOPIC_IDS_SINCE else topic.topic, p.partition_index): Fetched(
                p.high_watermark, p.records or b""
            )
            for topic in response.responses
            for p in topic.partitions
            if not p.error_code
        }

    def _request(self, offsets: Mapping[TopicPartition, int], version: int) -> FetchRequest:
        request = FetchRequest(
            max_wait_ms=self._wait_ms,
            min_bytes=1,
            max_bytes=_RESPONSE_SIZE_BYTES_MAX,
            topics=group_by_topic(
                self._partitions,
                lambda name, indexes: FetchTopic(
                    topic=name,
                    topic_id=self._topic_ids[name],
                    partitions=[
                        FetchPartition(partition=i, fetch_offset=offsets[name, i], partition_max_bytes=self._fetch_size)
                        for i in indexes
                    ],
                ),
            ),
        )
        # From version 15 on the replica is told beside its epoch (KIP-903).
        if version >= _REPLICA_STATE_SINCE:
            request.replica_state = ReplicaState(replica_id=_DEBUGGING_REPLICA)
        else:
            request.replica_id = _DEBUGGING_REPLICA
        return request


def _now() -> str:
    now = datetime.now()
    return f"{now:%Y-%m-%d %H:%M:%S},{now.microsecond // 1000:03d}"
