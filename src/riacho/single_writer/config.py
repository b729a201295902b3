"""The settings of the replicated log: its log, its group, how to reach the brokers, how long to wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError

from riacho.single_writer.record import Append

_NOOP = Append(b"riacho.noop", None)
# What brokers allow by default (transaction.max.timeout.ms): with more, nobody could ever lead.
_TRANSACTION_TIMEOUT_MS_MAX = 900_000


def _on_error(error: KafkaError) -> None:
    """Errors of a client as a whole: each call that suffers from one says so itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatedLogConfig:
    """`client` is what every librdkafka client gets: bootstrap.servers and security. `url` is where others forward to.

    `noop` is what a new leader writes first, to learn where the log ends. The state never gets records with its key.
    """

    topic: str
    group_id: str
    url: str
    client: Mapping[str, Any]
    is_eligible: bool = True
    replication_factor: int = 3
    topic_configs: Mapping[str, str] = field(default_factory=dict)
    noop: Append = _NOOP
    session_timeout_ms: int = 10_000
    heartbeat_interval_ms: int = 3_000
    write_timeout_ms: int = 10_000
    forward_timeout_ms: int = 30_000
    start_timeout_ms: int = 60_000
    stop_timeout_ms: int = 5_000

    def __post_init__(self) -> None:
        if self.heartbeat_interval_ms * 2 > self.session_timeout_ms:
            raise ValueError("heartbeat.interval.ms must be at most half of session.timeout.ms")
        if self.noop.key is None:
            raise ValueError("the noop record needs a key, or compaction could not remove it")

    @property
    def write_timeout_s(self) -> float:
        return self.write_timeout_ms / 1000

    # One set of librdkafka settings for each kind of client.

    @property
    def _common(self) -> dict[str, Any]:
        return {
            # Lines about connections say nothing that the replicated log's own sentences do not say better.
            "log_level": 2,
            "client.id": self.group_id,
            "error_cb": _on_error,
            "reconnect.backoff.max.ms": 1_000,
            # A log that was deleted must not come back with the cluster's defaults: they would delete old records.
            "allow.auto.create.topics": False,
            # So often that a topic which was deleted and created again is noticed.
            "topic.metadata.refresh.interval.ms": 10_000,
        } | dict(self.client)

    @property
    def admin_settings(self) -> dict[str, Any]:
        return self._common

    @property
    def reader_settings(self) -> dict[str, Any]:
        """A short wait at the end of the log: the markers of a transaction show themselves only with an empty fetch."""
        return self._common | {
            "group.id": self.group_id,
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 100,
            "fetch.error.backoff.ms": 100,
            "queued.max.messages.kbytes": 16_384,
        }

    @property
    def membership_settings(self) -> dict[str, Any]:
        """Cooperative: an instance that joins or leaves takes nothing from the one that leads. Whoever asks for the
        group's members sees where each of them is."""
        return self._common | {
            "group.id": self.group_id,
            "client.id": self.url,
            "enable.auto.commit": False,
            "partition.assignment.strategy": "cooperative-sticky",
            "session.timeout.ms": self.session_timeout_ms,
            "heartbeat.interval.ms": self.heartbeat_interval_ms,
            "max.poll.interval.ms": max(3 * self.session_timeout_ms, 30_000),
            "socket.timeout.ms": max(self.session_timeout_ms, 10_000),
        }

    @property
    def writer_settings(self) -> dict[str, Any]:
        """All eligible instances share the transactional id: whoever asks for it last fences all others."""
        return self._common | {
            "transactional.id": f"{self.group_id}-leader",
            "transaction.timeout.ms": min(max(self.write_timeout_ms, 10_000), _TRANSACTION_TIMEOUT_MS_MAX),
            "message.timeout.ms": min(self.write_timeout_ms, _TRANSACTION_TIMEOUT_MS_MAX),
            "linger.ms": 0,
            "retry.backoff.ms": 50,
            "queue.buffering.max.kbytes": 65_536,
        }

    @property
    def watch_settings(self) -> dict[str, Any]:
        """Never subscribes, so never joins: it only asks."""
        return self._common | {
            "group.id": self.group_id,
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "socket.timeout.ms": 10_000,
        }
