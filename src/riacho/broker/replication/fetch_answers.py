"""What a leader answered to a follower's fetch, taken partition by partition.

Records are validated and written with the offsets and epochs that the leader gave them. What else an answer means is
decided by `partition/follower.py`: truncate, start over, ask where the leader's log starts and ends, wait. An answer
counts only for the leader epoch that it was asked in: whatever was moved, dropped or led anew while a request was out
is passed over (`Followed.sent_epoch`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never, cast

from riacho.base.errors import ErrorCode, KafkaError
from riacho.partition.follower import APPEND, Append, AskOffsets, BackOff, Effect, Fenced, StartOver, Truncate

if TYPE_CHECKING:
    from riacho.broker.replication.fetcher_settings import FetcherSettings, FetcherWorld
    from riacho.broker.replication.follower_session import Followed, FollowerSession
    from riacho.wire.batch import Buffer
    from riacho.wire.messages.fetch_response import FetchResponse, PartitionData

_LOGGED_ONE_BY_ONE_MAX = 20


class FetchAnswers:
    """`must_ask`: those whose fetch offset is outside the leader's log."""

    def __init__(
        self, leader_id: int, session: FollowerSession, world: FetcherWorld, settings: FetcherSettings
    ) -> None:
        self.fetched_size_bytes = 0
        self.must_ask: list[Followed] = []
        self._leader_id = leader_id
        self._session = session
        self._world = world
        self._settings = settings
        # Refusals of one answer so far: a leader that goes refuses thousands.
        self._refusals = 0

    def apply(self, response: FetchResponse) -> None:
        session = self._session
        now_ms = self._world.clock.monotonic_ms()
        for topic in response.responses:
            for answer in topic.partitions:
                followed = session.find(topic.topic_id, answer.partition_index)
                if followed is None or followed.sent_epoch != followed.state.leader_epoch:
                    continue
                try:
                    self._take(followed, answer, now_ms)
                except (KafkaError, OSError) as error:
                    self._refuse(followed, error, now_ms)
        self.sum_up()

    def offsets_received(self, followed: Followed, offsets: tuple[int, int] | None, now_ms: int) -> None:
        """Where the leader's log starts and ends; None where the leader did not say."""
        state = followed.state
        try:
            if offsets is not None:
                effect = state.leader_offsets_received(
                    *offsets, followed.hosted.log, now_ms, self._settings.backoff_ms_max
                )
            else:
                effect = state.failed(ErrorCode.OFFSET_OUT_OF_RANGE, now_ms, self._settings.backoff_ms_max)
            self._perform(followed, effect, now_ms)
        except (KafkaError, OSError) as error:
            self._refuse(followed, error, now_ms)

    def _take(self, followed: Followed, answer: PartitionData, now_ms: int) -> None:
        effect = followed.state.answered(answer, followed.hosted.log, now_ms, self._settings.backoff_ms_max)
        if effect is APPEND:
            self._append(followed, answer, now_ms)
        else:
            self._perform(followed, effect, now_ms)

    def _append(self, followed: Followed, answer: PartitionData, now_ms: int) -> None:
        hosted, state = followed.hosted, followed.state
        log = hosted.log
        # As it was decoded: nothing of an answer that came is a slice of a file.
        records = cast("Buffer", answer.records or b"")
        log_start_offset = log.log_start_offset
        hosted.append_fetched(records, answer.high_watermark, answer.log_start_offset, self._world.clock.now_ms())
        state.appended(log, answer.high_watermark)
        size_bytes = len(records)
        if size_bytes:
            self.fetched_size_bytes += size_bytes
            self._session.touch(followed)
            if self._world.quota.is_throttled(hosted.topic, hosted.index):
                self._world.quota.record(size_bytes, now_ms)
        elif log.log_start_offset != log_start_offset:
            self._session.touch(followed)

    def _perform(self, followed: Followed, effect: Effect, now_ms: int) -> None:
        hosted, session, log = followed.hosted, self._session, self._world.log
        name = (hosted.topic, hosted.index)
        match effect:
            case Append():
                return
            case Truncate(offset, is_below_high_watermark):
                say = log.warning if is_below_high_watermark else log.info
                say(
                    "follower truncates partition=%s-%d to_offset=%d log_end_offset=%d high_watermark=%d leader=%d",
                    *name, offset, hosted.log.log_end_offset, hosted.log.high_watermark, self._leader_id,
                )  # fmt: skip
                hosted.log.truncate_to(offset, self._world.clock.now_ms())
                self._restart(followed)
            case StartOver(offset):
                log.warning(
                    "follower starts over partition=%s-%d at_offset=%d log_end_offset=%d leader=%d",
                    *name, offset, hosted.log.log_end_offset, self._leader_id,
                )  # fmt: skip
                hosted.log.truncate_fully_and_start_at(offset, self._world.clock.now_ms())
                self._restart(followed)
            case AskOffsets():
                self.must_ask.append(followed)
            case Fenced():
                self._log_refusal(
                    "leader epoch is fenced partition=%s-%d leader_epoch=%d", *name, followed.state.leader_epoch
                )
                session.hold(followed, followed.state.retry_at_ms)
            case BackOff(code, is_first):
                if is_first:
                    self._log_refusal(
                        "leader refuses partition=%s-%d leader=%d error=%s", *name, self._leader_id, code.name
                    )
                session.hold(followed, followed.state.retry_at_ms)
            case _:
                assert_never(effect)

    def _log_refusal(self, what: str, *fields: object) -> None:
        """One by one while they are few; the rest in sum."""
        self._refusals += 1
        if self._refusals <= _LOGGED_ONE_BY_ONE_MAX:
            self._world.log.info(what, *fields)

    def sum_up(self) -> None:
        if self._refusals > _LOGGED_ONE_BY_ONE_MAX:
            self._world.log.info("leader refuses leader=%d partitions=%d", self._leader_id, self._refusals)
        self._refusals = 0

    def _restart(self, followed: Followed) -> None:
        followed.state.refresh(followed.hosted.log)
        self._session.touch(followed)

    def _refuse(self, followed: Followed, error: Exception, now_ms: int) -> None:
        """What came cannot be taken, or not be written: again later, from where the log now ends."""
        code = error.code if isinstance(error, KafkaError) else ErrorCode.KAFKA_STORAGE_ERROR
        waits = followed.state.failed(code, now_ms, self._settings.backoff_ms_max)
        if waits.is_first:
            self._world.log.error(
                "fetched records are not taken partition=%s-%d leader=%d reason=%s",
                followed.hosted.topic, followed.hosted.index, self._leader_id, error,
            )  # fmt: skip
        followed.state.refresh(followed.hosted.log)
        self._session.hold(followed, followed.state.retry_at_ms)
