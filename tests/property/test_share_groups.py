"""Whatever members, administrators, topics, timeouts and restarts do to share groups, their promises are kept."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from riacho.base.errors import ErrorCode
from riacho.groups.config import GroupConfig
from riacho.groups.share.group import ShareGroup
from riacho.groups.share.heartbeat import SHARE_SESSION_TIMER, StateToCreate
from riacho.groups.share_config import ShareGroupConfig
from riacho.groups.timers import TimerKey
from support.share_group_world import GROUP, ShareGroupWorld

MEMBERS = ["a", "b", "c", "d"]
SIZE_MAX = 3
SESSION_MS = 45_000
TOPICS = ["t", "u", "v"]
ANY_MEMBER = st.sampled_from(MEMBERS)
ANY_TOPIC = st.sampled_from(TOPICS)
SUBSCRIPTIONS = st.lists(ANY_TOPIC, min_size=1, max_size=3, unique=True)


class ShareGroups(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = ShareGroupWorld(GroupConfig(share=ShareGroupConfig(group_size_max=SIZE_MAX)), t=3)
        self.topics: dict[str, int] = {"t": 3}
        self.epoch = 0
        self.epochs: dict[str, int] = {}

    @property
    def group(self) -> ShareGroup | None:
        return self.world.group() if self.world.has_group() else None

    # What the world does

    @rule(member=ANY_MEMBER, topics=SUBSCRIPTIONS)
    def join(self, member: str, topics: list[str]) -> None:
        known = self.group.members.keys() if self.group is not None else set()
        answer = self.world.join(member, *topics)
        if len(known) >= SIZE_MAX and member not in known:
            assert answer.error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
        else:
            assert answer.error_code == 0
            assert answer.assignment is not None

    @rule(member=ANY_MEMBER, topics=st.none() | SUBSCRIPTIONS, drift=st.sampled_from([0, 0, 0, 1, -5]))
    def heartbeat(self, member: str, topics: list[str] | None, drift: int) -> None:
        known = self.group.members.get(member) if self.group is not None else None
        epoch = max(1, (known.epoch if known is not None else 1) + drift)
        answer = self.world.heartbeat(member, epoch, topics)
        if self.group is None:
            assert answer.error_code == ErrorCode.GROUP_ID_NOT_FOUND
        elif known is None:
            expected = {ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.GROUP_MAX_SIZE_REACHED}
            assert answer.error_code in expected
        elif epoch in (known.epoch, known.previous_epoch):
            assert answer.error_code == 0
        else:
            assert answer.error_code == ErrorCode.FENCED_MEMBER_EPOCH

    @rule(member=ANY_MEMBER)
    def leave(self, member: str) -> None:
        self.world.leave(member)

    @rule(succeeded=st.booleans())
    def share_coordinator_answers(self, succeeded: bool) -> None:
        self.world.settle_state(succeeded=succeeded)

    @rule(duration_ms=st.sampled_from([500, 1_000, 20_000, SESSION_MS]))
    def time_passes(self, duration_ms: int) -> None:
        self.world.pass_time(duration_ms)

    @rule(topic=ANY_TOPIC, count=st.integers(1, 4))
    def topic_comes_or_grows(self, topic: str, count: int) -> None:
        if topic not in self.topics:
            self.world.create_topic(topic, count)
        elif count > self.topics[topic]:
            self.world.grow_topic(topic, count)
        self.topics[topic] = max(count, self.topics.get(topic, 0))

    @rule(topic=ANY_TOPIC)
    def topic_goes(self, topic: str) -> None:
        if self.topics.pop(topic, None) is not None:
            self.world.delete_topic(topic)

    @rule(topic=ANY_TOPIC, offset=st.integers(0, 9), answers=st.booleans())
    def offsets_are_altered(self, topic: str, offset: int, answers: bool) -> None:
        outcome = self.world.alter(topic, {0: offset})
        if outcome.to_create is not None and answers:
            self.world.settle(outcome.to_create)

    @rule(topic=ANY_TOPIC, answers=st.booleans())
    def offsets_are_deleted(self, topic: str, answers: bool) -> None:
        outcome = self.world.delete_offsets(topic)
        if outcome.partitions and answers:
            self.world.deleted(topic)

    @rule()
    def group_is_deleted(self) -> None:
        if self.world.begin_delete_group().code is ErrorCode.NONE and self.world.delete_group() is ErrorCode.NONE:
            assert not self.world.has_group()
            self.epoch, self.epochs = 0, {}

    @rule()
    def broker_restarts(self) -> None:
        self.world.restart()

    # What must hold

    @invariant()
    def replaying_the_log_gives_the_live_state(self) -> None:
        assert self.world.durable(self.world.reloaded()) == self.world.durable()

    @invariant()
    def epochs_never_go_back(self) -> None:
        group = self.group
        if group is None:
            return
        assert group.epoch >= self.epoch
        assert group.assignment_epoch <= group.epoch
        for member_id, member in group.members.items():
            assert member.epoch <= group.assignment_epoch
            assert member.epoch >= self.epochs.get(member_id, 0) or member.previous_epoch <= 0
        self.epoch = group.epoch
        self.epochs = {member_id: member.epoch for member_id, member in group.members.items()}

    @invariant()
    def every_member_has_a_session_and_nobody_else(self) -> None:
        group = self.group
        for member_id in MEMBERS:
            is_member = group is not None and member_id in group.members
            assert (TimerKey(SHARE_SESSION_TIMER, GROUP, member_id) in self.world.shard._timers) == is_member

    @invariant()
    def only_initialized_partitions_are_assigned_and_all_that_are(self) -> None:
        group = self.group
        if group is None:
            return
        for member_id, assigned in group.target.items():
            assert member_id in group.members
            for topic_id, partitions in assigned.items():
                share = group.state.initialized.get(topic_id)
                # Of a topic deleted since, the target is put right by the next heartbeat.
                if share is not None:
                    assert partitions <= share.partitions

    @invariant()
    def state_is_asked_for_only_while_it_is_missing(self) -> None:
        for asked in self.world.to_create:
            assert isinstance(asked, StateToCreate)
            assert all(offsets for offsets in asked.offsets.values())

    def teardown(self) -> None:
        """Left alone, everyone who stays ends up with all of the topics they subscribe to."""
        group = self.group
        if group is None or not group.members:
            return
        for _ in range(4):
            for member_id in list(group.members):
                self.world.beat(member_id)
            self.world.settle_state()
            self.world.pass_time(30_000)
        for topic, count in self.topics.items():
            readers = [m for m in group.members.values() if topic in m.subscribed_topic_names]
            read = {p for m in readers for p in m.assigned.get(self.world.topic_id(topic), ())}
            assert read == (set(range(count)) if readers else set())


ShareGroups.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestShareGroups = ShareGroups.TestCase
