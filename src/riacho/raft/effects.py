"""What a node wants done, in this order, before it is stepped again.

`PersistState` stands before whatever promises it. After `AppendControl` the driver steps `Appended`; after
`AppendFetched`, `Truncate` and `FinishSnapshot` it steps `LogChanged`.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

from riacho.raft.log_view import SnapshotId
from riacho.raft.quorum_state import QuorumState
from riacho.wire.messages.fetch_response import FetchResponse
from riacho.wire.messages.fetch_snapshot_response import FetchSnapshotResponse
from riacho.wire.schema import Buffer, Message


class Destination(NamedTuple):
    """Where a request goes; the id is -1 for a bootstrap server, of which only the address is known."""

    node_id: int
    host: str
    port: int


class PersistState(NamedTuple):
    state: QuorumState


class AppendControl(NamedTuple):
    """One control batch of the leader, in its epoch, at the end of the log: (control type, value)."""

    records: list[tuple[int, Message]]


class Truncate(NamedTuple):
    offset: int


class AppendFetched(NamedTuple):
    """Whole batches with offsets and epochs as the leader gave them, their checksums verified."""

    records: Buffer


class StoreSnapshotChunk(NamedTuple):
    """Write this part of a snapshot to a file on the side; position 0 starts it anew."""

    snapshot_id: SnapshotId
    position: int
    data: Buffer


class FinishSnapshot(NamedTuple):
    """The file is whole: it becomes the latest snapshot, and the log starts over at its end, empty. The driver steps
    `VotersSeen` with the voters in it, then `LogChanged`."""

    snapshot_id: SnapshotId


class Send(NamedTuple):
    to: Destination
    request: Message
    timeout_ms: int


class Reply(NamedTuple):
    request_id: int
    response: Message


class ReplyFetch(NamedTuple):
    """The driver reads the log from `offset` into `response.responses[0].partitions[0].records`: whole batches, at
    least one."""

    request_id: int
    response: FetchResponse
    offset: int
    size_bytes_max: int


class ReplySnapshot(NamedTuple):
    """The driver fills `size` and `unaligned_records` of `response.topics[0].partitions[0]`, or sets its `error_code`
    to SNAPSHOT_NOT_FOUND or POSITION_OUT_OF_RANGE."""

    request_id: int
    response: FetchSnapshotResponse
    snapshot_id: SnapshotId
    position: int
    size_bytes_max: int


class HighWatermark(NamedTuple):
    offset: int


class BecameLeader(NamedTuple):
    epoch: int


class LeaderChanged(NamedTuple):
    """Whom this node takes for the leader, -1 when it knows none; itself included."""

    leader_id: int
    epoch: int


class KRaftVersionDecided(NamedTuple):
    """The answer to `KRaftVersionRequested`; the code is an `ErrorCode`."""

    request_id: int
    error_code: int
    detail: str = ""


Effect: TypeAlias = (
    PersistState
    | AppendControl
    | Truncate
    | AppendFetched
    | StoreSnapshotChunk
    | FinishSnapshot
    | Send
    | Reply
    | ReplyFetch
    | ReplySnapshot
    | HighWatermark
    | BecameLeader
    | LeaderChanged
    | KRaftVersionDecided
)
