from __future__ import annotations

import pytest

from riacho.groups.config import GroupConfig
from riacho.metadata.settings.broker_keys import groups, share

KEYS = (*groups.KEYS, *share.KEYS)

SETTINGS = {
    "group.min.session.timeout.ms": 1,
    "group.max.session.timeout.ms": 2,
    "group.initial.rebalance.delay.ms": 3,
    "group.max.size": 4,
    "offset.metadata.max.bytes": 5,
    "offsets.retention.minutes": 6,
    "offsets.retention.check.interval.ms": 7,
    **{key.name: key.parse(key.default) for key in KEYS if key.name.startswith(("group.consumer.", "group.share."))},
}


def test_settings_come_by_their_kafka_names() -> None:
    assert GroupConfig.of(SETTINGS.__getitem__) == GroupConfig(
        session_timeout_ms_min=1,
        session_timeout_ms_max=2,
        initial_rebalance_delay_ms=3,
        group_size_max=4,
        offset_metadata_size_max=5,
        offsets_retention_ms=360_000,
        offsets_retention_check_interval_ms=7,
    )


@pytest.mark.parametrize(
    "wrong",
    [
        {"session_timeout_ms_min": 2, "session_timeout_ms_max": 1},
        {"initial_rebalance_delay_ms": -1},
        {"group_size_max": 0},
        {"offset_metadata_size_max": -1},
        {"offsets_retention_ms": 0},
        {"offsets_retention_check_interval_ms": 0},
    ],
)
def test_what_cannot_be_is_refused_at_birth(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"(group|offset)"):
        GroupConfig(**wrong)
