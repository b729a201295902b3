"""A server's own consumer of topics, by assignment: what is committed, and where partitions end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from confluent_kafka import Consumer


def reading_consumer(client: Mapping[str, Any], group_id: str, **more: Any) -> Consumer:
    return Consumer(
        {
            **client,
            "group.id": group_id,
            "enable.auto.commit": False,
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
            "fetch.wait.max.ms": 50,
            **more,
        }
    )
