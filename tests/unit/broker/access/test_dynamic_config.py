"""Settings of the start, until the metadata are there; then theirs, with every change."""

from __future__ import annotations

import msgspec

from riacho.broker.access.dynamic_config import DynamicConfig
from riacho.broker.access.listener_values import ListenerValues
from riacho.broker.config import BrokerConfig
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage

NAME = "max.connections"


def test_a_listeners_settings_are_the_static_ones_until_the_metadata_are_there() -> None:
    config = BrokerConfig({NAME: "5"})
    dynamic_config = DynamicConfig(config.values)
    values = ListenerValues("PLAINTEXT", dynamic_config.values)
    assert values.get(NAME) == 5
    metadata = MetadataCache(config, MetadataImage(configs={(ResourceType.BROKER, "1"): {NAME: "6"}}))
    assert values.get(NAME) == 5
    dynamic_config.follow(metadata)
    assert values.get(NAME) == 6
    changed = {(ResourceType.BROKER, "1"): {f"listener.name.plaintext.{NAME}": "7"}}
    metadata.publish(msgspec.structs.replace(metadata.image, configs=changed))
    assert values.get(NAME) == 7
