"""Groups that change their protocol while they run, with real clients in both protocols at once (KIP-848).

Members commit before they report a record, and records are produced only while the group is settled, so each record
must be reported exactly once whatever the group is at the time. `RIACHO_CLIENT_REBALANCES` says how many the long test
goes through.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator

import pytest

from conformance.confluent import create_topic
from conformance.java_program import java_member
from conformance.member_group import PARTITIONS, Group
from conformance.member_process import python_member
from conformance.raw import RawConnection
from conformance.running_broker import RunningBroker
from conformance.waiting import eventually

REBALANCES = int(os.environ.get("RIACHO_CLIENT_REBALANCES", "8"))
CLIENTS: dict[str, Callable[[], list[str]]] = {"confluent": lambda: python_member("confluent"), "java": java_member}
# Not librdkafka's cooperative-sticky: it keeps data of its own in assignments, and such groups are not upgraded.
PAIRS = [("confluent", "range"), ("java", "range"), ("java", "cooperative-sticky")]


@pytest.fixture(params=PAIRS, ids="-".join)
def group(broker: RunningBroker, name: str, request: pytest.FixtureRequest) -> Iterator[Group]:
    client, strategy = request.param
    create_topic(broker.bootstrap, name, PARTITIONS)
    made = Group(broker, name, CLIENTS[client](), strategy)
    yield made
    for member in made.running:
        member.crash()


def type_of(group: Group) -> str:
    with RawConnection(group.broker.address) as connection:
        listed = connection.ask("ListGroups", 5).groups
    return next(str(each.group_type) for each in listed if each.group_id == group.name)


def test_there_and_back_again(group: Group) -> None:
    classic = [group.join(), group.join()]
    group.settle(members=2)
    group.deliver()
    assert type_of(group) == "classic"

    modern = [group.join(strategy="consumer")]
    group.settle(members=3)
    assert type_of(group) == "consumer"
    group.deliver()

    classic[0].leave()
    modern.append(group.join(strategy="consumer"))
    group.settle(members=3)
    group.deliver()
    classic[1].leave()
    group.settle(members=2)
    group.deliver()
    assert type_of(group) == "consumer"

    returned = group.join()
    group.settle(members=3)
    group.deliver()
    for member in modern:
        member.leave()
    group.settle(members=1)
    eventually(lambda: type_of(group) == "classic")
    group.deliver()
    returned.leave()


def test_the_last_modern_member_crashes(group: Group) -> None:
    group.join()
    group.settle(members=1)
    modern = group.join(strategy="consumer")
    group.settle(members=2)
    group.deliver()
    modern.crash()
    group.settle(members=1)
    eventually(lambda: type_of(group) == "classic")
    group.deliver()


@pytest.mark.timeout(400)
@pytest.mark.parametrize("group", [("confluent", "range")], indirect=True, ids="-".join)
def test_many_rebalances(group: Group) -> None:
    """Members of both protocols come, go and crash; every record arrives once, whoever owns its partition."""
    order = random.Random(848)
    group.join()
    for _ in range(REBALANCES):
        running = group.running
        if len(running) > 1 and (len(running) > 3 or order.random() < 0.5):
            member = order.choice(running)
            order.choice([member.leave, member.crash])()
        else:
            group.join(strategy=order.choice(["consumer", "range"]))
        group.settle(members=len(group.running))
        group.deliver()
