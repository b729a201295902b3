"""A real broker on a thread of the test process: its own port, its own directory, gone when the test ends.

It is the broker that production runs, with its sockets and its files; nothing is mocked. Faults are injected at the
point where requests are dispatched, so a client cannot tell them from a broker in trouble.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import threading
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

import uvloop

from riacho.base.decision import Decision
from riacho.base.errors import ErrorCode, KafkaError
from riacho.broker.config import BrokerConfig
from riacho.broker.environment import real_environment
from riacho.broker.faults import FaultRule, Faults, api_key_of
from riacho.broker.logs import silent_logs
from riacho.broker.node import Broker
from riacho.metadata.controller import Controller
from riacho.wire.messages.create_topics_request import CreatableTopic, CreatableTopicConfig, CreateTopicsRequest
from riacho.wire.messages.partition_change_record import PartitionChangeRecord

T = TypeVar("T")

_START_TIMEOUT_S = 30

# Tests want answers at once and leave nothing behind.
_DEFAULTS = {
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "4",
    "log.cleaner.backoff.ms": "200",
    "riacho.metrics.port": "-1",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that was asked for; `met` says how many requests it has met so far."""

    _rule: FaultRule

    @property
    def met(self) -> int:
        return self._rule.met

    @property
    def is_spent(self) -> bool:
        return self._rule.left == 0


class KafkaCluster:
    """One broker. Use it as a context manager, or through the `kafka_cluster` fixture."""

    def __init__(self, properties: Mapping[str, str] | None = None, data_dir: Path | None = None) -> None:
        self._properties = {**_DEFAULTS, **(properties or {})}
        self._owned_dir = Path(tempfile.mkdtemp(prefix="riacho-")) if data_dir is None else None
        self._data_dir = data_dir if data_dir is not None else self._owned_dir
        self._faults = Faults()
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._failure: BaseException | None = None
        self._stopping: asyncio.Event
        self._loop: asyncio.AbstractEventLoop
        self._broker: Broker
        # The port of the first start serves later ones too, so that clients find the broker again after a restart.
        self._port = 0

    # --- life

    def start(self) -> Self:
        self._ready.clear()
        self._failure = None
        self._thread = threading.Thread(target=self._run, name="riacho-broker", daemon=True)
        self._thread.start()
        if not self._ready.wait(_START_TIMEOUT_S):
            raise TimeoutError("the broker did not start in time")
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self

    def stop(self) -> None:
        """Stop cleanly and delete the data, unless a data directory was given."""
        self._halt()
        if self._owned_dir is not None:
            shutil.rmtree(self._owned_dir, ignore_errors=True)

    def restart(self) -> None:
        """Stop cleanly and start again on the same port and data."""
        self._halt()
        self.start()

    def _halt(self) -> None:
        thread, self._thread = self._thread, None
        if thread is not None:
            self._loop.call_soon_threadsafe(self._stopping.set)
            thread.join(_START_TIMEOUT_S)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self) -> None:
        loop = uvloop.new_event_loop()
        try:
            loop.run_until_complete(self._main(loop))
        except BaseException as error:
            self._failure = error
        finally:
            loop.close()
            self._ready.set()

    async def _main(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._stopping = asyncio.Event()
        config = BrokerConfig(
            {
                "node.id": "1",
                "listeners": f"PLAINTEXT://127.0.0.1:{self._port}",
                "log.dirs": str(self._data_dir),
                **self._properties,
            }
        )
        self._broker = Broker(config, real_environment(), silent_logs(1), self._faults)
        await self._broker.start()
        self._port = self._broker.listeners[0].port
        self._ready.set()
        await self._stopping.wait()
        await self._broker.stop()

    # --- use

    @property
    def bootstrap_servers(self) -> str:
        return f"127.0.0.1:{self._port}"

    @property
    def metrics_url(self) -> str | None:
        """Where Prometheus text is served, with the property `riacho.metrics.port` at 0 or a port."""
        endpoint = self._broker.metrics_endpoint
        return None if endpoint is None else f"http://{endpoint.host}:{endpoint.port}/metrics"

    def create_topic(
        self, name: str, partitions: int = 1, configs: Mapping[str, str] | None = None, replication_factor: int = 1
    ) -> None:
        """Create a topic; it is there when this returns."""
        request = CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=name,
                    num_partitions=partitions,
                    replication_factor=replication_factor,
                    configs=[CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()],
                )
            ],
            timeout_ms=30_000,
        )
        response = self._call(lambda: self._submit(lambda controller: controller.create_topics(request)))
        result = response.topics[0]
        if result.error_code:
            raise KafkaError(ErrorCode(result.error_code), result.error_message or name)

    def request_count(self, api: str) -> int:
        """How many requests of this API were answered, e.g. `request_count("Produce")`."""
        key = api_key_of(api)
        return self._call(lambda: self._broker.metrics.request_count(key))

    # --- faults

    def fail(
        self, api: str, error: ErrorCode, times: int | None = 1, *, after: int = 0, client_id: str | None = None
    ) -> Fault:
        """Answer the next `times` requests of an API with an error, instead of serving them; None: until cleared."""
        return self._add(FaultRule(api_key_of(api), times, error=error, after=after, client_id=client_id))

    def delay(
        self, api: str, delay_ms: int, times: int | None = 1, *, after: int = 0, client_id: str | None = None
    ) -> Fault:
        """Hold the next `times` requests of an API before serving them."""
        return self._add(FaultRule(api_key_of(api), times, delay_ms=delay_ms, after=after, client_id=client_id))

    def drop(self, api: str, times: int | None = 1, *, after: int = 0, client_id: str | None = None) -> Fault:
        """Close the connection on the next `times` requests of an API, unserved."""
        return self._add(FaultRule(api_key_of(api), times, drops_connection=True, after=after, client_id=client_id))

    def clear_faults(self) -> None:
        self._faults.clear()

    def move_leader(self, topic: str, partition: int) -> int:
        """Elect the partition's leader anew and return its new epoch: clients that know the old one are fenced."""
        return self._call(lambda: self._elect(topic, partition))

    def _elect(self, topic: str, index: int) -> int:
        metadata = self._broker.metadata
        named = metadata.image.topics.get(topic)
        if named is None or index >= len(named.partitions):
            raise KafkaError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"{topic}-{index}")
        leader = named.partitions[index].leader
        # Naming a leader, even the same one, starts a new epoch.
        change = PartitionChangeRecord(topic_id=named.id, partition_id=index, leader=leader)
        metadata.submit(Decision(reply=None, records=[change]))
        return metadata.image.topics[topic].partitions[index].leader_epoch

    def _submit(self, decide: Callable[[Controller], Decision[Any, T]]) -> T:
        metadata = self._broker.metadata
        return metadata.submit(decide(metadata.controller))

    def _add(self, rule: FaultRule) -> Fault:
        return Fault(self._faults.add(rule))

    def _call(self, act: Callable[[], T]) -> T:
        """Run something on the broker's loop and wait for it."""

        async def run() -> T:
            return act()

        coroutine: Coroutine[Any, Any, T] = run()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_START_TIMEOUT_S)
