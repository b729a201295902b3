"""The planner's questions to the brokers: which partitions there are, where they begin and end, what a time means.

Each question is asked up to `fetchOffset.numRetries` times, over a connection made anew, since a planner may live for
weeks between brokers that come and go.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from riacho.base.config import ConfigError
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.offsets import EARLIEST, LATEST, UNKNOWN_OFFSET, TopicPartition, Topics, list_offsets
from riacho.pipelines.source.options import SourceOptions
from riacho.pipelines.source.positions import At, Offsets, Position, Times
from riacho.pipelines.source.subscription import named

T = TypeVar("T")

# A partition that was there a moment ago: the caller decides whether its end is a loss.
GONE = frozenset({ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_ID})


class SourceError(Exception):
    """Why topics cannot be read, in one sentence."""


class OffsetReader:
    def __init__(self, options: SourceOptions, sleep: Callable[[float], None] = time.sleep) -> None:
        self._options = options
        self._sleep = sleep
        self._cluster: Cluster | None = None

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    # --- questions

    def starting(self) -> Offsets:
        """Where a new query begins."""
        return self._ask(lambda cluster: self._starting(cluster, self._partitions(cluster)))

    def starting_and_ending(self) -> tuple[Offsets, Offsets]:
        """Both ends of a batch read, of the same partitions."""

        def work(cluster: Cluster) -> tuple[Offsets, Offsets]:
            partitions = self._partitions(cluster)
            return self._starting(cluster, partitions), self._ending(cluster, partitions)

        return self._ask(work)

    def latest(self) -> Offsets:
        """The end of every partition that there is now; deleted ones are missing."""

        def work(cluster: Cluster) -> Offsets:
            found = self._options.subscription.find(cluster)
            times = dict.fromkeys(found.partitions, LATEST)
            return self._listed(cluster, times, gone_is_fine=True, known=found.topics)

        return self._ask(work)

    def earliest(self, partitions: Iterable[TopicPartition]) -> Offsets:
        wanted = list(partitions)
        if not wanted:
            return {}
        return self._ask(lambda cluster: self._at(cluster, wanted, At.EARLIEST, gone_is_fine=True))

    # --- answers

    def _partitions(self, cluster: Cluster) -> list[TopicPartition]:
        found = self._options.subscription.find(cluster).partitions
        missing = set(self._options.subscription.topics) - {topic for topic, _ in found}
        if missing:
            raise KafkaError(
                ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"Topic '{min(missing)}' does not exist on this cluster"
            )
        return found

    def _starting(self, cluster: Cluster, partitions: list[TopicPartition]) -> Offsets:
        place = self._options.starting
        if isinstance(place, Position):
            return self._positions(cluster, partitions, place, "startingOffsets")
        found = self._by_time(cluster, partitions, place, "startingOffsetsByTimestamp")
        late = [key for key, offset in found.items() if offset == UNKNOWN_OFFSET]
        if late and not self._options.latest_when_too_late:
            raise ConfigError(
                f"No offset matched from the starting time for {named(late)}; "
                "set 'startingOffsetsByTimestampStrategy' to 'latest' to begin at the end there."
            )
        return found | (self._at(cluster, late, At.LATEST) if late else {})

    def _ending(self, cluster: Cluster, partitions: list[TopicPartition]) -> Offsets:
        place = self._options.ending
        if isinstance(place, Position):
            return self._positions(cluster, partitions, place, "endingOffsets")
        found = self._by_time(cluster, partitions, place, "endingOffsetsByTimestamp")
        late = [key for key, offset in found.items() if offset == UNKNOWN_OFFSET]
        return found | (self._at(cluster, late, At.LATEST) if late else {})

    def _positions(self, cluster: Cluster, partitions: list[TopicPartition], place: Position, name: str) -> Offsets:
        if place.everywhere is not None:
            return self._at(cluster, partitions, place.everywhere)
        _check_all_named(partitions, place.each, name)
        offsets = {key: place.each[key] for key in partitions}
        for end in At:
            keys = [key for key, offset in offsets.items() if offset == end]
            offsets |= self._at(cluster, keys, end) if keys else {}
        return offsets

    def _by_time(self, cluster: Cluster, partitions: list[TopicPartition], place: Times, name: str) -> Offsets:
        if place.everywhere is None:
            _check_all_named(partitions, place.each, name)
            return self._listed(cluster, {key: place.each[key] for key in partitions})
        return self._listed(cluster, dict.fromkeys(partitions, place.everywhere))

    def _at(
        self, cluster: Cluster, partitions: Iterable[TopicPartition], end: At, *, gone_is_fine: bool = False
    ) -> Offsets:
        times = dict.fromkeys(partitions, EARLIEST if end is At.EARLIEST else LATEST)
        return self._listed(cluster, times, gone_is_fine=gone_is_fine)

    def _listed(
        self,
        cluster: Cluster,
        times: Mapping[TopicPartition, int],
        *,
        gone_is_fine: bool = False,
        known: Topics | None = None,
    ) -> Offsets:
        if not times:
            return {}
        found = list_offsets(cluster, times, committed_only=self._options.committed_only, known=known)
        for (topic, partition), answer in found.items():
            if answer.error is not ErrorCode.NONE and not (gone_is_fine and answer.error in GONE):
                raise KafkaError(
                    answer.error, f"The offsets of {topic}-{partition} cannot be told: {answer.error.name}"
                )
        return {key: answer.offset for key, answer in found.items() if answer.error is ErrorCode.NONE}

    # --- asking again

    def _ask(self, work: Callable[[Cluster], T]) -> T:
        attempt = 1
        while True:
            if self._cluster is None:
                self._cluster = Cluster(self._options.client)
            try:
                return work(self._cluster)
            except KafkaError as error:
                self.close()
                if attempt >= self._options.retries or not _is_passing(error.code):
                    raise SourceError(sentence(error)) from None
            attempt += 1
            self._sleep(self._options.retry_interval_ms / 1000)


def _is_passing(code: ErrorCode) -> bool:
    return code.retriable and code not in GONE


def _check_all_named(partitions: list[TopicPartition], each: Mapping[TopicPartition, int], name: str) -> None:
    if set(partitions) != set(each):
        raise ConfigError(
            f"If '{name}' names partitions, it must name all of them (-1 for latest, -2 for earliest): "
            f"it has {named(each)}, and read are {named(partitions)}."
        )


def sentence(error: KafkaError) -> str:
    detail = error.detail or f"The broker answered {error.code.name}"
    return detail if detail.endswith(".") else f"{detail}."
