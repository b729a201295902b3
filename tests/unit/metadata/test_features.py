from __future__ import annotations

from riacho.metadata.features import METADATA_LEVEL, supported_for


def test_features_with_a_minimum_of_zero_are_told_from_v4_on() -> None:
    assert supported_for(3) == {"metadata.version": (METADATA_LEVEL, METADATA_LEVEL)}
    assert "kraft.version" in supported_for(4)


def test_nothing_is_claimed_that_is_not_served() -> None:
    assert not {"transaction.version", "group.version", "share.version"} & set(supported_for(4))
