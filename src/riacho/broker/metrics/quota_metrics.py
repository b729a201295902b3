"""What quotas show to Prometheus: how often and how long clients were throttled, and who of them uses how much."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from riacho.base.metrics import header, sample
from riacho.base.sampled_rate import SampledRate

if TYPE_CHECKING:
    from riacho.broker.quotas.client_quota import RateMeter, TokenMeter
    from riacho.broker.quotas.quotas import Quotas


def quota_lines(quotas: Quotas) -> Iterable[str]:
    name = "riacho_muted_connections"
    yield header(name, "gauge", "Connections that are not read at present.")
    yield sample(name, quotas.muted_count)
    for name, about, attribute, divisor in (
        ("riacho_throttled_requests_total", "Requests that brought a client above its quota.", "throttled_count", 1),
        ("riacho_throttle_seconds_total", "Throttle times that clients were given.", "throttled_ms", 1000),
    ):
        yield header(name, "counter", about)
        for quota in quotas.kinds():
            yield sample(name, getattr(quota, attribute) / divisor, {"quota": quota.key})
    if quotas.is_enabled:
        yield from _client_lines(quotas)


def _client_lines(quotas: Quotas) -> Iterable[str]:
    now_ms = quotas.now_ms()
    for name, about in (
        ("riacho_client_quota_limit", "What a client may use per second."),
        ("riacho_client_quota_rate", "What a client uses per second."),
        ("riacho_client_quota_throttle_seconds", "Throttle times that a client was given while it was active."),
    ):
        yield header(name, "gauge", about)
        for quota in quotas.kinds():
            for meter in quota.meters():
                value = _value(name, meter, now_ms)
                if value is not None:
                    labels = {"quota": quota.key, "user": meter.user or "", "client_id": meter.client_id or ""}
                    yield sample(name, value, labels)


def _value(name: str, meter: RateMeter | TokenMeter, now_ms: int) -> float | None:
    if name.endswith("limit"):
        return meter.bound
    if name.endswith("throttle_seconds"):
        return meter.throttled_ms / 1000
    return meter.gauge.rate(now_ms) if isinstance(meter.gauge, SampledRate) else None
