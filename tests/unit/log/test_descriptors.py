"""Out of descriptors: what cannot be opened is refused and may work the next time, and the last ones are kept."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log import flushing
from riacho.log.config import LogConfig
from riacho.log.descriptors import is_for_files, is_for_needed
from riacho.log.directories import LogDirectories
from support.log_files import TOPIC_ID, append


@pytest.mark.parametrize(("number", "is_final"), [(errno.EMFILE, False), (errno.ENFILE, False), (errno.ENOSPC, True)])
def test_a_sync_that_could_not_begin_is_no_failed_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_final: bool
) -> None:
    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    directories = LogDirectories([str(tmp_path)], node_id=1, cluster_id="cluster", new_directory_id=lambda: b"d" * 16)
    log = directories.create("t", 0, TOPIC_ID, LogConfig(), 1_000)
    append(log, b"a")
    monkeypatch.setattr(flushing, "sync_directory", fail)
    with pytest.raises(KafkaError) as raised:
        log.flush(2_000)
    assert raised.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    monkeypatch.undo()
    assert bool(directories.offline) is is_final
    if not is_final:
        log.flush(3_000)
        assert log.recovery_point == log.log_end_offset


@pytest.mark.parametrize(("limit", "files", "needed"), [(300, 225, 268), (100_000, 98_976, 99_968)])
def test_connections_leave_the_last_to_files_and_files_the_very_last(
    monkeypatch: pytest.MonkeyPatch, limit: int, files: int, needed: int
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (limit, limit))
    assert not is_for_files(files - 1)
    assert is_for_files(files)
    assert not is_for_needed(needed - 1)
    assert is_for_needed(needed)
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert not is_for_files(1 << 30)
