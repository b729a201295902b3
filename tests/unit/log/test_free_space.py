"""Whether a directory has room: seen by writing."""

from __future__ import annotations

import os
from random import Random

import pytest

from riacho.base.errors import KafkaError
from riacho.log.config import LogConfig
from riacho.log.directories import LogDirectories
from riacho.log.free_space import has_free_space, remove_probe
from support.log_files import TOPIC_ID, append
from support.simulated_files import SimulatedFiles

DATA = "/disk/data"


@pytest.fixture
def files() -> SimulatedFiles:
    made = SimulatedFiles(Random(1))
    made.makedirs(DATA)
    return made


def test_room_is_seen_and_nothing_is_left(files: SimulatedFiles) -> None:
    assert has_free_space(DATA, files)
    for free_bytes in (0, 4_096, 1 << 19):
        files.capacity_bytes = files.used_bytes + free_bytes
        assert not has_free_space(DATA, files)
        assert files.listdir(DATA) == []
    files.capacity_bytes = files.used_bytes + (2 << 20)
    assert has_free_space(DATA, files)
    assert files.listdir(DATA) == []


def test_what_a_crash_left_is_removed(files: SimulatedFiles) -> None:
    files.close(files.open(f"{DATA}/.riacho-room", os.O_WRONLY | os.O_CREAT))
    for _ in range(2):
        remove_probe(DATA, files)
        assert files.listdir(DATA) == []


def test_a_directory_that_is_gone_has_none(files: SimulatedFiles) -> None:
    assert not has_free_space(f"{DATA}/gone", files)


def test_a_write_that_finds_no_room_is_told_and_takes_nothing_out_of_service(files: SimulatedFiles) -> None:
    directories = LogDirectories([DATA], node_id=1, cluster_id="c", new_directory_id=lambda: bytes(16), files=files)
    told: list[tuple[str, int]] = []
    directories.on_full.append(lambda topic, index: told.append((topic, index)))
    log = directories.create("t", 3, TOPIC_ID, LogConfig(), 1_000)
    append(log, b"v")
    assert told == []
    files.capacity_bytes = files.used_bytes
    with pytest.raises(KafkaError, match="No space left"):
        append(log, bytes(50_000))
    assert told == [("t", 3)]
    assert directories.offline == {}
    files.capacity_bytes = None
    append(log, bytes(50_000))
    assert log.log_end_offset == 2
