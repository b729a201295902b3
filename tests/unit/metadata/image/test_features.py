from __future__ import annotations

from riacho.metadata.image.features import METADATA_LEVEL, supported_for, unsupported


def test_features_with_a_minimum_of_zero_are_told_from_v4_on() -> None:
    assert supported_for(3) == {"metadata.version": (METADATA_LEVEL, METADATA_LEVEL)}
    assert "kraft.version" in supported_for(4)


def test_what_is_served_beyond_the_metadata_is_claimed() -> None:
    claimed = supported_for(4)
    assert claimed["group.version"] == (0, 1)
    assert claimed["transaction.version"] == (0, 2)
    assert claimed["share.version"] == (0, 1)


def test_levels_that_are_not_supported_are_named_in_one_sentence() -> None:
    known = {"metadata.version": METADATA_LEVEL, "group.version": 1, "kraft.version": 1, "new.version": 0}
    assert unsupported(known) is None
    assert unsupported({**known, "streams.version": 1, "share.version": 2}) == (
        "the cluster has finalised share.version at 2, this node supports 0 to 1; the cluster has finalised "
        "streams.version at 1, this node supports 0 to 0: lower share.version, streams.version with kafka-features "
        "downgrade, or run a version that knows it"
    )
    assert unsupported({"metadata.version": 27}) == (
        "the cluster has finalised metadata.version at 27, this node supports 30 to 30"
    )
