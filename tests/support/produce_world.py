"""A broker's side of produce over real parts: metadata, replicas and their logs, rights, quotas, connection. The test
turns its loop, sets its clock and is its coordinator of transactions."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from riacho.base.errors import ErrorCode
from riacho.broker.logger_changes import change_loggers
from riacho.broker.logs import Logs
from riacho.broker.partitions.hosted_partition import HostedPartition
from riacho.broker.partitions.replicas import Replicas
from riacho.broker.produce.produce_fast_path import ProduceFastPath, ProduceFastPaths
from riacho.broker.produce.transaction_verifier import Errors, TransactionVerifier
from riacho.broker.quorum.metadata_cache import MetadataCache
from riacho.broker.serving.connection import Connection
from riacho.broker.serving.listener import Listener
from riacho.broker.serving.service import Service
from riacho.log.directories import LogDirectories
from riacho.log.markers import build_marker
from riacho.metadata.image.image import MetadataImage, MetadataRecord
from riacho.security.standard_authorizer import StandardAuthorizer
from riacho.wire.batch import read_header
from riacho.wire.messages.incremental_alter_configs_request import AlterableConfig, AlterConfigsResource
from riacho.wire.messages.partition_record import PartitionRecord
from riacho.wire.messages.topic_record import TopicRecord
from support.broker_fakes import FakeBroker, FakeTransport, HandLoop, HandTimer, HandWork, LogLines, SetClock
from support.led_partition import NODE, SetPeers
from support.parts import untouched
from support.produce_parts import serve_produce

TOPIC, TOPIC_ID = "t", bytes(range(16))
OTHER = 2
# With a follower, and alone.
REPLICATED, ALONE = 0, 1


class TimedLoop(HandLoop):
    """Timers run when the clock has come to them; tasks are done with what is given to threads."""

    def __init__(self, clock: SetClock) -> None:
        super().__init__()
        self._clock = clock
        self._due: list[tuple[int, int, HandTimer]] = []
        self._order = itertools.count()

    def call_later(self, delay_s: float, act: Callable[[], None]) -> HandTimer:
        timer = super().call_later(delay_s, act)
        self._due.append((self._clock.at_ms + round(delay_s * 1000), next(self._order), timer))
        return timer

    def create_task(self, work: Coroutine[Any, Any, Any]) -> HandWork:
        return self.run_in_executor(None, _driven, work)

    def time(self) -> float:
        return self._clock.at_ms / 1000

    def pass_time(self, ms: int) -> None:
        until_ms = self._clock.at_ms + ms
        while due := sorted(entry for entry in self._due if entry[0] <= until_ms):
            self._due.remove(due[0])
            self._clock.at_ms = max(self._clock.at_ms, due[0][0])
            if not due[0][2].is_cancelled:
                due[0][2].fire()
            self.settle()
        self._clock.at_ms = until_ms

    def settle(self) -> None:
        while self.soon or self.threads:
            self.turn()
            given, self.threads = self.threads, []
            for work in given:
                work.do()


def _driven(work: Coroutine[Any, Any, Any]) -> Any:
    """The result of a coroutine that waits for nobody."""
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    raise AssertionError("it waits for somebody")


class UsualConnection(Connection):
    """Takes no fast path."""

    __slots__ = ()

    def keep_fast_path(self, fast_path: ProduceFastPath) -> None:
        """Not kept."""


class FastConnection(Connection):
    """Counts how often it was served by a fast path."""

    __slots__ = ("served_fast",)

    def __init__(self, listener: Listener, service: Service) -> None:
        super().__init__(listener, service)
        self.served_fast = 0

    def _serve_fast(self, fast_paths: ProduceFastPaths) -> bool:
        is_served = super()._serve_fast(fast_paths)
        self.served_fast += is_served
        return is_served


class Verified(TransactionVerifier):
    """The coordinator knows of every partition, or of none."""

    world: ProduceWorld

    async def ask(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: list[tuple[str, int]],
        **_: object,
    ) -> Errors:
        self.world.asked.append((transactional_id, producer_id, producer_epoch, partitions))
        return (
            {each: ErrorCode.INVALID_TXN_STATE for each in partitions} if self.world.is_refused_by_coordinator else {}
        )


class ProduceWorld:
    def __init__(self, path: Path, connection_class: type[FastConnection | UsualConnection]) -> None:
        self.broker = FakeBroker()
        broker, clock = self.broker, self.broker.clock
        broker.loop = self.loop = TimedLoop(clock)
        access, self.access_lines = _access_log(path.name)
        broker.logs = Logs(access, broker.logs.error, broker.logs.error)
        authorizer = broker.authorizer = StandardAuthorizer(frozenset({"User:root"}), True)
        self.metadata = broker.metadata = MetadataCache(broker.config, MetadataImage())
        ids = itertools.count(1)
        self.directories = LogDirectories(
            [str(path)],
            node_id=NODE,
            cluster_id="cluster",
            new_directory_id=lambda: next(ids).to_bytes(16, "big"),
        )
        self.peers = SetPeers(clock)
        self.replicas = broker.replicas = Replicas(
            NODE, self.directories, self.metadata, clock, broker.logs, broker.metrics, 86_400_000, self.peers
        )
        self.replicas.load()
        verifier = Verified(NODE, untouched("transactions"), untouched("peers"))
        verifier.world = self
        serve_produce(broker, verifier)
        for subscriber in (
            broker.quotas.image_changed,
            lambda _, new: authorizer.load(new.acls),
            broker.fast_path_epoch.image_changed,
            self.replicas.image_changed,
        ):
            self.metadata.subscribe(subscriber)
        states = {REPLICATED: [NODE, OTHER], ALONE: [NODE]}
        self.publish(
            TopicRecord(name=TOPIC, topic_id=TOPIC_ID),
            *(
                PartitionRecord(partition_id=index, topic_id=TOPIC_ID, replicas=nodes, isr=nodes, leader=NODE)
                for index, nodes in states.items()
            ),
        )
        # The coordinator of transactions: what it was asked, and what it says.
        self.asked: list[object] = []
        self.is_refused_by_coordinator = False
        self._connection_class, self._listener = connection_class, broker.listener()
        self.transports: list[FakeTransport] = []
        self.connections: list[FastConnection | UsualConnection] = []
        self._connect()

    def _connect(self) -> None:
        self.connection, transport = self._connection_class(self._listener, self.broker.service), FakeTransport()
        self.transports.append(transport)
        self.connections.append(self.connection)
        self.connection.connection_made(transport)

    def close(self) -> None:
        self.directories.close(clean=False)

    # --- what happens

    def publish(self, *records: MetadataRecord) -> None:
        self.metadata.publish(self.metadata.image.apply(records))
        self.loop.settle()

    def receive(self, frames: Iterable[bytes]) -> None:
        """A client whose connection was closed makes another."""
        if self.connection.is_closed:
            self.connection.connection_lost(None)
            self._connect()
        self.connection.data_received(b"".join(frames))
        self.loop.settle()

    def replicate(self) -> None:
        """The follower has everything now."""
        hosted = self.partition(REPLICATED)
        if hosted.leadership is not None and OTHER in hosted.leadership.maximal_isr:
            hosted.follower_fetched(OTHER, 7, hosted.log.log_end_offset, self.broker.clock.at_ms)
        self.loop.settle()

    def log_level(self, level: str) -> None:
        resource = AlterConfigsResource(
            resource_type=8,
            resource_name=str(NODE),
            configs=[AlterableConfig(name="riacho.access", config_operation=0, value=level)],
        )
        [answer] = change_loggers(self.connection.context, [resource], validate_only=False)
        assert not answer.error_code, answer.error_message

    def end_transaction(self, producer_id: int, producer_epoch: int, index: int) -> None:
        hosted = self.partition(index)
        if hosted.is_leader:
            now_ms = self.broker.clock.at_ms
            marker = build_marker(producer_id, producer_epoch, aborted=False, coordinator_epoch=0, timestamp_ms=now_ms)
            hosted.log.append(marker, read_header(marker), hosted.leader_epoch, now_ms)
            hosted.advance()
        self.loop.settle()

    def delete_records(self, index: int) -> None:
        log = self.partition(index).log
        log.move_log_start(log.high_watermark)

    def forget_producers(self, index: int) -> None:
        """Those without an open transaction, as when their records are long gone."""
        self.partition(index).log.producer_state.producers.expire(self.broker.clock.at_ms, -1_000_000_000)

    def has_transaction(self, producer_id: int, producer_epoch: int, index: int) -> bool:
        return self.partition(index).log.producer_state.producers.has_transaction(producer_id, producer_epoch)

    def authenticate_again(self) -> None:
        """As `sasl_session.py` does, on each connection."""
        for each in self.connections:
            each.forget_fast_paths()

    # --- what came of it

    @property
    def served_fast(self) -> int:
        return sum(each.served_fast for each in self.connections if isinstance(each, FastConnection))

    def partition(self, index: int) -> HostedPartition:
        return self.replicas.find(TOPIC, index)

    def _charged(self) -> list[tuple[object, ...]]:
        """A meter that was silent for long is as none: it is forgotten when somebody asks next."""
        now_ms = self.broker.clock.at_ms
        meters = [(meter, meter.gauge.rate(now_ms)) for meter in self.broker.quotas.produce.meters()]
        return [(meter.client_id, meter.bound, meter.throttled_ms, rate) for meter, rate in meters if rate]

    def seen(self) -> dict[str, object]:
        """Everything that must be the same whichever way a request goes."""
        counts = self.partition(ALONE).counts
        found: dict[str, object] = {
            "answers": [b"".join(transport.writes) for transport in self.transports],
            "is closed": self.connection.is_closed,
            "is read": not self.transports[-1].is_reading_paused,
            "counted": (counts.produce_requests, counts.bytes_in, counts.messages_in),
            "logged": len(self.access_lines),
            "asked": self.asked,
            "failed": self.broker.metrics.failed_produce,
            "charged": self._charged(),
        }
        for index in (REPLICATED, ALONE):
            log = self.partition(index).log
            found[f"log {index}"] = (
                _stored(log.directory), log.log_start_offset, log.high_watermark, log.log_end_offset
            )  # fmt: skip
        return found


def _access_log(name: str) -> tuple[logging.Logger, list[str]]:
    """Of logging's own: only those learn that their level has changed."""
    logger, lines = logging.getLogger(f"produce-world.{name}"), LogLines()
    logger.propagate = False
    logger.setLevel(logging.INFO)
    logger.handlers[:] = [lines]
    return logger, lines.lines


def _stored(directory: str) -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in sorted(Path(directory).glob("*.log"))]
