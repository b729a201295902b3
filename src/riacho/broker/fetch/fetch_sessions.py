"""Fetch sessions (KIP-227): a reader names its partitions once and then sends only what changed.

Epoch 0 opens a session, each later request carries the next epoch, -1 closes it or stays without one. An incremental
answer holds only partitions with data, an error, or a moved high watermark or log start. Partitions that gave data go
to the end of the order, so that a small byte limit serves all of them in turn.

A follower's session watches its partitions all the time, not only while a fetch waits: an append, a moved high
watermark or a change of leadership puts the partition among the `ready` ones, and a fetch looks at those alone. A
leader of thousands of partitions so pays for the few that have changed. Followers also find a place in a full cache
where a consumer would not: without sessions replication would slow down for everyone.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import ZERO_UUID

if TYPE_CHECKING:
    from riacho.base.ports import Rng
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.purgatory import ParkedFetch
    from riacho.wire.messages.fetch_request import FetchPartition, FetchRequest
    from riacho.wire.messages.fetch_response import FetchResponse, PartitionData

NO_SESSION = 0
OPENING_EPOCH = 0
FINAL_EPOCH = -1
_TOPIC_ID_VERSION = 13
_EPOCH_MAX = 0x7FFFFFFF
_FOLLOWER_GONE_MS = 60_000
# Over all sessions of consumers; sessions outlive their connections, and a partition takes some hundred bytes.
_PARTITIONS_MAX = 500_000

# A topic by its id or by its name: a session speaks one or the other, never both.
TopicKey = bytes | str


@dataclass(slots=True, eq=False)
class Wanted:
    """One partition of a fetch, and for a session what its client was last sent."""

    topic: TopicKey
    request: FetchPartition
    high_watermark: int = -1
    log_start_offset: int = -1
    was_error: bool = False
    # Of a follower's session: the partition, once it is watched.
    hosted: HostedPartition | None = None
    session: FetchSession | None = None
    # The follower must get an error, or the offset where the logs part, before anything else.
    is_refused: bool = False

    # A follower's session stands among those who wait at the partition; these are how it is woken there.

    def watch(self, hosted: HostedPartition) -> None:
        self.hosted = hosted
        hosted.tailing.add(self)
        hosted.waiting.add(self)

    def unwatch(self) -> None:
        if self.hosted is not None:
            self.hosted.tailing.discard(self)
            self.hosted.waiting.discard(self)
            self.hosted = None

    def notice(self) -> None:
        """Records, or a moved high watermark; the latter alone need not end a wait."""
        session, hosted = self.session, self.hosted
        if session is not None and hosted is not None:
            session.ready[self] = None
            parked = session.parked
            if parked is not None and (session.is_eager or hosted.log.log_end_offset > self.request.fetch_offset):
                parked.notice()

    def complete(self) -> None:
        """Leadership moved, or the broker stops: the follower must be answered."""
        session = self.session
        if session is not None:
            session.ready[self] = None
            if session.parked is not None:
                session.parked.complete()

    def has_changed(self, answer: PartitionData) -> bool:
        return bool(
            answer.error_code
            or self.was_error
            or (answer.records is not None and _size(answer.records))
            or answer.high_watermark != self.high_watermark
            or answer.log_start_offset != self.log_start_offset
            or answer.preferred_read_replica >= 0
            or answer.diverging_epoch.epoch >= 0
        )

    def record_sent(self, answer: PartitionData) -> None:
        self.high_watermark = answer.high_watermark
        self.log_start_offset = answer.log_start_offset
        self.was_error = answer.error_code != 0


def _size(records: object) -> int:
    size = getattr(records, "size", None)
    return size if size is not None else len(records)  # type: ignore[arg-type]


@dataclass(slots=True)
class FetchSession:
    session_id: int
    uses_topic_ids: bool
    epoch: int = 1
    last_used_ms: int = 0
    partitions: OrderedDict[tuple[TopicKey, int], Wanted] = field(default_factory=OrderedDict)
    is_follower: bool = False
    # Of a follower: what may have changed, the fetch that waits, and when all partitions were last looked at.
    ready: dict[Wanted, None] = field(default_factory=dict)
    parked: ParkedFetch[FetchResponse] | None = None
    swept_ms: int = 0
    # Whether a moved high watermark ends a wait too: consumers may be waiting for it at the follower.
    is_eager: bool = False

    def update(self, topics: Iterable[Wanted], forgotten: Iterable[tuple[TopicKey, int]]) -> list[Wanted]:
        """Take a request's changes; the partitions that it names."""
        named = []
        for key in forgotten:
            gone = self.partitions.pop(key, None)
            if gone is not None:
                gone.unwatch()
                self.ready.pop(gone, None)
        for wanted in topics:
            key = (wanted.topic, wanted.request.partition)
            known = self.partitions.get(key)
            if known is None:
                known = self.partitions[key] = wanted
                wanted.session = self
            else:
                known.request = wanted.request
            named.append(known)
        return named

    def rotate(self, served: list[Wanted]) -> None:
        if self.is_follower:
            for wanted in served:
                self.ready.pop(wanted, None)
                self.ready[wanted] = None
            return
        for wanted in served:
            self.partitions.move_to_end((wanted.topic, wanted.request.partition))

    def close(self) -> None:
        for wanted in self.partitions.values():
            wanted.unwatch()
        self.ready.clear()
        parked, self.parked = self.parked, None
        if parked is not None:
            parked.complete()


