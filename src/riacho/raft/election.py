"""Elections: asking for votes and giving them. Vote, v0-2.

v1: directory ids (KIP-853). v2: pre-vote (KIP-996): would you vote for me? It costs the asked nothing, so it may be
asked again; a no while a leader is heard from keeps a node that lost its connection from ending a good epoch.

A vote is given once in an epoch, to a log that is not behind one's own. It is given to nodes outside of the voter set
that one knows, too: the asker may have learned of a later set (KIP-853).

A node whose disk is full votes, and leaves it to the others to stand: as a leader it could write nothing. After
`LEFT_OUT_MAX` elections it stands nevertheless: it may be the only one whose log is whole, and must let others fetch.
"""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.raft import answers, claims
from riacho.raft.core import EPOCH_LAST, Core
from riacho.raft.effects import Reply
from riacho.raft.events import Requested
from riacho.raft.quorum_state import NOBODY
from riacho.raft.roles import Asked, Candidate, Follower, Prospective, Resigned, Unattached
from riacho.raft.voters import ReplicaKey
from riacho.wire.messages import vote_request as wire
from riacho.wire.messages.vote_request import VoteRequest
from riacho.wire.schema import Message

RESEND_MS = 50
ASK_AGAIN_MS = 100
LEFT_OUT_MAX = 3


# Asking


def advance(core: Core) -> None:
    """What is due by now: a deadline that starts, repeats or ends an election; questions to be sent."""
    _advance_deadlines(core)
    state = core.state
    if isinstance(state, Prospective | Candidate):
        for asked in state.ballot.asked.values():
            if asked.request is None and asked.is_granted is not True and asked.send_at_ms <= core.now_ms:
                _ask(core, asked, isinstance(state, Prospective))


def next_deadline_ms(core: Core) -> int | None:
    state = core.state
    match state:
        case Unattached():
            return state.election_deadline_ms if core.is_voter else None
        case Follower():
            due = state.fetch_deadline_ms
            is_standing = core.is_voter and state.election_at_ms is not None
            return min(due, state.election_at_ms or due) if is_standing else due
        case Resigned():
            return state.deadline_ms
        case Prospective() | Candidate():
            sends = [
                a.send_at_ms for a in state.ballot.asked.values() if a.request is None and a.is_granted is not True
            ]
            return min([state.deadline_ms, *sends])
    return None


def _advance_deadlines(core: Core) -> None:
    state, now_ms = core.state, core.now_ms
    if core.is_log_pending:
        # It stands with the log as it will be: that is what others vote for.
        return
    match state:
        case Unattached():
            if core.is_voter and state.election_deadline_ms is None:
                # It was an observer until a voter set came that has it.
                state.election_deadline_ms = now_ms + core.election_timeout_ms()
            elif core.is_voter and state.election_deadline_ms is not None and state.election_deadline_ms <= now_ms:
                _stand(core)
        case Follower():
            _advance_follower(core, state)
        case Prospective():
            if not core.is_voter:
                core.become_unattached(core.epoch)
            elif state.deadline_ms <= now_ms:
                _lose(core)
        case Candidate():
            if not core.is_voter:
                core.become_unattached(core.epoch)
            elif state.deadline_ms <= now_ms:
                core.elections_lost += 1
                _stand(core)
        case Resigned():
            if state.deadline_ms <= now_ms:
                core.become_unattached(core.epoch, now_ms + core.backoff_ms())


def _advance_follower(core: Core, state: Follower) -> None:
    is_lost = state.fetch_deadline_ms <= core.now_ms
    is_time = state.election_at_ms is not None and state.election_at_ms <= core.now_ms
    if core.is_voter and (is_lost or is_time):
        _stand(core)
    elif is_lost:
        core.become_unattached(core.epoch)


def _stand(core: Core) -> None:
    if core.epoch >= EPOCH_LAST:
        core.become_unattached(core.epoch, core.now_ms + core.config.election_timeout_ms)
        return
    if _leaves_it_to_others(core):
        core.become_unattached(core.epoch, core.now_ms + core.election_timeout_ms())
        return
    core.become_prospective()
    _count(core)


def _leaves_it_to_others(core: Core) -> bool:
    if core.log.has_free_space or core.is_only_voter or core.elections_left_out >= LEFT_OUT_MAX:
        core.elections_left_out = 0
        return False
    core.elections_left_out += 1
    return True


def _count(core: Core) -> None:
    """Act on the ballot as it stands."""
    if isinstance(core.state, Prospective) and core.state.ballot.is_won:
        core.become_candidate()
    if isinstance(core.state, Candidate) and core.state.ballot.is_won:
        core.become_leader(core.state.ballot.granted_ids)
    elif isinstance(core.state, Prospective):
        if core.state.ballot.is_lost:
            _lose(core)
    elif isinstance(core.state, Candidate) and (core.state.ballot.is_lost or core.state.ballot.is_split):
        _lose(core)


