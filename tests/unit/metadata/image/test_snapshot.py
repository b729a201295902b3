from __future__ import annotations

import itertools

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.metadata.image.image import MetadataImage
from riacho.metadata.image.snapshot import (
    build_snapshot,
    parse_snapshot_name,
    read_snapshot,
    record_batch,
    records_of,
    snapshot_name,
)
from riacho.wire.batch import iterate_headers, read_header
from riacho.wire.messages.kraft_version_record import KRaftVersionRecord
from riacho.wire.messages.no_op_record import NoOpRecord
from riacho.wire.messages.voters_record import VotersRecord
from riacho.wire.records import iterate_records
from support.metadata_world import MetadataWorld, topic


def world() -> MetadataWorld:
    world = MetadataWorld(2)
    world.create(topic("a", 1500, configs={"retention.ms": "5"}), topic("b", 2, 2))
    world.allocate_producer_ids(1)
    return world


def test_names_carry_the_end_offset_and_the_epoch() -> None:
    assert snapshot_name(57, 3) == "00000000000000000057-0000000003.checkpoint"
    assert parse_snapshot_name("00000000000000000057-0000000003.checkpoint") == (57, 3)
    assert parse_snapshot_name("00000000000000000057-0000000003.checkpoint.tmp") is None
    assert parse_snapshot_name("00000000000000000000.log") is None


def test_an_image_comes_back_whole() -> None:
    image = world().image
    data = b"".join(build_snapshot(image, epoch=3, last_timestamp_ms=9, now_ms=10))
    assert MetadataImage(cluster_id=image.cluster_id).apply(read_snapshot(data), image.end_offset) == image


def test_batches_follow_one_another_between_header_and_footer() -> None:
    data = b"".join(build_snapshot(world().image, epoch=3, last_timestamp_ms=9, now_ms=10))
    headers = [header for _, header in iterate_headers(data)]
    assert [header.is_control for header in headers] == [True, False, False, True]
    assert all(header.partition_leader_epoch == 3 for header in headers)
    assert all(before.last_offset + 1 == after.base_offset for before, after in itertools.pairwise(headers))
    (first,) = iterate_records(data)
    # Control type 3, then version 0 and the timestamp: the bytes of Apache Kafka's own snapshots.
    assert (first.key, first.value) == (b"\x00\x00\x00\x03", b"\x00\x00" + (9).to_bytes(8, "big") + b"\x00")


def test_an_unfinished_snapshot_is_none() -> None:
    batches = list(build_snapshot(MetadataImage(), epoch=3, last_timestamp_ms=9, now_ms=10))
    with pytest.raises(KafkaError, match="no footer"):
        read_snapshot(b"".join(batches[:-1]))
    with pytest.raises(KafkaError, match="no footer"):
        read_snapshot(b"")


def test_a_damaged_snapshot_is_none() -> None:
    data = bytearray(b"".join(build_snapshot(world().image, epoch=3, last_timestamp_ms=9, now_ms=10)))
    data[300] ^= 1
    with pytest.raises(KafkaError) as raised:
        read_snapshot(bytes(data))
    assert raised.value.code is ErrorCode.CORRUPT_MESSAGE
    with pytest.raises(KafkaError):
        read_snapshot(bytes(data[:-5]))


def test_the_quorum_keeps_its_own_records_in_the_header_batch() -> None:
    controls = [(5, KRaftVersionRecord(kraft_version=1)), (6, VotersRecord())]
    data = b"".join(build_snapshot(world().image, 3, 10, 20, controls))
    assert read_snapshot(data) == list(world().image.to_records())
    kinds = [record.key for record in iterate_records(data)]
    assert kinds == [b"\x00\x00\x00\x03", b"\x00\x00\x00\x05", b"\x00\x00\x00\x06"]
    offsets = [header.base_offset for _, header in iterate_headers(data)]
    assert offsets[:2] == [0, 3]


def test_records_of_a_log_batch() -> None:
    batch = record_batch([NoOpRecord(), NoOpRecord()], 5, 2, 10)
    assert records_of(bytes(batch)) == [NoOpRecord(), NoOpRecord()]
    assert read_header(batch).last_offset == 6
