"""Three members of each client join, leave and crash; every record arrives and each partition has one owner.

The same conversation for every client. Members commit before they report a record, and records are produced only while
the group is settled, so each record must be reported exactly once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.confluent import admin, create_topic, produce
from conformance.java_program import java_member
from conformance.kafkajs_program import kafkajs_member
from conformance.member_process import MemberProcess, python_member
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

PARTITIONS = 6
PER_PARTITION = 5
SETTLE_S = 40.0


class Group:
    """The members of one test and the records that they should have received so far."""

    def __init__(self, broker: RunningBroker, name: str, command: list[str], strategy: str) -> None:
        self.broker, self.name, self.command, self.strategy = broker, name, command, strategy
        self.members: list[MemberProcess] = []
        self.sent = 0
        self.session_timeout_ms = 2_500

    def join(self, *options: str) -> MemberProcess:
        bootstrap = self.broker.bootstrap
        options = (self.strategy, *options)
        session = self.session_timeout_ms
        member = MemberProcess(self.command, bootstrap, self.name, self.name, *options, session_timeout_ms=session)
        self.members.append(member)
        return member

    @property
    def running(self) -> list[MemberProcess]:
        return [member for member in self.members if member.is_running]

    def settle(self, members: int) -> None:
        """Wait until exactly this many members share all partitions, each owned once and nobody idle."""

        def is_settled() -> bool:
            dead = [
                member.complaint() for member in self.members if member.process.poll() not in (None, 0, -9, -15, 143)
            ]
            assert not dead, dead
            shares = [member.owned for member in self.running]
            everything = sorted(partition for share in shares for partition in share)
            return len(shares) == members and all(shares) and everything == list(range(PARTITIONS))

        try:
            eventually(is_settled, SETTLE_S)
        except AssertionError as error:
            shares = [(member.owned, member.complaint()) for member in self.members]
            raise AssertionError(f"not settled: {shares}") from error

    def deliver(self) -> None:
        """Produce to every partition; each record must reach the partition's owner, once."""
        before = {id(member): len(member.records) for member in self.members}
        numbers = range(self.sent, self.sent + PARTITIONS * PER_PARTITION)
        produce(
            self.broker.bootstrap,
            self.name,
            [{"value": b"%d" % number, "partition": number % PARTITIONS} for number in numbers],
        )
        self.sent = numbers.stop
        eventually(lambda: self.received() >= set(range(self.sent)), SETTLE_S)
        fresh = [record for member in self.members for record in member.records[before[id(member)] :]]
        assert sorted(int(record["value"]) for record in fresh) == list(numbers), "a record came twice"
        for member in self.running:
            partitions = {record["partition"] for record in member.records[before[id(member)] :]}
            assert partitions == set(member.owned)

    def received(self) -> set[int]:
        return {int(record["value"]) for member in self.members for record in list(member.records)}


CLIENTS: dict[str, tuple[Callable[[], list[str]], str]] = {
    "confluent-range": (lambda: python_member("confluent"), "range"),
    "confluent-cooperative": (lambda: python_member("confluent"), "cooperative-sticky"),
    "kafka-python-range": (lambda: python_member("kafka-python"), "range"),
    "kafka-python-cooperative": (lambda: python_member("kafka-python"), "cooperative-sticky"),
    "aiokafka-range": (lambda: python_member("aiokafka"), "range"),
    "aiokafka-sticky": (lambda: python_member("aiokafka"), "sticky"),
    "java-range": (java_member, "range"),
    "java-cooperative": (java_member, "cooperative-sticky"),
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
