from __future__ import annotations

from riacho.metadata.features import ELR_VERSION, METADATA_LEVEL
from support.metadata_world import MetadataWorld


def test_a_fresh_cluster_agrees_on_its_features_once() -> None:
    world = MetadataWorld(0)
    assert world.image.features == {"metadata.version": METADATA_LEVEL, ELR_VERSION: 1}
    assert world.controller.bootstrap().records == []
