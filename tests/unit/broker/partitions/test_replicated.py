"""A broker among others: partitions that it leads, follows, gains and loses by the image."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.topics import Partition, Topic
from support.broker_fakes import SetClock
from support.led_partition import SetPeers
from support.replicas_world import NODE, TOPIC_ID, TOPIC_RESOURCE, Waiter, World, code_of, image


def replicated(leader: int = NODE, epoch: int = 0, isr: tuple[int, ...] = (1, 2), **how: Any) -> Topic:
    """Topic t of one partition on brokers 1 and 2."""
    replicas = how.get("replicas", (1, 2))
    change = how.get("change", epoch)
    state = Partition(replicas=replicas, isr=isr, leader=leader, leader_epoch=epoch, partition_epoch=change)
    return Topic("t", TOPIC_ID, (state,))


@pytest.fixture
def member(tmp_path: Path) -> Iterator[World]:
    """Replicas that know of other brokers."""
    made = World(tmp_path, peers=SetPeers(SetClock()))
    yield made
    made.replicas.close()


def test_the_image_makes_leaders_and_followers(member: World) -> None:
    member.change(replicated(leader=2))
    hosted = member.partition("t")
    assert (hosted.is_leader, hosted.is_follower, hosted.leader_id) == (False, True, 2)
    member.change(replicated(epoch=1))
    assert (hosted.is_leader, hosted.is_follower) == (True, False)
    assert hosted is member.partition("t")
    assert hosted.log.epochs.entries == ((1, 0),)
    member.append("t", b"one")
    assert hosted.log.high_watermark == 0
    hosted.follower_fetched(2, 7, 1, 0)
    assert hosted.log.high_watermark == 1
    told = [line for line in member.error_lines if "role taken" in line]
    assert ["role=follower" in line for line in told] == [True, False]


def test_a_partition_that_moves_away_is_dropped_and_its_files_go_later(member: World) -> None:
    member.change(replicated())
    waiter = Waiter(member.partition("t"))
    member.change(replicated(leader=2, epoch=1, isr=(2,), replicas=(2, 3)))
    assert waiter.woken == [(False, 0)]
    assert code_of(member, "t") is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert member.replicas.current_leader("t", 0) == member.replicas.current_leader(TOPIC_ID, 0) == (2, 1)
    assert member.replicas.partition_count() == 0
    assert list(member.paths[0].glob("t-0.*-delete"))
    member.change(replicated(leader=2, epoch=1, isr=(2,), replicas=(2, 1)))
    assert member.partition("t").log.log_end_offset == 0


def test_what_moved_away_while_the_broker_was_down_goes_at_the_start(member: World) -> None:
    member.change(replicated())
    member.append("t", b"one")
    member.metadata.image = image(replicated(leader=2, epoch=1, isr=(2,), replicas=(2, 3)))
    member.restart()
    assert member.replicas.partition_count() == 0
    assert not (member.paths[0] / "t-0").exists()


def test_the_high_watermark_survives_a_crash_by_its_checkpoint(member: World) -> None:
    member.change(replicated())
    hosted = member.partition("t")
    for _ in range(3):
        member.append("t", b"v")
    hosted.follower_fetched(2, 7, 2, 0)
    member.replicas.checkpoint_high_watermarks()
    checkpoint = member.paths[0] / "replication-offset-checkpoint"
    assert checkpoint.read_text() == "0\n1\nt 0 2\n"
    checkpoint.unlink()
    member.replicas.checkpoint_high_watermarks()
    assert not checkpoint.exists(), "nothing moved"
    hosted.follower_fetched(2, 7, 3, 0)
    member.replicas.checkpoint_high_watermarks()
    assert checkpoint.read_text() == "0\n1\nt 0 3\n"


def test_a_restarted_follower_knows_how_far_all_was_committed(member: World) -> None:
    member.change(replicated())
    for _ in range(3):
        member.append("t", b"v")
    member.partition("t").follower_fetched(2, 7, 2, 0)
    member.metadata.image = image(replicated(leader=2, epoch=1))
    member.restart()
    assert (member.partition("t").log.high_watermark, member.partition("t").log.log_end_offset) == (2, 3)
    member.change(replicated(epoch=2))
    assert member.partition("t").log.high_watermark == 2, "2 is in sync and was not heard of yet"
    member.change(replicated(epoch=2, isr=(1,), change=3))
    assert member.partition("t").log.high_watermark == 3


def test_min_isr_is_the_topics(member: World) -> None:
    member.change(replicated(isr=(1,)), configs={(TOPIC_RESOURCE, "t"): {"min.insync.replicas": "2"}})
    with pytest.raises(KafkaError) as refused:
        member.append("t", b"v")
    assert refused.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    with pytest.raises(KafkaError):
        member.replicas.check_writable("t", 0)
    member.change(replicated(isr=(1,)))
    assert member.append("t", b"v") == 0
    assert member.replicas.is_committed("t", 0, 0)


def test_a_coordinator_waits_for_its_commit(member: World) -> None:
    async def scenario() -> None:
        member.change(replicated())
        offset = member.append("t", b"v")
        waiting = asyncio.ensure_future(member.replicas.committed("t", 0, offset))
        await asyncio.sleep(0)
        assert not waiting.done()
        assert not member.replicas.is_committed("t", 0, offset)
        member.partition("t").follower_fetched(2, 7, 1, 0)
        await waiting
        await member.replicas.committed("t", 0, offset)
        lost = asyncio.ensure_future(member.replicas.committed("t", 0, member.append("t", b"v")))
        await asyncio.sleep(0)
        member.change(replicated(leader=2, epoch=1))
        with pytest.raises(KafkaError) as refused:
            await lost
        assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
        with pytest.raises(KafkaError):
            await member.replicas.committed("t", 0, 1)
        with pytest.raises(KafkaError):
            list(member.replicas.read_all("t", 0))

    asyncio.run(scenario())


def test_partitions_that_come_late_are_told_of(member: World) -> None:
    async def scenario() -> list[int]:
        late: list[int] = []
        member.replicas.when_late(lambda hosted: late.append(hosted.index))
        state = replicated(leader=2).partitions[0]
        member.change(Topic("t", TOPIC_ID, (state,) * 70))
        while member.replicas.partition_count() < 70:
            await asyncio.sleep(0)
        return late

    assert asyncio.run(scenario()) == list(range(64, 70))
