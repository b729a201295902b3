from __future__ import annotations

from typing import Any

from riacho.base.errors import ErrorCode
from riacho.raft import answers
from riacho.wire.messages import describe_quorum_request as wire
from riacho.wire.messages.describe_quorum_request import DescribeQuorumRequest
from support.raft_bench import Bench, fetch_request
from support.raft_world import directory, dynamic_voters, static_voters


def describe(bench: Bench, topic: str = answers.TOPIC) -> Any:
    topics = [wire.TopicData(topic_name=topic, partitions=[wire.PartitionData()])]
    return bench.ask(DescribeQuorumRequest(topics=topics))


def test_the_leader_tells_who_is_how_far() -> None:
    bench = Bench(dynamic_voters(3), kraft_version=1)
    bench.lead()
    bench.wait(100)
    bench.replicate(2)
    at_ms = bench.clock_ms(bench.host)
    bench.wait(50)
    bench.append(bench.host, "x")
    bench.replicate(9)
    response = describe(bench)
    partition = response.topics[0].partitions[0]
    assert (partition.leader_id, partition.leader_epoch, partition.high_watermark) == (1, 1, 3)
    one, two, three = partition.current_voters
    assert (one.replica_id, one.log_end_offset, one.replica_directory_id) == (1, 4, directory(1))
    assert one.last_fetch_timestamp == bench.clock_ms(bench.host)
    assert (two.replica_id, two.log_end_offset) == (2, 3)
    assert (two.last_fetch_timestamp, two.last_caught_up_timestamp) == (at_ms, at_ms)
    assert (three.log_end_offset, three.last_fetch_timestamp, three.last_caught_up_timestamp) == (-1, -1, -1)
    assert [(each.replica_id, each.log_end_offset) for each in partition.observers] == [(9, 4)]
    assert [(node.node_id, node.listeners[0].host) for node in response.nodes] == [
        (1, "host1"),
        (2, "host2"),
        (3, "host3"),
    ]


def test_one_that_lags_was_caught_up_when_it_had_what_was_there_before() -> None:
    bench = Bench()
    bench.lead()
    bench.replicate(2)
    first_ms = bench.clock_ms(bench.host)
    bench.append(bench.host, "x")
    bench.wait(100)
    epoch, end = bench.raft.epoch, bench.log.end_offset
    bench.ask(fetch_request(2, epoch, end - 1, epoch))
    two = describe(bench).topics[0].partitions[0].current_voters[1]
    assert two.last_caught_up_timestamp == first_ms
    assert two.last_fetch_timestamp == bench.clock_ms(bench.host)


def test_an_observer_that_stays_away_is_forgotten() -> None:
    bench = Bench(static_voters(1))
    bench.replicate(9)
    assert len(describe(bench).topics[0].partitions[0].observers) == 1
    bench.wait(301_000)
    assert describe(bench).topics[0].partitions[0].observers == []


def test_others_do_not_know() -> None:
    bench = Bench()
    bench.follow(2, epoch=1)
    partition = describe(bench).topics[0].partitions[0]
    assert (partition.error_code, partition.leader_id) == (ErrorCode.NOT_LEADER_OR_FOLLOWER, 2)


def test_there_is_one_quorum_only() -> None:
    bench = Bench()
    bench.lead()
    response = describe(bench, "another")
    assert response.topics[0].partitions[0].error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
