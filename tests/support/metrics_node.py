"""A node as its metrics see it: fixed figures in place of a quorum, partitions and groups."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from riacho.broker.config import BrokerConfig
from riacho.broker.counters.metrics import BrokerMetrics
from riacho.groups.offsets.offsets import Offsets

VOTERS = {"controller.quorum.voters": "1@127.0.0.1:9093"}
CONTROLLER = {**VOTERS, "process.roles": "controller", "listeners": "CONTROLLER://127.0.0.1:9093"}
BROKER = {**VOTERS, "process.roles": "broker", "node.id": "2", "listeners": "PLAINTEXT://127.0.0.1:9092"}


def node(properties: dict[str, str], *, is_active: bool = False, **parts: Any) -> Any:
    partitions = [SimpleNamespace(leader=leader, replicas=(1, 2)) for leader in (1, -1, -1)]
    return SimpleNamespace(
        config=BrokerConfig(properties),
        connection_count=lambda: 4,
        uptime_ms=lambda: 2_500,
        metadata=SimpleNamespace(
            image=SimpleNamespace(
                end_offset=77,
                brokers={id: SimpleNamespace(is_fenced=id == 3) for id in (1, 2, 3)},
                topics={"t": SimpleNamespace(partitions=partitions)},
            )
        ),
        raft=SimpleNamespace(node=SimpleNamespace(leader_id=5, epoch=9)),
        controller=SimpleNamespace(is_active=is_active),
        quotas=SimpleNamespace(muted_count=0, kinds=tuple, is_enabled=False),
        **{"metrics": BrokerMetrics(), **parts},
    )


def hosted(isr: int, *, is_leader: bool = True, enough: bool = True) -> Any:
    leadership = SimpleNamespace(isr=set(range(isr)), replicas=(0, 1, 2), min_isr=2) if is_leader else None
    return SimpleNamespace(
        topic="t",
        index=isr,
        is_leader=is_leader,
        leader_id=1,
        leadership=leadership,
        has_enough_replicas=enough,
        log=SimpleNamespace(size_bytes=9, log_start_offset=1, log_end_offset=3, high_watermark=2, segments=[0]),
    )


def parts() -> dict[str, Any]:
    """Of a broker: one partition is whole, one lacks a replica, one lacks too many, and one is followed."""
    found = [hosted(3), hosted(2), hosted(1, enough=False), hosted(0, is_leader=False)]
    return {
        "replicas": SimpleNamespace(
            all=lambda: found,
            by_name={"t": {}},
            partition_count=lambda: 4,
            leader_count=lambda: 3,
            offline_directories=lambda: {"/two": "gone"},
            size_bytes=lambda: 1_000,
        ),
        "replica_fetchers": SimpleNamespace(followed_count=lambda: 1, max_lag=lambda: 8, fetched_size_bytes=99),
        "fetch_sessions": [],
        "groups": SimpleNamespace(loaded_shards=lambda: [SimpleNamespace(groups={"a": 1, "b": 2}, offsets=Offsets())]),
        "metrics": BrokerMetrics(),
        "isr_proposals": SimpleNamespace(shrunk=1, expanded=2),
    }
