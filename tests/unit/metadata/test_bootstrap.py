from __future__ import annotations

from riacho.metadata.image.features import LATEST
from support.metadata_world import MetadataWorld


def test_a_fresh_cluster_agrees_on_its_features_once() -> None:
    world = MetadataWorld(0)
    assert world.image.features == LATEST
    assert world.controller.bootstrap().records == []
