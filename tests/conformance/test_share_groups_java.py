"""Share groups with the Java client's KafkaShareConsumer: members that come, go and are killed."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.confluent import create_topic, produce
from conformance.java_program import program
from conformance.member_process import MemberProcess
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually
from riacho.base.errors import ErrorCode, KafkaError
from riacho.client.cluster import Cluster
from riacho.client.configs import alter_configs
from riacho.client.settings import client_settings
from riacho.client.share_groups import describe_share_group, share_group_offsets
from riacho.metadata.image.config_resource import ResourceType

pytestmark = pytest.mark.timeout(180)
Start = Callable[..., MemberProcess]
TIMEOUT_S = 60.0


@pytest.fixture
def cluster(broker: RunningBroker) -> Iterator[Cluster]:
    with Cluster(client_settings(broker.bootstrap, {})) as cluster:
        yield cluster


@pytest.fixture
def start(broker: RunningBroker, name: str) -> Iterator[Start]:
    members: list[MemberProcess] = []

    def begin(what: str = "accept") -> MemberProcess:
        members.append(MemberProcess(program("ShareMember"), broker.bootstrap, name, name, what))
        return members[-1]

    yield begin
    for member in members:
        if member.is_running:
            member.crash()


def prepare(broker: RunningBroker, cluster: Cluster, name: str, partitions: int = 2, **settings: str) -> None:
    create_topic(broker.bootstrap, name, partitions)
    configs = {"share.auto.offset.reset": "earliest"} | {k.replace("_", "."): v for k, v in settings.items()}
    alter_configs(cluster, ResourceType.GROUP, name, configs, ())


def send(broker: RunningBroker, name: str, first: int, last: int, partitions: int = 2) -> None:
    produce(broker.bootstrap, name, [{"value": b"%d" % n, "partition": n % partitions} for n in range(first, last)])


def values(*members: MemberProcess) -> set[int]:
    return {int(record["value"]) for member in members for record in member.records}


def partitions_of(cluster: Cluster, group: str) -> list[list[int]]:
    """What each member reads; nothing while there is no such group yet."""
    try:
        members = describe_share_group(cluster, group).members
    except KafkaError as error:
        if error.code is not ErrorCode.GROUP_ID_NOT_FOUND:
            raise
        return []
    return sorted([p for _, p in member.assignment] for member in members)


def is_done(cluster: Cluster, group: str) -> bool:
    return all(offset.lag == 0 for offset in share_group_offsets(cluster, group).values())


def test_members_share_partitions_and_take_over_from_one_that_leaves(
    broker: RunningBroker, cluster: Cluster, start: Start, name: str
) -> None:
    prepare(broker, cluster, name)
    send(broker, name, 0, 50)
    one = start()
    eventually(lambda: values(one) == set(range(50)), TIMEOUT_S)
    two = start()
    eventually(lambda: partitions_of(cluster, name) == [[0], [1]], TIMEOUT_S)
    sent = 50

    def both_have_read() -> bool:
        """The first may still have asked for all partitions; what comes later is shared."""
        nonlocal sent
        send(broker, name, sent, sent + 10)
        sent += 10
        eventually(lambda: values(one, two) == set(range(sent)), TIMEOUT_S)
        return bool(values(two))

    eventually(both_have_read, TIMEOUT_S)
    two.leave()
    eventually(lambda: partitions_of(cluster, name) == [[0, 1]], TIMEOUT_S)
    send(broker, name, sent, sent + 50)
    eventually(lambda: values(one) >= set(range(sent, sent + 50)), TIMEOUT_S)
    one.leave()
    assert describe_share_group(cluster, name).state == "Empty"
    assert is_done(cluster, name)
    assert {record["delivery"] for member in (one, two) for record in member.records} == {1}


def test_more_members_than_partitions_read_the_same_one(
    broker: RunningBroker, cluster: Cluster, start: Start, name: str
) -> None:
    prepare(broker, cluster, name, partitions=1)
    members = [start(), start()]
    eventually(lambda: partitions_of(cluster, name) == [[0], [0]], TIMEOUT_S)
    send(broker, name, 0, 40, partitions=1)
    eventually(lambda: values(*members) == set(range(40)), TIMEOUT_S)
    offsets = [record["offset"] for member in members for record in member.records]
    assert sorted(offsets) == list(range(40)), "a record was handed out twice"


def test_what_a_killed_member_held_comes_again(
    broker: RunningBroker, cluster: Cluster, start: Start, name: str
) -> None:
    prepare(broker, cluster, name, partitions=1, share_record_lock_duration_ms="1000")
    send(broker, name, 0, 10, partitions=1)
    holder = start("hold")
    eventually(lambda: values(holder) == set(range(10)), TIMEOUT_S)
    holder.crash()
    # Its session is over soon; its locks may be over sooner.
    eventually(lambda: describe_share_group(cluster, name).state == "Empty", TIMEOUT_S)
    other = start()
    eventually(lambda: values(other) == set(range(10)), TIMEOUT_S)
    assert {record["delivery"] for record in other.records} == {2}
    eventually(lambda: is_done(cluster, name), TIMEOUT_S)


def test_records_that_are_released_come_again_until_they_are_given_up(
    broker: RunningBroker, cluster: Cluster, start: Start, name: str
) -> None:
    prepare(broker, cluster, name, partitions=1, share_delivery_count_limit="3")
    send(broker, name, 0, 1, partitions=1)
    member = start("release")
    eventually(lambda: len(member.records) == 3, TIMEOUT_S)
    assert [record["delivery"] for record in member.records] == [1, 2, 3]
    send(broker, name, 1, 2, partitions=1)
    eventually(lambda: len(member.records) == 6, TIMEOUT_S)
    assert [record["value"] for record in member.records] == ["0"] * 3 + ["1"] * 3


def test_records_that_are_rejected_do_not_come_again(
    broker: RunningBroker, cluster: Cluster, start: Start, name: str
) -> None:
    prepare(broker, cluster, name, partitions=1)
    send(broker, name, 0, 5, partitions=1)
    member = start("reject")
    eventually(lambda: values(member) == set(range(5)), TIMEOUT_S)
    eventually(lambda: is_done(cluster, name), TIMEOUT_S)
    member.leave()
    other = start()
    send(broker, name, 5, 6, partitions=1)
    eventually(lambda: values(other) == {5}, TIMEOUT_S)
