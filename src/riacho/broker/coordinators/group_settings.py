"""The settings of a group: its own, and those of all brokers that it may have for itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType

if TYPE_CHECKING:
    from riacho.metadata.image.image import MetadataImage

# Settings of all brokers that groups may have for themselves, and that may change while a broker runs.
_DYNAMIC_SETTINGS = {
    "group.consumer.assignment.interval.ms": "consumer.assignment.interval.ms",
    "group.share.assignment.interval.ms": "share.assignment.interval.ms",
}


def group_settings(image: MetadataImage, group_id: str) -> Mapping[str, str]:
    """What was set for the group, and for all groups while the broker runs."""
    settings = image.overrides(ResourceType.GROUP, group_id)
    of_brokers = image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT)
    if not of_brokers:
        return settings
    defaults = {name: of_brokers[key] for key, name in _DYNAMIC_SETTINGS.items() if key in of_brokers}
    return {**defaults, **settings}
