"""The small text files that a log directory keeps beside its partitions, in Kafka's formats.

A checkpoint is its version (0), the number of entries, and one entry a line. It is replaced as a whole: written beside,
synced, renamed over the old one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from riacho.base.ids import uuid_from_text, uuid_text
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


def sync_directory(path: str) -> None:
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def replace_file(path: str, data: bytes, *, sync: bool = True) -> None:
    """Put `data` in the place of the file, whole or not at all."""
    beside = path + ".tmp"
    with open(beside, "wb", buffering=0) as file:
        file.write(data)
        if sync:
            os.fsync(file.fileno())
    os.replace(beside, path)
    if sync:
        sync_directory(os.path.dirname(path))


def read_small_file(path: str) -> bytes:
    """The whole of a file of a page or two; the fast way, since a start reads several of every partition."""
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        data = os.read(fd, _READ_SIZE_BYTES)
        if len(data) == _READ_SIZE_BYTES:
            while more := os.read(fd, 1 << 20):
                data += more
        return data
    finally:
        os.close(fd)


def write_entries(path: str, entries: Iterable[str], *, sync: bool = True) -> None:
    lines = list(entries)
    replace_file(path, "".join(f"{line}\n" for line in ("0", str(len(lines)), *lines)).encode(), sync=sync)


def read_entries(path: str) -> list[list[str]]:
    """The fields of every entry; no file is no entries."""
    try:
        lines = read_small_file(path).decode().splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise CorruptCheckpoint(f"{os.path.basename(path)} is not text") from error
    if len(lines) < 2 or lines[0].strip() != "0" or not lines[1].strip().isdigit():
        raise CorruptCheckpoint(f"{os.path.basename(path)} has no version 0 head")
    entries = [line.split() for line in lines[2:] if line.strip()]
    if len(entries) != int(lines[1]):
        raise CorruptCheckpoint(f"{os.path.basename(path)} has {len(entries)} entries, its head says {lines[1]}")
    return entries


def write_offsets(path: str, offsets: Mapping[TopicPartition, int], *, sync: bool = True) -> None:
    write_entries(path, (f"{topic} {partition} {offset}" for (topic, partition), offset in offsets.items()), sync=sync)


def read_offsets(path: str) -> dict[TopicPartition, int]:
    try:
        return {(topic, int(partition)): int(offset) for topic, partition, offset in read_entries(path)}
    except ValueError as error:
        raise CorruptCheckpoint(f"{os.path.basename(path)}: {error}") from error


def write_epochs(directory: str, entries: Iterable[EpochEntry], *, sync: bool) -> None:
    write_entries(
        f"{directory}/{LEADER_EPOCH_FILE}", (f"{entry.epoch} {entry.start_offset}" for entry in entries), sync=sync
    )


def read_epochs(directory: str) -> list[EpochEntry]:
    try:
        return [EpochEntry(int(epoch), int(start)) for epoch, start in read_entries(f"{directory}/{LEADER_EPOCH_FILE}")]
    except ValueError as error:
        raise CorruptCheckpoint(f"{LEADER_EPOCH_FILE}: {error}") from error


def write_topic_id(directory: str, topic_id: bytes) -> None:
    replace_file(
        f"{directory}/{PARTITION_METADATA_FILE}", f"version: 0\ntopic_id: {uuid_text(topic_id)}".encode(), sync=False
    )


def read_topic_id(directory: str) -> bytes | None:
    try:
        text = read_small_file(f"{directory}/{PARTITION_METADATA_FILE}").decode(errors="replace")
    except FileNotFoundError:
        return None
    fields = dict(line.partition(":")[::2] for line in text.splitlines() if ":" in line)
    try:
        if fields["version"].strip() != "0":
            raise ValueError("unknown version")
        return uuid_from_text(fields["topic_id"].strip())
    except (KeyError, ValueError) as error:
        raise CorruptCheckpoint(f"{PARTITION_METADATA_FILE} of {os.path.basename(directory)}: {error}") from error
