from __future__ import annotations

from riacho.base.errors import ErrorCode
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.features import ELR_VERSION
from riacho.metadata.image.topics import RECOVERING
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from support.metadata_world import MetadataWorld, topic

MIN_ISR = "min.insync.replicas"
UNCLEAN = "unclean.leader.election.enable"


def below_min_isr(**static: str) -> MetadataWorld:
    world = MetadataWorld(2, static=static)
    world.create(topic("a", configs={} if static else {MIN_ISR: "2"}, assignments={0: [1, 2]}))
    world.fence(2)
    assert world.partition().eligible_leader_replicas == (2,)
    return world


def test_when_the_leader_may_acknowledge_alone_the_others_are_no_longer_eligible() -> None:
    world = below_min_isr()
    world.set_configs(ResourceType.TOPIC, "a", {MIN_ISR: "1"})
    assert world.partition().eligible_leader_replicas == ()


def test_so_it_is_for_the_whole_cluster() -> None:
    world = below_min_isr(**{MIN_ISR: "2"})
    world.set_configs(ResourceType.BROKER, CLUSTER_DEFAULT, {MIN_ISR: "1"})
    assert world.partition().eligible_leader_replicas == ()


def test_a_partition_without_a_leader_keeps_its_eligible_replicas() -> None:
    world = below_min_isr()
    world.fence(1)
    world.set_configs(ResourceType.TOPIC, "a", {MIN_ISR: "1"})
    assert world.partition().eligible_leader_replicas == (1, 2)
    world.start_broker(2)
    # Elected, and enough by itself from now on: one may fall behind it.
    assert (world.partition().leader, world.partition().eligible_leader_replicas) == (2, ())


def test_allowing_unclean_elections_holds_them() -> None:
    for resource in ((ResourceType.TOPIC, "a"), (ResourceType.BROKER, CLUSTER_DEFAULT)):
        world = below_min_isr()
        world.set_configs(ResourceType.TOPIC, "a", {MIN_ISR: "1"})
        world.fence(1)
        world.start_broker(2)
        assert world.partition().leader == -1
        world.set_configs(*resource, {UNCLEAN: "true"})
        assert (world.partition().leader, world.partition().leader_recovery_state) == (2, RECOVERING)


def test_other_settings_touch_no_partition() -> None:
    world = below_min_isr()
    before = world.partition()
    world.set_configs(ResourceType.TOPIC, "a", {"retention.ms": "5"})
    assert world.partition() is before


def test_with_elr_brokers_may_not_differ_in_min_isr() -> None:
    world = MetadataWorld()
    refused = ErrorCode.INVALID_CONFIG
    code, message = world.set_configs(ResourceType.BROKER, "1", {MIN_ISR: "2"})
    assert (code, message) == (refused, "Broker-level min.insync.replicas cannot be altered while ELR is enabled.")
    assert world.set_configs(ResourceType.BROKER, CLUSTER_DEFAULT, {MIN_ISR: "2"}) == (0, None)
    code, message = world.set_configs(ResourceType.BROKER, CLUSTER_DEFAULT, {MIN_ISR: None})
    assert (code, message) == (refused, "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.")
    world.take([FeatureLevelRecord(name=ELR_VERSION, feature_level=0)])
    assert world.set_configs(ResourceType.BROKER, "1", {MIN_ISR: "2"}) == (0, None)
