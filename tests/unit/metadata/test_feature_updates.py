from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode
from riacho.metadata.feature_updates import UpgradeType
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.metadata.image.features import ELR_VERSION, KRAFT_VERSION, METADATA_VERSION
from riacho.wire.messages.config_record import ConfigRecord
from riacho.wire.messages.update_features_request import FeatureUpdateKey, UpdateFeaturesRequest
from riacho.wire.messages.update_features_response import UpdateFeaturesResponse
from support.metadata_world import MetadataWorld, topic

UP, DOWN, FORCED = UpgradeType.UPGRADE, UpgradeType.SAFE_DOWNGRADE, UpgradeType.UNSAFE_DOWNGRADE
FAILED = "The update failed for all features since the following feature had an error: "


def request(*updates: tuple[str, int, int], validate_only: bool = False) -> UpdateFeaturesRequest:
    return UpdateFeaturesRequest(
        feature_updates=[
            FeatureUpdateKey(feature=name, max_version_level=level, upgrade_type=kind, allow_downgrade=kind != UP)
            for name, level, kind in updates
        ],
        validate_only=validate_only,
    )


def update(
    world: MetadataWorld, *updates: tuple[str, int, int], version: int = 2, kraft_version: int = 0, **flags: bool
) -> UpdateFeaturesResponse:
    decision = world.controller.update_features(request(*updates, **flags), version, kraft_version)
    reply: UpdateFeaturesResponse = world.submit(decision)
    return reply


def test_elr_can_be_switched_off_and_on() -> None:
    world = MetadataWorld()
    reply = update(world, (ELR_VERSION, 0, DOWN))
    assert (reply.error_code, reply.error_message, reply.results) == (0, None, [])
    assert ELR_VERSION not in world.image.features
    assert update(world, (ELR_VERSION, 1, UP)).error_code == 0
    assert world.image.features[ELR_VERSION] == 1


def test_validate_only_changes_nothing() -> None:
    world = MetadataWorld()
    assert update(world, (ELR_VERSION, 0, DOWN), validate_only=True).error_code == 0
    assert world.image.features[ELR_VERSION] == 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            (ELR_VERSION, 0, UP),
            "Can't downgrade the version of this feature without setting the upgrade type to either",
        ),
        ((KRAFT_VERSION, 1, DOWN), "Can't downgrade to a newer version."),
        ((ELR_VERSION, 2, UP), "Local controller 1 only supports versions 0-1"),
        ((METADATA_VERSION, 29, DOWN), "Local controller 1 only supports versions 30"),
        ((METADATA_VERSION, 29, FORCED), "Local controller 1 only supports versions 30"),
        ((ELR_VERSION, -1, DOWN), "A feature version cannot be less than 0."),
        ((ELR_VERSION, 1, 9), "The controller does not support the given upgrade type."),
        (("nonsense", 1, UP), "Local controller 1 does not support this feature."),
    ],
)
def test_what_is_refused(change: tuple[str, int, int], problem: str) -> None:
    world = MetadataWorld(static={"node.id": "1"})
    reply = update(world, change)
    name, level, _ = change
    assert reply.error_code == ErrorCode.INVALID_UPDATE_VERSION
    assert reply.error_message is not None
    assert reply.error_message.startswith(f"{FAILED}Invalid update version {level} for feature {name}. {problem}")


def test_one_refused_change_stops_all() -> None:
    world = MetadataWorld()
    assert update(world, (ELR_VERSION, 0, DOWN), ("nonsense", 1, UP)).error_code == ErrorCode.INVALID_UPDATE_VERSION
    assert world.image.features[ELR_VERSION] == 1


def test_every_broker_must_support_the_level() -> None:
    world = MetadataWorld()
    update(world, (ELR_VERSION, 0, DOWN))
    old = world.registration(2)
    old.features = [feature for feature in old.features if feature.name != ELR_VERSION]
    world.submit(world.controller.register_broker(old, 4))
    message = update(world, (ELR_VERSION, 1, UP)).error_message
    assert message is not None
    assert message.endswith("Broker 2 does not support this feature.")


def test_v0_says_downgrade_in_its_own_way_and_v1_answers_for_each_feature() -> None:
    world = MetadataWorld()
    reply = update(world, (ELR_VERSION, 0, DOWN), version=0)
    assert [(result.feature, result.error_code) for result in reply.results] == [(ELR_VERSION, 0)]
    reply = update(world, (ELR_VERSION, 1, UP), (METADATA_VERSION, 30, UP), version=1)
    assert [result.feature for result in reply.results] == [ELR_VERSION, METADATA_VERSION]


def test_the_quorums_level_is_checked_here_and_changed_there() -> None:
    world = MetadataWorld()
    count = len(world.records)
    assert update(world, (KRAFT_VERSION, 1, UP), kraft_version=0).error_code == 0
    assert len(world.records) == count
    message = update(world, (KRAFT_VERSION, 0, FORCED), kraft_version=1).error_message
    assert message is not None
    assert message.endswith("Can't downgrade the version of this feature.")


def test_with_elr_min_isr_is_one_for_all_brokers() -> None:
    world = MetadataWorld(2, static={"min.insync.replicas": "2"})
    update(world, (ELR_VERSION, 0, DOWN))
    own = ConfigRecord(resource_type=ResourceType.BROKER, resource_name="1", name="min.insync.replicas", value="1")
    world.take([own])
    update(world, (ELR_VERSION, 1, UP))
    assert world.image.overrides(ResourceType.BROKER, CLUSTER_DEFAULT) == {"min.insync.replicas": "2"}
    assert world.image.overrides(ResourceType.BROKER, "1") == {}


def test_without_elr_a_partition_can_still_find_its_leader() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", configs={"min.insync.replicas": "2"}, assignments={0: [1, 2]}))
    world.fence(1)
    world.fence(2)
    assert world.partition().eligible_leader_replicas == (1, 2)
    update(world, (ELR_VERSION, 0, DOWN))
    partition = world.partition()
    assert (partition.isr, partition.eligible_leader_replicas, partition.last_known_elr) == ((1, 2), (), ())
    world.beat(1)
    assert (world.partition().leader, world.partition().leader_recovery_state) == (1, 0)
