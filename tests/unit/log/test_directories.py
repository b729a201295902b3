from __future__ import annotations

import errno
import itertools
import json
from pathlib import Path

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.log.config import LogConfig
from riacho.log.directories import LogDirectories
from support.log_files import append, read_records

CONFIG = LogConfig()
_ids = itertools.count(1)


def new_id() -> bytes:
    return next(_ids).to_bytes(16, "big")


def open_directories(*paths: Path, node_id: int = 1, cluster_id: str = "cluster") -> LogDirectories:
    return LogDirectories(
        [str(path) for path in paths], node_id=node_id, cluster_id=cluster_id, new_directory_id=new_id
    )


def opened(*paths: Path, now_ms: int = 0) -> LogDirectories:
    directories = open_directories(*paths)
    directories.open_all(lambda topic: CONFIG, now_ms)
    return directories


def test_a_clean_shutdown_is_marked_and_the_mark_used_once(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    log = directories.create("orders", 0, new_id(), CONFIG, 0)
    append(log, b"a", b"b")
    log.high_watermark = 2
    log.delete_records(1)
    directories.close(clean=True, broker_epoch=12)
    mark = tmp_path / ".kafka_cleanshutdown"
    assert json.loads(mark.read_text()) == {"version": 0, "brokerEpoch": 12}
    assert (tmp_path / "recovery-point-offset-checkpoint").read_text() == "0\n1\norders 0 2\n"
    assert (tmp_path / "log-start-offset-checkpoint").read_text() == "0\n1\norders 0 1\n"
    assert (tmp_path / "replication-offset-checkpoint").read_text() == "0\n1\norders 0 2\n"

    again = opened(tmp_path)
    assert not mark.exists()
    log = again.logs["orders", 0]
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (1, 2, 2)
    again.close(clean=False)
    assert not mark.exists()


def test_after_a_crash_logs_are_recovered(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    append(directories.create("orders", 0, new_id(), CONFIG, 0), b"a")
    segment = tmp_path / "orders-0" / f"{0:020d}.log"
    directories.close(clean=False)
    segment.write_bytes(segment.read_bytes() + b"torn")
    log = opened(tmp_path).logs["orders", 0]
    assert log.truncated_size_bytes == 4
    assert len(read_records(log)) == 1


def test_a_directory_is_locked(tmp_path: Path) -> None:
    first = open_directories(tmp_path)
    with pytest.raises(KafkaError) as caught:
        open_directories(tmp_path)
    assert "in use" in caught.value.detail
    first.close(clean=False)
    open_directories(tmp_path).close(clean=False)


def test_a_directory_of_another_node_is_refused(tmp_path: Path) -> None:
    open_directories(tmp_path).close(clean=False)
    with pytest.raises(KafkaError) as caught:
        open_directories(tmp_path, node_id=2)
    assert caught.value.code is ErrorCode.INCONSISTENT_CLUSTER_ID
    with pytest.raises(KafkaError):
        open_directories(tmp_path, cluster_id="other")
    open_directories(tmp_path).close(clean=False)


def test_partitions_spread_over_directories(tmp_path: Path) -> None:
    directories = opened(tmp_path / "a", tmp_path / "b")
    for number in range(6):
        directories.create("t", number, new_id(), CONFIG, 0)
    assert [len(directories.logs_in(directory)) for directory in directories.directories] == [3, 3]
    wanted = directories.directories[1].meta.directory_id
    log = directories.create("u", 0, new_id(), CONFIG, 0, directory_id=wanted)
    assert log.directory == str(tmp_path / "b" / "u-0")
    directories.close(clean=True)
    assert len(opened(tmp_path / "a", tmp_path / "b").logs) == 7


def test_an_unusable_directory_is_set_aside(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    directories = open_directories(tmp_path / "file", tmp_path / "good")
    assert list(directories.offline) == [str(tmp_path / "file")]
    assert len(directories.directories) == 1
    with pytest.raises(KafkaError) as caught:
        open_directories(tmp_path / "file")
    assert caught.value.code is ErrorCode.KAFKA_STORAGE_ERROR


def test_deletion_frees_the_name_at_once(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    append(directories.create("t", 0, new_id(), CONFIG, 0), b"old")
    directories.delete("t", 0, now_ms=1_000)
    (doomed,) = (path for path in tmp_path.iterdir() if path.name.endswith("-delete"))
    assert doomed.name.startswith("t-0.")
    assert len(doomed.name) == len("t-0.") + 32 + len("-delete")
    fresh = directories.create("t", 0, new_id(), CONFIG, 1_000)
    assert fresh.log_end_offset == 0
    assert directories.run_deletions(60_999) == 0
    assert directories.run_deletions(61_000) == 1
    assert not doomed.exists()


def test_a_deletion_cut_off_is_finished_after_the_restart(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    directories.create("t", 0, new_id(), CONFIG, 0)
    directories.delete("t", 0, now_ms=0)
    directories.close(clean=True)
    again = opened(tmp_path, now_ms=5)
    assert again.logs == {}
    assert again.run_deletions(5) == 1
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_a_long_name_is_cut_for_the_deletion(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    directories.create("n" * 249, 0, new_id(), CONFIG, 0)
    directories.delete("n" * 249, 0, now_ms=0)
    assert all(len(path.name) <= 255 for path in tmp_path.iterdir())


def test_the_metadata_log_is_left_to_the_quorum(tmp_path: Path) -> None:
    (tmp_path / "__cluster_metadata-0").mkdir()
    (tmp_path / "plain").mkdir()
    assert opened(tmp_path).logs == {}


def test_a_broken_recovery_checkpoint_costs_a_scan_only(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    append(directories.create("t", 0, new_id(), CONFIG, 0), b"a")
    directories.close(clean=True)
    (tmp_path / "recovery-point-offset-checkpoint").write_text("broken")
    again = opened(tmp_path)
    assert not again.directories[0].clean_shutdown
    assert again.logs["t", 0].log_end_offset == 1


def recovery_points(path: Path) -> str:
    return (path / "recovery-point-offset-checkpoint").read_text()


def test_a_log_is_not_called_synced_where_it_was_cut(tmp_path: Path) -> None:
    """What takes the place of the records that were cut may be lost; a start must look at it."""
    directories = opened(tmp_path)
    topic_id = new_id()
    log = directories.create("orders", 0, topic_id, CONFIG, 0)
    append(log, b"a", b"b", b"c")
    append(log, b"d", b"e")
    log.flush()
    directories.checkpoint()
    assert recovery_points(tmp_path) == "0\n1\norders 0 5\n"
    # The cut itself may be lost too, so all of the segment is looked at.
    log.truncate_to(3)
    assert recovery_points(tmp_path) == "0\n1\norders 0 0\n"
    log.truncate_fully_and_start_at(9)
    assert recovery_points(tmp_path) == "0\n1\norders 0 0\n"
    append(log, b"j", b"k")
    log.flush()
    directories.checkpoint()
    assert recovery_points(tmp_path) == "0\n1\norders 0 11\n"
    directories.delete("orders", 0, 0)
    directories.create("orders", 0, new_id(), CONFIG, 0)
    assert recovery_points(tmp_path) == "0\n1\norders 0 0\n"
    directories.close(clean=False)


def test_many_cuts_do_not_each_write_a_line_for_every_log(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    logs = [directories.create("orders", index, new_id(), CONFIG, 0) for index in range(40)]
    for log in logs:
        append(log, b"a")
        append(log, b"b")
        log.flush()
    directories.checkpoint()
    for log in logs:
        log.truncate_to(1)
    assert recovery_points(tmp_path) == "0\n0\n"
    directories.checkpoint()
    assert recovery_points(tmp_path).startswith("0\n40\norders 0 0\n")
    for log in logs:
        log.flush()
    directories.checkpoint()
    assert recovery_points(tmp_path).startswith("0\n40\norders 0 1\n")
    directories.close(clean=False)


def test_a_cut_on_a_full_disk_goes_without_recovery_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directories = opened(tmp_path)
    log = directories.create("orders", 0, new_id(), CONFIG, 0)
    append(log, b"a")
    append(log, b"b")
    log.flush()
    directories.checkpoint()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "full")

    monkeypatch.setattr("riacho.log.directory.write_offsets", full)
    log.truncate_to(1)
    assert log.log_end_offset == 1
    assert not (tmp_path / "recovery-point-offset-checkpoint").exists()
    directories.close(clean=False)


def test_what_was_cut_while_it_was_flushed_is_not_synced(tmp_path: Path) -> None:
    directories = opened(tmp_path)
    log = directories.create("orders", 0, new_id(), CONFIG, 0)
    append(log, b"a")
    append(log, b"b")
    work = log.flush_work()
    work.run()
    log.truncate_to(1)
    append(log, b"c")
    append(log, b"d")
    log.flushed(work, 0)
    assert log.recovery_point == 0
    directories.close(clean=False)


def test_the_mark_of_a_clean_shutdown_is_gone_for_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A power failure must not bring it back over logs that were written since."""
    opened(tmp_path).close(clean=True)
    synced: list[tuple[str, bool]] = []

    def sync(path: str, *_: object) -> None:
        synced.append((path, (tmp_path / ".kafka_cleanshutdown").exists()))

    monkeypatch.setattr("riacho.log.directory.sync_directory", sync)
    opened(tmp_path).close(clean=False)
    assert synced == [(str(tmp_path), False)]
