from __future__ import annotations

from pathlib import Path

import pytest

from riacho.log import checkpoints
from riacho.log.checkpoints import CorruptCheckpoint
from riacho.log.meta_properties import MetaProperties, read_meta_properties, write_meta_properties
from riacho.log.producer_snapshot import CorruptSnapshot, decode_snapshot, encode_snapshot
from riacho.partition.epochs import EpochEntry
from riacho.partition.producers import Producer, ProducerBatch


def test_offset_checkpoint_is_kafkas_text(tmp_path: Path) -> None:
    path = str(tmp_path / checkpoints.RECOVERY_POINT_FILE)
    checkpoints.write_offsets(path, {("orders", 0): 12, ("with-dash", 3): 0})
    assert Path(path).read_text() == "0\n2\norders 0 12\nwith-dash 3 0\n"
    assert checkpoints.read_offsets(path) == {("orders", 0): 12, ("with-dash", 3): 0}


def test_no_checkpoint_is_an_empty_one(tmp_path: Path) -> None:
    assert checkpoints.read_offsets(str(tmp_path / "none")) == {}


@pytest.mark.parametrize("text", ["", "1\n0\n", "0\n2\na 0 1\n", "0\n1\na 0\n", "0\n1\na b c\n", "\xff\xfe"])
def test_a_broken_checkpoint_is_told_apart(tmp_path: Path, text: str) -> None:
    path = tmp_path / "broken"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CorruptCheckpoint):
        checkpoints.read_offsets(str(path))


def test_leader_epoch_checkpoint_is_kafkas_text(tmp_path: Path) -> None:
    entries = [EpochEntry(0, 0), EpochEntry(3, 42)]
    assert checkpoints.epochs_text(entries) == b"0\n2\n0 0\n3 42\n"
    (tmp_path / "leader-epoch-checkpoint").write_bytes(checkpoints.epochs_text(entries))
    assert checkpoints.read_epochs(str(tmp_path)) == entries


def test_partition_metadata_is_kafkas_text(tmp_path: Path) -> None:
    topic_id = bytes(range(16))
    checkpoints.write_topic_id(str(tmp_path), topic_id)
    assert (tmp_path / "partition.metadata").read_text() == "version: 0\ntopic_id: AAECAwQFBgcICQoLDA0ODw"
    assert checkpoints.read_topic_id(str(tmp_path)) == topic_id
    (tmp_path / "partition.metadata").write_text("version: 0\n")
    with pytest.raises(CorruptCheckpoint):
        checkpoints.read_topic_id(str(tmp_path))


def test_meta_properties_reads_javas_form(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text(
        "#\n#Thu Jan 01 00:00:00 UTC 2026\ncluster.id=MkU3OEVBNTcwNTJENDM2Qg\nversion=1\n"
        "directory.id=AAECAwQFBgcICQoLDA0ODw\nnode.id=3\n"
    )
    meta = read_meta_properties(str(tmp_path))
    assert meta == MetaProperties(3, "MkU3OEVBNTcwNTJENDM2Qg", bytes(range(16)))
    write_meta_properties(str(tmp_path), meta)
    assert read_meta_properties(str(tmp_path)) == meta


def test_meta_properties_of_another_version_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meta.properties").write_text("version=0\nbroker.id=1\n")
    with pytest.raises(ValueError, match="version 0"):
        read_meta_properties(str(tmp_path))


def producer() -> Producer:
    known = Producer(9, 2)
    known.batches = [ProducerBatch(4, 10, 2, 900), ProducerBatch(7, 13, 2, 1_000)]
    known.last_timestamp = 1_000
    known.coordinator_epoch = 3
    known.transaction_first_offset = 8
    return known


def test_snapshot_keeps_the_last_batch() -> None:
    (again,) = decode_snapshot(encode_snapshot([producer()]))
    assert again.batches == [ProducerBatch(7, 13, 2, 1_000)]
    assert (again.epoch, again.coordinator_epoch, again.transaction_first_offset) == (2, 3, 8)


def test_snapshot_layout() -> None:
    data = encode_snapshot([producer()])
    assert len(data) == 2 + 4 + 4 + 46
    assert data[:2] == b"\x00\x01"
    assert data[6:18] == b"\x00\x00\x00\x01" + (9).to_bytes(8, "big")


def test_every_flipped_byte_of_a_snapshot_is_noticed() -> None:
    data = encode_snapshot([producer()])
    for position in range(len(data)):
        broken = bytearray(data)
        broken[position] ^= 0x40
        with pytest.raises(CorruptSnapshot):
            decode_snapshot(bytes(broken))
        with pytest.raises(CorruptSnapshot):
            decode_snapshot(data[:position])
