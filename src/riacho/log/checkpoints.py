"""The small text files that a log directory keeps beside its partitions, in Kafka's formats.

A checkpoint is its version (0), the number of entries, and one entry a line. It is replaced as a whole: written beside,
synced, renamed over the old one.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping

from riacho.base.ids import uuid_from_text, uuid_text
from riacho.base.ports import Files
from riacho.log.real_files import REAL_FILES
from riacho.partition.epochs import EpochEntry

RECOVERY_POINT_FILE = "recovery-point-offset-checkpoint"
LOG_START_OFFSET_FILE = "log-start-offset-checkpoint"
HIGH_WATERMARK_FILE = "replication-offset-checkpoint"
CLEANER_OFFSET_FILE = "cleaner-offset-checkpoint"
LEADER_EPOCH_FILE = "leader-epoch-checkpoint"
PARTITION_METADATA_FILE = "partition.metadata"

TopicPartition = tuple[str, int]

_READ_SIZE_BYTES = 8192


class CorruptCheckpoint(Exception):
    """A checkpoint file that does not read as one."""


def sync_directory(path: str, files: Files = REAL_FILES) -> None:
    _sync(path, os.O_DIRECTORY, files)


def sync_file(path: str, files: Files = REAL_FILES) -> None:
    _sync(path, 0, files)


def _sync(path: str, flags: int, files: Files) -> None:
    fd = files.open(path, os.O_RDONLY | flags | os.O_CLOEXEC)
    try:
        files.fsync(fd)
    finally:
        files.close(fd)


def replace_file(path: str, data: bytes, *, sync: bool = True, files: Files = REAL_FILES) -> None:
    """Put `data` in the place of the file, whole or not at all.

    Without `sync` a power failure may leave it empty, or the one before: for files whose reader can do without them.
    """
    write_beside(path + ".tmp", data, sync=sync, files=files)
    files.rename(path + ".tmp", path)
    if sync:
        sync_directory(os.path.dirname(path), files)


def write_beside(path: str, data: bytes, *, sync: bool, files: Files = REAL_FILES) -> None:
    """The file that is to take another's place."""
    fd = files.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC)
    try:
        if files.pwrite(fd, data, 0) != len(data):
            # A short write is how a disk begins to be full.
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if sync:
            files.fsync(fd)
    finally:
        files.close(fd)


def read_small_file(path: str, files: Files = REAL_FILES) -> bytes:
    """The whole of a file of a page or two; the fast way, since a start reads several of every partition."""
    fd = files.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = files.pread(fd, _READ_SIZE_BYTES, 0)
        if len(data) == _READ_SIZE_BYTES:
            while more := files.pread(fd, 1 << 20, len(data)):
                data += more
        return data
    finally:
        files.close(fd)


def entries_text(entries: Iterable[str]) -> bytes:
    lines = list(entries)
    return "".join(f"{line}\n" for line in ("0", str(len(lines)), *lines)).encode()


def read_entries(path: str, files: Files = REAL_FILES) -> list[list[str]]:
    """The fields of every entry; no file is no entries."""
    try:
        text = read_small_file(path, files).decode()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise CorruptCheckpoint(f"{os.path.basename(path)} is not text") from error
    lines = text.splitlines()
    if not text.endswith("\n"):
        # The last number may lack its last digits.
        raise CorruptCheckpoint(f"{os.path.basename(path)} is cut short")
    if len(lines) < 2 or lines[0].strip() != "0" or not lines[1].strip().isdecimal():
        raise CorruptCheckpoint(f"{os.path.basename(path)} has no version 0 head")
    entries = [line.split() for line in lines[2:] if line.strip()]
    if len(entries) != int(lines[1]):
        raise CorruptCheckpoint(f"{os.path.basename(path)} has {len(entries)} entries, its head says {lines[1]}")
    return entries


def write_offsets(
    path: str, offsets: Mapping[TopicPartition, int], *, sync: bool = True, files: Files = REAL_FILES
) -> None:
    lines = (f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items())
    replace_file(path, entries_text(lines), sync=sync, files=files)


def read_offsets(path: str, files: Files = REAL_FILES) -> dict[TopicPartition, int]:
    try:
        found = {(topic, int(partition)): int(offset) for topic, partition, offset in read_entries(path, files)}
    except ValueError as error:
        raise CorruptCheckpoint(f"{os.path.basename(path)}: {error}") from error
    if any(partition < 0 or offset < 0 for (_, partition), offset in found.items()):
        raise CorruptCheckpoint(f"{os.path.basename(path)} has a negative number")
    return found


def epochs_text(entries: Iterable[EpochEntry]) -> bytes:
    return entries_text(f"{entry.epoch} {entry.start_offset}" for entry in entries)


def read_epochs(directory: str, files: Files = REAL_FILES) -> list[EpochEntry]:
    try:
        found = read_entries(f"{directory}/{LEADER_EPOCH_FILE}", files)
        return [EpochEntry(int(epoch), int(start)) for epoch, start in found]
    except ValueError as error:
        raise CorruptCheckpoint(f"{LEADER_EPOCH_FILE}: {error}") from error


def write_topic_id(directory: str, topic_id: bytes, files: Files = REAL_FILES) -> None:
    text = f"version: 0\ntopic_id: {uuid_text(topic_id)}"
    replace_file(f"{directory}/{PARTITION_METADATA_FILE}", text.encode(), sync=False, files=files)


def read_topic_id(directory: str, files: Files = REAL_FILES) -> bytes | None:
    try:
        text = read_small_file(f"{directory}/{PARTITION_METADATA_FILE}", files).decode(errors="replace")
    except FileNotFoundError:
        return None
    fields = dict(line.partition(":")[::2] for line in text.splitlines() if ":" in line)
    try:
        if fields["version"].strip() != "0":
            raise ValueError("unknown version")
        return uuid_from_text(fields["topic_id"].strip())
    except (KeyError, ValueError) as error:
        raise CorruptCheckpoint(f"{PARTITION_METADATA_FILE} of {os.path.basename(directory)}: {error}") from error


def find_topic_id(directory: str, files: Files = REAL_FILES) -> bytes | None:
    """None when nothing readable says it: the file is synced with the first flush only, so that making thousands of
    partitions does not take thousands of syncs."""
    try:
        return read_topic_id(directory, files)
    except CorruptCheckpoint:
        return None
