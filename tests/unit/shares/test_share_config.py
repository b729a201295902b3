from __future__ import annotations

from riacho.metadata.settings.broker_values import BrokerValues
from riacho.shares.config import ShareGroupConfig, ShareLimits


def config(broker: dict[str, str] | None = None, **group: str) -> ShareGroupConfig:
    overrides = {name.replace("_", "."): value for name, value in group.items()}
    return ShareGroupConfig.of(BrokerValues(broker or {}).get, overrides)


def test_defaults_are_those_of_kafka() -> None:
    assert config() == ShareGroupConfig(limits=ShareLimits())
    assert config().limits == ShareLimits(
        delivery_count_limit=5, record_lock_duration_ms=30_000, partition_max_record_locks=2_000
    )


def test_a_group_may_set_its_own_within_the_brokers_bounds() -> None:
    found = config(share_delivery_count_limit="7", share_record_lock_duration_ms="20000")
    assert (found.limits.delivery_count_limit, found.limits.record_lock_duration_ms) == (7, 20_000)
    assert config(share_record_lock_duration_ms="1000").limits.record_lock_duration_ms == 15_000
    bounds = {"group.share.min.record.lock.duration.ms": "1000"}
    assert config(bounds, share_record_lock_duration_ms="1000").limits.record_lock_duration_ms == 1_000


def test_isolation_and_reset_are_the_groups_alone() -> None:
    assert config(share_isolation_level="read_committed").is_read_committed
    assert config(share_auto_offset_reset="earliest").auto_offset_reset == "earliest"
    assert not config(share_renew_acknowledge_enable="false").allows_renewal


def test_a_reset_by_duration_has_an_age() -> None:
    assert config(share_auto_offset_reset="by_duration:P1DT2H3M4.5S").auto_offset_reset_age_ms == 93_784_500
    assert config(share_auto_offset_reset="by_duration:PT10S").auto_offset_reset_age_ms == 10_000
    assert config(share_auto_offset_reset="latest").auto_offset_reset_age_ms is None


def test_records_are_held_back_from_half_the_allowed_deliveries_on() -> None:
    limits = {limit: ShareLimits(delivery_count_limit=limit).throttle_delivery_count for limit in (2, 3, 5, 6, 10)}
    assert limits == {2: 2, 3: 2, 5: 3, 6: 3, 10: 5}
