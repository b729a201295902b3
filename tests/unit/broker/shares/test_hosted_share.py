"""A share-partition on its leader: loading, storing, time, and its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.shares.hosted_share import HostedShare
from riacho.shares.acquiring import AcquireRequest, FetchedBatch
from riacho.shares.config import ShareGroupConfig, ShareLimits
from riacho.shares.state_batches import StateBatch
from riacho.shares.state_records import ShareKey, StoredState
from riacho.wire.messages.share_acknowledge_request import AcknowledgementBatch
from support.virtual_time import VirtualClock, run_virtual

KEY = ShareKey("g", b"t" * 16, 0)
LIMITS = ShareLimits(record_lock_duration_ms=1_000)
ACCEPT, RELEASE = 1, 2


class FakeLog:
    log_start_offset = 3
    high_watermark = 50

    def lookup_timestamp(self, timestamp: int, opened: object) -> tuple[int, int, int] | None:
        return (timestamp, 17, 0)


class FakePartition:
    topic = "topic"

    def __init__(self) -> None:
        self.log = FakeLog()
        self.is_leader = True
        self.leader_epoch = 4


class FakePersister:
    """Answers a write when the test says so."""

    def __init__(self) -> None:
        self.stored = StoredState(0, 7, 4, 10, 0)
        self.read_error: KafkaError | None = None
        self.writes: list[StoredState] = []
        self.outcomes: list[asyncio.Future[None]] = []

    async def read(self, key: ShareKey, leader_epoch: int) -> StoredState:
        assert (key, leader_epoch) == (KEY, 4)
        if self.read_error is not None:
            raise self.read_error
        return self.stored

    async def write(self, key: ShareKey, change: StoredState) -> None:
        self.writes.append(change)
        self.outcomes.append(asyncio.get_running_loop().create_future())
        await self.outcomes[-1]


class Parked:
    def __init__(self) -> None:
        self.noticed = self.completed = 0

    def notice(self) -> None:
        self.noticed += 1

    def complete(self) -> None:
        self.completed += 1


class World:
    def __init__(self, config: ShareGroupConfig | None = None) -> None:
        self.clock = VirtualClock()
        self.persister = FakePersister()
        self.partition = FakePartition()
        self.config = config or ShareGroupConfig(limits=LIMITS)
        self.fenced: list[HostedShare] = []

    def share(self) -> HostedShare:
        hosted: Any = self.partition
        persister: Any = self.persister
        return HostedShare(KEY, hosted, persister, lambda: self.config, self.clock, self.fenced.append)

    async def loaded(self) -> HostedShare:
        share = self.share()
        await share.load()
        return share

    def acquire(self, share: HostedShare, first: int, last: int, member_id: str = "m1") -> None:
        assert share.state is not None
        wish = AcquireRequest(member_id, 500, 500)
        share.state.acquire(wish, [FetchedBatch(first, last)], first, LIMITS, self.clock.monotonic_ms())
        share.acquired()

    def acknowledge(self, share: HostedShare, first: int, last: int, kind: int = ACCEPT) -> asyncio.Task[None]:
        assert share.state is not None
        batch = AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=[kind])
        transition = share.state.acknowledge("m1", [batch], LIMITS, self.clock.monotonic_ms())
        return asyncio.get_running_loop().create_task(share.store(transition))


def run(scenario: Callable[[World], Coroutine[Any, Any, None]], config: ShareGroupConfig | None = None) -> None:
    world = World(config)
    run_virtual(scenario(world), world.clock)


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


def test_it_starts_where_the_coordinator_says() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        assert share.state is not None
        assert (share.state.start_offset, share.state.state_epoch, share.is_idle) == (10, 7, True)

    run(scenario)


@pytest.mark.parametrize(
    ("reset", "expected"), [("latest", 50), ("earliest", 3), ("by_duration:pt1h", 17), ("by_duration:p2d", 17)]
)
def test_a_group_without_a_position_starts_by_its_reset_and_says_so_when_it_gives_out_records(
    reset: str, expected: int
) -> None:
    async def scenario(world: World) -> None:
        world.persister.stored = StoredState(0, 1, 4, -1, 0)
        share = await world.loaded()
        assert share.state is not None
        assert share.state.start_offset == expected
        await turns()
        assert world.persister.writes == []
        world.acquire(share, expected, expected + 1)
        await turns()
        assert [change.start_offset for change in world.persister.writes] == [expected]
        share.close()
        await turns()

    run(scenario, ShareGroupConfig(limits=LIMITS, auto_offset_reset=reset))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (ErrorCode.NOT_COORDINATOR, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.NETWORK_EXCEPTION, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.NOT_LEADER_OR_FOLLOWER),
        (ErrorCode.INVALID_REQUEST, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ],
)
def test_what_the_coordinator_says_is_told_in_a_consumers_words(said: ErrorCode, told: ErrorCode) -> None:
    async def scenario(world: World) -> None:
        world.persister.read_error = KafkaError(said)
        with pytest.raises(KafkaError) as refused:
            await world.share().load()
        assert refused.value.code is told

    run(scenario)


def test_what_comes_up_during_a_write_goes_with_the_next() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        world.acquire(share, 10, 19)
        tasks = [world.acknowledge(share, 10, 11)]
        await turns()
        tasks += [world.acknowledge(share, 12, 12), world.acknowledge(share, 13, 14), world.acknowledge(share, 16, 16)]
        await turns()
        assert [change.state_batches for change in world.persister.writes] == [(StateBatch(10, 11, 2, 1),)]
        world.persister.outcomes[0].set_result(None)
        await turns()
        assert tasks[0].done()
        assert not tasks[1].done()
        assert world.persister.writes[1].state_batches == (StateBatch(12, 14, 2, 1), StateBatch(16, 16, 2, 1))
        assert (world.persister.writes[1].start_offset, world.persister.writes[1].delivery_complete_count) == (12, 4)
        world.persister.outcomes[1].set_result(None)
        await asyncio.gather(*tasks)
        assert share.state is not None
        assert share.state.start_offset == 15
        share.close()

    run(scenario)


def test_who_waits_is_woken_when_records_come_back() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        world.acquire(share, 10, 11)
        parked = Parked()
        share.waiting.add(parked)
        task = world.acknowledge(share, 10, 10, RELEASE)
        await turns()
        assert parked.noticed == 0
        world.persister.outcomes[0].set_result(None)
        await task
        assert parked.noticed == 1
        await asyncio.sleep(1.1)
        assert parked.noticed == 2
        assert share.state is not None
        assert [(run.first, run.state.name) for run in share.state.runs] == [(10, "AVAILABLE")]
        share.close()
        await turns()
        assert parked.completed == 1

    run(scenario)


def test_a_coordinator_that_is_away_changes_nothing() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        world.acquire(share, 10, 11)
        task = world.acknowledge(share, 10, 11)
        await turns()
        world.persister.outcomes[0].set_exception(KafkaError(ErrorCode.NETWORK_EXCEPTION))
        with pytest.raises(KafkaError) as refused:
            await task
        assert refused.value.code is ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert world.fenced == []
        again = world.acknowledge(share, 10, 11)
        await turns()
        world.persister.outcomes[1].set_result(None)
        await again
        assert share.is_idle
        share.close()

    run(scenario)


@pytest.mark.parametrize(
    "said", [ErrorCode.FENCED_STATE_EPOCH, ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.INVALID_REQUEST]
)
def test_a_writer_that_is_refused_for_good_is_at_its_end(said: ErrorCode) -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        world.acquire(share, 10, 11)
        task = world.acknowledge(share, 10, 11)
        await turns()
        world.persister.outcomes[0].set_exception(KafkaError(said))
        with pytest.raises(KafkaError):
            await task
        assert world.fenced == [share]
        share.close()

    run(scenario)


def test_a_closed_one_refuses_what_is_not_stored() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        world.acquire(share, 10, 13)
        tasks = [world.acknowledge(share, 10, 10)]
        await turns()
        tasks.append(world.acknowledge(share, 11, 11))
        await turns()
        share.close()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            assert isinstance(outcome, KafkaError)
            assert outcome.code is ErrorCode.NOT_LEADER_OR_FOLLOWER
        with pytest.raises(KafkaError):
            await world.acknowledge(share, 12, 12)

    run(scenario)


def test_another_leader_epoch_makes_it_stale() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        assert share.is_current
        world.partition.leader_epoch = 5
        assert not share.is_current
        world.partition.leader_epoch = 4
        world.partition.is_leader = False
        assert not share.is_current

    run(scenario)


def test_a_failure_that_nobody_thought_of_leaves_no_record_between_two_states() -> None:
    async def scenario(world: World) -> None:
        share = await world.loaded()
        world.acquire(share, 10, 11)
        task = world.acknowledge(share, 10, 11)
        await turns()
        world.persister.outcomes[0].set_exception(RuntimeError("surprise"))
        with pytest.raises(KafkaError) as refused:
            await asyncio.wait_for(task, 10)
        assert refused.value.code is ErrorCode.UNKNOWN_SERVER_ERROR
        assert world.fenced == [share]
        share.close()

    run(scenario)


def test_a_start_that_could_not_be_stored_is_stored_with_the_next_records() -> None:
    async def scenario(world: World) -> None:
        world.persister.stored = StoredState(0, 1, 4, -1, 0)
        share = await world.loaded()
        world.acquire(share, 50, 51)
        await turns()
        world.persister.outcomes[0].set_exception(KafkaError(ErrorCode.NOT_COORDINATOR))
        await turns()
        world.acquire(share, 52, 53)
        await turns()
        assert [change.start_offset for change in world.persister.writes] == [50, 50]
        share.close()
        await turns()

    run(scenario, ShareGroupConfig(limits=LIMITS, auto_offset_reset="latest"))
