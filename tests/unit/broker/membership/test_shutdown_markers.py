"""What a broker knows after a crash about the machine it runs on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from riacho.broker.membership.shutdown_markers import MARKER_FILE, ShutdownMarkers, read_boot_id
from riacho.log.directories import LogDirectories

NODE, CLUSTER = 1, "c"
NAMES = ("one", "two")


def opened(root: Path, *names: str) -> LogDirectories:
    uuids = iter(bytes([number]) * 16 for number in range(1, 100))
    paths = [str(root / name) for name in names or NAMES]
    return LogDirectories(paths, node_id=NODE, cluster_id=CLUSTER, new_directory_id=lambda: next(uuids))


def ran(root: Path, boot_id: str | None, epoch: int, *, stops: bool = False) -> None:
    """A run of the broker that was registered, and was killed unless it stops."""
    directories = opened(root)
    ShutdownMarkers(directories, boot_id).write(epoch)
    directories.close(clean=stops, broker_epoch=epoch)


def previous(root: Path, boot_id: str | None, *names: str) -> int:
    directories = opened(root, *names)
    try:
        return ShutdownMarkers(directories, boot_id).previous_broker_epoch
    finally:
        directories.close(clean=False)


def test_a_killed_process_has_lost_nothing_while_the_machine_goes_on(tmp_path: Path) -> None:
    assert previous(tmp_path, "boot-1") == -1, "nothing is known of a first run"
    ran(tmp_path, "boot-1", 7)
    assert previous(tmp_path, "boot-1") == 7
    assert previous(tmp_path, "boot-1") == 7, "a start that came to nothing changes nothing"
    ran(tmp_path, "boot-1", 9)
    assert previous(tmp_path, "boot-1") == 9


def test_another_boot_is_a_loss_of_power(tmp_path: Path) -> None:
    ran(tmp_path, "boot-1", 7)
    assert previous(tmp_path, "boot-2") == -1


def test_without_boot_ids_every_crash_is_one(tmp_path: Path) -> None:
    ran(tmp_path, "boot-1", 7)
    assert previous(tmp_path, None) == -1
    ran(tmp_path, None, 8)
    # The mark of the run before is there still, of an epoch that the controller has forgotten.
    assert previous(tmp_path, "boot-1") == 7


def test_an_orderly_stop_needs_no_mark(tmp_path: Path) -> None:
    ran(tmp_path, None, 7, stops=True)
    assert previous(tmp_path, "boot-2") == 7


def test_a_copy_does_not_pass_for_the_original(tmp_path: Path) -> None:
    ran(tmp_path / "a", "boot-1", 7)
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert previous(tmp_path / "b", "boot-1") == -1
    assert previous(tmp_path / "a", "boot-1") == 7


def test_all_directories_must_agree(tmp_path: Path) -> None:
    ran(tmp_path, "boot-1", 7)
    assert previous(tmp_path, "boot-1", "one", "two", "new") == -1
    (tmp_path / "two" / MARKER_FILE).unlink()
    assert previous(tmp_path, "boot-1") == -1


def test_a_directory_that_broke_ends_the_trust(tmp_path: Path) -> None:
    """The kernel may have dropped what it could not write, and the next start may find the disk in order."""
    directories = opened(tmp_path)
    markers = ShutdownMarkers(directories, "boot-1")
    markers.write(7)
    directories.take_offline(str(tmp_path / "two"), "input/output error")
    markers.write(8)
    directories.close(clean=False)
    assert not (tmp_path / "one" / MARKER_FILE).exists()
    assert previous(tmp_path, "boot-1", "one") == -1


@pytest.mark.parametrize("content", ["", "{", "[]", "null", json.dumps({"version": 0}), json.dumps({"version": 9})])
def test_a_mark_that_cannot_be_read_is_none(tmp_path: Path, content: str) -> None:
    ran(tmp_path, "boot-1", 7)
    (tmp_path / "one" / MARKER_FILE).write_text(content)
    assert previous(tmp_path, "boot-1") == -1


def test_boot_ids_come_from_a_file_where_there_is_one(tmp_path: Path) -> None:
    assert read_boot_id(str(tmp_path / "none")) is None
    (tmp_path / "empty").write_text("\n")
    assert read_boot_id(str(tmp_path / "empty")) is None
    (tmp_path / "odd").write_bytes(b"\xff\xfe")
    assert read_boot_id(str(tmp_path / "odd")) is None
    (tmp_path / "boot_id").write_text("0b7f\n")
    assert read_boot_id(str(tmp_path / "boot_id")) == "0b7f"
