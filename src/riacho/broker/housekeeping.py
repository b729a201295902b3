"""Work that nobody asks for: retention, compaction, flushes, checkpoints, lagging followers, expiry of offsets, idle
connections.

Every chore runs on the loop in small steps, so that a broker with ten thousand partitions still answers between two of
them; compaction alone, which reads and writes whole segments, computes on a worker thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from riacho.base.errors import KafkaError
from riacho.log.config import NEVER_MS

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from riacho.base.ports import Clock
    from riacho.broker.config import BrokerConfig
    from riacho.broker.coordinators.group_runtime import GroupRuntime
    from riacho.broker.coordinators.transaction_runtime import TransactionRuntime
    from riacho.broker.logs import Logs
    from riacho.broker.partitions.hosted_partition import HostedPartition
    from riacho.broker.partitions.replicas import Replicas
    from riacho.broker.quorum.metadata_cache import MetadataCache
    from riacho.broker.quotas.idle_connections import IdleConnections
    from riacho.broker.shares.share_coordinator import ShareCoordinator
    from riacho.broker.shares.share_partitions import SharePartitions

_PARTITIONS_PER_STEP = 50
_IDLE_CHECK_MS = 5_000
_LOG_TICK_MS = 10_000
_FLUSH_CHECK_MS = 1_000


@dataclass(frozen=True, slots=True)
class Chore:
    interval_ms: int
    run: Callable[[], Awaitable[None]]


def coordinator_chores(
    config: BrokerConfig,
    groups: GroupRuntime,
    transactions: TransactionRuntime,
    share_coordinator: ShareCoordinator,
    share_partitions: SharePartitions,
) -> list[Chore]:
    prune_ms: int = config.get("share.coordinator.state.topic.prune.interval.ms")
    return [
        Chore(config.get("offsets.retention.check.interval.ms"), groups.expire_offsets),
        Chore(config.get("transaction.remove.expired.transaction.cleanup.interval.ms"), transactions.expire_ids),
        Chore(prune_ms, share_coordinator.prune),
        Chore(prune_ms, share_partitions.sweep),
    ]


def connection_chores(idle: IdleConnections) -> list[Chore]:
    return [Chore(_IDLE_CHECK_MS, idle.close)]


class Housekeeping:
    """Tends partitions and logs itself; `chores` are those of other parts."""

    def __init__(
        self,
        config: BrokerConfig,
        clock: Clock,
        executor: Callable[[str], Executor],
        logs: Logs,
        metadata: MetadataCache,
        replicas: Replicas,
        chores: Sequence[Chore] = (),
    ) -> None:
        self._config = config
        self._clock = clock
        self._logs = logs
        self._metadata = metadata
        self._replicas = replicas
        self._chores = chores
        self._tasks: list[asyncio.Task[None]] = []
        self._is_stopping = False
        self._cleaner_thread = executor("log-cleaner")
        self._flusher_thread = executor("log-flusher")

    def start(self) -> None:
        loop, config = asyncio.get_running_loop(), self._config
        chores = [
            Chore(config.get("log.retention.check.interval.ms"), self._enforce_retention),
            Chore(config.get("log.flush.offset.checkpoint.interval.ms"), self._checkpoint),
            Chore(config.get("replica.high.watermark.checkpoint.interval.ms"), self._checkpoint_high_watermarks),
            # Half the allowed lag: a follower that stops is out of the ISR after one and a half times it at most.
            Chore(max(config.get("replica.lag.time.max.ms") // 2, 1), self._check_isr),
            Chore(config.get("producer.id.expiration.check.interval.ms"), self._expire_producers),
            Chore(_FLUSH_CHECK_MS, self._flush),
            Chore(_LOG_TICK_MS, self._tick_logs),
            *self._chores,
        ]
        for chore in chores:
            self._tasks.append(loop.create_task(self._repeat(_always(chore.interval_ms), chore.run)))
        if config.get("log.cleaner.enable"):
            self._tasks.append(loop.create_task(self._repeat(self._clean_interval_ms, self._clean)))

    async def stop(self) -> None:
        self._is_stopping = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for thread in (self._cleaner_thread, self._flusher_thread):
            thread.shutdown(wait=True, cancel_futures=True)

    async def _repeat(self, interval_ms: Callable[[], int], chore: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(interval_ms() / 1000)
            try:
                await chore()
            except asyncio.CancelledError:
                raise
            # One failed round must not end the chore for good; the next may succeed.
            except (KafkaError, OSError) as error:
                # A full disk, say: foreseen, and logged in one line.
                self._logs.error.error("chore failed name=%s error=%s", _name(chore), error)
            except Exception:
                self._logs.error.exception("chore failed name=%s", _name(chore))

    async def _for_each(self, act: Callable[[HostedPartition], object]) -> None:
        for count, hosted in enumerate(list(self._replicas.all())):
            # A partition that was dropped while we paused has no files to tend.
            if not hosted.is_gone:
                try:
                    act(hosted)
                except (KafkaError, OSError) as error:
                    self._logs.error.error(
                        "partition chore failed partition=%s-%d error=%s", hosted.topic, hosted.index, error
                    )
            if count % _PARTITIONS_PER_STEP == _PARTITIONS_PER_STEP - 1:
                await asyncio.sleep(0)

    async def _enforce_retention(self) -> None:
        await self._for_each(self._retain)

    def _retain(self, hosted: HostedPartition) -> None:
        deleted = hosted.log.enforce_retention(self._clock.now_ms())
        if deleted:
            self._logs.error.info(
                "segments deleted partition=%s-%d count=%d log_start_offset=%d",
                hosted.topic,
                hosted.index,
                len(deleted),
                hosted.log.log_start_offset,
            )

    async def _flush(self) -> None:
        """Flush what its policy or a finished segment asks for, remove files whose delay is over, and make those that
        could not be made."""
        now_ms = self._clock.now_ms()
        rolled: list[HostedPartition] = []

        def tend(hosted: HostedPartition) -> None:
            log = hosted.log
            if log.config.flush_ms != NEVER_MS:
                log.flush_if_due(now_ms)
            if log.needs_flush:
                rolled.append(hosted)
            if log.deletions:
                log.deletions.run(now_ms)

        await self._for_each(tend)
        for hosted in rolled:
            await self._flush_in_background(hosted)
        self._replicas.delete_dropped(now_ms)
        self._replicas.host_unhosted()

    async def _flush_in_background(self, hosted: HostedPartition) -> None:
        """A segment of a gigabyte takes its time to reach the disk; the loop goes on meanwhile."""
        try:
            work = hosted.log.flush_work()
        except OSError as error:
            # A full disk, say: nothing was lost yet, and the next round tries again.
            refusal = hosted.log.failed("flush", error)
            self._logs.error.error(
                "partition chore failed partition=%s-%d error=%s", hosted.topic, hosted.index, refusal
            )
            return
        try:
            await asyncio.get_running_loop().run_in_executor(self._flusher_thread, work.run)
        except OSError as error:
            # Never tried again: the kernel may have dropped what it could not write, and say yes the next time.
            hosted.log.failed("flush", error, is_sync=True)
            return
        hosted.log.flushed(work, self._clock.now_ms())

    async def _checkpoint(self) -> None:
        self._replicas.checkpoint()

    async def _checkpoint_high_watermarks(self) -> None:
        self._replicas.checkpoint_high_watermarks()

    async def _check_isr(self) -> None:
        await self._for_each(self._check_isr_of)

    def _check_isr_of(self, hosted: HostedPartition) -> None:
        if hosted.leadership is not None:
            hosted.isr_check(self._clock.monotonic_ms())

    async def _expire_producers(self) -> None:
        now_ms = self._clock.now_ms()
        silent_ms = self._metadata.values.integer("producer.id.expiration.ms")
        await self._for_each(lambda hosted: hosted.log.producer_state.producers.expire(now_ms, silent_ms))

    async def _tick_logs(self) -> None:
        self._logs.tick()

    def _clean_interval_ms(self) -> int:
        return self._metadata.values.integer("log.cleaner.backoff.ms")

    async def _clean(self) -> None:
        await self._replicas.clean(self._cleaner_thread, lambda: self._is_stopping)


def _always(interval_ms: int) -> Callable[[], int]:
    return lambda: interval_ms


def _name(chore: Callable[[], Awaitable[None]]) -> str:
    return str(getattr(chore, "__name__", chore))
