"""What a cluster starts from: the feature levels that its first controller puts on record (KIP-584, KIP-778)."""

from __future__ import annotations

from riacho.metadata.features import ELR_VERSION, METADATA_LEVEL, METADATA_VERSION
from riacho.metadata.image import MetadataImage
from riacho.metadata.records import MetadataRecord
from riacho.wire.messages.feature_level_record import FeatureLevelRecord


def decide_bootstrap(image: MetadataImage) -> list[MetadataRecord]:
    """The first records of a fresh cluster; nothing in one that has features already."""
    if METADATA_VERSION in image.features:
        return []
    return [
        FeatureLevelRecord(name=METADATA_VERSION, feature_level=METADATA_LEVEL),
        FeatureLevelRecord(name=ELR_VERSION, feature_level=1),
    ]
