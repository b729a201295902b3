"""The group coordinator when leadership moves, logs are long and replicas are away, in virtual time."""

from __future__ import annotations

import asyncio

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.base.ids import partition_for
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.records import iterate_records
from support.group_runtime_world import OFFSETS_TOPIC, PARTITIONS, RuntimeWorld, arrived, is_parked, virtual

MINE = partition_for("g", PARTITIONS)


def publish(world: RuntimeWorld, leaders: dict[int, int]) -> None:
    old, world.metadata.image = world.metadata.image, world.metadata.with_offsets_topic(leaders)
    world.runtime.image_changed(old, world.metadata.image)


@virtual
async def test_what_is_led_here_is_loaded_in_the_background(world: RuntimeWorld) -> None:
    world.runtime.start()
    assert world.runtime.loaded_partitions == []
    await asyncio.sleep(0.1)
    assert world.runtime.loaded_partitions == list(range(PARTITIONS))


@virtual
async def test_shards_follow_the_leadership(world: RuntimeWorld) -> None:
    world.metadata.image = world.metadata.with_offsets_topic({})
    world.commit(5)
    parked = world.join(version=3)
    publish(world, {MINE: 2})
    assert (await arrived(parked)).error_code == ErrorCode.NOT_COORDINATOR
    assert world.runtime.loaded_partitions == []
    publish(world, {})
    await asyncio.sleep(0.1)
    assert world.runtime.loaded_partitions == [MINE]
    assert await world.committed() == [5]


@virtual
async def test_a_partition_whose_files_come_later_is_loaded_then(world: RuntimeWorld) -> None:
    world.replicas.failure = KafkaError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    world.runtime.start()
    await asyncio.sleep(0.5)
    assert world.runtime.loaded_partitions == []
    world.replicas.failure = None
    await asyncio.sleep(0.5)
    assert len(world.runtime.loaded_partitions) == PARTITIONS


@virtual
async def test_members_get_a_whole_session_on_the_new_coordinator(world: RuntimeWorld) -> None:
    leader, follower = await world.stable_pair()
    await asyncio.sleep(9)
    world.restart()
    world.runtime.start()
    await asyncio.sleep(9)
    assert world.heartbeat(leader, 1).error_code == 0
    assert world.heartbeat(follower, 1).error_code == 0
    await asyncio.sleep(10.5)
    # Nobody asked; the sessions of a shard that was loaded in the background end all the same.
    assert (await world.described()).group_state == "Empty"


def fill(world: RuntimeWorld, records: int) -> None:
    """A long log: the offset of topic t goes up and up."""
    world.commit(0)
    ((key, value),) = [(record.key, record.value) for record in iterate_records(world.replicas.logs[MINE][0])]
    for _ in range(records // 100):
        world.replicas.append_internal(OFFSETS_TOPIC, MINE, [(key, value)] * 100, 0)
    world.commit(77)
    world.restart()


@virtual
async def test_a_long_log_is_loaded_in_steps(world: RuntimeWorld) -> None:
    fill(world, 10_000)
    turns = 0
    while (code := world.commit(78).topics[0].partitions[0].error_code) != 0:
        assert code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        assert (await world.described()).error_code == ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        with pytest.raises(KafkaError) as refused:
            world.runtime.list_groups(ListGroupsRequest())
        assert refused.value.code is ErrorCode.COORDINATOR_LOAD_IN_PROGRESS
        await asyncio.sleep(0)
        turns += 1
    assert turns > 5, "the loop turned between the steps"
    assert await world.committed() == [78]
    assert world.replicas.reads.count(MINE) == 2, "asking again does not start it anew"


@virtual
async def test_topics_deleted_during_the_loading_are_forgotten(world: RuntimeWorld) -> None:
    fill(world, 10_000)
    world.heartbeat("m", 1)
    assert world.runtime.loaded_partitions == []
    world.runtime.forget_topics(["t"])
    await asyncio.sleep(0.1)
    assert await world.committed() == []


@virtual
async def test_a_leadership_lost_during_the_loading_ends_it(world: RuntimeWorld) -> None:
    fill(world, 10_000)
    world.metadata.image = world.metadata.with_offsets_topic({})
    world.heartbeat("m", 1)
    publish(world, {MINE: 2})
    await asyncio.sleep(0.1)
    assert MINE not in world.runtime.loaded_partitions


@virtual
async def test_a_late_commit_is_refused_and_the_shard_stays(world: RuntimeWorld) -> None:
    world.replicas.move(0)
    commit = world.commit(5)
    reading = asyncio.ensure_future(world.committed())
    await asyncio.sleep(4.9)
    assert is_parked(commit)
    await asyncio.sleep(0.2)
    assert (await arrived(commit)).topics[0].partitions[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert reading.done()
    assert world.runtime.loaded_partitions == [MINE]
    # It was written but is not committed: no later answer may tell of it before it is.
    beat = world.heartbeat("m", 1)
    assert is_parked(beat)
    world.replicas.move(None)
    assert (await arrived(beat)).error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert await world.committed() == [5]


@virtual
async def test_an_isr_too_small_after_the_append_refuses_and_the_shard_stays(world: RuntimeWorld) -> None:
    world.replicas.move(0)
    commit = world.commit(5)
    await asyncio.sleep(0)
    world.replicas.failure = KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    world.replicas._moved.set()
    assert (await arrived(commit)).topics[0].partitions[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.runtime.loaded_partitions == [MINE]


@virtual
async def test_without_enough_replicas_writes_are_refused_and_reads_and_heartbeats_go_on(world: RuntimeWorld) -> None:
    world.commit(5)
    leader, follower = await world.stable_pair()
    world.replicas.unwritable = KafkaError(ErrorCode.NOT_ENOUGH_REPLICAS)
    code = world.commit(6).topics[0].partitions[0].error_code
    assert code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.join(version=3).error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.heartbeat(leader, 1).error_code == 0
    assert await world.committed() == [5]
    assert world.replicas.reads.count(MINE) == 1, "nothing is loaded again"
    # Timeouts that would have to write are put off; the members are there when the replicas are back.
    for _ in range(6):
        await asyncio.sleep(5)
        assert world.heartbeat(leader, 1).error_code == 0
    world.replicas.unwritable = None
    assert world.heartbeat(follower, 1).error_code == 0


@virtual
async def test_what_was_loaded_is_told_only_when_it_is_committed(world: RuntimeWorld) -> None:
    world.commit(5)
    world.replicas.move(0)
    world.restart()
    reading = asyncio.ensure_future(world.committed())
    await asyncio.sleep(1)
    assert not reading.done()
    world.replicas.move(1)
    assert await reading == [5]
