"""What a cluster starts from: the feature levels that its first controller puts on record (KIP-584, KIP-778).

With ELR goes one min.insync.replicas for all brokers (KIP-966), for it rests on what leaders acknowledge.
"""

from __future__ import annotations

from collections.abc import Sequence

from riacho.metadata.feature_updates import one_min_isr
from riacho.metadata.image.features import ELR_VERSION, LATEST, METADATA_VERSION
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.settings.broker_values import BrokerValues
from riacho.wire.messages.feature_level_record import FeatureLevelRecord


def decide_bootstrap(
    image: MetadataImage, values: BrokerValues, formatted: Sequence[MetadataRecord] = ()
) -> list[MetadataRecord]:
    """The first records of a fresh cluster, those that its storage was formatted with or else the newest; nothing in
    one that has features already."""
    if METADATA_VERSION in image.features:
        return []
    records: list[MetadataRecord] = list(formatted) or [
        FeatureLevelRecord(name=name, feature_level=level) for name, level in LATEST.items()
    ]
    after = image.apply(records)
    if after.features.get(ELR_VERSION, 0) >= 1:
        records += one_min_isr(after, values)
    return records
