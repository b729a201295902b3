"""What must hold in every quorum, whatever happens to it: small classes that watch a `World` and assert."""

from __future__ import annotations

from typing import NamedTuple

from riacho.base.ids import ZERO_UUID
from riacho.raft.roles import Role
from riacho.raft.voter_history import VotersAt
from riacho.raft.voters import VoterSet
from riacho.wire.batch import read_header
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.messages.vote_response import VoteResponse
from riacho.wire.schema import Message
from support.raft_log import Batch, digest
from support.raft_world import Host, Silent, Witness


class SingleLeaderPerEpoch(Silent):
    def __init__(self) -> None:
        self._leader_of: dict[int, int] = {}

    def stepped(self, host: Host) -> None:
        if host.node.is_leader:
            first = self._leader_of.setdefault(host.node.epoch, host.node_id)
            assert first == host.node_id, f"epoch {host.node.epoch}: leaders {first} and {host.node_id}"


class MonotonicEpoch(Silent):
    """Across restarts too; only a new disk starts over."""

    def __init__(self) -> None:
        self._epoch_of: dict[int, int] = {}

    def stepped(self, host: Host) -> None:
        before = self._epoch_of.get(host.node_id, 0)
        assert host.node.epoch >= before, f"node {host.node_id}: epoch {host.node.epoch} after {before}"
        self._epoch_of[host.node_id] = host.node.epoch

    def wiped(self, host: Host) -> None:
        self._epoch_of.pop(host.node_id, None)


class MonotonicHighWatermark(Silent):
    """In one life of a process, and never past the log."""

    def __init__(self) -> None:
        self._offset_of: dict[tuple[int, int], int] = {}

    def stepped(self, host: Host) -> None:
        life = (host.node_id, host.incarnation)
        before, now = self._offset_of.get(life, 0), host.node.high_watermark
        assert now >= before, f"node {host.node_id}: high watermark {now} after {before}"
        assert now <= host.log.end_offset, f"node {host.node_id}: high watermark {now} past {host.log.end_offset}"
        self._offset_of[life] = now


class OneVotePerEpoch(Silent):
    """And only in the name of the disk that was asked: a voter that lost its own has forgotten how it voted."""

    def __init__(self) -> None:
        self._vote_of: dict[tuple[int, bytes, int], int] = {}

    def stepped(self, host: Host) -> None:
        if host.node.role in (Role.CANDIDATE, Role.LEADER):
            self._voted(host, host.node.epoch, host.node_id)

    def replied(self, host: Host, request: Message, response: Message) -> None:
        if isinstance(request, VoteRequest) and isinstance(response, VoteResponse) and response.topics:
            asked, said = request.topics[0].partitions[0], response.topics[0].partitions[0]
            if said.vote_granted and not asked.pre_vote:
                is_asked = asked.voter_directory_id in (ZERO_UUID, host.directory_id)
                assert is_asked, f"node {host.node_id} voted for a disk that it lost"
                self._voted(host, asked.replica_epoch, asked.replica_id)

    def _voted(self, host: Host, epoch: int, candidate_id: int) -> None:
        first = self._vote_of.setdefault((host.node_id, host.directory_id, epoch), candidate_id)
        assert first == candidate_id, f"node {host.node_id} voted for {first} and {candidate_id} in epoch {epoch}"


