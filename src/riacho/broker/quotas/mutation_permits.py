"""What one request may change in the metadata (KIP-599).

Strict, for clients that know THROTTLING_QUOTA_EXCEEDED: nothing is allowed while the bucket is below zero, anything
else is, however much it takes. For older clients everything is allowed, and they are slowed down afterwards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.requests.later import Outcome, mapped

if TYPE_CHECKING:
    from riacho.base.ports import Clock
    from riacho.base.token_bucket import TokenBucket
    from riacho.broker.quotas.client_quota import ClientQuota, TokenMeter


class _Throttled(Protocol):
    throttle_time_ms: int


R = TypeVar("R", bound=_Throttled)


class MutationPermits:
    def __init__(self, quota: ClientQuota[TokenBucket], meter: TokenMeter, clock: Clock, *, is_strict: bool) -> None:
        self._quota = quota
        self._meter = meter
        self._clock = clock
        self._is_strict = is_strict
        self._ends_ms = 0

    def record(self, count: int) -> None:
        """Take permits for this many partitions. KafkaError where there are none."""
        now_ms = self._clock.monotonic_ms()
        bucket, rate = self._meter.gauge, self._meter.bound
        if self._is_strict:
            self._throttle(bucket.throttle_ms(rate, now_ms), now_ms)
            if self._ends_ms > now_ms:
                raise KafkaError(ErrorCode.THROTTLING_QUOTA_EXCEEDED)
            bucket.take(count, rate, now_ms)
        else:
            bucket.take(count, rate, now_ms)
            self._throttle(bucket.throttle_ms(rate, now_ms), now_ms)

    def _throttle(self, throttle_ms: int, now_ms: int) -> None:
        if throttle_ms > 0:
            if not self._ends_ms:
                self._quota.throttled(self._meter, throttle_ms)
            self._ends_ms = now_ms + throttle_ms

    def with_throttle_time(self, outcome: Outcome[R]) -> Outcome[R]:
        """The outcome, with the throttle time for which the client has to pause."""
        return mapped(outcome, self._set_throttle_time)

    def _set_throttle_time(self, response: R) -> R:
        # Less the time that the decision waited for the quorum.
        response.throttle_time_ms = max(0, self._ends_ms - self._clock.monotonic_ms())
        return response
