"""The two files that `kafka-storage format` leaves for a node's first start, as Kafka lays them out.

`bootstrap.checkpoint` in every log directory holds the records that the first active controller of a new cluster
writes: the feature levels, and credentials of users who must be able to log in from the start.
`00000000000000000000-0000000000.checkpoint` in the metadata partition is the snapshot from which the log of a dynamic
quorum begins (KIP-853): the kraft.version and the first voters, and no metadata.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riacho.metadata.image.records import MetadataRecord
from riacho.metadata.image.snapshot import record_batch
from riacho.raft.control_records import (
    SNAPSHOT_FOOTER,
    SNAPSHOT_HEADER,
    build_control_batch,
    kraft_version_record,
    voters_record,
)
from riacho.raft.voters import VoterSet
from riacho.wire.messages.feature_level_record import FeatureLevelRecord
from riacho.wire.messages.snapshot_footer_record import SnapshotFooterRecord
from riacho.wire.messages.snapshot_header_record import SnapshotHeaderRecord

BOOTSTRAP_FILE = "bootstrap.checkpoint"
FIRST_SNAPSHOT_FILE = "00000000000000000000-0000000000.checkpoint"
METADATA_PARTITION = "__cluster_metadata-0"
_DYNAMIC_VOTERS = 1


def bootstrap_checkpoint(levels: Mapping[str, int], now_ms: int, credentials: Sequence[MetadataRecord] = ()) -> bytes:
    records: list[MetadataRecord] = [
        FeatureLevelRecord(name=name, feature_level=level) for name, level in levels.items()
    ]
    records += credentials
    header = SnapshotHeaderRecord(last_contained_log_timestamp=0)
    return b"".join(
        (
            build_control_batch([(SNAPSHOT_HEADER, header)], base_offset=0, leader_epoch=0, timestamp_ms=now_ms),
            record_batch(records, 1, 0, now_ms),
            _footer(1 + len(records), now_ms),
        )
    )


def first_snapshot(voters: VoterSet, now_ms: int) -> bytes:
    header = SnapshotHeaderRecord(last_contained_log_timestamp=now_ms)
    records = [(SNAPSHOT_HEADER, header), kraft_version_record(_DYNAMIC_VOTERS), voters_record(voters)]
    return b"".join(
        (
            build_control_batch(records, base_offset=0, leader_epoch=0, timestamp_ms=now_ms),
            _footer(len(records), now_ms),
        )
    )


def _footer(base_offset: int, now_ms: int) -> bytearray:
    footer = (SNAPSHOT_FOOTER, SnapshotFooterRecord())
    return build_control_batch([footer], base_offset=base_offset, leader_epoch=0, timestamp_ms=now_ms)
