"""Changing the voters of a running quorum: AddRaftVoter v0-1, RemoveRaftVoter v0, UpdateRaftVoter v0 (KIP-853), and the
rise of kraft.version from 0 to 1 (KIP-1170).

One change at a time, each a record that rules from its append on. Two successive sets differ by one voter, so any two
of their majorities meet. A leader makes no change before it has committed in its own epoch: else a set of an earlier
epoch that it does not know of could rule beside its own. A leader that is not in the new set leads until that is
committed.
"""

from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.base.ids import ZERO_UUID
from riacho.raft import claims, control_records, leadership
from riacho.raft.core import Core
from riacho.raft.effects import HighWatermark, KRaftVersionDecided, Reply
from riacho.raft.events import KRaftVersionRequested, Requested
from riacho.raft.leader_state import NEVER, Change, Leader
from riacho.raft.voters import Endpoint, ReplicaKey, Voter, VoterSet
from riacho.wire.messages.add_raft_voter_request import AddRaftVoterRequest
from riacho.wire.messages.add_raft_voter_response import AddRaftVoterResponse
from riacho.wire.messages.remove_raft_voter_request import RemoveRaftVoterRequest
from riacho.wire.messages.remove_raft_voter_response import RemoveRaftVoterResponse
from riacho.wire.messages.update_raft_voter_request import UpdateRaftVoterRequest
from riacho.wire.messages.update_raft_voter_response import CurrentLeader, UpdateRaftVoterResponse
from riacho.wire.schema import Message

KRAFT_VERSION_MAX = 1

_RESPONSES: dict[type[Message], type[Any]] = {
    AddRaftVoterRequest: AddRaftVoterResponse,
    RemoveRaftVoterRequest: RemoveRaftVoterResponse,
    UpdateRaftVoterRequest: UpdateRaftVoterResponse,
}


def handle_add(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, AddRaftVoterRequest)
    state, (code, detail) = core.state, _refusal(core, request.cluster_id)
    voter = Voter(request.voter_id, request.voter_directory_id, _endpoints(request.listeners))
    if not code and isinstance(state, Leader):
        code, detail = _add_refusal(core, state, voter)
    if code or not isinstance(state, Leader):
        _reply(core, event.request_id, request, code, detail)
        return
    is_waiting = request.ack_when_committed or event.version == 0
    request_id = event.request_id if is_waiting else None
    _append(core, state, core.voters.with_voter(voter), request_id, request, request.timeout_ms)
    if not is_waiting:
        _reply(core, event.request_id, request, ErrorCode.NONE)


def _add_refusal(core: Core, state: Leader, voter: Voter) -> tuple[int, str]:
    if voter.node_id < 0 or voter.directory_id == ZERO_UUID or not voter.endpoints:
        return ErrorCode.INVALID_REQUEST, "a voter needs an id, a directory id and a listener"
    if core.voters.get(voter.node_id) is not None:
        return ErrorCode.DUPLICATE_VOTER, f"{voter.node_id} is a voter already"
    progress = state.replicas.get(voter.key)
    window_ms = core.config.check_quorum_timeout_ms
    if progress is None or progress.caught_up_at_ms == NEVER or core.now_ms - progress.caught_up_at_ms > window_ms:
        # A voter that has to catch up first would only make the majority harder to reach.
        return ErrorCode.REQUEST_TIMED_OUT, f"{voter.key} has not caught up with the leader"
    return ErrorCode.NONE, ""


def handle_remove(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, RemoveRaftVoterRequest)
    state, (code, detail) = core.state, _refusal(core, request.cluster_id)
    key = ReplicaKey(request.voter_id, request.voter_directory_id)
    known = core.voters.get(request.voter_id)
    if not code and (known is None or known.key != key or len(core.voters) == 1):
        code, detail = ErrorCode.VOTER_NOT_FOUND, f"{key} is not a voter that can be removed"
    if code or not isinstance(state, Leader):
        _reply(core, event.request_id, request, code, detail)
        return
    voters = core.voters.without(key.node_id)
    _append(core, state, voters, event.request_id, request, core.config.request_timeout_ms)


