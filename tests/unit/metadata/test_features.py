from __future__ import annotations

from riacho.metadata.features import METADATA_LEVEL, supported_for


def test_features_with_a_minimum_of_zero_are_told_from_v4_on() -> None:
    assert supported_for(3) == {"metadata.version": (METADATA_LEVEL, METADATA_LEVEL)}
    assert "kraft.version" in supported_for(4)


def test_what_is_served_beyond_the_metadata_is_claimed() -> None:
    claimed = supported_for(4)
    assert claimed["group.version"] == (0, 1)
    assert claimed["transaction.version"] == (0, 2)
    assert claimed["share.version"] == (0, 1)
