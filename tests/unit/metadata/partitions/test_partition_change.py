from __future__ import annotations

from riacho.metadata.image.topics import RECOVERING, Partition
from riacho.metadata.partitions.partition_change import PartitionChange
from support.metadata_world import MetadataWorld, log_dir, topic


def state(partition: Partition) -> tuple[object, ...]:
    return partition.leader, partition.isr, partition.eligible_leader_replicas, partition.last_known_elr


def replicated(min_isr: int = 2, **configs: str) -> MetadataWorld:
    world = MetadataWorld(4)
    world.create(topic("a", configs={"min.insync.replicas": str(min_isr), **configs}, assignments={0: [1, 2, 3]}))
    return world


def test_no_change_is_no_record() -> None:
    world = replicated()
    assert PartitionChange(world.controller.rules, world.image.topics["a"], 0).record() is None


def test_a_smaller_isr_that_suffices_has_no_eligible_replicas_beside_it() -> None:
    world = replicated()
    world.fence(3)
    assert state(world.partition()) == (1, (1, 2), (), ())
    assert world.partition().leader_epoch == 0, "a shrinking ISR does not fence its leader"
    assert world.partition().partition_epoch == 1


def test_below_min_isr_those_who_leave_stay_eligible() -> None:
    world = replicated()
    world.fence(3)
    world.fence(2)
    assert state(world.partition()) == (1, (1,), (2,), ())
    world.fence(1)
    assert state(world.partition()) == (-1, (), (1, 2), (1,))


def test_an_eligible_replica_starts_a_new_isr_of_itself() -> None:
    world = replicated()
    world.fence(3)
    world.fence(2)
    world.fence(1)
    world.start_broker(2)
    assert state(world.partition()) == (2, (2,), (1,), ())
    assert world.partition().leader_recovery_state == 0
    world.start_broker(1)
    world.alter_isr([1, 2])
    assert state(world.partition()) == (2, (1, 2), (), ())


def test_one_that_was_not_eligible_has_to_wait() -> None:
    world = replicated()
    world.fence(3)
    world.fence(2)
    world.fence(1)
    world.start_broker(3)
    assert state(world.partition()) == (-1, (), (1, 2), (1,))


def test_all_crashed_and_the_one_with_the_most_leads() -> None:
    world = replicated(min_isr=3)
    world.fence(2)
    world.fence(3)
    world.fence(1)
    assert state(world.partition()) == (-1, (), (1, 2, 3), (1,))
    for id in (2, 3, 1):
        world.start_broker(id, after_clean_stop=False)
        assert world.partition().leader == -1
    assert state(world.partition()) == (-1, (), (), (1, 2, 3))
    world.recover({1: (0, 10), 2: (0, 99), 3: (-1, 200)})
    assert state(world.partition()) == (2, (2,), (), ())
    assert world.partition().leader_recovery_state == RECOVERING


def test_who_crashed_before_the_leader_is_compared_with_it() -> None:
    """Nothing was acknowledged after it left, so it may have as much."""
    world = replicated()
    world.fence(3)
    world.fence(2)
    world.start_broker(2, after_clean_stop=False)
    assert state(world.partition()) == (1, (1,), (), (2,))
    world.heartbeats.remove(1)
    world.register(1)
    world.beat(1)
    assert state(world.partition()) == (-1, (), (), (1, 2))
    world.recover({1: (0, 10)})
    assert world.partition().leader == -1
    world.recover({1: (0, 10), 2: (0, 11)})
    assert world.partition().leader == 2


def test_min_isr_above_the_replicas_means_all_of_them() -> None:
    world = replicated(min_isr=9)
    world.fence(3)
    assert state(world.partition()) == (1, (1, 2), (3,), ())


def test_an_unclean_election_forgets_who_was_eligible() -> None:
    world = replicated(**{"unclean.leader.election.enable": "true"})
    world.fence(3)
    world.fence(2)
    world.start_broker(3)
    world.fence(1)
    assert state(world.partition()) == (3, (3,), (), ())
    assert world.partition().leader_recovery_state == RECOVERING
    assert world.partition().leader_epoch == 1


def test_a_replica_on_a_lost_disk_does_not_lead() -> None:
    world = MetadataWorld(1)
    dirs = [log_dir(2), log_dir(2, 1)]
    world.start_broker(2, log_dirs=dirs)
    world.create(topic("a", assignments={0: [1, 2]}))
    world.place(2, dirs[1])
    world.beat(2, offline_log_dirs=[dirs[1]])
    world.fence(1)
    assert world.partition().leader == -1