def handle_update(core: Core, event: Requested) -> None:
    request = event.request
    assert isinstance(request, UpdateRaftVoterRequest)
    state = core.state
    code, voter = _update_refusal(core, request), _updated(request)
    if not code and core.kraft_version == 0 and isinstance(state, Leader):
        state.volatile[voter.node_id] = voter
        _reply(core, event.request_id, request, ErrorCode.NONE)
        return
    if not code and core.voters.get(voter.node_id) == voter:
        _reply(core, event.request_id, request, ErrorCode.NONE)
        return
    if not code:
        code, _ = _refusal(core, request.cluster_id)
    if code or not isinstance(state, Leader):
        _reply(core, event.request_id, request, code)
        return
    voters = core.voters.with_voter(voter)
    _append(core, state, voters, event.request_id, request, core.config.request_timeout_ms)


def _update_refusal(core: Core, request: UpdateRaftVoterRequest) -> int:
    if not claims.is_of_cluster(core, request.cluster_id):
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    if request.current_leader_epoch < core.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if request.current_leader_epoch > core.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    if not isinstance(core.state, Leader):
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    feature = request.kraft_version_feature
    if not feature.min_supported_version <= core.kraft_version <= feature.max_supported_version:
        return ErrorCode.INVALID_REQUEST
    if not request.listeners or request.voter_directory_id == ZERO_UUID:
        return ErrorCode.INVALID_REQUEST
    if not core.voters.has(ReplicaKey(request.voter_id, request.voter_directory_id)):
        return ErrorCode.VOTER_NOT_FOUND
    return ErrorCode.NONE


def _updated(request: UpdateRaftVoterRequest) -> Voter:
    feature = request.kraft_version_feature
    return Voter(
        request.voter_id,
        request.voter_directory_id,
        _endpoints(request.listeners),
        feature.min_supported_version,
        feature.max_supported_version,
    )


def _refusal(core: Core, cluster_id: str | None) -> tuple[int, str]:
    """Why no change of voters can be made now."""
    state = core.state
    if cluster_id is not None and cluster_id != core.cluster_id:
        return ErrorCode.INCONSISTENT_CLUSTER_ID, ""
    if not isinstance(state, Leader):
        return ErrorCode.NOT_LEADER_OR_FOLLOWER, f"the leader is {core.leader_id}"
    if core.kraft_version < 1:
        return ErrorCode.UNSUPPORTED_VERSION, "kraft.version 0 has static voters"
    if core.high_watermark <= state.epoch_start_offset:
        return ErrorCode.REQUEST_TIMED_OUT, "the leader has not committed in its epoch yet"
    if not core.history.is_committed(core.high_watermark):
        return ErrorCode.REQUEST_TIMED_OUT, "another change of voters is not committed yet"
    return ErrorCode.NONE, ""


def _append(
    core: Core, state: Leader, voters: VoterSet, request_id: int | None, request: Message | None, timeout_ms: int
) -> None:
    offset = core.append_control([control_records.voters_record(voters)])
    state.change = Change(offset, core.now_ms + timeout_ms, request_id, request)


# kraft.version


def handle_kraft_version(core: Core, event: KRaftVersionRequested) -> None:
    code, detail = _version_refusal(core, event.kraft_version)
    state = core.state
    is_done = event.kraft_version == core.kraft_version or event.is_validate_only
    if code or is_done or not isinstance(state, Leader):
        core.emit(KRaftVersionDecided(event.request_id, code, detail))
        return
    voters = VoterSet(_reported_voters(core, state).values())
    records = [control_records.kraft_version_record(event.kraft_version), control_records.voters_record(voters)]
    offset = core.append_control(records) + 1
    state.change = Change(offset, core.now_ms + core.config.request_timeout_ms, event.request_id, None)


