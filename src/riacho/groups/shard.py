"""All groups and committed offsets of one partition of the offsets topic.

Requests and timeouts go in with the time they happen at; decisions come out. The driver appends a decision's records,
gives each back to `apply`, and sends the replies when the records are committed. Between a decision and its `apply` no
other call may come. When an append fails the driver drops the shard, after `abandon`, and loads another from the log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from riacho.base.coordination import Caller, Decision
from riacho.base.errors import ErrorCode
from riacho.groups.answers import dismiss, join_error
from riacho.groups.classic import DEAD, ClassicGroup
from riacho.groups.config import GroupConfig
from riacho.groups.deletion import decide_delete_group, decide_delete_offsets, forget_offsets
from riacho.groups.describe import describe_group, list_groups
from riacho.groups.heartbeat import decide_heartbeat, session_over
from riacho.groups.join import decide_join, request_error
from riacho.groups.leave import decide_leave
from riacho.groups.offset_commit import decide_commit
from riacho.groups.offset_expiry import expire_group
from riacho.groups.offset_fetch import fetch_offsets
from riacho.groups.offsets import NO_PRODUCER_ID, Offsets
from riacho.groups.rebalance import JOIN_TIMER, SYNC_TIMER, join_phase_over, prepare_rebalance, sync_phase_over
from riacho.groups.records import GroupStored, OffsetCommitted, group_metadata_record, parse_record
from riacho.groups.sessions import refresh_session
from riacho.groups.sync import decide_sync
from riacho.groups.timers import Timers
from riacho.groups.turn import Turn
from riacho.wire.messages.describe_groups_response import DescribedGroup
from riacho.wire.messages.group_metadata_value import GroupMetadataValue
from riacho.wire.messages.heartbeat_request import HeartbeatRequest
from riacho.wire.messages.heartbeat_response import HeartbeatResponse
from riacho.wire.messages.join_group_request import JoinGroupRequest
from riacho.wire.messages.leave_group_request import LeaveGroupRequest
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.list_groups_response import ListedGroup
from riacho.wire.messages.offset_commit_request import OffsetCommitRequest
from riacho.wire.messages.offset_delete_request import OffsetDeleteRequest
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
from riacho.wire.messages.offset_fetch_response import OffsetFetchResponseGroup
from riacho.wire.messages.sync_group_request import SyncGroupRequest


class GroupShard:
    def __init__(self, config: GroupConfig, new_member_suffix: Callable[[], str]) -> None:
        self._config = config
        self._new_member_suffix = new_member_suffix
        self._timers = Timers()
        self._loading = True
        self.groups: dict[str, ClassicGroup] = {}
        self.offsets = Offsets()

    # Requests

    def join(self, request: JoinGroupRequest, version: int, caller: Caller, ticket: int, now_ms: int) -> Decision:
        turn = self._turn(now_ms)
        code = request_error(request, turn)
        group = self.groups.get(request.group_id)
        if code is ErrorCode.NONE and group is None and request.member_id:
            code = ErrorCode.UNKNOWN_MEMBER_ID
        if code is not ErrorCode.NONE:
            turn.decision.reply(ticket, join_error(code, request.member_id))
        elif group is None:
            self._join_new_group(request, version, caller, ticket, turn)
        else:
            decide_join(group, request, version, caller, self._new_member_suffix(), ticket, turn)
        return turn.decision

    def sync(self, request: SyncGroupRequest, ticket: int, now_ms: int) -> Decision:
        turn = self._turn(now_ms)
        decide_sync(self.groups.get(request.group_id), request, ticket, turn)
        return turn.decision

    def heartbeat(self, request: HeartbeatRequest, ticket: int, now_ms: int) -> Decision:
        turn = self._turn(now_ms)
        code = decide_heartbeat(self.groups.get(request.group_id), request, turn)
        turn.decision.reply(ticket, HeartbeatResponse(error_code=code))
        return turn.decision

    def leave(self, request: LeaveGroupRequest, version: int, ticket: int, now_ms: int) -> Decision:
        turn = self._turn(now_ms)
        decide_leave(self.groups.get(request.group_id), request, version, ticket, turn)
        return turn.decision

    def commit_offsets(self, request: OffsetCommitRequest, version: int, ticket: int, now_ms: int) -> Decision:
        """Every topic carries its name, also where the version speaks in topic ids: the caller has resolved them."""
        turn = self._turn(now_ms)
        decide_commit(self.groups.get(request.group_id), request, version, ticket, turn)
        return turn.decision

    def delete_offsets(self, request: OffsetDeleteRequest, ticket: int, now_ms: int) -> Decision:
        turn = self._turn(now_ms)
        group = self.groups.get(request.group_id)
        turn.decision.reply(ticket, decide_delete_offsets(group, self.offsets, request, turn))
        return turn.decision

    def delete_group(self, group_id: str, ticket: int, now_ms: int) -> Decision:
        """The reply is an ErrorCode."""
        turn = self._turn(now_ms)
        turn.decision.reply(ticket, decide_delete_group(self.groups.get(group_id), self.offsets, turn))
        return turn.decision

    def fetch_offsets(self, request: OffsetFetchRequestGroup, *, require_stable: bool) -> OffsetFetchResponseGroup:
        return fetch_offsets(self.offsets, request, require_stable)

    def describe(self, group_id: str, version: int) -> DescribedGroup:
        return describe_group(self.groups.get(group_id), group_id, version)

    def list_groups(self, request: ListGroupsRequest) -> list[ListedGroup]:
        return list_groups(self.groups.values(), request)

    # Time

    def next_deadline_ms(self) -> int | None:
        return self._timers.next_ms()

    def expire(self, now_ms: int) -> Decision:
        """Sessions, join and sync phases whose time is over."""
        turn = self._turn(now_ms)
        for key in self._timers.pop_due(now_ms):
            group = self.groups.get(key.group_id)
            if group is None:
                continue
            if key.kind == JOIN_TIMER:
                join_phase_over(group, turn)
            elif key.kind == SYNC_TIMER:
                sync_phase_over(group, turn)
            else:
                session_over(group, key.member_id, turn)
        return turn.decision

    def expire_offsets(self, now_ms: int) -> Decision:
        turn = self._turn(now_ms)
        for group in self.groups.values():
            expire_group(group, self.offsets, turn)
        return turn.decision

    def forget_topics(self, topics: Iterable[str], now_ms: int) -> Decision:
        """The topics are deleted: what was committed for them must not be found by ones of the same name."""
        turn = self._turn(now_ms)
        gone = set(topics)
        for group_id in self.groups:
            forget_offsets(group_id, gone, self.offsets, turn)
        return turn.decision

    # Durable state

    def apply(self, key: bytes, value: bytes | None, producer_id: int = NO_PRODUCER_ID) -> None:
        """Take in a record of the log: the only writer of durable state, live and on reload."""
        record = parse_record(key, value)
        if isinstance(record, OffsetCommitted):
            self.offsets.apply(record, producer_id)
            if record.committed is not None and record.group_id not in self.groups:
                # A simple group, known by its offsets alone.
                self.groups[record.group_id] = ClassicGroup(record.group_id)
        elif isinstance(record, GroupStored):
            self._apply_group(record)

    def end_transaction(self, producer_id: int, *, committed: bool) -> None:
        """A transaction marker stands in the log: the offsets committed within it now count, or never will."""
        self.offsets.end_transaction(producer_id, committed=committed)

    def finish_loading(self, now_ms: int) -> Decision:
        """The whole log is applied: members get a fresh session each, for who knows how long they were not heard."""
        self._loading = False
        turn = self._turn(now_ms)
        for group in self.groups.values():
            for member in group.members.values():
                refresh_session(group, member, turn)
            if len(group.members) > self._config.group_size_max:
                prepare_rebalance(group, turn)
        return turn.decision

    def abandon(self, code: ErrorCode) -> Decision:
        """Answer every parked request: the shard is lost or moves to another broker."""
        turn = self._turn(0)
        for group in self.groups.values():
            for member in group.members.values():
                dismiss(group, member, code, turn, member.member_id)
            group.state = DEAD
        return turn.decision

    def _turn(self, now_ms: int) -> Turn:
        return Turn(self._config, self._timers, now_ms)

    def _join_new_group(self, request: JoinGroupRequest, version: int, caller: Caller, ticket: int, turn: Turn) -> None:
        group = ClassicGroup(request.group_id)
        decide_join(group, request, version, caller, self._new_member_suffix(), ticket, turn)
        if group.members or group.roster.pending_join:
            self.groups[group.group_id] = group
            value = GroupMetadataValue(protocol=None, leader=None, current_state_timestamp=turn.now_ms)
            turn.decision.records.append(group_metadata_record(group.group_id, value))

    def _apply_group(self, record: GroupStored) -> None:
        if record.metadata is None:
            group = self.groups.pop(record.group_id, None)
            if group is not None:
                group.state = DEAD
        elif self._loading or record.group_id not in self.groups:
            self.groups[record.group_id] = ClassicGroup.load(record.group_id, record.metadata)
        else:
            self.groups[record.group_id].install(record.metadata)
