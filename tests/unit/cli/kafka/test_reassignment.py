"""kafka-reassign-partitions without a cluster: plans as JSON, proposals, throttles, and the lines of a report."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from riacho.cli.kafka.flags.jopt import UsageError, parse
from riacho.cli.kafka.flags.tools import TOOLS
from riacho.cli.kafka.reassign_partitions import run
from riacho.cli.kafka.reassignment_json import BadPlan, check_plan, plan_text, read_brokers, read_plan, read_topics
from riacho.cli.kafka.reassignment_plan import propose
from riacho.cli.kafka.reassignment_states import directory_lines, move_line, partition_lines
from riacho.client.log_dirs import Replica, ReplicaPlace
from riacho.client.reassignments import Move
from riacho.client.replication_throttles import FOLLOWER_REPLICAS, LEADER_REPLICAS, throttled_replicas, transfers


def plan(*entries: dict[str, object]) -> str:
    return json.dumps({"version": 1, "partitions": list(entries)})


def entry(partition: int = 0, replicas: object = (1, 2), **more: object) -> dict[str, object]:
    return {"topic": "t", "partition": partition, "replicas": replicas, **more}


def test_a_plan_goes_there_and_back() -> None:
    read = read_plan(plan(entry(log_dirs=["any", "/d"]), entry(1, [3])))
    assert read.partitions == [(("t", 0), [1, 2]), (("t", 1), [3])]
    assert read.directories == {Replica("t", 0, 2): "/d"}
    assert plan_text(dict(read.partitions), read.directories) == (
        '{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2],"log_dirs":["any","/d"]},'
        '{"topic":"t","partition":1,"replicas":[3],"log_dirs":["any"]}]}'
    )


BAD = [
    ("nonsense", "not a valid JSON"),
    ("[]", "not a valid JSON"),
    ('{"version": 2}', "Not supported version field value 2"),
    ('{"partitions": {}}', 'The "partitions" field must be a list'),
    (plan({"topic": "t", "replicas": [1]}), 'needs a field "partition" with a number'),
    (plan(entry(replicas=["a"])), 'needs a field "replicas" with a list of numbers'),
    (plan(entry(log_dirs=["any"])), "Size of replicas list [1, 2] is different from size of log dirs list [any]"),
    (plan(), "Partition reassignment list cannot be empty"),
    (plan(entry(replicas=[])), "Partition replica list cannot be empty"),
    (plan(entry(), entry()), "contains duplicate topic partitions: t-0"),
    (plan(entry(replicas=[1, 1, 2])), "duplicate entries: t-0 contains multiple entries for 1"),
]


@pytest.mark.parametrize(("text", "problem"), BAD)
def test_what_is_wrong_with_a_plan_is_told(text: str, problem: str) -> None:
    with pytest.raises(BadPlan) as told:
        check_plan(read_plan(text))
    assert problem in str(told.value)


def test_topics_and_brokers() -> None:
    assert read_topics('{"topics": [{"topic": "a"}, {"topic": "b"}]}') == ["a", "b"]
    assert read_brokers("3,1") == [3, 1]
    with pytest.raises(BadPlan, match="List of topics to reassign contains duplicate entries"):
        read_topics('{"topics": [{"topic": "a"}, {"topic": "a"}]}')
    with pytest.raises(BadPlan, match="Broker list contains duplicate entries"):
        read_brokers("1,1")
    with pytest.raises(BadPlan, match="takes broker ids"):
        read_brokers("one")


def test_a_proposal_spreads_leaders_and_racks() -> None:
    current = {("t", p): [1, 2] for p in range(8)}
    racks: dict[int, str | None] = {1: "a", 2: "a", 3: "b", 4: "b"}
    proposed = propose(current, racks, lambda n: 0)
    assert Counter(replicas[0] for replicas in proposed.values()) == {1: 2, 2: 2, 3: 2, 4: 2}
    assert all({racks[broker] for broker in replicas} == {"a", "b"} for replicas in proposed.values())
    with pytest.raises(BadPlan, match="replication factor of 2 cannot be reached because only 1 broker"):
        propose(current, {1: None}, lambda n: 0)


def test_throttles_name_sources_and_newcomers() -> None:
    under_way = {("t", 1): Move(partition_index=1, replicas=[2, 3, 4], adding_replicas=[4], removing_replicas=[2])}
    proposed = {("t", 0): [3, 1], ("t", 1): [4, 5], ("u", 10): [1]}
    current = {("t", 0): [1, 2], ("t", 1): [2, 3, 4], ("u", 10): [2]}
    assert throttled_replicas(transfers(under_way, proposed, current)) == {
        "t": {LEADER_REPLICAS: "0:1,0:2,1:2,1:3", FOLLOWER_REPLICAS: "0:3,1:4,1:5"},
        "u": {LEADER_REPLICAS: "10:2", FOLLOWER_REPLICAS: "10:1"},
    }


def test_states_of_partitions() -> None:
    move = Move(partition_index=1, replicas=[2, 3, 1], adding_replicas=[2], removing_replicas=[1])
    targets = [(("t", 0), [1, 2]), (("t", 1), [2, 3]), (("t", 2), [2]), (("u", 0), [1])]
    current = {("t", 0): [1, 2], ("t", 2): [1]}
    assert partition_lines(targets, {("t", 1): move}, current) == [
        "Status of partition reassignment:",
        "Reassignment of partition t-0 is completed.",
        "Reassignment of partition t-1 is still in progress.",
        "There is no active reassignment of partition t-2, but replica set is 1 rather than 2.",
        "There is no active reassignment of partition u-0, but replica set is  rather than 1.",
    ]
    assert move_line(("t", 1), move) == "t-1: replicas: 2,3,1. adding: 2. removing: 1."


def test_states_of_directories() -> None:
    places = {
        Replica("t", 0, 2): ReplicaPlace("/new", None),
        Replica("t", 0, 1): ReplicaPlace("/old", "/new"),
        Replica("t", 1, 1): ReplicaPlace("/old", "/other"),
        Replica("t", 2, 1): ReplicaPlace("/old", None),
        Replica("t", 3, 1): ReplicaPlace(None, None),
    }
    assert directory_lines(dict.fromkeys(places, "/new"), places) == [
        "Reassignment of replica t-0-1 is still in progress.",
        "Partition t-1 on broker 1 is being moved to log dir /other instead of /new.",
        "Partition t-2 on broker 1 is not being moved from log dir /old to /new.",
        "Partition t-3 is not found in any live log dir on broker 1. "
        "There is likely an offline log directory on the broker.",
        "Reassignment of replica t-0-2 completed successfully.",
    ]


USAGE = [
    ("--list --verify", "exactly one action"),
    ("--execute", 'Missing required argument "[reassignment-json-file]"'),
    ("--list --throttle 5", 'Option "[throttle]" can\'t be used with action "[list]"'),
    ("--generate --topics-to-move-json-file f --broker-list 1 --bootstrap-controller c:1", "bootstrap-controller"),
]


@pytest.mark.parametrize(("line", "problem"), USAGE)
def test_words_that_do_not_go_together(line: str, problem: str) -> None:
    with pytest.raises(UsageError) as told:
        run(parse(TOOLS["kafka-reassign-partitions"], line.split()))
    assert problem in str(told.value)
