"""Classic groups that become consumer groups and back, and classic members within a consumer group (KIP-848)."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from riacho.base.errors import ErrorCode
from riacho.groups.classic.embedded_protocol import read_assignment
from riacho.groups.classic.group import ClassicGroup
from riacho.groups.config import GroupConfig
from riacho.groups.consumer.group import ConsumerGroup
from riacho.groups.consumer_config import Bounded, ConsumerGroupConfig, MigrationPolicy
from riacho.wire.codec import encode
from riacho.wire.messages.consumer_protocol_assignment import ConsumerProtocolAssignment, TopicPartition
from support.consumer_world import ConsumerWorld, assigned
from support.group_clients import ClassicClient
from support.group_world import GROUP, durable_state, subscription


def world(policy: MigrationPolicy = MigrationPolicy.BIDIRECTIONAL, **classic: Any) -> ConsumerWorld:
    consumer = ConsumerGroupConfig(assignment_interval_ms=Bounded(0, 0, 15_000), migration_policy=policy)
    return ConsumerWorld(GroupConfig(initial_rebalance_delay_ms=0, consumer=consumer, **classic), t=4)


def with_classic_member(made: ConsumerWorld, *, cooperative: bool = False) -> ClassicClient:
    client = ClassicClient(made, ["t"], cooperative=cooperative)
    for _ in range(8):
        client.step()
        made.pass_time(100)
    assert len(client.owned) == 4
    return client


def test_the_first_modern_member_upgrades_the_group() -> None:
    made = world()
    classic = with_classic_member(made)
    generation = classic.generation
    joined = made.beat("m", topics=["t"])
    assert (joined.error_code, joined.member_epoch, assigned(joined)) == (0, generation + 1, {})
    group = made.consumer_group
    assert group.members[classic.member_id].uses_classic_protocol
    assert len(group.members[classic.member_id].assigned[b"t".ljust(16, b"\0")]) == 4
    assert made.heartbeat(classic.member_id, generation) == ErrorCode.REBALANCE_IN_PROGRESS
    for _ in range(6):
        classic.step()
    assert len(classic.owned) == 2
    assert {("t", index) for index in assigned(made.beat("m", generation + 1))["t"]}.isdisjoint(classic.owned)  # type: ignore[index]
    assert durable_state(made.reloaded()) == durable_state(made.shard)


def test_the_last_modern_member_takes_the_group_back() -> None:
    made = world()
    classic = with_classic_member(made)
    made.beat("m", topics=["t"])
    epoch = made.consumer_group.group_epoch
    made.beat("m", -1)
    group = made.group
    assert isinstance(group, ClassicGroup)
    assert (group.generation, group.state_name) == (epoch, "PreparingRebalance")
    assert durable_state(made.reloaded()) == durable_state(made.shard)
    for _ in range(8):
        classic.step()
        made.pass_time(100)
    assert len(classic.owned) == 4
    assert made.state == "Stable"


@pytest.mark.parametrize(
    ("policy", "may_upgrade"),
    [(MigrationPolicy.DISABLED, False), (MigrationPolicy.DOWNGRADE, False), (MigrationPolicy.UPGRADE, True)],
)
def test_the_policy_on_upgrades(policy: MigrationPolicy, may_upgrade: bool) -> None:
    made = world(policy)
    with_classic_member(made)
    refused = made.beat("m", topics=["t"])
    assert (refused.error_code == 0) is may_upgrade
    assert isinstance(made.group, ConsumerGroup) is may_upgrade
    if not may_upgrade:
        assert refused.error_code == ErrorCode.GROUP_ID_NOT_FOUND
        assert refused.error_message.endswith("because online upgrade is disabled.")


def test_the_policy_on_downgrades() -> None:
    made = world(MigrationPolicy.UPGRADE)
    with_classic_member(made)
    made.beat("m", topics=["t"])
    made.beat("m", -1)
    assert isinstance(made.group, ConsumerGroup)


def test_classic_members_stay_out_when_migration_is_disabled() -> None:
    made = world(MigrationPolicy.DISABLED)
    made.beat("m", topics=["t"])
    answer = made.answers[made.join("")]
    assert answer.error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL


def test_groups_of_other_embedded_protocols_are_not_upgraded() -> None:
    made = world()
    made.stable_group(protocol_type="connect", protocols={"default": b"x"})
    refused = made.beat("m", topics=["t"])
    assert refused.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert "does not use the consumer embedded protocol" in refused.error_message


def test_what_cannot_be_read_is_not_upgraded() -> None:
    made = world()
    made.stable_group(protocols={"range": subscription("t")})
    refused = made.beat("m", topics=["t"])
    assert refused.error_code == ErrorCode.GROUP_ID_NOT_FOUND
    assert "malformed" in refused.error_message
    assert made.state == "Stable"


def test_data_of_a_custom_assignor_would_be_lost() -> None:
    made = world()
    (member_id,) = made.stable_group(protocols={"range": subscription("t")})
    own = ConsumerProtocolAssignment(assigned_partitions=[TopicPartition(topic="t", partitions=[0])], user_data=b"mine")
    made.group.members[member_id].assignment = struct.pack(">h", 1) + bytes(encode(own, 1))
    refused = made.beat("m", topics=["t"])
    assert "an unsupported custom assignor" in refused.error_message


def test_whoever_waits_in_a_classic_rebalance_is_told_to_join_again() -> None:
    made = world()
    member_id = made.new_member_id()
    with_delay = GroupConfig(initial_rebalance_delay_ms=3_000, consumer=made.config.consumer)
    waiting = ConsumerWorld(with_delay, t=4)
    member_id = waiting.new_member_id()
    request_id = waiting.join(member_id)
    assert request_id in waiting.parked()
    waiting.beat("m", topics=["t"])
    assert waiting.answers[request_id].error_code == ErrorCode.REBALANCE_IN_PROGRESS
    assert isinstance(waiting.group, ConsumerGroup)
    assert durable_state(waiting.reloaded()) == durable_state(waiting.shard)


def test_a_cooperative_member_between_two_joins_keeps_what_it_has_not_let_go_of() -> None:
    """It was told to give up partitions 2 and 3, and has not joined again to say that it has."""
    made = world()
    classic = with_classic_member(made, cooperative=True)
    other = ClassicClient(made, ["t"], cooperative=True)
    for _ in range(3):
        other.step()
    classic.step()
    classic.step()
    made.pass_time(100)
    classic.step()
    assert made.state == "Stable"
    joined = made.beat("m", topics=["t"])
    held = {index for index in assigned(joined).get("t", set())}  # type: ignore[union-attr]
    assert held.isdisjoint({index for _, index in classic.owned})


def test_the_classic_requests_in_a_consumer_group() -> None:
    made = world()
    made.beat("m", topics=["t"])
    member_id = made.answers[made.join("")].member_id
    joined = made.answers[made.join(member_id)]
    assert (joined.error_code, joined.protocol_type, joined.protocol_name, joined.leader) == (
        0,
        "consumer",
        "range",
        "",
    )
    generation = joined.generation_id
    synced = made.answers[made.sync(member_id, generation, protocol_type="consumer", protocol_name="range")]
    assert (synced.error_code, read_assignment(synced.assignment).assigned_partitions) == (0, [])
    assert made.answers[made.sync(member_id, generation + 1)].error_code == ErrorCode.ILLEGAL_GENERATION
    assert made.answers[made.sync("x", generation)].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert made.answers[made.sync("m", 2)].error_code == ErrorCode.UNKNOWN_MEMBER_ID
    wrong = made.sync(member_id, generation, protocol_name="other")
    assert made.answers[wrong].error_code == ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    # It waits for what the other still holds: no reason to join again.
    assert made.heartbeat(member_id, generation) == 0
    made.beat("m", 2)
    made.beat("m", 2, owned={"t": {0, 1}})
    assert made.heartbeat(member_id, generation) == ErrorCode.REBALANCE_IN_PROGRESS
    assert made.heartbeat("m", 3) == ErrorCode.UNKNOWN_MEMBER_ID
    assert made.commit({("t", 3): 1}, member_id, generation + 7) == {("t", 3): ErrorCode.ILLEGAL_GENERATION}
    left = made.leave((member_id, None), ("ghost", None))
    assert [each.error_code for each in left.members] == [0, ErrorCode.UNKNOWN_MEMBER_ID]


@pytest.mark.parametrize("is_synced", [False, True])
def test_a_classic_member_that_is_late_is_put_out(is_synced: bool) -> None:
    made = world()
    made.beat("m", topics=["t"])
    member_id = made.answers[made.join("", rebalance_timeout_ms=9_000)].member_id
    generation = made.answers[made.join(member_id, rebalance_timeout_ms=9_000)].generation_id
    if is_synced:
        made.sync(member_id, generation)
        made.beat("m", 2)
        made.beat("m", 2, owned={"t": {0, 1}})
    for _ in range(4):
        made.pass_time(3_000)
        made.heartbeat(member_id, generation)
        made.beat("m", made.consumer_group.members["m"].member_epoch)
    assert list(made.consumer_group.members) == ["m"]


def test_an_empty_consumer_group_makes_room_for_a_classic_one() -> None:
    made = world()
    made.beat("m", topics=["t"])
    made.commit({("t", 0): 5}, "m", 2)
    made.beat("m", -1)
    made.stable_group()
    assert isinstance(made.group, ClassicGroup)
    assert made.fetch({"t": [0]})["t", 0][0] == 5
    assert durable_state(made.reloaded()) == durable_state(made.shard)
    assert made.answers[made.join("stranger")].error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_a_static_member_changes_its_protocol() -> None:
    made = world()
    made.beat("m", topics=["t"], instance_id="i")
    made.beat("m", -2, instance_id="i")
    back = made.answers[made.join("", instance_id="i", protocols={"range": subscription("t", version=3)})]
    assert back.error_code == 0
    assert isinstance(made.group, ClassicGroup)
    assert made.state == "Stable"
    synced = made.answers[made.sync(back.member_id, back.generation_id, instance_id="i")]
    (topic,) = read_assignment(synced.assignment).assigned_partitions
    assert (topic.topic, topic.partitions) == ("t", [0, 1, 2, 3])
    assert durable_state(made.reloaded()) == durable_state(made.shard)
    assert GROUP in made.shard.groups
