"""What Prometheus sees of quotas: nothing of clients while there are none, then each client's limit and use."""

from __future__ import annotations

from riacho.broker.metrics.quota_metrics import quota_lines
from riacho.metadata.image.image import MetadataImage
from support.broker_fakes import FakeBroker


def samples(broker: FakeBroker) -> dict[str, float]:
    lines = "\n".join(quota_lines(broker.quotas)).splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name: float(value) for name, value in pairs}


def test_without_quotas_there_are_only_totals() -> None:
    found = samples(FakeBroker())
    assert found["riacho_muted_connections"] == 0
    assert not any("client_id" in name for name in found)


def test_a_clients_limit_and_use() -> None:
    broker = FakeBroker()
    broker.quotas.set_limits(MetadataImage(client_quotas={(("client-id", "c"),): {"producer_byte_rate": 10.0}}))
    now_ms = broker.clock.monotonic_ms()
    meter = broker.quotas.produce.meter("User:u", "c", now_ms)
    assert meter is not None
    meter.gauge.record(50, now_ms)
    broker.quotas.produce.throttled(meter, 250)
    found = samples(broker)
    labels = '{quota="producer_byte_rate",user="",client_id="c"}'
    assert found[f"riacho_client_quota_limit{labels}"] == 10
    assert found[f"riacho_client_quota_rate{labels}"] == 5
    assert found[f"riacho_client_quota_throttle_seconds{labels}"] == 0.25
    assert found['riacho_throttled_requests_total{quota="producer_byte_rate"}'] == 1
    assert found['riacho_throttle_seconds_total{quota="producer_byte_rate"}'] == 0.25
