"""Tells of settings that are given while the node runs and have no effect here; `config.py` tells of those in its file.

They are taken, as Kafka takes them. One line a change, and one at the start for what the metadata have already.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.settings.ineffective_configs import ineffective_changes

if TYPE_CHECKING:
    from riacho.broker.logs import Logs
    from riacho.broker.quorum.metadata_cache import MetadataCache

# A cluster may have thousands of topics, each with its settings.
_NAMES_MAX = 20


def follow_configs(node_id: int, metadata: MetadataCache, logs: Logs) -> None:
    own = (CLUSTER_DEFAULT, str(node_id))

    def image_changed(old: MetadataImage, new: MetadataImage) -> None:
        if new.configs is old.configs:
            return
        names = list(_names(old, new, own))
        if names:
            more = f" and {len(names) - _NAMES_MAX} more" if len(names) > _NAMES_MAX else ""
            logs.error.warning("settings have no effect names=%s%s", ",".join(names[:_NAMES_MAX]), more)

    metadata.subscribe(image_changed)
    image_changed(MetadataImage(), metadata.image)


def _names(old: MetadataImage, new: MetadataImage, own: tuple[str, str]) -> Iterator[str]:
    """As `topic:orders:preallocate`; settings of other brokers are theirs to tell of."""
    for (resource_type, resource), after in new.configs.items():
        before = old.overrides(resource_type, resource)
        if before is after or (resource_type == ResourceType.BROKER and resource not in own):
            continue
        kind = ResourceType(resource_type).name.lower().replace("_", "-")
        for name in ineffective_changes(resource_type, before, after):
            yield f"{kind}:{resource or 'default'}:{name}"
