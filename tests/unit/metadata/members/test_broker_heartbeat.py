from __future__ import annotations

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from support.metadata_world import MetadataWorld, log_dir, topic


def test_a_heartbeat_of_another_epoch_is_refused() -> None:
    world = MetadataWorld()
    with pytest.raises(KafkaError) as raised:
        world.beat(1, broker_epoch=99)
    assert raised.value.code is ErrorCode.STALE_BROKER_EPOCH
    with pytest.raises(KafkaError) as raised:
        world.beat(1, broker_id=7)
    assert raised.value.code is ErrorCode.STALE_BROKER_EPOCH


def test_a_broker_is_unfenced_once_it_has_read_its_registration() -> None:
    world = MetadataWorld(0)
    epoch = world.register(1)
    reply = world.beat(1, current_metadata_offset=epoch - 1)
    assert (reply.is_caught_up, reply.is_fenced, reply.should_shut_down) == (False, True, False)
    reply = world.beat(1, current_metadata_offset=epoch, want_fence=True)
    assert (reply.is_caught_up, reply.is_fenced) == (True, True)
    reply = world.beat(1, current_metadata_offset=epoch)
    assert (reply.is_caught_up, reply.is_fenced) == (True, False)
    assert world.image.brokers[1].is_active


def test_a_heartbeat_that_changes_nothing_writes_nothing() -> None:
    world = MetadataWorld(2)
    count = len(world.records)
    reply = world.beat(1)
    assert len(world.records) == count
    assert not reply.is_fenced


def test_a_broker_may_ask_to_be_fenced() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    assert world.beat(1, want_fence=True).is_fenced
    assert world.image.brokers[1].is_fenced
    assert (world.partition().leader, world.partition().isr) == (2, (2,))


def test_a_controlled_shutdown_waits_until_the_others_know() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", assignments={0: [1, 2, 3], 1: [2, 1, 3]}))
    reply = world.beat(1, want_shut_down=True)
    assert (reply.is_fenced, reply.should_shut_down) == (False, False)
    assert world.image.brokers[1].in_controlled_shutdown
    assert [(p.leader, p.isr) for p in world.image.topics["a"].partitions] == [(2, (2, 3)), (2, (2, 3))]
    offset = world.image.end_offset - 1
    world.beat(2)
    assert not world.beat(1, want_shut_down=True).should_shut_down
    world.beat(3, current_metadata_offset=offset - 1)
    assert not world.beat(1, want_shut_down=True).should_shut_down
    world.beat(3, current_metadata_offset=offset)
    reply = world.beat(1, want_shut_down=True)
    assert (reply.is_fenced, reply.should_shut_down) == (True, True)
    assert world.image.brokers[1].is_fenced


def test_a_broker_that_leads_nothing_may_go_at_once() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [2, 1]}))
    assert world.beat(1, want_shut_down=True).should_shut_down
    assert world.image.brokers[1].is_fenced
    assert world.partition().isr == (2,)


def test_the_last_broker_may_go_though_nobody_takes_over() -> None:
    world = MetadataWorld()
    world.create(topic("a"))
    assert not world.beat(1, want_shut_down=True).should_shut_down
    assert world.beat(1, want_shut_down=True).should_shut_down
    partition = world.partition()
    assert (partition.leader, partition.isr, partition.eligible_leader_replicas) == (-1, (), (1,))
    world.start_broker(1)
    assert (world.partition().leader, world.partition().leader_recovery_state) == (1, 0)


def test_a_fenced_broker_and_one_that_cannot_wait_may_go_at_once() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    assert world.beat(1, want_shut_down=True, want_fence=True).should_shut_down
    count = len(world.records)
    assert world.beat(1, want_shut_down=True).should_shut_down
    assert len(world.records) == count


def test_a_controller_that_took_over_lets_a_shutdown_go_on() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    world.beat(1, want_shut_down=True)
    world.heartbeats.activate(world.image, world.now_ms)
    assert world.beat(1, want_shut_down=True).should_shut_down


def test_replicas_in_a_lost_directory_leave_their_isr() -> None:
    world = MetadataWorld(2)
    dirs = [log_dir(3), log_dir(3, 1)]
    world.start_broker(3, log_dirs=dirs)
    world.create(topic("a", assignments={0: [3, 1], 1: [3, 2]}))
    for partition_id, directory in enumerate(dirs):
        world.place(3, directory, "a", partition_id)
    world.beat(3, offline_log_dirs=[dirs[1], b"x" * 16])
    assert world.image.brokers[3].log_dirs == (dirs[0],)
    assert [(p.leader, p.isr) for p in world.image.topics["a"].partitions] == [(3, (3, 1)), (2, (2,))]
    count = len(world.records)
    world.beat(3, offline_log_dirs=[dirs[1]])
    assert len(world.records) == count


def test_cordoned_directories_are_put_on_record() -> None:
    world = MetadataWorld(1)
    world.beat(1, cordoned_log_dirs=[log_dir(1)])
    assert world.image.brokers[1].cordoned_log_dirs == (log_dir(1),)
    world.beat(1, cordoned_log_dirs=None)
    assert world.image.brokers[1].cordoned_log_dirs == (log_dir(1),)
    world.beat(1, cordoned_log_dirs=[])
    assert world.image.brokers[1].cordoned_log_dirs == ()


def test_brokers_that_go_together_do_not_lead_in_between() -> None:
    world = MetadataWorld(3)
    world.create(topic("a", assignments={0: [1, 2, 3]}))
    count = len(world.records)
    world.fence(1, 2, 7)
    assert (world.partition().leader, world.partition().isr) == (3, (3,))
    assert world.partition().leader_epoch == 1
    assert len(world.records) == count + 4
    world.fence(1)
    assert len(world.records) == count + 4


def test_a_broker_that_has_begun_to_stop_comes_back_as_another_incarnation_only() -> None:
    world = MetadataWorld(2)
    world.create(topic("a", assignments={0: [1, 2]}))
    world.beat(1, want_shut_down=True)
    world.fence(1)
    assert world.beat(1).is_fenced
    assert world.beat(1, want_shut_down=True).should_shut_down
    assert not world.heartbeats.has_contact(1)
    world.start_broker(1)
    assert world.image.brokers[1].is_active