@dataclass(slots=True)
class FetchScope:
    """What one fetch reads, and how its answer is trimmed."""

    wanted: list[Wanted]
    session: FetchSession | None = None
    is_incremental: bool = False
    # The partitions that this very request names.
    named: list[Wanted] = field(default_factory=list)

    @property
    def session_id(self) -> int:
        return self.session.session_id if self.session is not None else NO_SESSION

    def select(self, answers: list[tuple[Wanted, PartitionData]]) -> list[tuple[Wanted, PartitionData]]:
        """The answers that go out; a session remembers what it sent."""
        if self.session is None:
            return answers
        changed = [(w, a) for w, a in answers if w.has_changed(a)] if self.is_incremental else answers
        for wanted, answer in changed:
            wanted.record_sent(answer)
        self.session.rotate([w for w, a in changed if a.records is not None and _size(a.records)])
        return changed


class FetchSessionCache:
    """Bounded: when full, a new session takes the place of one unused for `eviction_ms`, or gets none at all."""

    def __init__(self, slots: int, eviction_ms: int, rng: Rng, partitions_max: int = _PARTITIONS_MAX) -> None:
        self._slots = slots
        self._partitions_max = partitions_max
        self.partition_count = 0
        self._eviction_ms = eviction_ms
        self._rng = rng
        self._sessions: OrderedDict[int, FetchSession] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, request: FetchRequest, version: int, now_ms: int, is_follower: bool = False) -> FetchScope:
        uses_topic_ids = version >= _TOPIC_ID_VERSION
        topics = _wanted(request, uses_topic_ids)
        if request.session_epoch in (OPENING_EPOCH, FINAL_EPOCH):
            if request.session_id != NO_SESSION:
                self._close(request.session_id)
            if request.session_epoch == FINAL_EPOCH:
                return FetchScope(topics, named=topics)
            return FetchScope(topics, self._create(topics, uses_topic_ids, now_ms, is_follower), named=topics)
        session = self._sessions.get(request.session_id)
        if session is None:
            raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if request.session_epoch != session.epoch:
            raise KafkaError(ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_topic_ids != uses_topic_ids:
            raise KafkaError(ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        session.epoch = 1 if session.epoch == _EPOCH_MAX else session.epoch + 1
        session.last_used_ms = now_ms
        self._sessions.move_to_end(session.session_id)
        before = len(session.partitions)
        named = session.update(topics, _forgotten(request, uses_topic_ids))
        self.partition_count += len(session.partitions) - before
        if self.partition_count > self._partitions_max and not session.is_follower and len(session.partitions) > before:
            self._close(session.session_id)
            raise KafkaError(ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if not session.partitions:
            self._close(session.session_id)
            return FetchScope([])
        wanted = named if session.is_follower else list(session.partitions.values())
        return FetchScope(wanted, session, is_incremental=True, named=named)

    def drop(self, scope: FetchScope) -> None:
        """The session that this very fetch opened, whose id its client will not get."""
        if scope.session is not None and not scope.is_incremental:
            self._close(scope.session.session_id)

    def _close(self, session_id: int) -> None:
        session = self._sessions.pop(session_id, None)
        if session is not None:
            self.partition_count -= len(session.partitions)
            session.close()

    def _create(
        self, topics: list[Wanted], uses_topic_ids: bool, now_ms: int, is_follower: bool
    ) -> FetchSession | None:
        if is_follower:
            self._drop_dead_followers(now_ms)
        if not topics or not self._make_room(now_ms, is_follower):
            return None
        if not is_follower and self.partition_count + len(topics) > self._partitions_max:
            # It fetches all the same, and names all its partitions each time.
            return None
        session_id = NO_SESSION
        while session_id == NO_SESSION or session_id in self._sessions:
            session_id = int.from_bytes(self._rng.token(4), "big") & 0x7FFFFFFF
        session = FetchSession(
            session_id, uses_topic_ids, last_used_ms=now_ms, is_follower=is_follower, swept_ms=now_ms
        )
        session.update(topics, ())
        self._sessions[session_id] = session
        self.partition_count += len(session.partitions)
        return session

    def _drop_dead_followers(self, now_ms: int) -> None:
        """A follower fetches all the time; one that stopped left a session that watches for nobody."""
        for session in tuple(self._sessions.values()):
            if session.is_follower and now_ms - session.last_used_ms > _FOLLOWER_GONE_MS:
                self._close(session.session_id)

    def _make_room(self, now_ms: int, is_follower: bool) -> bool:
        if len(self._sessions) < self._slots:
            return True
        if not self._sessions:
            return False
        # The least recently used come first.
        oldest = next(iter(self._sessions.values()))
        if now_ms - oldest.last_used_ms < self._eviction_ms:
            if not is_follower:
                return False
            consumers = (each for each in self._sessions.values() if not each.is_follower)
            evicted = next(consumers, None)
            if evicted is None:
                return False
            oldest = evicted
        self._close(oldest.session_id)
        return True


def _wanted(request: FetchRequest, uses_topic_ids: bool) -> list[Wanted]:
    """One that is named twice is read once, as it was named last."""
    if uses_topic_ids:
        found = [Wanted(topic.topic_id, partition) for topic in request.topics for partition in topic.partitions]
    else:
        found = [Wanted(topic.topic, partition) for topic in request.topics for partition in topic.partitions]
    if len(found) < 2:
        return found
    return list({(wanted.topic, wanted.request.partition): wanted for wanted in found}.values())


def _forgotten(request: FetchRequest, uses_topic_ids: bool) -> Iterable[tuple[TopicKey, int]]:
    for topic in request.forgotten_topics_data:
        key: TopicKey = topic.topic_id if uses_topic_ids else topic.topic
        for partition in topic.partitions:
            yield key, partition


def topic_fields(key: TopicKey) -> tuple[str, bytes]:
    """(name, id) as the response carries them."""
    return ("", key) if isinstance(key, bytes) else (key, ZERO_UUID)
