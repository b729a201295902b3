"""ListOffsets, OffsetForLeaderEpoch and DeleteRecords of a replicated partition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import pytest

from riacho.base.errors import ErrorCode
from riacho.broker.handlers import delete_records, list_offsets, offset_for_leader_epoch
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.parts.request_contexts import BrokerRequestContext
from riacho.broker.produce.produce_checking import ProduceChecking
from riacho.broker.requests.later import settled
from riacho.partition.record_checks import LOOP_UNPACKED_SIZE_BYTES_MAX
from riacho.wire.batch import read_header
from riacho.wire.compression import Codec
from riacho.wire.messages.delete_records_request import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from riacho.wire.messages.list_offsets_request import ListOffsetsPartition, ListOffsetsRequest, ListOffsetsTopic
from riacho.wire.messages.offset_for_leader_epoch_request import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from riacho.wire.records import Record, build_batch
from support.broker_fakes import FakeBroker
from support.hosted_replicas import hosted_of
from support.led_partition import NODE, fetch, host, state, write
from support.virtual_time import VirtualClock, run_virtual

LATEST, EARLIEST = -1, -2
P = ParamSpec("P")
T = TypeVar("T")


class CountedThreads(ThreadPoolExecutor):
    """Counts what it was given to do."""

    asked = 0

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        self.asked += 1
        return super().submit(fn, *args, **kwargs)


def context(
    hosted: HostedPartition,
    version: int = 9,
    *,
    indexes: tuple[int, ...] = (0,),
    executor: Executor | None = None,
) -> BrokerRequestContext:
    """Of a broker that hosts this partition, under each of the indexes; with an executor, in a running loop."""
    broker = FakeBroker()
    hosted_of(broker.replicas, hosted.topic, hosted.topic_id).update(dict.fromkeys(indexes, hosted))
    if executor is not None:
        loop, log = asyncio.get_running_loop(), broker.logs.error
        checking = ProduceChecking(broker.replicas, broker.clock, loop, executor, log)
        broker.produce = replace(broker.produce, checking=checking)
    return broker.context(version)


def listed(
    hosted: HostedPartition, time: int, *, replica_id: int = -1, isolation: int = 0, epoch: int = -1, version: int = 9
) -> tuple[int, int]:
    """(offset, error)."""
    asked = ListOffsetsPartition(partition_index=0, current_leader_epoch=epoch, timestamp=time)
    request = ListOffsetsRequest(
        replica_id=replica_id, isolation_level=isolation, topics=[ListOffsetsTopic(name="t", partitions=[asked])]
    )
    answer = list_offsets.handle(context(hosted, version), request).topics[0].partitions[0]
    return answer.offset, answer.error_code


@pytest.fixture
def hosted(tmp_path: Path) -> HostedPartition:
    """A new leader with four records of the old one, two of them known to be committed."""
    made, _ = host(tmp_path, state(leader=2), written=4)
    made.append_fetched(b"", 2, 0, 1_000)
    made.take_role(NODE, state((1, 2), epoch=6))
    return made


def test_a_new_leader_does_not_tell_an_end_that_may_go_back(hosted: HostedPartition) -> None:
    assert listed(hosted, LATEST) == (-1, ErrorCode.OFFSET_NOT_AVAILABLE)
    assert listed(hosted, LATEST, version=4) == (-1, ErrorCode.LEADER_NOT_AVAILABLE)
    assert listed(hosted, LATEST, isolation=1) == (-1, ErrorCode.OFFSET_NOT_AVAILABLE)
    assert listed(hosted, EARLIEST) == (0, 0)
    assert listed(hosted, 1_000) == (0, 0), "a record that is committed may be told"
    assert listed(hosted, 2_000) == (-1, ErrorCode.OFFSET_NOT_AVAILABLE), "it may yet come to light"
    assert listed(hosted, LATEST, replica_id=2) == (4, 0), "followers see all"
    fetch(hosted, 2, 4)
    assert listed(hosted, LATEST) == (4, 0)
    assert listed(hosted, 2_000) == (-1, 0)


def test_consumers_see_what_is_committed_and_followers_the_end(hosted: HostedPartition) -> None:
    fetch(hosted, 2, 4)
    write(hosted)
    assert listed(hosted, LATEST) == (4, 0)
    assert listed(hosted, LATEST, replica_id=2) == (5, 0)


def test_another_epoch_is_refused(hosted: HostedPartition) -> None:
    assert listed(hosted, EARLIEST, epoch=5)[1] == ErrorCode.FENCED_LEADER_EPOCH
    assert listed(hosted, EARLIEST, epoch=7)[1] == ErrorCode.UNKNOWN_LEADER_EPOCH
    assert listed(hosted, EARLIEST, epoch=6)[1] == 0
    hosted.take_role(NODE, state((2,), leader=2, epoch=7))
    assert listed(hosted, EARLIEST)[1] == ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_where_an_epoch_ended(hosted: HostedPartition) -> None:
    def ended(epoch: int) -> tuple[int, int, int]:
        asked = OffsetForLeaderPartition(partition=0, current_leader_epoch=6, leader_epoch=epoch)
        request = OffsetForLeaderEpochRequest(topics=[OffsetForLeaderTopic(topic="t", partitions=[asked])])
        answer = offset_for_leader_epoch.handle(context(hosted, 4), request).topics[0].partitions[0]
        return answer.leader_epoch, answer.end_offset, answer.error_code

    assert ended(6) == (6, 4, 0)
    assert ended(5) == (4, 4, 0)
    assert ended(4) == (4, 4, 0)
    write(hosted)
    assert ended(6) == (6, 5, 0)
    assert ended(4) == (4, 4, 0)
    assert ended(7)[:2] == (-1, -1)


class Deletion:
    """DeleteRecords up to offset 2 of a partition whose followers have fetched all and moved nothing yet."""

    def __init__(self, path: Path, offset: int = 2) -> None:
        self.clock = VirtualClock()
        self.hosted, self.peers = host(path, state((1, 2, 3)))
        for _ in range(3):
            write(self.hosted)
        for replica_id in (2, 3):
            fetch(self.hosted, replica_id, 3, start=0)
        asked = DeleteRecordsPartition(partition_index=0, offset=offset)
        self.request = DeleteRecordsRequest(timeout_ms=2_000, topics=[DeleteRecordsTopic(name="t", partitions=[asked])])

    def run(self, meanwhile: Any) -> tuple[int, int]:
        """(low watermark, error)."""

        async def main() -> Any:
            answering = asyncio.ensure_future(settled(delete_records.handle(context(self.hosted, 2), self.request)))
            await asyncio.sleep(0.01)
            assert self.hosted.log.log_start_offset == 2
            assert not answering.done()
            meanwhile()
            return await answering

        answer = run_virtual(main(), self.clock).topics[0].partitions[0]
        return answer.low_watermark, answer.error_code


def test_records_are_deleted_when_they_are_gone_everywhere(tmp_path: Path) -> None:
    deletion = Deletion(tmp_path)

    def meanwhile() -> None:
        for replica_id in (2, 3):
            fetch(deletion.hosted, replica_id, 3, start=2)

    assert deletion.run(meanwhile) == (2, 0)


def test_a_follower_that_does_not_move_makes_it_time_out(tmp_path: Path) -> None:
    deletion = Deletion(tmp_path)
    assert deletion.run(lambda: fetch(deletion.hosted, 2, 3, start=2)) == (-1, ErrorCode.REQUEST_TIMED_OUT)
    assert deletion.clock.monotonic_ms() >= 1_002_000
    assert deletion.hosted._low_watermark_waiters == []


def test_dead_brokers_are_not_waited_for(tmp_path: Path) -> None:
    deletion = Deletion(tmp_path)

    def meanwhile() -> None:
        deletion.peers.fenced.add(3)
        fetch(deletion.hosted, 2, 3, start=2)

    assert deletion.run(meanwhile) == (2, 0)


def test_a_lost_leadership_ends_the_waiting(tmp_path: Path) -> None:
    deletion = Deletion(tmp_path)
    lost = state((2, 3), leader=2, epoch=6)
    assert deletion.run(lambda: deletion.hosted.take_role(NODE, lost)) == (-1, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_single_replica_answers_at_once(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1,), replicas=(1,)))
    write(hosted)
    asked = [DeleteRecordsPartition(partition_index=0, offset=-1)]
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name="t", partitions=asked)])
    answer = delete_records.handle(context(hosted, 2), request).topics[0].partitions[0]
    assert (answer.low_watermark, answer.error_code) == (1, 0)


def test_what_is_not_committed_cannot_be_deleted(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1, 2)))
    write(hosted)
    asked = [DeleteRecordsPartition(partition_index=0, offset=1)]
    request = DeleteRecordsRequest(topics=[DeleteRecordsTopic(name="t", partitions=asked)])
    answer = delete_records.handle(context(hosted, 2), request).topics[0].partitions[0]
    assert answer.error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_a_batch_that_takes_long_to_open_is_opened_off_the_loop(tmp_path: Path) -> None:
    hosted, _ = host(tmp_path, state((1,), replicas=(1,)))
    records = [Record(0, 0, None, bytes(LOOP_UNPACKED_SIZE_BYTES_MAX)), Record(1, 7, None, b"")]
    for _ in range(2):
        batch = build_batch(records, base_timestamp=100, codec=Codec.ZSTD)
        hosted.log.append(batch, read_header(batch), 5, 0)
    hosted.log.commit_all()
    threads = CountedThreads(1)
    times = [101, 108, -3, -1]
    partitions = [ListOffsetsPartition(partition_index=at, timestamp=time) for at, time in enumerate(times)]
    request = ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(name="t", partitions=partitions)])

    async def main() -> Any:
        ctx = context(hosted, indexes=(0, 1, 2, 3), executor=threads)
        return await settled(list_offsets.handle(ctx, request))

    with threads:
        answer = asyncio.run(main()).topics[0].partitions
    assert [(each.partition_index, each.offset, each.error_code) for each in answer] == [
        (0, 1, 0),
        (1, -1, 0),
        (2, 1, 0),
        (3, 4, 0),
    ]
    assert threads.asked == 2


def test_whoever_looks_at_what_is_there_is_told_the_log_end_whether_it_leads_or_not(tmp_path: Path) -> None:
    following, _ = host(tmp_path, state(leader=2), written=4)
    assert listed(following, LATEST) == (-1, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert listed(following, LATEST, replica_id=-2) == (4, 0)
    assert listed(following, EARLIEST, replica_id=-2) == (-1, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    asked = ListOffsetsPartition(partition_index=0, current_leader_epoch=-1, timestamp=LATEST)
    request = ListOffsetsRequest(replica_id=-2, topics=[ListOffsetsTopic(name="t", partitions=[asked])])
    answer = list_offsets.handle(context(following), request).topics[0].partitions[0]
    # Of its last record: another epoch may have begun since.
    assert answer.leader_epoch == following.log.latest_epoch != following.leader_epoch
