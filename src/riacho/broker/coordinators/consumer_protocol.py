"""Whether this cluster serves the consumer protocol of groups (KIP-848)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from riacho.broker.config import BrokerConfig
    from riacho.metadata.image.image import MetadataImage

GROUP_VERSION = "group.version"
_CONSUMER = "consumer"


def is_consumer_protocol_enabled(config: BrokerConfig, image: MetadataImage) -> bool:
    """By the feature level that the cluster has finalised, and by `group.coordinator.rebalance.protocols`."""
    protocols = {name.strip().lower() for name in config.get("group.coordinator.rebalance.protocols")}
    return _CONSUMER in protocols and image.features.get(GROUP_VERSION, 0) > 0
