"""Moving a replica between directories: everything arrives, writes go on, and what a crash leaves is put right."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.handlers import alter_replica_log_dirs, describe_log_dirs
from riacho.broker.partitions import replica_moves
from riacho.broker.partitions.directory_assignments import DirectoryAssignments
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.partitions.replica_moves import ReplicaMoves, agree
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.log.config import LogConfig
from riacho.log.directories import LogDirectories
from riacho.log.placed import append_placed
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.topics import Partition, Topic
from riacho.wire.messages.alter_replica_log_dirs_request import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from riacho.wire.messages.describe_log_dirs_request import DescribeLogDirsRequest
from support.broker_fakes import FakeBroker, recorded_logs
from support.log_files import TOPIC_ID, append, open_log, read_records
from support.parts import hosting_parts, quorum_parts, untouched
from support.request_contexts import request_context
from support.virtual_time import VirtualClock, run_virtual

HERE, ELSEWHERE = (
    Partition(replicas=(node,), isr=(node,), leader=node, leader_epoch=0, partition_epoch=0) for node in (1, 2)
)
TOPIC = Topic("t", TOPIC_ID, (HERE, *(ELSEWHERE,) * 5))


class World:
    """A broker of two directories with one partition, in the first; the others are elsewhere."""

    def __init__(self, path: Path) -> None:
        self.paths = [str(path / name) for name in ("one", "two")]
        self.clock = VirtualClock()
        self.logs, _, self.lines = recorded_logs()
        self.assigned: list[HostedPartition] = []
        self.rate = "9223372036854775807"
        self._ids = itertools.count(1)
        self.image = MetadataImage(topics={"t": TOPIC}, topics_by_id={TOPIC_ID: TOPIC})
        self.open()

    def open(self) -> None:
        self.directories = LogDirectories(
            self.paths,
            node_id=1,
            cluster_id="cluster",
            new_directory_id=lambda: next(self._ids).to_bytes(16, "big"),
        )
        metadata = MetadataCache(BrokerConfig(), self.image)
        self.replicas = Replicas(1, self.directories, metadata, self.clock, self.logs, BrokerMetrics(), 86_400_000)
        self.replicas.load()

    @property
    def hosted(self) -> HostedPartition:
        return self.replicas.find("t", 0)

    def run(self, main: Callable[[ReplicaMoves, Any], Coroutine[Any, Any, None]]) -> None:
        async def whole() -> None:
            metadata = MetadataCache(BrokerConfig({replica_moves._RATE: self.rate}), self.image)
            assignments = Assignments(self, metadata)
            moves = ReplicaMoves(self.directories, self.replicas, assignments, metadata, self.clock, self.logs)
            # What the handlers are given.
            context = request_context(
                replace(FakeBroker().parts, clock=self.clock, logs=self.logs),
                quorum=quorum_parts(metadata=metadata, directories=self.directories),
                hosting=hosting_parts(replicas=self.replicas, replica_moves=moves),
            )
            try:
                await main(moves, context)
            finally:
                await moves.stop()

        run_virtual(whole(), self.clock)


class Assignments(DirectoryAssignments):
    """Remembers what it is told; nothing is sent."""

    def __init__(self, world: World, metadata: MetadataCache) -> None:
        channel, lifecycle = untouched("channel"), untouched("lifecycle")
        super().__init__(1, world.directories, world.replicas, metadata, channel, lifecycle, world.logs)
        self._told = world.assigned

    def hosted(self, hosted: HostedPartition) -> None:
        self._told.append(hosted)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


async def _done(moves: ReplicaMoves) -> None:
    for _ in range(10_000):
        if not moves.under_way:
            return
        await asyncio.sleep(0.001)
    raise AssertionError("the move did not end")


def test_everything_arrives_and_writes_go_on(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_moves, "_PIECE_SIZE_BYTES", 200)
    for number in range(20):
        append(world.hosted.log, b"%d" % number, epoch=number // 7)
    world.hosted.log.high_watermark = 15

    async def main(moves: ReplicaMoves, ctx: Any) -> None:
        moves.move("t", 0, world.paths[1])
        while moves.under_way:
            if world.hosted.log.log_end_offset < 25:
                append(world.hosted.log, b"during", epoch=2)
            await asyncio.sleep(0)
        log = world.hosted.log
        assert log.directory == f"{world.paths[1]}/t-0"
        assert log is world.directories.logs["t", 0]
        assert (log.log_end_offset, log.high_watermark) == (25, 15)
        assert [entry for entry in log.epochs.entries] == [(0, 0), (1, 7), (2, 14)]
        assert [value for _, _, value in read_records(log)][:3] == [b"0", b"1", b"2"]
        assert not os.path.exists(f"{world.paths[0]}/t-0")
        assert world.assigned == [world.hosted]
        append(log, b"after", epoch=2)

    world.run(main)
    world.directories.close(clean=True)
    world.open()
    assert world.directories.logs["t", 0].log_end_offset == 26
    assert world.directories.logs["t", 0].directory.startswith(world.paths[1])


def test_a_future_replica_is_described_where_it_will_be(world: World) -> None:
    append(world.hosted.log, b"a")

    async def main(moves: ReplicaMoves, ctx: Any) -> None:
        moves.move("t", 0, world.paths[1])
        results = {
            each.log_dir: each for each in describe_log_dirs.handle(ctx, DescribeLogDirsRequest(topics=None)).results
        }
        (current,) = results[world.paths[0]].topics[0].partitions
        (future,) = results[world.paths[1]].topics[0].partitions
        assert (current.is_future_key, current.offset_lag) == (False, 0)
        assert (future.is_future_key, future.offset_lag, future.partition_size) == (True, 1, 0)
        await _done(moves)

    world.run(main)


def test_what_cannot_be_moved(world: World) -> None:
    async def main(moves: ReplicaMoves, ctx: Any) -> None:
        def codes(path: str, *partitions: tuple[str, int]) -> list[int]:
            topics = [AlterReplicaLogDirTopic(name=name, partitions=[index]) for name, index in partitions]
            request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path=path, topics=topics)])
            answer = alter_replica_log_dirs.handle(ctx, request)
            return [each.error_code for topic in answer.results for each in topic.partitions]

        assert codes("/nowhere", ("t", 0)) == [ErrorCode.LOG_DIR_NOT_FOUND]
        assert codes("relative", ("t", 0)) == [ErrorCode.LOG_DIR_NOT_FOUND]
        assert codes(world.paths[1], ("u", 0)) == [ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
        assert codes(world.paths[1], ("t", 5)) == [ErrorCode.REPLICA_NOT_AVAILABLE]
        # It is made there when it comes.
        assert world.directories.create("t", 5, TOPIC_ID, LogConfig(), 0).directory.startswith(world.paths[1])
        assert codes(world.paths[0], ("t", 0)) == [ErrorCode.NONE]
        assert moves.under_way == {}
        assert codes(world.paths[1], ("t", 0)) == [ErrorCode.NONE]
        # Moving it back before it left is no move.
        assert codes(world.paths[0], ("t", 0)) == [ErrorCode.NONE]
        assert moves.under_way == {}
        world.directories.take_offline(world.paths[1], "broken")
        assert codes(world.paths[1], ("t", 0)) == [ErrorCode.KAFKA_STORAGE_ERROR]

    world.run(main)


def test_a_throttled_move_keeps_to_its_rate(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replica_moves, "_PIECE_SIZE_BYTES", 2_000)
    world.rate = "10000"
    for _ in range(60):
        append(world.hosted.log, b"x" * 1_000)

    async def main(moves: ReplicaMoves, ctx: Any) -> None:
        size_bytes, started_ms = world.hosted.log.size_bytes, world.clock.monotonic_ms()
        moves.move("t", 0, world.paths[1])
        await _done(moves)
        rate = size_bytes * 1000 / (world.clock.monotonic_ms() - started_ms)
        assert 8_000 < rate < 13_000

    world.run(main)


def test_a_move_that_a_stop_cut_short_is_taken_up(world: World) -> None:
    append(world.hosted.log, b"a")

    async def cut_short(moves: ReplicaMoves, ctx: Any) -> None:
        moves.move("t", 0, world.paths[1])

    world.run(cut_short)
    world.directories.close(clean=True)
    world.open()
    assert world.directories.interrupted == {("t", 0): world.paths[1]}

    async def take_up(moves: ReplicaMoves, ctx: Any) -> None:
        moves.start()
        await _done(moves)
        assert world.hosted.log.directory.startswith(world.paths[1])

    world.run(take_up)
    world.directories.run_deletions(1 << 60)
    assert [name for path in world.paths for name in os.listdir(path) if name.endswith(("-future", "-delete"))] == []


def test_a_crash_between_the_renames_leaves_one_copy_with_everything(world: World) -> None:
    append(world.hosted.log, b"a")
    future = world.directories.create_future("t", 0, world.paths[1], 0)
    agree(future, world.hosted.log, 0)
    append_placed(future, world.hosted.log.read(0, 1_000, end_offset=1, at_least_one=True).read(), 0)  # type: ignore[union-attr]
    append(future, b"written after the move")
    future.close(clean=True)
    os.rename(future.directory, f"{world.paths[1]}/t-0")
    world.directories.close(clean=False)
    world.open()
    kept = world.directories.logs["t", 0]
    assert kept.directory == f"{world.paths[1]}/t-0"
    assert kept.log_end_offset == 2
    assert not os.path.exists(f"{world.paths[0]}/t-0")


def test_a_target_that_breaks_ends_the_move_and_nothing_else(world: World) -> None:
    append(world.hosted.log, b"a")

    async def main(moves: ReplicaMoves, ctx: Any) -> None:
        moves.move("t", 0, world.paths[1])
        shutil.rmtree(world.paths[1])
        await _done(moves)
        assert world.directories.futures == {}
        assert list(world.directories.offline) == [world.paths[1]]
        assert world.hosted.log is world.directories.logs["t", 0]
        append(world.hosted.log, b"b")

    world.run(main)


def test_a_deleted_partition_ends_its_move(world: World) -> None:
    append(world.hosted.log, b"a")

    async def main(moves: ReplicaMoves, ctx: Any) -> None:
        moves.move("t", 0, world.paths[1])
        world.directories.delete("t", 0, 0)
        await _done(moves)
        assert world.directories.logs == {}

    world.run(main)


def test_the_future_log_is_cut_where_the_current_one_was(tmp_path: Path) -> None:
    source, future = open_log(tmp_path / "s-0"), open_log(tmp_path / "f-0")
    for log in (source, future):
        append(log, b"a", epoch=0)
        append(log, b"b", epoch=1)
        append(log, b"c", epoch=3)
    source.truncate_to(1)
    append(source, b"d", epoch=4)
    agree(future, source, 0)
    assert future.log_end_offset == 1
    source.high_watermark = 2
    source.delete_records(2)
    agree(future, source, 0)
    assert (future.log_start_offset, future.log_end_offset) == (2, 2)
