from __future__ import annotations

from riacho.raft import control_records
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import Endpoint, Voter, VoterSet
from riacho.wire.batch import crc_is_valid, read_header
from riacho.wire.messages import leader_change_message as leader_change
from riacho.wire.messages.leader_change_message import LeaderChangeMessage
from riacho.wire.messages.snapshot_footer_record import SnapshotFooterRecord
from riacho.wire.messages.snapshot_header_record import SnapshotHeaderRecord
from riacho.wire.records import iterate_records
from support.raft_log import data_batch
from support.raft_world import dynamic_voters, static_voters

NOBODY = VotersAt(-1, VoterSet(), 0)


def batch(*records: tuple[int, object], base_offset: int = 7) -> bytes:
    built = control_records.build_control_batch(
        records,  # type: ignore[arg-type]
        base_offset=base_offset,
        leader_epoch=3,
        timestamp_ms=99,
    )
    return bytes(built)


def test_a_control_batch_is_one() -> None:
    data = batch(control_records.kraft_version_record(1), control_records.voters_record(dynamic_voters(3)))
    header = read_header(data)
    assert header.is_control
    assert (header.base_offset, header.next_offset, header.partition_leader_epoch) == (7, 9, 3)
    assert crc_is_valid(data, 0, header)


def test_the_first_record_of_an_epoch() -> None:
    voters = dynamic_voters(3)
    data = batch(control_records.leader_change_record(2, voters, [*voters][:2]))
    ((offset, kind, value),) = control_records.iterate_control_records(data)
    assert (offset, kind) == (7, control_records.LEADER_CHANGE)
    assert isinstance(value, LeaderChangeMessage)
    assert (value.version, value.leader_id) == (0, 2)
    assert [voter.voter_id for voter in value.voters] == [1, 2, 3]
    assert [voter.voter_id for voter in value.granting_voters] == [1, 2]


def test_what_apache_kafka_writes_is_written() -> None:
    """The bytes are those of a dynamic quorum of one that Apache Kafka 4.3.1 formatted and led, record by record."""
    directory_id = bytes.fromhex("e517039d6f3248d99b930b6b6e732278")
    voters = VoterSet([Voter(1, directory_id, (Endpoint("CONTROLLER", "127.0.0.1", 18046),))])
    data = batch(
        control_records.leader_change_record(1, voters, voters),
        control_records.kraft_version_record(1),
        control_records.voters_record(voters),
        (control_records.SNAPSHOT_HEADER, SnapshotHeaderRecord(last_contained_log_timestamp=1794843343491)),
        (control_records.SNAPSHOT_FOOTER, SnapshotFooterRecord()),
    )
    assert [(record.key, record.value) for record in iterate_records(data, 0)] == [
        (bytes.fromhex(key), bytes.fromhex(value))
        for key, value in (
            ("00000002", "00000000000102000000010002000000010000"),
            ("00000005", "0000000100"),
            (
                "00000006",
                "00000200000001e517039d6f3248d99b930b6b6e732278020b434f4e54524f4c4c4552"
                "0a3132372e302e302e31467e0000000001000000",
            ),
            ("00000003", "0000000001a1e4fffa8300"),
            ("00000004", "000000"),
        )
    ]


def test_a_leader_change_of_version_1_is_read() -> None:
    """Older logs of ours have it, with directory ids."""
    voter = leader_change.Voter(voter_id=4, voter_directory_id=bytes(range(16)))
    value = LeaderChangeMessage(version=1, leader_id=4, voters=[voter], granting_voters=[voter])
    ((_, kind, read),) = control_records.iterate_control_records(batch((control_records.LEADER_CHANGE, value)))
    assert (kind, read) == (control_records.LEADER_CHANGE, value)


def test_voters_in_batches_by_offset() -> None:
    data = batch(control_records.kraft_version_record(1), control_records.voters_record(dynamic_voters(3)))
    data += data_batch("x", 9, 3)
    data += batch(control_records.voters_record(dynamic_voters(4)), base_offset=10)
    assert control_records.voters_in(data, VotersAt(-1, static_voters(3), 0)) == [
        VotersAt(7, static_voters(3), 1),
        VotersAt(8, dynamic_voters(3), 1),
        VotersAt(10, dynamic_voters(4), 1),
    ]


def test_other_records_bring_no_voters() -> None:
    data = batch((control_records.SNAPSHOT_HEADER, SnapshotHeaderRecord(last_contained_log_timestamp=5)))
    assert control_records.voters_in(data, NOBODY) == []
    ((_, kind, value),) = control_records.iterate_control_records(data)
    assert (kind, value) == (control_records.SNAPSHOT_HEADER, SnapshotHeaderRecord(last_contained_log_timestamp=5))


def test_a_type_of_the_future_is_passed_over() -> None:
    assert control_records.parse_control_record(b"\x00\x00\x00\x63", b"\x00\x00") is None
    assert control_records.parse_control_record(None, b"\x00\x00") is None
