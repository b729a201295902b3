"""Any conversation that members, administrators, timeouts and restarts can have with a group keeps its promises."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from riacho.base.errors import ErrorCode
from riacho.groups.classic.group import ClassicGroup, GroupState
from riacho.groups.classic.sessions import SESSION_TIMER
from riacho.groups.config import GroupConfig
from riacho.groups.timers import TimerKey
from support.group_world import GROUP, GroupWorld, durable_state, subscription

PROTOCOLS = [
    {"range": subscription("t")},
    {"range": subscription("t", "u"), "robin": subscription("t")},
    {"robin": subscription("t"), "range": subscription("t")},
]
JOIN = {"session_timeout_ms": 10_000, "rebalance_timeout_ms": 30_000}
# Longer than any session, rebalance or join may last.
ALL_OVER_MS = 1_000_000


class Groups(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.world = GroupWorld(GroupConfig(group_size_max=4))
        self.known: list[str] = ["ghost"]
        self.seen: set[int] = set()
        self.generation = 0
        self.leaders: dict[tuple[int, int], str] = {}
        self.assigned: dict[tuple[int, int, str], bytes] = {}
        # A group that was deleted, or that lost a rebalance in a restart, counts its generations anew.
        self.life = 0

    @property
    def group(self) -> ClassicGroup | None:
        return self.world.shard.groups.get(GROUP)

    # What the world does

    @initialize(dynamic=st.integers(0, 2), static=st.integers(0, 2))
    def begin(self, dynamic: int, static: int) -> None:
        """Often in the middle of things: with a Stable group."""
        for instance in ("one", "two")[:static]:
            self.world.join(instance_id=instance, protocols=PROTOCOLS[1], **JOIN)
        for _ in range(dynamic):
            self.world.join(version=3, protocols=PROTOCOLS[1], **JOIN)
        self.world.pass_time(6_000)
        self.everyone_syncs()

    @rule(version=st.sampled_from([3, 9]), protocols=st.sampled_from(PROTOCOLS))
    def join_new(self, version: int, protocols: dict[str, bytes]) -> None:
        self.world.join(version=version, protocols=protocols, **JOIN)

    @rule(data=st.data(), protocols=st.sampled_from(PROTOCOLS))
    def join_known(self, data: st.DataObject, protocols: dict[str, bytes]) -> None:
        self.world.join(self.pick(data), protocols=protocols, **JOIN)

    @rule(instance=st.sampled_from(["one", "two"]), protocols=st.sampled_from(PROTOCOLS))
    def join_static(self, instance: str, protocols: dict[str, bytes]) -> None:
        self.world.join(instance_id=instance, protocols=protocols, **JOIN)

    @rule(data=st.data(), drift=st.sampled_from([0, 0, 0, -1]), leave_out=st.booleans())
    def sync(self, data: st.DataObject, drift: int, leave_out: bool) -> None:
        generation = self.current_generation + drift
        # Each assignment says whose it is and when it was made.
        brought = {member_id: f"{generation}/{member_id}".encode() for member_id in self.known[leave_out:]}
        self.world.sync(self.pick(data), generation, brought)

    @rule(data=st.data(), drift=st.sampled_from([0, 0, 0, 1]))
    def heartbeat(self, data: st.DataObject, drift: int) -> None:
        self.world.heartbeat(self.pick(data), self.current_generation + drift)

    @rule(data=st.data())
    def leave(self, data: st.DataObject) -> None:
        self.world.leave((self.pick(data), None))

    @rule(instance=st.sampled_from(["one", "two"]))
    def remove_static(self, instance: str) -> None:
        self.world.leave(("", instance))

    @rule(data=st.data(), offset=st.integers(0, 100), anonymous=st.booleans())
    def commit(self, data: st.DataObject, offset: int, anonymous: bool) -> None:
        at = {(data.draw(st.sampled_from("tuv")), offset % 2): offset}
        if anonymous:
            self.world.commit(at)
        else:
            self.world.commit(at, self.pick(data), self.current_generation)

    @rule(duration_ms=st.sampled_from([1, 1_000, 3_000, 9_000, 10_000, 30_000]))
    def pass_time(self, duration_ms: int) -> None:
        self.world.pass_time(duration_ms)

    @rule()
    def everyone_acts(self) -> None:
        """All members behave for once, so that groups get somewhere."""
        for member_id in list(self.group.members) if self.group else []:
            self.world.join(member_id, protocols=PROTOCOLS[1], **JOIN)
        self.world.pass_time(6_000)
        self.everyone_syncs()

    @rule()
    def everyone_syncs(self) -> None:
        if self.group is None or self.group.state is not GroupState.COMPLETING_REBALANCE:
            return
        generation = self.group.generation
        members = list(self.group.members)
        for member_id in members:
            self.world.sync(member_id, generation, {m: f"{generation}/{m}".encode() for m in members})

    @rule()
    def restart(self) -> None:
        self.world.restart()
        self.start_over()

    @rule()
    def delete(self) -> None:
        if self.world.delete_group() == ErrorCode.NONE:
            self.start_over()

    @rule(duration_ms=st.sampled_from([0, 8 * 24 * 3_600_000]))
    def expire_offsets(self, duration_ms: int) -> None:
        self.world.pass_time(duration_ms)
        self.world.run(self.world.shard.expire_offsets(self.world.now_ms))
        if self.group is None:
            self.start_over()

    # What must hold

    @invariant()
    def answers_agree(self) -> None:
        self.collect()

    @invariant()
    def generations_do_not_go_back(self) -> None:
        assert self.current_generation >= self.generation
        self.generation = self.current_generation

    @invariant()
    def the_leader_is_a_member(self) -> None:
        if self.group is not None and self.group.members:
            assert self.group.member_list.leader_id in self.group.members
        elif self.group is not None:
            assert self.group.member_list.leader_id is None

    @invariant()
    def whoever_waits_is_waited_for(self) -> None:
        held: list[int] = []
        for member in self.group.members.values() if self.group else ():
            held += [t for t in (member.join_request_id, member.sync_request_id) if t is not None]
        assert set(held) == self.world.parked()
        assert len(held) == len(set(held))

    @invariant()
    def counts_are_right(self) -> None:
        if self.group is None:
            return
        members = self.group.members.values()
        member_list = self.group.member_list
        assert member_list.awaiting_join_count == sum(member.join_request_id is not None for member in members)
        assert member_list.static_member_ids == {m.group_instance_id: m.member_id for m in members if m.is_static}
        assert not member_list.pending_join & set(self.group.members)
        assert member_list.pending_sync <= set(self.group.members)
        # Members that have not rejoined do not count against newcomers, so there may be more of them for a while.
        assert member_list.awaiting_join_count <= self.world.config.group_size_max

    @invariant()
    def states_mean_what_they_say(self) -> None:
        group = self.group
        if group is None:
            return
        joins = any(member.join_request_id is not None for member in group.members.values())
        syncs = any(member.sync_request_id is not None for member in group.members.values())
        assert not joins or group.state is GroupState.PREPARING_REBALANCE
        assert not syncs or group.state is GroupState.COMPLETING_REBALANCE
        if group.state is GroupState.EMPTY:
            assert not group.members
            assert group.stored is None or (group.stored.generation, group.stored.members) == (group.generation, [])
        if group.state is GroupState.STABLE:
            assert group.stored is not None
            assert group.stored.generation == group.generation
            assert group.stored.leader == group.member_list.leader_id
            stored = {member.member_id: member.assignment for member in group.stored.members}
            assert stored == {member.member_id: member.assignment for member in group.members.values()}

    @invariant()
    def whoever_is_in_can_be_lost(self) -> None:
        """A member, and a pending one, is either being waited for or has a session that will end."""
        for member_id in [*self.group.members, *self.group.member_list.pending_join] if self.group else ():
            member = self.group.members.get(member_id) if self.group else None
            has_session = TimerKey(SESSION_TIMER, GROUP, member_id) in self.world.shard._timers
            assert has_session or (member is not None and member.is_excused)

    @invariant()
    def a_reload_finds_the_same(self) -> None:
        assert durable_state(self.world.reloaded()) == durable_state(self.world.shard)

    def teardown(self) -> None:
        self.world.pass_time(ALL_OVER_MS)
        self.collect()
        assert self.world.parked() == set()
        if self.group is not None:
            assert self.group.state is GroupState.EMPTY
            assert not self.group.member_list.pending_join
        assert self.world.shard.next_deadline_ms() is None

    # Within

    @property
    def current_generation(self) -> int:
        return self.group.generation if self.group else 0

    def pick(self, data: st.DataObject) -> str:
        """Mostly somebody of importance."""
        members = list(self.group.members) if self.group else []
        return data.draw(st.sampled_from(members + self.known[-3:] + ["ghost"]))

    def start_over(self) -> None:
        self.collect()
        self.life += 1
        self.generation = 0

    def collect(self) -> None:
        for request_id in sorted(set(self.world.answers) - self.seen):
            self.seen.add(request_id)
            self.check_answer(self.world.answers[request_id])

    def check_answer(self, answer: Any) -> None:
        kind = type(answer).__name__
        if kind == "JoinGroupResponse":
            if answer.member_id and answer.member_id not in self.known:
                self.known.append(answer.member_id)
            # A static leader that returns keeps the generation but has a new id.
            if answer.error_code == ErrorCode.NONE and not answer.leader.startswith(("one-", "two-")):
                first = self.leaders.setdefault((self.life, answer.generation_id), answer.leader)
                assert first == answer.leader or first.startswith(("one-", "two-"))
            if answer.error_code == ErrorCode.NONE and answer.members:
                assert answer.leader == answer.member_id
        elif kind == "SyncGroupResponse" and answer.error_code == ErrorCode.NONE and answer.assignment:
            generation, member_id = answer.assignment.decode().split("/", 1)
            where = (self.life, int(generation), member_id)
            assert self.assigned.setdefault(where, answer.assignment) == answer.assignment


Groups.TestCase.settings = settings(
    max_examples=60, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
)
TestGroups = Groups.TestCase
