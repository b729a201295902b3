"""The classic group protocol as raw conversations. The answers are Apache Kafka's, checked beside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from conformance.confluent import create_topic
from conformance.raw import RawConnection, error_codes, wait_for_coordinator, wait_until_served
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

METADATA = b"\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff"
OTHER_METADATA = b"\x00\x01\x00\x00\x00\x00\xff\xff\xff\xff"


class Member:
    """One member with a connection of its own, since a parked JoinGroup blocks what comes behind it."""

    def __init__(self, address: tuple[str, int], group: str, instance_id: str | None = None) -> None:
        self.connection = RawConnection(address)
        self.group, self.instance_id = group, instance_id
        self.member_id, self.generation_id = "", -1
        self._parked = 0

    def get_id(self) -> str:
        """The first JoinGroup without an id gives one and asks to come again (KIP-394)."""
        refused = self.connection.ask("JoinGroup", 7, **self.join_values())
        assert (refused.error_code, refused.generation_id) == (79, -1)
        self.member_id = refused.member_id
        return self.member_id

    def join_values(self, **changed: Any) -> dict[str, Any]:
        values = {
            "group_id": self.group,
            "session_timeout_ms": 10_000,
            "rebalance_timeout_ms": 10_000,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
            "protocol_type": "consumer",
            "protocols": [{"name": "range", "metadata": METADATA}],
        }
        return values | changed

    def send_join(self, **changed: Any) -> None:
        self._parked = self.connection.send("JoinGroup", 7, **self.join_values(**changed))

    def joined(self) -> Any:
        answer = self.connection.receive("JoinGroup", 7, self._parked)
        if answer.error_code == 0:
            self.member_id, self.generation_id = answer.member_id, answer.generation_id
        return answer

    def join(self, **changed: Any) -> Any:
        self.send_join(**changed)
        return self.joined()

    def sync_values(self, shares: dict[str, bytes] | None = None, **changed: Any) -> dict[str, Any]:
        values: dict[str, Any] = self.identity() | {
            "protocol_type": "consumer",
            "protocol_name": "range",
            "assignments": [{"member_id": each, "assignment": share} for each, share in (shares or {}).items()],
        }
        return values | changed

    def sync(self, shares: dict[str, bytes] | None = None, **changed: Any) -> Any:
        return self.connection.ask("SyncGroup", 5, **self.sync_values(shares, **changed))

    def identity(self) -> dict[str, Any]:
        return {
            "group_id": self.group,
            "generation_id": self.generation_id,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
        }

    def heartbeat(self, **changed: Any) -> int:
        code: int = self.connection.ask("Heartbeat", 4, **(self.identity() | changed)).error_code
        return code

    def commit(self, topic: str, metadata: str | None = "", **changed: Any) -> int:
        values = {
            "group_id": self.group,
            "generation_id_or_member_epoch": self.generation_id,
            "member_id": self.member_id,
            "group_instance_id": self.instance_id,
        }
        partition = {"partition_index": 0, "committed_offset": 1, "committed_metadata": metadata}
        topics = [{"name": topic, "partitions": [partition]}]
        answer = self.connection.ask("OffsetCommit", 8, topics=topics, **(values | changed))
        code: int = answer.topics[0].partitions[0].error_code
        return code

    def state(self) -> str:
        name: str = self.connection.ask("DescribeGroups", 5, groups=[self.group]).groups[0].group_state
        return name


@pytest.fixture
def members(broker: RunningBroker, name: str) -> Iterator[Iterator[Member]]:
    made: list[Member] = []
    with RawConnection(broker.address) as connection:
        wait_for_coordinator(connection, name)

    def endless() -> Iterator[Member]:
        for _ in itertools.count():
            made.append(Member(broker.address, name))
            yield made[-1]

    yield endless()
    for member in made:
        member.connection.socket.close()


@pytest.fixture
def topic(broker: RunningBroker, name: str) -> str:
    create_topic(broker.bootstrap, name)
    with RawConnection(broker.address) as connection:
        wait_until_served(connection, name)
    return name


def stable_pair(members: Iterator[Member]) -> tuple[Member, Member]:
    """A leader and a follower in a stable group, the second generation of it."""
    leader, follower = next(members), next(members)
    leader.get_id()
    leader.join()
    leader.sync({leader.member_id: b"\x01\x02"})
    follower.get_id()
    follower.send_join()
    eventually(lambda: leader.heartbeat() == 27)
    leader.send_join()
    assert leader.joined().leader == follower.joined().leader == leader.member_id
    leader.sync({leader.member_id: b"\x01\x02", follower.member_id: b"\x03\x04"})
    assert bytes(follower.sync().assignment) == b"\x03\x04"
    return leader, follower


def test_a_first_join_is_asked_to_come_again_with_its_id(members: Iterator[Member]) -> None:
    member = next(members)
    assert member.get_id().startswith("raw-")
    joined = member.join()
    assert (joined.error_code, joined.generation_id, joined.leader) == (0, 1, member.member_id)
    assert (joined.protocol_type, joined.protocol_name) == ("consumer", "range")
    assert [each.member_id for each in joined.members] == [member.member_id]
    assert member.state() == "CompletingRebalance"


def test_a_join_with_an_invented_id_is_refused(members: Iterator[Member]) -> None:
    member = next(members)
    assert member.join(member_id="invented").error_code == 25


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"session_timeout_ms": 10}, 26),
        ({"session_timeout_ms": 100_000_000}, 26),
        ({"group_id": ""}, 24),
        ({"protocols": []}, 23),
        ({"protocol_type": ""}, 23),
    ],
    ids=["short-session", "long-session", "no-group", "no-protocols", "no-type"],
)
def test_bad_joins(members: Iterator[Member], changed: dict[str, Any], code: int) -> None:
    assert next(members).join(**changed).error_code == code


def test_protocols_must_have_something_in_common(members: Iterator[Member]) -> None:
    leader, _ = stable_pair(members)
    other = next(members)
    assert other.join(protocols=[{"name": "mine", "metadata": b""}]).error_code == 23
    assert other.join(protocol_type="connect").error_code == 23
    assert leader.heartbeat() == 0


def test_membership_is_checked_before_the_generation(members: Iterator[Member], topic: str) -> None:
    leader, _ = stable_pair(members)
    assert leader.heartbeat(member_id="nobody", generation_id=99) == 25
    assert leader.heartbeat(generation_id=99) == 22
    assert leader.heartbeat() == 0
    assert leader.commit(topic, member_id="nobody", generation_id_or_member_epoch=99) == 25
    assert leader.commit(topic, generation_id_or_member_epoch=99) == 22
    assert leader.commit(topic) == 0
    assert leader.sync(member_id="nobody").error_code == 25
    assert leader.sync(generation_id=99).error_code == 22


def test_codes_while_the_group_prepares_and_completes(members: Iterator[Member], topic: str) -> None:
    leader, follower = stable_pair(members)
    third = next(members)
    third.get_id()
    third.send_join()
    eventually(lambda: leader.state() == "PreparingRebalance")
    assert leader.heartbeat() == 27
    assert leader.commit(topic) == 0, "the old generation may still commit"
    assert leader.sync().error_code == 27
    leader.send_join()
    follower.send_join()
    for member in (leader, follower, third):
        assert member.joined().generation_id == 3
    assert leader.heartbeat() == 0
    assert leader.commit(topic) == 27
    leader.sync({leader.member_id: b"\x01\x02"})
    assert bytes(third.sync().assignment) == b"", "the leader left it out"
    assert leader.state() == "Stable"


def test_a_commit_without_a_generation_needs_an_empty_group(members: Iterator[Member], topic: str) -> None:
    outsider = next(members)
    assert outsider.commit(topic) == 0
    leader, _ = stable_pair(members)
    assert outsider.commit(topic) == 25
    assert leader.commit(topic) == 0


def test_a_followers_rejoin_with_equal_metadata_changes_nothing(members: Iterator[Member]) -> None:
    leader, follower = stable_pair(members)
    again = follower.join()
    assert (again.error_code, again.generation_id, again.leader) == (0, 2, leader.member_id)
    assert again.members == []
    assert leader.heartbeat() == 0


def test_new_metadata_or_the_leaders_rejoin_starts_a_rebalance(members: Iterator[Member]) -> None:
    leader, follower = stable_pair(members)
    follower.send_join(protocols=[{"name": "range", "metadata": OTHER_METADATA}])
    eventually(lambda: leader.heartbeat() == 27)
    leader.send_join()
    assert leader.joined().generation_id == follower.joined().generation_id == 3
    leader.sync({leader.member_id: b"\x01\x02", follower.member_id: b"\x01\x02"})
    follower.sync()
    leader.send_join()
    eventually(lambda: follower.heartbeat() == 27)
    follower.send_join(protocols=[{"name": "range", "metadata": OTHER_METADATA}])
    assert leader.joined().generation_id == follower.joined().generation_id == 4


def test_a_join_again_while_completing_repeats_the_answer(members: Iterator[Member]) -> None:
    member = next(members)
    member.get_id()
    first, second = member.join(), member.join()
    assert (second.generation_id, second.members) == (first.generation_id, first.members)


def test_sync_checks_and_echoes_the_protocol(members: Iterator[Member]) -> None:
    leader, _ = stable_pair(members)
    answer = leader.sync()
    assert (answer.error_code, answer.protocol_type, answer.protocol_name) == (0, "consumer", "range")
    assert bytes(answer.assignment) == b"\x01\x02"
    assert leader.sync(protocol_name="other").error_code == 23
    assert leader.sync(protocol_type="connect").error_code == 23


def test_leave_is_answered_member_by_member(members: Iterator[Member]) -> None:
    leader, follower = stable_pair(members)
    leaving = [{"member_id": "nobody"}, {"member_id": follower.member_id}]
    answer = leader.connection.ask("LeaveGroup", 4, group_id=leader.group, members=leaving)
    assert answer.error_code == 0
    assert [(each.member_id, each.error_code) for each in answer.members] == [("nobody", 25), (follower.member_id, 0)]
    assert leader.heartbeat() == 27
    assert leader.join().generation_id == 3


def test_a_static_member_replaces_itself_and_fences_the_old_one(broker: RunningBroker, name: str, topic: str) -> None:
    first, second = (Member(broker.address, name, "instance") for _ in range(2))
    wait_for_coordinator(first.connection, name)
    joined = first.join()
    assert joined.error_code == 0, "static members are not asked to come again"
    first.sync({first.member_id: b"\x01\x02"})
    replaced = second.join()
    assert (replaced.error_code, replaced.generation_id) == (0, 1)
    assert second.member_id != first.member_id
    assert bytes(second.sync().assignment) == b"\x01\x02"
    assert first.heartbeat() == 82  # FENCED_INSTANCE_ID
    assert first.commit(topic) == 82
    assert second.heartbeat() == 0
    for member in (first, second):
        member.connection.socket.close()


def test_describe_and_list_show_the_state(members: Iterator[Member], name: str) -> None:
    leader, follower = stable_pair(members)
    [described] = leader.connection.ask("DescribeGroups", 5, groups=[name]).groups
    assert (described.group_state, described.protocol_type, described.protocol_data) == ("Stable", "consumer", "range")
    found = {each.member_id: (each.client_id, each.client_host) for each in described.members}
    assert found == {leader.member_id: ("raw", "/127.0.0.1"), follower.member_id: ("raw", "/127.0.0.1")}
    listed = leader.connection.ask("ListGroups", 5, states_filter=["Stable"], types_filter=["classic"]).groups
    assert ("consumer", "Stable", "classic") in [
        (each.protocol_type, each.group_state, each.group_type) for each in listed if each.group_id == name
    ]
    [unknown] = leader.connection.ask("DescribeGroups", 5, groups=[f"{name}-none"]).groups
    assert (unknown.error_code, unknown.group_state) == (0, "Dead")
    [unknown] = leader.connection.ask("DescribeGroups", 6, groups=[f"{name}-none"]).groups
    assert (unknown.error_code, unknown.group_state) == (69, "Dead")  # GROUP_ID_NOT_FOUND (KIP-1043)


@pytest.mark.parametrize(("size", "code"), [(4_096, 0), (4_097, 12)])
def test_the_limit_of_a_commits_metadata(members: Iterator[Member], topic: str, size: int, code: int) -> None:
    assert next(members).commit(topic, "m" * size) == code


def test_null_metadata_is_kept_as_empty(members: Iterator[Member], name: str, topic: str) -> None:
    member = next(members)
    assert member.commit(topic, None) == 0
    everything = member.connection.ask("OffsetFetch", 7, group_id=name, topics=None)
    [kept] = everything.topics[0].partitions
    assert (kept.committed_offset, kept.committed_leader_epoch, kept.metadata) == (1, -1, "")


def test_a_commit_for_an_unknown_topic(members: Iterator[Member], name: str) -> None:
    assert next(members).commit(f"{name}-unknown") == 3


def test_offsets_of_a_subscribed_topic_stay(members: Iterator[Member], topic: str) -> None:
    leader, _ = stable_pair(members)
    assert leader.commit(topic) == 0
    asked = {"topics": [{"name": topic, "partitions": [{"partition_index": 0}]}]}
    answer = leader.connection.ask("OffsetDelete", 0, group_id=leader.group, **asked)
    assert answer.error_code == 0
    assert set(error_codes(answer)) == {0}, "the subscription does not name the topic"
    unknown = leader.connection.ask("OffsetDelete", 0, group_id=f"{topic}-none", **asked)
    assert unknown.error_code == 69


def test_find_coordinator(broker: RunningBroker, name: str) -> None:
    with RawConnection(broker.address) as connection:
        wait_for_coordinator(connection, name)
        answer = connection.ask("FindCoordinator", 4, key_type=0, coordinator_keys=[name, f"{name}-2"])
        assert [(each.key, each.error_code) for each in answer.coordinators] == [(name, 0), (f"{name}-2", 0)]
        assert {(each.host, each.port) for each in answer.coordinators} == {broker.address}
        [bad] = connection.ask("FindCoordinator", 4, key_type=9, coordinator_keys=[name]).coordinators
        assert bad.error_code == 42
