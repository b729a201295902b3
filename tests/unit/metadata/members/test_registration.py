from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.brokers import Endpoint
from riacho.metadata.image.directories import UNASSIGNED
from riacho.metadata.image.features import ELR_VERSION
from riacho.metadata.image.topics import RECOVERING
from riacho.wire.messages.broker_registration_request import Feature, Listener
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from support.metadata_world import MetadataWorld, log_dir, topic


def refused(world: MetadataWorld, node_id: int = 9, **changes: object) -> KafkaError:
    with pytest.raises(KafkaError) as raised:
        world.register(node_id, **changes)
    return raised.value


def test_a_broker_registers_fenced_and_its_epoch_is_its_records_offset() -> None:
    world = MetadataWorld(0)
    world.take([FeatureLevelRecord(name="x", feature_level=0)])
    epoch = world.register(1, rack="r", listeners=[Listener(name="L", host="h", port=1, security_protocol=3)])
    broker = world.image.brokers[1]
    assert broker.epoch == epoch == world.image.end_offset - 1
    assert broker.is_fenced
    assert not broker.in_controlled_shutdown
    assert broker.rack == "r"
    assert broker.endpoints == (Endpoint("L", "h", 1, 3),)
    assert broker.log_dirs == (log_dir(1),)


def test_another_clusters_broker_is_refused() -> None:
    error = refused(MetadataWorld(), cluster_id="other")
    assert error.code is ErrorCode.INCONSISTENT_CLUSTER_ID
    assert error.detail == "Expected cluster ID AAAAAAAAAAAAAAAAAAAAAA, but got cluster ID other"


def test_a_second_incarnation_waits_until_the_first_is_out_of_touch() -> None:
    world = MetadataWorld(2)
    assert refused(world, 1).code is ErrorCode.DUPLICATE_BROKER_REGISTRATION
    world.now_ms += 8_999
    assert refused(world, 1).code is ErrorCode.DUPLICATE_BROKER_REGISTRATION
    world.now_ms += 1
    assert world.register(1) > 0


def test_a_broker_that_is_known_to_be_gone_may_register_at_once() -> None:
    world = MetadataWorld(2)
    world.heartbeats.remove(1)
    world.register(1)
    assert world.image.brokers[1].is_fenced


def test_the_same_incarnation_may_tell_other_listeners_and_keeps_its_state() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    before = world.image.brokers[1]
    epoch = world.register(1, incarnation_id=before.incarnation_id, listeners=[Listener(name="L", host="h", port=1)])
    after = world.image.brokers[1]
    assert epoch == before.epoch == after.epoch
    assert after.is_active
    assert after.endpoints == (Endpoint("L", "h", 1),)
    assert world.partition().isr == (1, 2)


@pytest.mark.parametrize(
    ("log_dirs", "problem"),
    [
        ([], "No directories specified in request"),
        ([UNASSIGNED], "Reserved directory ID in request"),
        ([log_dir(9), log_dir(9)], "Duplicate directory ID in request"),
    ],
)
def test_log_directories_that_are_refused(log_dirs: list[bytes], problem: str) -> None:
    error = refused(MetadataWorld(), log_dirs=log_dirs)
    assert error.code is ErrorCode.INVALID_REGISTRATION
    assert error.detail == problem


def test_a_directory_belongs_to_one_broker() -> None:
    error = refused(MetadataWorld(), log_dirs=[log_dir(1)])
    assert error.code is ErrorCode.INVALID_REGISTRATION
    assert error.detail.startswith("Broker 1 is already registered with directory ")


def test_a_broker_must_know_the_features_in_force() -> None:
    world = MetadataWorld()
    ranges = {"metadata.version": (7, 29), ELR_VERSION: (0, 1)}
    features = [Feature(name=n, min_supported_version=a, max_supported_version=b) for n, (a, b) in ranges.items()]
    error = refused(world, features=features)
    assert error.code is ErrorCode.UNSUPPORTED_VERSION
    assert error.detail == (
        "Unable to register because the broker does not support finalized version 30 of metadata.version. The broker "
        "wants a version between 7 and 29, inclusive."
    )
    assert refused(world, features=[]).code is ErrorCode.INVALID_REGISTRATION
    only = [Feature(name="metadata.version", min_supported_version=30, max_supported_version=30)]
    assert "version between 0 and 0" in refused(world, features=only).detail


def test_a_zookeeper_broker_is_refused() -> None:
    assert refused(MetadataWorld(), is_migrating_zk_broker=True).code is ErrorCode.BROKER_ID_NOT_REGISTERED


def test_a_quick_restart_moves_leaderships_though_nobody_noticed() -> None:
    """Killed and back within its session, on record as up all the while."""
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}), topic("b", assignments={0: [1]}))
    world.heartbeats.remove(1)
    world.register(1)
    assert (world.partition().leader, world.partition().isr) == (2, (2,))
    alone = world.partition("b")
    assert (alone.leader, alone.isr, alone.eligible_leader_replicas, alone.last_known_elr) == (-1, (), (), (1,))
    world.beat(1)
    alone = world.partition("b")
    assert (alone.leader, alone.isr, alone.leader_recovery_state) == (1, (1,), RECOVERING)
    assert alone.leader_epoch == 2
    assert alone.last_known_elr == ()


def test_after_an_orderly_stop_a_lone_replica_is_elected_cleanly() -> None:
    world = MetadataWorld()
    world.create(topic("a"))
    world.fence(1)
    assert world.partition().eligible_leader_replicas == (1,)
    world.start_broker(1)
    alone = world.partition()
    assert (alone.leader, alone.isr, alone.eligible_leader_replicas) == (1, (1,), ())
    assert alone.leader_recovery_state == 0


def test_a_crash_ends_the_eligibility_for_leadership() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", configs={"min.insync.replicas": "2"}, assignments={0: [1, 2, 3]}))
    world.fence(3)
    world.fence(2)
    assert world.partition().eligible_leader_replicas == (2,)
    world.start_broker(2, after_clean_stop=False)
    assert world.partition().eligible_leader_replicas == ()
    assert world.partition().last_known_elr == (2,)
    world.fence(1)
    # Two is up, but it is not known to have what was acknowledged: one is waited for.
    assert world.partition().leader == -1
    assert world.partition().eligible_leader_replicas == (1,)


def test_one_that_cannot_tell_how_it_stopped_is_taken_to_have_crashed() -> None:
    world = MetadataWorld(1)
    world.create(topic("a"))
    world.fence(1)
    request = world.registration(1, previous_broker_epoch=world.image.brokers[1].epoch)
    world.submit(world.controller.register_broker(request, 2))
    assert world.partition().eligible_leader_replicas == ()


def test_without_elr_the_last_of_an_isr_stays_in_it() -> None:
    world = MetadataWorld(2)
    world.take([FeatureLevelRecord(name=ELR_VERSION, feature_level=0)])
    world.create(topic("a", assignments={0: [1, 2]}))
    world.fence(2)
    world.heartbeats.remove(1)
    world.register(1)
    partition = world.partition()
    assert (partition.leader, partition.isr, partition.eligible_leader_replicas) == (-1, (1,), ())
    world.beat(1)
    assert (world.partition().leader, world.partition().leader_recovery_state) == (1, 0)
