"""The consumer group protocol (KIP-848) as raw conversations. The answers are Apache Kafka's, checked beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import NewPartitions  # type: ignore[attr-defined]

from conformance.confluent import admin, create_topic
from conformance.consumer_member import ConsumerMember, settle
from conformance.raw import RawConnection
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

UNKNOWN_MEMBER_ID = 25
INVALID_REQUEST = 42
GROUP_SUBSCRIBED_TO_TOPIC = 86
NON_EMPTY_GROUP = 68
GROUP_ID_NOT_FOUND = 69
FENCED_INSTANCE_ID = 82
FENCED_MEMBER_EPOCH = 110
UNRELEASED_INSTANCE_ID = 111
UNSUPPORTED_ASSIGNOR = 112
STALE_MEMBER_EPOCH = 113
INVALID_REGULAR_EXPRESSION = 128


class Room:
    """Members of one test, closed at its end."""

    def __init__(self, broker: RunningBroker, name: str) -> None:
        self.broker, self.name = broker, name
        self.members: list[ConsumerMember] = []

    def member(self, topics: list[str] | None = None, **always: Any) -> ConsumerMember:
        if topics is None and "subscribed_topic_regex" not in always:
            topics = [self.name]
        member = ConsumerMember(self.broker, self.name, topics, **always)
        self.members.append(member)
        return member

    def describe(self) -> Any:
        with RawConnection(self.broker.address) as connection:
            response = connection.ask("ConsumerGroupDescribe", 1, group_ids=[self.name])
            return response.groups[0]


@pytest.fixture
def room(broker: RunningBroker, name: str) -> Iterator[Room]:
    create_topic(broker.bootstrap, name, 6)
    made = Room(broker, name)
    yield made
    for member in made.members:
        member.close()


def test_the_first_heartbeats_of_a_group(room: Room) -> None:
    member = room.member()
    joined = member.join()
    assert (joined.error_code, joined.member_id, joined.member_epoch) == (0, member.member_id, 2)
    assert joined.heartbeat_interval_ms == 300
    assert joined.assignment is not None
    settle(member, partitions=6)
    beat = member.send()
    assert (beat.error_code, beat.member_epoch, beat.assignment) == (0, member.epoch, None)
    full = member.send(
        rebalance_timeout_ms=10_000, subscribed_topic_names=[room.name], topic_partitions=member.owned_values()
    )
    assert full.assignment is not None


def test_two_members_share_and_the_first_gives_back_before_the_second_gets(room: Room) -> None:
    first, second = room.member(), room.member()
    first.join()
    settle(first, partitions=6)
    second.join()
    assert second.partitions == []
    before, epoch = first.owned_values(), first.epoch

    def is_asked_to_give_back() -> bool:
        first.take(first.send())
        return len(first.partitions) < 6

    eventually(is_asked_to_give_back, 10.0, 0.1)
    assert len(first.partitions) == 3
    # It still says that it owns everything: nothing goes to the second, and the epoch stays.
    still = first.send(topic_partitions=before)
    assert (still.error_code, still.member_epoch) == (0, epoch)
    second.beat()
    assert second.partitions == []
    settle(first, second, partitions=6)
    assert (len(first.partitions), len(second.partitions)) == (3, 3)


def test_who_leaves_gives_everything_to_the_others(room: Room) -> None:
    first, second = room.member(), room.member()
    first.join()
    second.join()
    settle(first, second, partitions=6)
    left = first.leave()
    assert (left.error_code, left.member_id, left.member_epoch) == (0, first.member_id, -1)
    settle(second, partitions=6)
    assert first.send().error_code == UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"rebalance_timeout_ms": -1}, INVALID_REQUEST),
        ({"topic_partitions": None}, INVALID_REQUEST),
        ({"topic_partitions": [{"topic_id": bytes(16), "partitions": [0]}]}, INVALID_REQUEST),
        ({"subscribed_topic_names": None}, INVALID_REQUEST),
        ({"member_id": ""}, INVALID_REQUEST),
        ({"group_id": ""}, INVALID_REQUEST),
        ({"instance_id": " "}, INVALID_REQUEST),
        ({"rack_id": ""}, INVALID_REQUEST),
        ({"member_epoch": -3}, INVALID_REQUEST),
        ({"member_epoch": -2}, INVALID_REQUEST),
        ({"server_assignor": "rigged"}, UNSUPPORTED_ASSIGNOR),
        ({"subscribed_topic_regex": "("}, INVALID_REGULAR_EXPRESSION),
        ({"subscribed_topic_regex": "(a)\\1"}, INVALID_REGULAR_EXPRESSION),
        ({"subscribed_topic_regex": "(?=a)"}, INVALID_REGULAR_EXPRESSION),
        ({"member_epoch": 5}, GROUP_ID_NOT_FOUND),
        ({"member_epoch": -1}, GROUP_ID_NOT_FOUND),
    ],
)
def test_what_is_refused(room: Room, wrong: dict[str, Any], code: int) -> None:
    refused = room.member().join(**wrong)
    assert refused.error_code == code
    assert refused.error_message


def test_epochs_that_are_not_the_members_are_fenced(room: Room) -> None:
    member = room.member()
    member.join()
    settle(member, partitions=6)
    epoch = member.epoch
    ahead = member.send(member_epoch=epoch + 1)
    assert ahead.error_code == FENCED_MEMBER_EPOCH
    told = f"greater member epoch ({epoch + 1}) than the one known by the group coordinator ({epoch})"
    assert told in ahead.error_message
    behind = member.send(member_epoch=1)
    assert behind.error_code == FENCED_MEMBER_EPOCH
    # Whoever was fenced joins again, under its id, and gets everything anew.
    again = member.join()
    assert (again.error_code, again.member_epoch) == (0, epoch)
    assert member.partitions == list(range(6))


def test_a_static_member_keeps_its_partitions_while_it_is_away(room: Room) -> None:
    stays, bounces = room.member(), room.member(instance_id="i")
    stays.join()
    bounces.join()
    settle(stays, bounces, partitions=6)
    kept = bounces.partitions
    intruder = room.member(instance_id="i")
    refused = intruder.join()
    assert refused.error_code == UNRELEASED_INSTANCE_ID
    assert bounces.leave(-2).member_epoch == -2
    epoch = stays.epoch
    stays.beat()
    assert stays.epoch == epoch
    returned = intruder.join()
    assert (returned.error_code, returned.member_epoch) == (0, epoch)
    assert intruder.partitions == kept
    assert bounces.send().error_code == FENCED_INSTANCE_ID
    assert stays.epoch == epoch


def test_new_partitions_are_assigned(room: Room) -> None:
    member = room.member()
    member.join()
    client = admin(room.broker.bootstrap)
    client.create_partitions([NewPartitions(room.name, 9)])[room.name].result(20)
    settle(member, partitions=9)
    assert member.epoch > 2


def test_a_subscription_changes(room: Room) -> None:
    other = f"{room.name}-other"
    create_topic(room.broker.bootstrap, other, 2)
    member = room.member()
    member.join()

    def has_both() -> bool:
        member.beat(subscribed_topic_names=[room.name, other])
        return len(member.partitions) == 8

    eventually(has_both, 10.0, 0.1)

    def has_one() -> bool:
        member.beat(subscribed_topic_names=[other])
        return member.partitions == [0, 1]

    eventually(has_one, 10.0, 0.1)


def test_a_subscription_by_pattern(room: Room) -> None:
    create_topic(room.broker.bootstrap, f"{room.name}-2", 2)
    member = room.member(subscribed_topic_regex=f"{room.name}.*")
    member.join()
    eventually(lambda: member.beat() and len(member.partitions) == 8, 15.0, 0.1)
    whole = room.describe().members[0]
    assert (whole.subscribed_topic_regex, whole.subscribed_topic_names) == (f"{room.name}.*", [])


def test_a_pattern_must_match_the_whole_name(room: Room) -> None:
    member = room.member(subscribed_topic_regex=room.name[:-1])
    member.join()
    other = room.member()
    other.join()
    settle(other, partitions=6)
    member.beat()
    assert member.partitions == []


def test_the_range_assignor_gives_runs(room: Room) -> None:
    first, second = room.member(server_assignor="range"), room.member(server_assignor="range")
    first.join()
    second.join()
    settle(first, second, partitions=6)
    assert sorted([first.partitions, second.partitions]) == [[0, 1, 2], [3, 4, 5]]
    assert room.describe().assignor_name == "range"


def test_a_group_described(room: Room) -> None:
    first = room.member(rack_id="r1", instance_id="i1")
    first.join()
    settle(first, partitions=6)
    epoch = first.epoch
    group = room.describe()
    assert (group.error_code, group.group_state, group.assignor_name) == (0, "Stable", "uniform")
    assert (group.group_epoch, group.assignment_epoch) == (epoch, epoch)
    (member,) = group.members
    assert (member.member_id, member.member_epoch, member.instance_id, member.rack_id) == (
        first.member_id,
        epoch,
        "i1",
        "r1",
    )
    assert (member.client_id, member.client_host, member.member_type) == ("raw", "/127.0.0.1", 1)
    assert (member.subscribed_topic_names, member.subscribed_topic_regex) == ([room.name], "")
    for assignment in (member.assignment, member.target_assignment):
        (topic,) = assignment.topic_partitions
        assert (topic.topic_name, sorted(topic.partitions)) == (room.name, list(range(6)))


def test_groups_that_are_not_consumer_groups(room: Room) -> None:
    with RawConnection(room.broker.address) as connection:
        missing = connection.ask("ConsumerGroupDescribe", 1, group_ids=[room.name]).groups[0]
        assert (missing.error_code, missing.error_message) == (GROUP_ID_NOT_FOUND, f"Group {room.name} not found.")
        room.member().join()
        described = connection.ask("DescribeGroups", 6, groups=[room.name]).groups[0]
        assert (described.error_code, described.group_state) == (GROUP_ID_NOT_FOUND, "Dead")
        assert described.error_message == f"Group {room.name} is not a classic group."
        older = connection.ask("DescribeGroups", 5, groups=[room.name]).groups[0]
        assert (older.error_code, older.group_state) == (0, "Dead")


def test_listed_by_type(room: Room) -> None:
    room.member().join()
    with RawConnection(room.broker.address) as connection:
        for types, is_there in ((["consumer"], True), (["Consumer"], True), (["classic"], False), ([], True)):
            listed = connection.ask("ListGroups", 5, types_filter=types).groups
            found = [group for group in listed if group.group_id == room.name]
            assert bool(found) is is_there
            if found:
                assert (found[0].group_type, found[0].protocol_type) == ("consumer", "consumer")


def test_offsets_of_members_and_others(room: Room) -> None:
    member = room.member()
    member.join()
    settle(member, partitions=6)
    connection = member.connection

    def commit(epoch: int, member_id: str, version: int = 9) -> int:
        response = connection.ask(
            "OffsetCommit",
            version,
            group_id=room.name,
            generation_id_or_member_epoch=epoch,
            member_id=member_id,
            topics=[{"name": room.name, "partitions": [{"partition_index": 0, "committed_offset": 7}]}],
        )
        return int(response.topics[0].partitions[0].error_code)

    def fetch(epoch: int, member_id: str | None) -> tuple[int, int]:
        asked = {
            "group_id": room.name,
            "member_id": member_id,
            "member_epoch": epoch,
            "topics": [{"name": room.name, "partition_indexes": [0]}],
        }
        group = connection.ask("OffsetFetch", 9, groups=[asked]).groups[0]
        offset = group.topics[0].partitions[0].committed_offset if group.topics else -2
        return group.error_code, offset

    assert commit(member.epoch, member.member_id) == 0
    assert commit(member.epoch + 1, member.member_id) == STALE_MEMBER_EPOCH
    assert commit(1, member.member_id) == STALE_MEMBER_EPOCH
    assert commit(member.epoch, "somebody") == UNKNOWN_MEMBER_ID
    assert commit(-1, "") == UNKNOWN_MEMBER_ID
    assert commit(member.epoch, member.member_id, version=8) == 35
    assert fetch(member.epoch, member.member_id) == (0, 7)
    assert fetch(-1, None) == (0, 7)
    assert fetch(1, member.member_id)[0] == STALE_MEMBER_EPOCH
    assert fetch(member.epoch, "somebody")[0] == UNKNOWN_MEMBER_ID
    member.leave()
    assert commit(-1, "") == 0


def test_deleting_a_group_and_its_offsets(room: Room) -> None:
    member = room.member()
    member.join()
    connection = member.connection
    committed = connection.ask(
        "OffsetCommit",
        9,
        group_id=room.name,
        generation_id_or_member_epoch=member.epoch,
        member_id=member.member_id,
        topics=[{"name": room.name, "partitions": [{"partition_index": 0, "committed_offset": 7}]}],
    )
    assert committed.topics[0].partitions[0].error_code == 0
    wanted = [{"name": room.name, "partitions": [{"partition_index": 0}]}]
    kept = connection.ask("OffsetDelete", 0, group_id=room.name, topics=wanted)
    assert (kept.error_code, kept.topics[0].partitions[0].error_code) == (0, GROUP_SUBSCRIBED_TO_TOPIC)
    assert connection.ask("DeleteGroups", 2, groups_names=[room.name]).results[0].error_code == NON_EMPTY_GROUP
    member.leave()
    gone = connection.ask("OffsetDelete", 0, group_id=room.name, topics=wanted)
    assert (gone.error_code, gone.topics[0].partitions[0].error_code) == (0, 0)
    assert room.describe().group_state == "Empty"
    assert connection.ask("DeleteGroups", 2, groups_names=[room.name]).results[0].error_code == 0
    assert room.describe().error_code == GROUP_ID_NOT_FOUND


def test_a_silent_member_is_put_out(room: Room) -> None:
    first, second = room.member(), room.member()
    first.join()
    second.join()
    settle(first, second, partitions=6)
    settle(second, partitions=6)
    assert first.send().error_code == UNKNOWN_MEMBER_ID
