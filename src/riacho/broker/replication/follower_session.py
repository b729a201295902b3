"""The follower's end of a fetch session (KIP-227): what the leader knows of it, and so what the next request must name.

Only partitions that changed since the last request are named in it: those that took records, were cut, were added, or
leave. With thousands of partitions on one leader a request is as large as its changes. A failure of any kind starts the
session over: the next request names everything and opens a new one.

A partition that waits (after an error, or throttled) leaves the session and comes back when its time is up, so that the
leader has nothing of it to answer meanwhile.
"""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode
from riacho.partition.follower import NEVER_MS, Following
from riacho.wire.messages.fetch_request import FetchPartition, FetchTopic, ForgottenTopic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.wire.messages.fetch_response import FetchResponse

PartitionKey = tuple[bytes, int]

NO_SESSION = 0
_OPENING_EPOCH = 0
_EPOCH_MAX = 0x7FFFFFFF


class Followed:
    """A followed partition and what the leader's end of the session holds of it."""

    __slots__ = ("hosted", "in_session", "key", "sent_epoch", "state")

    def __init__(self, hosted: HostedPartition) -> None:
        self.hosted = hosted
        self.key: PartitionKey = (hosted.topic_id, hosted.index)
        self.state = Following(hosted.leader_id, hosted.leader_epoch, hosted.log)
        self.in_session = False
        # The leader epoch of the last request about it: an answer is good for that epoch alone.
        self.sent_epoch = -1


class FollowerSession:
    def __init__(self, partition_size_bytes_max: int) -> None:
        self.partitions: dict[PartitionKey, Followed] = {}
        self.session_id = NO_SESSION
        self.epoch = _OPENING_EPOCH
        self._partition_size_bytes_max = partition_size_bytes_max
        self._changed: dict[PartitionKey, Followed] = {}
        # In the order in which they left, which is the same in every process.
        self._forgotten: dict[PartitionKey, None] = {}
        self._waiting: list[tuple[int, PartitionKey]] = []
        self._active_count = 0

    # --- what is followed

    def add(self, followed: Followed) -> None:
        earlier = self.partitions.get(followed.key)
        if earlier is not None:
            # The same partition in a later epoch: the leader's end keeps its place.
            followed.in_session = earlier.in_session
        self.partitions[followed.key] = followed
        self._changed[followed.key] = followed
        self._forgotten.pop(followed.key, None)

    def remove(self, key: PartitionKey) -> Followed | None:
        followed = self.partitions.pop(key, None)
        if followed is not None:
            self._changed.pop(key, None)
            self._leave(followed)
        return followed

    def touch(self, followed: Followed) -> None:
        """Its offsets changed: the next request must name it."""
        self._changed[followed.key] = followed

    def hold(self, followed: Followed, until_ms: int) -> None:
        """Ask nothing of it for a while; for good when `until_ms` is NEVER_MS."""
        self._changed.pop(followed.key, None)
        self._leave(followed)
        if until_ms != NEVER_MS:
            heappush(self._waiting, (until_ms, followed.key))

    def _leave(self, followed: Followed) -> None:
        if followed.in_session:
            followed.in_session = False
            self._active_count -= 1
            self._forgotten[followed.key] = None

    def next_retry_ms(self) -> int | None:
        return self._waiting[0][0] if self._waiting else None

    # --- the session

    def reset(self, *, is_gone: bool = False) -> None:
        """The leader's end is not what we think: the next request opens a session anew, and closes the old one in the
        same go unless that is known to be gone."""
        if is_gone:
            self.session_id = NO_SESSION
        self.epoch = _OPENING_EPOCH
        self._forgotten.clear()
        self._active_count = 0
        waiting = {key for _, key in self._waiting}
        for key, followed in self.partitions.items():
            followed.in_session = False
            if key not in waiting and followed.state.retry_at_ms != NEVER_MS:
                self._changed[key] = followed

    def compose(
        self, now_ms: int, is_throttled: Callable[[Followed], bool] | None = None, throttle_ms: int = 0
    ) -> tuple[list[FetchTopic], list[ForgottenTopic]] | None:
        """The topics and the forgotten topics of the next request; None when there is nothing to ask for."""
        self._take_due(now_ms)
        if is_throttled is not None:
            for followed in [each for each in self.partitions.values() if is_throttled(each)]:
                if followed.in_session or followed.key in self._changed:
                    self.hold(followed, now_ms + throttle_ms)
        topics: dict[bytes, FetchTopic] = {}
        size_bytes_max = self._partition_size_bytes_max
        for (topic_id, index), followed in self._changed.items():
            # One that comes back before a request named it as leaving has never left: Apache Kafka's leaders take
            # what a request names first and forget afterwards, and would answer nothing of it any more.
            self._forgotten.pop(followed.key, None)
            state = followed.state
            topic = topics.get(topic_id)
            if topic is None:
                topic = topics[topic_id] = FetchTopic(topic=followed.hosted.topic, topic_id=topic_id)
            topic.partitions.append(
                FetchPartition(
                    partition=index,
                    current_leader_epoch=state.leader_epoch,
                    fetch_offset=state.fetch_offset,
                    last_fetched_epoch=state.last_fetched_epoch,
                    log_start_offset=followed.hosted.log.log_start_offset,
                    partition_max_bytes=size_bytes_max,
                )
            )
            followed.sent_epoch = state.leader_epoch
            if not followed.in_session:
                followed.in_session = True
                self._active_count += 1
        self._changed.clear()
        if not self._active_count:
            # An empty request would hold the connection for nothing; the leader's session ages out.
            self.reset()
            return None
        return list(topics.values()), self._take_forgotten()

    def _take_due(self, now_ms: int) -> None:
        waiting = self._waiting
        while waiting and waiting[0][0] <= now_ms:
            key = heappop(waiting)[1]
            followed = self.partitions.get(key)
            # One that was followed anew meanwhile is in the session already, or about to be.
            if followed is not None and not followed.in_session and followed.state.retry_at_ms <= now_ms:
                self._changed[key] = followed

    def _take_forgotten(self) -> list[ForgottenTopic]:
        if not self._forgotten:
            return []
        if self.epoch == _OPENING_EPOCH:
            self._forgotten.clear()
            return []
        topics: dict[bytes, list[int]] = {}
        for topic_id, index in self._forgotten:
            topics.setdefault(topic_id, []).append(index)
        self._forgotten.clear()
        return [ForgottenTopic(topic_id=topic_id, partitions=indexes) for topic_id, indexes in topics.items()]

    def answered(self, response: FetchResponse) -> bool:
        """Keep step with the leader; False when it refused the request as a whole, and the session starts over."""
        if response.error_code != ErrorCode.NONE:
            self.reset(is_gone=response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
            return False
        if response.session_id == NO_SESSION:
            # It keeps no session for us: every request names everything.
            self.reset(is_gone=True)
        else:
            self.session_id = response.session_id
            self.epoch = 1 if self.epoch == _EPOCH_MAX else self.epoch + 1
        return True

    def find(self, topic_id: bytes, index: int) -> Followed | None:
        return self.partitions.get((topic_id, index))

    def all(self) -> Iterable[Followed]:
        return self.partitions.values()
