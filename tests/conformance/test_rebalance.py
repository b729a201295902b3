"""Three members of each client join, leave and crash; every record arrives and each partition has one owner.

The same conversation for every client. Members commit before they report a record, and records are produced only while
the group is settled, so each record must be reported exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.confluent import admin, create_topic
from conformance.java_program import java_member
from conformance.kafkajs_program import kafkajs_member
from conformance.member_group import PARTITIONS, Group
from conformance.member_process import python_member
from conformance.running_broker import RunningBroker

CLIENTS: dict[str, tuple[Callable[[], list[str]], str]] = {
    "confluent-range": (lambda: python_member("confluent"), "range"),
    "confluent-cooperative": (lambda: python_member("confluent"), "cooperative-sticky"),
    "kafka-python-range": (lambda: python_member("kafka-python"), "range"),
    "kafka-python-cooperative": (lambda: python_member("kafka-python"), "cooperative-sticky"),
    "aiokafka-range": (lambda: python_member("aiokafka"), "range"),
    "aiokafka-sticky": (lambda: python_member("aiokafka"), "sticky"),
    "java-range": (java_member, "range"),
    "java-cooperative": (java_member, "cooperative-sticky"),
    "confluent-consumer": (lambda: python_member("confluent"), "consumer"),
    "java-consumer": (java_member, "consumer"),
    "kafkajs": (kafkajs_member, "roundrobin"),
}
STATIC_CLIENTS = ["confluent-range", "kafka-python-range", "aiokafka-range", "java-range", "java-cooperative"]


@pytest.fixture
def group(broker: RunningBroker, name: str, request: pytest.FixtureRequest) -> Iterator[Group]:
    command, strategy = CLIENTS[request.param]
    create_topic(broker.bootstrap, name, PARTITIONS)
    made = Group(broker, name, command(), strategy)
    yield made
    for member in made.running:
        member.crash()


@pytest.mark.parametrize("group", CLIENTS, indirect=True)
def test_three_members_join_leave_and_crash(group: Group) -> None:
    first = group.join()
    group.settle(members=1)
    group.deliver()
    second, third = group.join(), group.join()
    group.settle(members=3)
    group.deliver()
    second.leave()
    group.settle(members=2)
    group.deliver()
    third.crash()
    group.settle(members=1)
    group.deliver()
    first.leave()
    client = admin(group.broker.bootstrap)
    described = client.describe_consumer_groups([group.name])[group.name]
    assert described.result(20).members == []


@pytest.mark.parametrize("group", STATIC_CLIENTS, indirect=True)
def test_a_static_member_comes_back_without_a_rebalance(group: Group) -> None:
    group.session_timeout_ms = 30_000  # the process must be back before its session ends
    stays, bounces = group.join("instance-a"), group.join("instance-b")
    group.settle(members=2)
    group.deliver()
    owned, assignments = bounces.owned, stays.assignments
    bounces.crash()
    returned = group.join("instance-b")
    group.settle(members=2)
    assert returned.owned == owned
    group.deliver()
    assert stays.assignments == assignments, "the member that stayed was disturbed"
