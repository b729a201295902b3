"""Followers and observers: pulling the log from the leader, or finding out who that is. Fetch, v17-18.

One request is out at a time. What comes back is appended, cuts the log where it diverges from the leader's, or names a
snapshot when the leader's log starts later (`snapshot`). A node that knows no leader asks bootstrap servers and voters,
at random: whoever it reaches tells the leader's address with its refusal. The leader of an epoch below one's own is
read as well, under the rules of `observing`.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from riacho.base.errors import KafkaError
from riacho.base.ids import METADATA_TOPIC_ID
from riacho.raft import answers, observing, snapshot, voter_update
from riacho.raft.control_records import voters_in
from riacho.raft.core import Core
from riacho.raft.effects import AppendFetched, Destination, Truncate
from riacho.raft.log_view import SnapshotId
from riacho.raft.roles import Fetching, Follower, Observed, Unattached
from riacho.wire import batch as batches
from riacho.wire.messages import fetch_request as wire
from riacho.wire.messages.fetch_request import FetchRequest
from riacho.wire.schema import Buffer, Message

REFUSED_ELECTION_MS = 100
DISCOVERY_PAUSE_MS = 50


def fetching_of(core: Core) -> Fetching | None:
    if core.source is not None:
        return core.source.fetching
    return core.state.fetching if isinstance(core.state, Unattached) else None


def advance(core: Core) -> None:
    source, fetching = core.source, fetching_of(core)
    if fetching is None or core.is_log_pending:
        return
    if fetching.request is not None or fetching.retry_at_ms > core.now_ms:
        return
    to = source.leader if source is not None else _somebody(core)
    if to is None:
        fetching.retry_at_ms = core.now_ms + core.config.fetch_wait_ms_max
        return
    fetching.request = snapshot.request(core, fetching.download) if fetching.download else _request(core)
    core.send(to, fetching.request)


def next_deadline_ms(core: Core) -> int | None:
    fetching = fetching_of(core)
    if fetching is None or fetching.request is not None or core.is_log_pending:
        return None
    return fetching.retry_at_ms


def _somebody(core: Core) -> Destination | None:
    """A bootstrap server or a voter, at random: one that is down is not asked forever."""
    own = {(endpoint.host, endpoint.port) for endpoint in core.own_endpoints}
    known = [Destination(-1, *address) for address in core.bootstrap if address not in own]
    known += [to for voter in core.voters.others(core.key) if (to := core.destination(voter)) is not None]
    return known[core.rng(len(known))] if known else None


def _request(core: Core) -> FetchRequest:
    partition = wire.FetchPartition(
        partition=answers.PARTITION,
        current_leader_epoch=observing.fetch_epoch(core),
        fetch_offset=core.log.end_offset,
        last_fetched_epoch=core.log.latest_epoch,
        log_start_offset=core.log.start_offset,
        partition_max_bytes=core.config.fetch_size_bytes_max,
        replica_directory_id=core.key.directory_id,
        high_watermark=core.high_watermark,
    )
    return FetchRequest(
        cluster_id=core.cluster_id,
        replica_state=wire.ReplicaState(replica_id=observing.fetch_id(core)),
        # Whoever looks for the leader is answered at once.
        max_wait_ms=core.config.fetch_wait_ms_max if core.source is not None else 0,
        max_bytes=core.config.fetch_size_bytes_max,
        topics=[wire.FetchTopic(topic=answers.TOPIC, topic_id=METADATA_TOPIC_ID, partitions=[partition])],
    )


def failed(core: Core, request: Message, is_refused: bool) -> None:
    fetching = fetching_of(core)
    if fetching is None or fetching.request is not request:
        return
    _pause(core, fetching)
    if core.observed is not None:
        _look_elsewhere(core)
    elif is_refused and isinstance(core.state, Follower):
        _leader_is_gone(core, core.state)


def _look_elsewhere(core: Core) -> None:
    core.observe(None)
    if isinstance(core.state, Unattached):
        core.state.fetching = Fetching(core.now_ms)
        _pause(core, core.state.fetching)


def _leader_is_gone(core: Core, state: Follower) -> None:
    """Its process ended, or it says itself that it leads this epoch no more."""
    if core.is_voter:
        # A little chance keeps its followers from standing all at once.
        state.has_contact = False
        election_at_ms = core.now_ms + core.rng(REFUSED_ELECTION_MS + 1)
        state.election_at_ms = min(election_at_ms, state.election_at_ms or election_at_ms)
    else:
        core.become_unattached(core.epoch)
        assert isinstance(core.state, Unattached)
        _pause(core, core.state.fetching)


def answered(core: Core, request: FetchRequest, response: Any) -> None:
    fetching = fetching_of(core)
    if fetching is None or fetching.request is not request:
        return
    fetching.request = None
    parts = response.responses
    if response.error_code or not parts or not parts[0].partitions or parts[0].partitions[0].error_code:
        # Whom the answer names as the leader was looked at before: here it is still the one that was asked.
        _pause(core, fetching)
        if core.observed is not None:
            _look_elsewhere(core)
        elif isinstance(core.state, Follower):
            _leader_is_gone(core, core.state)
    elif core.source is not None:
        _take(core, core.source, request, parts[0].partitions[0])
    else:
        _pause(core, fetching)


def _take(core: Core, source: Follower | Observed, request: FetchRequest, partition: Any) -> None:
    if isinstance(source, Follower):
        record_leader_contact(core, source)
    asked = request.topics[0].partitions[0]
    if asked.fetch_offset != core.log.end_offset or asked.current_leader_epoch != observing.fetch_epoch(core):
        return
    if isinstance(source, Observed) and _kept_offset(core, partition) < core.high_watermark:
        # What is committed is not in its log: it is an old leader that does not know yet.
        _look_elsewhere(core)
    elif partition.snapshot_id.end_offset >= 0:
        snapshot.start(source, SnapshotId(partition.snapshot_id.end_offset, partition.snapshot_id.epoch))
    elif partition.diverging_epoch.epoch >= 0:
        _truncate(core, _kept_offset(core, partition))
    else:
        source.leader_high_watermark = partition.high_watermark
        records = _whole_batches(core, partition.records)
        if len(records):
            for entry in voters_in(records, core.history.latest):
                core.history.add(entry)
            core.emit(AppendFetched(records))
            core.is_log_pending = True
        else:
            follow_high_watermark(core)


def record_leader_contact(core: Core, state: Follower) -> None:
    state.fetch_deadline_ms = core.now_ms + core.fetch_timeout_ms()
    state.election_at_ms = None
    state.has_contact = True
    core.elections_lost = 0


def _kept_offset(core: Core, partition: Any) -> int:
    """Where the log will end, before what is new in this answer."""
    if partition.snapshot_id.end_offset >= 0:
        return int(partition.snapshot_id.end_offset)
    if partition.diverging_epoch.epoch < 0:
        return core.log.end_offset
    epoch, end_offset = partition.diverging_epoch.epoch, partition.diverging_epoch.end_offset
    own_epoch, own_end = core.log.end_offset_for_epoch(epoch)
    offset = min(own_end, end_offset) if own_epoch == epoch else own_end
    return max(offset, core.log.start_offset)


def _truncate(core: Core, offset: int) -> None:
    assert offset >= core.high_watermark, f"the leader diverges at {offset}, below the high watermark"
    core.history.truncate(offset)
    core.emit(Truncate(offset))
    core.is_log_pending = True


def _whole_batches(core: Core, records: Buffer | None) -> Buffer:
    """The leading batches that are whole, sound and the next in the log; what is cut off is fetched again."""
    if records is None:
        return b""
    end, next_offset = 0, core.log.end_offset
    # A broken length ends the walk too.
    with suppress(KafkaError):
        for position, header in batches.iterate_headers(records):
            is_sound = header.magic == 2 and batches.crc_is_valid(records, position, header)
            # Nothing can be of a later epoch than its leader's.
            is_sound = is_sound and header.partition_leader_epoch <= observing.fetch_epoch(core)
            if header.base_offset != next_offset or not is_sound:
                break
            end, next_offset = position + header.size_bytes, header.next_offset
    return memoryview(records)[:end]


def log_changed(core: Core) -> None:
    """The driver is done with what `answered` wanted of the log."""
    core.is_log_pending = False
    found = core.log.latest_snapshot()
    if found is not None:
        core.raise_high_watermark(min(found.end_offset, core.log.end_offset))
    follow_high_watermark(core)


def follow_high_watermark(core: Core) -> None:
    if core.source is not None:
        core.raise_high_watermark(min(core.source.leader_high_watermark, core.log.end_offset))
        voter_update.advance(core, core.source)


def _pause(core: Core, fetching: Fetching) -> None:
    fetching.request = None
    pause_ms = core.config.retry_backoff_ms
    if isinstance(core.state, Unattached):
        pause_ms += core.rng(DISCOVERY_PAUSE_MS + 1)
    fetching.retry_at_ms = core.now_ms + pause_ms