def _version_refusal(core: Core, kraft_version: int) -> tuple[int, str]:
    state = core.state
    if not isinstance(state, Leader):
        return ErrorCode.NOT_LEADER_OR_FOLLOWER, ""
    if kraft_version == core.kraft_version:
        return ErrorCode.NONE, ""
    if not core.kraft_version < kraft_version <= KRAFT_VERSION_MAX:
        return ErrorCode.INVALID_UPDATE_VERSION, f"kraft.version {core.kraft_version} cannot become {kraft_version}"
    if core.high_watermark <= state.epoch_start_offset or not core.history.is_committed(core.high_watermark):
        return ErrorCode.REQUEST_TIMED_OUT, "the leader has not committed in its epoch yet"
    reported = _reported_voters(core, state)
    missing = [node_id for node_id in core.voters.ids if node_id not in reported]
    if missing or any(voter.kraft_version_max < kraft_version for voter in reported.values()):
        return ErrorCode.INVALID_UPDATE_VERSION, f"voters that cannot, or did not say so: {missing}"
    return ErrorCode.NONE, ""


def _reported_voters(core: Core, state: Leader) -> dict[int, Voter]:
    """The voters with their directory ids, so far as they have sent them."""
    endpoints = core.own_endpoints
    own = core.voters.get(core.key.node_id)
    if not endpoints and own is not None:
        endpoints = own.endpoints
    reported = {**state.volatile, core.key.node_id: Voter(*core.key, endpoints)}
    return {node_id: voter for node_id, voter in reported.items() if node_id in core.voters.ids}


# What comes of it


def advance(core: Core, state: Leader) -> None:
    change = state.change
    if change is not None and change.offset < core.high_watermark:
        state.change = None
        _answer(core, change, ErrorCode.NONE)
    elif change is not None and change.request_id is not None and change.deadline_ms <= core.now_ms:
        _answer(core, change, ErrorCode.REQUEST_TIMED_OUT)
    is_settled = core.high_watermark > state.epoch_start_offset and core.history.is_committed(core.high_watermark)
    if is_settled and not core.voters.has(core.key):
        leadership.resign(core, state)
    elif is_settled and state.change is None and core.kraft_version >= 1:
        _update_own(core, state)


def _update_own(core: Core, state: Leader) -> None:
    # Whoever sees a new high watermark may append before what is appended here: then the offset would be another.
    if any(isinstance(effect, HighWatermark) for effect in core.out):
        return
    own = core.voters.get(core.key.node_id)
    if own is not None and core.own_endpoints and own.endpoints != core.own_endpoints:
        voters = core.voters.with_voter(own._replace(endpoints=core.own_endpoints))
        _append(core, state, voters, None, None, core.config.request_timeout_ms)


def ended(core: Core, state: Leader) -> None:
    if state.change is not None:
        _answer(core, state.change, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def next_deadline_ms(state: Leader) -> int | None:
    change = state.change
    return change.deadline_ms if change is not None and change.request_id is not None else None


def abandoned(state: Leader, request_id: int) -> None:
    if state.change is not None and state.change.request_id == request_id:
        state.change.request_id = None


def _answer(core: Core, change: Change, code: int) -> None:
    request_id, change.request_id = change.request_id, None
    if request_id is None:
        return
    if change.request is None:
        core.emit(KRaftVersionDecided(request_id, code))
    else:
        _reply(core, request_id, change.request, code)


def _reply(core: Core, request_id: int, request: Message, code: int, detail: str = "") -> None:
    response = _RESPONSES[type(request)](error_code=code)
    if isinstance(response, UpdateRaftVoterResponse):
        leader = core.leader_info()
        response.current_leader = CurrentLeader(
            leader_id=leader.leader_id, leader_epoch=leader.epoch, host=leader.host, port=leader.port
        )
    else:
        response.error_message = detail or None
    core.emit(Reply(request_id, response))


def _endpoints(listeners: list[Any]) -> tuple[Endpoint, ...]:
    return tuple(Endpoint(each.name, each.host, each.port) for each in listeners)
