"""One partition that this broker follows: what it asks its leader for, and what it makes of the answer.

Theory of operation. A follower asks for everything from its log end on, and says by which leader epoch its last record
was written. A leader whose log has no such record there answers with the diverging epoch: the greatest epoch not above
the one named that it has records of, and where that epoch ends in its log (KIP-595; the question itself is KIP-101's,
and answering with the epoch too is KIP-279's). The follower cuts its log where the two histories part:

- it has records of that epoch itself: at the lower of the two ends;
- it has not: at the end of its own greatest epoch below. That may still be too late, so the next fetch asks again.

Every round drops the latest epoch or shortens it, so the rounds end, at the largest common point. Nothing that both
logs share is cut, hence nothing that was committed while both were in sync. The high watermark plays no part in where
the cut is (that was the mistake which KIP-101 mended); a cut below it happens only after an unclean election, and its
effect says so.

A log end outside the leader's log (OFFSET_OUT_OF_RANGE) needs two more questions, where the leader's log starts and
ends: above its end the log is cut, below its start it starts over there. Other errors are waited out, longer each time
(`retry_at_ms`); a fenced epoch is waited out until the metadata name another one.

`answered` and `leader_offsets_received` say what to do to the log; once it is done, `refresh` looks at the log again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from riacho.base.backoff import Backoff
from riacho.base.errors import ErrorCode
from riacho.wire.messages.fetch_response import PartitionData

# The first pause after a failure; the next is twice as long, up to `replica.fetch.backoff.ms`. A leader that has not
# read of its leadership yet is the common failure, and over in milliseconds.
_BACKOFF_MS_MIN = 10
NEVER_MS = (1 << 63) - 1


class LogView(Protocol):
    """What a follower must know of its log."""

    @property
    def log_start_offset(self) -> int: ...
    @property
    def log_end_offset(self) -> int: ...
    @property
    def high_watermark(self) -> int: ...
    @property
    def latest_epoch(self) -> int: ...
    def end_offset_for_epoch(self, epoch: int) -> tuple[int, int]: ...


@dataclass(frozen=True, slots=True)
class Append:
    """Take the records, the high watermark and the log start of the answer."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """Drop everything from `offset` on."""

    offset: int
    # Something was lost that was once committed: an unclean election.
    is_below_high_watermark: bool


@dataclass(frozen=True, slots=True)
class StartOver:
    """Drop everything; the log goes on at `offset`, where the leader's log now starts."""

    offset: int


@dataclass(frozen=True, slots=True)
class AskOffsets:
    """Ask the leader where its log starts and ends, then call `leader_offsets_received`."""


@dataclass(frozen=True, slots=True)
class BackOff:
    """Nothing to do until `retry_at_ms`."""

    code: ErrorCode
    is_first: bool


@dataclass(frozen=True, slots=True)
class Fenced:
    """The leader is of a later epoch than the metadata we have: nothing to do until they name it."""


Effect = Append | Truncate | StartOver | AskOffsets | BackOff | Fenced

APPEND = Append()
_ASK_OFFSETS = AskOffsets()
_FENCED = Fenced()


class Following:
    """A partition followed in one leader epoch."""

    __slots__ = ("_failures", "fetch_offset", "lag", "last_fetched_epoch", "leader_epoch", "leader_id", "retry_at_ms")

    def __init__(self, leader_id: int, leader_epoch: int, log: LogView) -> None:
        self.leader_id = leader_id
        self.leader_epoch = leader_epoch
        # Not before then is the leader asked again; NEVER_MS for a fenced epoch.
        self.retry_at_ms = 0
        # Records short of the leader's high watermark, as of the last answer; None when there was none.
        self.lag: int | None = None
        self._failures = 0
        self.fetch_offset = log.log_end_offset
        self.last_fetched_epoch = log.latest_epoch

    @property
    def is_caught_up(self) -> bool:
        """Replicas that are as good as in sync are not throttled: that could stop the partition (KIP-73)."""
        return self.lag is not None and self.lag <= 0

    def refresh(self, log: LogView) -> None:
        """The log was written or cut: ask from its end on."""
        self.fetch_offset = log.log_end_offset
        self.last_fetched_epoch = log.latest_epoch

    def answered(self, answer: PartitionData, log: LogView, now_ms: int, backoff_ms_max: int) -> Effect:
        """What to do about an answer that was asked for in this leader epoch."""
        code = answer.error_code
        if code == ErrorCode.NONE:
            diverging = answer.diverging_epoch
            if diverging.epoch >= 0:
                return _cut(common_end(log, diverging.epoch, diverging.end_offset), log)
            return APPEND
        if code == ErrorCode.OFFSET_OUT_OF_RANGE:
            return _ASK_OFFSETS
        if code == ErrorCode.FENCED_LEADER_EPOCH:
            self.retry_at_ms = NEVER_MS
            return _FENCED
        return self.failed(_known(code), now_ms, backoff_ms_max)

    def appended(self, log: LogView, leader_high_watermark: int) -> None:
        self._failures = 0
        self.fetch_offset = log.log_end_offset
        self.last_fetched_epoch = log.latest_epoch
        self.lag = leader_high_watermark - log.log_end_offset

    def leader_offsets_received(
        self, leader_start_offset: int, leader_end_offset: int, log: LogView, now_ms: int, backoff_ms_max: int
    ) -> Effect:
        """The leader's log spans these offsets, and ours ends outside of it or did a moment ago."""
        if leader_end_offset < log.log_end_offset:
            return _cut(leader_end_offset, log)
        if leader_start_offset > log.log_end_offset:
            return StartOver(leader_start_offset)
        # It moved meanwhile: fetch again, though not in a tight loop.
        return self.failed(ErrorCode.OFFSET_OUT_OF_RANGE, now_ms, backoff_ms_max)

    def failed(self, code: ErrorCode, now_ms: int, backoff_ms_max: int) -> BackOff:
        """The leader refused, or sent what cannot be taken: wait, longer each time."""
        self._failures += 1
        self.retry_at_ms = now_ms + Backoff(_BACKOFF_MS_MIN, backoff_ms_max).pause_ms(self._failures)
        return BackOff(code, is_first=self._failures == 1)


def common_end(log: LogView, leader_epoch: int, leader_end_offset: int) -> int:
    """Where a log parts from that of a leader in which `leader_epoch` ends at `leader_end_offset`."""
    log_end_offset = log.log_end_offset
    if leader_end_offset < 0:
        # A leader that cannot tell: what was committed is surely common.
        return min(log.high_watermark, log_end_offset)
    own_epoch, own_end_offset = log.end_offset_for_epoch(leader_epoch)
    if own_end_offset < 0:
        return min(leader_end_offset, log_end_offset)
    if own_epoch != leader_epoch:
        return min(own_end_offset, log_end_offset)
    return min(own_end_offset, leader_end_offset, log_end_offset)


def _known(code: int) -> ErrorCode:
    try:
        return ErrorCode(code)
    except ValueError:
        return ErrorCode.UNKNOWN_SERVER_ERROR


def _cut(offset: int, log: LogView) -> Truncate:
    return Truncate(offset, is_below_high_watermark=offset < log.high_watermark)
