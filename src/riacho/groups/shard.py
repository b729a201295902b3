"""All groups and committed offsets of one partition of the offsets topic.

Requests and timeouts go in with the time they happen at; decisions come out. The driver appends a decision's records,
gives each back to `apply`, and sends the replies when the records are committed. Between a decision and its `apply` no
other call may come. What is stored and what is live, and what becomes of a decision whose append fails, is told by
`CoordinatorShard`. Stored are the offsets, the groups by id, and of each group what its class says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from riacho.base.coordination import CoordinatorDecision
from riacho.base.errors import ErrorCode
from riacho.groups.classic.answers import dismiss
from riacho.groups.classic.describe import describe_group, list_groups
from riacho.groups.classic.group import DEAD, ClassicGroup
from riacho.groups.classic.heartbeat import session_over
from riacho.groups.classic.rebalance import JOIN_TIMER, SYNC_TIMER, join_phase_over, prepare_rebalance, sync_phase_over
from riacho.groups.classic.records import GroupStored, OffsetCommitted, parse_record, record_type_of
from riacho.groups.classic.sessions import refresh_session
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.describe import describe_consumer_group
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer.groups import ConsumerGroups
from riacho.groups.consumer.offsets import consumer_fetch_error
from riacho.groups.decision_context import DecisionContext, GroupSettings, no_group_settings
from riacho.groups.deletion import forget_offsets
from riacho.groups.group import Group, GroupKind
from riacho.groups.offsets.expiry import expire_group
from riacho.groups.offsets.fetch import fetch_offsets, fetch_refused
from riacho.groups.offsets.offsets import NO_PRODUCER_ID, Offsets
from riacho.groups.share.groups import ShareGroups
from riacho.groups.timers import TimerKey, Timers
from riacho.groups.topics_view import NO_TOPICS, TopicChanges, TopicsView
from riacho.wire.messages.consumer_group_describe_response import DescribedGroup as DescribedConsumerGroup
from riacho.wire.messages.describe_groups_response import DescribedGroup
from riacho.wire.messages.list_groups_request import ListGroupsRequest
from riacho.wire.messages.list_groups_response import ListedGroup
from riacho.wire.messages.offset_fetch_request import OffsetFetchRequestGroup
from riacho.wire.messages.offset_fetch_response import OffsetFetchResponseGroup

# When a timeout comes again whose records could not be appended.
_EXPIRE_RETRY_MS = 1_000


class GroupShard:
    def __init__(
        self,
        config: GroupConfig,
        new_member_suffix: Callable[[], str],
        topics: Callable[[], TopicsView] = lambda: NO_TOPICS,
        group_settings: GroupSettings = no_group_settings,
    ) -> None:
        """`topics` gives the cluster's topics as they are now, `group_settings` what was set for a group by name."""
        self._config = config
        self.new_member_suffix = new_member_suffix
        self._topics = topics
        self._group_settings = group_settings
        self._timers = Timers()
        self._loading = True
        self.groups: dict[str, Group] = {}
        # Classic groups that are being decided on, members and all, for `apply` to take over with their first record.
        self.arriving: dict[str, ClassicGroup] = {}
        self.offsets = Offsets()
        # Those that are not classic; each has its own records and timers.
        self.consumer = ConsumerGroups(self.groups, self.arriving, new_member_suffix)
        self.share = ShareGroups(self.groups)
        self.kinds: list[GroupKind] = [self.consumer, self.share]

    # Reads. What clients want changed is decided by `operations.py`.

    def describe_consumer_group(self, group_id: str) -> DescribedConsumerGroup:
        group = self.groups.get(group_id)
        return describe_consumer_group(group, group_id, self._config.consumer.assignors[0], self._topics())

    def fetch_offsets(self, request: OffsetFetchRequestGroup, *, require_stable: bool) -> OffsetFetchResponseGroup:
        group = self.groups.get(request.group_id)
        code = consumer_fetch_error(group, request) if isinstance(group, ConsumerGroup) else ErrorCode.NONE
        if code is not ErrorCode.NONE:
            return fetch_refused(request, code)
        return fetch_offsets(self.offsets, request, require_stable)

    def describe(self, group_id: str, version: int) -> DescribedGroup:
        return describe_group(self.groups.get(group_id), group_id, version)

    def list_groups(self, request: ListGroupsRequest) -> list[ListedGroup]:
        return list_groups(self.groups.values(), request)

    # News

    def regexes_resolved(
        self, group_id: str, matched: Mapping[str, frozenset[str]] | None, version: int, now_ms: int
    ) -> CoordinatorDecision:
        """What came of a `ResolveRegexes`, in topics of that version; None when it failed."""
        context = self.new_context(now_ms)
        self.consumer.regexes_resolved(group_id, matched, version, context)
        return context.decision

    # Time

    def next_deadline_ms(self) -> int | None:
        return self._timers.next_ms()

    def expire(self, now_ms: int) -> CoordinatorDecision:
        """Sessions, join and sync phases whose time is over."""
        context = self.new_context(now_ms)
        decided: set[str] = set()
        for key in self._timers.pop_due(now_ms):
            if key in self._timers:
                continue  # what was due before it has set it anew
            kind = next((kind for kind in self.kinds if key.kind in kind.timer_kinds), None)
            if kind is not None and key.group_id in decided:
                # What is decided about the group is not applied yet: this one's turn comes after that.
                self._timers.schedule(key, now_ms)
                continue
            if kind is not None:
                self._expire(kind, key, context)
                decided.add(key.group_id)
                continue
            group = self.classic(key.group_id)
            if group is None:
                continue
            if key.kind == JOIN_TIMER:
                join_phase_over(group, context)
            elif key.kind == SYNC_TIMER:
                sync_phase_over(group, context)
            else:
                session_over(group, key.member_id, context)
        return context.decision

    def expire_offsets(self, now_ms: int) -> CoordinatorDecision:
        context = self.new_context(now_ms)
        for group in self.groups.values():
            expire_group(group, self.offsets, context)
        return context.decision

    def forget_topics(self, topics: Iterable[str], now_ms: int) -> CoordinatorDecision:
        """The topics are deleted: what was committed for them must not be found by ones of the same name."""
        context = self.new_context(now_ms)
        gone = set(topics)
        for group_id in self.groups:
            forget_offsets(group_id, gone, self.offsets, context)
        return context.decision

    def topics_changed(self, changes: TopicChanges, now_ms: int) -> CoordinatorDecision:
        """Topics came, went or grew: groups that subscribe to them may need another assignment."""
        context = self.new_context(now_ms)
        for kind in self.kinds:
            kind.topics_changed(changes, context)
        return context.decision

    # Durable state

    def apply(self, key: bytes, value: bytes | None, producer_id: int = NO_PRODUCER_ID) -> None:
        """Take in a record of the log: the only writer of durable state, live and on reload."""
        record_type = record_type_of(key)
        for kind in self.kinds:
            if record_type in kind.record_types:
                kind.apply(record_type, key, value)
                return
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

    def finish_loading(self, now_ms: int) -> CoordinatorDecision:
        """The whole log is applied: members get a fresh session each, for who knows how long they were not heard."""
        self._loading = False
        context = self.new_context(now_ms)
        for group in self._classic_groups():
            for member in group.members.values():
                refresh_session(group, member, context)
            if len(group.members) > self._config.group_size_max:
                prepare_rebalance(group, context)
        for kind in self.kinds:
            kind.finish_loading(context)
        return context.decision

    def abandon(self, code: ErrorCode) -> CoordinatorDecision:
        """Answer every parked request: the shard is lost or moves to another broker."""
        context = self.new_context(0)
        for group in self._classic_groups():
            for member in group.members.values():
                dismiss(group, member, code, context, member.member_id)
            group.state = DEAD
        for kind in self.kinds:
            kind.abandon(code, context)
        return context.decision

    def new_context(self, now_ms: int) -> DecisionContext:
        """Another decision begins."""
        # Whatever was decided before has been applied by now, or never will be.
        self.arriving.clear()
        return DecisionContext(self._config, self._timers, now_ms, self._topics(), self._group_settings)

    def _expire(self, kind: GroupKind, key: TimerKey, context: DecisionContext) -> None:
        """What the timer is for is in the records. As long as these are not applied, it is still to be done."""
        self._timers.schedule(key, context.now_ms + _EXPIRE_RETRY_MS)
        context.once_applied(lambda: self._timers.cancel(key))
        kind.expire(key, context)

    def classic(self, group_id: str) -> ClassicGroup | None:
        group = self.groups.get(group_id)
        return group if isinstance(group, ClassicGroup) else None

    def _classic_groups(self) -> list[ClassicGroup]:
        return [group for group in self.groups.values() if isinstance(group, ClassicGroup)]

    def _apply_group(self, record: GroupStored) -> None:
        if record.metadata is None:
            group = self.classic(record.group_id)
            if group is not None:
                del self.groups[record.group_id]
                group.state = DEAD
            return
        live = None if self._loading else self.arriving.pop(record.group_id, None) or self.classic(record.group_id)
        if live is None:
            self.groups[record.group_id] = ClassicGroup.load(record.group_id, record.metadata)
        else:
            self.groups[record.group_id] = live
            live.install(record.metadata)
