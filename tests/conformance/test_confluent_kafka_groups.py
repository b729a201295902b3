"""librdkafka's consumer groups: commits, metadata, callbacks, subscriptions by pattern, new partitions."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from confluent_kafka import OFFSET_INVALID, Consumer, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import NewPartitions  # type: ignore[attr-defined]

from conformance.confluent import TIMEOUT_S, admin, code_of, consumer, create_topic, produce, take
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually


def values(messages: list[Any]) -> list[bytes]:
    return [message.value() for message in messages]


def numbered(count: int, start: int = 0) -> list[dict[str, Any]]:
    return [{"value": b"%d" % number} for number in range(start, start + count)]


def test_a_group_continues_where_it_committed(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, numbered(10))
    first = consumer(broker.bootstrap, name)
    first.subscribe([name])
    taken = take(first, 4)
    first.commit(message=taken[-1], asynchronous=False)
    first.close()
    second = consumer(broker.bootstrap, name)
    second.subscribe([name])
    try:
        assert values(take(second, 6)) == [b"%d" % number for number in range(4, 10)]
    finally:
        second.close()


def test_auto_commit_on_close(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    produce(broker.bootstrap, name, numbered(3))
    first = consumer(broker.bootstrap, name, {"enable.auto.commit": True})
    first.subscribe([name])
    take(first, 3)
    first.close()
    reader = consumer(broker.bootstrap, name)
    try:
        assert reader.committed([TopicPartition(name, 0)], TIMEOUT_S)[0].offset == 3
    finally:
        reader.close()


def test_commit_metadata_and_leader_epoch_round_trip(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=2)
    member = consumer(broker.bootstrap, name)
    try:
        committed = [TopicPartition(name, 0, 7, "why: größer", 0)]
        member.commit(offsets=committed, asynchronous=False)
        found = member.committed([TopicPartition(name, 0), TopicPartition(name, 1)], TIMEOUT_S)
        assert (found[0].offset, found[0].metadata, found[0].leader_epoch) == (7, "why: größer", 0)
        assert found[1].offset == OFFSET_INVALID
        assert found[1].error is None
    finally:
        member.close()


def test_metadata_of_a_commit_has_a_size_limit(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    member = consumer(broker.bootstrap, name)
    try:
        member.commit(offsets=[TopicPartition(name, 0, 1, "m" * 4_000)], asynchronous=False)
        with pytest.raises(KafkaException) as refused:
            member.commit(offsets=[TopicPartition(name, 0, 2, "m" * 5_000)], asynchronous=False)
        assert refused.value.args[0].code() == KafkaError.OFFSET_METADATA_TOO_LARGE
        assert member.committed([TopicPartition(name, 0)], TIMEOUT_S)[0].offset == 1
    finally:
        member.close()


def test_rebalance_callbacks_see_assignment_and_revocation(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name, partitions=4)
    events: list[tuple[str, int]] = []
    member = consumer(broker.bootstrap, name)
    member.subscribe(
        [name],
        on_assign=lambda _, partitions: events.append(("assigned", len(partitions))),
        on_revoke=lambda _, partitions: events.append(("revoked", len(partitions))),
    )

    def served(expected: list[tuple[str, int]]) -> bool:
        member.poll(0.05)
        return events == expected

    eventually(lambda: served([("assigned", 4)]))
    assert len(member.assignment()) == 4
    member.close()
    assert events == [("assigned", 4), ("revoked", 4)]


@pytest.mark.parametrize("strategy", ["range", "roundrobin", "cooperative-sticky"])
def test_each_strategy_shares_partitions_between_two(broker: RunningBroker, name: str, strategy: str) -> None:
    create_topic(broker.bootstrap, name, partitions=4)
    members: list[Consumer] = []
    try:
        for _ in range(2):
            members.append(consumer(broker.bootstrap, name, {"partition.assignment.strategy": strategy}))
            members[-1].subscribe([name])
        eventually(lambda: [member.poll(0.05) for member in members] and owned_evenly(members, 4))
        produce(broker.bootstrap, name, [{"value": b"x", "partition": number % 4} for number in range(8)])
        for member in members:
            mine = {assigned.partition for assigned in member.assignment()}
            assert {message.partition() for message in take(member, 4)} == mine
    finally:
        for member in members:
            member.close()


def owned_evenly(members: list[Consumer], partitions: int) -> bool:
    owned = [sorted(assigned.partition for assigned in member.assignment()) for member in members]
    return sorted(itertools.chain(*owned)) == list(range(partitions)) and len({len(share) for share in owned}) == 1


def test_a_pattern_finds_topics_made_later(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, f"{name}-one")
    member = consumer(broker.bootstrap, name)
    member.subscribe([f"^{name}-.*"])
    try:
        produce(broker.bootstrap, f"{name}-one", numbered(1))
        assert take(member, 1)[0].topic() == f"{name}-one"
        member.commit(asynchronous=False)
        create_topic(broker.bootstrap, f"{name}-two")
        produce(broker.bootstrap, f"{name}-two", numbered(1))
        assert take(member, 1)[0].topic() == f"{name}-two"
    finally:
        member.close()


def test_a_consumer_sees_added_partitions(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    member = consumer(broker.bootstrap, name)
    member.subscribe([name])
    try:
        produce(broker.bootstrap, name, numbered(1))
        take(member, 1)
        member.commit(asynchronous=False)
        client = admin(broker.bootstrap)
        client.create_partitions([NewPartitions(name, 3)])[name].result(TIMEOUT_S)
        eventually(lambda: member.poll(0.05) is None and len(member.assignment()) == 3)
        produce(broker.bootstrap, name, [{"value": b"late", "partition": 2}])
        assert take(member, 1)[0].partition() == 2
    finally:
        member.close()


def test_a_fenced_static_member_is_told(broker: RunningBroker, name: str) -> None:
    create_topic(broker.bootstrap, name)
    first = consumer(broker.bootstrap, name, {"group.instance.id": "same"})
    first.subscribe([name])
    second = consumer(broker.bootstrap, name, {"group.instance.id": "same"})
    try:
        eventually(lambda: first.poll(0.05) is None and len(first.assignment()) == 1)
        second.subscribe([name])
        eventually(lambda: second.poll(0.05) is None and len(second.assignment()) == 1)
        fatal = eventually(lambda: first.poll(0.1))
        assert code_of(fatal) in (KafkaError._FATAL, KafkaError.FENCED_INSTANCE_ID)
    finally:
        second.close()
        first.close()
