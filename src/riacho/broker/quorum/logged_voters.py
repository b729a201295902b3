"""The voter sets that a node's metadata log holds, read before the quorum starts and after a snapshot was fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from riacho.raft.control_records import voters_in
from riacho.raft.voter_history import BEFORE_THE_LOG, VotersAt
from riacho.raft.voters import VoterSet

if TYPE_CHECKING:
    from riacho.broker.quorum.metadata_log import MetadataLog


def voter_history(log: MetadataLog) -> tuple[VotersAt, ...]:
    """Every voter set that the newest snapshot and the log behind it hold."""
    nobody = VotersAt(BEFORE_THE_LOG, VoterSet(), 0)
    found: list[VotersAt] = []
    snapshot = log.latest_snapshot()
    if snapshot is not None:
        held = voters_in(log.snapshot_bytes(snapshot), nobody)
        # Offsets within a snapshot are its own; what it holds was committed before its end.
        found = [held[-1]._replace(offset=snapshot.end_offset - 1)] if held else []
    for data, position, header in log.batches(log.start_offset, log.end_offset):
        if header.is_control:
            found += voters_in(data[position : position + header.size_bytes], found[-1] if found else nobody)
    return tuple(found)
