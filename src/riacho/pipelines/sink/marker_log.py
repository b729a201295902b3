"""Reads the markers of one sink, and goes on where it stopped: a worker process asks again with every epoch."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster, check, error_of
from riacho.client.offsets import LATEST, list_offsets
from riacho.pipelines.sink.errors import SinkError, sink_error
from riacho.pipelines.sink.marker_topic import MARKER_TOPIC, marker_partition
from riacho.pipelines.sink.markers import Markers, SinkName
from riacho.wire.batch import iterate_headers
from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest, FetchTopic
from riacho.wire.messages.fetch_response import FetchResponse, PartitionData
from riacho.wire.messages.metadata_response import MetadataResponseTopic

T = TypeVar("T")

_FETCH_SIZE_BYTES = 4 * 1024 * 1024
_FETCH_WAIT_MS = 500


class MarkerLog:
    def __init__(self, name: SinkName) -> None:
        self._name = name
        self._place = marker_partition(name)
        self._topic_id = b""
        # Metadata of the read that is under way, until something fails.
        self._topic: MetadataResponseTopic | None = None
        self._start_over()

    def _start_over(self) -> None:
        self._markers = Markers(self._name)
        self._position = 0

    def read(self, cluster: Cluster) -> Markers:
        """All that was settled before this call."""
        self._topic = None
        try:
            end = cluster.retry(lambda: self._while_leaders_move(lambda: self._end(cluster)))
            if end < self._position:
                self._start_over()
            while self._position < end:
                cluster.retry(lambda: self._while_leaders_move(lambda: self._fetch(cluster)))
        except KafkaError as error:
            raise sink_error(error) from None
        return self._markers

    def _end(self, cluster: Cluster) -> int:
        """A new leader that cannot know yet how far the log goes says so (KIP-207), which a fetch does not tell."""
        known = {MARKER_TOPIC: self._described(cluster)}
        found = list_offsets(cluster, {self._place: LATEST}, known=known)[self._place]
        check(found.error, f"The markers in {MARKER_TOPIC} cannot be read: {found.error.name}.")
        return found.offset

    def _fetch(self, cluster: Cluster) -> None:
        topic = self._described(cluster)
        if self._topic_id != topic.topic_id:
            # Made anew: what was read before is of another topic.
            if self._topic_id:
                self._start_over()
            self._topic_id = topic.topic_id
        partition = next((p for p in topic.partitions if p.partition_index == self._place.partition), None)
        if partition is None:
            raise SinkError(f"Topic {MARKER_TOPIC} has lost partition {self._place.partition}.")
        asked = FetchPartition(
            partition=self._place.partition, fetch_offset=self._position, partition_max_bytes=_FETCH_SIZE_BYTES
        )
        request = FetchRequest(
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=1,
            max_bytes=_FETCH_SIZE_BYTES,
            topics=[FetchTopic(topic=MARKER_TOPIC, topic_id=topic.topic_id, partitions=[asked])],
        )
        response = cluster.ask(request, FetchResponse, cluster.broker(partition.leader_id))
        check(response.error_code)
        self._apply(response.responses[0].partitions[0])

    def _apply(self, data: PartitionData) -> None:
        if error_of(data.error_code) is ErrorCode.OFFSET_OUT_OF_RANGE:
            self._start_over()
            self._position = max(0, data.log_start_offset)
            return
        check(data.error_code)
        records = data.records
        if not isinstance(records, (bytes, bytearray, memoryview)):
            return
        for position, header in iterate_headers(records):
            # The first batch may begin before what was asked for.
            if header.base_offset >= self._position:
                self._markers.apply(records, position, header)
            self._position = max(self._position, header.next_offset)

    def _described(self, cluster: Cluster) -> MetadataResponseTopic:
        if self._topic is None:
            self._topic = cluster.topics([MARKER_TOPIC])[MARKER_TOPIC]
        return self._topic

    def _while_leaders_move(self, work: Callable[[], T]) -> T:
        """A leader that is gone has a successor in a moment: worth another try."""
        try:
            return work()
        except KafkaError as error:
            self._topic = None
            if error.code is not ErrorCode.BROKER_NOT_AVAILABLE:
                raise
            raise KafkaError(ErrorCode.LEADER_NOT_AVAILABLE, error.detail) from None