def _lose(core: Core) -> None:
    core.elections_lost += 1
    if isinstance(core.state, Prospective) and core.leader is not None:
        core.become_follower(core.epoch, core.leader)
    else:
        core.become_unattached(core.epoch, core.now_ms + core.backoff_ms())


def _ask(core: Core, asked: Asked, is_pre_vote: bool) -> None:
    to = core.destination(asked.voter)
    if to is None:
        asked.send_at_ms = core.now_ms + core.config.election_timeout_ms
        return
    asked.request = VoteRequest(
        cluster_id=core.cluster_id,
        voter_id=asked.voter.node_id,
        topics=[
            wire.TopicData(
                topic_name=answers.TOPIC,
                partitions=[
                    wire.PartitionData(
                        partition_index=answers.PARTITION,
                        replica_epoch=core.epoch,
                        replica_id=core.key.node_id,
                        replica_directory_id=core.key.directory_id,
                        voter_directory_id=asked.voter.directory_id,
                        last_offset_epoch=core.log.latest_epoch,
                        last_offset=core.log.end_offset,
                        pre_vote=is_pre_vote,
                    )
                ],
            )
        ],
    )
    core.send(to, asked.request)


def _asked_by(core: Core, request: Message) -> Asked | None:
    """Whom this request went to, if the ballot it belongs to is still open."""
    if not isinstance(core.state, Prospective | Candidate):
        return None
    return next((each for each in core.state.ballot.asked.values() if each.request is request), None)


def failed(core: Core, request: Message, is_refused: bool) -> None:
    asked = _asked_by(core, request)
    if asked is not None:
        asked.request, asked.is_absent = None, is_refused
        asked.send_at_ms = core.now_ms + max(RESEND_MS, core.config.retry_backoff_ms)
        _count(core)


def answered(core: Core, request: Message, response: Any) -> None:
    asked = _asked_by(core, request)
    if asked is None:
        return
    assert isinstance(core.state, Prospective | Candidate)
    asked.request, asked.is_absent = None, False
    partition = response.topics[0].partitions[0] if response.topics and response.topics[0].partitions else None
    asked.is_granted = partition is not None and not partition.error_code and bool(partition.vote_granted)
    if asked.is_granted:
        core.state.ballot.granted_ids.add(asked.voter.node_id)
    else:
        # A no before the election may turn into a yes once the other finds its leader gone as well.
        is_final = isinstance(core.state, Candidate) and partition is not None and not partition.error_code
        pause_ms = core.config.election_timeout_ms * 4 if is_final else ASK_AGAIN_MS + core.rng(ASK_AGAIN_MS)
        asked.send_at_ms = core.now_ms + pause_ms
    _count(core)


# Giving


def handle_vote(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, VoteRequest)
    partition = answers.sole_partition(request)
    if not claims.is_of_cluster(core, request.cluster_id):
        response = answers.vote_response(core.leader_info(), 0)
        response.error_code = ErrorCode.INCONSISTENT_CLUSTER_ID
        response.topics = []
    elif partition is None:
        response = answers.vote_response(core.leader_info(), ErrorCode.INVALID_REQUEST)
    else:
        code = _refusal(core, request, partition, event.version)
        if not code and partition.replica_epoch > core.epoch:
            core.become_unattached(partition.replica_epoch)
        is_granted = not code and _decide(core, partition)
        response = answers.vote_response(core.leader_info(), code, is_granted)
    core.emit(Reply(event.request_id, response))


def _refusal(core: Core, request: VoteRequest, partition: wire.PartitionData, version: int) -> int:
    is_addressed = request.voter_id in (NOBODY, core.key.node_id)
    is_own_directory = partition.voter_directory_id in (ZERO_UUID, core.key.directory_id)
    if version >= 1 and not (is_addressed and is_own_directory):
        return ErrorCode.INVALID_VOTER_KEY
    if partition.replica_id < 0 or partition.last_offset < 0 or partition.last_offset_epoch < 0:
        return ErrorCode.INVALID_REQUEST
    if partition.last_offset_epoch > partition.replica_epoch:
        return ErrorCode.INVALID_REQUEST
    if partition.replica_epoch < core.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    candidate = ReplicaKey(partition.replica_id, partition.replica_directory_id)
    return claims.candidate_refusal(core, candidate, partition.replica_epoch)


def _decide(core: Core, partition: wire.PartitionData) -> bool:
    theirs = (partition.last_offset_epoch, partition.last_offset)
    if not core.can_vote or theirs < (core.log.latest_epoch, core.log.end_offset):
        return False
    if partition.pre_vote:
        return _would_vote(core)
    asker = ReplicaKey(partition.replica_id, partition.replica_directory_id)
    if core.leader_id != NOBODY or not isinstance(core.state, Unattached | Prospective):
        return False
    if core.voted is not None and core.voted != asker:
        return False
    core.vote(core.epoch, asker)
    core.become_unattached(core.epoch, core.now_ms + core.election_timeout_ms())
    return True


def _would_vote(core: Core) -> bool:
    if isinstance(core.state, Follower):
        return not core.state.has_contact
    return isinstance(core.state, Unattached | Prospective | Candidate | Resigned)
