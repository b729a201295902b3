"""The disk and the metadata agree: what the image names is hosted, what it does not name goes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.cleaning import Cleaned, clean
from riacho.log.compaction import CleaningPlan
from riacho.metadata.image.config_resource import CLUSTER_DEFAULT, ResourceType
from riacho.wire.batch import iterate_headers
from riacho.wire.records import iterate_records
from support.log_files import read_records
from support.replicas_world import OTHER_ID, TOPIC_ID, TOPIC_RESOURCE, Waiter, World, code_of, image, topic


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.replicas.close()


def test_a_topic_in_the_image_is_hosted_and_found_by_name_and_id(world: World) -> None:
    world.change(topic("t", 3, epoch=4))
    hosted = world.partition("t", 2)
    assert hosted is world.replicas.find(TOPIC_ID, 2)
    assert (hosted.is_leader, hosted.leader_epoch, hosted.is_internal) == (True, 4, False)
    assert world.replicas.partition_count() == world.replicas.leader_count() == 3
    assert (world.paths[0] / "t-2").is_dir()


def test_what_is_not_there_is_told_by_how_it_was_asked_for(world: World) -> None:
    world.change(topic("t"))
    assert code_of(world, "u") is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code_of(world, "t", 1) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code_of(world, TOPIC_ID, 1) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code_of(world, OTHER_ID) is ErrorCode.UNKNOWN_TOPIC_ID


def test_partitions_of_others_are_not_hosted(world: World) -> None:
    world.change(topic("t", leader=2))
    assert world.replicas.partition_count() == 0
    assert not (world.paths[0] / "t-0").exists()


def test_internal_topics_are_known_as_such(world: World) -> None:
    world.change(topic("__consumer_offsets"))
    assert world.partition("__consumer_offsets").is_internal


def test_a_deleted_topic_lets_go_of_name_readers_and_in_time_of_its_files(world: World) -> None:
    world.change(topic("t"))
    waiter = Waiter(world.partition("t"))
    world.change()
    assert code_of(world, "t") is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert code_of(world, TOPIC_ID) is ErrorCode.UNKNOWN_TOPIC_ID
    assert waiter.woken == [(False, 0)], "whoever waits is answered, and finds no leader"
    assert not (world.paths[0] / "t-0").exists()
    doomed = list(world.paths[0].glob("t-0.*-delete"))
    assert len(doomed) == 1
    world.replicas.delete_dropped(world.clock.now_ms())
    assert doomed[0].exists()
    world.clock.at_ms += 60_000
    world.replicas.delete_dropped(world.clock.now_ms())
    assert not doomed[0].exists()


def test_a_topic_made_again_under_its_name_starts_empty(world: World) -> None:
    world.change(topic("t"))
    world.append("t", b"old")
    world.change(topic("t", topic_id=OTHER_ID))
    assert world.partition("t").log.log_end_offset == 0
    assert world.partition("t") is world.replicas.find(OTHER_ID, 0)
    assert code_of(world, TOPIC_ID) is ErrorCode.UNKNOWN_TOPIC_ID


def test_added_partitions_join_those_that_are_there(world: World) -> None:
    world.change(topic("t", 1))
    first = world.partition("t")
    world.append("t", b"kept")
    world.change(topic("t", 3))
    assert world.partition("t") is first
    assert first.log.log_end_offset == 1
    assert world.replicas.partition_count() == 3


def test_a_new_epoch_wakes_readers_of_the_old_one(world: World) -> None:
    world.change(topic("t"))
    waiter = Waiter(world.partition("t"))
    world.change(topic("t", epoch=1))
    assert waiter.woken == [(True, 1)]


def test_a_restart_finds_records_and_drops_what_the_image_lost(world: World) -> None:
    world.change(topic("t", 2), topic("gone", topic_id=OTHER_ID))
    world.append("t", b"one", b"two")
    world.metadata.image = image(topic("t", 1))
    world.restart()
    assert [value for _, _, value in read_records(world.partition("t").log)] == [b"one", b"two"]
    assert world.partition("t").log.high_watermark == 2
    assert world.replicas.partition_count() == 1
    left = sorted(line.split("partition=")[1] for line in world.error_lines if "not in the metadata" in line)
    assert left == ["gone-0", "t-1"]
    assert not (world.paths[0] / "gone-0").exists()


def test_files_of_an_older_topic_of_this_name_are_not_taken_for_it(world: World) -> None:
    world.change(topic("t"))
    world.append("t", b"old")
    world.metadata.image = image(topic("t", topic_id=OTHER_ID))
    world.restart()
    assert world.partition("t").log.log_end_offset == 0
    assert world.partition("t").log.topic_id == OTHER_ID


def test_a_partition_on_a_directory_out_of_service_is_not_made_anew(tmp_path: Path) -> None:
    world = World(tmp_path, ("one", "two"))
    world.change(topic("t", 2))
    homes = {index: Path(world.partition("t", index).log.directory).parent for index in (0, 1)}
    assert set(homes.values()) == set(world.paths), "new partitions go where the fewest are"
    world.replicas.close()
    lost = homes[1]
    aside = lost.rename(tmp_path / "aside")
    lost.write_text("no directory")
    world.open()
    assert world.partition("t", 0).is_leader
    assert code_of(world, "t", 1) is ErrorCode.KAFKA_STORAGE_ERROR
    assert list(world.replicas.offline_directories()) == [str(lost)]
    # What is new finds a place all the same.
    world.change(topic("t", 3, epoch=1))
    assert world.partition("t", 2).is_leader
    assert code_of(world, "t", 1) is ErrorCode.KAFKA_STORAGE_ERROR
    world.replicas.close()
    lost.unlink()
    aside.rename(lost)
    world.open()
    assert world.replicas.partition_count() == 3
    world.replicas.close()


def test_a_partition_that_could_not_be_made_is_made_later(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    create = world.directories.create

    def refuse_t(name: str, *rest: Any) -> Any:
        if name == "t":
            raise KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "no room")
        return create(name, *rest)

    monkeypatch.setattr(world.directories, "create", refuse_t)
    world.change(topic("t", 2), topic("u", topic_id=OTHER_ID))
    assert world.partition("u").is_leader, "one topic in trouble does not stop the others"
    assert code_of(world, "t") is ErrorCode.KAFKA_STORAGE_ERROR
    world.replicas.host_unhosted()
    told = [line for line in world.error_lines if "partition cannot be made" in line]
    assert [line.split("partition=")[1] for line in told] == ["t-0 reason=no room", "t-1 reason=no room"]
    monkeypatch.undo()
    world.replicas.host_unhosted()
    assert world.partition("t", 1).is_leader
    assert world.replicas.partition_count() == 3


def test_configs_reach_the_logs_of_their_topic_alone(world: World) -> None:
    topics = topic("t"), topic("u", topic_id=OTHER_ID)
    world.change(*topics)
    world.change(*topics, configs={(TOPIC_RESOURCE, "t"): {"retention.ms": "1234", "max.message.bytes": "99"}})
    changed, other = world.partition("t"), world.partition("u")
    assert (changed.log.config.retention_ms, changed.rules.message_size_bytes_max) == (1234, 99)
    assert other.log.config.retention_ms == 7 * 24 * 3_600_000
    world.change(*topics)
    assert world.partition("t").log.config.retention_ms == 7 * 24 * 3_600_000


def test_what_a_coordinator_appends_it_reads_back(world: World) -> None:
    world.change(topic("t"))
    assert world.append("t", b"one", b"two") == 1
    assert world.append("t", b"three") == 2
    assert world.replicas.is_committed("t", 0, 2)
    assert not world.replicas.is_committed("t", 0, 3)
    runs = list(world.replicas.read_all("t", 0))
    batches = [(run, position) for run in runs for position, _ in iterate_headers(run)]
    values = [record.value for run, position in batches for record in iterate_records(run, position)]
    assert values == [b"one", b"two", b"three"]


def test_a_coordinator_that_does_not_lead_may_not_append(world: World) -> None:
    world.change(topic("t"))
    world.partition("t").is_leader = False
    with pytest.raises(KafkaError) as refused:
        world.append("t", b"x")
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_stopping_wakes_whoever_waits(world: World) -> None:
    world.change(topic("t", 2))
    waiters = [Waiter(world.partition("t", index)) for index in (0, 1)]
    world.replicas.release_waiting()
    assert [len(each.woken) for each in waiters] == [1, 1]


def compact(world: World) -> None:
    async def run() -> None:
        with ThreadPoolExecutor(max_workers=1) as executor:
            await world.replicas.clean(executor, lambda: False)

    asyncio.run(run())


COMPACTED = {(TOPIC_RESOURCE, "t"): {"cleanup.policy": "compact", "min.cleanable.dirty.ratio": "0"}}


def test_compaction_runs_over_dirty_logs(world: World) -> None:
    world.change(topic("t"), configs=COMPACTED)
    for number in range(5):
        world.append("t", b"%d" % number)
    log = world.partition("t").log
    log.roll(world.clock.now_ms())
    compact(world)
    assert [(offset, value) for offset, _, value in read_records(log)] == [(4, b"4")]
    assert world.metrics.cleaner_failures == 0


def test_the_memory_of_compaction_is_what_the_settings_say_now(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[int] = []

    def cleaned(plan: CleaningPlan, is_stopping: Callable[[], bool]) -> Cleaned:
        planned.append(plan.map_size_bytes_max)
        return clean(plan, is_stopping)

    monkeypatch.setattr("riacho.broker.partitions.replicas.clean", cleaned)
    for size_bytes in (5_000_000, 6_000_000):
        dynamic = {(ResourceType.BROKER, CLUSTER_DEFAULT): {"log.cleaner.dedupe.buffer.size": str(size_bytes)}}
        world.change(topic("t"), configs={**COMPACTED, **dynamic})
        world.append("t", b"1")
        world.partition("t").log.roll(world.clock.now_ms())
        compact(world)
    assert planned == [5_000_000, 6_000_000]


def test_a_log_that_cannot_be_compacted_is_left_alone(world: World) -> None:
    world.change(topic("t"), configs=COMPACTED)
    world.append("t", b"first value")
    world.append("t", b"second")
    log = world.partition("t").log
    log.roll(world.clock.now_ms())
    segment = world.paths[0] / "t-0" / f"{0:020}.log"
    segment.write_bytes(segment.read_bytes().replace(b"first value", b"first vALue"))
    compact(world)
    compact(world)
    assert world.metrics.cleaner_failures == 1, "what cannot be read is not tried again and again"
    assert "compaction failed partition=t-0" in world.error_lines[-1]
    assert log.log_end_offset == 2


def test_a_large_topic_is_hosted_over_several_turns_of_the_loop(world: World) -> None:
    async def create() -> list[int]:
        counts = []
        world.change(topic("t", 200))
        while not counts or counts[-1] < 200:
            counts.append(world.replicas.partition_count())
            if counts[-1] < 200:
                assert code_of(world, "t", 199) is ErrorCode.NOT_LEADER_OR_FOLLOWER
            await asyncio.sleep(0)
        return counts

    counts = asyncio.run(create())
    assert counts[0] < 100
    assert len(counts) > 10
    assert world.partition("t", 199).is_leader


def test_a_topic_deleted_before_all_of_it_was_hosted_leaves_nothing(world: World) -> None:
    async def create_and_delete() -> None:
        world.change(topic("t", 200))
        world.change()
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(create_and_delete())
    assert world.replicas.partition_count() == 0
    assert world.directories.logs == {}
