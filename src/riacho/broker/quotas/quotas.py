"""Client quotas at work (KIP-13, KIP-55, KIP-124, KIP-599): what requests cost, and how long a client is to be silent.

Theory of operation. A request is charged when its answer is there. Where that brings the client above its limit, the
answer says for how long (`throttle_time_ms`), leaves at once, and its connection is not read for that time (KIP-219,
`muting.py`). Produce is charged by the bytes of its request, Fetch by those of its answer, and every request by the
time that it took this process. A fetch above its limit is answered without records and costs nothing, so the consumer
asks again; one that asks for more than the whole span allows gets less, else it would never get anything. A share
fetch keeps its records, which are acquired by then, and pays afterwards.

Exempt: what brokers do among themselves (followers, cluster actions, the controllers' listeners) and logging in. A
producer that wants no answer (acks=0) pays for its bytes and not for its time. While no quota is set nothing of this
is looked at: `is_enabled` is False.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.base.sampled_rate import SampledRate
from riacho.base.token_bucket import TokenBucket
from riacho.broker.quotas.client_quota import ClientQuota, RateMeter
from riacho.broker.quotas.mutation_permits import MutationPermits
from riacho.metadata.image.client_quotas import (
    CONSUMER_BYTE_RATE,
    CONTROLLER_MUTATION_RATE,
    PRODUCER_BYTE_RATE,
    REQUEST_PERCENTAGE,
)
from riacho.wire.apis import APIS
from riacho.wire.messages.share_fetch_response import ShareFetchResponse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from riacho.base.ports import Clock
    from riacho.broker.config import BrokerConfig
    from riacho.broker.requests.api import Api
    from riacho.broker.requests.request_context import RequestContext
    from riacho.metadata.image.image import MetadataImage
    from riacho.wire.schema import Message

_PRODUCE, _FETCH, _SHARE_FETCH = 0, 1, 78
_LOGIN = (17, 36)
_PERCENT_PER_NS = 100 / 1_000_000_000


class Quotas:
    def __init__(self, config: BrokerConfig, clock: Clock) -> None:
        self._clock = clock
        self._count: int = config.get("quota.window.num")
        self._window_ms: int = config.get("quota.window.size.seconds") * 1000
        changes = config.get("controller.quota.window.num"), config.get("controller.quota.window.size.seconds") * 1000
        self.produce = ClientQuota(PRODUCER_BYTE_RATE, self._new_rate)
        self.fetch = ClientQuota(CONSUMER_BYTE_RATE, self._new_rate)
        self.request = ClientQuota(REQUEST_PERCENTAGE, self._new_rate)
        self.mutation = ClientQuota(CONTROLLER_MUTATION_RATE, lambda: TokenBucket(*changes))
        self.is_enabled = False
        # Connections that are not read at present.
        self.muted_count = 0

    def _new_rate(self) -> SampledRate:
        return SampledRate(self._count, self._window_ms)

    def image_changed(self, old: MetadataImage, new: MetadataImage) -> None:
        """Subscribe this to the metadata."""
        if new.client_quotas is not old.client_quotas:
            self.set_limits(new)

    def set_limits(self, image: MetadataImage) -> None:
        for quota in self.kinds():
            quota.set_limits(image.client_quotas)
        self.is_enabled = any(quota.is_enabled for quota in self.kinds())

    def now_ms(self) -> int:
        return self._clock.monotonic_ms()

    def kinds(self) -> Iterator[ClientQuota[SampledRate] | ClientQuota[TokenBucket]]:
        yield from (self.produce, self.fetch, self.request, self.mutation)

    def limits_producer(self, ctx: RequestContext) -> bool:
        """Whether this client's writes are measured, by bytes or by time."""
        return self.is_enabled and (
            self._meter(self.produce, ctx) is not None or self._meter(self.request, ctx) is not None
        )

    def charge(self, ctx: RequestContext, api: Api, response: Message | None, size_bytes: int, worked_ns: int) -> int:
        """How long the connection is to be silent after this answer, which says so; None: a producer wants no answer.

        An answer may carry a throttle time already: the controller's, or a fetch's, which had to know before reading.
        """
        throttle_ms: int = getattr(response, "throttle_time_ms", 0)
        if ctx.is_for_controllers or APIS[api.key].cluster_action or api.key in _LOGIN or api.key == _FETCH:
            return throttle_ms
        if api.key == _PRODUCE:
            throttle_ms = max(throttle_ms, self._charge(self.produce, ctx, size_bytes))
        elif api.key == _SHARE_FETCH and self.fetch.is_enabled:
            throttle_ms = max(throttle_ms, self._charge(self.fetch, ctx, _shared_size_bytes(response)))
        if response is not None:
            throttle_ms = max(throttle_ms, self.charge_time(ctx, worked_ns))
            if throttle_ms and hasattr(response, "throttle_time_ms"):
                response.throttle_time_ms = throttle_ms
        return throttle_ms

    def charge_fetch(self, ctx: RequestContext, size_bytes: int, worked_ns: int) -> int:
        """Above 0: the answer must be one without records."""
        throttle_ms = self.charge_time(ctx, worked_ns)
        meter = self._meter(self.fetch, ctx)
        if meter is None:
            return throttle_ms
        now_ms = self._clock.monotonic_ms()
        meter.gauge.record(size_bytes, now_ms)
        bytes_ms = meter.gauge.throttle_ms(meter.bound, now_ms)
        if bytes_ms or throttle_ms:
            meter.gauge.record(-size_bytes, now_ms)
        if bytes_ms:
            self.fetch.throttled(meter, bytes_ms)
        return max(throttle_ms, bytes_ms)

    def charge_time(self, ctx: RequestContext, worked_ns: int) -> int:
        """Never more than a window, as Kafka has it: there is no telling what the next request takes."""
        return self._charge(self.request, ctx, worked_ns * _PERCENT_PER_NS, self._window_ms)

    def add_time(self, ctx: RequestContext, worked_ns: int) -> None:
        """Time spent on an answer after it was settled: it counts for the next."""
        meter = self._meter(self.request, ctx)
        if meter is not None:
            meter.gauge.record(worked_ns * _PERCENT_PER_NS, self._clock.monotonic_ms())

    def fetch_size_bytes_max(self, ctx: RequestContext) -> int | None:
        """More than this at once would always be above the limit; None where there is none."""
        meter = self._meter(self.fetch, ctx) if self.is_enabled else None
        return None if meter is None else int(meter.bound * max(self._count - 1, 1) * self._window_ms / 1000)

    def mutations(self, ctx: RequestContext, strict_version: int) -> MutationPermits | None:
        """For a request that makes or deletes partitions; None where nothing limits its client."""
        if not self.mutation.is_enabled or ctx.is_own:
            return None
        meter = self.mutation.meter(ctx.principal, ctx.client_id, self._clock.monotonic_ms())
        if meter is None:
            return None
        return MutationPermits(self.mutation, meter, self._clock, is_strict=ctx.version >= strict_version)

    def _meter(self, quota: ClientQuota[SampledRate], ctx: RequestContext) -> RateMeter | None:
        if not quota.is_enabled:
            return None
        return quota.meter(ctx.principal, ctx.client_id, self._clock.monotonic_ms())

    def _charge(
        self, quota: ClientQuota[SampledRate], ctx: RequestContext, amount: float, throttle_ms_max: int | None = None
    ) -> int:
        meter = self._meter(quota, ctx)
        if meter is None:
            return 0
        now_ms = self._clock.monotonic_ms()
        meter.gauge.record(amount, now_ms)
        throttle_ms = meter.gauge.throttle_ms(meter.bound, now_ms)
        if throttle_ms_max is not None:
            throttle_ms = min(throttle_ms, throttle_ms_max)
        if throttle_ms:
            quota.throttled(meter, throttle_ms)
        return throttle_ms


def _shared_size_bytes(response: Message | None) -> int:
    assert isinstance(response, ShareFetchResponse)
    total = 0
    for topic in response.responses:
        for partition in topic.partitions:
            records = partition.records
            if records is not None:
                total += len(records) if isinstance(records, bytes | bytearray | memoryview) else records.size
    return total
