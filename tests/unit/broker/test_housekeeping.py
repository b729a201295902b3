"""Chores: each in its rhythm, none ended by a failure, none that keeps the loop for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import pytest

from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.broker.housekeeping import Chore, Housekeeping, connection_chores, coordinator_chores
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.quotas.idle_connections import IdleConnections
from riacho.log.config import NEVER_MS, LogConfig
from riacho.metadata.image.config_resource import ResourceType
from riacho.metadata.image.image import MetadataImage
from riacho.partition.producers import Producer, Producers
from support.broker_fakes import recorded_logs
from support.virtual_time import VirtualClock, run_virtual

PROPERTIES = {
    "log.retention.check.interval.ms": "1000",
    "log.flush.offset.checkpoint.interval.ms": "2000",
    "offsets.retention.check.interval.ms": "5000",
    "replica.high.watermark.checkpoint.interval.ms": "4000",
    "replica.lag.time.max.ms": "6000",
    "log.cleaner.backoff.ms": "500",
}


@dataclass
class Work:
    """Of a log: a flush, or deletions that are due."""

    run: Callable[..., None]


@dataclass
class FakeProducerState:
    producers: Producers = field(default_factory=Producers)


def _not_led(now_ms: int) -> None:
    raise AssertionError("nobody's lag is looked at where nothing is led")


@dataclass
class FakePartition:
    index: int
    log: FakeLog
    is_gone: bool
    topic: str = "t"
    leadership: object | None = None
    isr_check: Callable[[int], None] = _not_led


class FakeLog:
    def __init__(self, flush_ms: int = NEVER_MS) -> None:
        self.config = LogConfig(flush_ms=flush_ms)
        self.log_start_offset = 7
        self.needs_flush = False
        self.deletions: Any = None
        self.retained: list[int] = []
        self.deleted: list[int] = []
        self.flushed_by: list[str] = []
        self.failure: Exception | None = None
        self.failures: list[tuple[str, int | None, bool]] = []
        self.producer_state = FakeProducerState()

    def enforce_retention(self, now_ms: int) -> list[int]:
        self.retained.append(now_ms)
        if self.failure is not None:
            raise self.failure
        return self.deleted

    def flush_if_due(self, now_ms: int) -> None:
        self.flushed_by.append("policy")

    def flush_work(self) -> Work:
        return Work(lambda: self.flushed_by.append("thread"))

    def flushed(self, work: Any, now_ms: int) -> None:
        self.needs_flush = False

    def failed(self, what: str, error: OSError, *, is_sync: bool = False) -> None:
        self.failures.append((what, error.errno, is_sync))


def hosted(log: FakeLog, leader_id: int = 1, index: int = 0) -> FakePartition:
    return FakePartition(index, log, is_gone=leader_id < 0)


async def _run_at_once(executor: Any, act: Callable[[], None]) -> None:
    act()


class CountingReplicas:
    """Partitions to tend, and how often each chore came."""

    def __init__(self, partitions: tuple[Any, ...], counts: dict[str, int]) -> None:
        self._partitions = partitions
        self._counts = counts

    def all(self) -> Iterator[Any]:
        return iter(self._partitions)

    def checkpoint(self) -> None:
        self._counts["checkpoint"] += 1

    def checkpoint_high_watermarks(self) -> None:
        self._counts["watermarks"] += 1

    def delete_dropped(self, now_ms: int) -> None:
        self._counts["delete"] += 1

    def host_unhosted(self) -> None:
        self._counts["host"] += 1

    async def clean(self, executor: object, is_stopping: Callable[[], bool]) -> None:
        self._counts["clean"] += 1


class World:
    def __init__(self, *partitions: Any, properties: dict[str, str] | None = None) -> None:
        self.clock = VirtualClock()
        self.counts = dict.fromkeys(("checkpoint", "watermarks", "expire", "clean", "delete", "host", "idle"), 0)
        self.logs, _, self.error_lines = recorded_logs()
        self.config = BrokerConfig({**PROPERTIES, **(properties or {})})
        self.metrics = BrokerMetrics()
        self.metadata = MetadataCache(self.config, MetadataImage())
        self.replicas: Any = CountingReplicas(partitions, self.counts)
        self.idle = IdleConnections([self], self.clock, self.metrics, 600_000)

    def close_idle(self, now_ms: int, idle_ms_max: int) -> int:
        assert idle_ms_max == 600_000
        self.counts["idle"] += 1
        return 2

    async def expire_offsets(self) -> None:
        self.counts["expire"] += 1

    def housekeeping(self) -> Housekeeping:
        expiry = Chore(self.config.get("offsets.retention.check.interval.ms"), self.expire_offsets)
        return Housekeeping(
            self.config,
            self.clock,
            lambda name: ThreadPoolExecutor(max_workers=1, thread_name_prefix=name),
            self.logs,
            self.metadata,
            self.replicas,
            [expiry, *connection_chores(self.idle)],
        )

    def run_for(self, seconds: float) -> None:
        """Let the chores run for so long, in no time."""

        async def main() -> None:
            # A thread would race with the clock that jumps.
            asyncio.get_running_loop().run_in_executor = _run_at_once  # type: ignore[method-assign, assignment]
            housekeeping = self.housekeeping()
            housekeeping.start()
            await asyncio.sleep(seconds)
            await housekeeping.stop()

        run_virtual(main(), self.clock)


def test_each_chore_has_its_rhythm() -> None:
    log = FakeLog()
    world = World(hosted(log))
    world.run_for(10.3)
    assert len(log.retained) == 10
    assert world.counts["checkpoint"] == 5
    assert world.counts["watermarks"] == 2
    assert world.counts["expire"] == 2
    assert world.counts["clean"] == 20
    assert world.counts["idle"] == 2
    assert world.metrics.idle_closed_connections == 4
    assert world.error_lines == []


def test_coordinators_have_their_chores_in_rhythms_of_their_own() -> None:
    class Coordinator:
        """Stands for each of them."""

        async def expire_offsets(self) -> None: ...

        async def expire_ids(self) -> None: ...

        async def prune(self) -> None: ...

        async def sweep(self) -> None: ...

    config = BrokerConfig(
        {
            "offsets.retention.check.interval.ms": "1",
            "transaction.remove.expired.transaction.cleanup.interval.ms": "2",
            "share.coordinator.state.topic.prune.interval.ms": "3",
        }
    )
    each: Any = Coordinator()
    chores = [(chore.interval_ms, chore.run) for chore in coordinator_chores(config, each, each, each, each)]
    assert chores == [(1, each.expire_offsets), (2, each.expire_ids), (3, each.prune), (3, each.sweep)]


def test_lagging_followers_are_looked_for_at_half_the_lag_that_they_may_have() -> None:
    checks: list[int] = []
    led, followed = hosted(FakeLog()), hosted(FakeLog(), index=1)
    led.leadership, led.isr_check = object(), checks.append
    world = World(led, followed)
    started_ms = world.clock.monotonic_ms()
    world.run_for(9.1)
    assert [at_ms - started_ms for at_ms in checks] == [3_000, 6_000, 9_000]


def test_silent_producers_are_forgotten_in_a_rhythm_of_their_own() -> None:
    log = FakeLog()
    world = World(
        hosted(log),
        properties={"producer.id.expiration.check.interval.ms": "3000", "producer.id.expiration.ms": "4000"},
    )
    producers = log.producer_state.producers
    known = Producer(1, 0)
    known.last_timestamp = world.clock.now_ms()
    producers.restore([known])
    world.run_for(5.9)
    assert list(producers) == [known], "looked at after three seconds, and not silent for long then"
    world.run_for(3.1)
    assert list(producers) == []
    assert world.error_lines == []


def test_the_pause_of_the_cleaner_may_change_while_it_runs() -> None:
    world = World()
    world.metadata.publish(MetadataImage(configs={(ResourceType.BROKER, ""): {"log.cleaner.backoff.ms": "2000"}}))
    world.run_for(10.3)
    assert world.counts["clean"] == 5


def test_the_cleaner_can_be_turned_off() -> None:
    world = World(properties={"log.cleaner.enable": "false"})
    world.run_for(5.1)
    assert world.counts["clean"] == 0


def test_deleted_segments_are_told_once_a_round() -> None:
    log = FakeLog()
    log.deleted = [0, 3]
    world = World(hosted(log))
    world.run_for(1.1)
    assert world.error_lines == ["INFO segments deleted partition=t-0 count=2 log_start_offset=7"]


@pytest.mark.parametrize("failure", [KafkaError(ErrorCode.KAFKA_STORAGE_ERROR, "no room"), OSError(28, "no room")])
def test_one_partition_in_trouble_does_not_stop_the_others(failure: Exception) -> None:
    bad, good = FakeLog(), FakeLog()
    bad.failure = failure
    world = World(hosted(bad), hosted(good, index=1))
    world.run_for(2.1)
    assert len(good.retained) == 2
    failed = [line for line in world.error_lines if "partition chore failed partition=t-0" in line]
    assert len(failed) == 2
    assert "no room" in failed[0]


def test_a_chore_that_failed_comes_again() -> None:
    world = World()

    def fail() -> None:
        world.counts["checkpoint"] += 1
        raise OSError(28, "No space left on device")

    world.replicas.checkpoint = fail
    world.run_for(6.1)
    assert world.counts["checkpoint"] == 3
    # One line, without a trace: a full disk is foreseen.
    told = "ERROR chore failed name=_checkpoint error=[Errno 28] No space left on device"
    assert [line for line in world.error_lines if line] == [told] * 3


def test_partitions_that_were_deleted_are_not_tended() -> None:
    log = FakeLog()
    World(hosted(log, leader_id=-1)).run_for(3.1)
    assert log.retained == []


def test_flushes_follow_their_policy_and_rolled_segments_go_by_a_thread() -> None:
    lazy, eager, rolled = FakeLog(), FakeLog(flush_ms=1_000), FakeLog()
    rolled.needs_flush = True
    due: list[int] = []
    rolled.deletions = Work(due.append)
    world = World(hosted(lazy), hosted(eager, index=1), hosted(rolled, index=2))
    world.run_for(1.1)
    assert (lazy.flushed_by, eager.flushed_by, rolled.flushed_by) == ([], ["policy"], ["thread"])
    assert not rolled.needs_flush
    assert len(due) == 1
    assert (world.counts["delete"], world.counts["host"]) == (1, 1)


def test_a_flush_that_fails_is_told_to_its_log() -> None:
    log = FakeLog()
    log.needs_flush = True

    def fail() -> None:
        raise OSError(5, "Input/output error")

    log.flush_work = lambda: Work(fail)  # type: ignore[method-assign]
    world = World(hosted(log))
    world.run_for(1.1)
    assert log.needs_flush
    assert log.failures == [("flush", 5, True)]


def test_a_flush_that_cannot_be_prepared_is_tried_again_and_stops_no_other() -> None:
    full, sound = FakeLog(), FakeLog()
    full.needs_flush = sound.needs_flush = True

    def fail() -> Any:
        raise OSError(28, "No space left on device")

    full.flush_work = fail  # type: ignore[method-assign]
    world = World(hosted(full), hosted(sound, index=1))
    world.run_for(2.1)
    assert full.needs_flush
    assert full.failures == [("flush", 28, False)] * 2
    assert sound.flushed_by == ["thread"]


def test_the_loop_turns_between_steps_of_many_partitions() -> None:
    logs = [FakeLog() for _ in range(175)]
    world = World(*(hosted(log, index=at) for at, log in enumerate(logs)))
    turns: list[int] = []

    async def main() -> None:
        chore = asyncio.ensure_future(world.housekeeping()._enforce_retention())
        while not chore.done():
            await asyncio.sleep(0)
            turns.append(sum(bool(log.retained) for log in logs))

    run_virtual(main(), world.clock)
    assert turns[:4] == [50, 100, 150, 175]
