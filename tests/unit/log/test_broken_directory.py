"""A log directory that breaks while the broker runs: what goes with it, what goes on, and what is no break."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.config import LogConfig
from riacho.log.directories import LogDirectories, OfflineDirectory
from riacho.log.real_files import RealFiles
from support.log_files import TOPIC_ID, append, read_records


class World:
    """Two directories with a partition each."""

    def __init__(self, path: Path) -> None:
        self.paths = [str(path / name) for name in ("one", "two")]
        ids = itertools.count(1)
        self.directories = LogDirectories(
            self.paths, node_id=1, cluster_id="cluster", new_directory_id=lambda: next(ids).to_bytes(16, "big")
        )
        self.told: list[OfflineDirectory] = []
        self.directories.on_offline.append(self.told.append)
        self.first = self.directories.create("t", 0, TOPIC_ID, LogConfig(), 1_000)
        self.second = self.directories.create("t", 1, TOPIC_ID, LogConfig(), 1_000)
        append(self.first, b"a")
        append(self.second, b"b")


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def _failing(number: int) -> object:
    def fail(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("number", [errno.EIO, errno.EROFS, errno.ENODEV])
def test_a_failed_write_takes_the_directory_and_its_partitions_offline(
    world: World, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setattr(world.first.segments.active.open_file(), "pwrite", _failing(number))
    with pytest.raises(KafkaError) as raised:
        append(world.first, b"x")
    assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    monkeypatch.undo()
    assert list(world.directories.offline) == [world.paths[0]]
    assert world.directories.offline_ids() == [(1).to_bytes(16, "big")]
    assert [each.meta.directory_id for each in world.directories.directories] == [(2).to_bytes(16, "big")]
    assert [(each.path, each.partitions, each.is_last) for each in world.told] == [(world.paths[0], [("t", 0)], False)]
    # The other goes on, and new partitions go there.
    append(world.second, b"c")
    assert world.directories.directory_of("t", 0) is None
    assert world.directories.id_of("t", 1) == (2).to_bytes(16, "big")
    made = world.directories.create("t", 2, TOPIC_ID, LogConfig(), 1_000)
    assert made.directory.startswith(world.paths[1])
    world.directories.checkpoint()
    world.directories.close(clean=True)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EMFILE])
def test_a_full_disk_is_not_a_broken_one(world: World, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(world.first.segments.active.open_file(), "pwrite", _failing(number))
    with pytest.raises(KafkaError):
        append(world.first, b"x")
    monkeypatch.undo()
    assert not world.directories.offline
    append(world.first, b"y")
    assert [value for _, _, value in read_records(world.first)] == [b"a", b"y"]


@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC])
def test_a_failed_sync_always_takes_it_offline(world: World, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(RealFiles, "fdatasync", staticmethod(_failing(number)))
    with pytest.raises(KafkaError):
        world.first.flush(1_000)
    assert list(world.directories.offline) == [world.paths[0]]


def test_a_read_that_fails_takes_it_offline(world: World) -> None:
    world.first.segments.active.release()
    shutil.rmtree(world.paths[0])
    with pytest.raises(KafkaError) as raised:
        world.first.read(0, 1_000, end_offset=1, at_least_one=True)
    assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert list(world.directories.offline) == [world.paths[0]]


def test_a_checkpoint_that_fails_in_one_directory_is_written_in_the_other(world: World) -> None:
    shutil.rmtree(world.paths[0])
    world.directories.checkpoint()
    assert list(world.directories.offline) == [world.paths[0]]
    assert os.path.exists(f"{world.paths[1]}/recovery-point-offset-checkpoint")
    world.directories.checkpoint()


def test_a_partition_that_cannot_be_made_there_is_made_elsewhere_next_time(world: World) -> None:
    shutil.rmtree(world.paths[0])
    Path(world.paths[0]).write_text("no directory any more")
    with pytest.raises(KafkaError):
        world.directories.create("new", 0, TOPIC_ID, LogConfig(), 1_000)
    assert world.directories.create("new", 0, TOPIC_ID, LogConfig(), 1_000).directory.startswith(world.paths[1])


def test_the_last_one_says_that_it_is_the_last(world: World) -> None:
    for path in world.paths:
        world.directories.take_offline(path, "broken")
        world.directories.take_offline(path, "said twice")
    assert [each.is_last for each in world.told] == [False, True]
    with pytest.raises(KafkaError) as raised:
        world.directories.create("t", 5, TOPIC_ID, LogConfig(), 1_000)
    assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR


def test_closing_goes_on_past_a_directory_that_cannot_be_closed(world: World) -> None:
    world.directories.delete("t", 0, 1_000)
    shutil.rmtree(world.paths[0])
    with pytest.raises(KafkaError):
        world.directories.close(clean=True)
    assert os.path.exists(f"{world.paths[1]}/.kafka_cleanshutdown")
    assert not os.path.exists(world.paths[0])


def test_a_partition_that_cannot_be_renamed_does_not_keep_the_others(world: World) -> None:
    shutil.rmtree(world.paths[0])
    world.directories.delete("t", 0, 1_000)
    world.directories.delete("t", 1, 1_000)
    assert world.directories.logs == {}
    assert list(world.directories.offline) == [world.paths[0]]
