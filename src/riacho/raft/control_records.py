"""Control records of the metadata log: a key of version and type, and a value that the type tells.

LeaderChange opens every epoch; KRaftVersion and Voters carry what KIP-853 keeps in the log; header and footer enclose a
snapshot.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import Voter, VoterSet
from riacho.wire import batch as batches
from riacho.wire import codec
from riacho.wire.messages import leader_change_message as leader_change
from riacho.wire.messages.kraft_version_record import KRaftVersionRecord
from riacho.wire.messages.leader_change_message import LeaderChangeMessage
from riacho.wire.messages.snapshot_footer_record import SnapshotFooterRecord
from riacho.wire.messages.snapshot_header_record import SnapshotHeaderRecord
from riacho.wire.messages.voters_record import VotersRecord
from riacho.wire.records import Record, build_batch, iterate_records
from riacho.wire.schema import Buffer, Message

LEADER_CHANGE: Final = 2
SNAPSHOT_HEADER: Final = 3
SNAPSHOT_FOOTER: Final = 4
KRAFT_VERSION: Final = 5
VOTERS: Final = 6

_KEY = struct.Struct(">hh")
_VERSION = struct.Struct(">h")
_TYPES: Final[dict[int, type[Message]]] = {
    LEADER_CHANGE: LeaderChangeMessage,
    SNAPSHOT_HEADER: SnapshotHeaderRecord,
    SNAPSHOT_FOOTER: SnapshotFooterRecord,
    KRAFT_VERSION: KRaftVersionRecord,
    VOTERS: VotersRecord,
}


def build_control_batch(
    records: Iterable[tuple[int, Message]], *, base_offset: int, leader_epoch: int, timestamp_ms: int
) -> bytearray:
    rows = [
        Record(delta, 0, _KEY.pack(0, kind), bytes(codec.encode(value, getattr(value, "version", 0))))
        for delta, (kind, value) in enumerate(records)
    ]
    return build_batch(
        rows, base_timestamp=timestamp_ms, base_offset=base_offset, leader_epoch=leader_epoch, control=True
    )


def parse_control_record(key: bytes | None, value: bytes | None) -> tuple[int, Message] | None:
    """The type and value of a record in a control batch; None when it is of no type known here."""
    if key is None or value is None or len(key) < _KEY.size or len(value) < _VERSION.size:
        return None
    _, kind = _KEY.unpack_from(key)
    cls = _TYPES.get(kind)
    if cls is None:
        return None
    # Every value starts with its own version; one that is newer than ours is read as our newest.
    version = min(_VERSION.unpack_from(value)[0], cls.VERSIONS[1])
    return kind, codec.decode(cls, version, value)


def iterate_control_records(records: Buffer) -> Iterator[tuple[int, int, Message]]:
    """(offset, type, value) of the control records in whole batches."""
    for position, header in batches.iterate_headers(records):
        if not header.is_control:
            continue
        for record in iterate_records(records, position):
            parsed = parse_control_record(record.key, record.value)
            if parsed is not None:
                yield header.base_offset + record.offset_delta, *parsed


def voters_in(records: Buffer, before: VotersAt) -> list[VotersAt]:
    """The voter sets that these batches bring, after the one that ruled `before` them.

    A kraft.version and the voters that come with it stand in one batch; each yields an entry of its own.
    """
    found: list[VotersAt] = []
    for offset, _, value in iterate_control_records(records):
        latest = found[-1] if found else before
        if isinstance(value, KRaftVersionRecord):
            found.append(VotersAt(offset, latest.voters, value.kraft_version))
        elif isinstance(value, VotersRecord):
            found.append(VotersAt(offset, VoterSet.from_record(value), latest.kraft_version))
    return found


def leader_change_record(leader_id: int, voters: Iterable[Voter], granting: Iterable[Voter]) -> tuple[int, Message]:
    """Always in version 0, which has no directory ids: Apache Kafka reads no other, whatever the record says of itself.

    Those of version 1 that older logs of ours hold are read by the version that they name.
    """
    return LEADER_CHANGE, LeaderChangeMessage(
        version=0,
        leader_id=leader_id,
        voters=[leader_change.Voter(voter_id=voter.node_id) for voter in voters],
        granting_voters=[leader_change.Voter(voter_id=voter.node_id) for voter in granting],
    )


def kraft_version_record(kraft_version: int) -> tuple[int, Message]:
    return KRAFT_VERSION, KRaftVersionRecord(kraft_version=kraft_version)


def voters_record(voters: VoterSet) -> tuple[int, Message]:
    return VOTERS, voters.to_record()
