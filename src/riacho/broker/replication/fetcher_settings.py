"""What a fetcher of replicas is made with: its settings, and what it needs of its broker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import logging
    from collections.abc import Callable

    from riacho.base.ports import Clock
    from riacho.broker.quotas.replication_quota import ReplicationQuota
    from riacho.metadata.settings.broker_values import BrokerValues
    from riacho.wire.schema import Message


class LeaderPeer(Protocol):
    """`client.peer.Peer`, as far as it is used here."""

    async def send(self, request: Message, *, version: int | None = None, timeout_ms: int | None = None) -> Message: ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FetcherSettings:
    wait_ms_max: int = 500  # replica.fetch.wait.max.ms
    size_bytes_min: int = 1  # replica.fetch.min.bytes
    size_bytes_max: int = 10_485_760  # replica.fetch.response.max.bytes
    partition_size_bytes_max: int = 1_048_576  # replica.fetch.max.bytes
    backoff_ms_max: int = 1_000  # replica.fetch.backoff.ms
    timeout_ms: int = 30_000  # replica.socket.timeout.ms

    @classmethod
    def of(cls, values: BrokerValues) -> FetcherSettings:
        return cls(
            wait_ms_max=values.integer("replica.fetch.wait.max.ms"),
            size_bytes_min=values.integer("replica.fetch.min.bytes"),
            size_bytes_max=values.integer("replica.fetch.response.max.bytes"),
            partition_size_bytes_max=values.integer("replica.fetch.max.bytes"),
            backoff_ms_max=values.integer("replica.fetch.backoff.ms"),
            timeout_ms=values.integer("replica.socket.timeout.ms"),
        )


@dataclass(frozen=True, slots=True)
class FetcherWorld:
    """What a fetcher needs of its broker."""

    node_id: int
    clock: Clock
    log: logging.Logger
    # The epoch of this broker's registration, which the leader holds against the metadata (KIP-903).
    broker_epoch: Callable[[], int]
    # A peer for a leader, or KafkaError when the metadata do not say where it is.
    connect: Callable[[int], LeaderPeer]
    quota: ReplicationQuota
    # The leader answered.
    on_contact: Callable[[int], None] = lambda _: None