class LogMatching(Silent):
    """One batch per offset and epoch, with one and the same batch before it: so equal ends mean equal logs."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, int], tuple[int, int]] = {}

    def appended(self, host: Host, batches: list[Batch]) -> None:
        log = host.log.batches
        index = len(log) - len(batches)
        epoch_before = log[index - 1].epoch if index else host.log.start_epoch
        for batch in batches:
            here = (batch.crc, epoch_before)
            first = self._seen.setdefault((batch.base_offset, batch.epoch), here)
            assert first == here, f"node {host.node_id}: another batch {batch.base_offset} of epoch {batch.epoch}"
            epoch_before = batch.epoch


class LeadersCommitTheirOwnEpoch(Silent):
    """A leader moves the high watermark only past a record of its epoch: one of an older epoch that a majority has can
    still be replaced (Raft, figure 8). Chance seldom finds the loss itself, so the rule is watched."""

    def __init__(self) -> None:
        self._offset_of: dict[tuple[int, int, int], int] = {}

    def stepped(self, host: Host) -> None:
        if not host.node.is_leader:
            return
        term, offset = (host.node_id, host.incarnation, host.node.epoch), host.node.high_watermark
        before = self._offset_of.setdefault(term, offset)
        if offset > before:
            epoch = host.log.epoch_of(offset - 1)
            assert epoch == host.node.epoch, f"leader {host.node_id} of epoch {host.node.epoch} committed epoch {epoch}"
            self._offset_of[term] = offset


class VotersChangeOneByOne(Silent):
    """A leader adds or removes one voter at a time, after the set before it and its own epoch are committed."""

    def appended(self, host: Host, batches: list[Batch]) -> None:
        if not host.node.is_leader or not read_header(batches[-1].data).is_control:
            return
        *_, before, latest = [VotersAt(-1, VoterSet(), 0)] * 2 + list(host.log.voter_history())
        changed = set(before.voters.ids) ^ set(latest.voters.ids)
        is_new = latest.offset >= batches[0].base_offset
        if is_new and changed and len(before.voters):
            settled = max(before.offset, host.node.epoch_start_offset)
            assert len(changed) == 1, f"voters {before.voters.ids} became {latest.voters.ids}"
            assert host.node.high_watermark > settled, f"voters changed before {settled} was committed"


class Entry(NamedTuple):
    base_offset: int
    next_offset: int
    epoch: int
    crc: int
    # The epoch in which it was first seen committed.
    seen_in_epoch: int


class CommittedIsForever(Silent):
    """What one node holds for committed all others do, in the same place; leaders of later epochs have all of it."""

    def __init__(self) -> None:
        self.entries: dict[int, Entry] = {}
        self.end_offset = 0
        # Sums over all before an offset, to be compared with those in snapshots.
        self.digests: dict[int, int] = {0: 0}
        self._checked: dict[tuple[int, int], int] = {}
        self._leaders: set[tuple[int, int]] = set()

    def stepped(self, host: Host) -> None:
        life, node = (host.node_id, host.incarnation), host.node
        start = max(self._checked.get(life, 0), host.log.start_offset)
        if node.high_watermark > start or life not in self._checked:
            self._check(host, start)
            self._checked[life] = node.high_watermark
        if node.is_leader and (node.epoch, host.node_id) not in self._leaders:
            self._leaders.add((node.epoch, host.node_id))
            self._check_leader(host)

    def _check(self, host: Host, start: int) -> None:
        log = host.log
        assert self.digests.get(log.start_offset) == log.start_digest, f"node {host.node_id}: another snapshot"
        for batch in log.between(start, host.node.high_watermark):
            first = self.entries.get(batch.base_offset)
            if first is None:
                assert batch.base_offset == self.end_offset, f"node {host.node_id} committed past a gap"
                self._learn(host, batch)
            else:
                assert (first.crc, first.epoch) == (batch.crc, batch.epoch), (
                    f"node {host.node_id} committed batch {batch.base_offset} of epoch {batch.epoch}, "
                    f"but that of epoch {first.epoch} was committed there before"
                )

    def _learn(self, host: Host, batch: Batch) -> None:
        entry = Entry(batch.base_offset, batch.next_offset, batch.epoch, batch.crc, host.node.epoch)
        self.entries[batch.base_offset] = entry
        self.digests[batch.next_offset] = digest(self.digests[batch.base_offset], batch)
        self.end_offset = batch.next_offset

    def _check_leader(self, host: Host) -> None:
        held = {batch.base_offset: batch for batch in host.log.batches}
        for entry in self.entries.values():
            if entry.base_offset >= host.log.start_offset and entry.seen_in_epoch < host.node.epoch:
                batch = held.get(entry.base_offset)
                found = None if batch is None else (batch.crc, batch.epoch)
                assert found == (entry.crc, entry.epoch), (
                    f"leader {host.node_id} of epoch {host.node.epoch} lacks the committed batch {entry.base_offset}"
                )


def all_invariants() -> tuple[tuple[Witness, ...], CommittedIsForever]:
    committed = CommittedIsForever()
    others: tuple[Witness, ...] = (
        SingleLeaderPerEpoch(),
        MonotonicEpoch(),
        MonotonicHighWatermark(),
        OneVotePerEpoch(),
        LogMatching(),
        LeadersCommitTheirOwnEpoch(),
        VotersChangeOneByOne(),
    )
    return (*others, committed), committed
