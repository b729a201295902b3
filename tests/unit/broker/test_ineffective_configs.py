"""Settings that are given while a node runs and have no effect: one line a change, and none for the others."""

from __future__ import annotations

import msgspec

from riacho.broker.config import BrokerConfig
from riacho.broker.ineffective_configs import follow_configs
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from support.broker_fakes import recorded_logs

BROKER, TOPIC = ResourceType.BROKER, ResourceType.TOPIC
Configs = dict[tuple[int, str], dict[str, str]]


class World:
    def __init__(self, configs: Configs | None = None) -> None:
        logs, _, self.lines = recorded_logs()
        self.metadata = MetadataCache(BrokerConfig(), MetadataImage(configs=configs or {}))
        follow_configs(1, self.metadata, logs)

    def set(self, resource_type: int, name: str, entries: dict[str, str]) -> None:
        configs = {**self.metadata.image.configs, (resource_type, name): entries}
        self.metadata.publish(msgspec.structs.replace(self.metadata.image, configs=configs))


def test_one_line_for_each_change() -> None:
    world = World()
    world.set(BROKER, "", {"num.io.threads": "16", "log.retention.ms": "5", "background.threads": "2"})
    world.set(BROKER, "1", {"listeners": "PLAINTEXT://:1"})
    world.set(TOPIC, "orders", {"preallocate": "true"})
    world.set(TOPIC, "orders", {"preallocate": "true", "retention.ms": "5"})
    assert world.lines == [
        "WARNING settings have no effect names=broker:default:background.threads,broker:default:num.io.threads",
        "WARNING settings have no effect names=broker:1:listeners",
        "WARNING settings have no effect names=topic:orders:preallocate",
    ]


def test_another_brokers_settings_are_its_own_to_tell_of() -> None:
    world = World()
    world.set(BROKER, "2", {"num.io.threads": "16"})
    assert world.lines == []


def test_what_the_metadata_have_already_is_told_at_the_start() -> None:
    world = World({(BROKER, "1"): {"listener.name.x.principal.builder.class": "com.example.Builder"}})
    told = "broker:1:listener.name.x.principal.builder.class"
    assert world.lines == [f"WARNING settings have no effect names={told}"]


def test_a_line_has_an_end() -> None:
    world = World({(TOPIC, f"t{number:03}"): {"preallocate": "true"} for number in range(100)})
    (line,) = world.lines
    assert line.startswith("WARNING settings have no effect names=topic:t000:preallocate,topic:t001:preallocate,")
    assert line.endswith("topic:t019:preallocate and 80 more")
